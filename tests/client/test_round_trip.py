"""``from_dict`` gives back what ``to_dict`` wrote, through JSON, with nothing lost."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vigent
from vigent import Memory
from vigent.domain import aliases, blocks, episodes, messages, query, records, results, threads
from vigent.domain.state import State
from vigent.errors import UnavailableError, VigentError
from vigent.testing import FakeClock

NOW = "2026-06-01T00:00:00Z"
TEXTS = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=30).filter(str.strip)
PLAIN = st.integers(-(10**40), 10**40) | st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = PLAIN | st.decimals(-(10**30), 10**30, allow_nan=False, allow_infinity=False)
ZONES = st.timezones()


def documents(numbers):
    """JSON whose numbers are of these."""
    return st.recursive(
        st.one_of(st.none(), st.booleans(), numbers, TEXTS),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
        max_leaves=8,
    )


JSON = documents(NUMBERS)
# Metadata are read back as plain JSON and take only numbers that a float holds.
METADATA = st.dictionaries(TEXTS, documents(PLAIN), max_size=3)
VALUES = st.one_of(
    TEXTS, st.booleans(), NUMBERS, st.dates(),
    st.datetimes(dt.datetime(2, 1, 1), dt.datetime(9998, 1, 1), timezones=st.just(dt.UTC)),
    st.timedeltas(dt.timedelta(days=-10**6), dt.timedelta(days=10**6)),
    st.lists(JSON, max_size=3), st.dictionaries(TEXTS, JSON, max_size=3),
)  # fmt: skip


def again(one):
    """The same, sent as JSON and read back."""
    return type(one).from_dict(json.loads(json.dumps(one.to_dict())))


def public(one) -> dict[str, object]:
    """Everything that can be read of it."""
    names = [name for name in dir(type(one)) if not name.startswith("_")]
    found = {name: getattr(one, name) for name in names}
    return {name: value for name, value in found.items() if not callable(value)}


def same(one) -> None:
    back = again(one)
    assert back.to_dict() == one.to_dict()
    assert type(back) is type(one)
    if isinstance(one, State):
        assert dict(back) == dict(one)
    ignored = {"row", "place", "content"}
    if isinstance(one, query.SearchAnswer) and not one.explained:
        # The parts of the scores are written where they were asked for.
        one = replace(one, hits=tuple(replace(hit, parts={}) for hit in one.hits))
    mine, theirs = public(one), public(back)
    assert {n: v for n, v in theirs.items() if n not in ignored} == {
        n: v for n, v in mine.items() if n not in ignored
    }


@pytest.fixture(scope="module")
def memory():
    schema = {
        "attributes": {
            "allergy": {"cardinality": "multi"}, "size": {"kind": "enum", "enum": ["big", "small"]},
            "boss": "entity",
        },
        "types": {"fact": {"half_life_days": 7}},
    }  # fmt: skip
    with Memory.open(":memory:", schema=schema, clock=FakeClock(NOW), embedder="none") as opened:
        yield opened


@settings(deadline=None, max_examples=300)
@given(value=VALUES)
def test_a_value_of_any_kind(memory, value):
    done = memory.write(subject="mira", attribute="x", value=value)
    same(done)
    record = done.memory
    back = records.Record.from_dict(json.loads(json.dumps(record.to_dict())))
    assert back == record
    assert (type(back.value), back.value) == (type(record.value), record.value)
    assert back.content[3] == record.content[3], "the text that is stored"


@settings(deadline=None, max_examples=100)
@given(
    text=TEXTS,
    metadata=METADATA,
    confidence=st.floats(0, 1),
    start=st.datetimes(dt.datetime(2020, 1, 1), dt.datetime(2026, 1, 1), timezones=ZONES),
    person=st.none() | st.just("p1"),
)
def test_a_record_in_free_text(memory, text, metadata, confidence, start, person):
    try:
        done = memory.write(
            type="commitment", text=text, metadata=metadata, confidence=confidence,
            valid_from=start, due="2026-12-01", person=person,
        )  # fmt: skip
    except vigent.VigentError:
        return  # not a text that memory takes
    for record in (done.memory, memory.get(done.memory.memory_id, person=person)):
        same(record)
        back = again(record)
        assert (back.due, back.state) == (record.due, record.state)
        assert back.effective_confidence == record.effective_confidence
        assert back.reaches(0.5) == record.reaches(0.5)


@settings(deadline=None, max_examples=100)
@given(state=st.dictionaries(TEXTS, JSON, max_size=4), metadata=METADATA)
def test_the_state_of_a_thread(memory, state, metadata):
    thread = memory.threads.create(metadata=metadata)
    empty, done = memory.threads.state(thread), memory.threads.set_state(thread, state)
    for one in (thread, empty, done):
        same(one)
    assert again(empty) == empty
    assert again(done) == done
    assert again(done).document == done.document


def everything(memory):
    """One of every answer."""
    episode = memory.capture("Mira is allergic to nuts", external_id="x1", speaker="Mira")
    made = memory.write(
        subject="mira", attribute="allergy", value="nuts", source_episode_id=episode.id,
        quote="allergic to nuts", valid_from="2026-01-01T00:00:00Z",
    ).memory  # fmt: skip
    memory.write(subject="mira", attribute="city", value="Porto", valid_from="2026-02-01T00:00Z")
    yield memory.write(subject="mira", attribute="city", value="Braga")
    yield memory.write(subject="mira", attribute="size", value="big").memory
    yield memory.write(subject="mira", attribute="boss", value="Ana Sá").memory
    yield episode
    yield memory.provenance(made.memory_id)
    yield memory.visibility(made.memory_id)
    yield memory.current("mira")
    yield memory.current("nobody")
    yield from memory.history("mira", "city")
    yield from memory.diff(since="2026-01-31T00:00:00Z", until="2026-06-02T00:00:00Z")
    thread = memory.threads.create("p1", "helper", {"a": 1})
    yield thread
    yield memory.threads.set_state(thread, {"step": 1})
    yield memory.threads.append(thread, "where does Mira live?", role="user")
    yield memory.threads.append(thread, "look", kind="tool_call", sealed=True, agent="a")
    yield memory.threads.append(thread, "Braga", role="tool")
    for explain in (False, True):
        for include in ("current", "history", "episodes"):
            found = memory.search("where does Mira live", include=include, explain=explain)
            yield found
            yield found.plan
            yield found.index
    yield memory.search("where was Mira two weeks ago?")
    answer = memory.context(thread=thread, system_prompt="Be brief")
    yield answer
    yield answer.trace
    yield from answer.messages
    yield messages.Message("tool_call", "look")
    yield memory.blocks.set("persona", "calm")
    joined = memory.alias("Mirka", of="mira")
    yield joined
    yield joined.alias
    yield memory.alias.remove("Mirka")
    yield memory.alias.remove("Mirka")
    yield memory.alias.names("mira")
    yield memory.write(subject="mira", attribute="mood", value="fine", trust="document",
                       confidence=0.2)  # fmt: skip
    yield from memory.review.list()
    yield memory.erase_person("p1", dry_run=True)
    yield memory.forget(made.memory_id)


def test_every_answer(memory):
    seen = set()
    for one in everything(memory):
        same(one)
        seen.add(type(one))
    modules = (aliases, blocks, episodes, messages, query, records, results, threads)
    every = {
        cls
        for module in modules
        for cls in vars(module).values()
        if isinstance(cls, type) and cls.__module__ == module.__name__ and hasattr(cls, "to_dict")
    }
    inner = {query.Hit, query.TimeWords, episodes.Evidence, results.ReviewItem}
    assert every - seen - inner == set()


def test_an_error_and_one_of_a_newer_service():
    for kind in (vigent.errors.NotFound, vigent.errors.StoreBusy, vigent.errors.AlreadyCorrected):
        error = VigentError.from_dict(kind("said").to_dict())
        assert (type(error), error.message, error.field) == (kind, "said", None)
    told = {"code": "full_moon", "category": "unavailable", "field": "x", "message": "wait"}
    error = VigentError.from_dict(told, retry_after=7)
    assert isinstance(error, UnavailableError)
    assert (error.code, error.retry_after) == ("full_moon", 7)
    assert error.to_dict() == told


def test_a_number_beyond_floats_inside_json(memory):
    value = {"n": Decimal("0.1000000000000000000000000001"), "t": "0.1", "i": 10**30}
    record = memory.write(subject="mira", attribute="n", value=value).memory
    assert again(record).value == value
    assert type(again(record).value["n"]) is Decimal
