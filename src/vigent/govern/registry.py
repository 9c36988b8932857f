"""Keeps resources: each change in one transaction, with its audit entry."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from vigent.domain.audit import entry_of
from vigent.domain.changes import ChangeSet, ResourceChanges
from vigent.domain.resources import ResourceRow, Rkind
from vigent.domain.usage import UsageRow
from vigent.errors import NotFound, ResourceExists, UnexpectedVersion
from vigent.once import Once
from vigent.ports.resources import ResourceQuick
from vigent.ports.storage import Storage, Transaction
from vigent.ports.system import Clock, IdSource

__all__ = ["Actor", "Registry"]

D = TypeVar("D", bound=BaseModel)

_PREFIX: Final[dict[Rkind, str]] = {"store": "idx", "key": "key", "agent": "agt", "tenant": "ten"}
_SECRET: Final = {"secrets", "token_secret"}


@dataclass(frozen=True, slots=True)
class Actor:
    """In which tenant something is done, by which key, and for whom."""

    tenant: str
    key: str = "operator"
    person: str = ""


class Registry:
    """The resources of every tenant of a store."""

    def __init__(self, storage: Storage, clock: Clock, ids: IdSource) -> None:
        self.storage = storage
        self.clock = clock
        self.ids = ids

    # ------------------------------------------------------------------------- reading

    def find(self, tenant: str, kind: Rkind, id: str) -> ResourceRow | None:
        """Give a resource by its id, from one read of one row."""
        return self.storage.reader().resource(tenant, kind, id)

    def named(self, tenant: str, kind: Rkind, name: str) -> ResourceRow | None:
        """Give a resource by its name."""
        return self.storage.reader().resource_named(tenant, kind, name)

    def look_up(self, tenant: str, kind: Rkind, id_or_name: str) -> ResourceRow | None:
        """Give a resource by its id, else by its name."""
        return self.find(tenant, kind, id_or_name) or self.named(tenant, kind, id_or_name)

    def get(self, tenant: str, kind: Rkind, id: str) -> ResourceRow:
        """Give a resource by its id; raises NotFound."""
        return _there(self.storage.reader(), tenant, kind, id)

    def page(
        self, tenant: str, kind: Rkind, *, after: str = "", limit: int = 1000
    ) -> list[ResourceRow]:
        """Give resources in order of their ids, which is that of their making."""
        with self.storage.snapshot() as snapshot:
            return snapshot.resources(tenant, kind, after=after, limit=limit)

    # ------------------------------------------------------------------------- writing

    @contextmanager
    def writing(self, tenant: str, *, new: bool = False) -> Generator[Transaction]:
        """Take the write lock; raises NotFound where the tenant is gone, unless it is ``new``."""
        with self.storage.transaction(tenant) as transaction:
            if not new and transaction.resource(tenant, "tenant", tenant) is None:
                raise NotFound("tenant: it was deleted meanwhile", field="tenant")
            if transaction.ledger(tenant).salt is None:
                now = self.clock.now()
                transaction.apply(ChangeSet(tenant, salt=self.ids.salt(), salted_at=now))
            yield transaction

    def once(
        self,
        actor: Actor,
        endpoint: str,
        name: str | None,
        request: object,
        make: Callable[[Transaction], dict[str, Any]],
    ) -> dict[str, Any]:
        """Do something under the write lock, and only once under an idempotency key.

        Gives what ``make`` gave, or gave the first time; raises IdempotencyMismatch. What is
        given is kept for a day: it holds no secret.
        """
        with self.writing(actor.tenant) as transaction:
            if name is None:
                return make(transaction)
            salt, now = transaction.ledger(actor.tenant).salt or b"", self.clock.now()
            asked = Once.of(actor.tenant, actor.key, endpoint, name, request, salt=salt)
            before = asked.before(transaction, now)
            if before is not None:
                return before
            made = make(transaction)
            kept = asked.kept(actor.person, made, now)
            transaction.apply(ChangeSet(actor.tenant, answered=[kept]))
            return made

    def create(
        self,
        actor: Actor,
        kind: Rkind,
        document: BaseModel,
        *,
        id: str | None = None,
        name: str | None = None,
        person: str = "",
    ) -> ResourceRow:
        """Make a resource; raises ResourceExists for an id or name that is taken."""
        with self.writing(actor.tenant) as transaction:
            return self.enter(
                transaction, actor, kind, document, id=id, name=name, person=person
            )  # fmt: skip

    def enter(
        self,
        transaction: Transaction,
        actor: Actor,
        kind: Rkind,
        document: BaseModel,
        *,
        id: str | None = None,
        name: str | None = None,
        person: str = "",
    ) -> ResourceRow:
        """Make a resource within a transaction."""
        given = self.ids.new(_PREFIX[kind]) if id is None else id
        if transaction.resource(actor.tenant, kind, given) is not None:
            raise ResourceExists(f"{kind}: there is one {given} already", field="id")
        if name is not None and transaction.resource_named(actor.tenant, kind, name) is not None:
            raise ResourceExists(f"name: there is a {kind} {name} already", field="name")
        now = self.clock.now()
        text = document.model_dump_json()
        row = ResourceRow(actor.tenant, kind, given, name, person, 1, text, now, now)
        self._apply(transaction, actor, row, None, document, f"{kind}_create")
        return row

    def change(
        self,
        actor: Actor,
        kind: Rkind,
        id: str,
        model: type[D],
        edit: Callable[[D], D],
        *,
        action: str | None = None,
        expect: int | None = None,
    ) -> ResourceRow:
        """Change a resource; raises NotFound, and UnexpectedVersion where it is at another."""
        with self.writing(actor.tenant) as transaction:
            return self.alter(
                transaction, actor, kind, id, model, edit, action=action, expect=expect
            )  # fmt: skip

    def alter(
        self,
        transaction: Transaction,
        actor: Actor,
        kind: Rkind,
        id: str,
        model: type[D],
        edit: Callable[[D], D],
        *,
        action: str | None = None,
        expect: int | None = None,
    ) -> ResourceRow:
        """Change a resource within a transaction."""
        row = _there(transaction, actor.tenant, kind, id)
        if expect is not None and expect != row.version:
            raise UnexpectedVersion(f"version: it is at {row.version}", field="version")
        before = model.model_validate_json(row.document)
        after = edit(before)
        if after == before:
            return row
        moved = row._replace(
            version=row.version + 1, document=after.model_dump_json(),
            changed_at=self.clock.now(),
        )  # fmt: skip
        self._apply(transaction, actor, moved, before, after, action or f"{kind}_change")
        return moved

    def remove(
        self,
        actor: Actor,
        kind: Rkind,
        id: str,
        *,
        unless: Callable[[Transaction], None] | None = None,
    ) -> ResourceRow:
        """Let a resource go; raises NotFound.

        ``unless`` raises, under the write lock, where it may not go.
        """
        with self.writing(actor.tenant) as transaction:
            if unless is not None:
                unless(transaction)
            return self.drop(transaction, actor, kind, id)

    def drop(
        self,
        transaction: Transaction,
        actor: Actor,
        kind: Rkind,
        id: str,
        told: dict[str, Any] | None = None,
    ) -> ResourceRow:
        """Let a resource go within a transaction; what is told besides stands in the trail."""
        row = _there(transaction, actor.tenant, kind, id)
        content = {"name": row.name, **(told or {})}
        entry = self.entry(actor, f"{kind}_delete", "removed", id, content)
        changes = ResourceChanges(removed=[row])
        transaction.apply(ChangeSet(actor.tenant, resources=changes, audit=[entry]))
        return row

    def note(
        self,
        actor: Actor,
        action: str,
        outcome: str,
        target: str | None = None,
        content: dict[str, Any] | None = None,
        *,
        store: str = "",
    ) -> None:
        """Enter in the audit trail what changed no resource: a refusal, a read of another's."""
        with self.storage.transaction(actor.tenant, beside=True) as transaction:
            if transaction.ledger(actor.tenant).salt is None:
                return  # the tenant was deleted meanwhile: nothing of it comes back
            entry = self.entry(actor, action, outcome, target, content or {}, store=store)
            transaction.apply(ChangeSet(actor.tenant, audit=[entry]))

    def meter(self, used: UsageRow) -> None:
        """Count what a model call came to, also a failed one."""
        with self.storage.transaction(used.tenant, beside=True) as transaction:
            transaction.apply(ChangeSet(used.tenant, used=[used]))

    def entry(
        self,
        actor: Actor,
        action: str,
        outcome: str,
        target: str | None,
        content: dict[str, Any],
        *,
        store: str = "",
    ) -> Any:
        """Make an audit entry; content that concerns a person goes when they are erased."""
        return entry_of(
            self.ids.new("aud"), self.ids.salt(), tenant=actor.tenant, store=store,
            person=actor.person, key=None, at=self.clock.now(), action=action, outcome=outcome,
            target=target, content={"by": actor.key, **content},
        )  # fmt: skip

    def _apply(
        self,
        transaction: Transaction,
        actor: Actor,
        row: ResourceRow,
        before: BaseModel | None,
        after: BaseModel,
        action: str,
    ) -> None:
        told = {"name": row.name, "before": _told(before), "after": _told(after)}
        whose = Actor(actor.tenant, actor.key, row.person)
        # The name of a person stands where it can be erased: not in the target.
        target = None if row.kind == "person" else row.id
        entry = self.entry(whose, action, "stored", target, told)
        transaction.apply(
            ChangeSet(row.tenant, resources=ResourceChanges(kept=[row]), audit=[entry])
        )


def _told(document: BaseModel | None) -> dict[str, Any] | None:
    """Give a document without its secrets, not even as digests."""
    return None if document is None else document.model_dump(mode="json", exclude=_SECRET)


def _there(snapshot: ResourceQuick, tenant: str, kind: Rkind, id: str) -> ResourceRow:
    found = snapshot.resource(tenant, kind, id)
    if found is None:
        raise NotFound(f"{kind}: there is none {id} here", field=kind)
    return found
