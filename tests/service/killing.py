"""A service that is killed while it is written to, and what it had acknowledged."""

from __future__ import annotations

import http.client
import json
import signal
import threading
import urllib.error
import urllib.request
from typing import Any

from tests.service.serving import Served

WRITERS = 4

Done = dict[str, tuple[str, Any, Any]]
"""By its idempotency key: the path, the body and the answer of an acknowledged write."""


def send(service: Served, path: str, body: Any, name: str) -> tuple[int, Any]:
    request = urllib.request.Request(f"{service.url}/v1{path}", json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    request.add_header("Authorization", f"Bearer {service.key}")
    request.add_header("Idempotency-Key", name)
    request.add_header("X-Vigent-Subject", "p1")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.status, json.loads(answer.read())


def write_on(service: Served, done: Done, begun: set[str], mark: str) -> None:
    """Write, of each kind in turn, until the service is gone; keep what was acknowledged."""
    number = 0
    while True:
        name, at = f"{mark}-{number}", {"index_id": "default"}
        path, body = (
            ("/memory", {**at, "subject": f"s{mark}", "attribute": "city", "value": name}),
            ("/memory", {**at, "text": f"said {name}"}),
            ("/memory/batch", {**at, "items": [
                {"subject": f"b{name}-{n}", "attribute": "city", "value": name}
                for n in range(3)]}),
            ("/threads/talk/items", {"role": "user", "content": name}),
            ("/episodes", {**at, "content": name}),
        )[number % 5]  # fmt: skip
        begun.add(name)
        try:
            status, answer = send(service, path, body, name)
        except (OSError, urllib.error.URLError, http.client.HTTPException, ValueError):
            return
        assert status in {200, 201}
        done[name] = (path, body, answer)
        number += 1


def killed_under_load(service: Served, done: Done, begun: set[str], round_: int) -> None:
    before = len(done)
    writers = [
        threading.Thread(target=write_on, args=(service, done, begun, f"{round_}-{n}"))
        for n in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    enough = threading.Event()
    for _ in range(600):
        if len(done) - before >= 60:
            break
        enough.wait(0.05)
    assert service.stop(signal.SIGKILL) == -signal.SIGKILL
    for writer in writers:
        writer.join(60)


def told_of(answer: Any) -> Any:
    """Give what an answer says for good: records are shown as they stand when they are shown."""
    if isinstance(answer, list):
        return [told_of(one) for one in answer]
    if not isinstance(answer, dict):
        return answer
    if "memory_id" in answer:
        return [answer[name] for name in ("memory_id", "subject", "value", "text", "created_at")]
    return {name: told_of(one) for name, one in answer.items()}
