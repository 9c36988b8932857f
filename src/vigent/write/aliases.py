"""Makes aliases and lets them go."""

from __future__ import annotations

from vigent.domain.aliases import Alias, AliasResult, AliasRow
from vigent.domain.audit import subject_digest
from vigent.domain.changes import AliasChanges, AuditEntry, ChangeSet, Head
from vigent.domain.statements import Key
from vigent.domain.text import canonical_subject
from vigent.domain.time import OPEN
from vigent.errors import AliasConflict, Forbidden
from vigent.joining import joined_names
from vigent.ports.storage import Selection, Transaction
from vigent.standing import head_of
from vigent.write.pipeline import WritePipeline
from vigent.write.session import Session

__all__ = ["AliasWriter"]

_NO_HEAD = Head(0, 0, 0, OPEN, None, None, None)


class AliasWriter:
    """Writes aliases of one tenant and store."""

    def __init__(self, pipeline: WritePipeline) -> None:
        self.pipeline = pipeline
        self.context = pipeline.context

    def make(self, person: str, name: object, of: object) -> AliasResult:
        """Make a name an alias of a subject; raises AliasConflict where it cannot be."""
        context = self.context
        written, canon = canonical_subject(name, "name")
        subject = canonical_subject(of, "of")[1]
        with self.pipeline.session(alone=True) as session:
            transaction = session.transaction
            names = joined_names(transaction, context.tenant, context.store, person, subject)
            there = self._there(transaction, person, canon)
            if there is not None and canon in names and canon != names[0]:
                return AliasResult("noop", Alias.of(there))
            self._refuse(written, subject, there, joined=canon in names)
            row = AliasRow(
                context.tenant, context.store, person, canon, written, names[0],
                context.clock.now(),
            )  # fmt: skip
            # Whoever reads by the alias must not be answered from one of the names alone.
            keys = self._keys(transaction, row)
            changes = ChangeSet(
                context.tenant, aliases=AliasChanges(made=[row]),
                heads=[(key.no, _NO_HEAD) for key in keys],
                audit=[self._audit(session, row, "alias_make", "joined")],
            )  # fmt: skip
            transaction.apply(changes)
        return AliasResult("joined", Alias.of(row))

    def _there(self, transaction: Transaction, person: str, name: str) -> AliasRow | None:
        """Give what a name is an alias by: a person's own, else a shared one."""
        rows = transaction.aliases(self.context.tenant, self.context.store, person, name)
        mine = [row for row in rows if row.name == name]
        return mine[-1] if mine else None

    def _refuse(self, written: str, subject: str, there: AliasRow | None, *, joined: bool) -> None:
        if joined:
            raise AliasConflict(
                f"name: {written} and {subject} are one subject already", field="name"
            )
        if there is not None:
            raise AliasConflict(f"name: {written} is an alias of {there.subject}", field="name")

    def remove(self, person: str, name: object) -> AliasResult:
        """Let an alias go, so that its names are read apart again."""
        canon = canonical_subject(name, "name")[1]
        with self.pipeline.session(alone=True) as session:
            transaction = session.transaction
            there = self._there(transaction, person, canon)
            if there is None:
                return AliasResult("noop", None)
            if there.person != person:
                raise Forbidden(f"name: {there.written} is shared, not this person's", field="name")
            keys = self._keys(transaction, there)
            transaction.apply(
                ChangeSet(
                    there.tenant, aliases=AliasChanges(removed=[there]),
                    audit=[self._audit(session, there, "alias_remove", "removed")],
                )
            )  # fmt: skip
            transaction.apply(ChangeSet(there.tenant, heads=self._heads(transaction, keys)))
        return AliasResult("removed", Alias.of(there))

    def _keys(self, transaction: Transaction, row: AliasRow) -> list[Key]:
        """Give the keys whose readers an alias concerns: a person's and the shared, or all."""
        persons = (row.person, "") if row.person else ()
        return [
            key
            for name in (row.name, row.subject)
            for key in transaction.keys(Selection(row.tenant, row.store, persons, name))
            if key.id.attribute
        ]

    def _heads(self, transaction: Transaction, keys: list[Key]) -> list[tuple[int, Head]]:
        """Derive the quick answers of keys on which no alias bears any more."""
        now = self.context.clock.now()
        found: list[tuple[int, Head]] = []
        for key in keys:
            definition, id = self.context.schema.attribute(key.id.attribute), key.id
            multi = definition is not None and definition.multi
            if not multi and not transaction.aliased(id.tenant, id.store, id.subject, id.person):
                found.append((key.no, head_of(transaction, key, max(now, key.last_recorded))))
        return found

    def _audit(self, session: Session, row: AliasRow, action: str, outcome: str) -> AuditEntry:
        """Make the entry; it names nobody, so that nothing of it has to be erased."""
        name, subject = (subject_digest(session.salt, n) for n in (row.name, row.subject))
        return self.context.audit(
            person=row.person, key=None, at=self.context.clock.now(), action=action,
            outcome=outcome, target=name, content={"name": name, "subject": subject},
        )  # fmt: skip
