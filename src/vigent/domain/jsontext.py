"""Numbers and JSON as text, without losing a digit.

Integers and decimals keep every digit, which floats in between would not; NaN and the infinities
are refused everywhere, and so is what a reader or a database could not take back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from json.encoder import encode_basestring as _quote
from typing import Any, Final, cast

from vigent.errors import InvalidInput, LimitExceeded

__all__ = [
    "MAX_DIGITS",
    "MAX_METADATA",
    "canonical_json",
    "check_json",
    "check_metadata",
    "decimal_text",
    "integer_text",
    "normal_number",
    "parse_json",
]

MAX_METADATA: Final = 16_000
"""Characters of a record's metadata as JSON text."""
MAX_DIGITS: Final = 1_000
"""Digits of a number; its decimal exponent lies within plus and minus as much."""

_MAX_DEPTH: Final = 64
_TOO_LARGE: Final = 10**MAX_DIGITS
_BROKEN: Final = re.compile("[\0\ud800-\udfff]")
_parse: Final = json.JSONDecoder(parse_float=Decimal).decode


# ------------------------------------------------------------------------------ numbers


def integer_text(value: int, field: str) -> str:
    """Give the integer's digits; more than 1,000 are refused."""
    if -_TOO_LARGE < value < _TOO_LARGE:
        return int.__repr__(value)
    raise LimitExceeded(field, f"has more than {MAX_DIGITS} digits; the limit is {MAX_DIGITS}")


def decimal_text(value: Decimal, field: str) -> str:
    """Give the decimal exactly as it is; NaN, infinities and numbers beyond the limits are refused.

    At most 1,000 digits, and a decimal exponent from -1000 to 1000.
    """
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise InvalidInput(field, "must be a finite number, not NaN or infinity")
    if len(digits) > MAX_DIGITS:
        raise LimitExceeded(field, f"has {len(digits)} digits; the limit is {MAX_DIGITS}")
    if not -MAX_DIGITS <= value.adjusted() <= MAX_DIGITS:
        raise LimitExceeded(
            field, f"has the decimal exponent {value.adjusted()}; the limit is {MAX_DIGITS}"
        )
    return str(value)


def normal_number(value: int | Decimal) -> str:
    """Give the one spelling that all equal numbers share: plain digits, nothing trailing."""
    if not value:
        return "0"
    if not isinstance(value, Decimal):
        return int.__repr__(value)
    plain = format(value, "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


# --------------------------------------------------------------------------------- JSON


def check_json(value: object, field: str = "value", limit: int = MAX_METADATA) -> str:
    """Give a JSON value as text that reads back exactly, keys in the order given.

    Mappings with text keys, lists, tuples (as lists), text, booleans, null, integers, decimals
    and finite floats (as their shortest digits). NUL, lone surrogates, nesting beyond 64 levels
    and text beyond ``limit`` characters are refused, with the path in the message.
    """
    return _checked(value, field, limit, _AS_GIVEN)


def check_metadata(value: object, field: str = "metadata") -> str:
    """Give metadata as canonical JSON text: keys sorted and not empty, at most 16,000 characters.

    ``None`` is the empty mapping. Metadata are read back as plain JSON, so a number that a float
    would change is refused; integers may be of any size.
    """
    if value is None or value == {}:
        return "{}"
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"must be a mapping, not {type(value).__name__}")
    return _checked(cast("object", value), field, MAX_METADATA, _METADATA)


def canonical_json(text: str) -> str:
    """Give the one text that all equal JSON values share: keys sorted, numbers normal."""
    return _encode(_parse(text), "", 0, _CANONICAL)


def parse_json(text: str) -> Any:
    """Read JSON text back; numbers with a fraction or an exponent come as ``Decimal``."""
    return _parse(text)


class _Style:
    """How an encoder writes what JSON leaves open."""

    __slots__ = ("near", "normal", "ordered")

    def __init__(self, *, ordered: bool, normal: bool, near: bool = False) -> None:
        self.ordered = ordered
        self.normal = normal
        self.near = near


_AS_GIVEN: Final = _Style(ordered=False, normal=False)
_METADATA: Final = _Style(ordered=True, normal=False, near=True)
_CANONICAL: Final = _Style(ordered=True, normal=True)


def _checked(value: object, field: str, limit: int, style: _Style) -> str:
    text = _encode(value, field, 0, style)
    if len(text) > limit:
        raise LimitExceeded(field, f"has {len(text)} characters as JSON; the limit is {limit}")
    return text


def _encode(value: object, path: str, depth: int, style: _Style) -> str:
    writer = _WRITERS.get(type(value))
    if writer is None:
        writer = next((w for kind, w in _KINDS if isinstance(value, kind)), None)
        if writer is None:
            raise InvalidInput(path, f"must be a JSON value, not {type(value).__name__}")
    if depth > _MAX_DEPTH:
        raise LimitExceeded(path[:80], f"is nested too deeply; the limit is {_MAX_DEPTH} levels")
    return writer(value, path, depth, style)


def _string(value: Any, path: str, _depth: int, _style: _Style) -> str:
    if _BROKEN.search(value):
        raise InvalidInput(path, "must not contain the character NUL or lone surrogates")
    return _quote(str.__str__(value))


def _null(_value: Any, _path: str, _depth: int, _style: _Style) -> str:
    return "null"


def _boolean(value: Any, _path: str, _depth: int, _style: _Style) -> str:
    return "true" if value else "false"


def _integer(value: Any, path: str, _depth: int, _style: _Style) -> str:
    return integer_text(value, path)


def _float(value: Any, path: str, depth: int, style: _Style) -> str:
    return _decimal(Decimal(float.__repr__(value)), path, depth, style)


def _decimal(value: Any, path: str, _depth: int, style: _Style) -> str:
    text = decimal_text(value, path)
    if style.near and Decimal(repr(float(value))) != value:
        raise InvalidInput(path, "must be a number that a float can hold; give it as text")
    return normal_number(value) if style.normal else text


def _mapping(value: Any, path: str, depth: int, style: _Style) -> str:
    parts: list[tuple[str, str]] = []
    for key, item in value.items():
        if not isinstance(key, str):
            raise InvalidInput(path, f"must have text keys, not {type(key).__name__}")
        if not key or _BROKEN.search(key):
            raise InvalidInput(path, "must not have a key that is empty, or has NUL or surrogates")
        parts.append((key, _encode(item, f"{path}.{key}", depth + 1, style)))
    if style.ordered:
        parts.sort()
    return "{" + ",".join([f"{_quote(str.__str__(key))}:{text}" for key, text in parts]) + "}"


def _list(value: Any, path: str, depth: int, style: _Style) -> str:
    return (
        "["
        + ",".join([_encode(v, f"{path}[{i}]", depth + 1, style) for i, v in enumerate(value)])
        + "]"
    )


_Writer = Callable[[Any, str, int, _Style], str]
_WRITERS: Final[dict[type, _Writer]] = {
    str: _string,
    type(None): _null,
    bool: _boolean,
    int: _integer,
    float: _float,
    Decimal: _decimal,
    dict: _mapping,
    list: _list,
    tuple: _list,
}
# Subclasses of these, and other mappings, are taken for what they are.
_KINDS: Final[tuple[tuple[type, _Writer], ...]] = (
    (str, _string),
    (int, _integer),
    (float, _float),
    (Decimal, _decimal),
    (Mapping, _mapping),
    (list, _list),
    (tuple, _list),
)
