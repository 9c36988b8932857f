"""The laws of a timeline, each on both adapters: what must hold whatever is said, in any order."""

from __future__ import annotations

import itertools
import json
import re
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.timelines import KEY, NOW, answer, at, opened, say, stretches, tell, timeline
from tests.unit.saidwords import VALUES, words
from vigent import Memory
from vigent.errors import AlreadyCorrected
from vigent.testing import FakeClock

LAW = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
DAYS = range(42)


@pytest.fixture(params=["inmemory", "sqlite"])
def fresh(request, tmp_path):
    """A maker of empty memories."""
    made: list[Memory] = []

    def make(**options) -> Memory:
        path = ":memory:" if request.param == "inmemory" else tmp_path / f"{len(made)}.db"
        memory, _ = opened(path, **options)
        made.append(memory)
        return memory

    yield make
    for memory in made:
        memory.close()


def lines(**options):
    return st.lists(words(**options), min_size=1, max_size=7)


def distinct_lines(**options):
    """Lines of statements of which no two begin on one day."""
    starts = st.lists(st.integers(1, 39), min_size=1, max_size=5, unique=True)
    return starts.flatmap(lambda days: st.tuples(*(words(starts=d, **options) for d in days)))


def all_answers(memory: Memory, known_at=None):
    return [answer(memory, d, known_at) for d in DAYS]


# ------------------------------------------------------------------------- the small cases


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("A@10 A[20,30)", "A[10,30)"),
        ("H@1 A[10,20) A@15", "H[1,10) A[10,20) H[20,)"),
        ("P@5 A@10 A[20,30)", "P[5,10) A[10,30)"),
        ("H@1 A[10,20) A[12,18)", "H[1,10) A[10,18) H[18,)"),
        ("A@1 A@3 B@2", "A[1,2) B[2,3) A[3,)"),
        ("A@10 B[20,40) end:A@30", "A[10,20) B[20,40)"),
        ("H@1 A[10,20)", "H[1,10) A[10,20) H[20,)"),
        ("A@10 B@20", "A[10,20) B[20,)"),
        ("B@20 A@10", "A[10,20) B[20,)"),
        ("B@20 A[10,15)", "A[10,15) B[20,)"),
        ("A@20 A@10", "A[10,)"),
        ("A@10 none@20", "A[10,20)"),
        ("none@20 A@10", "A[10,20)"),
        ("end:A@20 A@10", "A[10,20)"),
        ("H@1 A[10,30) end:A@20", "H[1,10) A[10,20) H[20,)"),
        ("A@10 B@10", "B[10,)"),
        ("A@10 B@20 A@30", "A[10,20) B[20,30) A[30,)"),
        ("A[10,20) A[20,30)", "A[10,30)"),
        ("A@10 B[10,20)", "B[10,20) A[20,)"),
        ("A@10 end:B@10", "A[10,)"),
    ],
)
def test_small_timelines(fresh, line, right):
    memory = fresh()
    tell(memory, line)
    assert timeline(memory) == right


def test_a_correction_that_names_a_start_only_locates(fresh):
    memory = fresh()
    tell(memory, "A@1 B@5")
    say(memory, "Z@1", mode="correction")
    assert timeline(memory) == "Z[1,5) B[5,)"


def test_a_confirmation_by_a_source_that_may_not_supersede_holds_nothing_up(fresh):
    memory = fresh(schema={"attributes": {"city": {"min_trust": "person"}}})
    say(memory, "A@1", trust="person")
    assert say(memory, "A@3", trust="document", confidence=0.5).outcome == "confirmed"
    say(memory, "B@2", trust="person")
    assert timeline(memory) == "A[1,2) B[2,)"


def test_what_an_expired_memory_was_ended_by_does_not_let_it_back(fresh):
    clock = FakeClock("2026-01-20T00:00:00Z")
    memory = fresh(clock=clock)
    say(memory, "A@1", retention_policy="keep")
    tell(memory, "none@5")
    clock.advance(days=2_000)
    memory.sweep()
    assert timeline(memory) == "A[1,5)"
    assert memory.current("mira", "city") is None


# ------------------------------------------------------------------------------- the laws


