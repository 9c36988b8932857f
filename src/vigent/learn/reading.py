"""Reads one window: shows it to a model, in one call, and hands each candidate to the gate."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol
from zoneinfo import ZoneInfo

from vigent.domain.candidates import Candidate
from vigent.domain.reasoning.answer import Proposed, Reading
from vigent.domain.reasoning.window import StateLine, Window, WindowItem
from vigent.domain.schema import Schema
from vigent.domain.time import to_datetime
from vigent.domain.usage import Account, Parked
from vigent.domain.windows import COUNTED, OVERLAP, Piece, Waiting
from vigent.errors import CallerError, ModelFailed, NotFound
from vigent.learn.asking import Asked, ask_about
from vigent.learn.hiding import Hiding, HidingFailed
from vigent.learn.pieces import pieces_before, pieces_between, thread_of
from vigent.learn.queue import Outcome
from vigent.ports.models import LanguageModel, MeteredModels
from vigent.ports.storage import Snapshot

__all__ = ["Learns", "Model", "Shown", "delta_of", "read_window", "show", "shown"]

_WORDS: Final = 2_000
_FAULTS: Final = {"malformed": "invalid_model_output", "unknown_word": "invalid_model_output"}
_REPEATED: Final = "duplicate"
_OUTCOMES: Final[Mapping[str, str]] = {
    "stored": "written", "confirmed": "confirmed", "noop": "confirmed",
    "superseded": "superseded", "corrected": "superseded", "retracted": "superseded",
    "buffered": "held", "pending_review": "held", "rejected": "rejected",
}  # fmt: skip


class Learns(Protocol):
    """What reading needs of a memory, in the name of a switch's author."""

    @property
    def schema(self) -> Schema:
        """What the store knows of."""
        ...

    def subject(self, person: str) -> str | None:
        """Give the name under which a person's own memory stands."""
        ...

    def zone(self, person: str) -> str:
        """Give the zone of a person, or the tenant's."""
        ...

    def concerning(self, words: str, person: str) -> Sequence[StateLine]:
        """Give what is in force and that words concern, at most some forty lines."""
        ...

    def learn(self, person: str, delta: Mapping[str, Any]) -> Candidate:
        """Put a candidate through the gate."""
        ...


@dataclass(frozen=True, slots=True)
class Model:
    """A language model, and on whose account it is asked; ``timeout`` in seconds for a window."""

    model: LanguageModel
    metered: MeteredModels
    account: Account
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """A window as a model sees it, and what its place holders stand for."""

    window: Window
    hiding: Hiding | None = None
    zones: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])


def show(
    snapshot: Snapshot,
    memory: Learns,
    waiting: Waiting,
    store: str,
    *,
    types: tuple[str, ...],
    instructions: str,
    hide: Sequence[str] | None,
) -> Shown | None:
    """Give a window as it is shown, or None where nothing of it is there any more.

    Raises HidingFailed.
    """
    thread = thread_of(
        snapshot, waiting.tenant, store, waiting.person, waiting.thread, waiting.made
    )
    if thread is None:
        return None
    span = waiting.span
    every = pieces_between(snapshot, thread, span.first[0] - 1, span.last[0])
    own = [p for p in every if span.first <= p.place <= span.last]
    if not own:
        return None
    before = [p._replace(evidence=False) for p in pieces_before(
        snapshot, thread, span.first, OVERLAP)]  # fmt: skip
    return shown(memory, waiting.person, [*before, *own], types, instructions, hide)


def shown(
    memory: Learns,
    person: str,
    pieces: Sequence[Piece],
    types: tuple[str, ...],
    instructions: str,
    hide: Sequence[str] | None,
) -> Shown:
    """Give pieces as a window, with the state that they concern; raises HidingFailed."""
    hiding = None if hide is None else Hiding(hide)
    zone, subject = memory.zone(person), memory.subject(person)
    said = "\n".join(p.text for p in pieces if p.role == "user" and p.evidence)
    state = tuple(memory.concerning(said[-_WORDS:], person)) if said.strip() else ()
    items = tuple(_item(piece, zone) for piece in pieces)
    if hiding is not None:
        items = tuple(replace(item, text=hiding.hide(item.text)) for item in items)
        state = tuple(replace(line, value=hiding.hide(line.value)) for line in state)
    window = Window(
        items=items, schema=memory.schema, state=state, subject=subject, types=types,
        instructions=instructions,
    )  # fmt: skip
    zones = {p.episode_id: None if p.zone else zone for p in pieces}
    return Shown(window, hiding, zones)


def _item(piece: Piece, zone: str) -> WindowItem:
    at = to_datetime(piece.at).astimezone(_zone(piece.zone or zone))
    return WindowItem(
        episode_id=piece.episode_id, role=piece.role, text=piece.text,
        at=at.strftime("%Y-%m-%d %H:%M %A"), who=piece.who, evidence=piece.evidence,
    )  # fmt: skip


def _zone(name: str) -> dt.tzinfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return dt.UTC


def read_window(shown: Shown, model: Model, memory: Learns, person: str) -> Outcome:
    """Read a window, and give what became of it.

    A failure of the model, or of hiding, is an outcome too; what goes wrong with the store is
    raised.
    """
    try:
        asked = ask_about(
            shown.window, model.model, model.metered, model.account, timeout=model.timeout
        )
    except ModelFailed as error:
        return Outcome("failed", error.code)
    if isinstance(asked, Parked):
        return Outcome("parked", "monthly_limit", until=asked.until)
    return entered(shown, asked, memory, person)


def entered(shown: Shown, asked: Asked, memory: Learns, person: str) -> Outcome:
    """Hand what a model proposed to the gate, one after the other."""
    counts = dict.fromkeys(COUNTED, 0)
    amiss = [fault.code for fault in asked.reading.faults if fault.code != _REPEATED]
    for proposed in asked.reading.proposed:
        try:
            found = memory.learn(person, delta_of(shown, proposed))
        except HidingFailed:
            amiss.append("hiding_failed")
            continue
        except NotFound:
            return Outcome("cancelled", counts=counts)  # the item, or its store, is gone
        except CallerError:
            amiss.append("invalid_model_output")
            continue
        counts[_counted(found)] += 1
    counts["left_out"] = len(amiss)
    return _outcome(asked, asked.reading, amiss, counts)


def _outcome(
    asked: Asked, reading: Reading, amiss: Sequence[str], counts: Mapping[str, int]
) -> Outcome:
    if asked.problem is not None:
        return Outcome("failed", asked.problem.code, counts)
    if not amiss:
        return Outcome("done", counts=counts)
    told = Counter(_FAULTS.get(code, code) for code in amiss)
    code = min(told, key=lambda c: (-told[c], c))
    nothing = len(reading.proposed) == sum(c == "hiding_failed" for c in amiss)
    return Outcome("failed" if nothing else "partial", code, counts)


def delta_of(shown: Shown, proposed: Proposed) -> dict[str, Any]:
    """Give a candidate with the real values and its zone; raises HidingFailed."""
    delta = proposed.delta()
    if shown.hiding is not None:
        reveal = shown.hiding.reveal
        delta = {k: reveal(v) if isinstance(v, str) else v for k, v in delta.items()}
    zone = shown.zones.get(proposed.source_episode_id)
    return delta if zone is None else {**delta, "timezone": zone}


def _counted(found: Candidate) -> str:
    result = found.result
    return "rejected" if result is None else _OUTCOMES.get(result.outcome, "rejected")
