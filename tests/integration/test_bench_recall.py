"""The bench of search runs at its smallest scale, and its counts of wrong things are zero."""

from __future__ import annotations

from itertools import pairwise

from bench import truth
from bench.madeup import STRANGERS, unanswered
from bench.recall import SCALES, measure_recall
from bench.store import open_memory
from vigent.domain.terms import index_terms


def test_the_tiny_scale_measures_all_that_needs_no_data():
    report = measure_recall("tiny")
    figures = {figure["name"]: figure for figure in report["figures"]}
    exact = [name for name in figures if "changed by" in name or "stale" in name]
    assert len(exact) >= 1 + len(SCALES["tiny"]["sizes"])
    assert [figures[name]["value"] for name in exact] == [0] * len(exact)
    assert all({"name", "value", "target", "pass"} <= figure.keys() for figure in figures.values())
    assert {"locomo", "longmemeval"} <= report["skipped"].keys()


def test_ended_values_are_told_apart_where_they_are_asked_for(tmp_path):
    with open_memory(tmp_path / "a.db") as memory:
        for turn in range(truth.UPDATES + 1):
            memory.write_many(truth._updated(3, turn))
        subject, attribute = truth._named(0)
        asked = {"person": truth.PERSON, "subject": subject, "attribute": attribute}
        now = memory.search(f"{attribute} of {subject}", **asked)
        ever = memory.search(f"{attribute} of {subject}", include="history", **asked)
    assert [truth._stale(hit.text) for hit in now] == [0]
    assert len({hit.text for hit in ever if truth._stale(hit.text)}) == truth.UPDATES


def test_made_questions_are_distinct_and_every_second_names_somebody_known():
    made = unanswered(["Mira", "Tom"], ["Mira tuned a pipe organ", "Tom met a notary"], 200, 1)
    assert len(set(made)) == 200
    known = ["Mira" in question or "Tom" in question for question in made]
    assert known == [True, False] * 100
    assert not any("organ" in question or "notary" in question for question in made)
    assert not any(one == two for one, two in pairwise(made))


def test_strangers_who_are_spoken_of_are_left_out():
    made = unanswered(["Mira"], [f"{STRANGERS[0]} was here"], 200, 2)
    assert not any(index_terms(STRANGERS[0])[0] in index_terms(question) for question in made)
