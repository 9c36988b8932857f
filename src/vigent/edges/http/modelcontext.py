"""The server of memory for agents (MCP) as the service offers it: whose memory a key opens."""

from __future__ import annotations

from functools import partial
from ipaddress import ip_address
from itertools import islice
from typing import Any, Final, Literal, cast

from starlette.datastructures import Headers

from vigent.crossing import Crossing
from vigent.domain.resources import ResourceRow
from vigent.edges.http.calling import decoded, presented
from vigent.edges.http.opening import Opening
from vigent.edges.http.rates import Rates
from vigent.edges.http.troubles import Troubles
from vigent.edges.mcp import Bound, HttpEndpoint
from vigent.errors import InvalidInput, UnavailableError, VigentError
from vigent.service.caller import Caller
from vigent.service.offering import types_of
from vigent.settings import Settings

__all__ = ["endpoint_of", "hosts_of"]

_STORE: Final = "X-Vigent-Store"
_DEFAULT: Final = "default"
_LOCAL: Final = ("127.0.0.1", "localhost", "[::1]")


def endpoint_of(state: Any, settings: Settings) -> HttpEndpoint:
    """Make the endpoint of an app, whose shared things are in ``state``."""
    crossing = cast("Crossing", state.crossing)

    async def authenticate(headers: Headers) -> Bound:
        return await crossing.read(partial(_bound, state, headers))

    return HttpEndpoint(authenticate, allowed_hosts=hosts_of(settings), crossing=crossing)


def hosts_of(settings: Settings) -> list[str] | None:
    """Give the values of the header Host that are served; None for any.

    What listens to this machine alone is called by the names of this machine, unless the settings
    say otherwise: a page in a browser that calls it by a name of its own is refused.
    """
    named = [part.strip() for part in settings.mcp.allowed_hosts.split(",") if part.strip()]
    if "*" in named or not (named or _is_local(settings.server.host)):
        return None
    return [form for host in named or _LOCAL for form in (host, f"{host}:*")]


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bound(state: Any, headers: Headers) -> Bound:
    """Say what a request may work on; raises what the service answers as for any other request."""
    opening = cast("Opening", state.opening)
    service = opening.service
    if service is None:
        raise UnavailableError(opening.told)
    caller = service.caller(presented(headers))
    caller.asked = "POST /mcp"
    cast("Rates", state.rates).take(caller.tenant, caller.row.id)
    caller.require("memory")
    store = _store_of(caller, headers.getlist(_STORE))
    return Bound(
        memory=service.memory(store, caller), schema=service.schema, tenant=caller.tenant,
        person=caller.person, types=types_of(store), timezone=caller.zone(None),
        guard=_Keyed(caller, store, state.troubles),
    )  # fmt: skip


def _store_of(caller: Caller, named: list[str]) -> ResourceRow:
    """Give the store that a request names, else ``default``, else the only one the key sees."""
    if len({*named}) > 1:
        raise InvalidInput(_STORE, "stands more than once")
    wanted = decoded(named[0], _STORE) if named else _DEFAULT
    found = caller.seen(wanted)
    if found is not None:
        return found
    every = [] if named else list(islice(caller.stores(), 2))
    if len(every) > 1:
        raise InvalidInput(_STORE, "must name a store: the key sees several, none called default")
    return every[0] if every else caller.miss(_STORE, wanted)


class _Keyed:
    """Holds each call to what the key may do, and notes what it was refused."""

    def __init__(self, caller: Caller, store: ResourceRow, troubles: Troubles) -> None:
        self._caller, self._store, self._troubles = caller, store, troubles

    def check(self, right: Literal["read", "write"]) -> None:
        """Raise Forbidden where the key lacks the right, or its agents are not offered it."""
        offered = self._caller.document.memory
        if not (offered.retrieval_tool if right == "read" else offered.write_tool):
            self._caller.refuse(f"the key's agents may not {right} memory", self._store.id)
        self._caller.memory(self._store.id, right)

    def refused(self, error: VigentError) -> None:
        """Note a refusal in the audit trail, and a trouble where the health is told."""
        self._caller.note_refusal(error)
        if isinstance(error, UnavailableError):
            self._troubles.note(error.code)
