"""The service under load: reads of state beside a bare FastAPI handler, the other calls, keys.

Each server and the load generator are processes of their own, on one machine; a figure is the
median of several turns, the sides taken in turns.
"""

from __future__ import annotations

import http.client
import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.figures import Figure, at_least, at_most, only
from bench.scale import copy_all, marks
from bench.serving import HOST, load, request, served
from bench.store import connection_of, machine, open_memory
from vigent.govern.documents import KeyDocument, Secret
from vigent.govern.keys import new_secret, secret_digest, show_key
from vigent.govern.registry import Actor
from vigent.service import FirstStart, Service

APP = "vigent.edges.http.app:create_app"
TENANT = "default"
WRITTEN = 10_000
SCALES: dict[str, dict[str, Any]] = {
    "tiny": {"sizes": (1_000,), "seconds": 0.5, "turns": 1, "keys": 300},
    "full": {"sizes": (10_000, 1_000_000), "seconds": 4.0, "turns": 5, "keys": 5_000},
}


def measure_service(scale: str, parts: list[str] | None = None) -> dict[str, Any]:
    """Measure, each part in files of its own below a temporary folder."""
    s = SCALES[scale]
    every: dict[str, Callable[[Path], list[Figure]]] = {
        "state": lambda at: measure_calls(
            at, sizes=s["sizes"], seconds=s["seconds"], turns=s["turns"]
        ),
        "keys": lambda at: measure_keys(at, count=s["keys"]),
    }
    figures: list[Figure] = []
    for name, part in every.items():
        if parts is None or name in parts:
            with tempfile.TemporaryDirectory(prefix="vigent-bench-") as folder:
                figures += part(Path(folder))
    return {
        "suite": "service", "scale": scale,
        "settings": "one uvicorn worker, the load generator in its own process",
        "machine": machine(), "figures": figures,
    }  # fmt: skip


def _filled(path: Path, size: int) -> FirstStart:
    """Make a service's store with so many memories of one tenant."""
    service = Service.open(path, embedder="none")
    first = service.first_start()
    service.close()
    if first is None:
        raise RuntimeError("the store is not new")
    written = min(size, WRITTEN)
    with open_memory(path, tenant=TENANT) as memory:
        connection = connection_of(memory)
        since = marks(connection)
        memory.write_many(
            {"subject": f"subject {i}", "attribute": "city", "value": f"Town {i}",
             "person": f"p{i % 500}"}
            for i in range(written)
        )  # fmt: skip
        copies = size // written - 1
        if copies:
            tenants = [TENANT if n % 2 else f"tenant {n % 10}" for n in range(copies)]
            copy_all(connection, TENANT, tenants, since)
    return first


def measure_calls(
    folder: Path, *, sizes: Sequence[int], seconds: float, turns: int
) -> list[Figure]:
    """Compare reads of state with the yardstick; report writes, searches and contexts beside."""
    figures: list[Figure] = []
    body = {"index_id": "default", "subject": "mira", "attribute": "city", "value": "Town 1"}
    bare = [request("POST", "/write", body)]
    for size in sizes:
        print(f"the service at {size:,} memories")
        path = folder / f"{size}.db"
        first = _filled(path, size)
        with served("bench.bare:app") as plain, served(APP, factory=True, db=path) as ours:
            calls = _calls(first)
            for connections in (4, 32):
                rates: dict[str, list[dict[str, Any]]] = {"bare": [], **{n: [] for n in calls}}
                _warm(plain, ours, bare, calls)
                for _ in range(turns):
                    rates["bare"].append(
                        load(plain, bare, connections=connections, seconds=seconds)
                    )
                    for name, asked in calls.items():
                        rates[name].append(
                            load(ours, asked, connections=connections, seconds=seconds)
                        )
                figures += _figures(rates, size, connections)
    return figures


