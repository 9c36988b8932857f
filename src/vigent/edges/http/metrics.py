"""Metrics for Prometheus: of requests, of writes, and of what waits in the store.

Labels are routes, statuses and outcomes; never a tenant, a person or a key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import Any, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
    start_http_server,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from vigent.domain.time import SECOND
from vigent.errors import VigentError
from vigent.service import Service
from vigent.settings import metrics_folder

__all__ = ["Metrics"]

_SECONDS: Final = (
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
)  # fmt: skip


class Metrics:
    """What one process counts, and how all of them are shown."""

    def __init__(self, service: Callable[[], Service | None]) -> None:
        self.in_flight = 0
        own = CollectorRegistry()
        self._requests = Counter(
            "vigent_http_requests", "Requests answered.", ("method", "route", "status"),
            registry=own,
        )  # fmt: skip
        self._seconds = Histogram(
            "vigent_http_request_seconds", "How long answers took.", ("method", "route"),
            buckets=_SECONDS, registry=own,
        )  # fmt: skip
        self._writes = Counter(
            "vigent_writes", "Writes by what came of them.", ("outcome",), registry=own
        )
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._server: Any = None
        # Several processes count in files of one folder, and whichever is asked adds them up.
        if metrics_folder():
            self.registry = CollectorRegistry()
            MultiProcessCollector(self.registry)
        else:
            self.registry = own
            ProcessCollector(registry=own)
            PlatformCollector(registry=own)
        self.registry.register(_StoreMetrics(service, self))

    def note(
        self, method: str, route: str, status: int, seconds: float, outcome: str | None
    ) -> None:
        """Count one request."""
        handle = (method, route, status)
        found = self._known.get(handle)
        if found is None:
            # What is not matched by a route has a method of anybody's choice.
            shown = method if route != "(none)" else "(any)"
            found = (
                self._requests.labels(shown, route, str(status)),
                self._seconds.labels(shown, route),
            )
            if route != "(none)":
                self._known[handle] = found
        found[0].inc()
        found[1].observe(seconds)
        if outcome is not None:
            self._writes.labels(outcome).inc()

    def text(self) -> bytes:
        """Give everything in the text format of Prometheus."""
        return generate_latest(self.registry)

    def serve(self, host: str, port: int) -> None:
        """Show them at a port of their own; of several processes the first has it."""
        try:
            self._server, _ = start_http_server(port, host, self.registry)
        except OSError:
            if not metrics_folder():
                raise

    def close(self) -> None:
        """Stop showing them."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()


class _StoreMetrics(Collector):
    """What is read of the store when somebody asks for it."""

    def __init__(self, service: Callable[[], Service | None], metrics: Metrics) -> None:
        self._service = service
        self._metrics = metrics

    def describe(self) -> Iterable[Metric]:
        """Nothing beforehand: it would read the store."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """Give the gauges of the moment; those of the store only while it can be read."""
        built = GaugeMetricFamily("vigent_build", "The version that runs.", labels=("version",))
        built.add_metric((version("vigent"),), 1)
        yield built
        yield _gauge("vigent_http_in_flight", "Requests under way.", self._metrics.in_flight)
        service = self._service()
        if service is None:
            return
        try:
            yield from _of_store(service)
        except VigentError:
            return


def _of_store(service: Service) -> Iterable[Metric]:
    with service.storage.snapshot() as snapshot:
        pending, last = snapshot.pending(), snapshot.last_passage()
        worker = service.embedding
        identity = None if worker is None else worker.identity
        row = None if identity is None else snapshot.embedder(*identity)
    now = service.clock.now()
    since = pending.unsealed_since
    lag = 0.0 if since is None else max(0.0, (now - since) / SECOND)
    yield _gauge("vigent_seal_lag_seconds", "Age of the oldest entry without a seal.", lag)
    since = pending.unpurged_since
    age = 0.0 if since is None else max(0.0, (now - since) / SECOND)
    yield _gauge("vigent_purge_lag_seconds", "Age of the oldest erasure not yet purged.", age)
    jobs = GaugeMetricFamily("vigent_jobs", "Queued work.", labels=("kind", "state"))
    for kind, state, count in pending.jobs:
        jobs.add_metric((kind, state), count)
    yield jobs
    if worker is not None:
        behind = 0 if row is None else max(0, last - row.done)
        known = float(row is not None or last == 0)
        yield _gauge("vigent_embedding_lag_passages", "Passages without a vector yet.", behind)
        yield _gauge("vigent_embedding_reached", "1 once the model said what it is.", known)
        failing = float(worker.problem is not None)
        yield _gauge("vigent_embedding_failing", "1 while no vectors are made.", failing)
    upkeep = service.upkeep
    if upkeep is not None:
        yield _gauge("vigent_upkeep_sealed", "Entries this process sealed.", upkeep.sealed)
        yield _gauge("vigent_upkeep_swept", "Memories this process let expire.", upkeep.swept)
        yield _gauge("vigent_upkeep_purged", "Purges this process did.", upkeep.purged)


def _gauge(name: str, about: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, about, value=value)
