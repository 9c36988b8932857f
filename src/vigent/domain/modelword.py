"""What a model's word is worth, through whichever tool it comes: confidence, types, dates, denials.

The rules read the words that a claim rests on: those of the turn where there is a thread, else
the quote that the model gives. Where there are no words, there is nothing to hold a date against.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from vigent.domain.daywords import date_said
from vigent.domain.support import denies_past
from vigent.domain.time import Instant
from vigent.errors import InvalidInput

__all__ = ["DATED", "MODELS_WORD", "check_type", "dated", "mode_of"]

MODELS_WORD: Final = 0.5
"""The confidence of what rests on a model's word alone."""

DATED: Final = ("valid_from", "valid_to", "due", "value")
"""The fields of a proposal that have dates."""

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?")


def check_type(type: str, types: Sequence[str]) -> None:
    """Refuse a type that a model may not write here; raises InvalidInput, naming those it may."""
    if type not in types:
        raise InvalidInput("type", f"must be one of {', '.join(types)}")


def mode_of(mode: str, words: str) -> str:
    """Give the mode of a write: where words do not deny what was so, it has only ended."""
    return "change" if mode == "correction" and not denies_past(words) else mode


def dated(
    given: Mapping[str, Any],
    words: str,
    *,
    at: Instant,
    timezone: str,
    only: Sequence[str] = DATED,
) -> tuple[dict[str, Any], str | None]:
    """Give the fields of a proposal, and why its dates hold it, if they do.

    The words were said at ``at`` by somebody in the zone ``timezone``. That day itself, where no
    words name it, is left to the message's time. ``only`` are the fields to look at: where it is
    not known when words were said, since when something holds cannot be held against them.
    Raises InvalidInput for what is no date.
    """
    fields = {name: value for name, value in given.items() if value is not None}
    held = None
    for name in only:
        value = fields.get(name)
        if value is None or (name == "value" and not _is_date(value)):
            continue
        try:
            verdict = date_said(words, value, at=at, timezone=timezone)
        except InvalidInput as error:
            if name == "value":
                continue  # it only looks like one
            raise type(error)(name, error.message.removeprefix("date: ")) from error
        if verdict == "own" and name == "valid_from":
            del fields[name]
        elif verdict != "stated":
            held = "date_unsupported"
    return fields, held


def _is_date(value: object) -> bool:
    return isinstance(value, str) and _DATE.fullmatch(value) is not None