@LAW
@given(line=lines())
def test_01_beliefs_equal_the_replay_after_each_operation(fresh, line):
    memory = fresh()
    for word in line:
        say(memory, word)
        assert memory.check().problems == ()


@LAW
@given(steps=st.lists(st.tuples(words(), st.sampled_from(["", "", "fix", "never"])), max_size=8))
def test_01_beliefs_equal_the_replay_after_corrections_too(fresh, steps):
    memory = fresh()
    for word, how in steps:
        if how == "never":
            memory.retract(**KEY, mode="correction", valid_from=at(int(_start(word))))
        elif how == "fix" and not word.startswith(("none", "end")):
            say(memory, word, mode="correction")
        else:
            say(memory, word)
        assert memory.check().problems == ()


def test_01_what_goes_on_behind_a_corrected_interval_stays_when_its_beginning_is_cut(fresh):
    memory = fresh()
    tell(memory, "A@5 A[8,10)")
    say(memory, "A[8,9)", mode="correction")
    say(memory, "B[8,13)")
    assert memory.check().problems == ()
    assert timeline(memory) == "A[5,8) B[8,9) A[9,10)"


def test_01_a_withdrawn_memory_said_again_by_a_correction_is_indexed_once(fresh):
    memory = fresh()
    tell(memory, "B@4 B@1")
    say(memory, "B[1,2)", mode="correction")
    say(memory, "A@3")
    assert memory.check().problems == ()


@LAW
@given(line=lines())
def test_02_what_was_answered_at_an_earlier_instant_is_answered_for_good(fresh, line):
    memory = fresh()
    then = []
    for word in line:
        done = say(memory, word)
        if done.memory is not None:
            known = done.memory.known_at
            then.append((known, all_answers(memory, known), stretches(memory, known)))
    for known, answers, rows in then:
        assert all_answers(memory, known) == answers
        assert sorted(stretches(memory, known)) == sorted(rows)


@LAW
@given(line=lines())
def test_03_no_overlap_at_any_known_instant_and_recorded_time_rises(fresh, line):
    memory = fresh()
    for word in line:
        say(memory, word)
    rows = memory.history(**KEY)
    for known in {r.recorded_from for r in rows}:
        held = sorted(
            (r.valid_from, r.valid_to)
            for r in rows
            if r.recorded_from <= known and (r.recorded_to is None or known < r.recorded_to)
        )
        for (_, end), (start, _) in itertools.pairwise(held):
            assert end is not None
            assert end <= start
    assert all(r.recorded_to is None or r.recorded_from < r.recorded_to for r in rows)


@LAW
@given(line=distinct_lines())
def test_04_every_order_of_arrival_gives_one_timeline(fresh, line):
    found = set()
    for order in list(itertools.permutations(line))[:12]:
        memory = fresh()
        tell(memory, " ".join(order))
        found.add(timeline(memory))
    assert len(found) == 1


@LAW
@given(line=distinct_lines(ends=False, retractions=False))
def test_05_of_open_statements_the_latest_start_holds(fresh, line):
    memory = fresh()
    tell(memory, " ".join(line))
    said = sorted((int(w.partition("@")[2]), w.partition("@")[0]) for w in line)
    for when in DAYS:
        begun = [value for start, value in said if start <= when]
        assert answer(memory, when) == (begun[-1] if begun else None)


@LAW
@given(
    spans=st.lists(
        st.tuples(st.integers(1, 39), st.one_of(st.none(), st.integers(1, 20))),
        min_size=1, max_size=6, unique_by=lambda s: s[0],
    )
)  # fmt: skip
def test_05_of_distinct_values_the_latest_start_that_covers_holds(fresh, spans):
    memory = fresh()
    for n, (start, length) in enumerate(spans):
        say(memory, f"V{n}@{start}" if length is None else f"V{n}[{start},{start + length})")
    for when in DAYS:
        covering = [
            (start, f"V{n}")
            for n, (start, length) in enumerate(spans)
            if start <= when and (length is None or when < start + length)
        ]
        assert answer(memory, when) == (max(covering)[1] if covering else None)


