"""What comes over the wire and is no good request: a problem, of the right code, and soon."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import socket
import time
from typing import NamedTuple

import pytest
from uvicorn import Config

from tests.service.serving import served
from vigent.client.blocking import CONNECTIONS

LIMIT = 20_000


class Said(NamedTuple):
    status: int
    head: str
    body: bytes

    @property
    def code(self):
        assert "content-type: application/problem+json" in self.head, self
        return json.loads(self.body)["code"]


class Wire:
    """Sends bytes to a real server, and reads one answer."""

    def __init__(self, running):
        self.running = running
        self.port = int(running.url.rpartition(":")[2])
        self.index = running.get("/v1/memory/stores").body["stores"][0]["id"]

    def raw(self, data, seconds=20):
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as sock:
            with contextlib.suppress(OSError):  # refused while it was sent: the answer is there
                sock.sendall(data)
            got = b""
            while not _whole(got, head=data.startswith(b"HEAD")):
                part = sock.recv(65536)
                if not part:
                    break
                got += part
        head, _, body = got.partition(b"\r\n\r\n")
        return Said(int(head.split(b" ", 2)[1]), head.decode().lower(), body)

    def ask(self, method, path, body=b"", *headers, key=True, length=True):
        lines = [f"{method} {path} HTTP/1.1".encode("latin-1"), b"Host: 127.0.0.1"]
        lines += [h.encode("latin-1") for h in headers]
        if key:
            lines.append(b"Authorization: Bearer " + self.running.key.encode())
        if length and (body or method == "POST"):
            lines.append(b"Content-Length: %d" % len(body))
        return self.raw(b"\r\n".join([*lines, b"", body]))

    def write(self, body, *headers, length=True):
        kind = () if any(h.lower().startswith("content-type") for h in headers) else (JSON,)
        return self.ask("POST", "/v1/memory", body, *kind, *headers, length=length)

    def body(self, **more):
        return json.dumps({"index_id": self.index, "text": "tea", **more}).encode()


JSON = "Content-Type: application/json"
CHUNKED = "Transfer-Encoding: chunked"


def _whole(got, *, head):
    start, found, rest = got.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", start.lower())
    return bool(found) and (head or (length is not None and len(rest) >= int(length[1])))


def chunks(data, size=4096):
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in parts) + b"0\r\n\r\n"


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    env = {"VIGENT_LIMITS_BODY_BYTES": str(LIMIT), "VIGENT_LIMITS_BODY_SECONDS": "0.7"}
    with served(tmp_path_factory.mktemp("wire"), env=env) as running:
        yield Wire(running)
        assert [line for line in running.logged() if line["level"] == "error"] == []


@pytest.mark.parametrize("where", ["persons/{}", "memory/{}", "agents/a{}b", "stores/{}/state/m",
                                   "stores/default/state/{}", "stores/default/state/{}%2Fa",
                                   "memory?index_id=default&subject={}",
                                   "memory?index_id=default&{}=1"])  # fmt: skip
def test_an_address_that_is_no_text_names_nobody(wire, where):
    """Else %FE and %FF would be one person."""
    for odd in ("%FF", "%ED%A0%80", "%C3"):
        said = wire.ask("GET", "/v1/" + where.format(odd))
        assert (said.status, said.code) == (400, "bad_request")
    assert wire.ask("GET", "/v1/persons/caf%C3%A9").status == 200


def test_what_is_no_http_is_a_problem_too(wire):
    for data in (b"GET /v1/memory/\xff HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\r\n\r\n",
                 b"GET / HTTP/3.0\r\n\r\n", b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
                 b"BREW / HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                 b"POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabc",
                 b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
                 b"POST / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n",
                 b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n"):  # fmt: skip
        said = wire.raw(data)
        assert (said.status, said.code) == (400, "bad_request"), data
        assert "connection: close" in said.head


def test_a_body_that_is_too_long_is_413_however_it_comes(wire):
    long = wire.body(text="x" * LIMIT)
    for path in ("/v1/memory", "/v1/memory/search", "/mcp"):
        for said in (
            wire.ask("POST", path, long, JSON),
            wire.ask("POST", path, chunks(long), JSON, CHUNKED, length=False),
            wire.ask("POST", path, b"", JSON, "Content-Length: 99999999999999", length=False),
        ):
            assert (said.status, said.code) == (413, "too_large")
            assert str(LIMIT) in json.loads(said.body)["detail"]
    assert wire.write(chunks(wire.body()), CHUNKED, length=False).status in (200, 201)


def test_a_body_that_does_not_come_is_408_and_nobody_waits(wire):
    body = wire.body()
    for path in ("/v1/memory", "/mcp"):
        begun = time.monotonic()
        head = f"Content-Length: {len(body) + 9}"
        said = wire.ask("POST", path, body, JSON, head, length=False)
        assert (said.status, said.code) == (408, "too_slow")
        assert "connection: close" in said.head
        assert 0.5 < time.monotonic() - begun < 10


def test_a_body_that_drips_is_not_waited_for_either(wire):
    with socket.create_connection(("127.0.0.1", wire.port), timeout=20) as sock:
        sock.sendall(
            f"POST /v1/memory HTTP/1.1\r\nHost: x\r\n{JSON}\r\nContent-Length: 1000\r\n"
            f"Authorization: Bearer {wire.running.key}\r\n\r\n".encode()
        )
        begun, sock_got = time.monotonic(), b""
        sock.settimeout(0.2)
        while not sock_got and time.monotonic() - begun < 10:
            try:
                sock.sendall(b"{")
                sock_got = sock.recv(100)
            except TimeoutError:
                continue
    assert sock_got.startswith(b"HTTP/1.1 408")


def test_a_compressed_body_is_refused_as_that(wire):
    for how in ("gzip", "br", "gzip, identity"):
        for body in (gzip.compress(wire.body()), wire.body()):
            said = wire.write(body, f"Content-Encoding: {how}")
            assert (said.status, said.code) == (415, "unsupported_media_type")
    assert wire.write(wire.body(), "Content-Encoding: identity").status in (200, 201)


def test_a_body_is_json_in_utf_8(wire):
    plain = wire.body(text="café")
    charsets = [f"application/json; charset={name}" for name in ("latin-1", "utf-16")]
    for kind in ("text/plain", "application/x-www-form-urlencoded", "///;;;", "", *charsets):
        said = wire.write(plain, f"Content-Type: {kind}")
        assert (said.status, said.code) == (415, "unsupported_media_type"), kind
        assert "application/json" in json.loads(said.body)["detail"]
    for kind in ("application/json; charset=UTF-8", "application/vnd.x+json"):
        assert wire.write(plain, f"Content-Type: {kind}").status in (200, 201)
    text = plain.decode()
    for body in (text.encode("utf-16"), text.encode("utf-32-le"), b'{"text": "caf\xe9"}'):
        said = wire.write(body)
        assert (said.status, said.code) == (422, "invalid_input")
    assert wire.write(b"\xef\xbb\xbf" + plain).status in (200, 201)


@pytest.mark.parametrize(
    ("inside", "says"),
    [
        (b'"value": ' + b"9" * 5_000, "too many digits"),
        (b'"importance": ' + b"9" * 5_000, "too many digits"),
        (b'"metadata": {"a": ' + b"9" * 5_000 + b"}", "too many digits"),
        (b'"value": 1e99999999999999999999', "exponent"),
        (b'"value": NaN', "NaN"),
        (b'"text": "a", "text": "b"', "twice"),
        (b'"value": ' + b"[" * 9_000 + b"]" * 9_000, "deeply"),
    ],
)
def test_json_that_only_a_lax_reader_takes(wire, inside, says):
    said = wire.write(b'{"index_id": "default", ' + inside + b"}")
    assert (said.status, said.code) == (422, "invalid_input")
    told = json.loads(said.body)["detail"]
    assert says in told
    assert "class" not in told


def test_headers_and_parameters_stand_once(wire):
    twice = wire.write(wire.body(), "Idempotency-Key: a", "Idempotency-Key: b")
    assert (twice.status, json.loads(twice.body)["field"]) == (422, "Idempotency-Key")
    path = "/v1/memory?index_id=none&index_id=default"
    said = wire.ask("GET", path)
    assert (said.status, json.loads(said.body)["field"]) == (422, "index_id")
    two = wire.ask("GET", "/v1/memory?index_id=default", b"", "Authorization: Bearer x")
    assert (two.status, two.code) == (401, "unauthorized")
    for empty in ("Authorization:", "Authorization: Bearer", "Authorization: Bearer   "):
        said = wire.ask("GET", "/v1/memory?index_id=default", b"", empty, key=False)
        assert (said.status, said.code) == (401, "unauthorized")


def test_methods_that_a_path_has_not(wire):
    for method in ("OPTIONS", "PUT", "TRACE", "PROPFIND"):
        said = wire.ask(method, "/v1/memory")
        assert (said.status, said.code) == (405, "method_not_allowed")
        assert "allow: get, post" in said.head
    assert wire.ask("HEAD", "/v1/memory").status == 405
    # A path that is named as it stands takes nothing that one with a part left open takes.
    assert "allow: post\r\n" in wire.ask("OPTIONS", "/v1/memory/batch").head
    assert "allow: get, patch, delete\r\n" in wire.ask("PUT", "/v1/memory/mem_0").head
    for path in ("/health/live", "/health/ready"):
        said = wire.ask("HEAD", path, key=False)
        assert (said.status, said.body) == (200, b"")


def test_the_client_lets_an_idle_connection_go_before_the_server_does(wire):
    """Else a PATCH or DELETE that is sent just then is lost, and not sent again."""
    assert CONNECTIONS.keepalive_expiry < Config(None).timeout_keep_alive  # and of other servers
    with socket.create_connection(("127.0.0.1", wire.port), timeout=1) as sock:
        sock.sendall(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        while not answer.endswith(b"}"):  # head and body may come apart
            answer += sock.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200")
        sock.settimeout(6.5)
        with pytest.raises(TimeoutError):  # it would be b"" where the server had closed it
            sock.recv(1)
