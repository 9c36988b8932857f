"""The lines of an import file: what each one asks for, and the id that makes it repeatable."""

from __future__ import annotations

import hashlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from vigent import Memory, VigentError
from vigent.domain.strictjson import strict_json
from vigent.errors import InvalidInput

__all__ = ["BadLine", "EpisodeLine", "Line", "LineReader", "WriteLine"]


def _fields(verb: Callable[..., Any], *without: str) -> frozenset[str]:
    return frozenset(inspect.signature(verb).parameters) - {"self", *without}


# The kind of an episode has another name here: "kind" says what the line is.
_EPISODE_FIELDS: Final = _fields(Memory.capture, "kind") | {"episode_kind", "ref"}
_KNOWN: Final = {
    "episode": _EPISODE_FIELDS,
    "write": _fields(Memory.write) | {"source_episode"},
    "retract": _fields(Memory.retract) | {"source_episode"},
}


@dataclass(frozen=True, slots=True)
class EpisodeLine:
    """Something to capture; lines below name it by ``ref`` or its external id."""

    number: int
    ref: str | None
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class WriteLine:
    """Something to write or retract, in the words of ``write_many``."""

    number: int
    source_episode: str | None
    item: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot be taken, and why."""

    number: int
    error: VigentError


Line = EpisodeLine | WriteLine | BadLine


class LineReader:
    """Reads lines, and gives each that carries no id of its own one that a re-run finds again.

    The id is made from the store, the line's bytes and how often the same line stood before it:
    it stays the same when the file has grown, and two equal lines are still two.
    """

    def __init__(self, *scope: str | None) -> None:
        self._scope = repr(scope).encode()
        self._seen: Counter[bytes] = Counter()

    def read(self, lines: Iterable[bytes]) -> Iterator[Line]:
        """Give what each line asks for; blank lines are skipped."""
        for number, raw in enumerate(lines, start=1):
            text = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if not text.strip():
                continue
            try:
                yield self._line(number, text.strip())
            except VigentError as error:
                yield BadLine(number, error)

    def _line(self, number: int, raw: bytes) -> EpisodeLine | WriteLine:
        fields = _object(raw)
        kind = fields.pop("kind", None)
        if not isinstance(kind, str) or kind not in _KNOWN:
            raise InvalidInput("kind", f"must be one of {', '.join(_KNOWN)}")
        for name in fields:
            if name not in _KNOWN[kind]:
                known = ", ".join(sorted(_KNOWN[kind]))
                raise InvalidInput(name, f"is no field of a line of kind {kind}; known: {known}")
        name = self._name(raw)
        if kind == "episode":
            return _episode(number, fields, name)
        return _statement(number, kind, fields, name)

    def _name(self, raw: bytes) -> str:
        digest = hashlib.sha256(self._scope + b"\0" + raw).digest()
        self._seen[digest] += 1
        again = hashlib.sha256(digest + str(self._seen[digest]).encode())
        return f"import:{again.hexdigest()[:40]}"


def _object(raw: bytes) -> dict[str, Any]:
    try:
        found = strict_json(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InvalidInput("line", f"not UTF-8: {error.reason} at byte {error.start}") from error
    except ValueError as error:
        raise InvalidInput("line", f"not valid JSON: {error}") from error
    if not isinstance(found, dict):
        raise InvalidInput("line", "must be a JSON object")
    return cast("dict[str, Any]", found)


def _text(fields: dict[str, Any], name: str) -> str | None:
    """Take out a field that names something."""
    found = fields.pop(name, None)
    if found is not None and not (isinstance(found, str) and found):
        raise InvalidInput(name, "must be a text that is not empty")
    return found


def _episode(number: int, fields: dict[str, Any], name: str) -> EpisodeLine:
    ref = _text(fields, "ref")
    if "content" not in fields:
        raise InvalidInput("content", "is missing")
    if "episode_kind" in fields:
        fields["kind"] = fields.pop("episode_kind")
    if fields.get("external_id") is None:
        fields["external_id"] = name
    return EpisodeLine(number, ref, fields)


def _statement(number: int, kind: str, fields: dict[str, Any], name: str) -> WriteLine:
    source = _text(fields, "source_episode")
    if source is not None and fields.get("source_episode_id") is not None:
        raise InvalidInput("source_episode", "give this or source_episode_id, not both")
    bears_an_id = source or fields.get("source_episode_id") or fields.get("idempotency_key")
    if not bears_an_id:
        fields["idempotency_key"] = name
    return WriteLine(number, source, {"op": kind, **fields})