@LAW
@given(line=lines(), when=st.integers(1, 41))
def test_06_an_open_confirmation_changes_no_row_and_keeps_the_id(fresh, line, when):
    memory = fresh()
    tell(memory, " ".join(line))
    held = memory.current(**KEY, as_of=at(when))
    if held is None:
        return
    before = stretches(memory)
    done = say(memory, f"{held.value}@{when}")
    assert done.outcome == "confirmed"
    assert done.memory.memory_id == held.memory_id
    assert done.ended == ()
    assert stretches(memory) == before


def test_07_extending_back_keeps_the_id_by_a_new_row(fresh):
    memory = fresh()
    first = say(memory, "A@20").memory
    done = say(memory, "A@10")
    assert done.memory.memory_id == first.memory_id
    assert stretches(memory) == [(first.memory_id, "10", "")]
    assert stretches(memory, first.recorded_from) == [(first.memory_id, "20", "")]


def test_08_on_a_split_the_part_before_keeps_the_id(fresh):
    memory = fresh()
    first = say(memory, "A@1").memory
    again = say(memory, "A@5")
    assert again.outcome == "confirmed"
    middle = say(memory, "B@3").memory
    (a, *_), (b, *_), (c, *_) = stretches(memory)
    assert (a, b) == (first.memory_id, middle.memory_id)
    assert c not in {a, b}
    assert timeline(memory) == "A[1,3) B[3,5) A[5,)"


@LAW
@given(line=lines(), when=st.integers(1, 41), late=words())
def test_09_correcting_a_memory_changes_its_stretches_and_nothing_else(fresh, line, when, late):
    memory = fresh()
    tell(memory, " ".join(line))
    held = memory.current(**KEY, as_of=at(when))
    if held is None:
        return
    known = held.known_at
    mine = [
        d for d in DAYS
        if (r := memory.current(**KEY, as_of=at(d))) is not None and r.memory_id == held.memory_id
    ]  # fmt: skip
    before = all_answers(memory)
    done = memory.write(**KEY, value="Z", mode="correction", corrects=held.memory_id)
    assert done.outcome == "corrected"
    assert done.memory.supersedes_memory_id == held.memory_id
    assert all_answers(memory) == ["Z" if d in mine else v for d, v in enumerate(before)]
    assert all_answers(memory, known) == before
    with pytest.raises(AlreadyCorrected) as refused:
        memory.write(**KEY, value="Y", mode="correction", corrects=held.memory_id)
    assert done.memory.memory_id in str(refused.value)
    say(memory, late)
    assert memory.check().problems == ()
    assert all_answers(memory, known) == before


@LAW
@given(line=distinct_lines(retractions=False), late=words(starts=40, retractions=False))
def test_09_a_later_change_behaves_as_with_the_right_value_from_the_beginning(fresh, line, late):
    wrong, right = fresh(), fresh()
    done = say(wrong, "W@0.5")
    say(right, "Z@0.5")
    for memory in (wrong, right):
        tell(memory, " ".join(line))
    wrong.write(**KEY, value="Z", mode="correction", corrects=done.memory.memory_id)
    for memory in (wrong, right):
        say(memory, late)
    assert timeline(wrong) == timeline(right)


@LAW
@given(line=lines(), start=st.integers(1, 38), length=st.integers(1, 12))
def test_10_correcting_an_interval_changes_it_and_nothing_outside(fresh, line, start, length):
    memory = fresh()
    tell(memory, " ".join(line))
    before = all_answers(memory)
    known = max((r.recorded_from for r in memory.history(**KEY)), default=None)
    say(memory, f"Z[{start},{start + length})", mode="correction")
    inside = range(start, start + length)
    assert all_answers(memory) == ["Z" if d in inside else v for d, v in enumerate(before)]
    if known is not None:
        assert memory.check().problems == ()


@LAW
@given(line=lines(), when=st.integers(1, 41))
def test_11_never_was_equals_the_replay_without_its_run(fresh, line, when):
    memory = fresh()
    done = tell(memory, " ".join(line))
    held = memory.current(**KEY, as_of=at(when))
    if held is None:
        assert memory.retract(**KEY, mode="correction", valid_from=at(when)).outcome == "noop"
        return
    run = {e.statement_id for e in memory.provenance(held.memory_id).evidence}
    assert memory.retract(**KEY, mode="correction", valid_from=at(when)).outcome == "retracted"
    if len(run) == 1 and sum(
        r.memory is not None and r.memory.memory_id == held.memory_id for r in done
    ) == 1:  # fmt: skip
        word = next(
            w for w, r in zip(line, done, strict=True)
            if r.memory is not None and r.memory.memory_id == held.memory_id
        )  # fmt: skip
        without = fresh()
        rest = list(line)
        rest.remove(word)
        tell(without, " ".join(rest))
        assert timeline(memory) == timeline(without)
    assert memory.check().problems == ()


