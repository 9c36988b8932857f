"""In a process of its own: writes until it is killed, and says what was acknowledged.

It says when it stands inside a transaction, with rows written and nothing committed.
"""

from __future__ import annotations

import random
import sys
import time
from typing import Any

from tests.simulation.processes import say
from vigent import Memory


def main(path: str, seed: str, inside: str) -> None:
    rng = random.Random(int(seed))
    memory = Memory.open(path, person="p1")
    connection = memory._storage._connections.get()
    stop_at = rng.randrange(3, 40)
    count = 0

    def before_commit() -> bool:
        nonlocal count
        count += 1
        if inside == "inside" and count == stop_at:
            say({"inside": True})
            time.sleep(60)
        return False

    connection.set_commit_hook(before_commit)
    say({"ready": True})
    sys.stdin.readline()
    for number in range(10_000):
        say({"acknowledged": _one(memory, rng, f"{seed}-{number}")})


def _one(memory: Memory, rng: random.Random, mark: str) -> list[str]:
    """Write something of a random kind; give the values that must be there afterwards."""
    subject = f"subject {rng.randrange(4)}"
    kind = rng.randrange(4)
    if kind == 0:
        items: list[dict[str, Any]] = [
            {"subject": subject, "attribute": f"a{i}", "value": f"{mark}.{i}"} for i in range(5)
        ]
        memory.write_many(items, atomic=True)
        return [f"{mark}.{i}" for i in range(5)]
    if kind == 1:
        memory.capture(f"said {mark}")
        memory.write(text=f"note {mark}", type="fact")
        return [f"note {mark}"]
    mode = "correction" if kind == 2 else "change"
    memory.write(subject=subject, attribute="city", value=mark, mode=mode)
    return [mark]
