"""What stands before the app: ids, limits, what is told of requests, and what never is."""

from __future__ import annotations

import json
import re
import threading
import time

import pytest
from fastapi import Response
from starlette.testclient import TestClient

from vigent import Memory
from vigent.edges.http.app import create_app
from vigent.edges.http.calling import Called, reads
from vigent.edges.http.opening import Opening
from vigent.edges.http.rates import Rates
from vigent.effective import effective_settings
from vigent.errors import RateLimited
from vigent.service import Service

STATE = "/v1/stores/default/state/mira/passport_deadline"


def client_with(service, **env: str) -> TestClient:
    settings = effective_settings(env={"VIGENT_EMBEDDER": "none", **env}).settings
    return TestClient(create_app(service, settings=settings), raise_server_exceptions=False)


class TestRequestIds:
    def test_a_sane_id_is_taken_and_any_other_replaced(self, client, admin):
        for given, taken in (
            ("abc-1.2_3", True), ("a" * 128, True), ("a" * 129, False), ("a b", False),
            ("ä", False), ("-x", False), ("", False),
        ):  # fmt: skip
            headers = {**admin, "X-Request-Id": given.encode()}
            answer = client.get(STATE, headers=headers)
            assert answer.status_code == 200
            found = answer.headers["X-Request-Id"]
            assert (found == given) is taken
            assert taken or re.fullmatch(r"req_[0-9a-f]{24}", found)

    def test_refusals_and_faults_have_one_too(self, client):
        @client.app.get("/fault")
        def fault() -> Response:
            raise RuntimeError("mira's deadline")

        for path, status in (("/nowhere", 404), (STATE, 401), ("/fault", 500)):
            answer = client.get(path)
            assert answer.status_code == status
            assert answer.headers["X-Request-Id"].startswith("req_")
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert "mira" not in answer.text


class TestRefusalsSayWhatToDo:
    def test_no_key_is_told_apart_from_a_wrong_one(self, client):
        missing, wrong = client.get(STATE), client.get(STATE, headers={"Authorization": "Bearer x"})
        assert "send the header Authorization: Bearer" in missing.json()["detail"]
        assert wrong.json()["detail"] == "the key is not valid"
        assert (missing.status_code, wrong.status_code) == (401, 401)

    def test_a_body_that_is_sent_as_a_form_is_told_its_type(self, client, admin):
        form = {**admin, "Content-Type": "application/x-www-form-urlencoded"}
        answer = client.post("/v1/memory", content='{"index_id": "default"}', headers=form)
        assert answer.status_code == 422
        assert answer.json()["detail"].endswith("sent under Content-Type: application/json")

    def test_a_path_that_is_no_route_is_told_where_they_stand(self, client, admin):
        answer = client.get("/v1/nothing", headers=admin)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        assert "/openapi.json" in answer.json()["detail"]


class TestBodies:
    def test_a_body_that_says_it_is_too_long_is_not_read(self, service, admin):
        client = client_with(service, VIGENT_LIMITS_BODY_BYTES="2048")
        read: list[int] = []

        def body():
            for _ in range(100):
                read.append(1)
                yield b"x" * 1024

        answer = client.post(
            "/v1/memory/stores", content=body(), headers={**admin, "Content-Length": "102400"}
        )
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")

    def test_a_body_of_untold_length_is_refused_where_it_gets_too_long(self, service, admin):
        client = client_with(service, VIGENT_LIMITS_BODY_BYTES="2048")
        chunks = (b"x" * 1024 for _ in range(8))
        answer = client.post("/v1/memory/stores", content=chunks, headers=admin)
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")

    def test_an_item_of_a_million_characters_fits_by_default(self, client, admin):
        name = "\N{GREEK SMALL LETTER ALPHA}" * 1_000_000
        answer = client.post("/v1/memory/stores", json={"name": name}, headers=admin)
        assert (answer.status_code, answer.json()["field"]) == (422, "name")


