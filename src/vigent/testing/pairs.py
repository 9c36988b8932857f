"""Two stores side by side: the same command to both, and their answers compared without ids.

Ids are random, so two stores that do the same give different ones. Which id of the one stands for
which of the other is learned from the answers, and must never change. Lists are compared in their
order, but for stretches that begin at one instant and were recorded at one: their order in a
history or a difference is that in which a write came upon the values of a multi-valued attribute,
by salted digests, and each store has a salt of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, cast

from vigent.errors import VigentError
from vigent.memory import Memory

__all__ = ["Disagreement", "Pair", "plain"]

_ID: Final = re.compile(r"\b(?:mem|ep)_[0-9A-Za-z]{20,40}\b")
_OWN_TO_EACH: Final = frozenset({"person_hash"})


class Disagreement(AssertionError):
    """The two stores answered the same question differently."""


def plain(answer: Any) -> Any:
    """Give any answer of ``Memory`` as JSON-ready values: records, results, states, tuples."""
    if isinstance(answer, VigentError):
        return {"error": answer.to_dict()}
    if hasattr(answer, "to_dict"):
        return answer.to_dict()
    if isinstance(answer, str | int | float) or answer is None:
        return answer
    if isinstance(answer, dict):
        return {str(k): plain(v) for k, v in cast("dict[Any, Any]", answer).items()}
    return [plain(one) for one in cast("Iterable[Any]", answer)]


def _without_ids(value: Any) -> Any:
    if isinstance(value, str):
        return _ID.sub("#", value)
    if isinstance(value, list):
        return [_without_ids(v) for v in cast("list[Any]", value)]
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {k: _without_ids(v) for k, v in items if k not in _OWN_TO_EACH}
    return value


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _ids(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _ID.findall(value)
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from _ids(one)
    elif isinstance(value, dict):
        for one in cast("dict[str, Any]", value).values():
            yield from _ids(one)


class Pair:
    """Two memories that are told the same, and must answer the same.

    Ids in the arguments of a call are those of the first; the second is called with its own.
    """

    def __init__(self, first: Memory, second: Memory) -> None:
        self.first = first
        self.second = second
        self._twin: dict[str, str] = {}
        self._taken: dict[str, str] = {}

    def do(self, verb: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call a verb (``"review.accept"`` too) on both, and give the answer of the first.

        An error of Vigent is an answer. Raises ``Disagreement``.
        """
        mine = self._call(self.first, verb, args, kwargs)
        other = self._call(self.second, verb, self._as_twin(args), self._as_twin(kwargs))
        try:
            self._same(mine, other)
        except Disagreement as found:
            raise Disagreement(f"{verb} {args} {kwargs}: {found}") from None
        return mine

    def _call(self, memory: Memory, verb: str, args: Any, kwargs: Any) -> Any:
        target: Any = memory
        for name in verb.split("."):
            target = getattr(target, name)
        try:
            found = target(*args, **kwargs)
            return plain(found)
        except VigentError as error:
            return {"error": error.to_dict()}

    def _as_twin(self, value: Any) -> Any:
        if isinstance(value, str):
            return _ID.sub(lambda found: self._twin.get(found[0], found[0]), value)
        if isinstance(value, dict):
            items = cast("dict[str, Any]", value).items()
            return {k: self._as_twin(v) for k, v in items}
        if isinstance(value, list | tuple):
            return [self._as_twin(v) for v in cast("list[Any]", value)]
        return value

    def _same(self, mine: Any, other: Any) -> None:
        left, right = _without_ids(mine), _without_ids(other)
        if left != right:
            raise Disagreement(f"\n  first:  {_text(left)}\n  second: {_text(right)}")
        self._pair_up(mine, other)

    def _pair_up(self, mine: Any, other: Any) -> None:
        if isinstance(mine, str):
            for a, b in zip(_ID.findall(mine), _ID.findall(other), strict=True):
                if self._twin.setdefault(a, b) != b or self._taken.setdefault(b, a) != a:
                    raise Disagreement(f"{a} was {self._twin[a]}, now it is {b}")
        elif isinstance(mine, dict):
            for name, value in cast("dict[str, Any]", mine).items():
                self._pair_up(value, other[name])
        elif isinstance(mine, list):
            self._pair_up_all(cast("list[Any]", mine), other)

    def _pair_up_all(self, mine: list[Any], other: list[Any]) -> None:
        """Pair the elements that say the same; where several do, no id is learned from them."""
        groups: dict[str, tuple[list[Any], list[Any]]] = {}
        for side, values in enumerate((mine, other)):
            for value in values:
                alike = _text(_without_ids(value))
                groups.setdefault(alike, ([], []))[side].append(value)
        for left, right in groups.values():
            if len(left) == 1:
                self._pair_up(left[0], right[0])
            elif set(_ids(self._as_twin(left))) & set(self._taken) - set(_ids(right)):
                raise Disagreement(f"{left} beside {right}")
