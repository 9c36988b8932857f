"""In a process of its own: opens a store of an older schema, and stops inside if told."""

from __future__ import annotations

import sys
import time

import apsw

from tests.simulation.processes import say
from vigent import Memory


def main(path: str, wait: str) -> None:
    def before_commit() -> bool:
        say({"inside": True})
        time.sleep(60)
        return False

    if wait == "wait":
        apsw.connection_hooks.append(lambda c: c.set_commit_hook(before_commit))
    say({"ready": True})
    sys.stdin.readline()
    with Memory.open(path) as memory:
        found = memory.current("mira", "city")
        say({"city": None if found is None else found.value})
