"""Traces by the SDK of OpenTelemetry; loaded only where a collector is named."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from vigent.edges.http.traces import Span
from vigent.settings import TraceSettings

__all__ = ["OpenTelemetry"]


class OpenTelemetry:
    """Sends a span for each request to a collector, in batches."""

    def __init__(self, settings: TraceSettings) -> None:
        told = {"service.name": settings.service, "service.version": version("vigent")}
        self._provider = TracerProvider(
            resource=Resource.create(told), shutdown_on_exit=False,
            sampler=ParentBased(TraceIdRatioBased(settings.ratio)),
        )  # fmt: skip
        address = settings.endpoint.rstrip("/") + "/v1/traces"
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=address)))
        self._tracer = self._provider.get_tracer("vigent")
        self._propagator = TraceContextTextMapPropagator()

    def start(self, scope: Any, parent: bytes) -> Span:
        """Begin a span; it is named by its route at its end, when that is known."""
        context = None
        if parent:
            context = self._propagator.extract({"traceparent": parent.decode("latin-1")})
        return _Request(
            self._tracer.start_span(scope["method"], context=context, kind=SpanKind.SERVER)
        )

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()


class _Request:
    __slots__ = ("_span",)

    def __init__(self, span: Any) -> None:
        self._span = span

    def end(self, method: str, route: str, status: int, request_id: str) -> None:
        """Name it by its route, and end it."""
        span = self._span
        span.update_name(f"{method} {route}")
        span.set_attributes({
            "http.request.method": method, "http.route": route,
            "http.response.status_code": status, "vigent.request_id": request_id,
        })  # fmt: skip
        if status >= 500 or status == 0:
            span.set_status(StatusCode.ERROR)
        span.end()
