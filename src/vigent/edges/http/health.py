"""Whether the service lives, and whether it can serve; without a key, and without secrets."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Final, cast

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from vigent.edges.http.answers.operation import Live, Ready, Version
from vigent.edges.http.answers.problems import problems_of
from vigent.edges.http.calling import Called, Route, answer, reads
from vigent.edges.http.metrics import Metrics
from vigent.edges.http.opening import Opening
from vigent.edges.http.troubles import Troubles
from vigent.errors import UnavailableError, VigentError
from vigent.service import Service

__all__ = ["condition", "keyed", "router"]

router = APIRouter(tags=["operation"])
keyed = APIRouter(tags=["operation"], prefix="/v1", route_class=Route)

_UNREADY: Final = {"starting", "migrating", "stopping", "failed"}


@router.head("/health/live", include_in_schema=False)
@router.get("/health/live", response_model=Live)
async def live() -> Response:
    """Say that the process lives."""
    return answer({"status": "ok"})


@router.head("/health/ready", include_in_schema=False)
@router.get(
    "/health/ready", response_model=Ready,
    responses={503: {"model": Ready, "description": "It cannot serve now."}},
)  # fmt: skip
async def ready(request: Request) -> Response:
    """Say whether the service can serve, and what it lacks.

    `ok`; `degraded` (searches go by words alone, or the disk failed lately); `read_only` (reads
    work, writes are 503); `busy` (writes wait too long for the lock); or, with 503, `starting`,
    `migrating`, `stopping`, `failed`.
    """
    state = request.app.state
    opening, troubles = cast("Opening", state.opening), cast("Troubles", state.troubles)
    told = await to_thread.run_sync(condition, opening, troubles, limiter=_limiter(state))
    unready = told["status"] in _UNREADY
    return answer(told, 503 if unready else 200, {"Retry-After": "1"} if unready else None)


@router.get("/metrics", include_in_schema=False)
async def metrics(request: Request) -> Response:
    """Give the metrics of this process, or of all where there are several."""
    state = request.app.state
    found = cast("Metrics | None", state.metrics)
    if found is None or state.metrics_apart:
        return PlainTextResponse("there are no metrics here\n", 404)
    text = await to_thread.run_sync(found.text, limiter=_limiter(state))
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


@keyed.get("/version", response_model=Version, responses=problems_of())
@reads
def number(caller: Called) -> Response:
    """Give the version of the service."""
    del caller
    return answer({"version": version("vigent")})


def _limiter(state: Any) -> CapacityLimiter:
    """Give threads of their own: one asks how things are when all others are taken."""
    found = getattr(state, "health_limiter", None)
    if found is None:
        found = state.health_limiter = CapacityLimiter(2)
    return found


def condition(opening: Opening, troubles: Troubles) -> dict[str, Any]:
    """Say how the service is; the first of several conditions is its status."""
    service = opening.service
    if service is None:
        return _not_open(opening)
    found: list[tuple[str, str]] = []
    try:
        with service.storage.snapshot() as snapshot:
            snapshot.resource("", "tenant", "")
    except VigentError as error:
        found.append(("failed", f"the store cannot be read: {error.code}"))
    found += _of_writing(service, troubles)
    worker = service.embedding
    if worker is not None and worker.problem is not None:
        found.append(("degraded", "no vectors are made: searches go by words alone"))
    status = found[0][0] if found else "ok"
    return {"status": status, "reasons": [reason for _, reason in found]}


def _of_writing(service: Service, troubles: Troubles) -> list[tuple[str, str]]:
    lately = troubles.lately()
    if not service.storage.writable or "store_read_only" in lately:
        return [("read_only", "the store cannot be written: reads work, writes are 503")]
    if "store_full" in lately:
        return [("read_only", "no space is left: reads work, writes are 503")]
    if UnavailableError.code in lately:
        return [("degraded", "reading or writing the store failed lately: disk, quota or limit")]
    if "store_busy" in lately or "overloaded" in lately:
        return [("busy", "calls were refused lately: the store is busy")]
    upkeep = service.upkeep
    if upkeep is not None and upkeep.problem is not None:
        return [("busy", f"upkeep waits: {upkeep.problem.code}")]
    return []


def _not_open(opening: Opening) -> dict[str, Any]:
    # Between two looks the store may have been opened: then this says that it is being opened.
    status = "starting" if opening.state == "open" else opening.state
    return {"status": status, "reasons": [opening.told]}
