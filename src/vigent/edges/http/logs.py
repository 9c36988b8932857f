"""Logs as JSON, a line each, on standard error: what happened, never what was said or who said it.

Of a request: its id, route, status and time, and a digest of its tenant, by which an operator can
tell tenants apart without a name in the logs.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import time
from base64 import b32decode
from functools import lru_cache
from typing import Any, Final, TextIO

import orjson

__all__ = ["JsonFormatter", "RequestLog", "log_config", "tenant_digest"]

_log = logging.getLogger("vigent")


def tenant_digest(tenant: str) -> str:
    """Give what stands for a tenant in the logs: 12 digits of a digest of its id."""
    return hashlib.blake2b(tenant.encode(), digest_size=6).hexdigest()


class RequestLog:
    """Writes one line for each request."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = (stream or sys.stderr).buffer

    def note(
        self, id: bytes, method: str, route: str, status: int, seconds: float, authorization: bytes
    ) -> None:
        """Write the line of one request; a call that was not let in has no tenant."""
        line: dict[str, Any] = {
            "at": _instant(time.time()), "level": "info", "event": "request", "id": id.decode(),
            "method": method if route != "(none)" else "(any)", "route": route, "status": status,
            "ms": round(seconds * 1000, 2),
        }  # fmt: skip
        if authorization and status != 401:
            named = authorization.split(b"_", 2)
            if len(named) == 3:
                line["tenant"] = _digest_of(named[1])
        self._write(line)

    def _write(self, line: dict[str, Any]) -> None:
        try:
            self._stream.write(orjson.dumps(line) + b"\n")
            self._stream.flush()
        except (OSError, ValueError):  # nobody reads the log any more; the service goes on
            return

    @staticmethod
    def fault(id: str, kind: str, where: str) -> None:
        """Write that a request met a fault of ours."""
        _log.error("fault %s at %s", kind, where, extra={"request_id": id})


@lru_cache(maxsize=1024)
def _digest_of(named: bytes) -> str | None:
    """Give the digest of the tenant that a key names."""
    text = named.upper()
    try:
        return tenant_digest(b32decode(text + b"=" * (-len(text) % 8)).decode())
    except ValueError:
        return None


def _instant(at: float) -> str:
    whole = int(at)
    return f"{_second(whole)}.{int((at - whole) * 1000):03d}Z"


@lru_cache(maxsize=4)
def _second(at: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object; of an error its kind and place, not its message."""

    def format(self, record: logging.LogRecord) -> str:
        """Give one line."""
        line: dict[str, Any] = {
            "at": _instant(record.created), "level": record.levelname.lower(), "event": "log",
            "logger": record.name, "message": record.getMessage(),
        }  # fmt: skip
        if id := getattr(record, "request_id", None):
            line["id"] = id
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
        return orjson.dumps(line).decode()


_JSON: Final = {"()": "vigent.edges.http.logs.JsonFormatter"}


def log_config(level: str) -> dict[str, Any]:
    """Give what ``logging.config.dictConfig`` takes, for the whole process."""
    loud = level.upper()
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": _JSON},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "json"},
        },
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "vigent": {"level": loud},
            "uvicorn": {"level": loud if loud != "INFO" else "WARNING"},
            # Clients of model servers log addresses.
            "httpx2": {"level": "WARNING"},
        },
    }  # fmt: skip
