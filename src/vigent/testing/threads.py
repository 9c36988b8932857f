"""What every adapter has to do about threads: claims that are part of ``MemoryContract``."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from threading import Thread as Worker
from typing import Any, Final

import pytest

from vigent.domain.threads import ITEM_KINDS, ThreadItem
from vigent.errors import (
    ErasedPerson,
    Forbidden,
    InvalidInput,
    LimitExceeded,
    NotFound,
    ThreadExists,
    UnexpectedVersion,
)
from vigent.memory import Memory
from vigent.testing.clock import FakeClock

__all__ = ["ThreadClaims"]

_FEB: Final = "2026-02-01T00:00:00Z"
_WORKERS: Final = 8


def _said(items: tuple[ThreadItem, ...]) -> list[str | None]:
    return [item.content for item in items]


class ThreadClaims:
    """The claims of threads, asked through the public face of memory."""

    # ------------------------------------------------------------------- items and order

    def test_a_thread_begins_empty(self, memory: Memory) -> None:
        made = memory.threads.create("p1", "helper", {"title": "Trip"}, "t")
        assert (made.id, made.person, made.agent) == ("t", "p1", "helper")
        assert (made.metadata, made.ttl_days, made.last_position) == ({"title": "Trip"}, 90, 0)
        assert memory.threads.get("t", person="p1") == made
        assert memory.threads.items(made) == ()
        assert memory.threads.create().id.startswith("th_")

    def test_items_come_in_the_order_of_capture(self, memory: Memory) -> None:
        thread = memory.threads.create(id="t")
        memory.threads.append(thread, "second", role="user", occurred_at=_FEB)
        memory.threads.append(thread, "first", role="assistant", occurred_at="2026-01-01T00:00Z")
        items = memory.threads.items("t")
        assert _said(items) == ["second", "first"]
        assert [item.position for item in items] == [1, 2]
        assert memory.threads.get("t").last_position == 2

    def test_a_part_of_the_items_may_be_asked_for(self, memory: Memory) -> None:
        thread = memory.threads.create()
        made = [memory.threads.append(thread, f"m{n}", role="user") for n in range(5)]
        ask = memory.threads.items
        assert _said(ask(thread, last=2)) == ["m3", "m4"]
        assert _said(ask(thread, after=made[2].id)) == ["m3", "m4"]
        assert _said(ask(thread, after=made[0], last=2)) == ["m3", "m4"]
        assert ask(thread, after=made[4]) == ()
        assert ask(thread, last=9) == tuple(made)

    def test_threads_are_given_in_the_order_in_which_they_fell_quiet(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        made: list[str] = []
        for n, person in enumerate(("p1", None, "p2")):
            clock.advance(seconds=10)
            made.append(memory.threads.create(person, id=f"t{n}").id)
        clock.advance(seconds=10)
        memory.threads.append("t0", "again", role="user", person="p1")
        storage: Any = getattr(memory, "_storage", None)
        if storage is None:  # a client of a service: no engine
            return
        with storage.snapshot() as snapshot:

            def asked(after: tuple[int, int], until: int, limit: int = 10) -> list[str]:
                found = snapshot.threads_quiet("default", "default", after, until, limit)
                return [row.id for row in found]

            now = clock.now()
            assert asked((0, 0), now) == ["t1", "t2", "t0"]
            assert asked((0, 0), now - 1) == ["t1", "t2"]
            assert asked((0, 0), now, 1) == ["t1"]
            row = snapshot.threads_quiet("default", "default", (0, 0), now, 1)[0]
            assert asked((row.spoken_at, row.no), now) == ["t2", "t0"]

    def test_an_item_of_another_thread_is_no_place_to_go_on_from(self, memory: Memory) -> None:
        memory.threads.create(id="a")
        other = memory.threads.append(memory.threads.create(id="b"), "x", role="user")
        for after in (other.id, memory.capture("alone").id, "ep_none"):
            with pytest.raises(NotFound) as refused:
                memory.threads.items("a", after=after)
            assert refused.value.field == "after"

    def test_an_item_has_its_kind_and_all_that_was_said_of_it(self, memory: Memory) -> None:
        thread = memory.threads.create(person="p1")
        for kind in ITEM_KINDS:
            memory.threads.append(thread, "x", kind=kind)
        memory.threads.append(thread, "x", role="tool")
        kinds = [item.kind for item in memory.threads.items(thread)]
        assert kinds == [*ITEM_KINDS, "tool_result"]
        item = memory.threads.append(
            thread, "hello", role="user", occurred_at=_FEB, speaker="Mira", agent="a1",
            metadata={"location": "Lund"}, sealed=True,
        )  # fmt: skip
        (again,) = memory.threads.items(thread, last=1)
        assert again == item
        assert (again.speaker, again.agent, again.sealed) == ("Mira", "a1", True)
        assert (again.metadata, again.person) == ({"location": "Lund"}, "p1")
        assert again.occurred_at == dt.datetime(2026, 2, 1, tzinfo=dt.UTC)

    @pytest.mark.parametrize(
        "wrong",
        [{}, {"kind": "memo"}, {"role": "robot"}, {"kind": "user", "role": "assistant"}],
    )
    def test_an_item_that_is_none_of_the_kinds_is_refused(
        self, memory: Memory, wrong: dict[str, Any]
    ) -> None:
        memory.threads.create(id="t")
        with pytest.raises(InvalidInput):
            memory.threads.append("t", "x", **wrong)
        assert memory.threads.items("t") == ()

    def test_a_thread_that_is_not_there_takes_no_item(self, memory: Memory) -> None:
        asks: tuple[Callable[[], object], ...] = (
            lambda: memory.threads.append("none", "x", role="user"),
            lambda: memory.threads.get("none"),
            lambda: memory.threads.items("none"),
            lambda: memory.threads.state("none"),
            lambda: memory.threads.set_state("none", {}),
            lambda: memory.threads.delete("none"),
        )
        for ask in asks:
            with pytest.raises(NotFound):
                ask()

    def test_a_captured_thread_springs_into_being(self, memory: Memory) -> None:
        memory.capture("hello", thread="t", person="p1")
        memory.capture("a letter", thread="t", person="p1", kind="mail")
        assert [i.kind for i in memory.threads.items("t", person="p1")] == ["user", "mail"]
        assert [t.person for t in memory.threads.list(person="p1")] == ["p1"]
        memory.threads.append("t", "and more", role="user", person="p1")
        assert memory.threads.get("t", person="p1").last_position == 3

    def test_an_item_captured_again_is_the_first_one(self, memory: Memory) -> None:
        thread = memory.threads.create()
        first = memory.threads.append(thread, "x", role="user", external_id="m1")
        assert memory.threads.append(thread, "y", role="user", external_id="m1") == first
        assert memory.capture("z", external_id="m1").id == first.id
        assert memory.threads.items(thread) == (first,)
        assert memory.threads.get(thread.id).last_position == 1

    def test_there_is_one_thread_of_an_id(self, memory: Memory) -> None:
        memory.threads.create(id="t")
        memory.capture("x", thread="u")
        for id in ("t", "u"):
            with pytest.raises(ThreadExists):
                memory.threads.create(id=id)
        assert memory.threads.create(id="t", person="p1").person == "p1"

    def test_many_who_append_at_once_lose_nothing(self, memory: Memory) -> None:
        thread = memory.threads.create()

        def append(worker: int) -> None:
            for n in range(10):
                memory.threads.append(thread, f"{worker}/{n}", role="user")

        workers = [Worker(target=append, args=(n,)) for n in range(_WORKERS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        items = memory.threads.items(thread)
        assert [item.position for item in items] == list(range(1, 10 * _WORKERS + 1))
        for worker in range(_WORKERS):
            mine = [c for c in _said(items) if c is not None and c.startswith(f"{worker}/")]
            assert mine == [f"{worker}/{n}" for n in range(10)]

    # ----------------------------------------------------------------------------- state

    def test_a_state_rises_with_each_set(self, memory: Memory) -> None:
        thread = memory.threads.create()
        assert (memory.threads.state(thread).version, memory.threads.state(thread).document) == (
            0, {},
        )  # fmt: skip
        first = memory.threads.set_state(thread, {"step": 1, "rate": 0.1})
        assert (first.version, first.document) == (1, {"step": 1, "rate": 0.1})
        exact = Decimal("0.10000000000000000001")
        second = memory.threads.set_state(thread, {"at": exact}, expect=1)
        assert memory.threads.state(thread) == second
        assert (second.version, second.document) == (2, {"at": exact})

    def test_a_lost_update_is_refused(self, memory: Memory) -> None:
        thread = memory.threads.create()
        memory.threads.set_state(thread, {"n": 1}, expect=0)
        with pytest.raises(UnexpectedVersion) as refused:
            memory.threads.set_state(thread, {"n": 2}, expect=0)
        assert refused.value.category == "conflict"
        assert memory.threads.state(thread).document == {"n": 1}

    @pytest.mark.parametrize("state", [None, [1], "x", {"a": float("nan")}, {"a": {1}}])
    def test_a_state_that_is_no_json_object_is_refused(self, memory: Memory, state: Any) -> None:
        thread = memory.threads.create()
        with pytest.raises(InvalidInput):
            memory.threads.set_state(thread, state)
        assert memory.threads.state(thread).version == 0

    def test_a_state_is_at_most_64000_bytes(self, memory: Memory) -> None:
        thread = memory.threads.create()
        memory.threads.set_state(thread, {"a": "x" * 63_992})
        for large in ("x" * 63_993, "é" * 32_000):
            with pytest.raises(LimitExceeded, match="64000"):
                memory.threads.set_state(thread, {"a": large})
        assert memory.threads.state(thread).version == 1

    # ----------------------------------------------------------------------------- scope

    def test_a_person_sees_their_own_threads_and_the_shared(self, memory: Memory) -> None:
        for person in ("p1", None, "p2"):
            thread = memory.threads.create(person, id=f"of {person}")
            memory.threads.append(thread, f"by {person}", role="user")
        assert [t.id for t in memory.threads.list(person="p1")] == ["of p1", "of None"]
        assert [t.id for t in memory.threads.list()] == ["of None"]
        assert _said(memory.threads.items("of None", person="p1")) == ["by None"]
        for person in ("p1", None):
            with pytest.raises(NotFound):
                memory.threads.items("of p2", person=person)

    def test_what_a_person_says_in_a_shared_thread_is_theirs(self, memory: Memory) -> None:
        memory.threads.create(id="room")
        for person in ("p1", "p2"):
            memory.threads.append("room", f"by {person}", role="user", person=person)
        memory.capture("for all", thread="room")
        assert _said(memory.threads.items("room", person="p1")) == ["by p1", "for all"]
        assert _said(memory.threads.items("room", person="p1", last=1)) == ["for all"]
        assert _said(memory.threads.items("room")) == ["for all"]

    def test_a_shared_thread_is_not_a_persons_to_change(self, memory: Memory) -> None:
        memory.threads.create(id="room")
        with pytest.raises(Forbidden):
            memory.threads.set_state("room", {}, person="p1")
        with pytest.raises(Forbidden):
            memory.threads.delete("room", person="p1")

    def test_ones_own_thread_goes_before_the_shared_of_its_name(self, memory: Memory) -> None:
        memory.capture("shared", thread="t")
        memory.threads.create("p1", id="t")
        memory.capture("own", thread="t", person="p1")
        assert _said(memory.threads.items("t", person="p1")) == ["own"]
        assert _said(memory.threads.items("t")) == ["shared"]

    # ------------------------------------------------------------------ deletion, expiry

    def test_a_deleted_thread_leaves_what_was_learned(self, memory: Memory) -> None:
        thread = memory.threads.create(id="t")
        item = memory.threads.append(thread, "I live in Porto", role="user", speaker="Mira")
        memory.threads.set_state(thread, {"secret": "x"})
        done = memory.write(
            subject="mira", attribute="city", value="Porto", source_episode_id=item.id,
            quote="live in Porto",
        )  # fmt: skip
        assert memory.threads.delete(thread) == 1
        with pytest.raises(NotFound):
            memory.threads.items("t")
        assert memory.threads.list() == ()
        assert memory.current("mira", "city").value == "Porto"
        assert done.memory is not None
        (evidence,) = memory.provenance(done.memory.memory_id).evidence
        assert evidence.quote == "live in Porto"
        assert evidence.episode is not None
        assert (evidence.episode.stub, evidence.episode.content) == (True, None)
        assert (evidence.episode.id, evidence.episode.occurred_at) == (item.id, item.occurred_at)
        assert memory.check().ok

    def test_a_thread_made_again_begins_anew(self, memory: Memory) -> None:
        memory.threads.append(memory.threads.create(id="t"), "x", role="user", external_id="m1")
        memory.threads.set_state("t", {"a": 1})
        memory.threads.delete("t")
        thread = memory.threads.create(id="t")
        assert memory.threads.items(thread) == ()
        assert memory.threads.state(thread).version == 0
        again = memory.threads.append(thread, "x", role="user", external_id="m1")
        assert (again.content, again.position) == (None, None)
        assert memory.threads.items(thread) == ()

    def test_past_its_time_a_thread_is_out_of_every_read(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        brief = memory.threads.create(id="brief", ttl_days=2)
        item = memory.threads.append(brief, "I live in Porto", role="user")
        done = memory.write(
            subject="mira", attribute="city", value="Porto", source_episode_id=item.id
        )
        assert done.memory is not None
        clock.advance(days=1)
        memory.threads.append(brief, "and more", role="user")
        clock.advance(days=1)
        assert len(memory.threads.items(brief)) == 2
        clock.advance(days=1)
        for _ in range(2):
            assert memory.threads.list() == ()
            for ask in (memory.threads.get, memory.threads.items, memory.threads.state):
                with pytest.raises(NotFound):
                    ask("brief")
            with pytest.raises(NotFound):
                memory.threads.append("brief", "x", role="user")
            (evidence,) = memory.provenance(done.memory.memory_id).evidence
            assert evidence.episode is not None
            assert evidence.episode.stub
            memory.sweep()
        assert memory.current("mira", "city").value == "Porto"

    def test_what_names_a_thread_past_its_time_begins_a_new_one(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        for id in ("a", "b"):
            memory.threads.create(id=id, ttl_days=1)
            memory.threads.append(id, "old", role="user")
            memory.threads.set_state(id, {"old": True})
        clock.advance(days=2)
        memory.capture("new", thread="a")
        memory.threads.create(id="b")
        assert _said(memory.threads.items("a")) == ["new"]
        assert memory.threads.items("b") == ()
        assert [memory.threads.state(id).version for id in ("a", "b")] == [0, 0]
        assert memory.sweep() == 0
        assert _said(memory.threads.items("a")) == ["new"]

    def test_an_old_item_of_a_thread_is_a_stub_in_its_place(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        memory.capture("old", thread="t")
        clock.advance(days=60)
        memory.capture("new", thread="t")
        clock.advance(days=60)
        for _ in range(2):
            items = memory.threads.items("t")
            assert [(i.position, i.content, i.stub) for i in items] == [
                (1, None, True), (2, "new", False),
            ]  # fmt: skip
            memory.sweep()

    def test_an_erased_person_has_no_threads_left(self, memory: Memory, clock: FakeClock) -> None:
        memory.threads.create(id="room")
        for person in ("p1", "p2"):
            thread = memory.threads.create(person, id="t")
            memory.threads.append(thread, f"of {person}", role="user")
            memory.threads.set_state(thread, {"of": person})
            memory.threads.append("room", f"by {person}", role="user", person=person)
        memory.capture("for all", thread="room")
        plan = memory.erase_person("p1", dry_run=True)
        assert _said(memory.threads.items("t", person="p1")) == ["of p1"]
        receipt = memory.erase_person("p1")
        assert receipt.counts == plan.counts
        named = ("thread", "thread_item", "thread_state", "episode")
        assert [receipt.counts[name] for name in named] == [1, 2, 1, 2]
        assert [t.id for t in memory.threads.list(person="p1")] == ["room"]
        assert _said(memory.threads.items("room", person="p1")) == ["for all"]
        assert _said(memory.threads.items("t", person="p2")) == ["of p2"]
        assert _said(memory.threads.items("room", person="p2")) == ["by p2", "for all"]
        assert memory.threads.state("t", person="p2").document == {"of": "p2"}
        with pytest.raises(ErasedPerson):
            memory.threads.append("room", "old", role="user", occurred_at=_FEB, person="p1")
        clock.advance(seconds=1)
        item = memory.threads.append("room", "new", role="user", person="p1")
        assert item.position == 4
        assert memory.check().ok
