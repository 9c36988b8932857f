"""Digests of audit entries, and the seals that chain them; the same for every engine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from vigent.domain.time import Instant

__all__ = ["GENESIS", "digest_entry", "seal_hash", "subject_digest"]

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
