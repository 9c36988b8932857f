"""C54, C56, C75, C76 with real processes: killed, sharing a file, on a full disk, with a secret."""

from __future__ import annotations

import json
import resource
import signal
import threading
import time

import anyio
import pytest

from tests.integration.agents import over_stdio
from tests.integration.command_line import spawn
from tests.service.serving import served
from tests.service.sharing import WRITES
from tests.simulation.processes import Child
from vigent import Client, Memory
from vigent.testing import EmbeddingServer

SHARING = "tests.service.sharing"


def fact(attribute: str, value: object) -> dict[str, object]:
    return {"index_id": "default", "subject": "kit", "attribute": attribute, "value": value}


# ---------------------------------------------------------------------------------------- C54


def test_c54_after_a_kill_the_same_requests_do_nothing_twice(tmp_path):
    answered: dict[str, str] = {}
    tried: list[str] = []

    def write(service, number: int) -> None:
        for n in range(10_000):
            name = f"a{number}-{n}"
            tried.append(name)
            try:
                got = keyed(service, name)
            except OSError:
                return
            answered[name] = got["memory"]["memory_id"]

    def keyed(service, name: str):
        with Client(service.url, key, retries=0, timeout=30) as client:
            try:
                done = client.write(
                    subject="kit", attribute=name, value=name, idempotency_key=f"k-{name}"
                )
            except Exception as error:
                raise OSError from error
        return done.to_dict()

    with served(tmp_path, "--db", "a.db") as service:
        key = service.key
        writers = [threading.Thread(target=write, args=(service, n)) for n in range(4)]
        for writer in writers:
            writer.start()
        until = time.monotonic() + 60
        while len(answered) < 40 and time.monotonic() < until:
            time.sleep(0.01)
        service.stop(signal.SIGKILL)
        for writer in writers:
            writer.join(60)
    with served(tmp_path, "--db", "a.db") as service:
        again = {name: keyed(service, name) for name in tried}
        service.stop()
    assert {name: again[name]["memory"]["memory_id"] for name in answered} == answered
    assert {one["outcome"] for one in again.values()} == {"stored"}
    with Memory.open(tmp_path / "a.db") as memory:
        for name in tried:
            (only,) = memory.history("kit", name)
            assert only.evidence_count == 1
        assert memory.check().problems == ()


# ---------------------------------------------------------------------------------------- C56


def test_c56_processes_of_every_kind_share_one_file(tmp_path):
    path = tmp_path / "a.db"
    with served(tmp_path, "--db", "a.db") as service:
        with (
            Child(SHARING, "write", path, "p0") as one, Child(SHARING, "write", path, "p1") as two,
            Child(SHARING, "read", path, "4") as reader,
            Child(SHARING, "hold", path, "2") as holder,
        ):  # fmt: skip
            for child in (one, two, reader, holder):
                assert child.line() == "ready"
            statuses = [
                service.post("/v1/memory", fact(f"rest-{n}", n)).status for n in range(WRITES)
            ]
            told = spawn("write", "kit", "cli", "yes", "--db", str(path), "--json")

            async def ask() -> str:
                async with over_stdio("--db", str(path)) as agent:
                    return str((await agent.client.list_tools()).tools)

            assert "memory" in anyio.run(ask)
            assert (holder.line(), holder.line()) == ("held", "released")
            assert [one.line(), two.line()] == [["stored"], ["stored"]]
            assert reader.line() > 0
        assert set(statuses) == {201}
        assert (told.code, told.json["outcome"]) == (0, "stored")
        assert service.get("/health/ready").body["status"] == "ok"
        service.stop()
    with Memory.open(path) as memory:
        assert len(list(memory.list())) == 3 * WRITES + 1
        assert memory.check().problems == ()


def test_c56_a_lock_held_by_another_process_is_503_with_retry_after(tmp_path):
    path = tmp_path / "a.db"
    env = {"VIGENT_STORE_BUSY_SECONDS": "0.5"}
    with served(tmp_path, "--db", "a.db", env=env) as service:
        with Child(SHARING, "hold", path, "4") as holder:
            assert (holder.line(), holder.line()) == ("ready", "held")
            began = time.monotonic()
            got = service.post("/v1/memory", fact("pet", "newt"))
            assert time.monotonic() - began < 3
            assert (got.status, got.body["code"]) == (503, "store_busy")
            assert int(got.headers["Retry-After"]) >= 1
            seen = service.get("/v1/stores/default/state/kit/pet")
            assert (seen.status, seen.body["memory"]) == (200, None)
            assert service.get("/health/ready").body["status"] == "busy"
            assert holder.line() == "released"
        assert service.post("/v1/memory", fact("pet", "newt")).status == 201
        service.stop()


# ---------------------------------------------------------------------------------------- C75


