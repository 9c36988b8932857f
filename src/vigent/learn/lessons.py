"""Lessons across sessions: what those of one kind, that went the same way, have in common.

The model that is asked knows no person: names, ids and personal data are taken out before. What
it says stays that person's, is trusted no more than an assistant, and is dropped where a later
session of the kind goes another way.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from vigent.domain.derivation import ACROSS, Derivation, lowest
from vigent.domain.groups import groups_of, went
from vigent.domain.pseudonyms import plain_words, pseudonymised, says_something
from vigent.domain.reasoning.drawing import (
    LESSON_LEAST,
    LESSON_SCHEMA,
    LESSON_TASK,
    as_lines,
    read_lesson,
)
from vigent.domain.records import Record
from vigent.domain.usage import Account, Parked
from vigent.learn.remembering import Remembering
from vigent.ports.models import LanguageModel, MeteredModels, ModelUsage, Told

__all__ = ["LessonsDone", "lessons_across"]

_LOOKED: Final = 200
"""Records of sessions that are looked at, the newest."""
_SENT: Final = 20
_NOTHING: Final = ModelUsage()


@dataclass(frozen=True, slots=True)
class LessonsDone:
    """What came of a look at a person's sessions.

    ``done``: a lesson was written, or what it rests on was brought up to date. ``nothing``: there
    was nothing to learn, or (``fault``) what the model said can be no lesson. ``parked``: nothing
    was sent. ``cancelled``: a session was gone before the lesson was written. ``dropped`` are ids
    of lessons that later sessions do not bear out. ``more`` says that another group waits.
    """

    status: Literal["done", "nothing", "parked", "cancelled"]
    lessons: tuple[Record, ...] = ()
    dropped: tuple[str, ...] = ()
    fault: str | None = None
    more: bool = False
    usage: ModelUsage = _NOTHING
    parked: Parked | None = None


def lessons_across(
    memory: Remembering,
    *,
    person: str,
    allowed: bool,
    model: LanguageModel | None,
    metered: MeteredModels,
    account: Account,
    min_episodes: int = 3,
    names: Collection[str] = (),
    max_tokens: int | None = None,
    timeout: float | None = None,
) -> LessonsDone:
    """Learn from one group of a person's sessions that all went well, or all badly.

    ``allowed`` is whether anything of the person may be sent to the helper model (``model``, None
    for none); where it may not, lessons are only dropped or kept up to date. ``names`` are further
    names to take out beside the person's id. A group is asked about once, and again when it has
    doubled. At most one call of the model. Raises what is below ModelFailed.
    """
    episodes = memory.derived.of("episode", person=person)[-_LOOKED:]
    known = [
        r
        for r in memory.derived.of("lesson", person=person)
        if r.fields.get("basis") == ACROSS and r.text
    ]
    groups = groups_of(episodes)
    dropped = _drop_contradicted(memory, person, known, groups)
    known = [r for r in known if r.memory_id not in dropped]
    fit = [[r for r in g if r.fields.get("result") == went(g)] for g in groups if went(g)]
    fit = [group for group in fit if len(group) >= min_episodes]
    extended: list[Record] = []
    waiting: list[list[Record]] = []
    for group in fit:
        lesson = _lesson_of(group, known)
        if lesson is not None:
            extended += _extended(memory, person, lesson, group)
        elif _to_ask(group):
            waiting.append(group)
    if not waiting or not allowed or model is None:
        status = "done" if extended or dropped else "nothing"
        return LessonsDone(status, tuple(extended), dropped)
    asked = _ask(
        memory, person, waiting[0], model, metered, account, names,
        max_tokens=max_tokens, timeout=timeout,
    )  # fmt: skip
    status = "done" if asked.status == "nothing" and (extended or dropped) else asked.status
    return LessonsDone(
        status, (*extended, *asked.lessons), dropped, asked.fault,
        len(waiting) > 1 or asked.status == "parked", asked.usage, asked.parked,
    )  # fmt: skip


def _drop_contradicted(
    memory: Remembering, person: str, known: Sequence[Record], groups: Sequence[Sequence[Record]]
) -> tuple[str, ...]:
    """Drop lessons of groups that did not all go their way."""
    wrong: list[str] = []
    for lesson in known:
        way = "succeeded" if lesson.fields.get("kind") == "workflow" else "failed"
        cited = set(lesson.fields.get("episodes", []))
        mine = [g for g in groups if cited & {r.memory_id for r in g}]
        if any(went(g) != way for g in mine):
            wrong.append(lesson.memory_id)
    return memory.derived.drop(wrong, person=person).dropped if wrong else ()


def _lesson_of(group: Sequence[Record], known: Sequence[Record]) -> Record | None:
    ids = {r.memory_id for r in group}
    return next((k for k in known if ids & set(k.fields.get("episodes", []))), None)


def _to_ask(group: Sequence[Record]) -> bool:
    """Whether a group is to be asked about: never was, or it has doubled since."""
    return len(group) >= 2 * max(int(r.fields.get("compared", 0)) for r in group)


def _extended(
    memory: Remembering, person: str, lesson: Record, group: Sequence[Record]
) -> tuple[Record, ...]:
    """Let a lesson name the sessions of its group that came since."""
    ids = tuple(r.memory_id for r in group)
    if set(ids) <= set(lesson.fields.get("episodes", [])):
        return ()
    item = _derivation(lesson.text or "", group, str(lesson.fields["kind"]))
    return memory.derived.drawn([item], noted=(), note={}, person=person).records


def _ask(
    memory: Remembering,
    person: str,
    group: Sequence[Record],
    model: LanguageModel,
    metered: MeteredModels,
    account: Account,
    names: Collection[str],
    *,
    max_tokens: int | None,
    timeout: float | None,
) -> LessonsDone:
    way = went(group)
    rows = _rows(group[-_SENT:], (person, *names))
    note = {"compared": len(group)}
    ids = [r.memory_id for r in group]
    if not any(says_something(row["text"]) for row in rows):
        memory.derived.drawn([], noted=ids, note=note, unless="compared", person=person)
        return LessonsDone("nothing")
    messages = (Told("system", LESSON_TASK), Told("user", f"ALL {way}\n{as_lines(rows)}"))
    done = metered.complete(
        account, model, messages, schema=LESSON_SCHEMA, least=LESSON_LEAST,
        max_tokens=max_tokens, timeout=timeout,
    )  # fmt: skip
    if isinstance(done, Parked):
        return LessonsDone("parked", parked=done)
    text, fault = read_lesson(done.parsed)
    kind = "workflow" if way == "succeeded" else "pitfall"
    items = [] if text is None else [_derivation(text, group, kind)]
    settled = memory.derived.drawn(items, noted=ids, note=note, unless="compared", person=person)
    if settled.outcome == "cancelled":
        return LessonsDone("cancelled", usage=done.usage)
    status = "done" if settled.records else "nothing"
    return LessonsDone(status, settled.records, fault=fault, usage=done.usage)


def _rows(group: Sequence[Record], names: Collection[str]) -> list[dict[str, Any]]:
    """Give what is sent of sessions: nothing that says whose they are."""
    spoken = [part for r in group for part in (r.text or "", str(r.fields.get("intent") or ""))]
    plain = plain_words(spoken)
    return [
        {
            "task": pseudonymised(str(r.fields.get("intent") or ""), names, plain),
            "result": r.fields.get("result"),
            "text": pseudonymised(r.text or "", names, plain),
            "tools": [
                {"name": pseudonymised(t["name"], names, plain), "status": t["status"]}
                for t in r.fields.get("structured", {}).get("tools", [])
            ],
        }
        for r in group
    ]


def _derivation(text: str, group: Sequence[Record], kind: str) -> Derivation:
    return Derivation(
        type="lesson", text=text, trust=lowest((r.trust for r in group), "assistant"),
        rests_on=tuple(r.memory_id for r in group), importance=5,
        fields={"kind": kind, "basis": ACROSS},
    )  # fmt: skip
