"""Killed under load and started again: what was acknowledged is there, and is answered again."""

from __future__ import annotations

import http.client
import json
import signal
import threading
import urllib.error
import urllib.request
from typing import Any

from tests.service.serving import Served, served
from vigent.service import Service

ROUNDS = 3
WRITERS = 4
Done = dict[str, tuple[str, Any, Any]]
"""By its idempotency key: the path, the body and the answer of an acknowledged write."""


def send(service: Served, path: str, body: Any, name: str) -> tuple[int, Any]:
    request = urllib.request.Request(f"{service.url}/v1{path}", json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    request.add_header("Authorization", f"Bearer {service.key}")
    request.add_header("Idempotency-Key", name)
    request.add_header("X-Vigent-Subject", "p1")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.status, json.loads(answer.read())


def write_on(service: Served, done: Done, begun: set[str], mark: str) -> None:
    """Write, of each kind in turn, until the service is gone; keep what was acknowledged."""
    number = 0
    while True:
        name, at = f"{mark}-{number}", {"index_id": "default"}
        path, body = (
            ("/memory", {**at, "subject": f"s{mark}", "attribute": "city", "value": name}),
            ("/memory", {**at, "text": f"said {name}"}),
            ("/memory/batch", {**at, "items": [
                {"subject": f"b{name}-{n}", "attribute": "city", "value": name}
                for n in range(3)]}),
            ("/threads/talk/items", {"role": "user", "content": name}),
            ("/episodes", {**at, "content": name}),
        )[number % 5]  # fmt: skip
        begun.add(name)
        try:
            status, answer = send(service, path, body, name)
        except (OSError, urllib.error.URLError, http.client.HTTPException, ValueError):
            return
        assert status in {200, 201}
        done[name] = (path, body, answer)
        number += 1


def killed_under_load(service: Served, done: Done, begun: set[str], round_: int) -> None:
    before = len(done)
    writers = [
        threading.Thread(target=write_on, args=(service, done, begun, f"{round_}-{n}"))
        for n in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    enough = threading.Event()
    for _ in range(600):
        if len(done) - before >= 60:
            break
        enough.wait(0.05)
    assert service.stop(signal.SIGKILL) == -signal.SIGKILL
    for writer in writers:
        writer.join(60)


def told_of(answer: Any) -> Any:
    """Give what an answer says for good: records are shown as they stand when they are shown."""
    if isinstance(answer, list):
        return [told_of(one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    if "memory_id" in answer:
        return [answer[name] for name in ("memory_id", "subject", "value", "text", "created_at")]
    return {name: told_of(one) for name, one in answer.items()}


def ids_in(answer: Any) -> set[str]:
    """Give the ids of all that an answer says was stored."""
    if isinstance(answer, list):
        return set().union(*(ids_in(one) for one in answer))
    if not isinstance(answer, dict):
        return set()
    own = {answer[n] for n in ("memory_id", "episode_id") if answer.get(n) is not None}
    return own.union(*(ids_in(one) for one in answer.values()))


def test_what_was_acknowledged_survives_kills_and_is_answered_again(tmp_path):
    done: Done = {}
    begun: set[str] = set()
    key = None
    for round_ in range(ROUNDS):
        with served(tmp_path, "--db", "a.db") as service:
            service.key = key = service.key or key
            if round_ == 0:
                send(service, "/threads", {"index_id": "default", "id": "talk"}, "talk")
            for name, (path, body, answer) in done.items():
                assert told_of(send(service, path, body, name)[1]) == told_of(answer), name
            killed_under_load(service, done, begun, round_)
    assert len(done) >= 60 * ROUNDS
    with served(tmp_path, "--db", "a.db") as service:
        service.key = key
        for name, (path, body, answer) in done.items():
            assert told_of(send(service, path, body, name)[1]) == told_of(answer), name
        assert service.stop() == 0
    examine(tmp_path / "a.db", done, begun)


def examine(path: Any, done: Done, begun: set[str]) -> None:
    """Each acknowledged write stands once in the store, nothing else does, and all is sound."""
    kept = Service.open(path, embedder="none")
    try:
        memory = kept.base(kept.registry.named("default", "store", "default"))
        assert memory.check().problems == ()
        assert kept.storage.check() == []
        with kept.storage.snapshot() as snapshot:
            wanted = set().union(*(ids_in(answer) for _, _, answer in done.values()))
            statements = {s.id for _, s in snapshot.statements("default", ids=sorted(wanted))}
            episodes = {e.id for e in snapshot.episodes("default", ids=sorted(wanted))}
            assert wanted <= statements | episodes
        items = [item.content for item in memory.threads.items("talk", person="p1")]
        assert len(items) == len(set(items))
        assert set(items) <= begun
    finally:
        kept.close()
