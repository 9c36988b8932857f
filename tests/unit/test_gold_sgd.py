from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from vigent.evaluation.gold import sgd
from vigent.evaluation.gold.dataset import (
    Dialogue,
    GoldError,
    HistoryQuestion,
    SourceQuestion,
    ValueQuestion,
    instant_of,
)

FOLDER = Path(__file__).parents[1] / "data" / "eval" / "sgd"
FILE = FOLDER / "small.jsonl"


def changes(dialogue: Dialogue) -> list[tuple[int, str, str | None]]:
    return [(c.source.turn, c.slot.attribute, c.value) for c in dialogue.changes]


def answers(dialogue: Dialogue, kind: str) -> list[tuple[int, str, set[str]]]:
    return [
        (q.turn, q.slot.attribute, set().union(*q.accepted))
        for q in dialogue.questions
        if isinstance(q, ValueQuestion) and q.kind == kind
    ]


def stretches(dialogue: Dialogue, attribute: str) -> list[tuple[str, int, int | None]]:
    found = next(
        q
        for q in dialogue.questions
        if isinstance(q, HistoryQuestion) and q.slot.attribute == attribute
    )

    def minute(instant):
        return None if instant is None else int((instant - instant_of(0)).total_seconds() // 60)

    return [(s.value, minute(s.begin), minute(s.end)) for s in found.stretches]


def test_the_schema_gives_slots_and_closed_lists_with_dontcare():
    slots = {slot.attribute: slot.choices for slot in sgd.read(FILE).slots}
    assert slots == {
        "Ferries_1.harbour": None,
        "Ferries_1.time": None,
        "Ferries_1.seats": ("1", "2", "3", "4", "dontcare"),
        "Cafes_1.place": None,
        "Cafes_1.table": ("inside", "outside", "dontcare"),
    }


def test_another_spelling_is_the_same_value_and_a_new_list_is_another_one():
    first = sgd.read(FILE).dialogues[0]
    assert changes(first) == [
        (0, "Ferries_1.harbour", "Port Ellen"),
        (0, "Ferries_1.time", "half past six"),
        (2, "Ferries_1.time", "half past six"),
        (2, "Ferries_1.seats", "2"),
        (2, "Cafes_1.place", "the pier"),
        (4, "Ferries_1.time", "seven"),
        (4, "Ferries_1.seats", "3"),
        (4, "Cafes_1.table", "dontcare"),
    ]
    assert stretches(first, "Ferries_1.time") == [("half past six", 0, 4), ("seven", 4, None)]


def test_as_of_asks_after_each_user_turn_for_the_services_that_speak_in_it():
    assert answers(sgd.read(FILE).dialogues[0], "as_of") == [
        (0, "Ferries_1.harbour", {"Port Ellen"}),
        (0, "Ferries_1.time", {"half past six"}),
        (2, "Ferries_1.harbour", {"Port Ellen"}),
        (2, "Ferries_1.time", {"6:30 pm", "half past six"}),
        (2, "Ferries_1.seats", {"2"}),
        (2, "Cafes_1.place", {"the pier"}),
        (4, "Ferries_1.harbour", {"Port Ellen"}),
        (4, "Ferries_1.time", {"seven", "7 pm"}),
        (4, "Ferries_1.seats", {"3"}),
        (4, "Cafes_1.place", {"the pier"}),
        (4, "Cafes_1.table", {"dontcare"}),
        (6, "Cafes_1.place", {"the pier"}),
        (6, "Cafes_1.table", {"dontcare"}),
    ]


def test_the_source_of_a_value_is_the_turn_that_set_it_not_the_one_that_confirmed():
    third = sgd.read(FILE).dialogues[1]
    sources = {
        q.slot.attribute: (q.turn, q.source.text)
        for q in third.questions
        if isinstance(q, SourceQuestion)
    }
    assert sources == {"Ferries_1.harbour": (6, "Or Craignure after all?")}


def test_an_unset_slot_holds_nothing_from_that_turn_on():
    second = sgd.read(FILE).dialogues[1]
    assert (2, "Ferries_1.seats", None) in changes(second)
    assert answers(second, "current") == [(6, "Ferries_1.harbour", {"Craignure"})]
    assert stretches(second, "Ferries_1.seats") == [("1", 0, 2)]
    assert stretches(second, "Ferries_1.harbour") == [
        ("Craignure", 0, 4),
        ("Port Ellen", 4, 6),
        ("Craignure", 6, None),
    ]


def test_what_the_schema_forbids_is_expected_to_be_refused_and_asked_nowhere():
    third = sgd.read(FILE).dialogues[2]
    assert changes(third) == [(0, "Ferries_1.seats", "2")]
    assert [(r.slot.attribute, r.value) for r in third.refusals] == [
        ("Ferries_1.sauna", "True"),
        ("Ferries_1.seats", "40"),
        ("Ferries_1.no such slot", "no such slot"),
        ("Ferries_1.seats", "no such choice"),
    ]
    assert answers(third, "current") == [(2, "Ferries_1.seats", {"2"})]


def test_a_value_is_a_spelling_that_every_mention_accepts(tmp_path: Path):
    turns = [
        {"s": "U", "u": "a", "f": [{"service": "S", "set": {"t": ["x", "y"]}}]},
        {"s": "U", "u": "b", "f": [{"service": "S", "set": {"t": ["y", "z"]}}]},
        {"s": "U", "u": "c", "f": [{"service": "S", "set": {"t": ["z"]}}]},
    ]
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"id": "d", "turns": turns}))
    (told,) = sgd.read(path).dialogues
    assert changes(told) == [(0, "S.t", "y"), (1, "S.t", "y"), (2, "S.t", "z")]