@LAW
@given(line=lines(), when=st.integers(1, 41))
def test_12_forgetting_changes_answers_only_where_the_memory_was(fresh, line, when):
    memory = fresh()
    tell(memory, " ".join(line))
    held = memory.current(**KEY, as_of=at(when))
    if held is None:
        return
    instants = [None, *sorted({r.recorded_from for r in memory.history(**KEY)})]

    def told(known):
        rows = [memory.current(**KEY, as_of=at(d), known_at=known) for d in DAYS]
        return [None if r is None or r.memory_id == held.memory_id else r.value for r in rows]

    before = [told(known) for known in instants]
    assert memory.forget(held.memory_id).forgotten
    assert [all_answers(memory, known) for known in instants] == before
    assert not memory.forget(held.memory_id).forgotten
    assert memory.check().problems == ()


def test_12_late_facts_on_both_sides_of_what_was_forgotten(fresh):
    memory = fresh()
    tell(memory, "H@1")
    gone = say(memory, "A[10,20)").memory
    memory.forget(gone.memory_id)
    assert timeline(memory) == "H[1,10) H[20,)"
    say(memory, "B@5")
    assert timeline(memory) == "H[1,5) B[5,10) B[20,)"
    say(memory, "C@15")
    assert timeline(memory) == "H[1,5) B[5,10) C[15,)"


def test_12_what_was_withdrawn_before_changes_nothing_today(fresh):
    memory = fresh()
    wrong = say(memory, "A@10").memory
    memory.write(**KEY, value="B", mode="correction", corrects=wrong.memory_id)
    memory.forget(wrong.memory_id)
    assert timeline(memory) == "B[10,)"
    assert answer(memory, 12, wrong.recorded_from) is None


def test_12_the_same_said_again_is_stored_but_a_rerun_of_the_old_episode_is_not(fresh):
    memory = fresh()
    said = memory.capture("I live in A", occurred_at=at(10))
    request = {**KEY, "value": "A", "source_episode_id": said.id}
    first = memory.write(**request).memory
    memory.forget(first.memory_id)
    memory.write(**request)
    assert timeline(memory) == ""
    again = memory.capture("I live in A", occurred_at=at(12))
    done = memory.write(**{**request, "source_episode_id": again.id})
    assert done.outcome in {"stored", "superseded"}
    assert done.memory.memory_id != first.memory_id
    assert timeline(memory) == "A[12,)"


@LAW
@given(line=lines(), late=lines(), which=st.integers(0, 6))
def test_13_expire_then_sweep_equals_sweep_before_every_later_write(fresh, line, late, which):
    def lived(*, swept_early: bool):
        clock = FakeClock("2027-01-01T00:00:00Z")
        memory = fresh(clock=clock)
        for n, word in enumerate(line):
            if n == which % len(line) and not word.startswith(("none", "end")):
                say(memory, word, ttl_days=3)
            else:
                say(memory, word)
        clock.advance(days=4)
        if swept_early:
            memory.sweep()
        tell(memory, " ".join(late))
        memory.sweep()
        return all_answers(memory), timeline(memory)

    assert lived(swept_early=True) == lived(swept_early=False)


def test_14_a_noop_retraction_ends_a_late_older_fact(fresh):
    for word in ("none@20", "end:A@20"):
        memory = fresh()
        assert say(memory, word).outcome == "noop"
        say(memory, "A@10")
        assert timeline(memory) == "A[10,20)"


@LAW
@given(line=lines(), value=st.sampled_from(VALUES), when=st.integers(1, 39))
def test_15_a_named_end_never_touches_another_value(fresh, line, value, when):
    memory = fresh()
    tell(memory, " ".join(line))
    before = all_answers(memory)
    say(memory, f"end:{value}@{when}")
    after = all_answers(memory)
    for d in DAYS:
        if before[d] != value or d < when:
            assert after[d] == before[d]
        elif all(int(_start(w)) <= when for w in line):
            assert after[d] != value


