"""A load generator in its own process: ``python -m bench.load``, told by JSON on its input.

It keeps so many connections busy for so long, one request after another on each, and prints how
many answers came, how long they took, and which status they had.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from itertools import count
from typing import Any


async def _connection(told: dict[str, Any], numbers: count[int], until: float,
                      times: list[float], statuses: Counter[int]) -> None:  # fmt: skip
    reader, writer = await asyncio.open_connection(told["host"], told["port"])
    requests = [request.encode("latin-1") for request in told["requests"]]
    try:
        while time.perf_counter() < until:
            raw = requests[next(numbers) % len(requests)]
            begin = time.perf_counter()
            writer.write(raw)
            head = await reader.readuntil(b"\r\n\r\n")
            lower = head.lower()
            length = int(lower.split(b"content-length:")[1].split(b"\r\n")[0])
            if length:
                await reader.readexactly(length)
            times.append(time.perf_counter() - begin)
            statuses[int(head[9:12])] += 1
    finally:
        writer.close()


async def _run(told: dict[str, Any]) -> dict[str, Any]:
    times: list[float] = []
    statuses: Counter[int] = Counter()
    numbers, begin = count(), time.perf_counter()
    until = begin + told["seconds"]
    async with asyncio.TaskGroup() as group:
        for _ in range(told["connections"]):
            group.create_task(_connection(told, numbers, until, times, statuses))
    took = time.perf_counter() - begin
    times.sort()
    return {
        "rate": len(times) / took, "p50_ms": 1e3 * times[len(times) // 2],
        "p95_ms": 1e3 * times[int(len(times) * 0.95)],
        "statuses": {str(status): n for status, n in statuses.items()},
    }  # fmt: skip


def main() -> None:
    """Load a server as told."""
    print(json.dumps(asyncio.run(_run(json.load(sys.stdin)))))


if __name__ == "__main__":
    main()