@pytest.fixture
def packed(tmp_path: Path) -> dict[str, Path]:
    lines = FILE.read_bytes()
    schema = (FOLDER / "small_schema.json").read_bytes()
    stories = [json.loads(line) for line in lines.splitlines()]
    paths = {kind: tmp_path / kind for kind in ("gz", "zip", "json", "folder", "bare")}
    for path in paths.values():
        path.mkdir()
        if path.name not in {"zip", "bare"}:
            (path / "other_schema.json").write_text("[]")
            (path / "small_schema.json").write_bytes(schema)
    files = {
        "gz": paths["gz"] / "small.jsonl.gz",
        "zip": paths["zip"] / "small.zip",
        "json": paths["json"] / "small.json",
        "folder": paths["folder"],
        "bare": paths["bare"] / "small.jsonl",
    }
    files["gz"].write_bytes(gzip.compress(lines))
    with zipfile.ZipFile(files["zip"], "w") as archive:
        archive.writestr("set/small.jsonl", lines)
        archive.writestr("set/schema.json", schema)
    files["json"].write_text(json.dumps(stories))
    (paths["folder"] / "part1.jsonl").write_bytes(lines)
    (paths["folder"] / "NOTE.txt").write_text("not JSON")
    files["bare"].write_bytes(lines)
    return files


@pytest.mark.parametrize("kind", ["gz", "zip", "json", "folder"])
def test_every_packing_reads_the_same(packed: dict[str, Path], kind: str):
    assert sgd.read(packed[kind]) == sgd.read(FILE)


def test_without_a_schema_every_slot_that_is_spoken_of_holds_text(packed: dict[str, Path]):
    read = sgd.read(packed["bare"])
    assert {slot.choices for slot in read.slots} == {None}
    assert changes(read.dialogues[2]) == [
        (0, "Ferries_1.seats", "2"),
        (0, "Ferries_1.sauna", "True"),
        (2, "Ferries_1.seats", "40"),
    ]


def test_one_id_in_two_files_makes_two_subjects(tmp_path: Path):
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(FILE.read_bytes())
    read = sgd.read(tmp_path, limit=5)
    assert [d.id for d in read.dialogues] == ["7_00000", "7_00001", "7_00002", "7_00000", "7_00001"]
    assert [d.subject for d in read.dialogues[3:]] == ["7_00000 (2)", "7_00001 (2)"]


def test_a_damaged_line_is_named(tmp_path: Path):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(FILE.read_bytes() + b'{"id": \n')
    with pytest.raises(GoldError, match=r"bad\.jsonl, line 4"):
        sgd.read(path)


@pytest.mark.parametrize("content", ["[]", '{"a": {"log": 1}}', "nothing", "\u20ac"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: str):
    path = tmp_path / "other.json"
    path.write_text(content, encoding="utf-16" if content == "\u20ac" else "utf-8")
    with pytest.raises(GoldError, match=r"other\.json"):
        sgd.read(path)


@pytest.mark.parametrize("name", ["cut.json.gz", "cut.zip"])
def test_a_damaged_archive_is_named(tmp_path: Path, name: str):
    path = tmp_path / name
    whole = gzip.compress(b"[]" * 99) if name.endswith("gz") else b"PK\x03\x04 and no more"
    path.write_bytes(whole[:20])
    with pytest.raises(GoldError, match=name):
        sgd.read(path)


def test_a_path_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(GoldError, match="does not exist"):
        sgd.read(tmp_path / "missing.jsonl")
