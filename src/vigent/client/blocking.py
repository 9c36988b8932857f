"""The client for threads: a verb blocks until its answer is there."""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable, Iterator
from typing import Any, Concatenate, Final, Generic, ParamSpec, Self, TypeVar

import httpx2

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

__all__ = ["Client", "lost_of", "read_answer"]

V = TypeVar("V")
R = TypeVar("R")
P = ParamSpec("P")

Run = Callable[[Exchange[Any]], Any]
# An idle connection goes before a server lets it go (5 s are usual): what was sent on it just
# then would be lost, and what is not repeatable would not be sent again.
CONNECTIONS: Final = httpx2.Limits(
    max_connections=100, max_keepalive_connections=20, keepalive_expiry=3.0
)
LARGEST: Final = 256 * 1024 * 1024  # bytes of an answer
# Before a connection stands nothing of the request has gone out.
_UNSENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


def lost_of(error: Exception, place: Place) -> Lost:
    """Say that no answer came, in words without secrets."""
    # The cause is left out: it bears the request, and that the key.
    said = place.clean(str(error)) or "no answer"
    return Lost(f"{place.shown}: {type(error).__name__}, {said}", isinstance(error, _UNSENT))


def read_answer(response: httpx2.Response, body: bytes) -> Answer:
    """Give a response as an answer."""
    waits = response.headers.get("retry-after", "")
    seconds = float(waits) if waits.isascii() and waits.isdigit() and len(waits) < 9 else None
    number = response.headers.get("x-request-id", "")
    return Answer(response.status_code, seconds, number, body)


class _Http:
    """Connections to one service; may be used from several threads at once."""

    def __init__(self, place: Place, patience: Patience) -> None:
        self.place = place
        self._patience = patience
        self._http = httpx2.Client(headers=place.headers, limits=CONNECTIONS)

    def run(self, exchange: Exchange[R]) -> R:
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
                time.sleep(step.seconds)
                came = None
            else:
                came = self._sent(step)

    def _sent(self, step: Send) -> Answer | Lost:
        until = time.monotonic() + step.timeout
        method, body = step.request.method, step.request.body
        headers = [(name.encode(), value.encode()) for name, value in step.request.headers]
        url, read = self.place.url(step.request), bytearray()
        try:
            with self._http.stream(
                method, url, content=body, headers=headers, timeout=step.timeout
            ) as response:
                for chunk in response.iter_bytes():
                    read += chunk
                    # The client's own limit is for one read; a service may send a byte at a time.
                    if time.monotonic() > until:
                        raise httpx2.ReadTimeout("the answer took too long")
                    if len(read) > LARGEST:
                        raise httpx2.ReadError("the answer is too large")
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            return lost_of(error, self.place)
        return read_answer(response, bytes(read))

    def stream(self, request: Request) -> Iterator[dict[str, Any]]:
        """Send a request once, and give the events of its answer as they come."""
        headers = [(name.encode(), value.encode()) for name, value in request.headers]
        url, came, read = self.place.url(request), Events(), 0
        try:
            with self._http.stream(
                request.method,
                url,
                content=request.body,
                headers=headers,
                timeout=self._patience.timeout,
            ) as response:
                if response.status_code != 200:
                    raise error_of(read_answer(response, response.read()))
                for part in response.iter_bytes():
                    read += len(part)
                    if read > LARGEST:
                        raise httpx2.ReadError("the answer is too large")
                    yield from came.take(part)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            problem = lost_of(error, self.place).problem
            raise ServiceUnreachable(f"the service gave no answer: {problem}") from None

    def close(self) -> None:
        self._http.close()


class _Part(Generic[V]):
    """Some verbs, and the way on which they are carried out."""

    __slots__ = ("run", "verbs")

    def __init__(self, verbs: V, run: Run) -> None:
        self.verbs = verbs
        self.run = run


def _asks(
    verb: Callable[Concatenate[V, P], Exchange[R]],
) -> Callable[Concatenate[_Part[V], P], R]:
    @functools.wraps(verb)
    def asked(self: _Part[V], *args: P.args, **kwargs: P.kwargs) -> R:
        return self.run(verb(self.verbs, *args, **kwargs))

    return asked


