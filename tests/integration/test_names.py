"""The names a process keeps between searches: as of now, and of what the store says."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from vigent import Memory
from vigent.read.index import IndexCache
from vigent.read.names import NameCache
from vigent.testing import FakeClock


@pytest.fixture
def clock():
    return FakeClock("2025-01-10T12:00:00Z")


@pytest.fixture
def memory(tmp_path, clock):
    with Memory.open(tmp_path / "a.db", clock=clock, embedder="none") as opened:
        opened.write(subject="s1", attribute="city", value="Lund")
        yield opened


def knows(memory, name):
    return memory.search(f"Where is {name}'s city?").plan.subjects == ("s1",)


def test_a_name_taken_back_is_no_longer_known(memory):
    memory.write(subject="s1", attribute="name", value="Zoltan")
    assert knows(memory, "Zoltan")
    memory.retract(subject="s1", attribute="name")
    assert not knows(memory, "Zoltan")


def test_a_name_is_known_from_when_it_begins_until_it_ends(memory, clock):
    memory.write(subject="s1", attribute="name", value="Zoltan")
    memory.write(
        subject="s1", attribute="name", value="Bertalan", valid_from="2025-02-01T00:00:00Z",
        valid_to="2025-03-01T00:00:00Z",
    )  # fmt: skip
    asked = ("2025-01-31T23:59:59Z", "2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z")
    known = []
    for at in asked:
        clock.set(at)
        known.append((knows(memory, "Zoltan"), knows(memory, "Bertalan")))
    assert known[:2] == [(True, False), (False, True)]
    assert not known[2][1]
    clock.set(asked[0])  # set back, after what was recorded
    assert (knows(memory, "Zoltan"), knows(memory, "Bertalan")) == (True, False)


def test_a_name_that_expires_is_no_longer_known(tmp_path, clock):
    schema = {
        "attributes": {"city": {}, "name": {"retention": "short"}},
        "retention": {"short": 7},
    }
    with Memory.open(tmp_path / "b.db", clock=clock, embedder="none", schema=schema) as memory:
        memory.write(subject="s1", attribute="city", value="Lund")
        memory.write(subject="s1", attribute="name", value="Zoltan")
        assert knows(memory, "Zoltan")
        clock.advance(days=8)
        assert not knows(memory, "Zoltan")


class Reader:
    """Reads the names of a store by caches of its own."""

    def __init__(self, memory):
        self.reading, self.scopes = memory._reading, memory._searcher._scopes
        self.columns, self.names = IndexCache(), NameCache()

    @contextmanager
    def view(self, person=None):
        with self.reading.view(person) as view:
            yield view

    def ask(self, view, person=None):
        scopes = self.scopes(view.plain, person or "")
        with self.columns.scopes(view.plain, self.reading.tenant, scopes, 0) as kept:
            return self.names.of(self.reading, view, person, kept)

    def now(self, person=None):
        with self.view(person) as view:
            return self.ask(view, person)

    def columns_now(self, person=None):
        with self.view(person) as view:
            scopes = self.scopes(view.plain, person or "")
            with self.columns.scopes(view.plain, self.reading.tenant, scopes, 0) as kept:
                return [len(one.corpus) for one in kept]


def meanwhile(call, *args, **fields):
    """Do something in another thread, and wait for it."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call, *args, **fields).result()


@pytest.mark.parametrize("person", [None, "me"])
def test_a_view_older_than_the_passages_in_memory_spoils_nothing(memory, person):
    reader = Reader(memory)
    assert set(reader.now(person).subjects) == {"s1"}
    with reader.view(person) as old:
        assert old.plain.last_passage() == 1
        meanwhile(memory.write, subject="s2", attribute="city", value="Oslo")
        assert meanwhile(reader.columns_now, person)[-1] == 2
        assert set(reader.ask(old, person).subjects) == {"s1"}
    assert set(reader.now(person).subjects) == {"s1", "s2"}


def test_a_view_older_than_a_removal_brings_no_passage_back(memory):
    reader = Reader(memory)
    gone = memory.write(subject="s2", attribute="city", value="Oslo").memory.memory_id
    assert reader.columns_now() == [2]
    with reader.view() as old:
        assert old.plain.last_passage() == 2
        meanwhile(memory.forget, gone)
        assert meanwhile(reader.columns_now) == [1]
        reader.ask(old)
    assert reader.columns_now() == [1]


def test_shared_names_are_read_once_for_all_readers(memory):
    reader = Reader(memory)
    memory.write(subject="s2", attribute="city", value="Oslo", person="ann")
    ann, bob = reader.now("ann"), reader.now("bob")
    assert (set(ann.subjects), set(bob.subjects)) == ({"s1", "s2"}, {"s1"})
    assert ann.subjects["s1"] is bob.subjects["s1"]


def test_a_name_that_is_shared_and_ones_own_is_unresolved(memory):
    memory.write(subject="s1", attribute="name", value="Zoltan")
    memory.write(subject="s2", attribute="name", value="Zoltan", person="ann")
    reader = Reader(memory)
    found = reader.now("ann").index.mentions("Where is Zoltan?")
    assert [one.candidates for one in found.unresolved] == [("s1", "s2")]
    assert reader.now("bob").index.mentions("Where is Zoltan?").subjects == ("s1",)


def test_what_is_forgotten_is_read_anew_and_no_search_under_way_keeps_it(memory):
    reader = Reader(memory)
    first = reader.now()
    assert reader.now() is first
    with reader.view() as view:
        scopes = reader.scopes(view.plain, "")
        with reader.columns.scopes(view.plain, "default", scopes, 0) as kept:
            reader.names.forget("default")
            reader.columns.forget("default")
            assert reader.names.of(reader.reading, view, None, kept) is not first
            with reader.columns.scopes(view.plain, "default", scopes, 0) as anew:
                assert anew[0] is not kept[0]
    other = reader.now()
    assert other.subjects == first.subjects


def test_a_name_that_is_only_said_again_reads_nothing_else_anew(memory):
    memory.write(subject="s1", attribute="name", value="Zoltan")
    reader = Reader(memory)
    first = reader.now()
    memory.write(subject="s1", attribute="name", value="Zoltan")
    again = reader.now()
    assert again.subjects is first.subjects
    assert reader.now() is again
