"""An embedder that needs no model, and a server of embeddings that fails as it is told."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vigent.testing.listening import LocalServer

__all__ = ["EmbeddingServer", "HashEmbedder", "SeenRequest"]

# A word of letters and digits, or one sign of a script that puts no spaces between words.
_WORD: Final = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")


class HashEmbedder:
    """Gives each word its own direction and adds them up: texts that share words lie close.

    Nothing is downloaded, and the same text has the same bits everywhere. A text without words
    has a row of zeros. ``seen`` are all texts it was given, in order.
    """

    def __init__(self, dimension: int = 64, name: str = "hash", revision: str = "1") -> None:
        self._dimension = dimension
        self._name = name
        self._revision = revision
        self.seen: list[str] = []

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    @property
    def revision(self) -> str:
        """The revision it was given."""
        return self._revision

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return self._dimension

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one row of unit length a text."""
        self.seen.extend(texts)
        rows = np.zeros((len(texts), self._dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self._vector(text)
        return rows

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Give the vector of a question: the one that it has as a passage."""
        self.seen.append(text)
        return self._vector(text)

    def _vector(self, text: str) -> NDArray[np.float32]:
        total = np.zeros(self._dimension, np.float64)
        for word in _WORD.findall(text.casefold()):
            seed = f"{self._revision}\0{word}".encode("utf-8", "replace")
            total += np.frombuffer(hashlib.shake_256(seed).digest(2 * len(total)), "<i2")
        length = float(np.sqrt(total @ total))
        return (total / length if length else total).astype(np.float32)


@dataclass(frozen=True)
class SeenRequest:
    """A request as the server got it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        """The texts it asked for."""
        return list(self.body["input"])


@dataclass
class _Fault:
    status: int | None = None
    body: str | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    delay: float = 0.0


class EmbeddingServer(LocalServer):
    """Serves ``POST /v1/embeddings`` on this machine, with the vectors of a HashEmbedder.

    Use it in a ``with`` statement; ``url`` goes as far as ``/v1``. ``fail`` and ``delay`` are for
    the next requests; the other faults last until they are set anew. ``requests`` are all that
    came, in order.
    """

    def __init__(self, dimension: int = 64) -> None:
        super().__init__()
        self.dimension = dimension
        """How many numbers its vectors have; may be changed while it runs."""
        self.requests: list[SeenRequest] = []
        self.refused: str | None = None
        """A request with this in one of its texts is answered with ``refused_status``."""
        self.refused_status = 400
        self.not_finite: str | None = None
        """A text with this in it has a vector of NaN."""
        self.shuffled = False
        """Whether vectors come in another order than the texts, told apart by ``index``."""
        self.base64 = False
        """Whether vectors come as base64 of little-endian float32."""
        self.change: Callable[[dict[str, Any]], Any] | None = None
        """What becomes of a sound answer before it is sent."""
        self._faults: list[_Fault] = []
        self._lock = threading.Lock()

    def handler(self) -> type[BaseHTTPRequestHandler]:
        """Give what answers a request."""
        return _handler_of(self)

    def fail(
        self,
        status: int,
        *,
        times: int = 1,
        body: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Answer the next requests with a status, and with a body where one is given."""
        said = body if body is not None else json.dumps({"error": {"message": "scripted"}})
        self._plan(_Fault(status, said, headers or {}), times)

    def delay(self, seconds: float, *, times: int = 1) -> None:
        """Answer the next requests only after some seconds."""
        self._plan(_Fault(delay=seconds), times)

    def _plan(self, fault: _Fault, times: int) -> None:
        with self._lock:
            self._faults.extend([fault] * times)

    def answer(self, request: SeenRequest) -> tuple[int, dict[str, str], str]:
        """Give status, headers and body for a request."""
        with self._lock:
            self.requests.append(request)
            fault = self._faults.pop(0) if self._faults else _Fault()
        time.sleep(fault.delay)
        if fault.status is not None:
            return fault.status, fault.headers, fault.body or ""
        if request.path.partition("?")[0] != "/v1/embeddings":
            return 404, {}, json.dumps({"error": {"message": "unknown route"}})
        if self.refused is not None and any(self.refused in text for text in request.texts):
            return self.refused_status, {}, json.dumps({"error": {"message": "not this text"}})
        sound = self._embeddings(request)
        return 200, {}, json.dumps(self.change(sound) if self.change else sound)

    def _embeddings(self, request: SeenRequest) -> dict[str, Any]:
        rows = HashEmbedder(self.dimension).embed_passages(request.texts)
        for row, text in zip(rows, request.texts, strict=True):
            if self.not_finite is not None and self.not_finite in text:
                row[:] = np.nan
        data = [
            {"object": "embedding", "index": index, "embedding": self._written(row)}
            for index, row in enumerate(rows)
        ]
        if self.shuffled:
            data = data[1::2] + data[::2]
        return {"object": "list", "model": request.body.get("model"), "data": data}

    def _written(self, row: NDArray[np.float32]) -> str | list[float]:
        if self.base64:
            return base64.b64encode(row.astype("<f4").tobytes()).decode("ascii")
        return [float(number) for number in row]


def _handler_of(server: EmbeddingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            seen = SeenRequest(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            status, headers, said = server.answer(seen)
            data = said.encode()
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except ConnectionError:
                self.close_connection = True  # the client did not wait; it was told to be late

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
            """Print nothing: ``requests`` has it."""

    return Handler
