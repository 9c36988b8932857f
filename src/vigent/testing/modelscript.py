"""What a scripted model answers: rules, in Python or as lines of a file."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias, cast, get_args

from vigent.errors import InvalidInput
from vigent.testing.modelwire import Answer, Failure, ModelRequest

__all__ = ["Answering", "ModelScript", "Rule", "answer_of", "read_script"]

Answering: TypeAlias = "Answer | Callable[[ModelRequest], Answer | Any] | Mapping[str, Any] | str"
"""What is answered: a whole Answer, JSON, text, or a function of the request that gives one."""

_KEYS: Final = frozenset(
    {
        "match",
        "pattern",
        "times",
        "reply",
        "fail",
        "status",
        "message",
        "retry_after",
        "delay",
        "calls",
    }
)


@dataclass
class Rule:
    """One answer, for requests in whose messages ``match`` stands, ``times`` times at most.

    ``match`` is a text, a compiled pattern, or a function of the request; None fits every request.
    """

    answer: Answering
    match: str | re.Pattern[str] | Callable[[ModelRequest], bool] | None = None
    times: int | None = None

    def fits(self, request: ModelRequest) -> bool:
        """Whether a request is to be answered so."""
        if self.times is not None and self.times < 1:
            return False
        if self.match is None:
            return True
        if isinstance(self.match, str):
            return self.match in request.text
        if isinstance(self.match, re.Pattern):
            return self.match.search(request.text) is not None
        return self.match(request)


def answer_of(given: Answering, request: ModelRequest) -> Answer:
    """Give the answer that is meant."""
    made = given(request) if callable(given) else given
    if isinstance(made, Answer):
        return made
    return Answer(text=made) if isinstance(made, str) else Answer(value=made)


@dataclass
class ModelScript:
    """Rules in order: the first that fits and has times left answers.

    Where none fits, the answer is the smallest that fits the schema asked for, or "ok".
    """

    rules: list[Rule] = field(default_factory=list[Rule])
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def answer(self, request: ModelRequest) -> Answer:
        """Give what a request is answered, and count the rule that says so."""
        with self._lock:
            rule = next((rule for rule in self.rules if rule.fits(request)), None)
            if rule is not None and rule.times is not None:
                rule.times -= 1
        return Answer() if rule is None else answer_of(rule.answer, request)

    def add(self, rule: Rule, *, first: bool = False) -> None:
        """Add a rule at the end, or before all others."""
        with self._lock:
            self.rules.insert(0 if first else len(self.rules), rule)


def read_script(path: str | Path) -> ModelScript:
    """Read a script of one JSON object a line; blank lines and those with a # are left out.

    Its fields: ``match`` (a text) or ``pattern`` (a regular expression), ``times``, ``reply``
    (JSON, or text), ``fail`` (one of ``Failure``), ``status``,
    ``message``, ``retry_after`` and ``delay`` in seconds, ``calls`` (tools that the model asks for,
    each an object with ``name`` and ``arguments``). Raises InvalidInput naming the line.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput("file", f"{path} cannot be read: {type(error).__name__}") from None
    return ModelScript(list(_rules(lines)))


def _rules(lines: Iterable[str]) -> Iterable[Rule]:
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            yield _rule(json.loads(line))
        except (ValueError, re.error) as error:
            raise InvalidInput(f"line {number}", str(error)) from None


def _calls(given: Any) -> tuple[tuple[str, Any], ...]:
    """Read the tools that a model asks for; raises ValueError."""
    wrong = "calls are objects, each with name and arguments"
    if not isinstance(given, list):
        raise ValueError(wrong)  # noqa: TRY004 - told as the fault of the line
    found: list[tuple[str, Any]] = []
    for one in cast("list[Any]", given):
        if not isinstance(one, dict):
            raise ValueError(wrong)  # noqa: TRY004
        call = cast("dict[str, Any]", one)
        if set(call) != {"name", "arguments"}:
            raise ValueError(wrong)
        found.append((str(call["name"]), call["arguments"]))
    return tuple(found)


def _rule(given: Any) -> Rule:
    """Read one line; raises ValueError."""
    if not isinstance(given, dict):
        raise ValueError("is no JSON object")  # noqa: TRY004 - told as the fault of the line
    found = cast("dict[str, Any]", given)
    if unknown := sorted(set(found) - _KEYS):
        raise ValueError(f"has no field {unknown[0]!r}; there are {', '.join(sorted(_KEYS))}")
    if found.get("fail") not in {None, *get_args(Failure)}:
        raise ValueError(f"fail is one of {', '.join(get_args(Failure))}")
    for name, kind in (("times", int), ("status", int), ("delay", (int, float)), ("match", str)):
        value = found.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, kind)):
            raise ValueError(f"{name} is not of the right type")
    answer = Answer(
        failure=found.get("fail"), status=found.get("status"), message=found.get("message", ""),
        retry_after=found.get("retry_after"), delay=float(found.get("delay", 0)),
        calls=_calls(found.get("calls", [])),
    )  # fmt: skip
    if isinstance(found.get("reply"), str):
        answer = replace(answer, text=found["reply"])
    elif "reply" in found:
        answer = replace(answer, value=found["reply"])
    match = re.compile(found["pattern"]) if "pattern" in found else found.get("match")
    return Rule(answer, match, found.get("times"))
