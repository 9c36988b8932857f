"""Starts ``vigent serve`` as a process of its own, and talks to it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple


class Answer(NamedTuple):
    status: int
    headers: Any
    body: Any


class Served:
    """One running service; ``key`` is None where it printed none."""

    def __init__(self, folder: Path, *options: str, env: dict[str, str] | None = None) -> None:
        self.log = folder / f"service-{time.monotonic_ns()}.log"
        self.said: list[str] = []
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "vigent", "serve", "--port", "0", *options],
                stdout=subprocess.PIPE, stderr=log, cwd=folder, text=True,
                env={**os.environ, "VIGENT_EMBEDDER": "none", **(env or {})},
            )  # fmt: skip
        self.url, self.key = "", None
        for line in self.process.stdout:
            self.said.append(line.rstrip("\n"))
            if found := re.search(r"at (http://\S+) ", line):
                self.url = found[1]
                break
        assert self.url, self.log.read_text()
        # The key is printed when the store is open: it is there once the service is ready.
        self._wait_for_answers()
        self._read_key()

    def _read_key(self) -> None:
        os.set_blocking(self.process.stdout.fileno(), False)
        self.said += [line.rstrip("\n") for line in self.process.stdout]
        for line in self.said:
            if line.startswith("export VIGENT_KEY="):
                self.key = line.partition("=")[2]

    def _wait_for_answers(self) -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                if self.get("/health/ready", key="").status == 200:
                    return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(self.log.read_text())

    def get(self, path: str, *, key: str | None = None) -> Answer:
        return self.send("GET", path, None, key=key)

    def post(self, path: str, body: Any, *, key: str | None = None) -> Answer:
        return self.send("POST", path, json.dumps(body).encode(), key=key)

    def send(self, method: str, path: str, body: bytes | None, *, key: str | None) -> Answer:
        request = urllib.request.Request(self.url + path, body, method=method)
        request.add_header("Content-Type", "application/json")
        if shown := self.key if key is None else key:
            request.add_header("Authorization", f"Bearer {shown}")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return _answer(answer.status, answer)
        except urllib.error.HTTPError as error:
            with error:
                return _answer(error.code, error)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        code = self.process.wait(60)
        self.process.stdout.close()
        return code

    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def _answer(status: int, answer: Any) -> Answer:
    raw = answer.read()
    kind = answer.headers.get("Content-Type", "")
    return Answer(status, answer.headers, json.loads(raw) if "json" in kind else raw.decode())


@contextmanager
def served(folder: Path, *options: str, env: dict[str, str] | None = None) -> Iterator[Served]:
    one = Served(folder, *options, env=env)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait(30)
        one.process.stdout.close()
