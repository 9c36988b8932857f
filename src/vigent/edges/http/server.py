"""Runs the app on uvicorn, so that a stop by signal finishes what is under way and ends with 0."""

from __future__ import annotations

import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, cast

from uvicorn import Config
from uvicorn import Server as Uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.supervisors import Multiprocess

from vigent.edges.http.app import create_app
from vigent.edges.http.logs import log_config
from vigent.edges.http.opening import Opening
from vigent.edges.http.problems import problem
from vigent.errors import InvalidInput
from vigent.service import Service
from vigent.settings import Settings, set_metrics_folder

__all__ = ["Server", "serve_alone", "serve_by_many"]

_IDLE: Final = 75
"""Seconds for which an idle connection is kept: longer than clients and proxies do (60 s at most).

Who ends it first must not be the one who does not know whether a request is on its way.
"""
_STOPS: Final = (signal.SIGINT, signal.SIGTERM)


class Server(Uvicorn):
    """uvicorn, except that a signal it obeyed is not raised once more at the end."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Stop for a signal: a second Ctrl-C does not wait for what is under way."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in _STOPS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


class _Protocol(HttpToolsProtocol):
    """Reads HTTP; what is none is answered as any other problem."""

    def send_400_response(self, msg: str) -> None:
        """Refuse what cannot be read as a request, and close the connection."""
        said = problem(400, "bad_request", msg, headers={"Connection": "close"})
        lines = [b"HTTP/1.1 400 Bad Request", *(b": ".join(one) for one in said.raw_headers)]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(said.body)]))
        self.transport.close()


def _uvicorn(settings: Settings, app: Any, **more: Any) -> Config:
    return Config(
        app, loop="uvloop", http=_Protocol, ws="none", lifespan="on", access_log=False,
        server_header=False, proxy_headers=False, log_config=log_config(settings.logs.level),
        timeout_keep_alive=_IDLE,
        timeout_graceful_shutdown=round(settings.server.stop_seconds), **more,
    )  # fmt: skip


def serve_alone(
    settings: Settings, listening: socket.socket, announce: Callable[[Service], None]
) -> None:
    """Serve in this process until a signal; raises what the store could not be opened for."""

    def stop() -> None:
        server.should_exit = True

    app = create_app(settings=settings, opened=announce, failed=stop)
    server = Server(_uvicorn(settings, app))
    opening = cast("Opening", app.state.opening)
    opening.begin(stop)
    server.run([listening])
    if opening.error is not None:
        raise opening.error


def serve_by_many(
    settings: Settings, listening: socket.socket, announce: Callable[[Service], None]
) -> None:
    """Serve with several processes; one that dies is made anew.

    The store is opened here first, so that it is migrated once, and fails here if it does.
    """
    if settings.store.db == ":memory:":
        raise InvalidInput("server.workers", "a store in memory is one process's: 1")
    store = settings.store
    service = Service.open(
        store.db, schema=store.schema or None, embedder=None, durability=store.durability,
        busy_timeout=store.busy_seconds,
    )  # fmt: skip
    try:
        announce(service)
    finally:
        service.close()
    made = partial(create_app, settings=settings)
    with _counted_together():
        config = _uvicorn(settings, made, factory=True, workers=settings.server.workers)
        Multiprocess(config, [listening]).run()


@contextmanager
def _counted_together() -> Generator[None]:
    """Have the processes count their requests in one folder, which their library is told so."""
    with tempfile.TemporaryDirectory(prefix="vigent-metrics-") as folder:
        set_metrics_folder(folder)
        try:
            yield
        finally:
            set_metrics_folder(None)
