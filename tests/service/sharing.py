"""In a process of its own: writes to, reads or locks a file that a service serves meanwhile."""

from __future__ import annotations

import time

from tests.simulation.processes import say
from vigent import Memory

WRITES = 200


def main(role: str, path: str, name: str) -> None:
    with Memory.open(path, embedder="none") as memory:
        say("ready")
        if role == "write":
            done = [
                memory.write(subject=f"s{n % 7}", attribute=f"{name}-{n}", value=n).outcome
                for n in range(WRITES)
            ]
            say(sorted(set(done)))
        elif role == "read":
            until, seen = time.monotonic() + float(name), 0
            while time.monotonic() < until:
                seen = max(seen, len(memory.current("s3")))
                memory.search("s3")
            say(seen)
        else:
            with memory._storage.transaction("default"):
                say("held")
                time.sleep(float(name))
            say("released")
