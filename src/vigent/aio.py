"""The same memory for asynchronous callers: each verb of ``Memory``, one thread hop away.

Nothing is written twice: a verb here takes its signature and its words from the one it mirrors.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from itertools import islice
from types import TracebackType
from typing import Any, Concatenate, Final, Generic, ParamSpec, Self, TypeVar

from vigent.aliases import Aliases
from vigent.candidates import Candidates
from vigent.crossing import Crossing
from vigent.memory import Memory
from vigent.parts import Blocks, Persons, Review, Threads
from vigent.searchindex import SearchIndex
from vigent.write.result import WriteResult

__all__ = [
    "AsyncAliases",
    "AsyncBlocks",
    "AsyncCandidates",
    "AsyncMemory",
    "AsyncPersons",
    "AsyncReview",
    "AsyncSearchIndex",
    "AsyncThreads",
]

M = TypeVar("M")
R = TypeVar("R")
P = ParamSpec("P")

_PAGE: Final = 200


class _Mirror(Generic[M]):
    """Stands in for a synchronous object: ``mirrored`` is that, ``crossing`` the way to it."""

    __slots__ = ("crossing", "mirrored")

    def __init__(self, mirrored: M, crossing: Crossing) -> None:
        self.mirrored = mirrored
        self.crossing = crossing


def _reads(
    verb: Callable[Concatenate[M, P], R],
) -> Callable[Concatenate[_Mirror[M], P], Coroutine[Any, Any, R]]:
    @functools.wraps(verb)
    async def hop(self: _Mirror[M], *args: P.args, **kwargs: P.kwargs) -> R:
        call = functools.partial(verb, self.mirrored, *args, **kwargs)
        return await self.crossing.read(call)

    return hop


def _writes(
    verb: Callable[Concatenate[M, P], R],
) -> Callable[Concatenate[_Mirror[M], P], Coroutine[Any, Any, R]]:
    @functools.wraps(verb)
    async def hop(self: _Mirror[M], *args: P.args, **kwargs: P.kwargs) -> R:
        def call() -> R:
            result = verb(self.mirrored, *args, **kwargs)
            if isinstance(result, WriteResult):
                for record in result.ended:
                    _ = record.supersedes_memory_id  # looked up here, not on the event loop
            return result

        return await self.crossing.write(call)

    return hop


def _streams(
    verb: Callable[Concatenate[M, P], Iterator[R]],
) -> Callable[Concatenate[_Mirror[M], P], AsyncIterator[R]]:
    """Mirror an iterator: a page of it is fetched at each hop."""

    @functools.wraps(verb)
    async def stream(self: _Mirror[M], *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[R]:
        call = functools.partial(verb, self.mirrored, *args, **kwargs)
        rows = await self.crossing.read(call)
        page = functools.partial(_next_page, rows)
        while found := await self.crossing.read(page):
            for row in found:
                yield row

    return stream


def _next_page(rows: Iterator[R]) -> tuple[R, ...]:
    return tuple(islice(rows, _PAGE))


def _opens(
    verb: Callable[P, Memory],
) -> Callable[Concatenate[type[AsyncMemory], P], Coroutine[Any, Any, AsyncMemory]]:
    # The function behind the bound class method: its signature has a place for the class.
    @functools.wraps(getattr(verb, "__func__", verb))
    async def opened(cls: type[AsyncMemory], *args: P.args, **kwargs: P.kwargs) -> AsyncMemory:
        crossing = Crossing()
        memory = await crossing.write(functools.partial(verb, *args, **kwargs))
        return cls(memory, crossing)

    return opened


class AsyncReview(_Mirror[Review]):
    """What waits for a person's decision."""

    __slots__ = ()

    list = _reads(Review.list)
    accept = _writes(Review.accept)
    reject = _writes(Review.reject)
    decide = _writes(Review.decide)


class AsyncCandidates(_Mirror[Candidates]):
    """What models propose, and what the gate makes of it."""

    __slots__ = ()

    learn = _writes(Candidates.learn)
    list = _reads(Candidates.list)
    get = _reads(Candidates.get)
    judge = _writes(Candidates.judge)


class AsyncPersons(_Mirror[Persons]):
    """Which entity a person is."""

    __slots__ = ()

    link = _writes(Persons.link)


class AsyncBlocks(_Mirror[Blocks]):
    """Always-visible blocks."""

    __slots__ = ()

    get = _reads(Blocks.get)
    list = _reads(Blocks.list)
    history = _reads(Blocks.history)
    set = _writes(Blocks.set)
    replace = _writes(Blocks.replace)
    delete = _writes(Blocks.delete)


class AsyncAliases(_Mirror[Aliases]):
    """Other names of subjects."""

    __slots__ = ()

    __call__ = _writes(Aliases.__call__)
    remove = _writes(Aliases.remove)
    list = _reads(Aliases.list)
    names = _reads(Aliases.names)


class AsyncThreads(_Mirror[Threads]):
    """Conversations in order, and the state of a session."""

    __slots__ = ()

    get = _reads(Threads.get)
    list = _reads(Threads.list)
    items = _reads(Threads.items)
    state = _reads(Threads.state)
    create = _writes(Threads.create)
    append = _writes(Threads.append)
    set_state = _writes(Threads.set_state)
    delete = _writes(Threads.delete)


class AsyncSearchIndex(_Mirror[SearchIndex]):
    """The words and vectors by which a store is searched."""

    __slots__ = ()

    status = _reads(SearchIndex.status)
    catch_up = _reads(SearchIndex.catch_up)
    rebuild = _writes(SearchIndex.rebuild)


class AsyncMemory(_Mirror[Memory]):
    """``Memory`` for asynchronous callers, on asyncio and on trio.

    ``await AsyncMemory.open(…)``, or ``AsyncMemory(memory)`` around one that is open already.
    A verb that has begun is finished, also when its caller is cancelled. ``list`` is an
    asynchronous iterator.
    """

    __slots__ = ("alias", "blocks", "candidates", "index", "persons", "review", "threads")

    def __init__(self, memory: Memory, crossing: Crossing | None = None) -> None:
        super().__init__(memory, crossing or Crossing())
        self.review = AsyncReview(memory.review, self.crossing)
        self.persons = AsyncPersons(memory.persons, self.crossing)
        self.blocks = AsyncBlocks(memory.blocks, self.crossing)
        self.threads = AsyncThreads(memory.threads, self.crossing)
        self.index = AsyncSearchIndex(memory.index, self.crossing)
        self.alias = AsyncAliases(memory.alias, self.crossing)
        self.candidates = AsyncCandidates(memory.candidates, self.crossing)

    open = classmethod(_opens(Memory.open))

    capture = _writes(Memory.capture)
    write = _writes(Memory.write)
    write_many = _writes(Memory.write_many)
    propose = _writes(Memory.propose)
    retract = _writes(Memory.retract)
    update = _writes(Memory.update)
    forget = _writes(Memory.forget)
    erase_person = _writes(Memory.erase_person)
    sweep = _writes(Memory.sweep)
    check = _writes(Memory.check)
    flush_retrieved = _writes(Memory.flush_retrieved)
    close = _writes(Memory.close)

    current = _reads(Memory.current)
    history = _reads(Memory.history)
    provenance = _reads(Memory.provenance)
    visibility = _reads(Memory.visibility)
    diff = _reads(Memory.diff)
    get = _reads(Memory.get)
    search = _reads(Memory.search)
    concerning = _reads(Memory.concerning)
    context = _reads(Memory.context)
    list = _streams(Memory.list)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
