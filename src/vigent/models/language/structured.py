"""Getting JSON of a schema out of a model, whichever way its server has of asking for it.

A schema is asked for as ``json_schema``, as the arguments of a ``tool``, or in words
(``prompted``). What works is found at first use and remembered. All of it is bounded: a call sends
at most one request for each form, those that a server's dialect needs, and one repair.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from vigent.domain.answerjson import Problem, as_instructed, first_problem, read_answer
from vigent.errors import InvalidModelOutput, ModelFailed, ModelRefusal, OutputCutOff, ProviderError
from vigent.models.endpoint import Refusal
from vigent.ports.models import Completion, ModelUsage, Told

__all__ = ["FORMS", "FORM_WORDS", "Ask", "Form", "Question", "Refused", "Reply", "Structured"]

Form = Literal["json_schema", "tool", "prompted"]
FORMS: Final[tuple[Form, ...]] = ("json_schema", "tool", "prompted")
FORM_WORDS: Final = re.compile(
    r"response_format|json_?schema|structured.?output|\btools?\b|tool_choice|function.?call"
    r"|grammar|guided",
    re.IGNORECASE,
)
"""Words by which servers say that they do not know a form."""

_NOTHING: Final = ModelUsage()
_SHOWN_AGAIN: Final = 8_000
"""Characters of a wrong answer that are shown to the model when it is asked once more."""


class Question(NamedTuple):
    """One thing to be asked; ``within`` is in seconds, for all tries together."""

    messages: tuple[Told, ...]
    schema: Mapping[str, Any] | None
    form: Form | None
    max_tokens: int
    within: float


class Reply(NamedTuple):
    """What came back; ``calls`` requests were sent, all but the last of them in vain."""

    text: str
    finish: Literal["stop", "length", "refused"]
    model: str
    calls: int
    input_tokens: int
    output_tokens: int


class Refused(NamedTuple):
    """The server will not take the request as it is."""

    refusal: Refusal
    calls: int


Ask: TypeAlias = Callable[[Question], "Reply | Refused"]
"""Asks once, with tries of its own; raises ProviderError with what those came to."""


@dataclass(slots=True)
class _Run:
    """One call of ``complete``: what it came to so far, and until when it may go on."""

    ask: Ask
    question: Question
    until: float
    usage: ModelUsage = _NOTHING

    def once(self, form: Form | None, messages: tuple[Told, ...] | None = None) -> Reply | Refused:
        within = self.until - time.monotonic()
        if within <= 0:
            raise ProviderError("there was no time left for another request")
        asked = self.question._replace(
            form=form, within=within, messages=messages or self.question.messages
        )
        got = self.ask(asked)
        wasted = got.calls if isinstance(got, Refused) else got.calls - 1
        self._count(got.calls, wasted)
        if isinstance(got, Reply):
            self._count(0, 0, got.input_tokens, got.output_tokens)
            if got.finish == "refused":
                self._count(0, 1)
                raise ModelRefusal("the model, or a filter of its provider, would not answer")
        return got

    def cut_off(self, reply: Reply) -> OutputCutOff:
        self._count(0, 1)
        error = OutputCutOff(
            f"the answer ended at the limit of {self.question.max_tokens} tokens, or before"
        )
        error.output = reply.text
        return error

    def wasted(self) -> None:
        """Note that the last answer was of no use."""
        self._count(0, 1)

    def _count(self, *more: int) -> None:
        added = (*more, *(0,) * (4 - len(more)))
        self.usage = ModelUsage._make(a + b for a, b in zip(self.usage, added, strict=True))


@dataclass(slots=True)
class Structured:
    """Asks in the forms given, from the first on, and remembers which of them works."""

    ask: Ask
    forms: tuple[Form, ...] = FORMS
    known: Form | None = field(default=None, init=False)
    """The form that worked, once one did."""

    def complete(
        self,
        messages: Sequence[Told],
        schema: Mapping[str, Any] | None,
        least: Mapping[str, Any] | None,
        max_tokens: int,
        timeout: float,
    ) -> Completion:
        """Give the answer, checked; raises what is below ModelFailed, with all that was spent."""
        question = Question(tuple(messages), schema, None, max_tokens, timeout)
        run = _Run(self.ask, question, time.monotonic() + timeout)
        try:
            if schema is None:
                return self._plain(run)
            return self._checked(run, least or schema)
        except ModelFailed as error:
            raise error.spent(*run.usage) from None

    def _plain(self, run: _Run) -> Completion:
        reply = run.once(None)
        if isinstance(reply, Refused):
            raise _refused(reply.refusal)
        finish = "length" if reply.finish == "length" else "stop"
        return Completion(reply.text, None, run.usage, finish, reply.model)

    def _checked(self, run: _Run, least: Mapping[str, Any]) -> Completion:
        before = self.known
        form, reply, problem = self._first(run, least, (before,) if before else self.forms)
        if reply is None and before is not None and FORM_WORDS.search(problem.reason):
            self.known = None  # the server may be another one by now
            others: list[Form] = [form for form in self.forms if form != before]
            form, reply, problem = self._first(run, least, others)
        if reply is None:
            raise _refused(problem)
        if not isinstance(problem, Problem):
            self.known = form
            return Completion(reply.text, problem, run.usage, "stop", reply.model, form)
        # No form did well. The last was taken by the server, and says most about what is wanted.
        self.known = form
        return self._repaired(run, form, reply, problem, least)

    def _first(
        self, run: _Run, least: Mapping[str, Any], forms: Sequence[Form]
    ) -> tuple[Form, Reply | None, Any]:
        """Ask in one form after the other until an answer fits.

        Gives form, reply and parsed answer; where none fitted the last reply and its Problem;
        where every form was refused no reply, and the first refusal.
        """
        refusal: Refusal | None = None
        last: tuple[Form, Reply, Any] | None = None
        for form in forms:
            got = run.once(form)
            if isinstance(got, Refused):
                refusal = refusal or got.refusal
                continue
            if got.finish == "length":
                raise run.cut_off(got)
            found, problem = _judged(got.text, least)
            if problem is None:
                return form, got, found
            run.wasted()
            last = form, got, problem
        return last or (forms[0], None, refusal)

    def _repaired(
        self, run: _Run, form: Form, reply: Reply, problem: Problem, least: Mapping[str, Any]
    ) -> Completion:
        """Ask once more, with what was wrong; raises InvalidModelOutput."""
        first = read_answer(reply.text)
        words = (
            "That answer cannot be used. What is wrong: "
            f"{problem.told}. {as_instructed(run.question.schema or least)}"
        )
        messages = (
            *run.question.messages,
            Told("assistant", reply.text[:_SHOWN_AGAIN] or "(nothing)"),
            Told("user", words),
        )
        try:
            again = run.once(form, messages)
        except ModelFailed as error:
            # What came first may be sound in part; the failure of the repair says less.
            raise _invalid(problem, first, error) from None
        if isinstance(again, Refused):
            raise _invalid(problem, first)
        if again.finish == "length":
            raise run.cut_off(again)
        found, still = _judged(again.text, least)
        if still is not None:
            run.wasted()
            raise _invalid(still, read_answer(again.text) or first)
        return Completion(again.text, found, run.usage, "stop", again.model, form)


def _judged(text: str, least: Mapping[str, Any]) -> tuple[Any, Problem | None]:
    found = read_answer(text)
    if found is None:
        return None, Problem("it is no JSON", "it is no JSON")
    return found, first_problem(found, least)


def _invalid(problem: Problem, output: Any, after: ModelFailed | None = None) -> InvalidModelOutput:
    error = InvalidModelOutput(f"the answer does not have the form asked for: {problem.shown}")
    error.output = output
    if after is not None:
        error.spent(after.calls, after.failed, after.input_tokens, after.output_tokens)
    return error


def _refused(refusal: Refusal) -> ProviderError:
    error = ProviderError(f"the server refuses this: {refusal.reason}")
    error.status, error.final = refusal.status, True
    return error
