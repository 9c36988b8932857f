"""Erasure and checking: what is proved to be gone, and what does not add up."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vigent.domain.aliases import AliasRow
from vigent.domain.audit import RETENTION, entry_of, person_digest, subject_digest
from vigent.domain.changes import ChangeSet, Head
from vigent.domain.schema import Schema
from vigent.domain.statements import Key
from vigent.domain.time import DAY, OPEN, Instant
from vigent.govern.documents import TenantDocument
from vigent.govern.indexing import mend_index
from vigent.joining import joined_names
from vigent.ports.removal import Erasure
from vigent.ports.storage import Selection, Snapshot, Storage, Transaction
from vigent.ports.system import Clock, IdSource
from vigent.standing import head_of

__all__ = ["CheckReport", "Erased", "Keeper", "erased_state"]

_NO_HEAD = Head(0, 0, 0, OPEN, None, None, None)


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


def erased_state(storage: Storage, *, dry_run: bool, wait: bool) -> str:
    """Say how far an erasure has come; with ``wait`` it is taken out of the files first."""
    if dry_run:
        return "dry_run"
    return "purged" if wait and storage.purge() else "removed"


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

    def erase(self, person: str, *, dry_run: bool, wait: bool, by: str | None = None) -> Erased:
        """Remove a person, with what is shared about the entity they are, and note that it was.

        ``by`` is the key that asked for it.
        """
        with self.storage.transaction(self.tenant) as transaction:
            done = self.erase_within(transaction, person, dry_run=dry_run, by=by)
        return replace(done, state=erased_state(self.storage, dry_run=dry_run, wait=wait))

    def erase_within(
        self,
        transaction: Transaction,
        person: str,
        *,
        at: Instant | None = None,
        dry_run: bool = False,
        by: str | None = None,
    ) -> Erased:
        """Remove a person within a transaction.

        ``at`` is the instant from which the erasure counts, where it was done before: episodes
        from up to then are refused.
        """
        now = self.clock.now()
        since = now if at is None else at
        ledger = transaction.ledger(self.tenant, subject_of=person)
        salt = ledger.salt or b""
        if not salt and not dry_run:
            # An erasure is remembered under the tenant's salt, so it needs one.
            salt = self.ids.salt()
            transaction.apply(ChangeSet(self.tenant, salt=salt, salted_at=now))
        names, aliases = self._names(transaction, person, ledger.subject)
        keys, shared = self._shared(transaction, names)
        digest = person_digest(salt, person)
        about = tuple(dict.fromkeys(subject_digest(salt, name) for _, name in names))
        erasure = Erasure(self.tenant, person, digest, keys, since, about, aliases)
        counts = transaction.erase(erasure, dry_run=dry_run)
        if not dry_run:
            self._note(transaction, digest, counts, now, by)
        state = "dry_run" if dry_run else "removed"
        return Erased(digest.hex(), state, counts, shared, since)

    def _names(
        self, snapshot: Snapshot, person: str, subject: str | None
    ) -> tuple[list[tuple[str | None, str]], tuple[AliasRow, ...]]:
        """Give what an entity is called, by store, and the shared aliases that say so.

        The name it was linked by goes in every store, what that is joined with in the stores
        in which it is, by the person's own aliases too.
        """
        if subject is None:
            return [], ()
        found: list[tuple[str | None, str]] = [(None, subject)]
        shared: list[AliasRow] = []
        rows = snapshot.aliases(self.tenant, None, person, subject)
        for store in sorted({row.store for row in rows}):
            names = joined_names(snapshot, self.tenant, store, person, subject)
            found += [(store, name) for name in names if name != subject]
            every = (r for n in names for r in snapshot.aliases(self.tenant, store, "", n))
            shared += dict.fromkeys(row for row in every if row.name in names)
        return found, tuple(shared)

    def _shared(
        self, snapshot: Snapshot, names: list[tuple[str | None, str]]
    ) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Give the keys of what is shared about an entity, and the memories in them."""
        keys = [
            key
            for store, name in names
            for key in snapshot.keys(Selection(self.tenant, store, ("",), name))
        ]
        return tuple(key.no for key in keys), tuple(
            s.id
            for key in keys
            for _, s in snapshot.statements(self.tenant, of_key=key.no)
            if s.kind == "value" and s.bears == s.no and s.forgotten_at == OPEN
        )

    def _note(
        self,
        transaction: Transaction,
        digest: bytes,
        counts: dict[str, int],
        now: Instant,
        by: str | None,
    ) -> None:
        """Enter the erasure in the audit: a hash and counts, no content."""
        entry = entry_of(
            self.ids.new("aud"), self.ids.salt(), tenant=self.tenant, store=self.store, person="",
            key=None, at=now, action="memory_erasure", outcome="removed", target=None,
            content={"person_hash": digest.hex(), "counts": counts} | ({"by": by} if by else {}),
        )  # fmt: skip
        transaction.apply(ChangeSet(self.tenant, audit=[entry]))

    def prune_audit(self) -> int:
        """Remove entries of the audit trail that are older than the tenant keeps them.

        Whole seals go, and the seals themselves stay, so that the chain goes on; an entry says
        up to which seal. Gives that seal, 0 where nothing went. Who set no time keeps all.
        """
        with self.storage.snapshot() as snapshot:
            row = snapshot.resource(self.tenant, "tenant", self.tenant)
            if row is None:
                return 0
            settings = TenantDocument.model_validate_json(row.document).settings
            now = self.clock.now()
            last = snapshot.seal_before(self.tenant, now - settings.audit_retention_days * DAY)
        if last:
            with self.storage.transaction(self.tenant) as transaction:
                entry = entry_of(
                    self.ids.new("aud"), self.ids.salt(), tenant=self.tenant, store="", person="",
                    key=None, at=now, action="audit_retention", outcome="removed",
                    target=RETENTION, content={"to_seal": last},
                )  # fmt: skip
                transaction.apply(ChangeSet(self.tenant, audit=[entry], audit_pruned=last))
        return last

    def check(self, *, repair: bool) -> CheckReport:
        """Compare what is derived with what it is derived from; verify the audit trail.

        ``repair`` derives quick answers anew that differ, and makes the search index of the
        tenant right where it is amiss.
        """
        if repair:
            mend_index(self.storage, self.tenant)
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
            wrong = self._wrong_heads(snapshot, every, lost=repair)
        if repair and wrong:
            ids = tuple(key.id for key, _ in wrong)
            with self.storage.transaction(self.tenant) as transaction:
                keys = transaction.keys(Selection(self.tenant, self.store, (), exact=ids))
                fresh = self._wrong_heads(transaction, keys, lost=True)
                heads = [(key.no, head) for key, head in fresh]
                transaction.apply(ChangeSet(self.tenant, heads=heads))
        return [f"{k.id.subject} {k.id.attribute}: the quick answer differs" for k, _ in wrong]

    def _wrong_heads(
        self, snapshot: Snapshot, keys: list[Key], *, lost: bool
    ) -> list[tuple[Key, Head]]:
        """Give the keys whose quick answer differs from the beliefs, with the right one.

        Where an alias bears on a key, that is none. With ``lost``, those too that have none.
        """
        now = self.clock.now()
        wrong: list[tuple[Key, Head]] = []
        for key in keys:
            definition = self.schema.attribute(key.id.attribute)
            if not key.id.attribute or (definition is not None and definition.multi):
                continue
            at = max(now, key.last_recorded)
            id = key.id
            if snapshot.aliased(id.tenant, id.store, id.subject, id.person):
                right = _NO_HEAD
            else:
                right = head_of(snapshot, key, at)
            row = snapshot.head(
                self.tenant, self.store, key.id.person, key.id.subject, key.id.attribute
            )
            if row is None:
                continue
            head = row.head
            if lost and head.valid_to == _NO_HEAD.valid_to != right.valid_to:
                wrong.append((key, right))
            if (
                head.valid_from <= at < head.valid_to
                and at < head.expires_at
                and not _fits(head, right)
            ):
                wrong.append((key, right))
        return wrong


def _fits(head: Head, right: Head) -> bool:
    """Whether a quick answer is right for as long as it holds; it may hold less long than could."""
    if right == _NO_HEAD:
        return False
    if head.content is None or right.content is None:
        return head.content == right.content
    return head.expires_at <= right.expires_at and head == right._replace(
        expires_at=head.expires_at
    )
