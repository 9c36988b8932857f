"""The first stage of a search: what is asked, checked, and how it is understood.

Pure: what the question mentions and the times it names come in as arguments.
"""

from __future__ import annotations

import re
import zoneinfo
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from vigent.domain.filters import Filter
from vigent.domain.naming import Mentions
from vigent.domain.query import Plan, TimeWords
from vigent.domain.recipes import RECIPES
from vigent.domain.text import MAX_TEXT, canonical_subject, check_name, clean_text, words
from vigent.domain.time import Instant, iso, parse_instant, to_datetime
from vigent.errors import InvalidInput

__all__ = ["FUZZY", "Asked", "asked_of", "beside_time", "expanded", "plan_of"]

Include = Literal["current", "history", "episodes"]
Expand = Literal["auto", "always", "never"]

_EDGES: Final = ("after", "before")
_JOINED: Final = re.compile(r",|&|\band\b", re.IGNORECASE)
STATE: Final = "state"
"""The arm that answers from state alone."""
FUZZY: Final = ("words", "vectors")
"""The arms that find what state does not answer."""

_LIMIT: Final = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """A search as asked, every field checked: instants in microseconds, names canonical."""

    query: str
    recipe: str = "relevance"
    include: str = "current"
    expand: str = "auto"
    timezone: str = "UTC"
    limit: int = 10
    budget_tokens: int | None = None
    as_of: Instant | None = None
    known_at: Instant | None = None
    after: Instant | None = None
    before: Instant | None = None
    subject: str | None = None
    attribute: str | None = None
    metadata: Filter = Filter()  # noqa: RUF009  (frozen, and filters nothing)


def asked_of(
    query: object,
    *,
    recipe: object = "relevance",
    include: object = "current",
    expand: object = "auto",
    timezone: object = None,
    limit: object = 10,
    budget_tokens: object = None,
    as_of: object = None,
    known_at: object = None,
    after: object = None,
    before: object = None,
    subject: object = None,
    attribute: object = None,
    metadata: object = None,
) -> Asked:
    """Check the arguments of a search.

    The query is text of at most 8,000 characters and not blank; of nothing but punctuation it
    finds nothing. A bare date as ``as_of`` or ``known_at`` is the last microsecond of that day in
    ``timezone``, as ``after`` or ``before`` the first; without one, in UTC. A time without an
    offset needs a ``timezone``. Raises InvalidInput, naming the field.
    """
    text, _ = clean_text(query, "query", MAX_TEXT)
    if timezone is not None and not isinstance(timezone, str):
        raise InvalidInput("timezone", f"must be an IANA name, not {type(timezone).__name__}")
    if timezone is not None:
        parse_instant("2000-01-01", "timezone", timezone=timezone, bare_date="start")
    times: dict[str, Instant | None] = {
        name: None
        if value is None
        else parse_instant(
            value, name, timezone=timezone, bare_date="start" if name in _EDGES else "end"
        )
        for name, value in (
            ("as_of", as_of), ("known_at", known_at), ("after", after), ("before", before),
        )
    }  # fmt: skip
    start, end = times["after"], times["before"]
    if start is not None and end is not None and end <= start:
        raise InvalidInput("before", f"must lie after {iso(start)}, which is 'after'")
    return Asked(
        text,
        _choice(recipe, "recipe", tuple(RECIPES)),
        _choice(include, "include", get_args(Include)),
        _choice(expand, "expand", get_args(Expand)),
        "UTC" if timezone is None else timezone,
        _whole(limit, "limit", 1, _LIMIT),
        None if budget_tokens is None else _whole(budget_tokens, "budget_tokens", 0, None),
        **times,
        subject=None if subject is None else canonical_subject(subject)[1],
        attribute=None if attribute is None else check_name(attribute, "attribute"),
        metadata=Filter.of(metadata),
    )


