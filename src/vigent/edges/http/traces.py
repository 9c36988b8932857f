"""Traces by OpenTelemetry, where a collector is named: a span for each request, without content."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from vigent.errors import InvalidInput
from vigent.settings import TraceSettings

__all__ = ["Span", "Tracing", "open_tracing"]


class Span(Protocol):
    """The span of one request."""

    def end(self, method: str, route: str, status: int, request_id: str) -> None:
        """Name it by its route, and end it."""
        ...


class Tracing(Protocol):
    """Makes a span for each request."""

    def start(self, scope: Any, parent: bytes) -> Span:
        """Begin a span, below that of the caller where they name one."""
        ...

    def close(self) -> None:
        """Send what is left."""
        ...


def open_tracing(settings: TraceSettings) -> Tracing | None:
    """Give what traces; None without an endpoint. Raises InvalidInput without the extra."""
    if not settings.endpoint:
        return None
    try:
        otel = import_module("vigent.edges.http.otel")
    except ImportError as error:
        message = "needs the extra otel: pip install 'vigent[otel]'"
        raise InvalidInput("traces.endpoint", message) from error
    return otel.OpenTelemetry(settings)
