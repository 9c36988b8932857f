"""Reading JSON that a language model wrote, which is not always quite JSON.

What may stand around it, and the slips that models make in it, are mended by fixed rules; nothing
is guessed. A name that stands twice in an object: two lists are joined, of anything else the last
counts. Numbers are exact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

import jsonschema.validators

from vigent.domain.jsontext import parse_json
from vigent.domain.strictjson import no_constant

__all__ = ["Problem", "as_instructed", "first_problem", "read_answer", "whole_objects"]

_LONGEST: Final = 1_000_000
_STARTS: Final = 20
"""How many opening brackets are tried."""
_BAD_ESCAPE: Final = re.compile(r'\\(?:u(?![0-9a-fA-F]{4})|(?!["\\/bfnrtu]))|(\\.)', re.DOTALL)
_FENCE: Final = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
# An end of text counts as the end of a string: the reading stays linear in what came.
_STRING: Final = re.compile(r'("(?:[^"\\]|\\(?:.|\Z))*(?:"|\Z))', re.DOTALL)
_THOUGHT_ENDS: Final = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


def read_answer(text: str) -> Any:
    """Give the JSON object or list in a text, or None where there is none.

    A fence of Markdown, what a model thought before, and words before and after are left out;
    commas before a closing bracket and backslashes that escape nothing are mended.
    """
    text = text[:_LONGEST].lstrip()
    if text[:6].lower() == "<think":
        text = text[ended.end() if (ended := _THOUGHT_ENDS.search(text)) else 0 :]
    fenced = _FENCE.search(text)
    for candidate in [*([fenced.group(1)] if fenced else []), text]:
        found = _object_in(candidate)
        if found is not None:
            return found
    return None


def whole_objects(text: str) -> list[Any]:
    """Give the objects that stand whole in the first list of an answer that was cut off."""
    place = text.find("[", 0, _LONGEST) + 1
    found: list[Any] = []
    while place > 0:
        start = text.find("{", place)
        if start < 0 or text[place:start].strip(" \t\r\n,"):
            break
        try:
            one, place = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            break
        found.append(one)
    return found


def _object_in(text: str) -> Any:
    lists: list[Any] = []
    for written in dict.fromkeys((text, _mended(text))):
        for start in _starts(written):
            found = _decoded(written, start)
            if isinstance(found, dict):
                return cast("Any", found)
            if isinstance(found, list):
                lists.append(found)  # "[1]" may be a number in a sentence: an object goes first
    return lists[0] if lists else None


def _starts(text: str) -> Iterator[int]:
    """Give where JSON may begin: the first brackets, each place once."""
    for count, found in enumerate(re.finditer(r"[{\[]", text)):
        if count == _STARTS:
            return
        yield found.start()


def _decoded(text: str, start: int) -> Any:
    try:
        return _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        before = found.get(name)
        if isinstance(before, list) and isinstance(value, list):
            found[name] = [*cast("list[Any]", before), *cast("list[Any]", value)]
        else:
            found[name] = value
    return found


def _whole(digits: str) -> int:
    if len(digits) > 1_000:  # Python refuses very long ones; a model has none to tell
        raise ValueError("too long")
    return int(digits)


# Not strict: models put line breaks into strings as they are.
_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=Decimal, parse_int=_whole, parse_constant=no_constant,
    strict=False,
)  # fmt: skip


def _mended(text: str) -> str:
    """Give the text without slips: outside of strings commas too many, inside bad escapes."""
    parts: list[str] = []
    for number, part in enumerate(_STRING.split(text)):  # every other part is a string
        if number % 2:
            parts.append(_BAD_ESCAPE.sub(lambda m: m.group(1) or "\\" + m.group(0), part))
        else:
            parts.append(re.sub(r",(\s*[}\]])", r"\1", part))
    return "".join(parts)


# ------------------------------------------------------------------------------- schemas


class Problem(NamedTuple):
    """The first thing that is wrong with an answer: the place and the rule, and no content.

    ``told`` is the same for the model that wrote it, with what stands there.
    """

    shown: str
    told: str


def first_problem(value: Any, schema: Mapping[str, Any]) -> Problem | None:
    """Say where a value does not fit a JSON schema, or None where it does."""
    error = next(_validator(json.dumps(schema))(value), None)
    if error is None:
        return None
    # Names come from the schema; those of the answer's own making are not shown.
    path = [part for part in error.absolute_path if isinstance(part, int) or part in _names(schema)]
    place = "/".join(map(str, path)) or "the answer"
    return Problem(f"{place} breaks the rule {error.validator}", f"{place}: {error.message[:300]}")


def _names(schema: Any) -> set[str]:
    """Give every name of a property in a schema."""
    if isinstance(schema, Mapping):
        parts = cast("Mapping[str, Any]", schema)
        own = parts.get("properties")
        found = set(cast("Mapping[str, Any]", own)) if isinstance(own, Mapping) else set[str]()
        return found.union(*(_names(part) for part in parts.values()))
    if isinstance(schema, list):
        return set[str]().union(*(_names(part) for part in cast("list[Any]", schema)))
    return set()


@lru_cache(maxsize=64)
def _validator(schema: str) -> Callable[[Any], Iterator[Any]]:
    parsed: Any = parse_json(schema)
    library = cast("Any", jsonschema.validators)  # its own annotations are incomplete
    kind = library.validator_for(parsed, default=library.Draft202012Validator)
    return kind(parsed).iter_errors


def as_instructed(schema: Mapping[str, Any]) -> str:
    """Give the words that ask a model for JSON of a schema, where it takes none."""
    return (
        "Answer with one JSON value and nothing else: no explanation, no Markdown. "
        f"It must fit this JSON schema:\n{json.dumps(schema, ensure_ascii=False)}"
    )
