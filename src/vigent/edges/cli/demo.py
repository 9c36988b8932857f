"""The passport story: the same two messages, kept as plain text and as typed state."""

from __future__ import annotations

import datetime as dt
import re
import shlex
from dataclasses import dataclass
from typing import Any, Final

import typer
from rich.text import Text

from vigent import Attribute, Memory, MemorySchema, Record
from vigent.edges.cli.command import Call, command, own_db
from vigent.edges.cli.tables import moment, rows, visible
from vigent.errors import InvalidInput
from vigent.settings import shown_database

__all__ = ["Note", "register", "search_text", "tell"]

SUBJECT: Final = "mira"
ATTRIBUTE: Final = "passport_deadline"
QUESTION: Final = "When is Mira's passport deadline?"
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Said:
    """One message, the line of text that is kept of it, and the typed facts it states."""

    external_id: str
    at: dt.datetime
    words: str
    notes: tuple[str, ...]
    facts: tuple[tuple[str, Any, str], ...]


STORY: Final = (
    Said(
        "e1",
        dt.datetime(2026, 6, 1, 9, tzinfo=dt.UTC),
        "I prefer concise answers. My passport deadline is 2026-07-15.",
        ("Mira prefers concise answers.", "Mira's passport deadline is 2026-07-15."),
        (
            ("answer_style", "concise", "I prefer concise answers."),
            (ATTRIBUTE, dt.date(2026, 7, 15), "My passport deadline is 2026-07-15."),
        ),
    ),
    Said(
        "e2",
        dt.datetime(2026, 6, 3, 10, tzinfo=dt.UTC),
        "They corrected the deadline, it is now 2026-06-30.",
        ("Mira corrected the deadline, it is now 2026-06-30.",),
        ((ATTRIBUTE, dt.date(2026, 6, 30), "it is now 2026-06-30"),),
    ),
)
# "Now" of the story: the evening after the second message, so that it reads the same on any day.
NOW: Final = dt.datetime(2026, 6, 3, 18, tzinfo=dt.UTC)
THEN: Final = dt.date(2026, 6, 2)


_SCHEMA_HINT: Final = (
    "The story declares its deadline as a date. A schema is no part of the file: to write typed\n"
    "values of your own, hand one over each time, with --schema FILE or VIGENT_SCHEMA."
)
_TOLD: Final = ["2026-06-30", "e2", "2026-07-15", "e1"]
_CHANGED: Final = (
    f"this store knows something else about {SUBJECT}, and the story would not be true of it;"
    " name a new file"
)


class Traveller(MemorySchema):
    """What the story's store declares."""

    passport_deadline: dt.date = Attribute(description="When the passport must be in.")
    answer_style: str = Attribute(description="How the person likes to be answered.")


