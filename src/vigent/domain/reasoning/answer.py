"""Reading a model's answer, field by field: each bad candidate has a reason, the good are kept.

Nothing of it is believed: what is read here goes through the gate. Only what could not be handed
to it, or would reach for what the model was not shown, is left out here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, Final, NamedTuple, cast

from vigent.domain.jsontext import parse_json
from vigent.domain.reasoning.form import ABOUT, ASSERTIONS, DURABLE, ORDER, RELATIONS
from vigent.domain.reasoning.window import SELF, StateLine, Window, WindowItem
from vigent.domain.schema import AttributeDefinition
from vigent.domain.text import canonical_subject, check_name, clean_text
from vigent.domain.values import canonical
from vigent.errors import InvalidInput

__all__ = ["Fault", "Proposed", "Reading", "read_candidates"]

_TEXT: Final = 8_000
_WORDS: Final = 500
_SELVES: Final = frozenset({SELF, "the user", "self", "me", "i"})
_NUMERIC: Final = ("integer", "decimal", "boolean")
_WHOLE: Final = re.compile(r"\s*\d{1,6}\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What a model proposes of one item; its fields are those of ``vigent.MemoryDelta``.

    Beside them ``about`` and ``relation`` are the model's words for what it saw, ``item`` the
    number of the item. ``confidence`` is as the model gave it, sound or not. ``value`` None
    without ``text`` proposes that it is no longer so. ``held`` is why a person should decide.
    """

    item: int
    source_episode_id: str
    quote: str
    speaker: str | None
    about: str
    assertion: str
    durable: bool
    type: str
    subject: str | None
    attribute: str | None
    relation: str
    value: Any = None
    text: str | None = None
    mode: str = "change"
    time_words: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    due: str | None = None
    importance: int | None = None
    confidence: Any = None
    supersedes: str | None = None
    held: str | None = None

    def delta(self) -> dict[str, Any]:
        """Give the fields of a ``MemoryDelta``, but for the tenant."""
        every = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in every.items() if name not in _OURS}


_OURS: Final = {"item", "about", "relation"}


