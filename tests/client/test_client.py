"""The client: what it sends again and what not, which errors it raises, and what it shows."""

from __future__ import annotations

import inspect
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anyio
import pytest

import vigent
from tests.serving import Served
from vigent import AsyncClient, Client, Memory, MemoryDelta
from vigent.client.wire import path_of
from vigent.errors import (
    ConflictError,
    Forbidden,
    InvalidInput,
    NotFound,
    RateLimited,
    ServiceUnreachable,
    StoreBusy,
    TenantMismatch,
    Unauthorized,
    UnavailableError,
)
from vigent.testing import FakeClock

KEY = "vgt_default_key_1234567890_secretsecret"
STORED = {"outcome": "noop", "memory": None, "ended": [], "reason": None}


class Scripted:
    """A service that answers what it is told, one request after another."""

    def __init__(self) -> None:
        self.answers: list = []
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                script.seen.append((self.command, self.path, headers, body))
                told = script.answers.pop(0) if script.answers else (200, STORED, {})
                if told == "cut":
                    self.close_connection = True
                    self.connection.close()
                    return
                status, content, more = told
                data = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(data)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def __getattr__(self, name: str):
                if name.startswith("do_"):
                    return self.answer
                raise AttributeError(name)

            def log_message(self, *_) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def service():
    made = Scripted()
    yield made
    made.close()


@pytest.fixture
def client(service):
    with Client(service.url, KEY, timeout=5, retries=2) as made:
        yield made


def problem(status: int, code: str, detail: str = "no", **more):
    headers = more.pop("headers", {})
    return status, {"code": code, "detail": detail, "status": status, **more}, headers


def write(client):
    return client.write(subject="mira", attribute="city", value="Porto")


# ----------------------------------------------------------------------------------- again


@pytest.mark.parametrize(
    "first", ["cut", problem(503, "store_busy"), problem(429, "rate_limited"), (502, b"<html>", {})]
)
def test_a_post_is_sent_again_under_the_same_key(service, client, first):
    service.answers = [first, (201, STORED, {})]
    assert write(client).outcome == "noop"
    keys = [headers["idempotency-key"] for _, _, headers, _ in service.seen]
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert service.seen[0][3] == service.seen[1][3]


def test_two_verbs_have_two_keys_and_a_given_key_is_used(service, client):
    write(client)
    write(client)
    client.write(subject="mira", attribute="city", value="Porto", idempotency_key="mine")
    keys = [headers["idempotency-key"] for _, _, headers, _ in service.seen]
    assert len(set(keys)) == 3
    assert keys[2] == "mine"


@pytest.mark.parametrize(
    "verb",
    [
        lambda c: c.update("mem_1", importance=3),
        lambda c: c.forget("mem_1"),
        lambda c: c.threads.set_state("t", {}),
        lambda c: c.blocks.replace("persona", "a", "b"),
    ],
)
def test_what_bears_no_key_is_not_sent_again_when_it_may_have_been_done(service, client, verb):
    service.answers = ["cut"]
    with pytest.raises(ServiceUnreachable):
        verb(client)
    assert len(service.seen) == 1


def test_it_is_sent_again_where_the_service_says_that_it_did_nothing(service, client):
    service.answers = [
        problem(503, "store_busy"), (200, {"memory_id": "mem_1", "forgotten": True}, {})
    ]  # fmt: skip
    assert client.forget("mem_1").forgotten
    assert len(service.seen) == 2


def test_after_the_last_try_the_error_is_raised(service, client):
    service.answers = [problem(503, "store_busy", "the lock was not to be had")] * 3
    with pytest.raises(StoreBusy, match="the lock was not to be had"):
        write(client)
    assert len(service.seen) == 3


def test_no_longer_pause_is_made_than_the_deadline_allows(service):
    service.answers = [problem(429, "rate_limited", headers={"Retry-After": "20"})]
    with Client(service.url, KEY, timeout=2, deadline=3) as client:
        with pytest.raises(RateLimited) as caught:
            write(client)
        assert caught.value.retry_after == 20
    assert len(service.seen) == 1


def test_the_pause_that_is_asked_for_is_made(service, client):
    service.answers = [problem(429, "rate_limited", headers={"Retry-After": "1"})]
    started = anyio.run(_now)
    write(client)
    assert anyio.run(_now) - started >= 1


async def _now() -> float:
    import time  # noqa: PLC0415

    return time.monotonic()


def test_nobody_there_is_unreachable():
    with Client("http://127.0.0.1:9", KEY, retries=0) as client:
        with pytest.raises(ServiceUnreachable) as caught:
            client.current("mira", "city")
        assert isinstance(caught.value, UnavailableError)
        assert caught.value.__cause__ is None


def test_a_closed_client_says_so(service):
    client = Client(service.url, KEY)
    client.close()
    with pytest.raises(UnavailableError, match="closed"):
        client.get("mem_1")