def test_c75_a_full_disk_over_http_is_told_and_left_without_a_restart(tmp_path):
    """The limit on the size of files stands for the end of the disk: the system says no there."""
    with served(tmp_path, "--db", "a.db") as service:
        pid = service.process.pid
        assert service.post("/v1/memory", fact("pet", "newt")).status == 201
        before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (4_000_000, before[1]))
        stored, refused = {"pet"}, []
        for n in range(500):
            got = service.post("/v1/memory", fact(f"a{n}", "x" * 4_000))
            if got.status == 201:
                stored.add(f"a{n}")
            else:
                refused.append((got.status, got.body["code"]))
        assert {status for status, _ in refused} == {503}, set(refused)
        assert 20 < len(stored) < 490
        read = service.get("/v1/stores/default/state/kit/pet")
        assert (read.status, read.body["memory"]["value"]) == (200, "newt")
        found = service.post("/v1/memory/search", {"index_id": "default", "query": "pet of kit"})
        assert [h["record"]["value"] for h in found.body["hits"]][:1] == ["newt"]
        assert service.get("/health/ready").body["status"] in {"read_only", "degraded"}
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
        assert service.post("/v1/memory", fact("after", "goes on")).status == 201
        service.stop()
    with Memory.open(tmp_path / "a.db") as memory:
        assert set(memory.current("kit")) == {*stored, "after"}
        assert memory.check().problems == ()


# ---------------------------------------------------------------------------------------- C76

TELLING = (
    "/health/ready", "/metrics", "/openapi.json", "/v1/audit?limit=200", "/v1/usage",
    "/v1/tenants/default/keys", "/v1/memory/stores/default", "/v1/version",
)  # fmt: skip
PROVIDER, MODEL_HOST = "sk-test-AAAA1111BBBB2222", "u:hunter2secret@"


def test_c76_a_provider_that_repeats_the_key_is_told_without_it(tmp_path):
    with EmbeddingServer() as embeddings:
        said = f"Invalid key {PROVIDER} at https://{MODEL_HOST}host/?key={PROVIDER}"
        embeddings.fail(401, body=said, times=10_000)
        env = {
            "VIGENT_EMBEDDER": f"{embeddings.url}#stub", "VIGENT_EMBEDDER_KEY": PROVIDER,
            "VIGENT_LOGS_LEVEL": "debug",
        }  # fmt: skip
        with served(tmp_path, "--db", "a.db", env=env) as service:
            key, told = service.key, []
            for method, path, body in (
                ("POST", "/v1/memory", fact("pet", "newt")),
                ("POST", "/v1/episodes", {"index_id": "default", "content": "a newt"}),
                ("POST", "/v1/memory/search",
                 {"index_id": "default", "query": "newt", "explain": True, "expand": "always"}),
            ):  # fmt: skip
                got = service.send(method, path, json.dumps(body).encode(), key=key)
                assert got.status in {200, 201}, got
                told.append(json.dumps(got.body))
            until = time.monotonic() + 30
            while service.get("/health/ready").body["status"] == "ok" and time.monotonic() < until:
                time.sleep(0.05)
            assert service.get("/health/ready").body["status"] == "degraded"
            told += [str(service.get(path).body) for path in TELLING]
            for words in (("config", "--json"), ("config",)):
                ran = spawn(*words, **env)
                told += [ran.out, ran.err]
            for words in (("search", "newt"), ("reindex",), ("write", "kit", "b", "x")):
                ran = spawn(*words, "--db", str(tmp_path / "a.db"), "--json", **env)
                told += [ran.out, ran.err]
            service.stop()
            told.append(service.log.read_text())
    text = "\n".join(told)
    secret = key.rsplit("_", 1)[-1]
    for part in (PROVIDER, PROVIDER[8:], "AAAA1111", "hunter2secret", secret, secret[8:24]):
        assert part not in text, [one[:400] for one in told if part in one]
    raw = b"".join(file.read_bytes() for file in tmp_path.glob("a.db*"))
    assert secret.encode() not in raw
    assert PROVIDER.encode() not in raw


@pytest.mark.parametrize("words", [("context", "who"), ("current", "kit", "pet")])
def test_c46_what_expired_is_out_of_the_command_line_too(tmp_path, words):
    from vigent.testing import FakeClock  # noqa: PLC0415 - for this test alone

    path = tmp_path / "a.db"
    with Memory.open(path, clock=FakeClock("2025-01-01T00:00:00Z")) as memory:
        memory.write(subject="kit", attribute="pet", value="moonlit", ttl_days=1)
    ran = spawn(*words, "--db", str(path), "--json")
    assert ran.code in {0, 1}
    assert "moonlit" not in ran.out
    assert spawn("list", "--include", "history", "--db", str(path), "--json").json == []
    swept = [spawn("sweep", "--db", str(path), "--json").json["forgotten"] for _ in range(2)]
    assert swept == [1, 0]
    assert "moonlit" not in spawn("audit", "list", "--db", str(path), "--json").out
