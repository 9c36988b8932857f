"""The app: routers, errors, and the service behind them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any, cast

from fastapi import FastAPI

from vigent.crossing import Crossing
from vigent.edges.http import (
    agents,
    audit,
    blocks,
    episodes,
    extraction,
    finding,
    gate,
    health,
    keys,
    many,
    memory,
    names,
    persons,
    state,
    stores,
    tenants,
    threads,
    tools,
)
from vigent.edges.http.front import Front, Told
from vigent.edges.http.logs import RequestLog
from vigent.edges.http.metrics import Metrics
from vigent.edges.http.opening import Opening
from vigent.edges.http.problems import add_problems
from vigent.edges.http.rates import Rates
from vigent.edges.http.refused import with_key
from vigent.edges.http.traces import open_tracing
from vigent.edges.http.troubles import Troubles
from vigent.effective import effective_settings
from vigent.service import Service
from vigent.settings import Settings

__all__ = ["create_app"]

READERS, WRITERS = 16, 8
"""How many calls of each kind run at once."""


class _App(FastAPI):
    """FastAPI with ``Front`` before all of it, so that a fault's answer has its id too."""

    def openapi(self) -> dict[str, Any]:
        """Describe the API; made once."""
        if self.openapi_schema is None:
            self.openapi_schema = with_key(super().openapi())
        return self.openapi_schema

    def build_middleware_stack(self) -> Any:
        """Put the layers together, once."""
        serving = self.state
        told = Told(serving.metrics, serving.log, serving.tracing)
        return Front(
            super().build_middleware_stack(),
            opening=serving.opening,
            body_bytes=serving.settings.limits.body_bytes,
            told=told,
        )


def create_app(
    service: Service | None = None,
    *,
    settings: Settings | None = None,
    opened: Callable[[Service], None] | None = None,
    failed: Callable[[], None] | None = None,
) -> FastAPI:
    """Make the app; without a service, one for the store that the settings name.

    Without settings, those of environment and file. ``opened`` is called with a service that was
    opened here, before it serves; ``failed`` when it could not be, and the app runs already.
    """
    chosen = settings or effective_settings().settings

    def make() -> Service:
        app.state.service = made = open_service(chosen, opened)
        return made

    opening = Opening(service, make)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        try:
            opening.begin(failed or _nothing)
            if service is not None:
                service.start(chosen.upkeep)
            yield
        finally:
            _close(app)

    app = _App(
        title="Vigent", summary="Typed memory for AI agents on two time axes.",
        lifespan=lifespan, docs_url="/docs", redoc_url=None, openapi_url="/openapi.json",
    )  # fmt: skip
    _prepare(app, opening, chosen)
    # What is asked most often is looked for first; ``/v1/memory/stores`` before a memory's id.
    for part in (
        state, gate, finding, many, stores, memory, threads, episodes, names, blocks, extraction,
        agents, tools, persons, keys, tenants, audit, health,
    ):  # fmt: skip
        app.include_router(part.router)
    app.include_router(health.keyed)
    add_problems(app)
    return app


def open_service(settings: Settings, opened: Callable[[Service], None] | None = None) -> Service:
    """Open the service that settings describe, and start what goes on beside it."""
    store = settings.store
    service = Service.open(
        store.db, schema=store.schema or None, embedder=settings.embedder,
        durability=store.durability, busy_timeout=store.busy_seconds,
    )  # fmt: skip
    with ExitStack() as failing:
        failing.callback(service.close)
        if opened is not None:
            opened(service)
        service.start(settings.upkeep)
        failing.pop_all()
    return service


def _prepare(app: FastAPI, opening: Opening, settings: Settings) -> None:
    """Put what requests share where they find it."""
    limits, apart = settings.limits, settings.metrics
    held = app.state
    held.opening, held.settings, held.troubles = opening, settings, Troubles()
    held.service = opening.service
    held.rates = Rates(limits.rate_per_second, limits.rate_burst)
    held.crossing = Crossing(readers=READERS, writers=WRITERS, waiting=limits.waiting)
    held.metrics = Metrics(lambda: opening.service) if apart.enabled else None
    held.metrics_apart = apart.port != 0
    held.log = RequestLog() if settings.logs.requests == "json" else None
    held.tracing = open_tracing(settings.traces)
    if held.metrics is not None and apart.port:
        held.metrics.serve(apart.host, apart.port)


def _close(app: FastAPI) -> None:
    held = app.state
    cast("Opening", held.opening).close()
    if held.metrics is not None:
        held.metrics.close()
    if held.tracing is not None:
        held.tracing.close()


def _nothing() -> None:
    """Tell nobody."""
