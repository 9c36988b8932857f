"""A service in this process behind a real server, and a client of it that stands for a memory."""

from __future__ import annotations

import threading
import time
from typing import Any

import uvicorn

from vigent.client import Client
from vigent.edges.http.app import create_app
from vigent.govern.documents import StoreDocument
from vigent.govern.registry import Actor
from vigent.service import Service

# What the operator of a service does, not its callers: the service does it by itself.
OPERATED = ("check", "flush_retrieved", "index", "sweep")
_keys: dict[tuple[str, str], str] = {}


class Server:
    """A server of an app on a free port, in a thread."""

    def __init__(self, app: Any) -> None:
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        until = time.monotonic() + 20
        while not self._server.started:
            assert time.monotonic() < until
            assert self._thread.is_alive()
            time.sleep(0.005)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive(), "the server did not end"


def admin_key(service: Service, path: Any, tenant: str, store: str) -> str:
    """The admin key of a tenant, which is made where it is not there."""
    handle = (str(path), tenant)
    if str(path) == ":memory:" or handle not in _keys:
        _keys[handle] = service.new_tenant(tenant, store).key
    if service.registry.named(tenant, "store", store) is None:
        service.registry.create(Actor(tenant), "store", StoreDocument(), name=store)
    return _keys[handle]


class Served(Client):
    """A client with the service that it asks: opened as ``Memory.open`` is."""

    def __init__(self, service: Service, server: Server, key: str, tenant: str, **scope: Any):
        super().__init__(server.url, key, **scope)
        self._keyed = key
        self._service, self._server = service, server
        row = service.registry.named(tenant, "store", scope["store"])
        assert row is not None
        self._base = service.base(row)

    @classmethod
    def open(
        cls, path: Any, *, tenant: str = "default", store: str = "default", person: Any = None,
        **options: Any,
    ) -> Served:  # fmt: skip
        service = Service.open(path, **{"embedder": "none", **options})
        key = admin_key(service, path, tenant, store)
        server = Server(create_app(service))
        return cls(service, server, key, tenant, store=store, person=person)

    def __getattr__(self, name: str) -> Any:
        if name in OPERATED:
            return getattr(self._base, name)
        raise AttributeError(name)

    def close(self) -> None:
        super().close()
        self._server.close()
