"""The service as schemathesis calls it: a store with things in it, and their ids in most calls."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.engine import events, from_schema
from schemathesis.hooks import unregister
from starlette.testclient import TestClient

from tests.service.calls import bearer, make_key
from vigent.edges.http.app import create_app
from vigent.service import Service

CONFIG = {
    "checks": {
        # What the schema cannot say (an end before its beginning, an unknown zone) is 422.
        "positive_data_acceptance": {
            "expected-statuses": [
                "2xx", "400", "401", "403", "404", "409", "410", "422", "429", "501",
            ],
        },
        # Nothing is extracted yet, and the route says so.
        "not_a_server_error": {"expected-statuses": ["2xx", "3xx", "4xx", "501"]},
    },
}  # fmt: skip
ALL = ("memory", "knowledge", "threads", "responses", "management")
MOSTLY = 0.85


class World:
    """One tenant on a file, filled; what calls took away is put there again."""

    def __init__(self, path: Path) -> None:
        self.service = Service.open(path, embedder="none")
        self.app = create_app(self.service)
        self.client = TestClient(self.app)
        first = self.service.first_start()
        self.headers = bearer(first.key)
        self.index_id = first.index_id
        self.own = f"key_{first.key.split('_')[2]}"
        self.random = random.Random(7)
        self.key = make_key(self.client, self.headers, *ALL)["id"]
        self.known: dict[str, Any] = {}
        self.calls = 0

    def post(self, path: str, body: Any) -> Any:
        made = self.client.post(f"/v1{path}", json=body, headers=self.headers)
        assert made.status_code in {200, 201}, made.text
        return made.json()

    def refresh(self) -> dict[str, Any]:
        """Make things to be named, anew every so many calls: some are removed meanwhile."""
        self.calls += 1
        if self.calls % 100 == 1:
            number, at = self.calls, {"index_id": self.index_id}
            written = self.post(
                "/memory", {**at, "subject": "mira", "attribute": "city", "value": f"V{number}"}
            )
            held = self.post(
                "/memory/propose",
                {**at, "type": "preference", "subject": "mira", "attribute": "tea",
                 "value": f"T{number}", "confidence": 0.9},
            )  # fmt: skip
            episode = self.post(
                "/episodes", {**at, "content": "Mira moved to Lugo", "role": "user"}
            )
            thread = self.post("/threads", at)
            item = self.post(f"/threads/{thread['id']}/items", {"role": "user", "content": "hello"})
            agent = self.post("/agents", {"name": f"a{number}", "model": "m1"})
            store = self.post("/memory/stores", {"name": f"s{number}"})
            key = make_key(self.client, self.headers, *ALL)
            self.post(f"/stores/{self.index_id}/aliases", {"name": f"mi{number}", "of": "mira"})
            self.client.put(
                f"/v1/stores/{self.index_id}/blocks/notes",
                json={"text": "be brief"},
                headers=self.headers,
            )
            self.known = {
                "memory_id": written["memory"]["memory_id"], "held": held["memory"]["memory_id"],
                "episode_id": episode["episode_id"], "thread_id": thread["id"],
                "item": item["id"], "agent_id": agent["id"], "key_id": key["id"],
                "spare": store["id"],
            }  # fmt: skip
        return self.known

    def aim(self, case: Any) -> None:
        """Put real ids into a call, mostly; keep the key, the tenant and the store alive."""
        known, path = self.refresh(), case.operation.path
        removes = case.method == "DELETE"
        index_id = known["spare"] if removes and path.endswith("stores/{index_id}") else None
        tool = f"memory__{self.index_id}__{self.random.choice(('search', 'write'))}"
        named = {
            "index_id": index_id or self.index_id, "tenant_id": "default", "person_id": "p1",
            "thread_id": known["thread_id"], "agent_id": known["agent_id"],
            "key_id": known["key_id"], "episode_id": known["episode_id"],
            "memory_id": known["held" if "review" in path else "memory_id"],
            "subject": "mira", "attribute": "city",
            "name": tool if "tools" in path else "notes" if "blocks" in path else "mi",
        }  # fmt: skip
        self._put(case, ParameterLocation.PATH, case.path_parameters, named)
        queried = {k: named[k] for k in ("index_id", "subject", "attribute", "name")}
        self._put(case, ParameterLocation.QUERY, case.query, queried)
        told = {"index_id": self.index_id, "thread": known["thread_id"], "agent": None,
                "tenant_id": "default", "source_episode_id": known["episode_id"],
                "supersedes": known["memory_id"]}  # fmt: skip
        self._put(case, ParameterLocation.BODY, case.body, told)
        # Neither by chance nor from an answer: the key and the store of the run themselves.
        for name, own in (("key_id", self.own), ("index_id", self.index_id if removes else "")):
            if isinstance(case.path_parameters, dict) and case.path_parameters.get(name) == own:
                case.path_parameters[name] = named[name]
        if case.method == "DELETE" and path == "/v1/tenants/{tenant_id}":
            case.query = {"dry_run": True}
        if not (case.meta and case.meta.is_negative_at(ParameterLocation.HEADER)):
            for name, real in (("X-Vigent-Subject", "p1"), ("X-Vigent-Subject-Token", None)):
                if self.random.random() < MOSTLY and case.headers is not None:
                    case.headers.pop(name, None)
                    if real is not None and self.random.random() < 0.5:
                        case.headers[name] = real

    def _put(self, case: Any, where: Any, given: Any, named: dict[str, Any]) -> None:
        if not isinstance(given, dict) or (case.meta and case.meta.is_negative_at(where)):
            return
        for name in given.keys() & named.keys():
            if self.random.random() < MOSTLY:
                given[name] = named[name]


def run(world: World, *, examples: int, chains: bool) -> list[str]:
    """Call every route of a world's app; gives what failed, each once and as it is told.

    First what lies on the edges of its schema, then so many examples at random; with ``chains``
    also calls that use what earlier ones answered.
    """

    async def calls(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            raise RuntimeError("calls alone: the life of the app is the world's")
        await world.app(scope, receive, send)

    def before_call(context: Any, case: Any, kwargs: Any) -> None:
        world.aim(case)

    # Of the methods that a path has not, a short run tries two.
    coverage = {} if chains else {"unexpected-methods": ["PUT", "DELETE"]}
    config = schemathesis.Config.from_dict(
        {
            **CONFIG, "seed": 11, "headers": world.headers,
            "generation": {"max-examples": examples, "deterministic": True, "database": "none"},
            "phases": {"stateful": {"enabled": chains}, "coverage": coverage},
        }
    )  # fmt: skip
    schema = schemathesis.openapi.from_dict(world.app.openapi(), config=config)
    schema.app = calls
    schemathesis.hook(before_call)
    found: dict[str, None] = {}
    try:
        for event in from_schema(schema).execute():
            for told in _failures(event):
                found[told] = None
    finally:
        unregister(before_call)
    return list(found)


def _failures(event: Any) -> Iterator[str]:
    if isinstance(event, events.FatalError):
        raise event.exception
    if isinstance(event, events.NonFatalError):
        yield f"{event.label}: {event.value!r}"
    if isinstance(event, events.ScenarioFinished):
        for nodes in event.recorder.checks.values():
            for node in nodes:
                if node.failure_info is not None:
                    failure, curl = node.failure_info.failure, node.failure_info.code_sample
                    yield f"{failure.operation}: {failure.title}: {failure.message}\n    {curl}"