class TestRates:
    def test_a_key_that_calls_too_often_is_told_when_to_come_again(self, service, admin):
        other = service.new_tenant("other")
        client = client_with(
            service, VIGENT_LIMITS_RATE_PER_SECOND="0.1", VIGENT_LIMITS_RATE_BURST="3"
        )
        assert [client.get(STATE, headers=admin).status_code for _ in range(3)] == [200] * 3
        answer = client.get(STATE, headers=admin)
        assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
        assert 1 <= int(answer.headers["Retry-After"]) <= 10
        theirs = {"Authorization": f"Bearer {other.key}"}
        assert client.get(STATE, headers=theirs).status_code == 200

    def test_calls_without_the_secret_take_nothing_from_a_key(self, service, admin):
        client = client_with(
            service, VIGENT_LIMITS_RATE_PER_SECOND="0.1", VIGENT_LIMITS_RATE_BURST="2"
        )
        wrong = {"Authorization": admin["Authorization"][:-4] + "0000"}
        assert {client.get(STATE, headers=wrong).status_code for _ in range(5)} == {401}
        assert client.get(STATE, headers=admin).status_code == 200

    def test_a_bucket_fills_at_its_rate_up_to_its_burst(self):
        now = [0.0]
        rates = Rates(2.0, 4, clock=lambda: now[0])

        def taken() -> int:
            for number in range(100):
                try:
                    rates.take("t", "k")
                except RateLimited:
                    return number
            return 100

        assert taken() == 4
        now[0] = 1.0
        assert taken() == 2
        now[0] = 1000.0
        assert taken() == 4

    def test_a_rate_of_zero_limits_nothing(self):
        rates = Rates(0.0)
        for _ in range(1000):
            rates.take("t", "k")


def test_more_calls_than_may_wait_are_refused_at_once(service, admin):
    client = client_with(service, VIGENT_LIMITS_READERS="16", VIGENT_LIMITS_WAITING="2")
    release, inside = threading.Event(), threading.Semaphore(0)

    @client.app.get("/slow")
    @reads
    def slow(caller: Called) -> Response:
        inside.release()
        release.wait(30)
        return Response()

    found: list[int] = []
    with client:
        calls = [
            threading.Thread(
                target=lambda: found.append(client.get("/slow", headers=admin).status_code)
            )
            for _ in range(18)
        ]
        for call in calls:
            call.start()
        for _ in range(16):
            assert inside.acquire(timeout=30)
        until = time.monotonic() + 30
        while client.app.state.crossing._readers._inside < 18 and time.monotonic() < until:
            time.sleep(0.01)
        answer = client.get("/slow", headers=admin)
        assert (answer.status_code, answer.json()["code"]) == (503, "overloaded")
        assert answer.headers["Retry-After"] == "1"
        assert client.get("/health/ready").json()["status"] == "busy"
        release.set()
        for call in calls:
            call.join(30)
    assert found == [200] * 18


