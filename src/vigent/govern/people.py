"""Everything that is kept of one person, handed out whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from vigent.domain.episodes import Episode
from vigent.domain.resources import AuditRow
from vigent.domain.statements import Key, Statement
from vigent.domain.text import is_own
from vigent.domain.threads import Thread, ThreadItem, ThreadState
from vigent.domain.time import OPEN, Instant, iso
from vigent.domain.values import jsonable
from vigent.govern.documents import PersonDocument
from vigent.govern.nominated import nominated_of
from vigent.govern.responses import responses_of
from vigent.ports.storage import Selection, Snapshot

__all__ = ["exported", "settings_of", "shown_entries", "shown_entry"]

_AUDIT: Final = 1_000_000
"""More entries than a trail has of one person."""


def settings_of(snapshot: Snapshot, tenant: str, person: str) -> dict[str, Any]:
    """Give what is set for a person, and which entity they are."""
    row = snapshot.resource(tenant, "person", person)
    document = PersonDocument() if row is None else PersonDocument.model_validate_json(row.document)
    return {
        "id": person, **document.model_dump(mode="json"),
        "subject": snapshot.ledger(tenant, subject_of=person).subject,
        "version": 0 if row is None else row.version,
    }  # fmt: skip


def _every(_: str) -> bool:
    return True


def exported(
    snapshot: Snapshot,
    tenant: str,
    person: str,
    now: Instant,
    sees: Callable[[str], bool] = _every,
) -> dict[str, Any]:
    """Give everything of a person in every store of a tenant, or in those that are seen.

    Memories come with every statement, also what was corrected, withdrawn, held or rejected, and
    with every stretch that was ever believed. What is past its time is in no read, so not here.
    """
    memories: list[dict[str, Any]] = []
    blocks: list[dict[str, Any]] = []
    threads: list[dict[str, Any]] = []
    aliases: list[dict[str, Any]] = []
    stores = [store for store in snapshot.stores_of(tenant, person) if sees(store)]
    for store in stores:
        for key in snapshot.keys(Selection(tenant, store, (person,))):
            kept = _key(snapshot, key, now)
            if kept["statements"]:
                (blocks if is_own(key.id.subject) else memories).append(kept)
        for row in snapshot.threads(tenant, store, (person,)):
            if row.expires_at <= now:
                continue
            found = snapshot.thread_items(row, person, after=0, last=None)
            items = [ThreadItem(item, place).to_dict() for place, item in found]
            state = ThreadState(row.id, snapshot.thread_state(row)).to_dict()
            threads.append({**Thread(row).to_dict(), "items": items, "state": state["state"]})
        aliases += [
            {"store_id": row.store, "name": row.written, "subject": row.subject, "at": iso(row.at)}
            for row in snapshot.aliases(tenant, store, person, None)
            if row.person == person
        ]
    entries = snapshot.audit_entries(tenant, person=person, limit=_AUDIT)
    return {
        "person_id": person, "tenant_id": tenant, "exported_at": iso(now),
        "settings": settings_of(snapshot, tenant, person), "stores": stores,
        "memories": memories,
        "episodes": [
            Episode(row).to_dict()
            for row in snapshot.episodes_of(tenant, person)
            if sees(row.store) and (row.stub or row.expires_at > now)
        ],
        "threads": threads, "aliases": aliases, "blocks": blocks,
        "candidates": nominated_of(snapshot, tenant, person, now, sees),
        "responses": responses_of(snapshot, tenant, person),
        "audit": shown_entries(
            snapshot, tenant, [row for row in entries if sees(row.store or "")], now
        ),
    }  # fmt: skip


def _key(snapshot: Snapshot, key: Key, now: Instant) -> dict[str, Any]:
    every = snapshot.statements(key.id.tenant, of_key=key.no)
    rows = [(own, s) for own, s in every if s.expires_at > now]
    ids = {s.no: s.id for _, s in rows}
    return {
        "store_id": key.id.store, "subject": None if is_own(key.id.subject) else key.name or None,
        "attribute": key.id.attribute or None,
        "statements": [_statement(s, ids) for _, s in rows],
        "history": [
            {
                "memory_id": found.statement.id, "valid_from": iso(found.belief.valid_from),
                "valid_to": _end(found.belief.valid_to),
                "recorded_from": iso(found.belief.recorded_from),
                "recorded_to": _end(found.belief.recorded_to),
            }
            for found in snapshot.beliefs(key)
            if found.statement.expires_at > now
        ],
    }  # fmt: skip


def _statement(s: Statement, ids: dict[int, str]) -> dict[str, Any]:
    value = None if s.value_kind is None else jsonable(s.value_kind, s.value or "")
    return {
        "id": s.id, "memory_id": ids.get(s.bears, s.id), "role": s.role, "kind": s.kind,
        "type": s.type, "status": s.status, "value": value, "text": s.text,
        "valid_from": iso(s.valid_from), "valid_to": _end(s.valid_to),
        "recorded_at": iso(s.recorded_from), "withdrawn_at": _end(s.withdrawn_at),
        "forgotten_at": _end(s.forgotten_at), "expires_at": _end(s.expires_at),
        "confidence": s.confidence, "importance": s.importance, "trust": s.trust,
        "source_episode_id": s.source_episode, "quote": s.quote, "speaker": s.speaker,
        "source": s.source, "writer": s.writer, "reason": s.reason,
        "metadata": json.loads(s.metadata), "retention_policy": s.retention,
        "evidence_count": s.evidence_count, **json.loads(s.fields),
    }  # fmt: skip


def _end(at: Instant | None) -> str | None:
    return None if at is None or at >= OPEN else iso(at)


def shown_entries(
    snapshot: Snapshot, tenant: str, rows: Sequence[AuditRow], now: Instant
) -> list[dict[str, Any]]:
    """Give entries of the audit trail as they are answered.

    Content about a memory that is past its time, or that tells what a correction found of one, is
    null, as it will be once that is swept.
    """
    about = [_about(row) for row in rows]
    every = set[str]().union(*about)
    found = snapshot.statements(tenant, ids=sorted(every)) if every else []
    over = {s.id for _, s in found if s.expires_at <= now}
    return [
        shown_entry(row._replace(content=None) if over & ids else row)
        for row, ids in zip(rows, about, strict=True)
    ]


def _about(row: AuditRow) -> set[str]:
    """Give the ids of the memories whose content an entry tells."""
    if row.content is None:
        return set()
    said = json.loads(row.content)
    told = set(said["ended"]) if "before" in said and "ended" in said else set[str]()
    return told if row.target is None else told | {row.target}


def shown_entry(row: AuditRow) -> dict[str, Any]:
    """Give an entry of the audit trail as it is answered; emptied content is null."""
    return {
        "id": row.id, "at": iso(row.at), "action": row.action, "outcome": row.outcome,
        "target": row.target, "sealed": row.seal is not None, "store": row.store or None,
        "person": row.person or None,
        "content": None if row.content is None else json.loads(row.content),
    }  # fmt: skip