@LAW
@given(
    line=lines(), value=st.sampled_from(VALUES), start=st.integers(1, 30), length=st.integers(1, 9)
)
def test_16_a_stated_end_ends_the_value(fresh, line, value, start, length):
    memory = fresh()
    tell(memory, " ".join(w for w in line if int(_start(w)) < start))
    say(memory, f"{value}[{start},{start + length})")
    assert answer(memory, start) == value
    assert answer(memory, start + length) != value


def _start(word: str) -> str:
    return word.partition("@")[2] if "@" in word else word.partition("[")[2].partition(",")[0]


POLICIES = {
    "latest": [("A", {}), ("B", {})],
    "most_trusted": [
        ("A", {"trust": "person"}), ("B", {"trust": "application"}), ("C", {"trust": "person"}),
    ],
    "most_confident": [("A", {"confidence": 0.9}), ("B", {"confidence": 0.5})],
}  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "right"), [("latest", "B"), ("most_trusted", "C"), ("most_confident", "A")]
)
def test_17_ties_are_stable(fresh, policy, right):
    memory = fresh(schema={"attributes": {"city": {"conflict": policy}}})
    for value, more in POLICIES[policy]:
        say(memory, f"{value}@10", **more)
    assert timeline(memory) == f"{right}[10,)"
    held = memory.current(**KEY)
    memory.update(held.memory_id, confidence=0.01)
    tell(memory, "X@5 Y@20", trust="reviewer")
    assert timeline(memory) == f"X[5,10) {right}[10,20) Y[20,)"


def test_17_contest_and_reject(fresh):
    memory = fresh(schema={"attributes": {"city": {"conflict": "contest"}}})
    say(memory, "A@10")
    assert say(memory, "B@10").outcome == "pending_review"
    assert timeline(memory) == "A[10,)"
    assert memory.current(**KEY).contested
    (item,) = memory.review.list()
    assert item.memory.value == "B"
    assert memory.review.accept(item.memory.memory_id).outcome == "corrected"
    assert timeline(memory) == "B[10,)"
    assert not memory.current(**KEY).contested
    memory = fresh(schema={"attributes": {"city": {"conflict": "reject"}}})
    say(memory, "A@10")
    assert say(memory, "B@10").outcome == "rejected"
    assert timeline(memory) == "A[10,)"


@LAW
@given(
    weak=st.lists(words(retractions=False), min_size=1, max_size=3),
    strong=st.lists(words(starts=None, retractions=False), max_size=3),
)
def test_18_a_source_below_the_minimum_brings_nothing_into_force(fresh, weak, strong):
    schema = {"attributes": {"city": {"min_trust": "person"}}}
    memory, without = fresh(schema=schema), fresh(schema=schema)
    for m in (memory, without):
        say(m, "S@0.5", trust="person")
        tell(m, " ".join(w.replace("A", "S") for w in strong), trust="person")
    for word in weak:
        say(memory, word.replace("A", "S"), trust="document", confidence=0.9)
    for m in (memory, without):
        tell(m, "T@3 S@7", trust="person")
    assert timeline(memory) == timeline(without)


def test_19_accepting_equals_saying_it_then(fresh):
    memory = fresh(schema={"attributes": {"city": {"min_trust": "person"}}})
    say(memory, "A@1", trust="person")
    held = say(memory, "B@5", trust="document", confidence=0.5)
    assert held.outcome == "pending_review"
    say(memory, "C@9", trust="person")
    done = memory.review.accept(held.memory.memory_id)
    assert done.outcome == "superseded"
    assert timeline(memory) == "A[1,5) B[5,9) C[9,)"
    assert answer(memory, 6).startswith("B")
    assert memory.current(**KEY, as_of=at(6)).trust == "reviewer"


