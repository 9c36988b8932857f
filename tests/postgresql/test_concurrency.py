"""Many write to one tenant at once, and what they leave is what one after another would."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from vigent import Memory
from vigent.domain.time import iso
from vigent.errors import StoreBusy
from vigent.system import SystemClock

CLIENTS, WRITES, KEYS = 8, 25, 5


def again(write):
    """Write until it is in; who comes second at the same moment is told to try again."""
    for _ in range(50):
        try:
            return write()
        except StoreBusy:
            continue
    raise AssertionError("it was never in")


def together(number: int, what) -> list:
    start = threading.Barrier(number)

    def one(n: int):
        start.wait()
        return what(n)

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(one, range(number)))


def test_writers_on_few_keys_lose_and_double_nothing(memory_at):
    memories = [memory_at() for _ in range(CLIENTS)]

    def write(n: int) -> list[str]:
        return [
            again(
                lambda i=i: memories[n].write(
                    subject=f"s{i % KEYS}", attribute="a", value=f"{n}-{i}"
                )
            ).memory.memory_id
            for i in range(WRITES)
        ]

    ids = [id for part in together(CLIENTS, write) for id in part]
    memory = memories[0]
    assert len(set(ids)) == CLIENTS * WRITES
    assert memory.check().ok
    for n in range(KEYS):
        records = memory.history(f"s{n}", "a")
        assert len({r.memory_id for r in records}) == CLIENTS * WRITES // KEYS
        open_now = [r for r in records if r.recorded_to is None]
        spans = sorted((r.valid_from, r.valid_to) for r in open_now)
        assert all(a[1] == b[0] for a, b in pairwise(spans))
        recorded = sorted(r.recorded_from for r in records)
        assert len(recorded) >= len(records)


def test_a_tie_goes_to_who_was_recorded_later(memory_at):
    """Row numbers are handed out in blocks, and yet they rise with the record of each key."""
    memories = [memory_at() for _ in range(4)]
    instant = "2026-05-01T00:00:00Z"

    def write(n: int) -> None:
        for i in range(10):
            again(
                lambda i=i: memories[n].write(
                    subject="s", attribute="a", value=f"{n}-{i}", valid_from=instant
                )
            )

    together(4, write)
    records = memories[0].history("s", "a")
    latest = max(records, key=lambda r: r.recorded_from)
    assert memories[0].current("s", "a").memory_id == latest.memory_id
    assert memories[0].check().ok


def test_the_first_writers_of_a_tenant_share_its_salt(memory_at):
    memories = [memory_at(tenant="new") for _ in range(6)]
    together(6, lambda n: memories[n].write(subject="s", attribute=f"a{n}", value="same"))
    with memories[0]._storage.snapshot() as snapshot:
        tokens = {s.token for _, s in snapshot.statements_from("new", 0, 100)}
    assert len(tokens) == 1


def test_the_same_request_from_many_is_done_once(memory_at):
    memories = [memory_at() for _ in range(6)]

    def write(n: int) -> str:
        return again(
            lambda: memories[n].write(subject="s", attribute="a", value="v", idempotency_key="one")
        ).memory.memory_id

    assert len(set(together(6, write))) == 1
    assert len(memories[0].history("s", "a")) == 1


def test_one_message_captured_by_many_is_one_episode(memory_at):
    memories = [memory_at() for _ in range(6)]
    ids = together(
        6, lambda n: again(lambda: memories[n].capture("hello", external_id="m1", person="p")).id
    )
    assert len(set(ids)) == 1


def test_items_of_a_thread_have_places_of_their_own(memory_at):
    memories = [memory_at() for _ in range(4)]
    together(
        4,
        lambda n: [
            again(lambda i=i: memories[n].capture(f"{n} {i}", thread="t", person="p"))
            for i in range(10)
        ],
    )
    items = memories[0].threads.items("t", person="p", limit=100)
    assert sorted(item.position for item in items) == list(range(1, 41))


def test_batches_beside_single_writes(memory_at):
    memories = [memory_at() for _ in range(4)]

    def write(n: int) -> None:
        items = [
            {"subject": f"s{i}", "attribute": "a", "value": f"{n}-{i}"} for i in range(40)
        ]  # fmt: skip
        if n % 2:
            again(lambda: memories[n].write_many(items, atomic=True))
        else:
            for item in items:
                again(lambda item=item: memories[n].write(**item))

    together(4, write)
    assert memories[0].check().ok
    for i in range(40):
        assert len({r.memory_id for r in memories[0].history(f"s{i}", "a")}) == 4


def test_erasing_beside_writes_leaves_nothing_from_before(memory_at):
    memories = [memory_at() for _ in range(4)]
    memories[0].write(subject="s", attribute="a", value="before", person="p")

    def work(n: int) -> None:
        if n == 0:
            again(lambda: memories[0].erase_person("p"))
            return
        for i in range(10):
            again(
                lambda i=i: memories[n].write(
                    subject=f"s{n}", attribute="a", value=f"{i}", person="p"
                )
            )

    together(4, work)
    assert memories[0].current("s", "a", person="p") is None
    assert memories[0].check().ok


def test_joined_names_are_written_one_after_another(memory_at):
    memories = [memory_at() for _ in range(4)]
    memories[0].write(subject="ann", attribute="a", value="0")
    memories[0].alias("anna", of="ann")

    def write(n: int) -> None:
        for i in range(8):
            again(
                lambda i=i: memories[n].write(
                    subject=("ann", "anna")[(n + i) % 2], attribute="a", value=f"{n}-{i}"
                )
            )

    together(4, write)
    assert memories[0].check().ok
    recorded = [r.recorded_from for r in memories[0].history("ann", "a")]
    assert memories[0].current("anna", "a").recorded_from == max(recorded)


class _Held(SystemClock):
    """Reads the time, and then waits, as a machine that stands still for a moment."""

    def __init__(self) -> None:
        self.read, self.go_on = threading.Event(), threading.Event()

    def now(self) -> int:
        now = super().now()
        self.read.set()
        assert self.go_on.wait(20)
        return now


def test_an_answer_about_a_known_instant_never_changes(memory_at, store_url):
    """A write that had its instant before the question is in the answer, though it ends later."""
    memory = memory_at()
    memory.write(subject="s", attribute="a", value="old")
    clock = _Held()
    clock.go_on.set()
    slow = memory_at(clock=clock)
    slow.write(subject="other", attribute="a", value="x")
    clock.go_on.clear()
    clock.read.clear()
    writing = threading.Thread(
        target=lambda: slow.write(subject="s", attribute="a", value="new")
    )  # fmt: skip
    writing.start()
    assert clock.read.wait(20)
    asked = SystemClock().now()
    known_at = iso(asked)
    answers: list = []
    reading = threading.Thread(
        target=lambda: answers.append(memory.current("s", "a", known_at=known_at))
    )
    reading.start()
    reading.join(0.5)
    assert reading.is_alive(), "it answered before the write had ended"
    clock.go_on.set()
    writing.join(20)
    reading.join(20)
    assert [a.value for a in answers] == ["new"]
    assert memory.current("s", "a", known_at=known_at).value == "new"


def test_a_reader_of_a_known_instant_waits_no_longer_than_it_may(memory_at, store_url):
    with Memory.open(f"{store_url}&pool_timeout=0.5") as impatient:
        impatient.write(subject="s", attribute="a", value="v")
        with memory_at()._storage.transaction("default"), pytest.raises(StoreBusy):
            impatient.current("s", "a", known_at=iso(SystemClock().now()))
