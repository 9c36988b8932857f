from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from vigent.evaluation.gold import woz
from vigent.evaluation.gold.dataset import GoldError, Slot, SourceQuestion, ValueQuestion

FILE = Path(__file__).parents[1] / "data" / "eval" / "woz" / "small.json"


def test_the_state_is_what_the_user_informed_of():
    first, second = woz.read(FILE).dialogues
    assert [(c.source.turn, c.slot.attribute, c.value) for c in first.changes] == [
        (0, "price range", "cheap"),
        (0, "area", "north"),
        (2, "price range", "expensive"),
        (2, "food", "soup"),
    ]
    assert [(c.source.turn, c.slot.attribute, c.value) for c in second.changes] == [
        (0, "food", "fish"),
        (1, "food", None),
        (1, "area", "dontcare"),
    ]


def test_slots_stand_alone_and_dialogues_bear_their_number():
    read = woz.read(FILE)
    assert read.slots == (Slot(None, "price range"), Slot(None, "area"), Slot(None, "food"))
    assert [d.id for d in read.dialogues] == ["3", "4"]


def test_the_last_state_is_current_and_each_turn_is_asked():
    first = woz.read(FILE).dialogues[0]
    values = [q for q in first.questions if isinstance(q, ValueQuestion)]
    current = {q.slot.name: q.accepted for q in values if q.kind == "current"}
    assert current == {
        "price range": (frozenset({"expensive"}),),
        "area": (frozenset({"north"}),),
        "food": (frozenset({"soup"}),),
    }
    assert [q.turn for q in values if q.kind == "as_of"] == [0, 0, 1, 1, 2, 2, 2]
    assert {q.turn for q in values if q.kind == "current"} == {2}


def test_the_source_is_the_transcript_of_the_turn():
    first, second = woz.read(FILE).dialogues
    said = {q.slot.name: q.source.text for q in first.questions if isinstance(q, SourceQuestion)}
    assert said == {
        "price range": "Rather dear, and soup.",
        "area": "Something cheap in the north.",
        "food": "Rather dear, and soup.",
    }
    assert second.changes[0].source.text == "(silence)"


def test_gzip_reads_the_same_and_another_set_is_refused(tmp_path: Path):
    packed = tmp_path / "small_en.json.gz"
    packed.write_bytes(gzip.compress(FILE.read_bytes()))
    assert woz.read(packed) == woz.read(FILE)
    assert len(woz.read(packed, limit=1).dialogues) == 1
    with pytest.raises(GoldError, match="no WOZ dialogue"):
        woz.read(FILE.parents[1] / "multiwoz" / "small.json")
