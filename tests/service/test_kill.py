"""Killed under load and started again: what was acknowledged is there, and is answered again."""

from __future__ import annotations

from typing import Any

from tests.service.killing import Done, killed_under_load, send, told_of
from tests.service.serving import served
from vigent.service import Service

ROUNDS = 3


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
