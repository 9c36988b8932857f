"""Writers with the audit trail and without: the same engine, whose entries go nowhere.

Nothing that is shipped can be opened without a trail. Here the entry of a write is not made, and
none comes to the database; all else is the very same code.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from typing import Any

from bench.figures import Figure, at_least, only
from vigent.domain.changes import ChangeSet
from vigent.domain.injection import InjectionBlock, StoreSettings
from vigent.domain.schema import Schema
from vigent.memory import Memory
from vigent.settings import UpkeepSettings
from vigent.storage.postgres.adapter import PostgresStorage
from vigent.storage.postgres.writing import PgTransaction
from vigent.system import RandomIds, SystemClock
from vigent.write.context import Context

__all__ = ["measure_trail"]

_ROUNDS = 4
"""How many times each side is the first of a pair, and as often the second."""


class _Silent(Context):
    """Makes no entry of what happened."""

    def audit(self, **_: Any) -> Any:
        """Give nothing, which the transaction leaves out."""
        return None


class _Untrailed(PostgresStorage):
    """Keeps everything but the entries of the audit trail."""

    @contextmanager
    def transaction(
        self, tenant: str, *, wait: bool = True, beside: bool = False
    ) -> Generator[PgTransaction]:
        """Open a transaction that is given change sets without entries."""
        with super().transaction(tenant, wait=wait, beside=beside) as transaction:
            whole = transaction.apply

            def apply(changes: ChangeSet) -> None:
                changes.audit.clear()
                whole(changes)

            transaction.apply = apply
            yield transaction


def _opened(url: str, tenant: str, *, trail: bool) -> Memory:
    """Open a store by one URL, as it is shipped or without its audit trail."""
    clock, schema = SystemClock(), Schema()
    kind = Context if trail else _Silent
    return Memory(
        PostgresStorage(url) if trail else _Untrailed(url),
        tenant=tenant, store="default", person=None, schema=schema, clock=clock, checks=(),
        embedder=None, injection=InjectionBlock(), settings=StoreSettings(),
        release=lambda: None, context=kind(tenant, "default", schema, clock, RandomIds()),
    )  # fmt: skip


def measure_trail(url: str, tenant: str, clients: int, each: int) -> list[Figure]:
    """Compare many writers of one tenant with the same without an audit trail.

    With the trail its entries are also sealed meanwhile, as often as a service does. The sides go
    in turns A B B A, on the same tables.
    """
    print(f"{clients} clients write in one tenant, with the audit trail and without")
    rates: dict[str, list[float]] = {"with": [], "without": []}
    with (
        closing(_opened(url, tenant, trail=True)) as with_trail,
        closing(_opened(url, tenant, trail=False)) as without,
    ):
        memories = {"with": with_trail, "without": without}
        for side, memory in memories.items():  # connections, statements, the first counts
            _rate(memory, clients, max(1, each // 4), f"warm {side}")
        for turn in range(2 * _ROUNDS):
            for side in list(rates) if turn % 2 == 0 else reversed(rates):
                with _sealing(memories[side], on=side == "with") as sealed:
                    rates[side].append(_rate(memories[side], clients, each, f"{side} {turn}"))
                assert bool(sealed) == (side == "with")
        kept = with_trail._storage.audit(tenant)  # noqa: SLF001 - what was counted is what it says
        assert not kept.broken
        assert kept.sealed == clients * (max(1, each // 4) + 2 * _ROUNDS * each)
    pairs = [a / b for a, b in zip(rates["with"], rates["without"], strict=True)]
    medians = {side: statistics.median(found) for side, found in rates.items()}
    return [
        at_least(
            f"{clients} clients: rate / rate without audit", statistics.median(pairs), 0.8,
            of_medians=round(medians["with"] / medians["without"], 3),
            pairs=[round(one, 3) for one in pairs],
        ),
        *(only(f"{clients} clients: writes/s {side} audit", one) for side, one in medians.items()),
    ]  # fmt: skip


@contextmanager
def _sealing(memory: Memory, *, on: bool) -> Generator[list[int]]:
    """Chain the entries beside the writers, as a service does; gives how many each time."""
    storage, clock = memory._storage, SystemClock()  # noqa: SLF001 - what a service has of its own
    ended, sealed = threading.Event(), list[int]()

    def seal() -> None:
        while not ended.wait(UpkeepSettings().seal_seconds / 2):
            sealed.append(storage.seal(clock.now()))

    thread = threading.Thread(target=seal)
    if on:
        thread.start()
    try:
        yield sealed
    finally:
        ended.set()
        if on:
            thread.join()
            sealed.append(storage.seal(clock.now()))


def _rate(memory: Memory, clients: int, each: int, name: str) -> float:
    gate = threading.Barrier(clients + 1)
    failed: list[BaseException] = []

    def one(client: int) -> None:
        gate.wait()
        try:
            for number in range(each):
                memory.write(
                    subject=f"{name} {client} {number}", attribute="city", value="Rome",
                    person=f"p{client}",
                )  # fmt: skip
        except Exception as error:  # noqa: BLE001 - told below, in the thread that measures
            failed.append(error)

    threads = [threading.Thread(target=one, args=(client,)) for client in range(clients)]
    for thread in threads:
        thread.start()
    gate.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return clients * each / (time.perf_counter() - start)