# ---------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("told", "kind", "field"),
    [
        (problem(404, "not_found", "memory_id: none", field="memory_id"), NotFound, "memory_id"),
        (problem(403, "forbidden"), Forbidden, None),
        (problem(401, "unauthorized"), Unauthorized, None),
        (problem(422, "invalid_input", "value: bad", field="value"), InvalidInput, "value"),
        (problem(409, "eclipse"), ConflictError, None),
        (problem(418, "teapot"), vigent.errors.CallerError, None),
        ((404, b"<html>", {}), NotFound, None),
        ((500, b"", {}), vigent.errors.InternalError, None),
    ],
)
def test_a_problem_is_the_error_of_its_code(service, client, told, kind, field):
    service.answers = [told]
    with pytest.raises(kind) as caught:
        client.get("mem_1")
    assert caught.value.field == field
    if isinstance(told[1], dict):
        assert (caught.value.code, caught.value.message) == (told[1]["code"], told[1]["detail"])


def test_an_answer_that_is_no_json_is_none(service, client):
    service.answers = [(200, b"<html>hello", {})]
    with pytest.raises(ServiceUnreachable):
        client.get("mem_1")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://x",
        "http://",
        "http://u:secret@x",
        "http://x?key=secret",
        "http://x y",
        7,
        "//x",
        "http://x/v1",
        "http://x/v1/",
    ],
)
def test_an_unfit_url_is_refused_and_not_repeated(url):
    with pytest.raises(InvalidInput) as caught:
        Client(url, KEY)
    assert caught.value.field == "base_url"
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "options", [{"timeout": 0}, {"retries": -1}, {"retries": 1.5}, {"deadline": "x"}, {"store": ""}]
)
def test_unfit_options_are_refused(options):
    with pytest.raises(InvalidInput) as caught:
        Client("http://x", KEY, **options)
    assert caught.value.field == next(iter(options))


@pytest.mark.parametrize("key", ["", "with space", "with\nline", "é", None])
def test_an_unfit_key_is_refused_and_not_repeated(key):
    with pytest.raises(InvalidInput) as caught:
        Client("http://x", key)
    assert caught.value.field == "key"
    assert not key or key not in str(caught.value)


def test_keys_are_shown_nowhere(service, caplog):
    token = "tok.en.tokentokentoken"
    caplog.set_level(0)
    with Client(service.url, KEY, subject_token=token, retries=0) as client:
        service.answers = ["cut", problem(422, "invalid_input", f"bad {KEY}")]
        shown = [repr(client), repr(client.threads), repr(vars(type(client)))]
        with pytest.raises(ServiceUnreachable) as caught:
            client.get("mem_1")
        shown += [str(caught.value), repr(caught.value), repr(caught.value.__context__)]
    assert service.seen[0][2]["authorization"] == f"Bearer {KEY}"
    assert service.seen[0][2]["x-vigent-subject-token"] == token
    assert not [text for text in (*shown, caplog.text) if KEY in text or token in text]


# ------------------------------------------------------------------------------------ wire


def test_any_character_stands_for_itself_in_a_path():
    assert path_of("a/b", "..", "é?#%", "x y") == "a%2Fb/%2E%2E/%C3%A9%3F%23%25/x%20y"


def test_the_person_is_named_in_utf8(service, client):
    service.answers = [(200, {"memory": None, "memories": []}, {})]
    client.current("mira", "x", person="Zażółć")
    assert service.seen[0][2]["x-vigent-subject"].encode("latin-1").decode() == "Zażółć"


def signature(verb) -> dict[str, tuple]:
    found = inspect.signature(verb).parameters
    return {name: (p.kind, p.default) for name, p in found.items()}


VERBS = """
capture write write_many propose retract current history provenance visibility diff search context
list get update forget erase_person
"""


@pytest.mark.parametrize("name", VERBS.split())
def test_a_verb_has_the_arguments_of_memory(name):
    assert signature(getattr(Client, name)) == signature(getattr(Memory, name))
    assert signature(getattr(AsyncClient, name)) == signature(getattr(Memory, name))


def test_the_verbs_of_its_parts_have_the_arguments_of_memory():
    with Memory.open(":memory:") as memory, Client("http://x", KEY) as client:
        for part in ("threads", "blocks", "alias", "review", "candidates", "persons"):
            ours, theirs = type(getattr(client, part)), type(getattr(memory, part))
            verbs = [n for n, v in vars(theirs).items() if callable(v) and not n.startswith("_")]
            verbs += ["__call__"] if "__call__" in vars(theirs) else []
            verbs = [n for n in verbs if (part, n) != ("candidates", "learn")]  # what a worker does
            assert verbs
            for name in verbs:
                assert signature(getattr(ours, name)) == signature(getattr(theirs, name)), name


# --------------------------------------------------------------------- with a real service


@pytest.fixture
def served(tmp_path):
    with Served.open(tmp_path / "s.db", clock=FakeClock("2026-06-01T00:00:00Z")) as made:
        yield made


