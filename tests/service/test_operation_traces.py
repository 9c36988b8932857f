"""Traces go to a collector, one span a request, and hold no content."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.testclient import TestClient

from vigent.edges.http.app import create_app
from vigent.edges.http.traces import open_tracing
from vigent.effective import effective_settings
from vigent.settings import TraceSettings

STATE = "/v1/stores/default/state/mira/passport_deadline"


@pytest.fixture
def collector():
    received: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", received
    server.shutdown()
    thread.join()
    server.server_close()


def spans_of(received: list[bytes]) -> list:
    found = [ExportTraceServiceRequest.FromString(each) for each in received]
    return [s for f in found for r in f.resource_spans for p in r.scope_spans for s in p.spans]


def test_a_span_a_request_by_its_route_and_without_content(service, admin, collector):
    address, received = collector
    settings = effective_settings(env={"VIGENT_TRACES_ENDPOINT": address}).settings
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with TestClient(create_app(service, settings=settings)) as client:
        headers = {**admin, "traceparent": parent, "X-Request-Id": "abc"}
        assert client.get(f"{STATE}?as_of=2026-06-02", headers=headers).status_code == 200
        assert client.get("/mira").status_code == 404
    first, second = spans_of(received)
    route = "/v1/stores/{index_id}/state/{subject}/{attribute}"
    assert first.name == f"GET {route}"
    assert first.trace_id.hex() == "0af7651916cd43dd8448eb211c80319c"
    assert first.parent_span_id.hex() == "b7ad6b7169203331"
    told = {a.key: a.value.string_value or a.value.int_value for a in first.attributes}
    assert told == {
        "http.request.method": "GET", "http.route": route, "http.response.status_code": 200,
        "vigent.request_id": "abc",
    }  # fmt: skip
    assert second.name == "GET (none)"
    sent = b"".join(received)
    for word in (b"mira", b"passport", b"2026-06-02", admin["Authorization"][7:].encode()):
        assert word not in sent


def test_without_an_endpoint_nothing_is_traced():
    assert open_tracing(TraceSettings()) is None
