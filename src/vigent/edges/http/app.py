"""The app: routers, errors, and the service behind them."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from typing import Any, cast

from fastapi import FastAPI

from vigent.crossing import Crossing
from vigent.edges.http import (
    agents,
    audit,
    blocks,
    chat,
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
    responses,
    review,
    state,
    stores,
    tenants,
    threads,
    tools,
)
from vigent.edges.http.describing import described
from vigent.edges.http.front import Bounds, Front, Told
from vigent.edges.http.logs import RequestLog
from vigent.edges.http.metrics import Metrics
from vigent.edges.http.mounting import McpPlace
from vigent.edges.http.opening import Opening
from vigent.edges.http.problems import add_problems
from vigent.edges.http.rates import Rates
from vigent.edges.http.traces import open_tracing
from vigent.edges.http.troubles import Troubles
from vigent.edges.http.underway import Underway
from vigent.effective import effective_settings
from vigent.service import Service
from vigent.settings import Settings

__all__ = ["create_app"]


class _App(FastAPI):
    """FastAPI with ``Front`` before all of it, so that a fault's answer has its id too."""

    def openapi(self) -> dict[str, Any]:
        """Tell the routes, and what holds for all of them alike."""
        told = self.openapi_schema
        if told is None or "securitySchemes" not in told["components"]:
            told = self.openapi_schema = described(super().openapi())
        return told

    def build_middleware_stack(self) -> Any:
        """Put the layers together, once."""
        serving = self.state
        told = Told(serving.metrics, serving.log, serving.tracing)
        limits = serving.settings.limits
        return Front(
            super().build_middleware_stack(),
            opening=serving.opening,
            bounds=Bounds(limits.body_bytes, limits.body_seconds),
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
                service.start(chosen.upkeep, chosen.learning)
            async with AsyncExitStack() as beside:
                if agents_at is not None:
                    await beside.enter_async_context(agents_at.running())
                yield
        finally:
            _close(app)

    app = _App(
        title="Vigent", summary="Typed memory for AI agents on two time axes.",
        lifespan=lifespan, docs_url="/docs", redoc_url=None, openapi_url="/openapi.json",
    )  # fmt: skip
    _prepare(app, opening, chosen)
    # What is asked most often is looked for first; what is named as it stands before what is open.
    for part in (
        state, stores, extraction, gate, review, finding, many, memory, threads, episodes, names,
        blocks, agents, tools, responses, chat, persons, keys, tenants, audit, health,
    ):  # fmt: skip
        app.include_router(part.router)
    app.include_router(health.keyed)
    agents_at = McpPlace(app.state, chosen) if chosen.mcp.enabled else None
    if agents_at is not None:
        app.router.routes.append(agents_at.route)
    add_problems(app)
    return app


def open_service(settings: Settings, opened: Callable[[Service], None] | None = None) -> Service:
    """Open the service that settings describe, and start what goes on beside it."""
    store = settings.store
    service = Service.open(
        store.db, schema=store.schema or None, embedder=settings.embedder,
        durability=store.durability, busy_timeout=store.busy_seconds, models=settings.models,
    )  # fmt: skip
    with ExitStack() as failing:
        failing.callback(service.close)
        if opened is not None:
            opened(service)
        service.start(settings.upkeep, settings.learning)
        failing.pop_all()
    return service


def _prepare(app: FastAPI, opening: Opening, settings: Settings) -> None:
    """Put what requests share where they find it."""
    limits, apart = settings.limits, settings.metrics
    held = app.state
    held.opening, held.settings, held.troubles = opening, settings, Troubles()
    held.service = opening.service
    held.rates = Rates(limits.rate_per_second, limits.rate_burst)
    at_once = limits.readers or max(2, os.cpu_count() or 1)
    held.crossing = Crossing(
        readers=at_once, writers=limits.writers, waiting=limits.waiting
    )  # fmt: skip
    held.turns = Underway(limits.turns)
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
