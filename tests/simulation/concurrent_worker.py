"""In a process of its own: one of several that use one file at once."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable

from tests.simulation.processes import say
from vigent import Memory, VigentError


def main(role: str, path: str, *arguments: str) -> None:
    with Memory.open(path) as memory:
        memory.current("nobody", "nothing")
        say({"ready": True})
        sys.stdin.readline()
        ROLES[role](memory, *arguments)


def write(memory: Memory, number: str, count: str) -> None:
    """Write new keys and, one in four, a key that all write."""
    waits: list[float] = []
    ids: list[str] = []
    errors: list[str] = []
    for i in range(int(count)):
        subject = f"shared {i % 3}" if i % 4 == 0 else f"subject {number} {i}"
        start = time.perf_counter()
        try:
            result = memory.write(subject=subject, attribute="seat", value=f"{number}-{i}")
            assert result.memory is not None
            ids.append(result.memory.memory_id)
        except VigentError as error:
            errors.append(f"{error.code}: {error}")
        waits.append(time.perf_counter() - start)
    say({"ids": ids, "errors": errors, "longest": max(waits), "waits": waits})


def seats(memory: Memory, *values: str) -> None:
    """Write values of one key, a thread each."""
    _at_once([_seat(memory, value) for value in values])


def _seat(memory: Memory, value: str) -> Callable[[], object]:
    def one() -> object:
        result = memory.write(subject="ira", attribute="seat", value=value)
        assert result.memory is not None
        return result.outcome, result.memory.memory_id

    return one


def expecting(memory: Memory, expected: str, *values: str) -> None:
    """Write values, each expecting the same memory in force."""

    def one(value: str) -> Callable[[], object]:
        return lambda: (
            memory.write(subject="ira", attribute="seat", value=value, expect=expected).outcome
        )

    _at_once([one(value) for value in values])


def _at_once(calls: list[Callable[[], object]]) -> None:
    answers: list[object] = []

    def run(call: Callable[[], object]) -> None:
        try:
            answers.append(call())
        except VigentError as error:
            answers.append(error.code)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    say(answers)


def read(memory: Memory) -> None:
    """Read until told to stop; what is read was never half written."""
    stop = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.readline(), stop.set()), daemon=True).start()
    reads = 0
    while not stop.is_set():
        state = memory.current(f"shared {reads % 3}")
        for record in state.values():
            assert record.value
        lines = [
            (r.valid_from, r.valid_to)
            for r in memory.history(f"shared {reads % 3}", "seat")
            if r.recorded_to is None
        ]
        assert all(a[1] == b[0] for a, b in itertools.pairwise(lines))
        reads += 1
    say({"reads": reads})


def hold(memory: Memory, seconds: str) -> None:
    """Hold the write lock for a while."""
    with memory._storage.transaction("default"):
        say({"holding": True})
        time.sleep(float(seconds))
    say({"released": True})


def snapshot(memory: Memory) -> None:
    """Hold a view of the file until told to let go."""
    with memory._storage.snapshot() as view:
        assert view.ledger("default").salt
        say({"holding": True})
        sys.stdin.readline()
    say({"released": True})


ROLES = {"write": write, "seats": seats, "expecting": expecting, "read": read, "hold": hold,
         "snapshot": snapshot}  # fmt: skip