def _calls(first: FirstStart) -> dict[str, list[str]]:
    head = {"Authorization": f"Bearer {first.key}"}
    people = [{**head, "X_Vigent_Subject": f"p{i % 500}"} for i in range(500)]
    state = f"/v1/stores/{first.index_id}/state"
    numbers = itertools.count()
    return {
        "state": [
            request("GET", f"{state}/subject%20{i}/city", **people[i]) for i in range(500)
        ],
        "write": [
            request("POST", "/v1/memory", {
                "index_id": first.index_id, "type": "fact", "subject": f"subject {i}",
                "attribute": "city", "value": f"Place {next(numbers)}"}, **people[i])
            for i in range(500)
        ],
        "search": [
            request("POST", "/v1/memory/search", {
                "index_id": first.index_id, "query": f"which town has subject {i}"}, **people[i])
            for i in range(100)
        ],
        "context": [
            request("POST", "/v1/context", {
                "index_id": first.index_id, "query": f"which town has subject {i}"}, **people[i])
            for i in range(100)
        ],
    }  # fmt: skip


def _warm(plain: int, ours: int, bare: list[str], calls: dict[str, list[str]]) -> None:
    load(plain, bare, connections=4, seconds=0.5)
    for asked in calls.values():
        load(ours, asked, connections=4, seconds=0.5)


def _figures(rates: dict[str, list[dict[str, Any]]], size: int, connections: int) -> list[Figure]:
    def median(name: str, what: str) -> float:
        return statistics.median(run[what] for run in rates[name])

    figures: list[Figure] = []
    label = f"{size:,} memories, {connections} connections"
    for name, runs in rates.items():
        statuses = {status for run in runs for status in run["statuses"]}
        if any(not status.startswith("2") for status in statuses):
            raise RuntimeError(f"{name} was answered with {statuses}")
        details = {"p50_ms": round(median(name, "p50_ms"), 3),
                   "p95_ms": round(median(name, "p95_ms"), 3)}  # fmt: skip
        figures.append(
            only(f"{name}: requests per second, {label}", median(name, "rate"), **details)
        )
    share = statistics.median(
        ours["rate"] / bare["rate"]
        for ours, bare in zip(rates["state"], rates["bare"], strict=True)
    )
    figures.append(at_least(f"state read / bare POST, {label}", share, 0.65))
    return figures


def measure_keys(folder: Path, *, count: int) -> list[Figure]:
    """Compare how long keys take that are wrong, right in their beginning, and revoked.

    They are presented in turns over one connection: what the service takes is what can be seen.
    """
    print(f"{count:,} keys of each kind that open nothing")
    path = folder / "keys.db"
    service = Service.open(path, embedder="none")
    first = service.first_start()
    if first is None:
        raise RuntimeError("the store is not new")
    secret = new_secret()
    document = KeyDocument(secrets=(Secret(digest=secret_digest(secret)),), revoked_at=1)
    revoked = service.registry.create(Actor(TENANT), "key", document)
    service.close()
    right = first.key.rsplit("_", 1)[0]
    kinds: dict[str, Callable[[], str]] = {
        "wrong": lambda: show_key(TENANT, f"key_{new_secret()[:32]}", new_secret()),
        "right beginning": lambda: f"{right}_{new_secret()}",
        "revoked": lambda: show_key(TENANT, revoked.id, secret),
    }
    with served(APP, factory=True, db=path) as port:
        times = refused_times(port, "/v1/memory/stores", kinds, count)
    medians = {name: statistics.median(found) for name, found in times.items()}
    spread = max(medians.values()) / min(medians.values())
    told = {name: round(1e6 * value, 1) for name, value in medians.items()}
    return [at_most("keys that open nothing: slowest median / quickest", spread, 1.05, us=told)]


def refused_times(
    port: int, path: str, kinds: dict[str, Callable[[], str]], count: int
) -> dict[str, list[float]]:
    """Present keys of several kinds in turns; gives how long each answer took, in seconds."""
    times: dict[str, list[float]] = {name: [] for name in kinds}
    connection = http.client.HTTPConnection(HOST, port)
    for turn in range(count):
        for name in sorted(kinds, key=lambda _: random.random()):
            key = kinds[name]()
            start = time.perf_counter()
            connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
            answer = connection.getresponse()
            answer.read()
            if turn:  # the first of all opens the connection
                times[name].append(time.perf_counter() - start)
            if answer.status != 401:
                raise RuntimeError(f"a key was answered with {answer.status}")
    connection.close()
    return times