@LAW
@given(
    said=st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3, unique=True),
    kept=st.lists(st.sampled_from(["a", "b", "c"]), max_size=2, unique=True),
)
def test_20_replace_and_late_members_in_either_order(fresh, said, kept):
    schema = {"attributes": {"city": {"cardinality": "multi"}}}
    first, second = fresh(schema=schema), fresh(schema=schema)
    members = [dict(KEY, value=v, valid_from=at(n + 1)) for n, v in enumerate(said)]
    instead = dict(KEY, value=kept, mode="replace", valid_from=at(10))
    for request in (*members, instead):
        first.write(**request)
    for request in (instead, *members):
        second.write(**request)
    for when in (0, 1, 2, 3, 5, 10, 20):
        sets = [
            {r.value for r in m.current(**KEY, as_of=at(when))} for m in (first, second)
        ]  # fmt: skip
        assert sets[0] == sets[1]
    assert {r.value for r in first.current(**KEY, as_of=at(20))} == set(kept)


@LAW
@given(steps=st.lists(st.integers(-5, 5), min_size=1, max_size=6))
def test_21_however_the_clock_steps_the_last_write_is_current(fresh, steps):
    clock = FakeClock(NOW)
    memory = fresh(clock=clock)
    for n, step in enumerate(steps):
        clock.advance(seconds=step)
        memory.write(**KEY, value=f"V{n}")
        assert memory.current(**KEY).value == f"V{n}"
        assert memory.current("mira")["city"].value == f"V{n}"
    rows = [r.created_at for r in memory.list(include="history") if r.recorded_to is None]
    assert sorted(set(rows)) == sorted(rows)


@LAW
@given(line=lines(), prefix=st.integers(1, 7))
def test_22_rerunning_a_prefix_of_an_episode_changes_nothing(fresh, line, prefix):
    memory = fresh()
    episode = memory.capture("all of it", occurred_at=at(0))
    first = tell(memory, " ".join(line), source_episode_id=episode.id)
    before = memory.history(**KEY), [r.to_dict() for r in memory.list()]
    again = tell(memory, " ".join(line[:prefix]), source_episode_id=episode.id)
    assert (memory.history(**KEY), [r.to_dict() for r in memory.list()]) == before
    assert [r.outcome for r in again] == [r.outcome for r in first[:prefix]]


def test_23_threads_form_one_line_of_supersedes(fresh):
    memory = fresh()
    errors: list[BaseException] = []

    def write(n: int) -> None:
        try:
            memory.write(**KEY, value=f"V{n}")
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert errors == []
    rows = [r for r in memory.history(**KEY) if r.recorded_to is None]
    assert len({r.value for r in rows}) == 20
    links = [(r.supersedes_memory_id, r.memory_id) for r in rows]
    assert links[0][0] is None
    assert all(before[1] == after[0] for before, after in itertools.pairwise(links))
    assert memory.current(**KEY).memory_id == links[-1][1]


@LAW
@given(line=lines())
def test_24_both_engines_give_equal_rows(tmp_path_factory, line):
    told = []
    for path in (":memory:", tmp_path_factory.mktemp("rows") / "a.db"):
        memory, _ = opened(path)
        tell(memory, " ".join(line))
        told.append(
            [
                (r.value, r.valid_from, r.valid_to, r.recorded_from, r.recorded_to, r.status)
                for r in memory.history(**KEY)
            ]
        )
        memory.close()
    assert told[0] == told[1]


@LAW
@given(line=lines(), more=st.lists(words(), max_size=4))
def test_a_plain_change_gives_what_the_general_rules_give(fresh, line, more):
    """A write that names what it expects takes the general way; without it, the plain one."""
    told = []
    for general in (False, True):
        memory = fresh(clock=FakeClock(NOW))
        results = []
        for word in [*line, *more]:
            named = {}
            if general and not word.startswith(("none", "end")):
                start = at(float(word.replace("[", "@").partition("@")[2].partition(",")[0]))
                there = memory.current(**KEY, as_of=start)
                named = {} if there is None else {"expect": there.memory_id}
            results.append(say(memory, word, **named))
        rows = [r.to_dict() for r in memory.history(**KEY)]
        quick = memory.current(**KEY)
        told.append(unnamed([r.to_dict() for r in results], rows, quick and quick.to_dict()))
    assert told[0] == told[1]


def unnamed(*rows) -> str:
    """Write rows out with ids in the order in which they first come."""
    text = json.dumps(rows)
    for number, id in enumerate(dict.fromkeys(re.findall(r"mem_\w+", text))):
        text = text.replace(id, f"m{number}")
    return text
