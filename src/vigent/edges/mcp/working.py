"""What the tools of memory do, each one call of the engine; synchronous, for a worker thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from vigent.domain.episodes import Episode
from vigent.domain.modelword import DATED, MODELS_WORD, check_type, dated, mode_of
from vigent.domain.records import Record
from vigent.domain.time import iso
from vigent.edges.mcp.bound import Bound
from vigent.edges.mcp.shapes import (
    Context,
    Forgotten,
    Found,
    History,
    Standing,
    Undo,
    Written,
    found,
    known,
    past,
)
from vigent.errors import InvalidInput
from vigent.proposals import MemoryDelta
from vigent.write.result import WriteResult

__all__ = ["Asked", "context", "current", "forget", "history", "search", "write"]

_STRETCHES: Final = 50
_ENDS: Final = ("valid_from", "valid_to")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A write as a model asks for it; ``confidence`` is in percent, None for that of its word."""

    subject: str | None = None
    attribute: str | None = None
    value: Any = None
    text: str | None = None
    type: str = "fact"
    confidence: int | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    mode: str = "change"
    retract: bool = False
    quote: str | None = None
    speaker: str | None = None
    source_episode_id: str | None = None


def search(bound: Bound, query: str, **given: Any) -> Found:
    """Find what answers a question."""
    return found(bound.memory.search(query, person=bound.person, **bound.days(given, ends=True)))


def current(bound: Bound, subject: str, attribute: str | None, **when: Any) -> Standing:
    """Give what is in force of an attribute, or of a whole subject."""
    when = bound.days(when, ends=True)
    given = bound.memory.current(subject, attribute, person=bound.person, **when)
    if attribute is None:
        records = [record for held in given.values() for record in _several_of(held)]
        at = {"as_of": _text(given.as_of), "known_at": _text(given.known_at)}
        return Standing(subject=subject, memories=[known(r) for r in records], **at)
    records = _several_of(given)
    at = {} if not records else {
        "as_of": iso(records[0].valid_at), "known_at": iso(records[0].known),
    }  # fmt: skip
    return Standing(
        subject=subject, attribute=attribute, memories=[known(r) for r in records], **at
    )


def _several_of(given: Any) -> list[Record]:
    return [given] if isinstance(given, Record) else list(given or ())


def _text(instant: Any) -> str:
    return str(instant.isoformat().replace("+00:00", "Z"))


def history(bound: Bound, subject: str, attribute: str) -> History:
    """Give every stretch ever believed, the last ones where there are many."""
    every = bound.memory.history(subject, attribute, person=bound.person)
    return History(
        subject=subject, attribute=attribute, total=len(every),
        stretches=[past(record) for record in every[-_STRETCHES:]],
    )  # fmt: skip


def context(bound: Bound, query: str, budget_tokens: int) -> Context:
    """Give the cited block for a turn; nothing of the conversation itself."""
    given = bound.memory.context(
        query, budget_tokens=budget_tokens, memory_share=1.0, person=bound.person
    )
    return Context(
        block=given.block, memory_ids=list(given.memory_ids), notes=list(given.trace.notes),
        tokens=given.trace.estimated_tokens,
    )  # fmt: skip


def forget(bound: Bound, memory_id: str) -> Forgotten:
    """Forget a memory of the caller's own."""
    done = bound.memory.forget(memory_id, person=bound.person)
    return Forgotten(memory_id=done.memory_id, forgotten=done.forgotten)


# --------------------------------------------------------------------------------- writing