@dataclass(slots=True)
class StoryClock:
    """A clock that stands where the story is."""

    at: dt.datetime

    def now(self) -> int:
        """Give the story's present, in microseconds since 1970."""
        return (self.at - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Note:
    """One line of a memory kept as text."""

    text: str
    source: str
    at: dt.datetime


def search_text(notes: list[Note], question: str) -> list[Note]:
    """Rank notes by how many words of the question they share; of equals the newest first."""
    asked = set(_WORD.findall(question.casefold()))

    def score(note: Note) -> tuple[int, dt.datetime]:
        return len(asked & set(_WORD.findall(note.text.casefold()))), note.at

    found = [note for note in notes if score(note)[0] > 0]
    return sorted(found, key=score, reverse=True)


def tell(memory: Memory, clock: StoryClock) -> list[Note]:
    """Keep the story's messages as typed state in the memory, and as text in the answer.

    Told twice to one store it changes nothing: the messages bear their own ids.
    """
    notes: list[Note] = []
    for said in STORY:
        clock.at = said.at + dt.timedelta(seconds=1)
        episode = memory.capture(
            said.words, speaker=SUBJECT, occurred_at=said.at, external_id=said.external_id
        )
        for attribute, value, quote in said.facts:
            memory.write(
                subject=SUBJECT,
                attribute=attribute,
                value=value,
                source_episode_id=episode.id,
                quote=quote,
                trust="person",
            )
        notes.extend(Note(text, said.external_id, said.at) for text in said.notes)
    clock.at = NOW
    return notes


def _from_text(notes: list[Note], until: dt.datetime) -> dict[str, Any]:
    """Answer from the notes that were there by then: the best hit, as any reader would take it."""
    hit = search_text([note for note in notes if note.at <= until], QUESTION)[0]
    return {"answer": hit.text, "noted_at": _instant(hit.at), "source": hit.source}


def _from_state(memory: Memory, as_of: dt.date) -> dict[str, Any]:
    # As the story knew it: what a store that was used since has learned is no part of it.
    record = memory.current(SUBJECT, ATTRIBUTE, as_of=as_of, known_at=NOW)
    if not isinstance(record, Record):
        return {"value": None}
    evidence = memory.provenance(record.memory_id).evidence
    episode = next((each.episode for each in evidence if each.episode is not None), None)
    return {
        "value": record.to_dict()["value"],
        "valid_from": _instant(record.valid_from),
        "valid_to": None if record.valid_to is None else _instant(record.valid_to),
        "source": None if episode is None else episode.external_id,
        "quote": record.quote,
        "memory_id": record.memory_id,
        "supersedes_memory_id": record.supersedes_memory_id,
    }


def _instant(value: dt.datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


def _answers(memory: Memory, notes: list[Note]) -> list[dict[str, Any]]:
    end_of_day = dt.datetime.combine(THEN, dt.time.max, tzinfo=dt.UTC)
    return [
        {
            "asked": "now",
            "as_of": _instant(NOW),
            "text_search": _from_text(notes, NOW),
            "vigent": _from_state(memory, NOW),
        },
        {
            "asked": THEN.isoformat(),
            "as_of": _instant(end_of_day),
            "text_search": _from_text(notes, end_of_day),
            "vigent": _from_state(memory, THEN),
        },
    ]


def _refuse_another_story(memory: Memory) -> None:
    """Refuse a store that knows the subject from elsewhere: the story would not be true there."""
    for attribute in (ATTRIBUTE, "answer_style"):
        told = {quote for said in STORY for name, _, quote in said.facts if name == attribute}
        known = {record.quote for record in memory.history(SUBJECT, attribute)}
        if known and not told <= known:
            raise InvalidInput("db", f"{_CHANGED}; nothing was written")


def _next_commands(db: str | None) -> list[str]:
    # Without the password of a URL: what is shown is kept in logs and in histories.
    where = f"--db {shlex.quote(shown_database(db or 'demo.db'))}"
    asking = f"{SUBJECT} {ATTRIBUTE}"
    first = [] if db else [f"vigent demo {where}"]
    more = [
        f"vigent current {asking} --as-of {THEN} {where}",
        f"vigent history {asking} {where}",
        f"vigent diff --since 2026-05-31 --until 2026-06-03 --subject {SUBJECT} {where}",
    ]
    return [*first, *more][:3]


def _show(call: Call, answers: list[dict[str, Any]], commands: list[str], *, kept: bool) -> None:
    out = call.out
    out.show(Text("Two messages about mira", style="bold"))
    for said in STORY:
        out.show(Text(f"  {said.external_id}  {moment(said.at)}  “{said.words}”"))
    out.show(Text(f"\nAsked: “{QUESTION}”", style="bold"))
    table = rows("as of", "plain text, word search", "Vigent, typed state")
    for number, answer in enumerate(answers):
        if number:
            table.add_row()
        asked = "now (3 June)" if answer["asked"] == "now" else "2 June"
        text, state = answer["text_search"], answer["vigent"]
        stale = str(state["value"]) not in text["answer"]
        noted = dt.datetime.fromisoformat(text["noted_at"])
        from_text = Text(f"“{text['answer']}”\nsource {text['source']}, noted {moment(noted)}")
        if stale:
            from_text.append("\nstale", style="bold red")
        table.add_row(asked, from_text, _state_cell(state))
    out.show(table)
    if kept:
        out.show(Text(f"{_SCHEMA_HINT}\n", style="dim"))
    out.show(Text("Try next", style="bold"))
    for line in commands:
        out.show(Text(f"  {line}", no_wrap=True, overflow="ignore"))


def _state_cell(state: dict[str, Any]) -> Text:
    if state["value"] is None:
        return Text("nothing is in force")
    begin = dt.datetime.fromisoformat(state["valid_from"])
    cell = Text(visible(str(state["value"])), style="bold green")
    return cell.append(f"\nvalid from {moment(begin)}\nsource {state['source']}", style="default")


def demo(call: Call, ctx: typer.Context) -> None:
    """Tell the passport story: one memory as plain text, one as typed state.

    Runs in memory; with --db it leaves the store in that file to go on with.
    """
    db = own_db(call, ctx)
    clock = StoryClock(STORY[0].at)
    memory = Memory.open(
        db or ":memory:",
        tenant=call.tenant,
        store=call.store,
        person=call.person,
        schema=call.schema or Traveller,
        clock=clock,
    )
    with memory:
        _refuse_another_story(memory)
        answers = _answers(memory, tell(memory, clock))
        if [
            answer["vigent"].get(each) for answer in answers for each in ("value", "source")
        ] != _TOLD:
            raise InvalidInput("db", _CHANGED)
    commands = _next_commands(db)
    if call.as_json:
        episodes = [
            {"external_id": said.external_id, "at": _instant(said.at), "words": said.words}
            for said in STORY
        ]
        call.out.document(
            {
                "subject": SUBJECT,
                "attribute": ATTRIBUTE,
                "question": QUESTION,
                "episodes": episodes,
                "answers": answers,
                "next": commands,
            }
        )
    else:
        _show(call, answers, commands, kept=db is not None)


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    command(app, "demo")(demo)
