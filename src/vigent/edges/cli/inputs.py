"""How words on the command line become arguments of the engine."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, Final, cast

from vigent.domain.schema import AttributeDefinition
from vigent.domain.strictjson import strict_json
from vigent.errors import InvalidInput

__all__ = [
    "given",
    "is_no_text",
    "json_object",
    "json_value",
    "opened_file",
    "typed_value",
    "words_or_stdin",
]

# Dates, instants, durations, enums and entities are text to the engine too.
_READ_AS: Final[dict[str, tuple[type, ...]]] = {
    "integer": (int,),
    "decimal": (int, Decimal),
    "boolean": (bool,),
}


_KNOWN_FILES: Final = {
    b"SQLite format 3\0": "a SQLite file",
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "a file packed with gzip",
    b"%PDF-": "a PDF",
}


def is_no_text(first: bytes, wanted: str) -> InvalidInput | None:
    """Give an error where the first bytes of a file are those of a known kind that is no text."""
    for begin, kind in _KNOWN_FILES.items():
        if first.startswith(begin):
            return InvalidInput("file", f"this is no {wanted}; it looks like {kind}")
    return None


def given(**arguments: Any) -> dict[str, Any]:
    """Keep the arguments that were given."""
    return {name: value for name, value in arguments.items() if value is not None}


def json_value(field: str, text: str) -> Any:
    """Parse an option that holds JSON; an error names the field."""
    try:
        return strict_json(text)
    except ValueError as error:
        raise InvalidInput(field, f"not valid JSON: {error}") from error


def json_object(field: str, text: str | None) -> Mapping[str, Any] | None:
    """Parse an option that holds a JSON object; None stays None."""
    if text is None:
        return None
    value = json_value(field, text)
    if not isinstance(value, dict):
        raise InvalidInput(field, "must be a JSON object")
    return cast("dict[str, Any]", value)


def typed_value(
    text: str | None, as_json: str | None, declared: AttributeDefinition | None = None
) -> dict[str, Any]:
    """Give the ``value`` argument from its two spellings; empty when there is neither.

    Text stands for a number, or for true or false, where the attribute is declared as that.
    """
    if as_json is None:
        return {} if text is None else {"value": _as_declared(text, declared)}
    if text is not None:
        raise InvalidInput("value", "give it as an argument or with --value-json, not both")
    return {"value": json_value("value", as_json)}


def _as_declared(text: str, declared: AttributeDefinition | None) -> Any:
    """Read text as the declared kind; what does not read as that is left to the engine to name."""
    if declared is None or declared.kind not in _READ_AS:
        return text
    try:
        value = strict_json(text)
    except ValueError:
        return text
    return value if isinstance(value, _READ_AS[declared.kind]) else text


def words_or_stdin(field: str, text: str) -> str:
    """Give the text itself, or all of standard input for ``-``."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(field, f"standard input is not UTF-8: {error}") from error


@contextmanager
def opened_file(name: str) -> Generator[tuple[IO[bytes], int | None]]:
    """Open the file, or standard input for ``-``; gives it with its size, where that is known."""
    if name == "-":
        yield sys.stdin.buffer, None
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115 - what is done with it fails by another name
    except OSError as error:
        raise InvalidInput("file", f"{name}: {error.strerror}") from error
    with file:
        yield file, os.fstat(file.fileno()).st_size
