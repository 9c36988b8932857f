"""A service whose worker reads conversations by a scripted model, and short words for both."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.service.calls import bearer
from vigent.service import Service
from vigent.service.working import Extractor, extractor_of
from vigent.settings import LanguageSettings, LearningSettings
from vigent.testing import ModelServer
from vigent.testing.modelwire import ModelRequest

PATH = "/v1/memory/stores/default/extraction"
ON = {"enabled": True, "model": "small", "quiet_minutes": 0}


def learning(**more: Any) -> LearningSettings:
    return LearningSettings(**{"threads": 2, "look_seconds": 0.05, "lease_seconds": 30.0, **more})


def language(server: ModelServer, **more: Any) -> LanguageSettings:
    return LanguageSettings(model=f"{server.url}#small", **{"attempts": 1, **more})


@contextmanager
def served(place: Any, server: ModelServer, clock: Any, **more: Any) -> Generator[Service]:
    service = Service.open(place, clock=clock, embedder="none", models=language(server, **more))
    try:
        yield service
    finally:
        service.close()


def worker(service: Service, **more: Any) -> Extractor:
    made = extractor_of(service, learning(**more))
    assert made is not None
    return made


def drain(service: Service, **more: Any) -> None:
    one = worker(service, **more)
    one.drain()
    assert one.problem is None
    one.stop()


class Calls:
    """What tests of extraction ask of the service, under one key."""

    def __init__(self, client: Any, headers: dict[str, str]) -> None:
        self.client, self.headers = client, headers

    def switch(self, **more: Any) -> dict[str, Any]:
        done = self.client.put(PATH, json={**ON, **more}, headers=self.headers)
        assert done.status_code == 200, done.text
        return done.json()

    def told(self) -> dict[str, Any]:
        return self.client.get(PATH, headers=self.headers).json()

    def run(self) -> None:
        done = self.client.post(f"{PATH}/run", headers=self.headers)
        assert done.status_code == 202, done.text

    def talk(self, person: str | None, *said: Any, thread: str | None = None, **more: Any) -> str:
        """Put items into a thread, made if need be; gives its id."""
        headers = self.headers if person is None else {**self.headers, "X-Vigent-Subject": person}
        if thread is None:
            made = self.client.post("/v1/threads", json=more, headers=headers)
            assert made.status_code == 201, made.text
            thread = made.json()["id"]
        for item in said:
            body = {"kind": "user", "content": item} if isinstance(item, str) else item
            done = self.client.post(f"/v1/threads/{thread}/items", json=body, headers=headers)
            assert done.status_code == 201, done.text
        assert thread is not None
        return thread

    def memories(self, person: str | None) -> list[tuple[str, str, str]]:
        headers = self.headers if person is None else {**self.headers, "X-Vigent-Subject": person}
        found = self.client.get("/v1/memory", params={"index_id": "default"}, headers=headers)
        assert found.status_code == 200, found.text
        return sorted((m["subject"], m["attribute"], m["value"]) for m in found.json()["memories"])


def calls(client: Any, key: str) -> Calls:
    return Calls(client, bearer(key))


def items_of(request: ModelRequest) -> list[dict[str, Any]]:
    """Give the items that a request shows, as the model sees them."""
    return [
        json.loads(line)
        for line in request.text.partition("\nWINDOW\n")[2].splitlines()
        if line.startswith('{"n"')
    ]


def candidate(item: int, quote: str, attribute: str, value: Any, **more: Any) -> dict[str, Any]:
    return {
        "item": item, "quote": quote, "speaker": None, "about": "self", "assertion": "asserted",
        "durable": "durable", "type": "fact", "subject": "user", "attribute": attribute,
        "relation": "new", "state": None, "value": value, "time_words": None, "valid_from": None,
        "valid_to": None, "due": None, "importance": 5, "confidence": 0.9, **more,
    }  # fmt: skip


SAID = re.compile(r"\bmy (\w+) is (?:now )?(\w+)", re.IGNORECASE)


def reads_what_is_said(request: ModelRequest) -> dict[str, Any]:
    """Answer as a good model would that knows one form: "my city is Ghent"."""
    found: Sequence[dict[str, Any]] = [
        candidate(
            item["n"], match.group(), match[1].lower(), match[2],
            relation="changed" if " now " in match.group() else "new",
        )
        for item in items_of(request)
        if item["role"] == "user" and not item.get("context_only")
        for match in SAID.finditer(item["text"])
    ]  # fmt: skip
    return {"candidates": list(found)}
