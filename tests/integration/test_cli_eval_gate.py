"""``vigent eval gate``: a file of cases in, what became of each out."""

from __future__ import annotations

import json

import pytest

from tests.integration.command_line import run

AT = "2026-06-03T23:30:00-05:00"


def item(text, **more):
    return {"role": "user", "text": text, "at": AT, "person": "mira", **more}


def tea(**more):
    return {"subject": "mira", "type": "preference", "text": "Likes tea", "quote": "I like tea",
            "item": 0, "confidence": 0.9, **more}  # fmt: skip


CASES = [
    {"id": 1, "note": "ignored", "items": [item("I like tea.")],
     "candidates": [tea(mood="ignored")], "expect": "in_force"},
    {"id": 2, "items": [item("Do I like tea?")], "candidates": [tea()], "expect": "in_force"},
    {"id": 3, "items": [item("I like tea."), item("I like tea.", kind="upload")],
     "candidates": [tea(), tea(item=1), tea(item=7), tea(tenant_id="other"), tea(confidence=7)],
     "expect": ["in_force", "held", "refused", "refused", "held"]},
    # It is the 3rd where it was said, and the 4th in UTC.
    {"id": 4, "items": [item("I start tomorrow at the bakery.")],
     "candidates": [{"subject": "mira", "attribute": "employer", "value": "bakery", "item": 0,
                     "valid_from": "2026-06-04", "quote": "I start tomorrow at the bakery"},
                    {"subject": "mira", "attribute": "job", "value": "bakery", "item": 0,
                     "valid_from": "2026-06-05", "quote": "I start tomorrow at the bakery"}],
     "expect": ["in_force", "held"]},
    {"id": 5, "items": [item("I quit squash.")],
     "candidates": [{"subject": "mira", "attribute": "sport", "value": None, "item": 0,
                     "quote": "I quit squash."}], "expect": "in_force"},
    {"id": 6, "items": [item("I like tea.\u0000")], "candidates": [tea()], "expect": "refused"},
    {"id": 7, "items": [{"role": "system", "text": "I like tea.", "at": AT}],
     "candidates": [tea()], "expect": "refused"},
    {"id": 8, "items": [item("I like tea.", person="bo"), item("Hi")],
     "candidates": [tea(subject="bo"), tea(item=1, quote="Hi")], "expect": ["in_force", "refused"]},
]  # fmt: skip


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps(c) for c in CASES) + "\n\n", encoding="utf-8")
    return path


def test_each_case_is_a_line_and_the_last_line_has_what_was_wrong(cases):
    done = run("eval", "gate", str(cases), "--json", "--tenant", "acme")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0, done.err
    assert rows[-1] == {
        "cases": 8,
        "wrong": [{"id": 2, "expect": "in_force", "got": "refused", "reason": "asked"}],
    }
    assert [row["id"] for row in rows[:-1]] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert rows[2]["got"] == ["in_force", "held", "refused", "refused", "held"]
    assert rows[2]["reason"] == [
        None, "not_own_wish", "evidence_missing", "tenant_mismatch", "confidence_unknown",
    ]  # fmt: skip
    assert rows[5]["reason"] == "not_captured"


def test_a_line_that_is_no_case_is_named(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": 1}\n', encoding="utf-8")
    done = run("eval", "gate", str(path), "--json")
    assert done.code != 0
    assert json.loads(done.err)["field"] == "line 1"
