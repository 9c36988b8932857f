"""Asking a model's server by JSON over HTTP: bounded in time and size, and without secrets shown.

``httpx2`` is known here alone. It logs each request with its URL, so a URL with a secret in it
never reaches it: user and password go into a header, and a key in the query is refused.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple, cast
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

import httpx2

from vigent.domain.redaction import without_secrets
from vigent.errors import InvalidInput, ModelUnavailable, ProviderError

__all__ = ["Endpoint", "Exchange", "Refusal"]

_LARGEST: Final = 64 * 1024 * 1024  # bytes of an answer
_SHOWN: Final = 200  # characters of a server's own words in an error
_LONGEST_WAIT: Final = 20.0  # seconds between two tries
_AGAIN: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
# What is sent does not suit the server; another text may.
_REFUSED: Final = frozenset({400, 413, 422})
# What some servers answer with where others say 400.
_MAY_REFUSE: Final = frozenset({404, 500, 501, 502, 503})
_SECRET_NAME: Final = re.compile(r"key|token|secret|passw|pwd|sig|auth", re.IGNORECASE)


class Refusal(NamedTuple):
    """The server will not take what was sent; ``reason`` is in its words, without secrets."""

    status: int
    reason: str


class Exchange(NamedTuple):
    """What came back in the end, and how many requests that took."""

    answer: dict[str, Any] | Refusal
    calls: int


class _Reply(NamedTuple):
    status: int
    retry_after: float | None
    request_id: str
    body: bytes


class Endpoint:
    """A server of models at a URL. May be used from several threads; ``close`` ends it.

    ``timeout`` is in seconds, for a try as a whole. A server that is busy, fails or does not
    answer is asked ``attempts`` times at most, after growing pauses that begin with ``backoff``
    seconds or are as long as the server asks for.
    """

    def __init__(
        self, base_url: str, *, api_key: str | None, timeout: float, attempts: int, backoff: float
    ) -> None:
        parts = _checked(base_url)
        self._secrets = (api_key, _plain(parts.password))
        self._auth: httpx2.BasicAuth | None = None
        if parts.username is not None:
            if api_key:
                raise InvalidInput("base_url", "has a user in it, and there is an api_key too")
            self._auth = httpx2.BasicAuth(_plain(parts.username), _plain(parts.password))
        host = parts.netloc.rpartition("@")[2]
        self.shown = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
        """The URL without user, password and query, as errors name it."""
        self._query = parts.query
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        if not all(value.isascii() and value.isprintable() for value in self._headers.values()):
            raise InvalidInput("api_key", "must be printable ASCII")
        self._timeout = timeout
        self._attempts = attempts
        self._backoff = backoff
        self._client: httpx2.Client | None = None
        self._lock = threading.Lock()

    def post(
        self,
        path: str,
        body: dict[str, Any],
        *,
        timeout: float | None = None,
        attempts: int | None = None,
    ) -> dict[str, Any] | Refusal:
        """Send JSON and give the JSON object that comes back, or that it was refused.

        Raises ModelUnavailable when there is no answer, or none that is understood.
        """
        try:
            return self.exchange(path, body, timeout=timeout, attempts=attempts).answer
        except ProviderError as error:
            raise ModelUnavailable(error.message, retry_after=error.retry_after) from None

    def exchange(
        self,
        path: str,
        body: dict[str, Any],
        *,
        timeout: float | None = None,
        attempts: int | None = None,
        within: float | None = None,
        refuses: re.Pattern[str] | None = None,
    ) -> Exchange:
        """Do as ``post``, and say how many requests it took.

        ``within`` is in seconds, for all of them and the pauses together. A failure in words
        that ``refuses`` finds is a refusal, and not tried again. Raises ProviderError.
        """
        url = f"{self.shown}/{path}" + (f"?{self._query}" if self._query else "")
        last = attempts or self._attempts
        until = None if within is None else time.monotonic() + within
        for attempt in range(1, last + 1):
            left = timeout or self._timeout
            if until is not None:
                left = min(left, max(until - time.monotonic(), 0.001))
            status = None
            try:
                reply = self._once(url, body, left)
            except (httpx2.HTTPError, httpx2.StreamError) as error:
                # Its own words may hold the URL of a proxy with its password.
                said = self._clean(str(error)) or "no answer"
                problem = f"{type(error).__name__}, {said}"
                wait = self._pause(attempt, None)
            else:
                problem, status = self._told(reply), reply.status
                if refuses and reply.status in _MAY_REFUSE and refuses.search(problem):
                    return Exchange(Refusal(reply.status, problem), attempt)
                if reply.status not in _AGAIN:
                    return Exchange(self._understood(reply, attempt), attempt)
                wait = self._pause(attempt, reply.retry_after)
            late = until is not None and time.monotonic() + wait >= until
            if attempt == last or wait > _LONGEST_WAIT or late:
                # The cause is left out: tracebacks of clients show more than their messages.
                tries = f"({attempt} tries)"
                raise _failed(
                    f"{self.shown} could not be asked {tries}: {problem}", attempt, status,
                    retry_after=max(wait, 1.0),
                ) from None  # fmt: skip
            time.sleep(wait)
        raise _failed(f"{self.shown} was not asked: attempts must be at least 1", 0, None)

    async def events(
        self, path: str, body: dict[str, Any], *, within: float
    ) -> AsyncGenerator[dict[str, Any]]:
        """Send JSON and give the JSON objects of the stream that comes back, as they come.

        Each stream has a connection of its own, which closing the generator ends. What fails
        before anything came is tried again as in ``exchange``; ``within`` is in seconds, for all
        of it. Raises ProviderError, with the status where the server will not take it.
        """
        url = f"{self.shown}/{path}" + (f"?{self._query}" if self._query else "")
        until = asyncio.get_running_loop().time() + within
        headers = {**self._headers, "Accept": "text/event-stream"}
        async with httpx2.AsyncClient(
            headers=headers, auth=self._auth, timeout=self._timeout
        ) as client:
            attempt = 0
            while True:
                attempt += 1
                begun = False
                try:
                    async with asyncio.timeout_at(until):
                        request = client.build_request("POST", url, json=body)
                        response = await client.send(request, stream=True)
                    async with _closing(response):
                        async for event in self._streamed(response, until, attempt):
                            begun = True
                            yield event
                except _Again as again:
                    problem, status, asked = again.args
                except (httpx2.HTTPError, httpx2.StreamError, TimeoutError) as error:
                    said = self._clean(str(error)) or "no answer"
                    problem, status, asked = f"{type(error).__name__}, {said}", None, None
                else:
                    return
                wait = self._pause(attempt, asked)
                late = asyncio.get_running_loop().time() + wait >= until
                if begun or attempt >= self._attempts or wait > _LONGEST_WAIT or late:
                    raise _failed(
                        f"{self.shown} could not be asked ({attempt} tries): {problem}", attempt,
                        status, retry_after=max(wait, 1.0),
                    ) from None  # fmt: skip
                await asyncio.sleep(wait)

    async def _streamed(
        self, response: httpx2.Response, until: float, attempt: int
    ) -> AsyncIterator[dict[str, Any]]:
        """Give the objects of one answer; raises _Again for what may be tried again."""
        kind = response.headers.get("content-type", "")
        if response.status_code != 200 or "event-stream" not in kind:
            async with asyncio.timeout_at(until):
                whole = bytearray()
                async for chunk in response.aiter_bytes():
                    whole += chunk
                    if len(whole) > _LARGEST:
                        raise httpx2.ReadError("the answer is too large")
            reply = _Reply(
                response.status_code, _seconds(response.headers.get("retry-after")),
                response.headers.get("x-request-id", ""), bytes(whole),
            )  # fmt: skip
            if reply.status in _AGAIN:
                raise _Again(self._told(reply), reply.status, reply.retry_after)
            found = self._understood(reply, attempt)
            if isinstance(found, Refusal):
                told = f"the server refuses this: {found.reason}"
                raise _failed(told, attempt, found.status, final=True)
            yield found
            return
        async for line in _lines(response, until):
            if not line.startswith(b"data:"):
                continue
            data = line[5:].strip()
            if data == b"[DONE]":
                return
            found = _json(data)
            if not isinstance(found, dict):
                raise _failed(f"{self.shown} streams what is no JSON", attempt, 200)
            event = cast("dict[str, Any]", found)
            if event.get("error"):
                raise _failed(f"{self.shown} failed: {self._clean(_words(data))}", attempt, 200)
            yield event

    def close(self) -> None:
        """Close its connections; the next request opens new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _once(self, url: str, body: dict[str, Any], timeout: float) -> _Reply:
        until = time.monotonic() + timeout
        with self._lock:
            if self._client is None:
                self._client = httpx2.Client(headers=self._headers, auth=self._auth)
            client = self._client
        content = json.dumps(body, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        with client.stream(
            "POST", url, content=content, headers=headers, timeout=timeout
        ) as response:
            read = bytearray()
            for chunk in response.iter_bytes():
                read += chunk
                # The client's own limit is for one read; a server may send a byte at a time.
                if time.monotonic() > until:
                    raise httpx2.ReadTimeout("the answer took too long")
                if len(read) > _LARGEST:
                    raise httpx2.ReadError("the answer is too large")
        return _Reply(
            response.status_code,
            _seconds(response.headers.get("retry-after")),
            response.headers.get("x-request-id", ""),
            bytes(read),
        )

    def _pause(self, attempt: int, asked: float | None) -> float:
        if asked is not None:
            return asked
        # Spread, so that many who failed together do not come back together.
        return min(_LONGEST_WAIT, self._backoff * 2 ** (attempt - 1) * random.uniform(0.75, 1.25))  # noqa: S311

    def _understood(self, reply: _Reply, attempt: int) -> dict[str, Any] | Refusal:
        if reply.status in _REFUSED:
            return Refusal(reply.status, self._told(reply))
        problem = f"did not serve this: {self._told(reply)}"
        if reply.status == 200:
            found = _json(reply.body)
            if isinstance(found, dict):
                return cast("dict[str, Any]", found)
            problem = "answered with what is no JSON object"
        raise _failed(f"{self.shown} {problem}", attempt, reply.status, final=reply.status != 200)

    def _told(self, reply: _Reply) -> str:
        """Give status, the server's own words and its number of the request, without secrets."""
        words = self._clean(_words(reply.body))
        number = f", request {self._clean(reply.request_id)}" if reply.request_id else ""
        return f"status {reply.status}{number}" + (f", {words}" if words else "")

    def _clean(self, text: str) -> str:
        # Cut after cleaning: half a secret would not be known for one.
        return " ".join(without_secrets(text[:10_000], self._secrets).split())[:_SHOWN]


class _Again(Exception):
    """What failed before anything came: its words, the status, the pause that is asked for."""


@asynccontextmanager
async def _closing(response: httpx2.Response) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        await response.aclose()


async def _lines(response: httpx2.Response, until: float) -> AsyncIterator[bytes]:
    """Give the lines of a stream; raises TimeoutError when time is over, ReadError for too much."""
    chunks, rest, read = response.aiter_bytes(), b"", 0
    while True:
        # Not around the whole: the time would run out in who reads, not here.
        async with asyncio.timeout_at(until):
            chunk = await anext(chunks, None)
        if chunk is None:
            break
        read += len(chunk)
        if read > _LARGEST:
            raise httpx2.ReadError("the answer is too large")
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line
    if rest:
        yield rest


def _failed(
    message: str,
    calls: int,
    status: int | None,
    *,
    retry_after: float = 1.0,
    final: bool = False,
) -> ProviderError:
    error = ProviderError(message, retry_after=retry_after)
    error.status, error.final = status, final
    error.spent(calls, calls, 0, 0)
    return error


def _checked(base_url: str) -> SplitResult:
    """Give the parts of a URL that can be asked. Errors do not repeat it."""
    try:
        parts = urlsplit(base_url)
        port_is_sound = parts.port is None or parts.port > 0
        httpx2.URL(base_url)  # which is stricter about what a host may be
    except (ValueError, httpx2.InvalidURL):
        raise InvalidInput("base_url", "is no URL") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or not port_is_sound:
        raise InvalidInput("base_url", "must be a URL that begins with http:// or https://")
    if re.search(r"[\s\x00-\x1f\x7f]", base_url):
        raise InvalidInput("base_url", "must not have white space in it")
    if any(_SECRET_NAME.search(name) for name, _ in parse_qsl(parts.query)):
        raise InvalidInput("base_url", "must not hold a key; give it as api_key")
    return parts


def _plain(part: str | None) -> str:
    return unquote(part or "")


def _seconds(header: str | None) -> float | None:
    """Give a Retry-After in seconds; a date, which some send, counts as none."""
    return float(header) if header and re.fullmatch(r"\d{1,6}(\.\d{1,3})?", header) else None


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _words(body: bytes) -> str:
    """Give what an answer says went wrong, in whichever of the usual places it stands."""
    found = _json(body)
    for name in ("error", "message", "detail"):
        if isinstance(found, dict):
            inner = cast("dict[str, Any]", found)
            found = inner.get(name, inner)
    return found if isinstance(found, str) else body[:10_000].decode("utf-8", "replace")
