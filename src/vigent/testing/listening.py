"""A server on this machine for as long as a ``with`` statement lasts, for servers of tests."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

__all__ = ["LocalServer"]


class LocalServer:
    """Listens while the ``with`` statement lasts, and answers by the handler of its class.

    Port 0 takes one that is free. ``stopped`` is set when it ends, so that an answer that is
    being held back does not outlast it.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self._where = (host, port)
        self._listening: tuple[ThreadingHTTPServer, threading.Thread] | None = None
        self.stopped = threading.Event()

    def handler(self) -> type[BaseHTTPRequestHandler]:
        """Give what answers a request."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        server = ThreadingHTTPServer(self._where, self.handler())
        server.daemon_threads = True
        server.block_on_close = False  # a client may keep its connection open
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        self._listening = server, thread
        thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stopped.set()
        if self._listening is not None:
            server, thread = self._listening
            server.shutdown()
            thread.join()
            server.server_close()

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._listening is not None, "use it in a with statement"
        return self._listening[0].server_address[1]

    @property
    def root(self) -> str:
        """The address, without a path."""
        return f"http://{self._where[0]}:{self.port}"

    @property
    def url(self) -> str:
        """The base URL for clients that speak as OpenAI's."""
        return f"{self.root}/v1"
