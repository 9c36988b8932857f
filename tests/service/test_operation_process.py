"""``vigent serve`` as a process: its first start, its stops, and several at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error

import pytest

from tests.service.serving import Answer, served
from vigent.service import Service

STATE = "/v1/stores/default/state/mira/passport_deadline"


def names_of(answer: Answer) -> set[str]:
    return {store["name"] for store in answer.body["stores"]}


def test_the_first_start_prints_a_key_and_no_other_does(tmp_path):
    with served(tmp_path, "--db", "a.db") as service:
        key = service.key
        assert key is not None
        assert sum(key in line for line in service.said) == 1
        assert service.get("/v1/version").body == {"version": "0.1.0"}
        assert service.get(STATE, key="vigent_x_y_z").status == 401
        assert service.stop() == 0
    assert key not in service.log.read_text()
    with served(tmp_path, "--db", "a.db") as service:
        assert service.key is None
        assert "export" not in "".join(service.said)
        assert service.get("/v1/memory/stores", key=key).status == 200
        assert service.stop(signal.SIGINT) == 0


def test_the_lines_it_prints_tell_the_passport_story(tmp_path):
    with served(tmp_path, "--db", "a.db") as service:
        lines = [line for line in service.said if line.startswith("curl ")]
        assert len(lines) == 4
        told = [
            json.loads(
                subprocess.run(
                    ["bash", "-c", line], env={**os.environ, "VIGENT_KEY": service.key},
                    capture_output=True, check=True, timeout=60,
                ).stdout
            )
            for line in lines
        ]  # fmt: skip
    assert [one["outcome"] for one in told[:2]] == ["stored", "superseded"]
    assert [one["memory"]["value"] for one in told[2:]] == ["2026-06-30", "2026-07-15"]


def load(service, acknowledged: list[str], tried: list[str], number: int) -> None:
    """Write until the service is gone; note what was acknowledged."""
    count = 0
    while True:
        name = f"s{number}-{count}"
        tried.append(name)
        try:
            answer = service.post("/v1/memory/stores", {"name": name})
        except (OSError, urllib.error.URLError):
            return
        if answer.status == 201:
            acknowledged.append(name)
        count += 1


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_every_acknowledged_write_is_there_after_the_end(tmp_path, how):
    acknowledged: list[str] = []
    tried: list[str] = []
    with served(tmp_path, "--db", "a.db") as service:
        key = service.key
        writers = [
            threading.Thread(target=load, args=(service, acknowledged, tried, number))
            for number in range(4)
        ]
        for writer in writers:
            writer.start()
        until = time.monotonic() + 30
        while len(acknowledged) < 40 and time.monotonic() < until:
            time.sleep(0.01)
        assert service.stop(how) == (0 if how == signal.SIGTERM else -signal.SIGKILL)
        for writer in writers:
            writer.join(60)
    with served(tmp_path, "--db", "a.db") as service:
        there = names_of(service.get("/v1/memory/stores", key=key))
        kept = Service.open(tmp_path / "a.db")
        every = {row.name for row in kept.registry.page("default", "store", limit=100_000)}
        summary = kept.storage.audit("default", seal_at=kept.clock.now())
        problems = kept.storage.check()
        kept.close()
        assert there <= every
        assert set(acknowledged) <= every <= {*tried, "default"}
        assert (summary.broken, problems) == ((), [])
        assert service.stop() == 0


def test_several_processes_serve_one_file(tmp_path):
    with served(tmp_path, "--db", "a.db", "--workers", "2") as service:
        for number in range(20):
            assert service.post("/v1/memory/stores", {"name": f"s{number}"}).status == 201
        there = names_of(service.get("/v1/memory/stores"))
        assert there == {"default", *(f"s{number}" for number in range(20))}
        # Whichever process is asked tells of all.
        counted = 'route="/v1/memory/stores",status="201"} 20.0'
        assert counted in service.get("/metrics").body
        assert service.stop() == 0


def test_a_store_in_memory_has_one_process(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "vigent", "serve", "--db", ":memory:", "--workers", "2", "--port",
         "0"], capture_output=True, cwd=tmp_path, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error[invalid_input] server.workers:")


def test_a_port_that_is_taken_is_said_before_the_store_is_made(tmp_path):
    with served(tmp_path, "--db", ":memory:") as service:
        port = service.url.rpartition(":")[2]
        done = subprocess.run(
            [sys.executable, "-m", "vigent", "serve", "--db", "b.db", "--port", port],
            capture_output=True, cwd=tmp_path, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    told = f"error[invalid_input] port: 127.0.0.1:{port}: Address already in use; give another"
    assert done.stderr.startswith(told)
    assert not (tmp_path / "b.db").exists()


def test_a_store_that_cannot_be_opened_is_told_by_the_option_that_names_it(tmp_path):
    (tmp_path / "a.db").write_text("no database, by far")
    done = subprocess.run(
        [sys.executable, "-m", "vigent", "serve", "--db", "a.db", "--port", "0"],
        capture_output=True, cwd=tmp_path, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error[invalid_input] db: ")


def test_metrics_may_have_a_port_of_their_own(tmp_path):
    with served(tmp_path, "--db", ":memory:") as probe:
        port = probe.url.rpartition(":")[2]
    env = {"VIGENT_METRICS_PORT": port}
    with served(tmp_path, "--db", "a.db", env=env) as service:
        assert service.get("/metrics").status == 404
        service.url, main = f"http://127.0.0.1:{port}", service.url
        assert "vigent_http_requests_total" in service.get("/metrics").body
        service.url = main
        assert service.stop() == 0


def test_a_store_that_cannot_be_written_is_read(tmp_path):
    with served(tmp_path, "--db", "a.db") as service:
        key = service.key
        assert service.stop() == 0
    env = {"VIGENT_TEST_DB": str(tmp_path / "a.db"), "VIGENT_TEST_KEY": key}
    done = subprocess.run(
        [sys.executable, "-m", "tests.service.reading_only"], timeout=120, check=False,
        capture_output=True, text=True, env={**os.environ, **env},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["ready"] == [200, "read_only"]
    assert told["read"] == 200
    assert told["write"] == [503, "store_read_only"]
    assert told["absent"] == 404
    assert told["found"] == [200, 200]
    # What has to be audited and cannot be is refused, and says that this is why.
    said = {(status, code) for status, code, _ in told["audited"]}
    assert (len(told["audited"]), said) == (6, {(503, "store_read_only")})
    why = "this read has to be in the audit trail, which cannot be written now: the store cannot"
    assert all(why in detail for _, _, detail in told["audited"]), told["audited"]


def test_a_request_leaves_no_content_in_the_log(tmp_path):
    with served(tmp_path, "--db", "a.db") as service:
        service.get(f"{STATE}?as_of=2026-06-02")
        service.post("/v1/memory/stores", {"name": "secret-name"})
        service.post("/v1/memory/stores", {"wrong-field": "secret-name"})
        assert service.stop() == 0
        text = service.log.read_text()
        assert [one["status"] for one in service.logged() if one.get("route", "").startswith("/v1")]
    for word in ("mira", "passport", "2026-06-02", "secret-name", "wrong-field", service.key):
        assert word not in text