def plan_of(
    asked: Asked,
    *,
    now: Instant,
    mentions: Mentions,
    time_words: TimeWords | None,
    refused: str | None = None,
) -> Plan:
    """Decide what a question is about, at which time, and which arms look for it.

    What was given goes before what the words say; ``notes`` tell where that happened, and which
    words of time were ``refused``. A day or an
    instant in words becomes ``as_of``, the point at which state is read. A window in words bounds
    when episodes were said (``after``, ``before``); of memories in force it asks what held when
    the window was over, so ``as_of`` becomes its last microsecond ("what was her address in
    March": the one at the end of March), unless the words name a point in it themselves ("two
    weeks ago", "from March to May"). A window that is not over yet leaves ``as_of`` at now; so
    does ``include="history"``, where every stretch in the window counts. Episodes alone are not
    read at a point: there a day in words is the window of that day.

    A question is exact when it names one subject, at least one attribute, no name that is
    unresolved, and asks for nothing else. Then state alone is asked; with ``expand="always"`` the
    fuzzy arms run beside it, with "auto" they run when state has no answer (``expanded``), with
    "never" not at all. A question that is not exact goes to the fuzzy arms, unless "never".
    """
    notes: list[str] = []
    subjects, attributes, clear = _names(asked, mentions, notes)
    taken = _taken(asked, mentions, time_words, notes)
    if refused is not None:
        notes.append(f"{refused!r} could not be taken as a time: no filter of time")
    as_of, after, before = _times(asked, taken, now)
    exact = clear and len(subjects) == 1 and bool(attributes) and asked.include != "episodes"
    alone = asked.expand != "always" and asked.attribute is None
    if exact and alone and not _plain(asked.query, mentions, taken):
        exact = False
        notes.append("the question asks for more than an attribute: state alone does not answer it")
    if asked.expand == "never":
        arms: tuple[str, ...] = (STATE,)
        if not exact:
            notes.append("the question names no one fact, and expand is never: nothing is searched")
    elif exact:
        arms = (STATE, *FUZZY) if asked.expand == "always" else (STATE,)
    else:
        arms = FUZZY
    return Plan(
        asked.query, asked.recipe, asked.include, asked.timezone,
        as_of=as_of, known_at=asked.known_at, after=after, before=before,
        time_words=taken, subjects=subjects, attributes=attributes,
        exact=exact, arms=arms, notes=tuple(notes),
    )  # fmt: skip


def beside_time(query: str, found: TimeWords | None) -> str:
    """Give a question without the words of a time that has a number in it.

    A month beside a day or a year is nobody's name; alone ("before June") it may be one.
    """
    if found is None or not _numbered(found.words):
        return query
    return query.replace(found.words, " " * len(found.words), 1)


def _numbered(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _plain(query: str, mentions: Mentions, taken: TimeWords | None) -> bool:
    """Whether a question asks for the attributes it names and for nothing else.

    "Mira's former employer" does not ask for her employer, nor "Mira's sister's city" for hers.
    """
    in_words = frozenset(() if taken is None else words(taken.words))
    if not in_words.issuperset(mentions.left):
        return False
    return len(mentions.attributes) == 1 or bool(_JOINED.search(query))


def expanded(plan: Plan, why: str) -> Plan:
    """Give the plan with the fuzzy arms behind those it has, and why they run."""
    more = tuple(arm for arm in FUZZY if arm not in plan.arms)
    return replace(plan, arms=(*plan.arms, *more), notes=(*plan.notes, why))


def _names(
    asked: Asked, mentions: Mentions, notes: list[str]
) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    subjects, attributes, clear = mentions.subjects, mentions.attributes, not mentions.unresolved
    if asked.subject is not None:
        others = [s for s in subjects if s != asked.subject]
        if others:
            notes.append(f"subject was given: {', '.join(others)} in the question is no filter")
        subjects, clear = (asked.subject,), True
    else:
        notes += [
            f"{name!r} may be {' or '.join(candidates)}: no filter"
            for name, candidates in mentions.unresolved
        ]
    if asked.attribute is not None:
        others = [a for a in attributes if a != asked.attribute]
        if others:
            notes.append(f"attribute was given: {', '.join(others)} in the question is no filter")
        attributes = (asked.attribute,)
    return subjects, attributes, clear


def _taken(
    asked: Asked, mentions: Mentions, time_words: TimeWords | None, notes: list[str]
) -> TimeWords | None:
    if time_words is None:
        return None
    given = [f for f in ("as_of", "after", "before") if getattr(asked, f) is not None]
    if given:
        notes.append(f"{', '.join(given)} was given: {time_words.words!r} is no filter")
        return None
    in_words = set(words(time_words.words))
    named = [*mentions.names, *(u.name for u in mentions.unresolved)]
    for name in named:
        if _numbered(time_words.words) and not _numbered(name):
            continue
        if in_words & set(words(name)):
            notes.append(f"{time_words.words!r} may mean {name}: no filter of time")
            return None
    return time_words


def _times(
    asked: Asked, found: TimeWords | None, now: Instant
) -> tuple[Instant | None, Instant | None, Instant | None]:
    if found is None:
        return asked.as_of, asked.after, asked.before
    as_of, after, before = found.as_of, found.after, found.before
    if asked.include == "episodes":
        if as_of is not None and after is None and before is None:
            day = to_datetime(as_of).astimezone(zoneinfo.ZoneInfo(asked.timezone)).date()
            after = parse_instant(day, "query", timezone=asked.timezone, bare_date="start")
            before = as_of + 1
        return None, after, before
    if asked.include == "history":
        return (as_of if after is None and before is None else None), after, before
    if as_of is None and before is not None and before <= now:
        as_of = before - 1
    return as_of, after, before


def _choice(value: object, field: str, choices: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise InvalidInput(field, f"must be one of {', '.join(choices)}, not {str(value)[:40]!r}")
    return value


def _whole(value: object, field: str, least: int, most: int | None) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(field, f"must be a whole number, not {type(value).__name__}")
    if value < least or (most is not None and value > most):
        span = f"at least {least}" if most is None else f"{least} to {most}"
        raise InvalidInput(field, f"must be {span}")
    return value
