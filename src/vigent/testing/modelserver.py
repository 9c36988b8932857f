"""A server of models that answers from a script, and fails as it is told.

``vigent model-script FILE`` runs it by itself.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from typing import Any, Final, NamedTuple, cast

from vigent.testing.embedding import HashEmbedder
from vigent.testing.listening import LocalServer
from vigent.testing.modelscript import Answering, ModelScript, Rule
from vigent.testing.modelwire import Answer, Failure, ModelRequest, Speech, streamed, written

__all__ = ["ModelServer"]

_ENDS: Final[Mapping[str, Speech]] = {
    "/chat/completions": "chat", "/responses": "responses", "/messages": "anthropic",
}  # fmt: skip
_UNKNOWN: Final = {
    "json_schema": "response_format of type json_schema is not supported",
    "tool": "this model does not support tools",
}
_LONGEST_HANG: Final = 600.0


class _Out(NamedTuple):
    """What is sent: status, headers and body; None closes the connection without a word."""

    status: int
    headers: Mapping[str, str]
    body: str | Iterator[str] | None
    kind: str = "application/json"


class ModelServer(LocalServer):
    """Serves models on this machine, as a script says. Use it in a ``with`` statement.

    It speaks OpenAI's ``/v1/chat/completions`` (streams too), ``/v1/responses``,
    ``/v1/embeddings`` and ``/v1/models``, Anthropic's ``/v1/messages`` and Google's
    ``…:generateContent``. ``url`` goes as far as ``/v1``; ``root`` is without it. Rules are asked
    in order; ``requests`` are all that came, in order.
    """

    def __init__(
        self, script: ModelScript | None = None, *, port: int = 0, host: str = "127.0.0.1"
    ) -> None:
        super().__init__(host, port)
        self.script = script or ModelScript()
        self.requests: list[ModelRequest] = []
        self.supports: set[str] = {"json_schema", "tool", "prompted"}
        """The forms of asking for a schema that it takes; others are refused with 400."""
        self.refuses: dict[str, str] = {}
        """Fields of a request that it does not take, each with what it says of it (400)."""
        self.open = 0
        """How many requests are under way."""
        self.streamed = 0
        """How many parts of streams were sent."""
        self._lock = threading.Lock()

    def handler(self) -> type[BaseHTTPRequestHandler]:
        """Give what answers a request."""
        return _handler_of(self)

    # ------------------------------------------------------------------------- scripting

    def when(
        self,
        match: str | Callable[[ModelRequest], bool] | None,
        answer: Answering,
        *,
        times: int | None = None,
    ) -> None:
        """Answer requests that fit ``match`` so, after the rules that are there already."""
        self.script.add(Rule(answer, match, times))

    def answer(self, answer: Answering, *, times: int | None = None) -> None:
        """Answer every request so that no rule fits: text, JSON, or a function of the request."""
        self.script.add(Rule(answer, None, times))

    def fail(
        self,
        how: Failure | int,
        *,
        times: int | None = 1,
        message: str = "scripted",
        retry_after: float | str | None = None,
    ) -> None:
        """Let the next requests fail: with a status, or as the model or the server may."""
        status = how if isinstance(how, int) else None
        failure = None if isinstance(how, int) else how
        told = Answer(failure=failure, status=status, message=message, retry_after=retry_after)
        self.script.add(Rule(told, None, times), first=True)

    def delay(self, seconds: float, answer: Answer | None = None, *, times: int | None = 1) -> None:
        """Answer the next requests only after some seconds."""
        late = replace(answer or Answer(), delay=seconds)
        self.script.add(Rule(late, None, times), first=True)

    # ------------------------------------------------------------------------- serving

    def get(self, path: str) -> _Out:
        """Answer a GET: the list of models."""
        if not path.endswith("/models"):
            return _error(404, "unknown route")
        data = [{"id": "scripted", "object": "model", "owned_by": "vigent"}]
        return _Out(200, {}, json.dumps({"object": "list", "data": data}))

    def post(self, path: str, headers: dict[str, str], body: Any) -> _Out:
        """Answer a POST as the script says."""
        path = path.partition("?")[0]
        speech = _ENDS.get("/" + path.partition("/v1/")[2])
        if path.endswith(":generateContent"):
            speech = "google"
        if not isinstance(body, dict):
            return _error(400, "the body is no JSON object")
        given = cast("dict[str, Any]", body)
        if path.endswith("/embeddings"):
            return _embeddings(given)
        if speech is None:
            return _error(404, "unknown route")
        with self._lock:
            request = ModelRequest(len(self.requests), path, headers, given, speech)
            self.requests.append(request)
            self.open += 1
        try:
            return self._answered(request)
        finally:
            with self._lock:
                self.open -= 1

    def _answered(self, request: ModelRequest) -> _Out:
        for name, said in self.refuses.items():
            if name in request.body:
                return _error(400, said)
        if request.form is not None and request.form not in self.supports:
            return _error(400, _UNKNOWN.get(request.form, "not supported"))
        answer = self.script.answer(request)
        if answer.failure == "hang":
            self.stopped.wait(_LONGEST_HANG)
            return _Out(200, {}, None)
        if answer.delay:
            self.stopped.wait(answer.delay)
        return _sent(request, answer)


def _sent(request: ModelRequest, answer: Answer) -> _Out:
    if answer.failure == "drop":
        return _Out(200, {}, None)
    if answer.failure == "echo_key":
        said = f"Invalid key {request.key} at https://u:p@host/?key={request.key}"
        return _error(answer.status or 401, said)
    headers = dict(answer.headers)
    if answer.retry_after is not None:
        headers["Retry-After"] = str(answer.retry_after)
    if answer.status is not None and answer.status != 200:
        return _error(answer.status, answer.message or "scripted", headers)
    if request.speech == "chat" and request.body.get("stream"):
        return _Out(200, headers, _paced(request, answer), "text/event-stream")
    return _Out(200, headers, json.dumps(written(request, answer), ensure_ascii=False))


def _paced(request: ModelRequest, answer: Answer) -> Iterator[str]:
    """Give the parts of a stream as slowly, and as far, as the answer says."""
    for number, part in enumerate(streamed(request, answer)):
        if number == answer.breaks:
            raise ConnectionError
        if number and answer.pause:
            time.sleep(answer.pause)
        yield part


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> _Out:
    numbered = {"X-Request-Id": "req_scripted", **(headers or {})}
    body = {"type": "error", "error": {"type": "scripted", "message": message}}
    return _Out(status, numbered, json.dumps(body))


def _embeddings(body: Mapping[str, Any]) -> _Out:
    given = body.get("input", [])
    texts = [given] if isinstance(given, str) else [str(text) for text in given]
    rows = HashEmbedder().embed_passages(texts)
    data = [
        {"object": "embedding", "index": n, "embedding": [float(number) for number in row]}
        for n, row in enumerate(rows)
    ]
    return _Out(200, {}, json.dumps({"object": "list", "model": body.get("model"), "data": data}))


def _handler_of(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(server.get(self.path))

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            try:
                body = json.loads(raw)
            except ValueError:
                body = None
            named = {name.lower(): value for name, value in self.headers.items()}
            self._send(server.post(self.path, named, body))

        def _send(self, out: _Out) -> None:
            if out.body is None:
                self.close_connection = True
                return
            try:
                self.send_response(out.status)
                for name, value in out.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", out.kind)
                if isinstance(out.body, str):
                    data = out.body.encode()
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                    return
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for part in out.body:
                    data = part.encode()
                    self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                    server.streamed += 1
                self.wfile.write(b"0\r\n\r\n")
            except ConnectionError:
                self.close_connection = True  # the client did not wait; it was told to be late

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
            """Print nothing: ``requests`` has it."""

    return Handler