class Fault(NamedTuple):
    """Why the candidate at ``place`` (from 0) is left out; ``detail`` quotes a word at most.

    By code:

    - ``malformed``: it is no object, or a field that is needed is missing or of the wrong kind.
    - ``unknown_item``: it rests on an item that was not shown.
    - ``never_evidence``: it rests on an item that was shown as context only.
    - ``evidence_missing``: it quotes nothing.
    - ``unknown_word``: a field that has a list of words has another one.
    - ``unknown_type``: the type is none that may be proposed here.
    - ``unknown_attribute``: the store takes declared attributes only, and this is none.
    - ``schema_mismatch``: the value does not fit the attribute.
    - ``unfit_text``: a text has characters that cannot be kept, or is too long.
    - ``unknown_state``: it speaks of a line of state that was not shown.
    - ``other_key``: it would end what stands under another key.
    - ``duplicate``: the same candidate stands before it.
    - ``too_many``: it, and what follows, comes after as many as are read.
    """

    place: int
    code: str
    field: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer came to: candidates in order, and those that are left out."""

    proposed: tuple[Proposed, ...]
    faults: tuple[Fault, ...]


class _Wrong(Exception):
    """One candidate cannot be read."""

    def __init__(self, code: str, field: str, detail: object = "") -> None:
        super().__init__(code)
        self.found = (code, field, str(detail)[:60])


def read_candidates(answer: Any, window: Window) -> Reading:
    """Read the JSON of an answer about a window; fields that are not known are let go."""
    listed = cast("Any", answer).get("candidates") if isinstance(answer, dict) else answer
    if not isinstance(listed, list):
        return Reading((), (Fault(0, "malformed", "candidates"),))
    good: list[Proposed] = []
    faults: list[Fault] = []
    seen: set[str] = set()
    for index, raw in enumerate(cast("list[Any]", listed)):
        if index >= window.bounds.candidates:
            faults.append(Fault(index, "too_many", "candidates"))
            break
        try:
            read = _Candidate(raw, window).read()
        except _Wrong as wrong:
            faults.append(Fault(index, *wrong.found))
            continue
        same = json.dumps(read.delta(), default=str, sort_keys=True)
        if same in seen:
            faults.append(Fault(index, "duplicate", "candidates"))
        else:
            seen.add(same)
            good.append(read)
    return Reading(tuple(good), tuple(faults))


class _Candidate:
    """One candidate on its way from JSON to ``Proposed``; raises _Wrong."""

    def __init__(self, raw: Any, window: Window) -> None:
        if not isinstance(raw, dict):
            raise _Wrong("malformed", "candidate", type(raw).__name__)
        found = cast("dict[str, Any]", raw)
        self.given = {name: found.get(name) for name in ORDER}
        self.window = window

    def read(self) -> Proposed:
        item, number = self._item()
        quote = self._text("quote", needed="evidence_missing")
        type = self._word("type", self.window.types, "unknown_type")
        assertion = self._word("assertion", ASSERTIONS)
        relation = self._word("relation", RELATIONS)
        attribute, definition = self._attribute()
        subject = self._subject()
        line = self._line(relation, subject, attribute)
        ended = relation == "ended" or (relation == "denied_past" and self.given["value"] is None)
        value, text = (None, None) if ended else self._value(attribute, definition)
        return Proposed(
            item=number, source_episode_id=item.episode_id, quote=quote or "",
            speaker=self._text("speaker", most=200), about=self._word("about", ABOUT),
            assertion=assertion, durable=self._durable(), type=type, subject=subject,
            attribute=attribute if attribute is None or definition is None else definition.name,
            relation=relation, value=value, text=text,
            mode="correction" if relation == "denied_past" else "change",
            time_words=self._text("time_words", most=_WORDS),
            valid_from=self._text("valid_from", most=40), valid_to=self._text("valid_to", most=40),
            due=self._text("due", most=40), importance=self._importance(),
            confidence=_number(self.given["confidence"]),
            supersedes=line.memory_id if line is not None and _ends(line, relation) else None,
            held="relation_unsure" if relation == "unsure" else None,
        )  # fmt: skip

    def _item(self) -> tuple[WindowItem, int]:
        number = _place(self.given["item"])
        item = self.window.item(number)
        if item is None or number is None:
            raise _Wrong("unknown_item", "item", self.given["item"])
        if not item.evidence:
            raise _Wrong("never_evidence", "item", number)
        return item, number

    def _word(self, field: str, words: tuple[str, ...], code: str = "unknown_word") -> str:
        given = self.given[field]
        word = given.strip().casefold() if isinstance(given, str) else None
        for each in words:
            if word == each.casefold():
                return each
        raise _Wrong("malformed" if given is None else code, field, given)

    def _durable(self) -> bool:
        given = self.given["durable"]
        return given if isinstance(given, bool) else self._word("durable", DURABLE) == "durable"

    def _text(
        self, field: str, *, most: int = _TEXT, needed: str = "", strict: bool = True
    ) -> str | None:
        """Give a text as it was written, or None where there is none; evidence is not cleaned."""
        given = self.given[field]
        if given is None or (isinstance(given, str) and not given.strip()):
            if needed:
                raise _Wrong(needed, field)
            return None
        if not isinstance(given, str):
            if not strict:
                return None
            raise _Wrong("malformed", field, type(given).__name__)
        try:
            clean_text(given, field, most)
        except InvalidInput:
            raise _Wrong("unfit_text", field) from None
        return given

    def _attribute(self) -> tuple[str | None, AttributeDefinition | None]:
        name = self._text("attribute")
        if name is None:
            return None, None
        try:
            check_name(name, "attribute")
        except InvalidInput:
            raise _Wrong("unfit_text", "attribute", name[:40]) from None
        definition = self.window.schema.attribute(name)
        if definition is None and self.window.schema.unknown_attributes == "reject":
            raise _Wrong("unknown_attribute", "attribute", name)
        return name, definition

    def _subject(self) -> str | None:
        name = self._text("subject")
        if name is None or name.strip().casefold() in _SELVES:
            return self.window.subject
        try:
            canonical_subject(name)
        except InvalidInput:
            raise _Wrong("unfit_text", "subject", name[:40]) from None
        return name

    def _line(self, relation: str, subject: str | None, attribute: str | None) -> StateLine | None:
        """Give the line of state that is meant; what it says of another key ends nothing."""
        given = self.given["state"]
        if given is None:
            if attribute is None and relation == "ended":
                raise _Wrong("unknown_state", "state")  # nothing says what has ended
            return None
        line = self.window.line(_place(given))
        if line is None:
            raise _Wrong("unknown_state", "state", given)
        if relation in {"new", "unsure"}:
            return None
        if _key(line.subject, line.attribute, self.window) != _key(subject, attribute, self.window):
            raise _Wrong("other_key", "state", given)
        return line

    def _value(
        self, attribute: str | None, definition: AttributeDefinition | None
    ) -> tuple[Any, str | None]:
        given = self.given["value"]
        if isinstance(given, str) and not given.strip():
            given = None
        if given is None:
            raise _Wrong("malformed", "value")
        if attribute is None:
            if not isinstance(given, str):
                raise _Wrong("malformed", "value", type(given).__name__)
            return None, self._text("value")
        self._text("value", strict=False)
        value = _as_declared(given, definition)
        try:
            canonical(value, definition)
        except InvalidInput as error:
            code = "unfit_text" if definition is None else "schema_mismatch"
            raise _Wrong(code, "value", error.code) from None
        return value, None

    def _importance(self) -> int | None:
        number = _place(self.given["importance"])
        return number if number is not None and 1 <= number <= 10 else None


def _ends(line: StateLine, relation: str) -> bool:
    """Whether a line must be named for it to end: a text has no key that says so by itself."""
    return line.attribute is None and relation in {"changed", "ended", "denied_past"}


def _key(subject: str | None, attribute: str | None, window: Window) -> tuple[str, str | None]:
    definition = None if attribute is None else window.schema.attribute(attribute)
    name = subject or window.subject or ""
    return (
        canonical_subject(name)[1] if name else "",
        attribute if definition is None else definition.name,
    )


def _as_declared(given: Any, definition: AttributeDefinition | None) -> Any:
    """Read text as the number, truth or JSON that is declared; what is no such is left as it is."""
    kind = None if definition is None else definition.kind
    if kind == "text" and isinstance(given, int | Decimal) and not isinstance(given, bool):
        return str(given)
    if not isinstance(given, str) or kind not in {*_NUMERIC, "json"}:
        return given
    try:
        return parse_json(given.strip().lower() if kind == "boolean" else given)
    except (ValueError, RecursionError):
        return given


def _place(given: Any) -> int | None:
    """Give a whole number, also one that came as text."""
    if isinstance(given, str) and _WHOLE.fullmatch(given):
        return int(given)
    if isinstance(given, Decimal) and given == given.to_integral_value() and abs(given) < 10**6:
        return int(given)
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def _number(given: Any) -> Any:
    """Give a confidence as it came, where JSON can hold it; the gate says whether it is one."""
    if isinstance(given, Decimal):
        return float(given)
    is_scalar = given is None or isinstance(given, int | float | str)
    return given if is_scalar else type(given).__name__
