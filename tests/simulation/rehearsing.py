"""Workers that read threads and are killed at random, and what must have come of it."""

from __future__ import annotations

import contextlib
import random
import time
from collections import Counter

from tests.service.extracting import drain, reads_what_is_said
from tests.simulation.processes import Child
from vigent.govern.documents import StoreDocument
from vigent.govern.extraction import KeptSwitch
from vigent.govern.registry import Actor
from vigent.service import Service
from vigent.settings import LanguageSettings
from vigent.testing import ModelServer

MODULE = "tests.simulation.reading_worker"

VALUES = ("Ghent", "Lund", "Bonn", "Faro")


def prepared(place, threads: int) -> None:
    """Fill a store with threads, each of a person, and switch extraction on."""
    service = Service.open(place, embedder="none")
    try:
        first = service.first_start()
        assert first is not None
        key = f"key_{first.key.split('_')[2]}"
        kept = KeptSwitch(
            enabled=True, model="small", quiet_minutes=0, threads="with_person", author=key,
            since=0,
        )  # fmt: skip
        row = service.registry.named("default", "store", "default")
        assert row is not None
        service.registry.change(
            Actor("default"), "store", row.id, StoreDocument,
            lambda d: d.model_copy(update={"extraction": kept.model_dump(mode="json")}),
        )  # fmt: skip
        memory = service.base(row)
        for n in range(threads):
            person = f"p{n}"
            thread = memory.threads.create(person)
            said = f"My city is {VALUES[n % 4]}. My team is T{n}."
            memory.threads.append(thread, said, kind="user", person=person)
    finally:
        service.close()


def left(place) -> int:
    service = Service.open(place, embedder="none")
    try:
        with service.storage.snapshot() as snapshot:
            return len(snapshot.resources("default", "window", limit=100_000))
    finally:
        service.close()


def rehearse(place, threads: int, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    prepared(place, threads)
    with ModelServer() as server, contextlib.ExitStack() as stack:
        server.answer(reads_what_is_said)
        workers = [stack.enter_context(Child(MODULE, place, server.url)) for _ in range(2)]
        for one in workers:
            assert one.line() == {"ready": True}
        for _ in range(kills):
            time.sleep(rng.uniform(0.05, 0.6))
            at = rng.randrange(2)
            workers[at].kill()
            workers[at] = stack.enter_context(Child(MODULE, place, server.url))
            assert workers[at].line() == {"ready": True}
        for one in workers:
            one.kill()
        time.sleep(2.1)  # the leases of the last two
        models = LanguageSettings(model=f"{server.url}#small", attempts=1)
        service = Service.open(place, embedder="none", models=models)
        try:
            drain(service)
            assert_once(service, threads)
        finally:
            service.close()
    assert left(place) == 0


def assert_once(service: Service, threads: int) -> None:
    row = service.registry.named("default", "store", "default")
    assert row is not None
    memory = service.base(row)
    for n in range(threads):
        known = Counter(
            (r.attribute, r.value, r.evidence_count) for r in memory.list(person=f"p{n}")
        )
        assert known == {("city", VALUES[n % 4], 1): 1, ("team", f"T{n}", 1): 1}, n
    with service.storage.snapshot() as snapshot:
        run = snapshot.resource("default", "run", row.id)
        assert run is not None
        assert f'"ready": {threads},' in run.document
