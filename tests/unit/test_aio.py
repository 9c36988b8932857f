"""AsyncMemory says and does what Memory does, on both event loops, and keeps its threads apart."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time

import anyio
import pytest

from vigent import AsyncMemory, Memory, VigentError
from vigent.crossing import Crossing
from vigent.errors import UnexpectedMemory

NOT_VERBS = {"review", "persons", "threads", "alias", "candidates"}  # parts, mirrored below


def public(of: object) -> set[str]:
    return {name for name in dir(of) if not name.startswith("_")}


def verbs(of: type) -> set[str]:
    return {name for name in public(of) if callable(getattr(of, name))}


def test_every_verb_is_mirrored_with_its_signature_and_words():
    assert verbs(AsyncMemory) == verbs(Memory)
    for name in verbs(AsyncMemory):
        sync, mirror = getattr(Memory, name), getattr(AsyncMemory, name)
        assert inspect.signature(mirror) == inspect.signature(sync), name
        assert inspect.getdoc(mirror) == inspect.getdoc(sync), name
        if name == "list":
            assert inspect.isasyncgenfunction(mirror)
        else:
            assert inspect.iscoroutinefunction(mirror), name


def test_every_verb_of_the_parts_is_mirrored():
    with Memory.open(":memory:") as memory:
        mirror = AsyncMemory(memory)
        for part in NOT_VERBS:
            sync, async_ = type(getattr(memory, part)), type(getattr(mirror, part))
            assert verbs(async_) == verbs(sync)
            for name in verbs(sync):
                ours, theirs = getattr(async_, name), getattr(sync, name)
                assert inspect.signature(ours) == inspect.signature(theirs)
                assert inspect.getdoc(ours) == inspect.getdoc(theirs)
                assert inspect.iscoroutinefunction(ours)


@pytest.mark.parametrize("place", [":memory:", "file"])
def test_a_whole_life_through_the_mirror(place, tmp_path):
    path = place if place == ":memory:" else tmp_path / "aio.db"

    async def live() -> None:
        async with await AsyncMemory.open(str(path), person="mira") as memory:
            episode = await memory.capture("I sit in 1A.", occurred_at="2026-06-01T09:00:00Z")
            first = await memory.write(
                subject="mira", attribute="seat", value="1A", source_episode_id=episode.id
            )
            assert first.memory is not None
            found = await memory.current("mira", "seat")
            assert found is not None
            assert found.value == "1A"
            state = await memory.current("mira")
            assert list(state) == ["seat"]
            results = await memory.write_many(
                {"subject": "mira", "attribute": f"a{n}", "value": str(n)} for n in range(450)
            )
            assert len(results) == 450
            listed = [record.value async for record in memory.list()]
            assert listed == ["1A", *(str(n) for n in range(450))]
            evidence = (await memory.provenance(first.memory.memory_id)).evidence
            assert [each.source_episode_id for each in evidence] == [episode.id]
            assert await memory.review.list() == ()
            assert (await memory.forget(first.memory.memory_id)).forgotten
            assert await memory.current("mira", "seat") is None
            receipt = await memory.erase_person("mira")
            assert receipt.state in {"removed", "purged"}
            assert [record async for record in memory.list()] == []

    asyncio.run(live())


def test_a_list_that_is_left_early_lets_go_of_the_store():
    async def live() -> None:
        async with await AsyncMemory.open(":memory:") as memory:
            for n in range(3):
                await memory.write(subject="a", attribute=f"a{n}", value="x")
            async for record in memory.list():
                assert record.value == "x"
                break
            await memory.write(subject="a", attribute="b", value="y")

    asyncio.run(live())


def test_errors_cross_the_threads_unchanged():
    async def live() -> None:
        async with await AsyncMemory.open(":memory:") as memory:
            await memory.write(subject="a", attribute="b", value="x")
            with pytest.raises(UnexpectedMemory) as caught:
                await memory.write(subject="a", attribute="b", value="y", expect="mem_other")
            assert caught.value.code == "unexpected_memory"
            with pytest.raises(VigentError):
                async for _ in memory.list(status="no such status"):
                    pass

    asyncio.run(live())


def test_parallel_writers_through_the_mirror_form_one_line(tmp_path):
    async def live() -> None:
        async with await AsyncMemory.open(str(tmp_path / "aio.db")) as memory:
            async with anyio.create_task_group() as group:
                for n in range(20):
                    group.start_soon(write_seat, memory, n)
            rows = await memory.history("ira", "seat")
            current = [row for row in rows if row.recorded_to is None and row.valid_to is None]
            assert len(current) == 1
            replaced = [row.supersedes_memory_id for row in rows if row.recorded_to is None]
            assert len(set(replaced)) == len(replaced)

    async def write_seat(memory: AsyncMemory, n: int) -> None:
        await memory.write(subject="ira", attribute="seat", value=f"{n}A")

    asyncio.run(live())


def test_one_memory_serves_one_event_loop_after_another():
    memory = AsyncMemory(Memory.open(":memory:"))

    async def write(value: str) -> None:
        await memory.write(subject="a", attribute="b", value=value)

    async def read() -> str:
        found = await memory.current("a", "b")
        assert found is not None
        return found.value

    asyncio.run(write("x"))
    asyncio.run(write("y"))
    assert asyncio.run(read()) == "y"
    asyncio.run(memory.close())


def test_waiting_writes_do_not_keep_reads_waiting():
    crossing = Crossing(readers=1, writers=1)
    gate = threading.Event()

    async def live() -> float:
        async with anyio.create_task_group() as group:
            for _ in range(10):
                group.start_soon(crossing.write, gate.wait)
            await anyio.sleep(0.01)
            started = time.monotonic()
            assert await crossing.read(lambda: "answer") == "answer"
            took = time.monotonic() - started
            gate.set()
        return took

    assert asyncio.run(live()) < 1


def test_a_write_that_has_begun_is_finished_when_its_caller_is_cancelled():
    crossing = Crossing()
    began, done = threading.Event(), threading.Event()

    def write() -> None:
        began.set()
        time.sleep(0.05)
        done.set()

    async def live() -> None:
        with anyio.move_on_after(0.01):
            await crossing.write(write)
        assert began.is_set()
        assert done.is_set()

    asyncio.run(live())
