"""Servers of the benches: one process each, with one worker."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

__all__ = ["HOST", "load", "request", "served"]

HOST = "127.0.0.1"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


@contextmanager
def served(app: str, *, factory: bool = False, db: Path | None = None) -> Iterator[int]:
    """Serve an app in a process of its own; gives the port."""
    port = _free_port()
    environment = {**os.environ, "VIGENT_EMBEDDER": "none"}
    if db is not None:
        environment["VIGENT_DB"] = str(db)
    command = [sys.executable, "-m", "uvicorn", app, "--port", str(port), "--log-level", "warning",
               "--no-access-log", *(["--factory"] if factory else [])]  # fmt: skip
    # The log of requests is written, as it is in operation, but not between the figures.
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, env=environment, stderr=log)
        try:
            _wait(port, process, log)
            yield port
        finally:
            process.terminate()
            process.wait(30)


def _wait(port: int, process: subprocess.Popen[bytes], log: IO[bytes]) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if not probe.connect_ex((HOST, port)):
                return
        if process.poll() is not None:
            log.seek(0)
            raise RuntimeError(f"the server did not start: {log.read().decode()}")
        time.sleep(0.05)
    raise RuntimeError("the server did not answer")


def request(method: str, path: str, body: Any = None, **headers: str) -> str:
    """Give a request as it goes over the wire; underscores in header names are dashes."""
    data = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}", f"Content-Length: {len(data)}"]
    if body is not None:
        lines.append("Content-Type: application/json")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n") + data.decode()


def load(port: int, requests: Sequence[str], *, connections: int, seconds: float) -> dict[str, Any]:
    """Load a server from a process of its own, and give what it found."""
    told = {"host": HOST, "port": port, "requests": list(requests), "connections": connections,
            "seconds": seconds}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "bench.load"], input=json.dumps(told), capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)