def _streams(
    verb: Callable[Concatenate[V, P], Iterator[Exchange[list[R]]]],
) -> Callable[Concatenate[_Part[V], P], Iterator[R]]:
    """Give what a verb gives page by page; the first page is asked for at once."""

    @functools.wraps(verb)
    def streamed(self: _Part[V], *args: P.args, **kwargs: P.kwargs) -> Iterator[R]:
        pages = verb(self.verbs, *args, **kwargs)
        run: Run = self.run
        first: list[R] = run(next(pages))

        def rows() -> Iterator[R]:
            yield from first
            for page in pages:
                yield from run(page)

        return rows()

    return streamed


class ClientThreads(_Part[ThreadVerbs]):
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


class ClientBlocks(_Part[BlockVerbs]):
    """Always-visible blocks."""

    __slots__ = ()

    set = _asks(BlockVerbs.set)
    get = _asks(BlockVerbs.get)
    list = _asks(BlockVerbs.list)
    replace = _asks(BlockVerbs.replace)
    delete = _asks(BlockVerbs.delete)
    history = _asks(BlockVerbs.history)


class ClientAliases(_Part[AliasVerbs]):
    """Other names of subjects."""

    __slots__ = ()

    __call__ = _asks(AliasVerbs.make)
    remove = _asks(AliasVerbs.remove)
    list = _asks(AliasVerbs.list)
    names = _asks(AliasVerbs.names)


class ClientReview(_Part[ReviewVerbs]):
    """What waits for a person's decision."""

    __slots__ = ()

    list = _asks(ReviewVerbs.list)
    accept = _asks(ReviewVerbs.accept)
    reject = _asks(ReviewVerbs.reject)
    decide = _asks(ReviewVerbs.decide)


class ClientCandidates(_Part[CandidateVerbs]):
    """What models proposed, and what the gate made of it."""

    __slots__ = ()

    list = _asks(CandidateVerbs.list)
    get = _asks(CandidateVerbs.get)
    judge = _asks(CandidateVerbs.judge)


class ClientPersons(_Part[PersonVerbs]):
    """Which entity a person is."""

    __slots__ = ()

    link = _asks(PersonVerbs.link)


def _events(
    verb: Callable[Concatenate[RecordVerbs, P], Request],
) -> Callable[Concatenate[Client, P], Iterator[dict[str, Any]]]:
    """Give the events of the answer to what a verb asks for."""

    @functools.wraps(verb)
    def streamed(self: Client, *args: P.args, **kwargs: P.kwargs) -> Iterator[dict[str, Any]]:
        http = self._http  # pyright: ignore[reportPrivateUsage] - a method of it, but for its place
        return http.stream(verb(self.verbs, *args, **kwargs))

    return streamed


class Client(_Part[RecordVerbs]):
    """The verbs of ``Memory`` over HTTP, on a service of Vigent.

    ``base_url`` is where the service is, without ``/v1``; ``key`` opens it and says which tenant
    is meant; ``store`` is a store of it, by name or id; ``person`` is as for ``Memory.open``.
    With ``subject_token`` every verb is for the person it was minted for, and counts as that
    person's own. Answers are of the same classes, errors too; what was not answered raises
    ServiceUnreachable.

    A request is tried for at most ``timeout`` seconds, and sent again up to ``retries`` times
    where it was cut off or the service says that it cannot serve it now (503, 429), after pauses
    that grow, or that it asks for; all of it takes at most ``deadline`` seconds, twice the
    timeout when it is left out. Each POST has an idempotency key, the same at each try, so that
    nothing is done twice; PUT, PATCH and DELETE are sent again only where the service surely did
    not do them. May be used from several threads at once; connections are kept and used again.
    ``close`` ends it, and so does ``with``.
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
        self.threads = ClientThreads(ThreadVerbs(scope), self._http.run)
        self.blocks = ClientBlocks(BlockVerbs(scope), self._http.run)
        self.alias = ClientAliases(AliasVerbs(scope), self._http.run)
        self.review = ClientReview(ReviewVerbs(scope), self._http.run)
        self.candidates = ClientCandidates(CandidateVerbs(scope), self._http.run)
        self.persons = ClientPersons(PersonVerbs(scope), self._http.run)

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

    def close(self) -> None:
        """Close the connections; no verb can be called after that."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client {self._said}>"
