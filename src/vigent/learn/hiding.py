"""Personal data out of what a model sees, and back into what it proposes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, Final

from vigent.domain.gate.personal import personal_kinds

__all__ = ["Hiding", "HidingFailed"]

_PLACE: Final = re.compile(r"\[(?:secret|account_number|identity_number|contact_data)_\d+\]")
_KINDS: Final = frozenset({"secret", "account_number", "identity_number", "contact_data"})

Finder = Callable[[str], dict[str, list[tuple[int, int]]]]


class HidingFailed(Exception):
    """Something could not be hidden, or a place holder stands for nothing."""


class Hiding:
    """The place holders of one window: the same value has the same one throughout.

    ``classes`` are the kinds that are hidden; none means all of them.
    """

    def __init__(self, classes: Collection[str] = (), finder: Finder | None = None) -> None:
        self._classes = frozenset(classes) & _KINDS or _KINDS
        self._finder: Any = finder or personal_kinds
        self._by_value: dict[str, str] = {}
        self._by_place: dict[str, str] = {}

    def hide(self, text: str) -> str:
        """Give a text with place holders; raises HidingFailed where that does not succeed."""
        try:
            spans = [
                (start, stop, kind)
                for kind, where in self._finder(text).items()
                if kind in self._classes
                for start, stop in where
            ]
        except Exception as error:
            raise HidingFailed from error
        out: list[str] = []
        at = 0
        for start, stop, kind in sorted(spans):
            if start < at:
                if stop > at:
                    raise HidingFailed
                continue
            out += [text[at:start], self._place(kind, text[start:stop])]
            at = stop
        return "".join([*out, text[at:]])

    def _place(self, kind: str, value: str) -> str:
        place = self._by_value.get(value)
        if place is None:
            place = self._by_value[value] = f"[{kind}_{len(self._by_value) + 1}]"
            self._by_place[place] = value
        return place

    def reveal(self, text: str) -> str:
        """Give what a model said with the real values; raises HidingFailed for an unknown place."""
        return _PLACE.sub(self._value, text)

    def _value(self, match: re.Match[str]) -> str:
        value = self._by_place.get(match.group())
        if value is None:
            raise HidingFailed
        return value