def test_a_write_that_is_sent_twice_is_done_once(served):
    for _ in range(2):
        done = served.write(subject="m", attribute="a", value=1, idempotency_key="k1")
        assert done.outcome == "stored"
    with pytest.raises(vigent.errors.IdempotencyMismatch):
        served.write(subject="m", attribute="a", value=2, idempotency_key="k1")
    assert len(served.history("m", "a")) == 1


def test_a_candidate_for_another_tenant_is_refused(served):
    delta = vigent.MemoryDelta(
        tenant_id="other", subject="m", attribute="a", value=1, confidence=0.9
    )
    with pytest.raises(TenantMismatch):
        served.propose(delta)


def nominated(memory, count, person):
    """Have something proposed of what a person asked, so that it is refused."""
    for n in range(count):
        said = memory.capture(f"Is it {n}?", person=person)
        delta = MemoryDelta(
            tenant_id="default", subject="mira", attribute="city", value=f"{n}",
            quote=f"Is it {n}?", source_episode_id=said.id, confidence=0.9,
        )  # fmt: skip
        yield memory.candidates.learn(delta, person=person)


def test_candidates_are_those_that_memory_has(served):
    memory = served._base
    made = [*nominated(memory, 3, "mira"), *nominated(memory, 1, "bo"), *nominated(memory, 1, None)]
    for asked in (
        {}, {"person": "mira"}, {"person": "mira", "shared": False}, {"outcome": "rejected"},
        {"outcome": "accepted"}, {"episode_id": made[0].episode_id}, {"limit": 2},
        {"after": sorted(one.candidate_id for one in made)[2]}, {"shared": False},
    ):  # fmt: skip
        assert served.candidates.list(**asked) == memory.candidates.list(**asked), asked
    assert len(served.candidates.list(person="mira", shared=False)) == 3
    one = served.candidates.get(made[0].candidate_id)
    assert one == memory.candidates.get(made[0].candidate_id)
    for asked in ({"person": "bo"}, {"person": "mira", "shared": False}):
        for side in (served, memory):
            id = made[-1 if "shared" in asked else 0].candidate_id
            with pytest.raises(NotFound):
                side.candidates.get(id, **asked)
    assert served.candidates.judge(one.candidate_id).judged == 2
    assert memory.candidates.get(one.candidate_id).judged == 2
    with pytest.raises(InvalidInput, match="outcome"):
        served.candidates.list(outcome="lost")


def test_many_are_decided_and_each_has_its_answer(served):
    held = [
        served.propose(
            MemoryDelta(tenant_id="default", type="preference", text=f"t{n}", confidence=0.9)
        ).memory.memory_id
        for n in range(4)
    ]
    assert [i.reason for i in served.review.list("needs the person's own word")] == [
        "needs the person's own word"
    ] * 4
    assert served.review.list("another reason") == ()
    one, bad, absent, two = served.review.decide([held[0], "", "mem_none", held[1]], "accept")
    assert (one.outcome, two.outcome) == ("stored", "stored")
    assert (type(bad), type(absent)) == (InvalidInput, NotFound)
    turned = served.review.decide([held[2], held[0]], "reject", reason="no")
    assert (turned[0].status, type(turned[1])) == ("rejected", ConflictError)
    assert [i.memory.memory_id for i in served.review.list()] == [held[3]]
    assert served.review.decide([], "accept") == ()


def test_a_list_is_walked_in_pages(served):
    served.write_many({"subject": f"s{n}", "attribute": "a", "value": n} for n in range(450))
    found = list(served.list())
    assert [record.value for record in found] == list(range(450))
    assert len({record.memory_id for record in found}) == 450


def test_several_threads_share_one_client(served):
    def work(n: int) -> None:
        for i in range(5):
            served.write(subject=f"s{n}", attribute="a", value=i)

    workers = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert [served.current(f"s{n}", "a").value for n in range(8)] == [4] * 8


@pytest.mark.parametrize("backend", ["asyncio"])
def test_the_asynchronous_client_answers_alike(served, backend):
    key = served._keyed

    async def talk():
        async with AsyncClient(served._server.url, key, store="default") as client:
            done = await client.write(subject="m", attribute="a", value="x")
            async with anyio.create_task_group() as group:
                for n in range(10):
                    group.start_soon(_note, client, n)
            thread = await client.threads.create("p1")
            await client.threads.append(thread, "hello", role="user")
            items = await client.threads.items(thread)
            listed = [record async for record in client.list()]
            joined = await client.alias("Mirka", of="m")
            with pytest.raises(NotFound):
                await client.get("mem_none")
            return done, items, listed, joined, await client.current("m", "a")

    done, items, listed, joined, now = anyio.run(talk, backend=backend)
    assert done.memory == now == served.current("m", "a")
    assert [item.content for item in items] == ["hello"]
    assert len(listed) == 11
    assert joined.outcome == "joined"
    assert "AsyncClient" in repr(AsyncClient(served._server.url, key))


async def _note(client, n):
    await client.write(subject=f"s{n}", attribute="a", value=n)
