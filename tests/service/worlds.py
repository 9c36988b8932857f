"""One set of verbs over several surfaces, so that a case is written once and runs on each.

A world has tenants; a place is one tenant's store as one person (or nobody) uses it. Answers are
the JSON that every surface gives; what is refused raises ``Refused``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote

from starlette.testclient import TestClient

from tests.service.mcp_world import McpWorld
from tests.service.refusals import Refused, refusing
from vigent import Memory
from vigent.edges.http.app import create_app
from vigent.errors import VigentError
from vigent.govern.people import shown_entry
from vigent.service import Service

Json = dict[str, Any]
OBSERVED = {"refusal", "admin_read", "person_read", "memory_read"}
"""What the audit trail has of reads: it is not of what was changed."""

__all__ = ["WORLDS", "HttpWorld", "Place", "PythonWorld", "Refused", "World", "refusing"]


class Place(Protocol):
    """The verbs of a surface."""

    def write(self, **fields: Any) -> Json: ...
    def write_many(self, items: list[Json], *, atomic: bool = False) -> list[Json]: ...
    def retract(self, memory_id: str, **fields: Any) -> Json: ...
    def capture(self, content: Any, **fields: Any) -> Json: ...
    def capture_all(self, items: list[Json]) -> None: ...
    def current(self, subject: str, attribute: str, **at: Any) -> Json | None: ...
    def history(self, subject: str, attribute: str) -> list[Json]: ...
    def list(self, **filters: Any) -> list[Json]: ...
    def get(self, memory_id: str) -> Json: ...
    def amend(self, memory_id: str, **changes: Any) -> Json: ...
    def forget(self, memory_id: str) -> None: ...
    def search(self, query: Any, **asked: Any) -> list[Json]: ...
    def context(self, query: str, **asked: Any) -> Json: ...


class World(Protocol):
    """Tenants on one store, with a surface before them."""

    def place(self, tenant: str = "t1", person: str | None = None) -> Place: ...
    def erase(self, tenant: str, person: str) -> Mapping[str, int]: ...
    def sweep(self, tenant: str) -> int: ...
    def reindex(self, tenant: str) -> None: ...
    def audit(self, tenant: str) -> list[Json]: ...
    def restart(self) -> None: ...
    def close(self) -> None: ...


# ---------------------------------------------------------------------------------- python


class PythonWorld:
    """``Memory`` itself, one for each tenant."""

    def __init__(self, path: Any, clock: Any) -> None:
        self._path, self._clock = path, clock
        self._open: dict[str, Memory] = {}

    def memory(self, tenant: str) -> Memory:
        if tenant not in self._open:
            with refusing():
                self._open[tenant] = Memory.open(self._path, tenant=tenant, clock=self._clock)
        return self._open[tenant]

    def place(self, tenant: str = "t1", person: str | None = None) -> PythonPlace:
        return PythonPlace(self.memory(tenant), person)

    def erase(self, tenant: str, person: str) -> Mapping[str, int]:
        with refusing():
            return self.memory(tenant).erase_person(person).counts

    def sweep(self, tenant: str) -> int:
        return self.memory(tenant).sweep()

    def reindex(self, tenant: str) -> None:
        self.memory(tenant).index.rebuild()

    def audit(self, tenant: str) -> list[Json]:
        with self.memory(tenant)._storage.snapshot() as snapshot:
            return [shown_entry(row) for row in snapshot.audit_entries(tenant, limit=200)]

    def restart(self) -> None:
        self.close()
        self._open.clear()

    def close(self) -> None:
        for memory in self._open.values():
            memory.close()


class PythonPlace:
    def __init__(self, memory: Memory, person: str | None) -> None:
        self._memory, self._who = memory, {"person": person}

    def write(self, **fields: Any) -> Json:
        with refusing():
            return self._memory.write(**fields, **self._who).to_dict()

    def write_many(self, items: list[Json], *, atomic: bool = False) -> list[Json]:
        with refusing():
            done = self._memory.write_many(items, atomic, **self._who)
        return [{"error": d.to_dict()} if isinstance(d, VigentError) else d.to_dict() for d in done]

    def retract(self, memory_id: str, **fields: Any) -> Json:
        with refusing():
            return self._memory.records.retract(memory_id, **fields, **self._who).to_dict()

    def capture(self, content: Any, **fields: Any) -> Json:
        with refusing():
            return self._memory.capture(content, **fields, **self._who).to_dict()

    def capture_all(self, items: list[Json]) -> None:
        for item in items:
            self.capture(**item)

    def current(self, subject: str, attribute: str, **at: Any) -> Json | None:
        with refusing():
            found = self._memory.current(subject, attribute, **at, **self._who)
        return None if found is None else found.to_dict()

    def history(self, subject: str, attribute: str) -> list[Json]:
        with refusing():
            return [r.to_dict() for r in self._memory.history(subject, attribute, **self._who)]

    def list(self, **filters: Any) -> list[Json]:
        with refusing():
            return [r.to_dict() for r in self._memory.list(**filters, **self._who)]

    def get(self, memory_id: str) -> Json:
        with refusing():
            return self._memory.get(memory_id, **self._who).to_dict()

    def amend(self, memory_id: str, **changes: Any) -> Json:
        with refusing():
            return self._memory.records.amend(memory_id, **changes, **self._who).to_dict()

    def forget(self, memory_id: str) -> None:
        with refusing():
            self._memory.forget(memory_id, **self._who)

    def search(self, query: Any, **asked: Any) -> list[Json]:
        with refusing():
            return self._memory.search(query, **asked, **self._who).to_dict()["hits"]

    def context(self, query: str, **asked: Any) -> Json:
        with refusing():
            return self._memory.context(query, **asked, **self._who).to_dict()


# ------------------------------------------------------------------------------------ http


class HttpWorld:
    """The service over HTTP, in this process; a key for each tenant."""

    def __init__(self, path: Any, clock: Any) -> None:
        self._path, self._clock = path, clock
        self.keys: dict[str, str] = {}
        self._start()

    def _start(self) -> None:
        self.service = Service.open(self._path, clock=self._clock)
        self.client = TestClient(create_app(self.service), raise_server_exceptions=False)

    def place(self, tenant: str = "t1", person: str | None = None) -> HttpPlace:
        if tenant not in self.keys:
            with refusing():
                self.keys[tenant] = self.service.new_tenant(tenant).key
        return HttpPlace(self, self.keys[tenant], person)

    def erase(self, tenant: str, person: str) -> Mapping[str, int]:
        path = f"/v1/persons/{quote(person, safe='')}/memory"
        return self.place(tenant).ask("DELETE", path)["counts"]

    def memory_of(self, tenant: str) -> Memory:
        """What the operator of the service has: a store, with no caller."""
        return self.service.base(self.service.registry.named(tenant, "store", "default"))

    def export(self, tenant: str, person: str) -> str:
        path = f"/v1/persons/{quote(person, safe='')}/export"
        return json.dumps(self.place(tenant).ask("GET", path))

    def sweep(self, tenant: str) -> int:
        return self.memory_of(tenant).sweep()

    def reindex(self, tenant: str) -> None:
        self.memory_of(tenant).index.rebuild()

    def audit(self, tenant: str) -> list[Json]:
        found = self.place(tenant).ask("GET", "/v1/audit", params={"limit": 200})["entries"]
        return [e for e in found if e["action"] not in OBSERVED]

    def restart(self) -> None:
        self.service.close()
        self._start()

    def close(self) -> None:
        self.service.close()


class HttpPlace:
    index_id = "default"

    def __init__(self, world: HttpWorld, key: str, person: str | None) -> None:
        self._world = world
        self.headers = {"Authorization": f"Bearer {key}"}
        if person is not None:
            self.headers["X-Vigent-Subject"] = person.encode().decode("latin-1")

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        headers = {**self.headers, **more.pop("headers", {})}
        if body is not None:
            more |= {"content": dumped(body)}
            headers["Content-Type"] = "application/json"
        got = self._world.client.request(method, path, headers=headers, **more)
        if got.status_code >= 400:
            told = got.json()
            raise Refused(told["code"], told.get("field"), told["detail"], got.status_code)
        return got.json() if got.content else None

    def _post(self, path: str, fields: Json) -> Any:
        name = fields.pop("idempotency_key", None)
        headers = {} if name is None else {"Idempotency-Key": name}
        return self.ask("POST", path, {"index_id": self.index_id, **fields}, headers=headers)

    def write(self, **fields: Any) -> Json:
        return self._post("/v1/memory", fields)

    def write_many(self, items: list[Json], *, atomic: bool = False) -> list[Json]:
        return self._post("/v1/memory/batch", {"items": items, "atomic": atomic})["results"]

    def retract(self, memory_id: str, **fields: Any) -> Json:
        return self.ask("POST", f"/v1/memory/{memory_id}/retract", fields)

    def capture(self, content: Any, **fields: Any) -> Json:
        return self._post("/v1/episodes", {"content": content, **fields})

    def capture_all(self, items: list[Json]) -> None:
        for item in items:
            self.capture(**item)

    def current(self, subject: str, attribute: str, **at: Any) -> Json | None:
        part = f"{quote(subject, safe='')}/{quote(attribute, safe='')}"
        path = f"/v1/stores/{self.index_id}/state/{part}"
        if set(part.split("/")) & {".", ".."}:  # clients take such parts out of a path
            path, at = f"/v1/stores/{self.index_id}/state", {
                **at, "subject": subject, "attribute": attribute,
            }  # fmt: skip
        return self.ask("GET", path, params=at)["memory"]

    def history(self, subject: str, attribute: str) -> list[Json]:
        named = {"subject": subject, "attribute": attribute}
        return self.ask("GET", f"/v1/stores/{self.index_id}/history", params=named)["memories"]

    def list(self, **filters: Any) -> list[Json]:
        asked = {"index_id": self.index_id, "limit": 2, **filters}
        for field, condition in asked.pop("metadata", {}).items():
            asked[f"metadata.{field}"] = dumped(condition).decode()
        found: list[Json] = []
        while True:
            page = self.ask("GET", "/v1/memory", params=asked)
            found += page["memories"]
            if page["next"] is None:
                return found
            asked["next"] = page["next"]

    def get(self, memory_id: str) -> Json:
        return self.ask("GET", f"/v1/memory/{memory_id}")

    def amend(self, memory_id: str, **changes: Any) -> Json:
        return self.ask("PATCH", f"/v1/memory/{memory_id}", changes)

    def forget(self, memory_id: str) -> None:
        self.ask("DELETE", f"/v1/memory/{memory_id}")

    def search(self, query: Any, **asked: Any) -> list[Json]:
        return self._post("/v1/memory/search", {"query": query, **asked})["hits"]

    def context(self, query: str, **asked: Any) -> Json:
        return self._post("/v1/context", {"query": query, **asked})


def dumped(body: Any) -> bytes:
    """JSON as a careless client sends it: lone surrogates as escapes, NaN as it is."""

    return json.dumps(body).encode()


WORLDS = {"python": PythonWorld, "http": HttpWorld, "mcp": McpWorld}
