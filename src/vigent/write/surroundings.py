"""What the gate has to know beside a candidate: its item, what was said around it, what stands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from vigent.domain.episodes import EpisodeRow
from vigent.domain.gate.case import Case, Item, Nomination, Standing
from vigent.domain.gate.policy import GatePolicy
from vigent.domain.gate.subjects import names_subject
from vigent.domain.schema import trust_rank
from vigent.domain.statements import Key, KeyId, Statement
from vigent.domain.text import MAX_ID, canonical_subject, words
from vigent.domain.threads import stub_of
from vigent.domain.time import named_zone
from vigent.domain.values import Value, canonical
from vigent.errors import InvalidInput
from vigent.joining import joined_names
from vigent.ports.storage import Selection, Transaction
from vigent.standing import shown
from vigent.write.context import Context
from vigent.write.session import Session
from vigent.write.work import token_of

__all__ = ["Bearers", "case_of", "source_row", "waiting_for"]

_NEAR: Final = 16
"""So many items before and after one are looked at, to find what it answers and its answer."""
_RECALL: Final = frozenset({"memory", "vigent"})

Bearers = tuple[str, ...]


def source_row(session: Session, context: Context, id: str) -> EpisodeRow | None:
    """Give an episode of the store, as a stub where its time is past; None where there is none."""
    rows = session.transaction.episodes(context.tenant, ids=[id])
    if not rows or rows[0].store != context.store:
        return None
    row = rows[0]
    return stub_of(row) if row.expires_at <= context.clock.now() else row


def case_of(
    session: Session,
    context: Context,
    person: str,
    row: EpisodeRow,
    nomination: Nomination,
    *,
    timezone: str | None,
    policy: GatePolicy,
) -> tuple[Case, str | None]:
    """Gather what the rules look at, as it stands under the write lock.

    Beside it is the subject that a mention stands for, where it is the whole name of just one.
    """
    transaction = session.transaction
    zone = timezone or _zone_of(row) or "UTC"
    named_zone(zone)
    before, earlier, after, sealed = _around(transaction, person, row)
    definition = None
    if nomination.attribute is not None:
        definition = context.schema.attribute(nomination.attribute)
    selves = _selves(transaction, context, person)
    named = names_subject(nomination.subject or "", row.content or "")
    found: Bearers = ()
    if named:  # what is not mentioned is an id, and no name in talk
        found = _bearers(transaction, context, person, nomination.subject, selves)
    key, token = _key_and_token(session, context, person, nomination, zone)
    case = Case(
        nomination=nomination, item=_item(row, sealed=sealed), person=person, selves=selves,
        before=before, earlier=earlier, after=after, timezone=zone, definition=definition,
        namesakes=found if len(found) > 1 else (),
        others=_others(transaction, context, person, nomination.subject),
        standing=_standing(transaction, context, key, token, row),
        recurred=1 + len(_sessions_of(transaction, waiting_for(transaction, key, token), row)),
        policy=policy,
    )  # fmt: skip
    return case, found[0] if len(found) == 1 else None


def _zone_of(row: EpisodeRow) -> str | None:
    zone = _metadata(row).get("timezone")
    return zone if isinstance(zone, str) else None


def _metadata(row: EpisodeRow) -> Mapping[str, Any]:
    return json.loads(row.metadata)


def _item(row: EpisodeRow, *, sealed: bool) -> Item:
    recalled = row.role == "tool" and _metadata(row).get("source") in _RECALL
    return Item(
        text=row.content or "", role=row.role, kind=row.kind, person=row.person,
        speaker=row.speaker, at=row.occurred_at, flagged=bool(row.flagged), sealed=sealed,
        recalled=recalled,
    )  # fmt: skip


def _around(transaction: Transaction, person: str, row: EpisodeRow) -> tuple[str, str, str, bool]:
    """Give what the assistant said just before an item, all before it, the answer, and its seal."""
    found = transaction.thread_place(row.tenant, row.no)
    if found is None:
        return "", "", "", False
    thread, place = found
    after = max(0, place.position - _NEAR - 1)
    items = transaction.thread_items(thread, person, after=after, last=None, limit=2 * _NEAR + 1)
    before: list[str] = []
    earlier: list[str] = []
    answer = ""
    for at, item in items:
        said = "" if at.sealed else item.content or ""
        if at.position < place.position:
            if item.role in {"user", "assistant"}:
                earlier.append(said)
            if item.role == "user":
                before = []
            elif item.role == "assistant" and item.kind in {"assistant", "message"}:
                before.append(said)
        elif at.position > place.position and item.role == "user":
            answer = said
            break
    return "\n".join(before), "\n".join(earlier), answer, bool(place.sealed)


def _selves(transaction: Transaction, context: Context, person: str) -> frozenset[str]:
    """Give the canonical names that are the person's."""
    if not person:
        return frozenset()
    linked = transaction.ledger(context.tenant, subject_of=person).subject
    own = {canonical_subject(name)[1] for name in (person, linked) if name}
    for name in tuple(own):
        own |= set(joined_names(transaction, context.tenant, context.store, person, name))
    own |= {
        w
        for key in _name_keys(transaction, context, person, own)
        for w in _names(transaction, context, key)
    }
    return frozenset(own)


