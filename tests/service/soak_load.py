"""Loads a service from a process of its own: ``python -m tests.service.soak_load``, told by JSON.

Each connection makes one call after another, of all kinds in turn, about a bounded set of
subjects. Once a minute it prints how many calls were answered, and the 95th percentile of how
long they took, for each kind; at the end what failed.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter, defaultdict
from typing import Any

import httpx2

CONNECTIONS = 4
SUBJECTS, PERSONS = 200, 5
LIFE = 2_000
"""How many calls a thread serves; the one before is removed then, so that threads are bounded."""


def say(told: Any) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


class Load:
    """What the connections share."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.url, self.key = told["url"], told["key"]
        self.seconds, self.minute = told["seconds"], told.get("minute", 60.0)
        self.times: dict[str, list[float]] = defaultdict(list)
        self.failed: Counter[str] = Counter()
        self.number = 0

    def call(self, number: int) -> tuple[str, str, str, Any]:
        """Give one call: its kind, method, path and body."""
        at, subject = {"index_id": "default"}, f"subject {number * 7 % SUBJECTS}"
        query = {**at, "query": f"which town has {subject}"}
        path = f"/v1/stores/default/state/{subject.replace(' ', '%20')}/city"
        # Mostly what is there is said again: a store that is written anew all the time grows, and
        # what is kept ready of it with it. Each fiftieth says another town.
        told = number * 7 % SUBJECTS + number % PERSONS
        value = f"Town {told % 3 if number % 50 else number % 7}"
        write = {**at, "subject": subject, "attribute": "city", "value": value}
        item = {"role": "user", "content": f"I am in {value} today"}
        thread = f"talk {number // LIFE}"
        return (
            ("state", "GET", path, None),
            ("search", "POST", "/v1/memory/search", query),
            ("state", "GET", path, None),
            ("write", "POST", "/v1/memory", write),
            ("state", "GET", path, None),
            ("context", "POST", "/v1/context", query),
            ("state", "GET", path, None),
            ("item", "POST", f"/v1/threads/{thread}/items", item),
            ("list", "GET", f"/v1/memory?index_id=default&subject={subject}", None),
            ("items", "GET", f"/v1/threads/{thread}/items?limit=20", None),
            # Asks nothing of the store: how fast the machine is just now.
            ("live", "GET", "/health/live", None),
        )[number % 11]

    async def connection(self, until: float) -> None:
        async with httpx2.AsyncClient(base_url=self.url, timeout=60) as client:
            while time.monotonic() < until:
                self.number += 1
                number = self.number
                if number % LIFE == 0:
                    await self.turn(client, number // LIFE)
                kind, method, path, body = self.call(number)
                headers = {"Authorization": f"Bearer {self.key}"}
                if kind not in {"item", "items"}:
                    headers["X-Vigent-Subject"] = f"p{number % PERSONS}"
                begin = time.perf_counter()
                try:
                    answer = await client.request(method, path, json=body, headers=headers)
                except httpx2.HTTPError as error:
                    self.failed[f"{kind}: {type(error).__name__}"] += 1
                    continue
                self.times[kind].append(1e3 * (time.perf_counter() - begin))
                if answer.status_code not in {200, 201}:
                    self.failed[f"{kind}: {answer.status_code}"] += 1

    async def turn(self, client: Any, generation: int) -> None:
        """Make the thread after this one, and remove the one before the last."""
        headers = {"Authorization": f"Bearer {self.key}"}
        body = {"index_id": "default", "id": f"talk {generation + 1}"}
        made = await client.post("/v1/threads", json=body, headers=headers)
        if made.status_code != 201:
            self.failed[f"thread: {made.status_code}"] += 1
        if generation > 1:
            gone = await client.delete(f"/v1/threads/talk {generation - 2}", headers=headers)
            if gone.status_code != 200:
                self.failed[f"thread removed: {gone.status_code}"] += 1

    async def minutes(self, until: float) -> None:
        """Print a line a minute."""
        while time.monotonic() < until:
            await asyncio.sleep(min(self.minute, max(0.0, until - time.monotonic())))
            found, self.times = self.times, defaultdict(list)
            p95 = {kind: sorted(t)[int(len(t) * 0.95)] for kind, t in found.items()}
            calls = sum(len(t) for t in found.values())
            say({"calls": calls, "p95_ms": p95})

    async def run(self) -> None:
        until = time.monotonic() + self.seconds
        async with httpx2.AsyncClient(base_url=self.url, timeout=60) as client:
            for generation in (-1, 0):
                await self.turn(client, generation)
        async with asyncio.TaskGroup() as group:
            group.create_task(self.minutes(until))
            for _ in range(CONNECTIONS):
                group.create_task(self.connection(until))
        say({"failed": dict(self.failed)})


if __name__ == "__main__":
    asyncio.run(Load(json.load(sys.stdin)).run())
