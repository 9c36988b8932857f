"""The client for event loops: the verbs of ``Client``, to be awaited."""

from __future__ import annotations

import functools
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

import anyio
import httpx2

from vigent.client.blocking import CONNECTIONS, LARGEST, lost_of, read_answer
from vigent.client.conduct import Exchange, Lost, Patience, Send, Wait, conduct
from vigent.client.governing import CandidateVerbs, PersonVerbs, ReviewVerbs
from vigent.client.naming import AliasVerbs, BlockVerbs
from vigent.client.place import Place
from vigent.client.problems import error_of
from vigent.client.records import RecordVerbs
from vigent.client.requests import Scope
from vigent.client.responding import Events
from vigent.client.sessions import ThreadVerbs
from vigent.client.wire import Answer, Request
from vigent.errors import ServiceUnreachable, UnavailableError

__all__ = ["AsyncClient"]

V = TypeVar("V")
R = TypeVar("R")
P = ParamSpec("P")

Run = Callable[[Exchange[Any]], Coroutine[Any, Any, Any]]


class _Http:
    """Connections to one service, for one event loop."""

    def __init__(self, place: Place, patience: Patience) -> None:
        self.place = place
        self._patience = patience
        self._http = httpx2.AsyncClient(headers=place.headers, limits=CONNECTIONS)

    async def run(self, exchange: Exchange[R]) -> R:
        """Carry a verb out."""
        if self._http.is_closed:
            raise UnavailableError("the client is closed")
        steps = conduct(exchange, self._patience, time.monotonic, random.random)
        came: Answer | Lost | None = None
        while True:
            try:
                step = steps.send(came)
            except StopIteration as done:
                return done.value
            if isinstance(step, Wait):
                await anyio.sleep(step.seconds)
                came = None
            else:
                came = await self._sent(step)

    async def _sent(self, step: Send) -> Answer | Lost:
        method, body = step.request.method, step.request.body
        headers = [(name.encode(), value.encode()) for name, value in step.request.headers]
        url, read = self.place.url(step.request), bytearray()
        try:
            with anyio.fail_after(step.timeout):
                async with self._http.stream(
                    method, url, content=body, headers=headers, timeout=step.timeout
                ) as response:
                    async for chunk in response.aiter_bytes():
                        read += chunk
                        if len(read) > LARGEST:
                            raise httpx2.ReadError("the answer is too large")
        except TimeoutError:
            return Lost(f"{self.place.shown}: the answer took too long", unsent=False)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            return lost_of(error, self.place)
        return read_answer(response, bytes(read))

    async def stream(self, request: Request) -> AsyncGenerator[dict[str, Any]]:
        """Send a request once, and give the events of its answer as they come."""
        headers = [(name.encode(), value.encode()) for name, value in request.headers]
        url, came, read = self.place.url(request), Events(), 0
        try:
            async with self._http.stream(
                request.method,
                url,
                content=request.body,
                headers=headers,
                timeout=self._patience.timeout,
            ) as response:
                if response.status_code != 200:
                    raise error_of(read_answer(response, await response.aread()))
                async for part in response.aiter_bytes():
                    read += len(part)
                    if read > LARGEST:
                        raise httpx2.ReadError("the answer is too large")
                    for event in came.take(part):
                        yield event
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            problem = lost_of(error, self.place).problem
            raise ServiceUnreachable(f"the service gave no answer: {problem}") from None

    async def close(self) -> None:
        await self._http.aclose()


class _Part(Generic[V]):
    """Some verbs, and the way on which they are carried out."""

    __slots__ = ("run", "verbs")

    def __init__(self, verbs: V, run: Run) -> None:
        self.verbs = verbs
        self.run = run


def _asks(
    verb: Callable[Concatenate[V, P], Exchange[R]],
) -> Callable[Concatenate[_Part[V], P], Coroutine[Any, Any, R]]:
    @functools.wraps(verb)
    async def asked(self: _Part[V], *args: P.args, **kwargs: P.kwargs) -> R:
        return await self.run(verb(self.verbs, *args, **kwargs))

    return asked


