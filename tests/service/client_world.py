"""The worlds of ``Client`` and ``AsyncClient``: a real server on a port, in a thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anyio.from_thread import start_blocking_portal

from tests.service.worlds import OBSERVED, Json, Refused, refusing
from tests.serving import Server
from vigent import AsyncClient, Client, Memory
from vigent.edges.http.app import create_app
from vigent.errors import VigentError
from vigent.govern.people import shown_entry
from vigent.service import Service

Verb = Callable[..., Any]


class ClientWorld:
    """``Client``, one for each tenant, with the key of the tenant."""

    def __init__(self, path: Any, clock: Any) -> None:
        self._path, self._clock = path, clock
        self.keys: dict[str, str] = {}
        self._start()

    def _start(self) -> None:
        self._clients: dict[str, Any] = {}
        self.service = Service.open(self._path, clock=self._clock)
        self.server = Server(create_app(self.service))

    def client(self, tenant: str) -> Any:
        if tenant not in self.keys:
            with refusing():
                self.keys[tenant] = self.service.new_tenant(tenant).key
        if tenant not in self._clients:
            self._clients[tenant] = self._made(self.server.url, self.keys[tenant])
        return self._clients[tenant]

    def _made(self, url: str, key: str) -> Any:
        return Client(url, key)

    def run(self, verb: Verb, *given: Any, **named: Any) -> Any:
        with refusing():
            return verb(*given, **named)

    def rows(self, verb: Verb, **named: Any) -> list[Any]:
        with refusing():
            return list(verb(**named))

    def place(self, tenant: str = "t1", person: str | None = None) -> ClientPlace:
        return ClientPlace(self, self.client(tenant), person)

    def erase(self, tenant: str, person: str) -> Mapping[str, int]:
        return self.run(self.client(tenant).erase_person, person).counts

    def memory_of(self, tenant: str) -> Memory:
        """What the operator of the service has: a store, with no caller."""
        return self.service.base(self.service.registry.named(tenant, "store", "default"))

    def sweep(self, tenant: str) -> int:
        return self.memory_of(tenant).sweep()

    def reindex(self, tenant: str) -> None:
        self.memory_of(tenant).index.rebuild()

    def audit(self, tenant: str) -> list[Json]:
        with self.service.storage.snapshot() as snapshot:
            found = snapshot.audit_entries(tenant, limit=200)
        return [shown_entry(row) for row in found if row.action not in OBSERVED]

    def restart(self) -> None:
        self.close()
        self._start()

    def close(self) -> None:
        for client in self._clients.values():
            self.run(client.close)
        self.server.close()


class AsyncClientWorld(ClientWorld):
    """``AsyncClient``, on an event loop in a thread of its own."""

    def _start(self) -> None:
        self._entered = start_blocking_portal()
        self._loop = self._entered.__enter__()
        super()._start()

    def _made(self, url: str, key: str) -> Any:
        return AsyncClient(url, key)

    def run(self, verb: Verb, *given: Any, **named: Any) -> Any:
        async def asked() -> Any:
            return await verb(*given, **named)

        with refusing():
            return self._loop.call(asked)

    def rows(self, verb: Verb, **named: Any) -> list[Any]:
        async def walked() -> list[Any]:
            return [row async for row in verb(**named)]

        with refusing():
            return self._loop.call(walked)

    def close(self) -> None:
        super().close()
        self._entered.__exit__(None, None, None)


class ClientPlace:
    """The verbs of a client; what it has for keys alone is done by the key of the record."""

    def __init__(self, world: ClientWorld, client: Any, person: str | None) -> None:
        self._world, self._client, self._who = world, client, {"person": person}

    def _run(self, verb: Verb, *given: Any, **named: Any) -> Any:
        return self._world.run(verb, *given, **named, **self._who)

    def write(self, **fields: Any) -> Json:
        return self._run(self._client.write, **fields).to_dict()

    def write_many(self, items: list[Json], *, atomic: bool = False) -> list[Json]:
        done = self._run(self._client.write_many, items, atomic)
        return [{"error": d.to_dict()} if isinstance(d, VigentError) else d.to_dict() for d in done]

    def retract(self, memory_id: str, **fields: Any) -> Json:
        record = self._run(self._client.get, memory_id)
        named = {"subject": record.subject, "attribute": record.attribute, "value": record.value}
        return self._run(self._client.retract, **named, **fields).to_dict()

    def capture(self, content: Any, **fields: Any) -> Json:
        return self._run(self._client.capture, content, **fields).to_dict()

    def capture_all(self, items: list[Json]) -> None:
        for item in items:
            self.capture(**item)

    def current(self, subject: str, attribute: str, **at: Any) -> Json | None:
        found = self._run(self._client.current, subject, attribute, **at)
        return None if found is None else found.to_dict()

    def history(self, subject: str, attribute: str) -> list[Json]:
        return [r.to_dict() for r in self._run(self._client.history, subject, attribute)]

    def list(self, **filters: Any) -> list[Json]:
        rows = self._world.rows(self._client.list, **filters, **self._who)
        return [record.to_dict() for record in rows]

    def get(self, memory_id: str) -> Json:
        return self._run(self._client.get, memory_id).to_dict()

    def amend(self, memory_id: str, **changes: Any) -> Json:
        record = self._run(self._client.get, memory_id)
        if "value" not in changes:
            return {"memory": self._run(self._client.update, memory_id, **changes).to_dict()}
        named = {"subject": record.subject, "attribute": record.attribute}
        return self.write(**named, **changes, mode="correction", corrects=memory_id)

    def forget(self, memory_id: str) -> None:
        if not self._run(self._client.forget, memory_id).forgotten:
            raise Refused("not_found", "memory_id", "was forgotten before")

    def search(self, query: Any, **asked: Any) -> list[Json]:
        return self._run(self._client.search, query, **asked).to_dict()["hits"]

    def context(self, query: str, **asked: Any) -> Json:
        return self._run(self._client.context, query, **asked).to_dict()
