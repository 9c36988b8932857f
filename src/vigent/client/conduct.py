"""How a verb is carried out: which requests, when again, after which pause. Nothing is sent here.

A verb is a generator: it gives requests, is sent what the service answered to each, and returns
its result. ``conduct`` makes of it the steps that a transport takes: send this, wait so long.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from vigent.client.problems import error_of
from vigent.client.wire import Answer, Request
from vigent.errors import InvalidInput, ServiceUnreachable, UnavailableError, VigentError

__all__ = ["Exchange", "Lost", "Patience", "Send", "Wait", "conduct"]

R = TypeVar("R")
Exchange: TypeAlias = Generator[Request, Any, R]
"""A verb under way: gives requests, is sent the content of their answers, returns its result."""

_FIRST_PAUSE: Final = 0.2
_LONGEST_PAUSE: Final = 5.0
_LONGEST_ASKED: Final = 30.0  # seconds: a service that asks for more is not waited for
# The service says so before it does anything.
_NOT_DONE: Final = frozenset({429, 503})
# Said by what stands between; whether it was done is not known.
_CUT_OFF: Final = frozenset({502, 504})


class Send(NamedTuple):
    """A step: send this, and give what comes back within so many seconds."""

    request: Request
    timeout: float


class Wait(NamedTuple):
    """A step: let so many seconds pass."""

    seconds: float


class Lost(NamedTuple):
    """No answer came. ``unsent`` says that the service has surely not seen the request."""

    problem: str
    unsent: bool


Step: TypeAlias = Send | Wait


@dataclass(frozen=True, slots=True)
class Patience:
    """For how long, and how often, an answer is waited for.

    ``timeout`` is for one try and ``deadline`` for a request with all its tries and the pauses
    between them, both in seconds; ``retries`` is how often it is sent again at most.
    """

    timeout: float
    retries: int
    deadline: float

    @classmethod
    def of(cls, timeout: object, retries: object, deadline: object) -> Patience:
        """Check what a caller gave; without a deadline it is twice the timeout."""
        if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
            raise InvalidInput("retries", "must be 0 or a positive integer")
        one = _seconds(timeout, "timeout")
        return cls(one, retries, 2 * one if deadline is None else _seconds(deadline, "deadline"))


def _seconds(given: object, field: str) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < 1e6:
        raise InvalidInput(field, "must be a positive number of seconds")
    return float(given)


def conduct(
    exchange: Exchange[R],
    patience: Patience,
    now: Callable[[], float],
    spread: Callable[[], float],
) -> Generator[Step, Answer | Lost | None, R]:
    """Give the steps of a verb, and return its result; raises errors of ``vigent.errors``.

    ``now`` gives seconds that only rise, ``spread`` numbers in [0, 1).
    """
    try:
        request = next(exchange)
        while True:
            content = yield from _asked(request, patience, now, spread)
            request = exchange.send(content)
    except StopIteration as done:
        return done.value


def _asked(
    request: Request,
    patience: Patience,
    now: Callable[[], float],
    spread: Callable[[], float],
) -> Generator[Step, Answer | Lost | None, Any]:
    end = now() + patience.deadline
    attempt = 0
    while True:
        came = yield Send(request, max(0.001, min(patience.timeout, end - now())))
        error, asked_for, again = _judged(request, came)
        if error is None:
            return _content(came)
        pause = _pause(attempt, asked_for, spread())
        attempt += 1
        if not again or attempt > patience.retries or pause >= end - now():
            raise error
        yield Wait(pause)


def _judged(
    request: Request, came: Answer | Lost | None
) -> tuple[VigentError | None, float | None, bool]:
    """Give the error that came, for how long the service asks to wait, and whether to ask again."""
    if not isinstance(came, Answer):
        problem = "no answer" if came is None else came.problem
        unsent = came is not None and came.unsent
        error = ServiceUnreachable(f"the service gave no answer: {problem}")
        return error, None, request.repeatable or unsent
    if 200 <= came.status < 300:
        return None, None, False
    again = came.status in _NOT_DONE or (came.status in _CUT_OFF and request.repeatable)
    error = error_of(came)
    if came.request_id and not isinstance(error, UnavailableError) and came.status >= 500:
        error.add_note(f"request {came.request_id}")
    return error, came.retry_after, again


def _content(came: Answer | Lost | None) -> Any:
    if not isinstance(came, Answer) or not came.body:
        return None
    try:
        return came.json()
    except (ValueError, RecursionError):
        raise ServiceUnreachable("the service's answer is no JSON") from None


def _pause(attempt: int, asked_for: float | None, spread: float) -> float:
    if asked_for is not None:
        return asked_for if asked_for <= _LONGEST_ASKED else float("inf")
    # Spread, so that many who failed together do not come back together.
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**attempt) * (0.5 + spread / 2)
