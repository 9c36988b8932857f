"""Runs the app on uvicorn, so that a stop by signal finishes what is under way and ends with 0."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from uvicorn import Config
from uvicorn import Server as Uvicorn
from uvicorn.supervisors import Multiprocess

__all__ = ["Server", "serve_by_many"]

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


def serve_by_many(config: Config, listening: socket.socket) -> None:
    """Serve with as many processes as the configuration says; one that dies is made anew."""
    Multiprocess(config, [listening]).run()
