"""What is confirmed often stays right, and as cheap as it was: the walk over it is left out."""

from __future__ import annotations

import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from vigent import Memory
from vigent.domain.statements import Statement
from vigent.domain.timeline import fold, known
from vigent.storage.sql.reading import SqlSnapshot
from vigent.testing import FakeClock

DAYS = [f"2026-01-{day:02d}" for day in range(1, 9)]
SCHEMA = {"attributes": {"pets": {"cardinality": "multi"}}}


def steps() -> st.SearchStrategy[tuple[str, str, str | None, str | None]]:
    # Mostly one value: the rest of a history stands between many who say the same.
    value = st.sampled_from("AAAAAB")
    kind = st.sampled_from([*["say"] * 12, "end", "until", "mend", "none"])
    day = st.sampled_from([None, None, *DAYS])
    return st.tuples(kind, value, day, st.sampled_from([None, "e1", "e2", "e3"]))


def enter(memory: Memory, attribute: str, step: tuple[str, str, str | None, str | None]) -> None:
    kind, value, day, episode = step
    about = {"subject": "mira", "attribute": attribute}
    source = None if episode is None else memory.capture(episode, external_id=episode).id
    if kind == "say":
        memory.write(**about, value=value, valid_from=day, source_episode_id=source)
    elif kind == "until":
        memory.write(**about, value=value, valid_from="2026-01-02", valid_to="2026-01-06")
    elif kind == "end":
        memory.retract(**about, value=value, valid_from=day)
    elif kind == "none":
        memory.retract(**about, valid_from=day)
    else:
        found = memory.current("mira", attribute, as_of=day or "2026-01-05")
        held = found[0] if isinstance(found, tuple) and found else found
        if held:
            memory.write(**about, value="C", mode="correction", corrects=held.memory_id)


def supporting(memory: Memory) -> dict[int, tuple[int, int]]:
    """Give the evidence kept of each memory that holds, and the sources its runs really have."""
    found: dict[int, tuple[int, int]] = {}
    with memory._storage.snapshot() as snapshot:
        assert isinstance(snapshot, SqlSnapshot)
        rows = [s for _, s in snapshot.statements("default", of_key=1)]
    by_number = {s.no: s for s in rows}
    for member in {s.member for s in rows if s.kind == "value"}:
        live = known(rows, member, 2**62)
        plan = fold(live)
        runs = plan.runs(live)
        heads = plan.heads(runs)
        sources: dict[int, set[str | int]] = {}
        for changer in {h.no for h in plan.holders if h is not None}:
            told = {s.source_episode or s.bears for s in runs[changer]}
            sources.setdefault(heads[changer], set()).update(told)
        for number, those in sources.items():
            found[number] = (by_number[number].evidence_count, len(those))
        for s in live:
            assert s.clean == (s.no in plan.clean and s.kind != "end")
    return found


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(["city", "pets"]), st.lists(steps(), min_size=1, max_size=25))
def test_any_history_with_many_confirmations_equals_its_replay(tmp_path_factory, attribute, told):
    path = tmp_path_factory.mktemp("often") / "a.db"
    clock = FakeClock("2026-01-05T10:00:00Z")
    with Memory.open(path, schema=SCHEMA, clock=clock) as memory:
        for step in [*[("say", "A", "2026-01-03", None)] * 5, *told]:
            clock.advance(seconds=10_800)
            enter(memory, attribute, step)
            report = memory.check()
            assert report.ok, report.problems
        for number, (kept, counted) in supporting(memory).items():
            assert kept == counted, number


def test_an_episode_that_says_it_twice_counts_once(tmp_path):
    with Memory.open(tmp_path / "a.db", clock=FakeClock("2026-01-05T10:00:00Z")) as memory:
        about = {"subject": "mira", "attribute": "city", "value": "Rome"}
        first = memory.capture("I live in Rome, in Rome!").id
        memory.write(**about, source_episode_id=first, quote="I live in Rome")
        for day in DAYS:
            memory.write(**about, valid_from=day)
        before = memory.current("mira", "city").evidence_count
        memory.write(**about, source_episode_id=first, quote="in Rome!")
        assert memory.current("mira", "city").evidence_count == before
        other = memory.capture("Rome it is").id
        found = memory.write(**about, source_episode_id=other, quote="Rome it is")
        assert (found.outcome, found.memory.evidence_count) == ("confirmed", before + 1)


def test_a_confirmation_reads_no_more_after_a_thousand(tmp_path):
    with Memory.open(tmp_path / "a.db") as memory:
        about = {"subject": "mira", "attribute": "city", "value": "Rome"}
        memory.write_many([{**about, "valid_from": "2026-01-02"} for _ in range(50)])
        rows = _rows_read(memory, about)
        memory.write_many([{**about, "valid_from": "2026-01-02"} for _ in range(1_000)])
        assert _rows_read(memory, about) == rows


def _rows_read(memory: Memory, about: dict[str, str]) -> int:
    """Count the wide rows that one more confirmation makes of the database's."""
    made = 0
    make = Statement._make

    def seen(frame, event, argument):
        nonlocal made
        if event == "call" and frame.f_code is make.__func__.__code__:
            made += 1

    sys.setprofile(seen)
    try:
        memory.write(**about, valid_from="2026-01-02")
    finally:
        sys.setprofile(None)
    return made
