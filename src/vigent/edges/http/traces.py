"""Traces by OpenTelemetry, where a collector is named: a span for each request, without content."""

from __future__ import annotations

from importlib.metadata import version
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
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        from opentelemetry.sdk.trace.sampling import (  # noqa: PLC0415
            ParentBased,
            TraceIdRatioBased,
        )
    except ImportError as error:
        message = "needs the extra otel: pip install 'vigent[otel]'"
        raise InvalidInput("traces.endpoint", message) from error
    told = {"service.name": settings.service, "service.version": version("vigent")}
    provider = TracerProvider(
        resource=Resource.create(told), sampler=ParentBased(TraceIdRatioBased(settings.ratio)),
        shutdown_on_exit=False,
    )  # fmt: skip
    address = settings.endpoint.rstrip("/") + "/v1/traces"
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=address)))
    return _OpenTelemetry(provider)


class _OpenTelemetry:
    """Tracing by the SDK."""

    def __init__(self, provider: Any) -> None:
        from opentelemetry.trace import SpanKind  # noqa: PLC0415
        from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415
            TraceContextTextMapPropagator,
        )

        self._provider = provider
        self._tracer = provider.get_tracer("vigent")
        self._kind = SpanKind.SERVER
        self._propagator = TraceContextTextMapPropagator()

    def start(self, scope: Any, parent: bytes) -> Span:
        """Begin a span; it is named by its route at its end, when that is known."""
        context = None
        if parent:
            context = self._propagator.extract({"traceparent": parent.decode("latin-1")})
        return _Request(self._tracer.start_span(scope["method"], context=context, kind=self._kind))

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()


class _Request:
    __slots__ = ("_span",)

    def __init__(self, span: Any) -> None:
        self._span = span

    def end(self, method: str, route: str, status: int, request_id: str) -> None:
        """Name it by its route, and end it."""
        from opentelemetry.trace import StatusCode  # noqa: PLC0415

        span = self._span
        span.update_name(f"{method} {route}")
        span.set_attributes({
            "http.request.method": method, "http.route": route,
            "http.response.status_code": status, "vigent.request_id": request_id,
        })  # fmt: skip
        if status >= 500 or status == 0:
            span.set_status(StatusCode.ERROR)
        span.end()
