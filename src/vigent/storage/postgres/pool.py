"""The connections of a process: handed out last in first out, checked when they are handed out."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Final

import psycopg

from vigent.errors import StoreBusy, UnavailableError
from vigent.storage.postgres.line import Line

__all__ = ["Pool"]

_IDLE: Final = 300.0
"""Seconds after which a connection that nobody used is given up."""


class Pool:
    """At most so many connections, opened when they are needed.

    Raises StoreBusy where all are in use for ``patience`` seconds, and UnavailableError where the
    database cannot be reached. A connection that the server ended meanwhile is not handed out.
    """

    def __init__(self, connect: Callable[[], Line], *, size: int, patience: float) -> None:
        self._connect = connect
        self._size = size
        self._patience = patience
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._guard = threading.Lock()
        self._free = threading.Semaphore(self._size)
        self._idle: list[Line] = []

    @contextmanager
    def line(self, *, wait: bool = True) -> Generator[Line]:
        """Hand out a connection; it goes back in whatever way the block ends."""
        line = self.take(wait=wait)
        try:
            yield line
        finally:
            self.give(line)

    def take(self, *, wait: bool = True) -> Line:
        """Hand out a connection, which ``give`` has to take back."""
        if self._process != os.getpid():  # those of the parent process are left alone
            self._inherited = self._idle
            self._begin()
        if self._closed:
            raise UnavailableError("the store is closed")
        if not self._free.acquire(timeout=self._patience if wait else 0.0):
            raise StoreBusy("all connections to the database are in use; nothing was written")
        done = False
        try:
            line = self._sound() or self._connect()
            done = True
        finally:
            if not done:
                self._free.release()
        return line

    def _sound(self) -> Line | None:
        while True:
            with self._guard:
                if not self._idle:
                    return None
                line = self._idle.pop()
            with suppress(psycopg.Error, UnavailableError):
                if line.owing:
                    line.finish()
                if line.quiet:
                    return line
            line.close()

    def give(self, line: Line) -> None:
        """Take a connection back; one that is broken is let go."""
        old: list[Line] = []
        if not line.broken:
            now = line.idle_since = time.monotonic()
            with self._guard:
                if self._closed:
                    old.append(line)
                else:
                    while self._idle and now - self._idle[0].idle_since > _IDLE:
                        old.append(self._idle.pop(0))
                    self._idle.append(line)
        self._free.release()
        for one in old:
            one.close()

    def close(self) -> None:
        """Close every connection; those in use when they come back."""
        with self._guard:
            self._closed = True
            idle, self._idle = self._idle, []
        for line in idle:
            line.close()
