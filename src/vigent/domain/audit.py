"""Digests of audit entries, and the seals that chain them; the same for every engine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import orjson

from vigent.domain.changes import AuditEntry
from vigent.domain.time import Instant

__all__ = ["GENESIS", "digest_entry", "entry_of", "person_digest", "seal_hash", "subject_digest"]

GENESIS = b"\0" * 32


def digest_entry(
    salt: bytes,
    id: str,
    at: Instant,
    action: str,
    outcome: str,
    target: str | None,
    content: str,
) -> bytes:
    """Give the salted digest of one entry, which its content cannot be guessed from."""
    text = "\x1f".join((id, str(at), action, outcome, target or "", content))
    return hashlib.blake2b(text.encode(), key=salt, digest_size=32).digest()


def seal_hash(previous: bytes, entries: Iterable[tuple[str, bytes]]) -> bytes:
    """Chain entries to the seal before them, in order of their ids."""
    digest = hashlib.sha256(previous)
    for id, entry in sorted(entries):
        digest.update(id.encode())
        digest.update(entry)
    return digest.digest()


def subject_digest(salt: bytes, subject: str) -> str:
    """Give the digest that marks what is kept about a subject without saying which."""
    return hashlib.blake2b(f"subject:{subject}".encode(), key=salt, digest_size=16).hexdigest()


def person_digest(salt: bytes, person: str) -> bytes:
    """Give the digest under which it is remembered that a person was erased."""
    return hashlib.blake2b(f"person:{person}".encode(), key=salt, digest_size=16).digest()


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
    digest = digest_entry(salt, id, at, action, outcome, target, text)
    return AuditEntry(
        id, tenant, store, person, key, at, action, outcome, target, text, salt, digest
    )
