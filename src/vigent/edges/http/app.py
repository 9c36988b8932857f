"""The app: routers, errors, and the service behind them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from vigent.edges.http import (
    agents,
    blocks,
    episodes,
    finding,
    gate,
    many,
    memory,
    names,
    state,
    stores,
    threads,
    tools,
)
from vigent.edges.http.problems import add_problems
from vigent.service import Service
from vigent.settings import default_database

__all__ = ["create_app"]


def create_app(service: Service | None = None) -> FastAPI:
    """Make the app; without a service, one for the store that the environment names."""
    serving = service or Service.open(default_database())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        try:
            yield
        finally:
            serving.close()

    app = FastAPI(
        title="Vigent", summary="Typed memory for AI agents on two time axes.",
        lifespan=lifespan, docs_url="/docs", redoc_url=None, openapi_url="/openapi.json",
    )  # fmt: skip
    app.state.service = serving
    for part in (
        stores, state, gate, finding, many, memory, episodes, names, blocks, threads, agents, tools,
    ):  # fmt: skip
        app.include_router(part.router)
    add_problems(app)
    return app