def write(bound: Bound, asked: Asked) -> Written:
    """Propose a memory, or its end, with the words it rests on.

    Its worth is decided as for any model's tool (``domain.modelword``): there is no thread,
    so the words are those of the quote, or of the episode that is named.
    """
    _check(bound, asked)
    episode = _evidence(bound, asked)
    fields: dict[str, Any] = {
        "value": asked.value, "valid_from": asked.valid_from, "valid_to": asked.valid_to,
    }  # fmt: skip
    held, mode = None, asked.mode
    if episode is not None:
        words = asked.quote or episode.content or ""
        at = episode.row.occurred_at
        # When reported words were said, nobody knows; of an episode that is named, it is known.
        only = DATED if asked.source_episode_id is not None else ("value",)
        fields, held = dated(fields, words, at=at, timezone=bound.timezone, only=only)
        mode = mode_of(mode, words)
    fields |= bound.days({name: fields[name] for name in _ENDS if name in fields})
    cited = None if episode is None else episode.id
    if asked.retract and asked.value is not None:
        return _written(bound, _retract(bound, asked, mode, cited, fields))
    delta = MemoryDelta(
        tenant_id=bound.tenant, subject=asked.subject, attribute=asked.attribute, text=asked.text,
        type=asked.type, mode=mode, confidence=_sure(asked), source_episode_id=cited,
        quote=asked.quote, trust=bound.trust, held=held, **fields,
    )  # fmt: skip
    return _written(bound, bound.memory.propose(delta, person=bound.person))


def _sure(asked: Asked) -> float:
    return MODELS_WORD if asked.confidence is None else asked.confidence / 100


def _check(bound: Bound, asked: Asked) -> None:
    if asked.confidence is not None and not 0 <= asked.confidence <= 100:
        raise InvalidInput("confidence", "must be a whole percentage, 0 to 100")
    if asked.value is None and asked.text is None and not asked.retract:
        raise InvalidInput("value", "must be given, or text, or retract")
    if asked.retract and (asked.attribute is None or asked.text is not None):
        raise InvalidInput(
            "attribute", "must be given to retract; free text is forgotten by its id"
        )
    if not asked.retract:
        check_type(asked.type, bound.writable)


def _evidence(bound: Bound, asked: Asked) -> Episode | None:
    """Give what a memory rests on: what is named, or the quote, kept as reported by a model."""
    if asked.source_episode_id is not None:
        return bound.memory.records.episode(asked.source_episode_id, person=bound.person)
    if asked.quote is None:
        return None
    return bound.memory.capture(
        asked.quote, role="assistant", kind="report", speaker=asked.speaker, person=bound.person
    )


def _retract(
    bound: Bound, asked: Asked, mode: str, episode: str | None, fields: dict[str, Any]
) -> WriteResult:
    """End one of several values."""
    return bound.memory.retract(
        subject=asked.subject or "", attribute=asked.attribute or "",
        value=asked.value, valid_from=fields.get("valid_from"),
        mode="correction" if mode == "correction" else "change",
        source_episode_id=episode, quote=asked.quote, trust=bound.trust, person=bound.person,
    )  # fmt: skip


def _written(bound: Bound, result: WriteResult) -> Written:
    return Written(
        outcome=result.outcome,
        memory=None if result.memory is None else known(result.memory),
        ended=[known(record) for record in result.ended],
        reason=result.reason,
        undo=_undo(bound, result),
    )


def _undo(bound: Bound, result: WriteResult) -> Undo | None:
    """Give the call that puts things back as they were, where there is one."""
    memory = result.memory
    if result.outcome == "retracted" and len(result.ended) == 1:
        return Undo(tool="memory_write", arguments=_again(result.ended[0]))
    if memory is None or result.outcome not in {"stored", "superseded", "pending_review"}:
        return None
    if result.outcome == "pending_review" or memory.attribute is None:
        return Undo(tool="memory_forget", arguments={"memory_id": memory.memory_id})
    said = known(memory)
    never = {
        "subject": said.subject, "attribute": said.attribute, "retract": True,
        "mode": "correction", "valid_from": said.valid_from,
    }  # fmt: skip
    if _several(bound, memory.attribute):
        never["value"] = said.value
    return Undo(tool="memory_write", arguments=never)


def _several(bound: Bound, attribute: str) -> bool:
    definition = bound.schema.attribute(attribute)
    return definition is not None and definition.multi


def _again(said: Record) -> dict[str, Any]:
    """Say once more what was ended: from then on, or where it never was, over all its time."""
    short = known(said)
    again = {"subject": short.subject, "attribute": short.attribute, "value": short.value}
    if said.confidence is not None:
        again["confidence"] = round(said.confidence * 100)
    if short.status != "withdrawn":
        return {**again, "valid_from": short.valid_to}
    times = {"valid_from": short.valid_from, "valid_to": short.valid_to}
    return {**again, **{name: at for name, at in times.items() if at is not None}}
