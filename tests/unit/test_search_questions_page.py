"""The tables of docs/reference/search-questions.md are what the code does."""

from __future__ import annotations

from pathlib import Path

from vigent.domain.naming import NameIndex
from vigent.domain.time import iso, parse_instant
from vigent.domain.timewords import find_time_words

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "search-questions.md"
NOW = parse_instant("2026-06-10T14:00:00Z", "now")


def rows(header: str) -> list[list[str]]:
    """Give the rows of every table that has this header."""
    found: list[list[str]] = []
    inside = False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line == header:
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("| ---"):
            found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def test_the_times_of_the_page_are_found():
    table = rows("| question | words | as of | after | before |")
    assert len(table) > 30
    for question, *expected in table:
        found = find_time_words(question, now=NOW, timezone="UTC")
        assert found is not None, question
        times = ["" if at is None else iso(at) for at in found[1:]]
        assert [found.words, *times] == expected, question


def test_what_the_page_calls_no_time_is_none():
    table = rows("| question | why |")
    assert len(table) > 20
    taken = [q for q, _ in table if find_time_words(q, now=NOW, timezone="UTC") is not None]
    assert taken == []


def test_the_names_of_the_page_are_found():
    index = NameIndex(
        {
            "mira": ["Mira"], "p1": ["Alex Morrow"], "p2": ["Alex Morrow"], "p3": ["Alex Moroz"],
            "it": ["IT"], "april": ["April"], "beijing": ["北京"],
        },
        {"passport_deadline": ["passport expiry"], "deadline": [], "date_of_birth": ["birthday"]},
    )  # fmt: skip
    table = rows("| question | subjects | attributes | unresolved |")
    assert len(table) > 10
    for question, *expected in table:
        found = index.mentions(question)
        unresolved = [f"{name}: {', '.join(who)}" for name, who in found.unresolved]
        assert [
            ", ".join(found.subjects), ", ".join(found.attributes), "; ".join(unresolved),
        ] == expected, question  # fmt: skip
