"""One caller of the service: a key, the person of the request, and what both may reach."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any, Final, Protocol

from vigent.domain.resources import ResourceRow
from vigent.domain.schema import Schema, trust_rank
from vigent.domain.statements import KeyId
from vigent.domain.text import check_id
from vigent.domain.threads import ThreadRow
from vigent.errors import Forbidden, NotFound, UnavailableError, VigentError
from vigent.govern.documents import Capability, InjectionSpec, KeyDocument, Right, TenantDocument
from vigent.govern.metering import Metering
from vigent.govern.registry import Actor, Registry
from vigent.govern.storesettings import settings_of
from vigent.memory import Memory
from vigent.ports.models import LanguageModels
from vigent.ports.storage import Storage
from vigent.ports.system import Clock

__all__ = ["Caller", "Host", "printable"]

_log = logging.getLogger("vigent")


class Host(Protocol):
    """What a caller needs of the service."""

    storage: Storage
    registry: Registry
    clock: Clock
    schema: Schema
    models: LanguageModels | None
    metering: Metering

    def forget(self, tenant: str) -> None:
        """Let go of what is kept ready of a tenant."""
        ...

    def memory(
        self, store: ResourceRow, caller: Caller, injection: InjectionSpec | None = None
    ) -> Memory:
        """Give the memory of a store as a caller sees it."""
        ...

    def tenant(self, tenant: str) -> TenantDocument:
        """Give what is set for a tenant."""
        ...

    def learn_now(self) -> None:
        """Have the worker of this process, if there is one, look for what is to be read."""
        ...


class Caller:
    """Who calls, for whom, and with which rights."""

    __slots__ = ("asked", "by_token", "document", "host", "noted", "person", "row")

    def __init__(
        self,
        host: Host,
        row: ResourceRow,
        document: KeyDocument,
        person: str | None,
        *,
        by_token: bool,
    ) -> None:
        self.host = host
        self.row = row
        self.document = document
        self.person = person
        self.by_token = by_token
        self.asked: str | None = None
        """The route that was asked for, without what stands in it."""
        self.noted: Exception | None = None
        """The refusal that is in the audit trail already."""

    @property
    def tenant(self) -> str:
        """The tenant of the key."""
        return self.row.tenant

    @property
    def actor(self) -> Actor:
        """Who is named in the audit trail."""
        return Actor(self.tenant, self.row.id, self.person or "")

    @property
    def trust(self) -> str:
        """What the caller's own words count as: a person's with their token."""
        return "person" if self.by_token else "application"

    def zone(self, asked: str | None) -> str:
        """Give the zone that bare dates are in: the request's, else the tenant's, else UTC."""
        return asked or self.host.tenant(self.tenant).settings.timezone or "UTC"

    def can(self, capability: Capability) -> bool:
        """Whether the key has a capability."""
        return capability in self.document.capabilities

    def require(self, *any_of: Capability) -> None:
        """Raise Forbidden where the key has none of some capabilities."""
        if not any(self.can(capability) for capability in any_of):
            self.refuse(f"the key needs {' or '.join(any_of)}")

    def require_tenant(self, tenant: str) -> None:
        """Raise NotFound for another tenant, Forbidden without management."""
        if tenant != self.tenant:
            self.miss("tenant", tenant)
        self.require("management")

    def require_person(self, person: str) -> None:
        """Raise Forbidden where the caller is neither the person, by token, nor manages."""
        check_id(person, "person")
        if not (self.by_token and self.person == person):
            self.require("management")

    # -------------------------------------------------------------------------- stores

    def store(self, index_id: str, right: Right) -> ResourceRow:
        """Give a store by id or name; raises NotFound where it is absent, Forbidden for the right.

        A store that the policy does not name is absent.
        """
        row = self.seen(index_id)
        if row is None:
            return self.miss("index_id", index_id)
        if right not in (self.document.policy.rights(row.id) or ()):
            self.refuse(f"the key may not {right} in this store", row.id)
        return row

    def seen(self, index_id: str) -> ResourceRow | None:
        """Give a store by id or name, whatever may be done there; None where it is absent."""
        row = self.host.registry.look_up(self.tenant, "store", index_id)
        return row if row is not None and self.document.policy.rights(row.id) else None

    def may_read(self, store: str) -> bool:
        """Whether the key may read in a store that is named as its records name it.

        What belongs to no store (``""``) is the tenant's.
        """
        if not store:
            return True
        row = self.host.registry.look_up(self.tenant, "store", store)
        return "read" in (self.document.policy.rights(store if row is None else row.id) or ())

    def require_everywhere(self, person: str | None = None) -> None:
        """Raise Forbidden where the key may not write in every store of the tenant.

        What goes over all stores would else go where the key does not reach, or stop short and
        say that it was done. ``person`` is whose stores are looked at too, if they stand alone.
        """
        with self.host.storage.snapshot() as snapshot:
            alone = [] if person is None else snapshot.stores_of(self.tenant, person)
        registry = self.host.registry
        ids = [name for name in alone if registry.look_up(self.tenant, "store", name) is None]
        after = ""
        while page := registry.page(self.tenant, "store", after=after):
            ids += [row.id for row in page]
            after = page[-1].id
        rights = self.document.policy.rights
        if any("write" not in (rights(id) or ()) for id in ids):
            self.refuse("this goes over every store of the tenant: the key must write in all")

    def stores(self, after: str = "") -> Iterator[ResourceRow]:
        """Give the stores that the key sees, in order of their ids, from one on."""
        while page := self.host.registry.page(self.tenant, "store", after=after):
            yield from (row for row in page if self.document.policy.rights(row.id))
            after = page[-1].id

    def memory(self, index_id: str, right: Right, injection: InjectionSpec | None = None) -> Memory:
        """Give the memory of a store, checked for the capability and the right."""
        self.require("memory")
        store = self.store(index_id, right)
        if right == "read":
            self.note_memory_read(store)
        return self.host.memory(store, self, injection)

    def thread(self, id: str, right: Right = "read") -> tuple[Memory, ThreadRow]:
        """Give a thread by its id, the caller's own before the shared, with the memory it is in."""
        self.require("threads")
        whose = (self.person, "") if self.person else ("",)
        with self.host.storage.snapshot() as snapshot:
            found = snapshot.threads(self.tenant, None, whose, id)
        now = self.host.clock.now()
        for row in found:
            store = self.host.registry.named(self.tenant, "store", row.store)
            rights = None if store is None else self.document.policy.rights(store.id)
            if store is not None and rights and row.expires_at > now:
                if right not in rights:
                    self.refuse(f"the key may not {right} in the store of this thread", id)
                return self.host.memory(store, self), row
        return self.miss("thread", id)

    def holding(
        self, id: str, right: Right, *, field: str = "memory_id", anyone: bool = False
    ) -> tuple[Memory, KeyId]:
        """Give the memory that holds a record, and the key of it; one is named by its id alone.

        With ``anyone`` also another person's; else that is absent, as is what stands in a store
        that the policy does not name.
        """
        self.require("memory")
        check_id(id, field)
        with self.host.storage.snapshot() as snapshot:
            found = snapshot.statements(self.tenant, ids=[id])
        if found and (anyone or found[0][0].id.person in (self.person or "", "")):
            memory = self._of_store(found[0][0].id.store, right, id)
            if memory is not None:
                return memory, found[0][0].id
        return self.miss(field, id)

    def holding_episode(self, id: str) -> Memory:
        """Give the memory that holds an episode."""
        self.require("memory")
        with self.host.storage.snapshot() as snapshot:
            found = snapshot.episodes(self.tenant, ids=[check_id(id, "episode_id")])
        memory = self._of_store(found[0].store, "read", id) if found else None
        return self.miss("episode_id", id) if memory is None else memory

    def _of_store(self, name: str, right: Right, id: str) -> Memory | None:
        store = self.host.registry.named(self.tenant, "store", name)
        rights = None if store is None else self.document.policy.rights(store.id)
        if store is None or not rights:
            return None
        if right not in rights:
            self.refuse(f"the key may not {right} in the store of this record", id)
        if right == "read":
            self.note_memory_read(store)
        return self.host.memory(store, self)

    def lowered(self, trust: str | None, default: str | None = None) -> str:
        """Give the trust of something said: what is asked for, never above the caller's own."""
        asked = trust or default or self.trust
        return asked if trust_rank(asked) < trust_rank(self.trust) else self.trust

    # ------------------------------------------------------------------------ refusals

    def refuse(self, reason: str, target: str | None = None) -> Any:
        """Note a refusal, and raise Forbidden; the reason holds nothing that was asked for."""
        error = Forbidden(reason)
        self.note_refusal(error, target, reason)
        raise error

    def miss(self, field: str, id: str) -> Any:
        """Note that something was asked for that is not there for this caller; raise NotFound."""
        shown = printable(id[:_SHOWN])
        error = NotFound(f"{field}: there is none {shown} here", field=field)
        self.note_refusal(error)
        raise error

    def note_refusal(
        self, error: VigentError, target: str | None = None, reason: str | None = None
    ) -> None:
        """Enter a refusal in the audit trail, once; it stands also where that cannot be now.

        What was asked for may be anybody's name, and would stay when they are erased: so the
        error's message, which quotes it, is not entered.
        """
        if error is self.noted or not isinstance(error, Forbidden | NotFound):
            return
        self.noted = error
        told = {"reason": reason or error.code, "field": error.field, "route": self.asked}
        try:
            self.host.registry.note(self.actor, "refusal", error.code, target, told)
        except UnavailableError as away:
            _log.warning("a refusal is not in the audit trail: %s", away.code)

    def note_admin_read(self, person: str, action: str = "admin_read") -> None:
        """Enter in the audit trail that a key with management reads what is another's.

        Raises UnavailableError where the trail cannot be written, as all of these do: what has to
        be in it and is not, is not told.
        """
        if not (self.by_token and self.person == person):
            self._note_read(Actor(self.tenant, self.row.id, person), action)

    def note_wide_read(self, action: str, target: str | None) -> None:
        """Enter in the audit trail that a key with management reads what is everyone's."""
        self._note_read(self.actor, action, target)

    def note_memory_read(self, store: ResourceRow) -> None:
        """Enter in the audit trail that a store is read, where the store asks for that."""
        if settings_of(store).get("audit_reads"):
            self._note_read(self.actor, "memory_read", store=store.name or store.id)

    def _note_read(
        self, whose: Actor, action: str, target: str | None = None, *, store: str = ""
    ) -> None:
        told = {"route": self.asked}
        try:
            self.host.registry.note(whose, action, "read", target, told, store=store)
        except UnavailableError as away:
            away.message = f"{_UNTOLD}: {away.message}"
            away.args = (away.message,)
            raise


def printable(text: str) -> str:
    """Give a text that can be encoded: halves of characters are marked."""
    return text.encode("utf-8", "replace").decode()


_SHOWN: Final = 200
_UNTOLD: Final = (
    "nothing is told: this read has to be in the audit trail, which cannot be written now"
)