def _streams(
    verb: Callable[Concatenate[V, P], Iterator[Exchange[list[R]]]],
) -> Callable[Concatenate[_Part[V], P], AsyncIterator[R]]:
    """Give what a verb gives page by page."""

    @functools.wraps(verb)
    async def streamed(self: _Part[V], *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[R]:
        for page in verb(self.verbs, *args, **kwargs):
            for row in await self.run(page):
                yield row

    return streamed


class AsyncClientThreads(_Part[ThreadVerbs]):
    """Conversations in order, and the state of a session."""

    __slots__ = ()

    create = _asks(ThreadVerbs.create)
    get = _asks(ThreadVerbs.get)
    list = _asks(ThreadVerbs.list)
    append = _asks(ThreadVerbs.append)
    items = _asks(ThreadVerbs.items)
    state = _asks(ThreadVerbs.state)
    set_state = _asks(ThreadVerbs.set_state)
    delete = _asks(ThreadVerbs.delete)


class AsyncClientBlocks(_Part[BlockVerbs]):
    """Always-visible blocks."""

    __slots__ = ()

    set = _asks(BlockVerbs.set)
    get = _asks(BlockVerbs.get)
    list = _asks(BlockVerbs.list)
    replace = _asks(BlockVerbs.replace)
    delete = _asks(BlockVerbs.delete)
    history = _asks(BlockVerbs.history)


class AsyncClientAliases(_Part[AliasVerbs]):
    """Other names of subjects."""

    __slots__ = ()

    __call__ = _asks(AliasVerbs.make)
    remove = _asks(AliasVerbs.remove)
    list = _asks(AliasVerbs.list)
    names = _asks(AliasVerbs.names)


class AsyncClientReview(_Part[ReviewVerbs]):
    """What waits for a person's decision."""

    __slots__ = ()

    list = _asks(ReviewVerbs.list)
    accept = _asks(ReviewVerbs.accept)
    reject = _asks(ReviewVerbs.reject)
    decide = _asks(ReviewVerbs.decide)


class AsyncClientCandidates(_Part[CandidateVerbs]):
    """What models proposed, and what the gate made of it."""

    __slots__ = ()

    list = _asks(CandidateVerbs.list)
    get = _asks(CandidateVerbs.get)
    judge = _asks(CandidateVerbs.judge)


class AsyncClientPersons(_Part[PersonVerbs]):
    """Which entity a person is."""

    __slots__ = ()

    link = _asks(PersonVerbs.link)


def _events(
    verb: Callable[Concatenate[RecordVerbs, P], Request],
) -> Callable[Concatenate[AsyncClient, P], AsyncGenerator[dict[str, Any]]]:
    """Give the events of the answer to what a verb asks for."""

    @functools.wraps(verb)
    def streamed(
        self: AsyncClient, *args: P.args, **kwargs: P.kwargs
    ) -> AsyncGenerator[dict[str, Any]]:
        http = self._http  # pyright: ignore[reportPrivateUsage] - a method of it, but for its place
        return http.stream(verb(self.verbs, *args, **kwargs))

    return streamed


class AsyncClient(_Part[RecordVerbs]):
    """``Client`` for asynchronous callers, on asyncio and on trio.

    It has the verbs and the arguments of ``Client``, to be awaited; ``list`` is an asynchronous
    iterator. It belongs to the event loop that first uses it. A verb that is cancelled may have
    been carried out or not.
    """

    __slots__ = (
        "_http", "_said", "alias", "blocks", "candidates", "persons", "review", "threads",
    )  # fmt: skip

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        store: str = "default",
        person: str | None = None,
        timeout: float = 30.0,
        retries: int = 3,
        deadline: float | None = None,
        subject_token: str | None = None,
    ) -> None:
        place = Place(base_url, key, subject_token)
        scope = Scope.of(store, person)
        self._http = _Http(place, Patience.of(timeout, retries, deadline))
        super().__init__(RecordVerbs(scope), self._http.run)
        self._said = f"{place.shown} {store}"
        self.threads = AsyncClientThreads(ThreadVerbs(scope), self._http.run)
        self.blocks = AsyncClientBlocks(BlockVerbs(scope), self._http.run)
        self.alias = AsyncClientAliases(AliasVerbs(scope), self._http.run)
        self.review = AsyncClientReview(ReviewVerbs(scope), self._http.run)
        self.candidates = AsyncClientCandidates(CandidateVerbs(scope), self._http.run)
        self.persons = AsyncClientPersons(PersonVerbs(scope), self._http.run)

    capture = _asks(RecordVerbs.capture)
    write = _asks(RecordVerbs.write)
    write_many = _asks(RecordVerbs.write_many)
    propose = _asks(RecordVerbs.propose)
    retract = _asks(RecordVerbs.retract)
    current = _asks(RecordVerbs.current)
    history = _asks(RecordVerbs.history)
    provenance = _asks(RecordVerbs.provenance)
    visibility = _asks(RecordVerbs.visibility)
    diff = _asks(RecordVerbs.diff)
    search = _asks(RecordVerbs.search)
    context = _asks(RecordVerbs.context)
    list = _streams(RecordVerbs.list)
    get = _asks(RecordVerbs.get)
    update = _asks(RecordVerbs.update)
    forget = _asks(RecordVerbs.forget)
    erase_person = _asks(RecordVerbs.erase_person)
    respond = _asks(RecordVerbs.respond)
    respond_stream = _events(RecordVerbs.respond_stream)
    response = _asks(RecordVerbs.response)

    async def close(self) -> None:
        """Close the connections; no verb can be called after that."""
        await self._http.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncClient {self._said}>"
