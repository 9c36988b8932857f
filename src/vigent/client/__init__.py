"""The client of the service: the verbs of ``Memory`` over HTTP, for threads and for event loops."""

from __future__ import annotations

from vigent.client.asynchronous import AsyncClient
from vigent.client.blocking import Client

__all__ = ["AsyncClient", "Client"]
