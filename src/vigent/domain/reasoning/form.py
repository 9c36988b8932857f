"""The JSON schema of a model's answer: a path of reasoning, in an order that does not change.

A model writes from left to right. So it first copies the evidence, then says who speaks and how,
and only then what would follow; it cannot think of a value first and look for words later.
Only what every provider takes is used: all fields are required, none are added, and what may be
missing may be null.
"""

from __future__ import annotations

from typing import Any, Final

from vigent.domain.reasoning.window import Window

__all__ = ["ABOUT", "ASSERTIONS", "DURABLE", "LEAST", "ORDER", "RELATIONS", "answer_schema"]

ASSERTIONS: Final = ("asserted", "asked", "supposed", "denied", "joked", "past")
DURABLE: Final = ("durable", "passing")
ABOUT: Final = ("self", "user", "other_person", "thing")
RELATIONS: Final = ("new", "same", "changed", "denied_past", "ended", "unsure")
ORDER: Final = (
    "item", "quote", "speaker", "about", "assertion", "durable", "type", "subject", "attribute",
    "relation", "state", "value", "time_words", "valid_from", "valid_to", "due", "importance",
    "confidence",
)  # fmt: skip
"""The fields of a candidate, as a model writes them."""

LEAST: Final[dict[str, Any]] = {
    "anyOf": [
        {
            "type": "object",
            "required": ["candidates"],
            "properties": {"candidates": {"type": "array"}},
        },
        {"type": "array"},
    ]
}
"""What an answer must fit to be read at all: candidates are then judged one by one."""

_MOST_NAMES: Final = 200
"""More attributes than these are not listed one by one in the schema."""


def answer_schema(window: Window) -> dict[str, Any]:
    """Give the schema of an answer about a window."""
    parts = {name: _part(name, window) for name in ORDER}
    candidate = {
        "type": "object",
        "properties": parts,
        "required": list(ORDER),
        "additionalProperties": False,
    }
    listed = {"type": "array", "items": candidate, "maxItems": window.bounds.candidates}
    return {
        "type": "object",
        "properties": {"candidates": listed},
        "required": ["candidates"],
        "additionalProperties": False,
    }


def _part(name: str, window: Window) -> dict[str, Any]:
    choices = {
        "about": ABOUT, "assertion": ASSERTIONS, "durable": DURABLE, "relation": RELATIONS,
        "type": window.types,
    }.get(name)  # fmt: skip
    if choices is not None:
        return {"type": "string", "enum": list(choices)}
    if name == "attribute":
        return _attribute(window)
    if name == "item":
        return _numbers(len(window.items))
    if name == "state":
        return {"anyOf": [_numbers(len(window.state)), {"type": "null"}]}
    return _PLAIN.get(name) or _or_null("string")


def _numbers(last: int) -> dict[str, Any]:
    """Give the whole numbers from 1: one by one, as some servers know no least and no most."""
    if not 0 < last <= _MOST_NAMES:
        return {"type": "integer"}
    return {"type": "integer", "enum": list(range(1, last + 1))}


def _or_null(kind: str) -> dict[str, Any]:
    return {"anyOf": [{"type": kind}, {"type": "null"}]}


def _attribute(window: Window) -> dict[str, Any]:
    """Give the attributes by name, where no other would be taken and they are not too many."""
    names = [each.name for each in window.schema.attributes]
    if window.schema.unknown_attributes != "reject" or not 0 < len(names) <= _MOST_NAMES:
        return _or_null("string")
    return {"anyOf": [{"type": "string", "enum": names}, {"type": "null"}]}


_PLAIN: Final[dict[str, dict[str, Any]]] = {
    "quote": {"type": "string"},
    "speaker": {"type": "string"},
    "subject": {"type": "string"},
    "value": {"anyOf": [{"type": kind} for kind in ("string", "number", "boolean", "null")]},
    "importance": _numbers(10),
    # Without bounds: what is beyond them is for the gate to hold, and some servers know none.
    "confidence": {"type": "number"},
}