class TestHealth:
    def test_ok_needs_no_key(self, client):
        assert client.get("/health/live").json() == {"status": "ok"}
        assert client.get("/health/ready").json() == {"status": "ok", "reasons": []}

    def test_an_embedder_that_fails_is_degraded(self, tmp_path):
        address = "http://127.0.0.1:9/v1#m"
        service = Service.open(tmp_path / "a.db", embedder=address)
        with TestClient(create_app(service)) as client:
            until = time.monotonic() + 30
            told = client.get("/health/ready").json()
            while told["status"] == "ok" and time.monotonic() < until:
                time.sleep(0.05)
                told = client.get("/health/ready").json()
            assert told["status"] == "degraded"
            assert "127.0.0.1" not in json.dumps(told)

    def test_while_the_store_is_opened_calls_are_503_and_it_is_said_why(self, tmp_path):
        go, failed = threading.Event(), threading.Event()

        def slowly() -> Service:
            go.wait(30)
            return Service.open(tmp_path / "a.db")

        opening = Opening(None, slowly)
        app = create_app(Service.open(":memory:"))
        app.state.opening = opening
        client = TestClient(app)
        assert client.get("/health/ready").json()["status"] == "starting"
        opening.begin(failed.set)
        answer = client.get("/health/ready")
        assert (answer.status_code, answer.json()["status"]) == (503, "migrating")
        assert client.get("/health/live").status_code == 200
        refused = client.get(STATE)
        assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
        assert refused.headers["Retry-After"] == "1"
        go.set()
        until = time.monotonic() + 30
        while opening.state != "open" and time.monotonic() < until:
            time.sleep(0.01)
        assert client.get("/health/ready").status_code == 200
        assert client.get(STATE).status_code == 401
        opening.close()
        assert client.get("/health/ready").json()["status"] == "stopping"
        assert not failed.is_set()

    def test_a_store_that_cannot_be_opened_is_raised_at_once_or_told_later(self, tmp_path):
        opening = Opening(None, lambda: Service.open(tmp_path / "no" / "a.db"))
        with pytest.raises(Exception, match="is not there"):
            opening.begin(lambda: None)
        assert opening.state == "failed"

    def test_a_store_that_others_write_for_too_long_is_busy(self, tmp_path):
        path = tmp_path / "a.db"
        service = Service.open(path, busy_timeout=0.1)
        first = service.first_start()
        headers = {"Authorization": f"Bearer {first.key}"}
        client = TestClient(create_app(service))
        with Memory.open(path) as other, other._storage.transaction("default"):
            answer = client.post("/v1/memory/stores", json={"name": "x"}, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (503, "store_busy")
            assert answer.headers["Retry-After"] == "1"
            assert client.get(STATE, headers=headers).status_code == 200
            # A refusal stands also where it cannot be entered in the audit trail.
            missing = client.get("/v1/stores/none/state/a/b", headers=headers)
            assert missing.status_code == 404
        assert client.get("/health/ready").json()["status"] == "busy"
        service.close()

    def test_threads_of_the_process_wait_no_longer_either(self, tmp_path):
        service = Service.open(tmp_path / "a.db", busy_timeout=0.2)
        first = service.first_start()
        headers = {"Authorization": f"Bearer {first.key}"}
        client = TestClient(create_app(service))
        with service.storage.transaction("default"):
            began = time.monotonic()
            answer = client.post("/v1/memory/stores", json={"name": "x"}, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (503, "store_busy")
            assert time.monotonic() - began < 5
        service.close()


class TestWhatIsTold:
    def test_metrics_count_by_route_and_name_nobody(self, service, admin):
        client = client_with(service)
        assert client.get(STATE, headers={**admin, "X-Vigent-Subject": "mira"}).status_code == 200
        assert client.get(STATE).status_code == 401
        assert client.get("/nowhere/mira").status_code == 404
        text = client.get("/metrics").text
        route = 'route="/v1/stores/{index_id}/state/{subject}/{attribute}"'
        assert f'vigent_http_requests_total{{method="GET",{route},status="200"}} 1.0' in text
        assert f'vigent_http_requests_total{{method="GET",{route},status="401"}} 1.0' in text
        assert 'vigent_http_requests_total{method="(any)",route="(none)",status="404"} 1.0' in text
        assert f'vigent_http_request_seconds_count{{method="GET",{route}}} 2.0' in text
        assert "vigent_seal_lag_seconds" in text
        assert "mira" not in text
        assert "default" not in text

    @pytest.mark.usefixtures("first")
    def test_the_lag_of_the_seals_is_told(self, service, clock):
        client = client_with(service)
        clock.advance(seconds=42)
        assert "vigent_seal_lag_seconds 42.0" in client.get("/metrics").text
        service.storage.seal(clock.now())
        assert "vigent_seal_lag_seconds 0.0" in client.get("/metrics").text

    def test_metrics_can_be_off(self, service):
        client = client_with(service, VIGENT_METRICS_ENABLED="off")
        assert client.get("/metrics").status_code == 404
        assert client.get("/health/live").status_code == 200

    def test_a_line_a_request_without_content_person_or_key(self, service, admin, capfd):
        client = client_with(service)
        client.get(f"{STATE}?as_of=2026-01-01", headers={**admin, "X-Vigent-Subject": "mira"})
        client.get(STATE)
        lines = [line for line in capfd.readouterr().err.splitlines() if '"request"' in line]
        told = [json.loads(line) for line in lines]
        assert [(one["status"], one["route"]) for one in told] == [
            (200, "/v1/stores/{index_id}/state/{subject}/{attribute}"),
            (401, "/v1/stores/{index_id}/state/{subject}/{attribute}"),
        ]
        assert set(told[0]) == {
            "at", "level", "event", "id", "method", "route", "status", "ms", "tenant",
        }  # fmt: skip
        assert told[0]["tenant"] == "b16e758ca8f3"
        assert "tenant" not in told[1]
        for word in ("mira", "passport", "2026-01-01", admin["Authorization"][7:]):
            assert word not in lines[0]

    def test_a_fault_is_logged_by_kind_and_place_not_by_its_message(self, client, caplog, capfd):
        @client.app.get("/fault")
        def fault() -> Response:
            raise RuntimeError("mira's deadline is 2026-07-15")

        answer = client.get("/fault")
        assert answer.status_code == 500
        assert answer.json()["detail"] == "the service failed"
        told = [record.getMessage() for record in caplog.records]
        assert any(re.fullmatch(r"fault RuntimeError at \w+\.py:\d+", one) for one in told)
        assert "mira" not in caplog.text + capfd.readouterr().err
