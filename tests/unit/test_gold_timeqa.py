from __future__ import annotations

import datetime as dt
import gzip
from pathlib import Path

import pytest

from vigent.evaluation.gold import timeqa
from vigent.evaluation.gold.dataset import (
    Dialogue,
    GoldError,
    HistoryQuestion,
    Slot,
    SourceQuestion,
    ValueQuestion,
)

FOLDER = Path(__file__).parents[1] / "data" / "eval" / "timeqa"
FILE = FOLDER / "small.json"


def day(year: int, month: int = 1) -> dt.datetime:
    return dt.datetime(year, month, 1, tzinfo=dt.UTC)


def asked(dialogue: Dialogue) -> dict[int, set[str]]:
    return {
        q.turn: set().union(*q.accepted)
        for q in dialogue.questions
        if isinstance(q, ValueQuestion) and q.kind == "as_of"
    }


def test_intervals_of_years_and_months_become_facts_with_both_ends():
    office = timeqa.read(FILE).dialogues[0]
    assert sorted((c.value, c.valid_from, c.valid_to) for c in office.changes) == [
        ("clerk", day(1901), day(1910)),
        ("mayor", day(1905), day(1908, 3)),
        ("mayor", day(1914, 3), day(1914, 4)),
        ("warden", day(1901), day(1910)),
        ("warden", day(1909), day(1912, 9)),
    ]


def test_an_answer_is_the_set_of_all_intervals_that_cover_the_middle():
    office = timeqa.read(FILE).dialogues[0]
    assert asked(office) == {
        0: {"warden", "clerk", "mayor"},
        1: {"warden", "clerk", "mayor"},
        2: {"warden", "clerk", "mayor"},
        3: {"warden"},
        4: set(),
        7: {"mayor"},
    }


def test_the_middle_of_the_interval_is_asked():
    office = timeqa.read(FILE).dialogues[0]
    first = next(q for q in office.questions if isinstance(q, ValueQuestion))
    assert first.at == day(1901) + (day(1910) - day(1901)) / 2


def test_the_history_joins_the_intervals_of_one_value():
    office, employer, _ = timeqa.read(FILE).dialogues
    histories = [
        [(s.value, s.begin, s.end) for s in q.stretches]
        for d in (office, employer)
        for q in d.questions
        if isinstance(q, HistoryQuestion)
    ]
    assert histories == [
        [
            ("clerk", day(1901), day(1910)),
            ("warden", day(1901), day(1912, 9)),
            ("mayor", day(1905), day(1908, 3)),
            ("mayor", day(1914, 3), day(1914, 4)),
        ],
        [("Hill & Co", day(1880), day(1895))],
    ]


def test_the_source_is_the_paragraph_of_the_answer():
    office, employer, _ = timeqa.read(FILE).dialogues
    sources = {
        (q.turn, q.value): q.source.text for q in office.questions if isinstance(q, SourceQuestion)
    }
    assert sources == {
        (0, "warden"): "She was warden from 1901 to 1910 and clerk too .",
        (0, "clerk"): "She was warden from 1901 to 1910 and clerk too .",
        (1, "mayor"): "Mayor from 1905 .",
        (3, "warden"): "She left the post of warden in Sep 1912 .",
        (7, "mayor"): "Mayor from 1905 .",
    }
    assert employer.changes[0].source.text == (
        "Who did Ada Example work for from 1880 to 1890? Hill & Co"
    )


def test_properties_have_their_names_and_hold_several_values():
    assert timeqa.read(FILE).slots == (
        Slot(None, "position held", many=True),
        Slot(None, "employer", many=True),
        Slot(None, "P69", many=True),
    )


def test_now_is_after_every_interval_and_nothing_holds():
    read = timeqa.read(FILE)
    current = [
        q.accepted
        for d in read.dialogues
        for q in d.questions
        if isinstance(q, ValueQuestion) and q.kind == "current"
    ]
    assert current == [(), ()]
    assert read.asked_at > day(2026)


def test_a_question_without_an_answer_is_asked_all_the_same():
    nobody = timeqa.read(FILE).dialogues[2]
    assert nobody.changes == ()
    assert asked(nobody) == {0: set()}


def test_gzip_beside_its_relations_reads_the_same(tmp_path: Path):
    packed = tmp_path / "some.json.gz"
    packed.write_bytes(gzip.compress(FILE.read_bytes()))
    (tmp_path / "relations.json").write_bytes((FOLDER / "relations.json").read_bytes())
    assert timeqa.read(packed) == timeqa.read(FILE)
    assert timeqa.read(tmp_path) == timeqa.read(FILE)
    with pytest.raises(GoldError, match="no TimeQA entry"):
        timeqa.read(tmp_path / "relations.json")
