"""The rules of the timeline, on the small cases that are easy to get wrong."""

from __future__ import annotations

import itertools

import pytest

from tests.unit.statements import said
from vigent.domain.statements import Statement
from vigent.domain.time import OPEN
from vigent.domain.timeline import Segment, replay


def shown(statements: list[Statement], known_at: int = OPEN - 1) -> str:
    """Write a timeline as ``A[10,20) B[20,)``."""
    by_no = {s.no: s for s in statements}
    out: list[str] = []
    for start, end, memory in replay(statements, known_at=known_at):
        until = "" if end == OPEN else str(end)
        forgotten = by_no[memory].forgotten_at != OPEN
        name = "-" if forgotten else by_no[memory].token.decode()
        out.append(f"{name}[{start},{until})")
    return " ".join(out)


@pytest.mark.parametrize(
    ("spec", "timeline"),
    [
        ("A@10 B@20", "A[10,20) B[20,)"),
        ("B@20 A@10", "A[10,20) B[20,)"),
        ("H@1 A[10,20)", "H[1,10) A[10,20) H[20,)"),
        ("A@10 A[20,30)", "A[10,30)"),
        ("H@1 A[10,20) A@15", "H[1,10) A[10,20) H[20,)"),
        ("P@5 A@10 A[20,30)", "P[5,10) A[10,30)"),
        ("H@1 A[10,20) A[12,18)", "H[1,10) A[10,18) H[18,)"),
        ("H@1 A[10,20) A[12,28)", "H[1,10) A[10,28) H[28,)"),
        ("A@1 A@3 B@2", "A[1,2) B[2,3) A[3,)"),
        ("A@20 A@10", "A[10,)"),
        ("A@10 B[20,40) end:A@30", "A[10,20) B[20,40)"),
        ("end:A@5 A@3", "A[3,5)"),
        ("none@5 A@3", "A[3,5)"),
        ("A@10 B@10", "B[10,)"),
        ("H@1 A[10,30) end:A@20", "H[1,10) A[10,20) H[20,)"),
        ("A@10 none@20 A@30", "A[10,20) A[30,)"),
    ],
)
def test_the_timeline_of_a_key(spec: str, timeline: str):
    assert shown(said(spec)) == timeline


def test_every_order_of_arrival_gives_one_timeline_of_values():
    for words in itertools.permutations(["A@10", "B[20,40)", "A@15", "none@50", "C@60"]):
        assert shown(said(" ".join(words))) == "A[10,20) B[20,40) A[40,50) C[60,)"


def test_a_confirmation_keeps_the_memory():
    assert replay(said("A@10 A@15")) == [Segment(10, OPEN, 1)]


def test_extending_back_keeps_the_older_memory():
    assert replay(said("A@20 A@10")) == [Segment(10, OPEN, 1)]


def test_on_a_split_the_part_before_keeps_the_memory():
    assert replay(said("A@1 A@5 B@3")) == [
        Segment(1, 3, 1),
        Segment(3, 5, 3),
        Segment(5, OPEN, 2),
    ]


def test_an_earlier_known_instant_sees_what_was_known():
    statements = said("A@10 B@20")
    assert shown(statements, known_at=1) == "A[10,)"
    assert shown(statements, known_at=0) == ""


def forget(statements: list[Statement], numbers: set[int], at: int, gap: int) -> list[Statement]:
    return [s._replace(forgotten_at=at, gap=gap) if s.no in numbers else s for s in statements]


@pytest.mark.parametrize(
    ("spec", "forgotten", "timeline"),
    [
        ("H@1 A@10", {2}, "H[1,10) -[10,)"),
        ("H@1 A[10,30) end:A@20", {2}, "H[1,10) -[10,20) H[20,)"),
        ("H@1 A[10,30) B@12 A[14,22)", {4}, "H[1,10) A[10,12) B[12,14) -[14,22) B[22,)"),
        ("A@10 A@15", {1, 2}, "-[10,)"),
    ],
)
def test_forgetting_leaves_a_gap_and_changes_nothing_else(
    spec: str, forgotten: set[int], timeline: str
):
    gone = forget(said(spec), forgotten, at=100, gap=min(forgotten))
    assert shown(gone) == timeline
    assert shown(gone, known_at=99) == shown(gone)


def test_the_same_said_after_the_forgetting_is_new():
    gone = forget(said("A@10"), {1}, at=2, gap=1)
    again = said("X@0 X@0 A@15")[2]
    assert replay([*gone, again]) == [Segment(10, 15, 1), Segment(15, OPEN, 3)]
