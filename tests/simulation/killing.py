"""A worker that moves a store and is killed on the way."""

from __future__ import annotations

import time

from tests.moved import store_at
from tests.simulation.processes import Child

WORKER = "tests.simulation.moving_worker"


def killed_after(seconds: float, *arguments: object) -> float:
    """Let a worker go and kill it after a time; gives how long it took if it was done before."""
    with Child(WORKER, *arguments) as child:
        child.line()
        child.tell()
        begun = time.monotonic()
        if seconds:
            time.sleep(seconds)
            child.kill()
            return seconds
        list(child.rest())
        assert child.wait() == 0
        return time.monotonic() - begun


def tenants_of(path) -> list[str]:
    with store_at(path) as storage, storage.snapshot() as snapshot:
        return snapshot.tenants()