def _others(
    transaction: Transaction, context: Context, person: str, subject: str | None
) -> frozenset[str]:
    """Give the canonical name of a subject that is another person: one who has threads here."""
    if not subject or subject == person or len(subject) > MAX_ID:
        return frozenset()
    linked = transaction.ledger(context.tenant, subject_of=subject).subject
    if linked or transaction.threads(context.tenant, context.store, (subject,), limit=1):
        return frozenset({canonical_subject(subject)[1]})
    return frozenset()


def _name_keys(
    transaction: Transaction, context: Context, person: str, subjects: set[str]
) -> list[Key]:
    persons = (person, "") if person else ("",)
    ids = tuple(
        KeyId(context.tenant, context.store, who, subject, "name", "")
        for who in persons
        for subject in subjects
    )
    return transaction.keys(Selection(context.tenant, context.store, (), exact=ids))


def _names(transaction: Transaction, context: Context, key: Key) -> list[str]:
    """Give the canonical names that a ``name`` fact says now."""
    now = max(context.clock.now(), key.last_recorded)
    told = [f.statement for f in transaction.at(key, None, now, None)]
    return [
        canonical_subject(s.value)[1]
        for s in told
        if s.value and shown(s, now) and len(s.value) <= 200
    ]


def _bearers(
    transaction: Transaction,
    context: Context,
    person: str,
    name: str | None,
    selves: frozenset[str] = frozenset(),
) -> Bearers:
    """Give the subjects that bear a name in talk: none where it is the id of one that is known.

    A name that is the whole name of one subject is its; one that several bear, whole or as a word
    of it, is theirs all.
    """
    if name is None:
        return ()
    try:
        subject = canonical_subject(name)[1]
    except InvalidInput:
        return ()
    persons = (person, "") if person else ("",)
    known = Selection(context.tenant, context.store, persons, subject)
    if subject in selves or transaction.keys(known):
        return ()
    asked = words(subject)
    every = Selection(context.tenant, context.store, persons, None, "name")
    whole: dict[str, None] = {}
    part: dict[str, None] = {}
    for key in transaction.keys(every):
        for called in _names(transaction, context, key):
            if words(called) == asked:
                whole[key.id.subject] = None
            elif len(asked) == 1 and asked[0] in words(called):
                part[key.id.subject] = None
    if len(whole) + len(part) > 1:
        return (*whole, *part)
    return tuple(whole)


def _key_and_token(
    session: Session, context: Context, person: str, nomination: Nomination, zone: str
) -> tuple[Key | None, bytes]:
    """Give the key a nomination is about, where it is there, and the token of its value."""
    try:
        subject = canonical_subject(nomination.subject)[1] if nomination.subject else ""
        definition = (
            context.schema.attribute(nomination.attribute) if nomination.attribute else None
        )
        attribute = definition.name if definition else nomination.attribute or ""
        type = "" if attribute else nomination.type
        value: Value | None = None
        if nomination.value is not None:
            value = canonical(nomination.value, definition, timezone=zone)
    except InvalidInput:
        return None, b""
    id = KeyId(context.tenant, context.store, person, subject, attribute, type)
    found = session.transaction.keys(Selection(context.tenant, context.store, (), exact=(id,)))
    token = b"" if value is None else token_of(session.salt, value.canon)
    return (found[0] if found else None), token


def _standing(
    transaction: Transaction, context: Context, key: Key | None, token: bytes, row: EpisodeRow
) -> tuple[Standing, ...]:
    if key is None or not key.id.attribute:
        return ()
    definition = context.schema.attribute(key.id.attribute)
    if definition is not None and definition.multi:
        return ()
    found = transaction.at(key, None, row.occurred_at, None)
    return tuple(
        Standing(f.statement.token == token, trust_rank(f.statement.trust), _told(f.statement))
        for f in found
        if shown(f.statement, context.clock.now())
    )


def _told(statement: Statement) -> str:
    return statement.text or statement.value or ""


def waiting_for(transaction: Transaction, key: Key | None, token: bytes) -> list[Statement]:
    """Give the buffered candidates of a value, in order of recording."""
    if key is None or not token:
        return []
    rows = transaction.statements(key.id.tenant, held_by=key.no)
    return [s for _, s in rows if s.status == "buffered" and s.token == token]


def _sessions_of(transaction: Transaction, waiting: list[Statement], row: EpisodeRow) -> set[str]:
    """Give the sessions that candidates come from, but for an item's own."""
    ids = [s.source_episode for s in waiting if s.source_episode]
    rows = transaction.episodes(row.tenant, ids=ids) if ids else []
    return {one.thread or one.id for one in rows} - {row.thread or row.id}
