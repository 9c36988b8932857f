"""The memory block of a context: records in, text and an account of what was left out.

A label stands on a line of its own and is written here alone. Each record is one line of JSON, in
which nothing that was stored can end the line, open a label or close the block.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any, Final, Protocol

from vigent.domain.records import Record
from vigent.domain.time import OPEN, Instant, iso, to_datetime
from vigent.domain.values import jsonable

__all__ = [
    "CLOSING",
    "LABELS",
    "OPENING",
    "Assembled",
    "Candidates",
    "Part",
    "Room",
    "Zone",
    "assemble",
    "block_label",
    "json_line",
    "line_of",
    "percent",
    "session_line",
    "without_injected",
]

LABELS: Final = (
    "[commitments]",
    "[behaviour]",
    "[about_this_person]",
    "[organisation]",
    "[past_sessions]",
)
"""The labels of sections, in their order. Always-visible blocks stand before them."""
OPENING: Final = "<vigent:memory>"
CLOSING: Final = "</vigent:memory>"
"""The first and the last line of what is injected: text between them is never evidence."""

Zone = dt.tzinfo

# What some reader takes for the end of a line, what begins a mark of ours, and half characters.
_RISKY: Final = re.compile("[<\x7f-\x9f\u2028\u2029\ud800-\udfff]")


_encode: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False
).encode
# What no line is shorter than.
_SHORTEST: Final = '{"type":"a","confidence":"1%","text":"a","memory_id":"mem_0123456789abcdef"}'


class Counter(Protocol):
    """Gives the tokens of a text."""

    def __call__(self, text: str, /) -> int: ...


def block_label(name: str) -> str:
    """Give the label of an always-visible block."""
    return f"[block:{name}]"


def without_injected(text: str) -> str:
    """Give a text without what was injected into it: that is no evidence of anything.

    An end that is missing is the end of the text, a beginning that is missing its beginning.
    """
    if OPENING not in text and CLOSING not in text:
        return text
    kept: list[str] = []
    for part in text.split(OPENING):
        _, closed, after = part.rpartition(CLOSING)
        if closed or not kept:
            kept.append(after)
    return "\n".join(kept)


# ------------------------------------------------------------------------------------ lines


@lru_cache(maxsize=1024)
def percent(confidence: float | None) -> str | None:
    """Give a confidence as a whole percentage, rounded half up: ``"82%"``."""
    if confidence is None:
        return None
    whole = (Decimal(repr(confidence)) * 100).quantize(Decimal(1), ROUND_HALF_UP)
    return f"{whole}%"


def json_line(fields: dict[str, Any]) -> str:
    """Give fields as one line of JSON, in which nothing stored opens or closes a mark of ours."""
    text = _encode(fields)
    if _RISKY.search(text) is None:
        return text
    return _RISKY.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _opened(record: Record) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "type": record.memory_type,
        "confidence": percent(record.effective_confidence),
    }
    if record.contested:
        fields["contested"] = True
    return fields


def _when(instant: Instant, zone: Zone) -> str:
    try:
        local = to_datetime(instant).astimezone(zone)
    except OverflowError:  # the first or the last day there is
        return iso(instant)
    if (local.hour, local.minute, local.second, local.microsecond) == (0, 0, 0, 0):
        return local.date().isoformat()
    return local.isoformat(timespec="auto").replace("+00:00", "Z")


def line_of(record: Record, zone: Zone, *, doubtful: Container[str] = ()) -> str:
    """Give a record as one line of JSON, with the memory id to cite.

    ``valid_from`` stands where it was stated or comes from an episode, ``valid_to`` where an end
    is known; times are of the zone, a day alone where it begins then. A commitment that was due
    by the time of the answer says that it is overdue, and a memory that does not hold then, because
    another time was asked about, that it is not in force; so do the ``doubtful``, which may not
    have held at that time.
    """
    fields = _opened(record)
    if record.key.subject and record.name and record.memory_type != "block":
        fields["subject"] = record.name
    if record.text is not None:
        fields["text"] = record.text
    elif record.memory_type == "block":
        fields["text"] = record.value
    else:
        fields["attribute"] = record.key.attribute
        kind = record.value_kind
        fields["value"] = None if kind is None else jsonable(kind, record.content[3])
    if record.memory_type == "commitment":
        fields |= _due(record.fields.get("due"), zone, record.answered_at)
    if record.valid_from_basis != "assumed":
        fields["valid_from"] = _when(record.stretch.valid_from, zone)
    if record.stretch.valid_to != OPEN:
        fields["valid_to"] = _when(record.stretch.valid_to, zone)
    holds = record.stretch.valid_from <= record.answered_at < record.stretch.valid_to
    if not holds or record.memory_id in doubtful:
        fields["in_force"] = False
    fields["memory_id"] = record.memory_id
    return json_line(fields)


def _due(due: object, zone: Zone, now: Instant) -> dict[str, Any]:
    if not isinstance(due, str):
        return {}
    if len(due) > 10:
        at = dt.datetime.fromisoformat(due)
        shown = at.astimezone(zone).isoformat(timespec="auto").replace("+00:00", "Z")
        over = at < to_datetime(now)
    else:
        shown = due
        over = due < to_datetime(now).astimezone(zone).date().isoformat()
    return {"due": shown, "overdue": True} if over else {"due": shown}


def session_line(record: Record, zone: Zone) -> str:
    """Give the record of a past session as one line: its span, thread and first item, its text."""
    fields, own = _opened(record), record.fields
    span: list[Any] = own.get("span") or [None]
    items: list[Any] = own.get("items") or [None]
    return json_line(
        {
            **fields,
            "from": span[0] or _when(record.stretch.valid_from, zone),
            "to": span[-1],
            "thread_id": own.get("thread"),
            "first_item_id": items[0],
            "text": record.text,
            "memory_id": record.memory_id,
        }
    )


# --------------------------------------------------------------------------------- assembly


class Candidates:
    """Records to choose from, best first; ``left`` is how many nobody has looked at."""

    def __init__(self, records: Iterable[Record], total: int) -> None:
        self._records = iter(records)
        self.left = total

    @classmethod
    def of(cls, records: Sequence[Record]) -> Candidates:
        """Give candidates of a list."""
        return cls(records, len(records))

    def __iter__(self) -> Iterator[Record]:
        for record in self._records:
            self.left -= 1
            yield record


@dataclass(frozen=True, slots=True)
class Part:
    """One walk: what to choose from, how many at most, and where each of them stands.

    ``cap`` is the most tokens that these may take; ``outside_share`` exempts shared ones from the
    share that they have.
    """

    candidates: Candidates
    label: Callable[[Record], str]
    line: Callable[[Record], str]
    limit: int | None = None
    cap: float = math.inf
    outside_share: bool = False


@dataclass(slots=True)
class Room:
    """The budget in tokens while it is being used up, and what shared records may take of it."""

    tokens: int
    count: Counter
    shared: float = math.inf
    spent: int = 0
    spent_shared: int = 0

    def take(self, cost: int, *, shared: bool) -> bool:
        """Take so many tokens if they are there."""
        if self.spent + cost > self.tokens:
            return False
        if shared:
            if self.spent_shared + cost > self.shared:
                return False
            self.spent_shared += cost
        self.spent += cost
        return True


@dataclass(slots=True)
class Assembled:
    """The block and the account of it; ``sections`` names the memories under each label.

    ``full`` says that not even the shortest line would fit what is left.
    """

    text: str = ""
    tokens: int = 0
    sections: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    dropped_by_count: int = 0
    dropped_by_budget: int = 0
    too_large: list[Record] = field(default_factory=list[Record])
    full: bool = False

    def lacks(self, records: Sequence[Record], limit: int) -> bool:
        """Whether some of these were too large, and fewer are given than the limit and room allow.

        Then smaller ones that nobody has looked at may have their place.
        """
        if self.full or not self.too_large:
            return False
        ids = {record.memory_id for record in records}
        given = sum(id in ids for label in self.sections.values() for id in label)
        return given < limit and any(record.memory_id in ids for record in self.too_large)


def assemble(parts: Sequence[Part], room: Room) -> Assembled:
    """Walk the parts in order and write the block.

    A record that does not fit what is left is skipped, never cut, and the next one tried, until
    nothing would fit. Where the count of a part is reached its walk stops. The
    whole text stays within the budget.
    """
    out = Assembled()
    lines: dict[str, list[tuple[str, Record]]] = {}
    for part in parts:
        _walk(part, room, lines, out)
    order = [*(label for label in lines if label not in LABELS), *(x for x in LABELS if x in lines)]
    while True:
        kept = [label for label in order if lines[label]]
        out.text = _written(kept, lines)
        out.tokens = room.count(out.text) if kept else 0
        if not kept or out.tokens <= room.tokens:
            break
        # A tokenizer of the caller's may count the whole as more than its lines.
        out.too_large.append(lines[kept[-1]].pop()[1])
        out.dropped_by_budget += 1
    out.full = room.tokens - room.spent < room.count(_SHORTEST)
    out.sections = {label: tuple(record.memory_id for _, record in lines[label]) for label in kept}
    return out


def _walk(
    part: Part, room: Room, lines: dict[str, list[tuple[str, Record]]], out: Assembled
) -> None:
    taken, spent = 0, 0
    if part.limit is not None and part.limit <= 0:
        out.dropped_by_count += part.candidates.left
        return
    frame, least = room.count(f"{OPENING}\n{CLOSING}\n"), room.count(_SHORTEST)
    for record in part.candidates:
        label, text = part.label(record), part.line(record)
        cost = room.count(f"{text}\n")
        if not lines.get(label):
            cost += room.count(f"{label}\n")
        if not any(lines.values()):
            cost += frame
        shared = not record.key.person and not part.outside_share
        if spent + cost > part.cap or not room.take(cost, shared=shared):
            out.dropped_by_budget += 1
            out.too_large.append(record)
            if room.tokens - room.spent < least:
                out.dropped_by_budget += part.candidates.left  # none of them would fit
                return
            continue
        lines.setdefault(label, []).append((text, record))
        taken, spent = taken + 1, spent + cost
        if taken == part.limit:
            out.dropped_by_count += part.candidates.left
            return


def _written(labels: list[str], lines: dict[str, list[tuple[str, Record]]]) -> str:
    if not labels:
        return ""
    rows = [OPENING]
    for label in labels:
        rows += [label, *(text for text, _ in lines[label])]
    return "\n".join([*rows, CLOSING])
