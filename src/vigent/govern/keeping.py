"""Erasure and checking: what is proved to be gone, and what does not add up."""

from __future__ import annotations

from dataclasses import dataclass

from vigent.domain.audit import entry_of, person_digest, subject_digest
from vigent.domain.changes import ChangeSet, Head
from vigent.domain.schema import Schema
from vigent.domain.statements import Key
from vigent.domain.time import OPEN, Instant
from vigent.ports.storage import Erasure, Selection, Snapshot, Storage, Transaction
from vigent.ports.system import Clock, IdSource
from vigent.standing import head_of

__all__ = ["CheckReport", "Erased", "Keeper"]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Whether everything adds up; ``audit`` counts entries sealed, unsealed and broken."""

    ok: bool
    problems: tuple[str, ...]
    audit: dict[str, int]


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure came to."""

    person_hash: str
    state: str
    counts: dict[str, int]
    shared: tuple[str, ...]
    at: Instant


class Keeper:
    """Looks after one tenant and store."""

    def __init__(
        self, storage: Storage, schema: Schema, clock: Clock, ids: IdSource, tenant: str, store: str
    ) -> None:
        self.storage = storage
        self.schema = schema
        self.clock = clock
        self.ids = ids
        self.tenant = tenant
        self.store = store

    def erase(self, person: str, *, dry_run: bool, wait: bool) -> Erased:
        """Remove a person, with what is shared about the entity they are, and note that it was."""
        with self.storage.transaction() as transaction:
            now = self.clock.now()
            ledger = transaction.ledger(self.tenant, subject_of=person)
            salt = ledger.salt or b""
            if not salt and not dry_run:
                # An erasure is remembered under the tenant's salt, so it needs one.
                salt = self.ids.salt()
                transaction.apply(ChangeSet(self.tenant, salt=salt, salted_at=now))
            keys, shared = self._shared(transaction, ledger.subject)
            digest = person_digest(salt, person)
            about = "" if ledger.subject is None else subject_digest(salt, ledger.subject)
            erasure = Erasure(self.tenant, person, digest, keys, now, about)
            counts = transaction.erase(erasure, dry_run=dry_run)
            if not dry_run:
                self._note(transaction, digest, counts, now)
        state = "dry_run"
        if not dry_run:
            state = "purged" if wait and self.storage.purge() else "removed"
        return Erased(digest.hex(), state, counts, shared, now)

    def _shared(
        self, snapshot: Snapshot, subject: str | None
    ) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Give the keys of what is shared about an entity, and the memories in them."""
        if subject is None:
            return (), ()
        # The link is the tenant's, so what is shared about the entity goes in every store.
        keys = snapshot.keys(Selection(self.tenant, None, ("",), subject))
        return tuple(key.no for key in keys), tuple(
            s.id
            for key in keys
            for _, s in snapshot.statements(self.tenant, of_key=key.no)
            if s.kind == "value" and s.bears == s.no and s.forgotten_at == OPEN
        )

    def _note(
        self, transaction: Transaction, digest: bytes, counts: dict[str, int], now: Instant
    ) -> None:
        """Enter the erasure in the audit: a hash and counts, no content."""
        entry = entry_of(
            self.ids.new("aud"), self.ids.salt(), tenant=self.tenant, store=self.store, person="",
            key=None, at=now, action="memory_erasure", outcome="removed", target=None,
            content={"person_hash": digest.hex(), "counts": counts},
        )  # fmt: skip
        transaction.apply(ChangeSet(self.tenant, audit=[entry]))

    def check(self, *, repair: bool) -> CheckReport:
        """Compare what is derived with what it is derived from; verify the audit trail."""
        problems = list(self.storage.check(self.tenant))
        heads = self._check_heads(repair=repair)
        if not repair:
            problems += heads
        summary = self.storage.audit(self.tenant, seal_at=self.clock.now())
        problems += summary.broken
        audit = {
            "sealed": summary.sealed, "unsealed": summary.unsealed, "broken": len(summary.broken),
        }  # fmt: skip
        return CheckReport(not problems, tuple(problems), audit)

    def _check_heads(self, *, repair: bool) -> list[str]:
        """Compare the quick answers with the beliefs; a wrong one is derived again under the lock.

        Somebody may have written meanwhile, so it is compared there once more.
        """
        with self.storage.snapshot() as snapshot:
            every = snapshot.keys(Selection(self.tenant, self.store, ()))
            wrong = self._wrong_heads(snapshot, every)
        if repair and wrong:
            ids = tuple(key.id for key, _ in wrong)
            with self.storage.transaction() as transaction:
                keys = transaction.keys(Selection(self.tenant, self.store, (), exact=ids))
                fresh = self._wrong_heads(transaction, keys)
                heads = [(key.no, head) for key, head in fresh]
                transaction.apply(ChangeSet(self.tenant, heads=heads))
        return [f"{k.id.subject} {k.id.attribute}: the quick answer differs" for k, _ in wrong]

    def _wrong_heads(self, snapshot: Snapshot, keys: list[Key]) -> list[tuple[Key, Head]]:
        """Give the keys whose quick answer differs from the beliefs, with the right one."""
        now = self.clock.now()
        wrong: list[tuple[Key, Head]] = []
        for key in keys:
            definition = self.schema.attribute(key.id.attribute)
            if not key.id.attribute or (definition is not None and definition.multi):
                continue
            at = max(now, key.last_recorded)
            right = head_of(snapshot, key, at)
            row = snapshot.head(
                self.tenant, self.store, key.id.person, key.id.subject, key.id.attribute
            )
            if row is None:
                continue
            head = row.head
            if (
                head.valid_from <= at < head.valid_to
                and at < head.expires_at
                and not _fits(head, right)
            ):
                wrong.append((key, right))
        return wrong


def _fits(head: Head, right: Head) -> bool:
    """Whether a quick answer is right for as long as it holds; it may hold less long than could."""
    if head.content is None or right.content is None:
        return head.content == right.content
    return head.expires_at <= right.expires_at and head == right._replace(
        expires_at=head.expires_at
    )
