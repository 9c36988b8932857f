"""Cases for the gate in few words: somebody says something, a model proposes something of it."""

from __future__ import annotations

from typing import Any

from vigent.domain.gate.case import Case, Item, Nomination, Verdict
from vigent.domain.gate.rules import judge
from vigent.domain.schema import AttributeDefinition
from vigent.domain.time import parse_instant

__all__ = ["AT", "codes", "judged"]

AT = "2026-06-03T10:00:00+02:00"  # a Wednesday
_CASE = {"before", "after", "timezone", "others", "namesakes", "standing", "recurred", "policy"}
_ITEM = {"role", "kind", "speaker", "flagged", "sealed", "recalled"}


def judged(said: str, *, person: str = "mira", **given: Any) -> Verdict:
    """Give the verdict: the quote is all that was said, unless given; the person is mira."""
    definition = given.pop("definition", None)
    item = {name: given.pop(name) for name in _ITEM & given.keys()}
    around = {name: given.pop(name) for name in _CASE & given.keys()}
    at, of = given.pop("at", AT), given.pop("of", person)
    proposed = {"subject": "mira", "quote": said, "confidence": 0.9, **given}
    return judge(
        Case(
            nomination=Nomination(**proposed),
            item=Item(text=said, person=of, at=parse_instant(at, "at"), **item),
            person=person,
            selves=frozenset({"mira"}),
            definition=None if definition is None else AttributeDefinition(**definition),
            **{"timezone": "Europe/Madrid", **around},
        )
    )


def codes(said: str, **given: Any) -> tuple[str, ...]:
    """Give the reason codes alone."""
    return judged(said, **given).codes
