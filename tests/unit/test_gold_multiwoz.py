from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from vigent.evaluation.gold import multiwoz
from vigent.evaluation.gold.dataset import (
    Dialogue,
    GoldError,
    HistoryQuestion,
    SourceQuestion,
    ValueQuestion,
    instant_of,
)

FILE = Path(__file__).parents[1] / "data" / "eval" / "multiwoz" / "small.json"


def changes(dialogue: Dialogue) -> list[tuple[int, str, str | None]]:
    return [(c.source.turn, c.slot.attribute, c.value) for c in dialogue.changes]


def current(dialogue: Dialogue) -> dict[str, frozenset[str]]:
    return {
        q.slot.attribute: q.accepted[0]
        for q in dialogue.questions
        if isinstance(q, ValueQuestion) and q.kind == "current"
    }


def test_only_what_differs_from_the_state_before_is_a_change():
    first, second = multiwoz.read(FILE).dialogues
    assert changes(first) == [
        (0, "inn.area", "harbour"),
        (0, "inn.name", "the gull"),
        (0, "inn.day", "friday"),
        (2, "inn.name", None),
        (4, "inn.name", "the gull"),
        (4, "inn.day", "saturday"),
        (4, "inn.wifi", "yes"),
    ]
    assert changes(second) == [
        (0, "boat.leaveAt", "09:00"),
        (0, "boat.destination", "mull"),
        (2, "boat.leaveAt", "dontcare"),
        (2, "boat.destination", "mull|iona"),
        (2, "boat.people", "2"),
        (4, "boat.destination", None),
    ]


def test_the_source_is_the_user_turn_before_the_state():
    first = multiwoz.read(FILE).dialogues[0]
    said = {
        q.slot.attribute: (q.turn, q.source.text, q.source.at)
        for q in first.questions
        if isinstance(q, SourceQuestion)
    }
    opening = (0, "I need an inn by the harbour for friday .", instant_of(0))
    later = (4, "And the gull after all , on saturday , with wifi .", instant_of(4))
    assert said == {
        "inn.area": opening,
        "inn.name": later,
        "inn.day": later,
        "inn.wifi": later,
    }


def test_every_slot_that_holds_something_is_asked_after_each_user_turn():
    first, second = multiwoz.read(FILE).dialogues
    asked = [
        (q.turn, q.slot.name)
        for q in second.questions
        if isinstance(q, ValueQuestion) and q.kind == "as_of"
    ]
    assert asked == [
        (0, "leaveAt"),
        (0, "destination"),
        (2, "leaveAt"),
        (2, "destination"),
        (2, "people"),
        (4, "leaveAt"),
        (4, "people"),
    ]
    assert current(first) == {
        "inn.area": {"harbour"},
        "inn.name": {"the gull"},
        "inn.day": {"saturday"},
        "inn.wifi": {"yes"},
    }
    assert current(second) == {"boat.leaveAt": {"dontcare"}, "boat.people": {"2"}}


def test_the_history_of_a_slot_that_was_emptied_has_a_hole_or_an_end():
    first, second = multiwoz.read(FILE).dialogues
    histories = {
        q.slot.attribute: q.stretches
        for d in (first, second)
        for q in d.questions
        if isinstance(q, HistoryQuestion)
    }
    name = [(s.value, s.begin, s.end) for s in histories["inn.name"]]
    assert name == [
        ("the gull", instant_of(0), instant_of(2)),
        ("the gull", instant_of(4), None),
    ]
    destination = [(s.value, s.begin, s.end) for s in histories["boat.destination"]]
    assert destination == [
        ("mull", instant_of(0), instant_of(2)),
        ("mull|iona", instant_of(2), instant_of(4)),
    ]


def test_booked_is_no_slot_and_unspoken_slots_are_known():
    names = {slot.attribute for slot in multiwoz.read(FILE).slots}
    assert names == {
        "inn.area",
        "inn.name",
        "inn.wifi",
        "inn.people",
        "inn.day",
        "boat.leaveAt",
        "boat.destination",
        "boat.people",
    }


def test_a_zip_and_a_folder_with_a_schema_beside_read_the_same(tmp_path: Path):
    (tmp_path / "schema.json").write_text('[{"service_name": "inn", "slots": []}]')
    with zipfile.ZipFile(tmp_path / "small.json.zip", "w") as archive:
        archive.writestr("small.json", FILE.read_bytes())
    expected = multiwoz.read(FILE)
    assert multiwoz.read(tmp_path / "small.json.zip") == expected
    assert multiwoz.read(tmp_path) == expected


def test_of_two_states_after_one_user_turn_the_later_counts(tmp_path: Path):
    log = [
        {"text": "hello", "metadata": {}},
        {"text": "yes ?", "metadata": {"inn": {"semi": {"area": "north"}}}},
        {"text": "well ?", "metadata": {"inn": {"semi": {"area": "south"}}}},
    ]
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"d": {"log": log}}))
    (told,) = multiwoz.read(path).dialogues
    assert changes(told) == [(0, "inn.area", "south")]


def test_a_file_without_dialogues_is_refused(tmp_path: Path):
    path = tmp_path / "other.json"
    path.write_text('{"services": []}')
    with pytest.raises(GoldError, match="no MultiWOZ dialogue"):
        multiwoz.read(path)
