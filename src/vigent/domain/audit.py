"""Digests of audit entries, and the seals that chain them; the same for every engine.

The digest of an entry goes over what is kept for good and over the digest of its content, which
can be emptied: an entry can be verified after that too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b, sha256
from typing import Any, Final, NamedTuple

import orjson

from vigent.domain.changes import AuditEntry
from vigent.domain.time import Instant

__all__ = [
    "GENESIS",
    "RETENTION",
    "AuditSummary",
    "Kept",
    "Sealed",
    "digest_entry",
    "entry_of",
    "person_digest",
    "pruned_to",
    "seal_hash",
    "subject_digest",
    "verified",
]

GENESIS: Final = b"\0" * 32
RETENTION: Final = "audit_trail"
"""The target of entries that say up to which seal old entries were removed."""
_TOLD: Final = 1_000
"""So many faults are told one by one."""


class Kept(NamedTuple):
    """An entry as it is stored; salt, store, person and content are None once emptied."""

    seal: int | None
    id: str
    at: Instant
    action: str
    outcome: str
    target: str | None
    digest: bytes
    said: bytes | None
    salt: bytes | None
    store: str | None
    person: str | None
    content: str | None


class Sealed(NamedTuple):
    """A seal: how many entries it closes, and the hash over them and the seal before."""

    n: int
    entries: int
    at: Instant
    hash: bytes


class AuditSummary(NamedTuple):
    """How much of the audit trail is sealed, and what does not add up.

    ``emptied`` counts entries whose content was erased. ``head`` is the last seal as ``n:hash``:
    who keeps it elsewhere can later tell whether the trail still goes on from it. ``removed`` is
    the seal up to which entries went at the end of their time.
    """

    sealed: int
    unsealed: int
    broken: tuple[str, ...]
    emptied: int = 0
    head: str | None = None
    removed: int = 0


def digest_entry(
    salt: bytes,
    id: str,
    at: Instant,
    action: str,
    outcome: str,
    target: str | None,
    content: str,
) -> bytes:
    """Give the digest of an entry as it was first made, over the content itself."""
    text = "\x1f".join((id, str(at), action, outcome, target or "", content))
    return blake2b(text.encode(), key=salt, digest_size=32).digest()


def _said(salt: bytes, store: str, person: str, content: str) -> bytes:
    """Give the salted digest of what can be emptied, which it cannot be guessed from."""
    text = f"{store}\x1f{person}\x1f{content}"
    return blake2b(text.encode(), key=salt, digest_size=32).digest()


def _digest(
    said: bytes, id: str, at: Instant, action: str, outcome: str, target: str | None
) -> bytes:
    text = f"{id}\x1f{at}\x1f{action}\x1f{outcome}\x1f{target or ''}"
    return blake2b(text.encode(), key=said, digest_size=32).digest()


def seal_hash(previous: bytes, entries: Iterable[tuple[str, bytes]]) -> bytes:
    """Chain entries to the seal before them, in order of their ids."""
    digest = sha256(previous)
    for id, entry in sorted(entries):
        digest.update(id.encode())
        digest.update(entry)
    return digest.digest()


def subject_digest(salt: bytes, subject: str) -> str:
    """Give the digest that marks what is kept about a subject without saying which."""
    return blake2b(f"subject:{subject}".encode(), key=salt, digest_size=16).hexdigest()


def person_digest(salt: bytes, person: str) -> bytes:
    """Give the digest under which it is remembered that a person was erased."""
    return blake2b(f"person:{person}".encode(), key=salt, digest_size=16).digest()


def entry_of(
    id: str,
    salt: bytes,
    *,
    tenant: str,
    store: str,
    person: str,
    key: int | None,
    at: Instant,
    action: str,
    outcome: str,
    target: str | None,
    content: dict[str, Any],
) -> AuditEntry:
    """Make the entry of one thing that happened."""
    text = orjson.dumps(content).decode()
    said = _said(salt, store, person, text)
    digest = _digest(said, id, at, action, outcome, target)
    return AuditEntry(
        id, tenant, store, person, key, at, action, outcome, target, text, salt, digest, said
    )


# -------------------------------------------------------------------------- verifying


def _altered(e: Kept) -> bool:
    if e.said is None:  # from before there were two digests: once emptied, nothing can be said
        if e.salt is None:
            return False
        return e.digest != digest_entry(
            e.salt, e.id, e.at, e.action, e.outcome, e.target, e.content or ""
        )
    if e.digest != _digest(e.said, e.id, e.at, e.action, e.outcome, e.target):
        return True
    if e.salt is None:
        return False
    return e.said != _said(e.salt, e.store or "", e.person or "", e.content or "")


def pruned_to(entries: Iterable[Kept]) -> int:
    """Give the seal up to which entries were removed at the end of their time, as they say."""
    found = 0
    for e in entries:
        if e.target == RETENTION and e.content is not None and not _altered(e):
            found = max(found, int(orjson.loads(e.content).get("to_seal", 0)))
    return found


class _Faults:
    """Collects what does not add up; the first so many are told one by one."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.more = 0

    def add(self, fault: str) -> None:
        if len(self.told) < _TOLD:
            self.told.append(fault)
        else:
            self.more += 1

    def all(self) -> tuple[str, ...]:
        return (*self.told, *([f"and {self.more} more"] if self.more else []))


def verified(
    seals: Iterable[Sealed],
    sealed: Iterator[Kept],
    unsealed: Iterable[Kept],
    *,
    removed: int,
    anchor: str | None = None,
) -> AuditSummary:
    """Verify a trail, entry by entry: seals rising, their entries by seal and id.

    ``removed`` is the seal up to which entries may be gone; ``anchor`` a head that was told
    before, which the trail must still contain.
    """
    faults, counts = _Faults(), {"sealed": 0, "emptied": 0}

    def check(e: Kept) -> None:
        counts["emptied"] += e.salt is None
        if _altered(e):
            faults.add(f"entry {e.id} was altered")

    row = next(sealed, None)
    previous, expected, head, anchored = GENESIS, 1, None, anchor is None
    for seal in seals:
        if seal.n != expected:
            faults.add(f"seal {expected} is missing")
        while row is not None and (row.seal or 0) < seal.n:
            faults.add(f"entry {row.id} stands under seal {row.seal}, which is missing")
            check(row)
            counts["sealed"] += 1
            row = next(sealed, None)
        chain, count = sha256(previous), 0
        while row is not None and row.seal == seal.n:
            check(row)
            chain.update(row.id.encode())
            chain.update(row.digest)
            count += 1
            row = next(sealed, None)
        counts["sealed"] += count
        gone = count == 0 and seal.n <= removed
        if not gone and (count != seal.entries or chain.digest() != seal.hash):
            faults.add(f"seal {seal.n} does not fit its entries")
        previous, expected, head = seal.hash, seal.n + 1, f"{seal.n}:{seal.hash.hex()}"
        anchored |= head == anchor
    while row is not None:
        faults.add(f"entry {row.id} stands under seal {row.seal}, which is missing")
        check(row)
        counts["sealed"] += 1
        row = next(sealed, None)
    if not anchored:
        faults.add(f"the trail does not contain the seal {anchor}")
    open_ones = 0
    for e in unsealed:
        check(e)
        open_ones += 1
    return AuditSummary(
        counts["sealed"], open_ones, faults.all(), counts["emptied"], head, removed
    )  # fmt: skip
