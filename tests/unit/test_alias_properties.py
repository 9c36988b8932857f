"""The law of aliases: joined subjects read as if all had been said of one, and part again."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.timelines import KEY, NOW, answer, say, timeline
from tests.unit.saidwords import words
from vigent import Memory
from vigent.testing import FakeClock

LAW = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
NAMES = ("mira", "Mira Lindt")
SCHEMA = {"attributes": {"langs": {"cardinality": "multi"}}}
BEGUN = dt.datetime.fromisoformat(NOW)


@pytest.fixture(params=["inmemory", "sqlite"])
def fresh(request, tmp_path):
    """A maker of empty memories that share no clock."""
    made: list[Memory] = []

    def make() -> Memory:
        path = ":memory:" if request.param == "inmemory" else tmp_path / f"{len(made)}.db"
        made.append(Memory.open(path, clock=FakeClock(NOW), schema=SCHEMA))
        return made[-1]

    yield make
    for memory in made:
        memory.close()


def told(memory: Memory, n: int, act: str, word: str, **where):
    """Say the n-th thing, a minute after the one before."""
    memory._pipeline.context.clock.set(BEGUN + dt.timedelta(minutes=n))
    if act == "say":
        return say(memory, word, **where)
    if act == "fix":
        return say(memory, word, mode="correction", **where)
    return say(memory, word, mode="correction", **where)


def shape(records) -> list[tuple]:
    return sorted(
        (r.value, r.valid_from, r.valid_to or dt.datetime.max.replace(tzinfo=dt.UTC))
        for r in records
    )


def life(memory: Memory, **where) -> list[tuple]:
    """Every stretch ever believed of a key, by both times."""
    return [
        (r.value, r.valid_from, r.valid_to, r.recorded_from, r.recorded_to)
        for r in memory.history(**{**KEY, **where})
    ]


plain = st.tuples(st.just("say"), words(), st.booleans())
fixes = st.tuples(st.just("fix"), words(), st.booleans())
acts = st.lists(st.one_of(plain, plain, plain, fixes), min_size=1, max_size=8)


@LAW
@given(done=st.lists(plain, min_size=1, max_size=8), days=st.lists(st.integers(0, 41)))
def test_what_was_said_apart_reads_as_one(fresh, done, days):
    apart, one, never = fresh(), fresh(), fresh()
    for n, (act, word, side) in enumerate(done):
        told(apart, n, act, word, subject=NAMES[side])
        told(one, n, act, word)
        told(never, n, act, word, subject=NAMES[side])
    apart.alias(NAMES[1], of=NAMES[0])
    for name in NAMES:
        assert life(apart, subject=name) == life(one)
        assert timeline(apart, subject=name) == timeline(one)
        found, right = apart.current(name, "city"), one.current(**KEY)
        assert shape([found] if found else []) == shape([right] if right else [])
        for day in days:
            for n in (None, len(done) // 2):
                known = None if n is None else BEGUN + dt.timedelta(minutes=n)
                assert answer(apart, day, known, subject=name) == answer(one, day, known)
    assert apart.check().ok
    apart.alias.remove(NAMES[1])
    for name in NAMES:
        assert life(apart, subject=name) == life(never, subject=name)
        found, right = apart.current(name, "city"), never.current(name, "city")
        assert shape([found] if found else []) == shape([right] if right else [])
    assert apart.check().ok


@LAW
@given(before=st.lists(plain, max_size=4), done=acts)
def test_what_is_said_of_joined_names_is_answered_as_of_one(fresh, before, done):
    joined, one = fresh(), fresh()
    for n, (act, word, side) in enumerate(before):
        told(joined, n, act, word, subject=NAMES[side])
        told(one, n, act, word)
    joined.alias(NAMES[1], of=NAMES[0])
    for n, (act, word, side) in enumerate(done, len(before)):
        found = told(joined, n, act, word, subject=NAMES[side])
        right = told(one, n, act, word)
        assert found.outcome == right.outcome, word
        assert shape(found.ended) == shape(right.ended)
        assert shape([found.memory] if found.memory else []) == shape(
            [right.memory] if right.memory else []
        )
        assert life(joined) == life(one)
        in_force, rightly = joined.current(NAMES[1], "city"), one.current(**KEY)
        assert shape([in_force] if in_force else []) == shape([rightly] if rightly else [])
    assert joined.check().ok
    joined.alias.remove(NAMES[1])
    assert joined.check().ok
    for name in NAMES:
        now = joined.current(name, "city")
        assert shape([now] if now else []) == shape(
            r for r in joined.list(subject=name, attribute="city")
        )


@LAW
@given(done=st.lists(plain, max_size=7))
def test_said_while_joined_it_is_kept_under_its_name(fresh, done):
    joined, never = fresh(), fresh()
    joined.alias(NAMES[1], of=NAMES[0])
    for n, (act, word, side) in enumerate(done):
        told(joined, n, act, word, subject=NAMES[side])
        told(never, n, act, word, subject=NAMES[side])
    joined.alias.remove(NAMES[1])
    for name in NAMES:
        assert life(joined, subject=name) == life(never, subject=name)


MEMBERS = st.tuples(
    st.sampled_from(["write", "retract", "replace", "empty", "never"]),
    st.sampled_from(["de", "en", "pl"]), st.integers(1, 39), st.booleans(),
)  # fmt: skip


def of_set(memory: Memory, n: int, act: str, value: str, start: int, subject: str):
    memory._pipeline.context.clock.set(BEGUN + dt.timedelta(minutes=n))
    where = {"subject": subject, "attribute": "langs"}
    where["valid_from"] = (
        dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=start)
    ).isoformat()
    match act:
        case "write":
            return memory.write(value=value, **where)
        case "retract":
            return memory.retract(value=value, **where)
        case "replace":
            return memory.write(value=[value], mode="replace", **where)
        case "empty":
            return memory.retract(**where)
        case _:
            return memory.retract(value=value, mode="correction", **where)


@LAW
@given(before=st.lists(MEMBERS, max_size=4), done=st.lists(MEMBERS, max_size=5))
def test_sets_of_joined_names_are_one_set(fresh, before, done):
    joined, one = fresh(), fresh()
    for n, (act, value, start, side) in enumerate(before):
        if act != "never":
            of_set(joined, n, act, value, start, NAMES[side])
            of_set(one, n, act, value, start, NAMES[0])
    joined.alias(NAMES[1], of=NAMES[0])
    for n, (act, value, start, side) in enumerate(done, len(before)):
        found = of_set(joined, n, act, value, start, NAMES[side])
        right = of_set(one, n, act, value, start, NAMES[0])
        assert found.outcome == right.outcome
        assert shape(found.ended) == shape(right.ended)
        assert sorted(life(joined, attribute="langs"), key=str) == sorted(
            life(one, attribute="langs"), key=str
        )
        assert shape(joined.current(NAMES[1], "langs")) == shape(one.current(NAMES[0], "langs"))
    assert joined.check().ok
    joined.alias.remove(NAMES[1])
    assert joined.check().ok
