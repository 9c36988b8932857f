"""How records look to a person: tables that fit 80 columns, and one line a row when piped.

Times are in UTC, to the second; ``--json`` has them exactly.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from vigent import Change, Provenance, Record
from vigent.edges.cli.output import visible

__all__ = [
    "changes_table",
    "counted",
    "history_table",
    "moment",
    "piped_or_wide",
    "provenance_view",
    "record_card",
    "records_table",
    "rows",
    "shown_value",
    "source_of",
    "span",
    "stacked",
]

# Below this width a row stands on several lines, so that ids and times are never cut.
_WIDE: Final = 132


def moment(value: dt.datetime | None) -> str:
    """Give an instant as people read it: ``2026-06-03 10:00Z``; seconds only where there are."""
    if value is None:
        return "open"
    at = value.astimezone(dt.UTC)
    return at.strftime("%Y-%m-%d %H:%M:%SZ" if at.second or at.microsecond else "%Y-%m-%d %H:%MZ")


def span(begin: dt.datetime, end: dt.datetime | None, *, open_as: str = "open") -> str:
    """Give a half-open interval as ``begin → end``."""
    return f"{moment(begin)} → {open_as if end is None else moment(end)}"


def shown_value(record: Record) -> str:
    """Give what a record says, as one line of text."""
    value = record.text if record.attribute is None else record.value
    return visible(_plain(value))


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dt.datetime):
        return moment(value)
    if isinstance(value, dt.date | Decimal):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def source_of(record: Record) -> str:
    """Give where a record comes from: its source, else its speaker, episode or trust."""
    named = record.source or record.speaker or record.source_episode_id or record.trust
    quote = f" “{record.quote}”" if record.quote else ""
    return visible(f"{named}{quote}")


def rows(*columns: str, apart: bool = False, whole: int | None = None) -> Table:
    """Give an empty table in the house style.

    ``apart`` puts a blank line between rows. Column number ``whole`` is never wrapped, so that
    its times and ids stay in one piece.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", leading=int(apart))
    for number, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=number == whole)
    return table


def counted(number: int, one: str, many: str) -> str:
    """Give a number with the word that fits it: ``1 memory``, ``2 memories``."""
    return f"{number} {one if number == 1 else many}"


def piped_or_wide(console: Console) -> bool:
    """Say whether a row has room on one line: a wide terminal, or none at all."""
    return console.width >= _WIDE


def stacked(*lines: Text | str) -> Text:
    """Give lines that stand below each other in one cell."""
    return Text("\n").join(line if isinstance(line, Text) else Text(line) for line in lines)


def _id(memory_id: str) -> Text:
    return Text(memory_id, style="dim", no_wrap=True, overflow="ignore")


def _about(record: Record) -> str:
    return visible(record.subject or "")


def records_table(
    console: Console, records: Iterable[Record], *, with_subject: bool = False
) -> Table:
    """Give records as a table: attribute, value, valid time, source and id."""
    wide = piped_or_wide(console)
    if wide:
        subject = ["subject"] if with_subject else []
        table = rows(*subject, "attribute", "value", "valid (UTC)", "source", "id")
    else:
        table = rows("value, source", "valid (UTC), id", apart=True, whole=1)
    for record in records:
        name = visible(record.attribute or record.memory_type)
        value = Text(shown_value(record), style="bold")
        valid = span(record.valid_from, record.valid_to)
        if wide:
            subject = [_about(record)] if with_subject else []
            table.add_row(*subject, name, value, valid, source_of(record), _id(record.memory_id))
        else:
            label = f"{_about(record)} · {name}" if with_subject and record.subject else name
            table.add_row(
                stacked(Text(label, style="cyan"), value, source_of(record)),
                stacked(valid, _id(record.memory_id)),
            )
    return table


def history_table(console: Console, records: Sequence[Record]) -> Table:
    """Give the life of an attribute: valid time, and over which recorded time we believed it."""
    wide = piped_or_wide(console)
    if wide:
        table = rows("value", "valid (UTC)", "believed (UTC)", "status", "source", "id")
    else:
        table = rows("value, source", "valid, believed (UTC), id", apart=True, whole=1)
    for record in records:
        believed = record.recorded_to is None
        style = "bold" if believed and record.status == "active" else "dim"
        value = Text(shown_value(record), style=style)
        valid = span(record.valid_from, record.valid_to)
        known = span(record.recorded_from, record.recorded_to, open_as="now")
        if wide:
            table.add_row(
                value, valid, known, record.status, source_of(record), _id(record.memory_id)
            )
        else:
            table.add_row(
                stacked(value, record.status, source_of(record)),
                stacked(valid, known, _id(record.memory_id)),
            )
    return table


def card(pairs: Iterable[tuple[str, str | Text | None]]) -> Table:
    """Give labelled lines; those without content are left out."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, content in pairs:
        if content:
            table.add_row(label, content)
    return table


def record_card(record: Record, *, headline: str | None = None) -> Table:
    """Give one record in full, as labelled lines."""
    name = record.attribute or record.memory_type
    about = f"{name} of {record.subject}" if record.subject else name
    confidence = record.effective_confidence
    return card(
        [
            (headline or "", Text(visible(about), style="cyan") if headline else None),
            ("value" if headline else about, Text(shown_value(record), style="bold")),
            ("valid", f"{span(record.valid_from, record.valid_to)}  ({record.valid_from_basis})"),
            ("source", source_of(record)),
            ("episode", record.source_episode_id),
            ("replaces", record.supersedes_memory_id),
            ("confidence", None if confidence in {None, 1.0} else f"{confidence:.2f}"),
            ("status", None if record.status == "active" else record.status),
            ("expires", moment(record.expires_at) if record.expires_at else None),
            ("id", _id(record.memory_id)),
        ]
    )


def provenance_view(console: Console, found: Provenance) -> RenderableType:
    """Give a memory and all that supports it."""
    wide = piped_or_wide(console)
    table = (
        rows("said (UTC)", "by", "words", "trust", "episode")
        if wide
        else rows("words", "said (UTC), by, episode", apart=True, whole=1)
    )
    for evidence in found.evidence:
        episode = evidence.episode
        content = None if episode is None else episode.content
        words = visible(evidence.quote or content or "(no words kept)")
        by = visible(evidence.speaker or evidence.source or (episode.role if episode else ""))
        said = moment(evidence.valid_from if episode is None else episode.occurred_at)
        source = _id(evidence.source_episode_id or "")
        if wide:
            table.add_row(said, by, words, evidence.trust, source)
        else:
            who = Text(f"{by} ({evidence.trust})" if by else evidence.trust, overflow="ellipsis")
            table.add_row(words, stacked(said, who, source))
    return Group(record_card(found.memory), table)


def _side(records: Sequence[Record]) -> str:
    return ", ".join(shown_value(record) for record in records) or "nothing"


def changes_table(console: Console, changes: Iterable[Change]) -> Table:
    """Give what changed: when, of what, from what to what."""
    wide = piped_or_wide(console)
    table = (
        rows("at (UTC)", "subject", "attribute", "before", "after")
        if wide
        else rows("at (UTC)", "what", "before", "after", apart=True, whole=0)
    )
    for change in changes:
        subject, attribute = visible(change.subject or ""), visible(change.attribute or "text")
        what = [subject, attribute] if wide else [stacked(subject, Text(attribute, style="cyan"))]
        table.add_row(
            moment(change.at),
            *what,
            Text(_side(change.before), style="dim"),
            Text(_side(change.after), style="bold"),
        )
    return table
