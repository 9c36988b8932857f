"""An embedder over real HTTP: what it asks, and every way in which a server can fail it."""

from __future__ import annotations

import base64
import logging
import socket
import threading
import time
import traceback

import numpy as np
import pytest

from vigent.errors import InvalidInput, ModelUnavailable
from vigent.models.openai_compatible import OpenAIEmbedder
from vigent.testing import EmbeddingServer, HashEmbedder

KEY = "sk-test-AAAA1111BBBB2222"
TEXTS = ["window seat", "figs and dates", "the train at nine"]


@pytest.fixture
def server():
    with EmbeddingServer(dimension=8) as running:
        yield running


@pytest.fixture
def embedder(server):
    """A maker of embedders of the server, that lose no time between tries."""
    made: list[OpenAIEmbedder] = []

    def make(url: str | None = None, **options) -> OpenAIEmbedder:
        options = {"backoff": 0.01, "timeout": 5.0, **options}
        made.append(OpenAIEmbedder(url or server.url, "small", **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def expected(texts: list[str], dimension: int = 8) -> np.ndarray:
    return HashEmbedder(dimension).embed_passages(texts)


def test_it_asks_as_openai_is_asked(server, embedder):
    rows = embedder(api_key=KEY).embed_passages(TEXTS)
    assert (rows.dtype, rows.shape) == (np.float32, (3, 8))
    assert np.allclose(rows, expected(TEXTS), atol=1e-6)
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {"model": "small", "input": TEXTS, "encoding_format": "float"}
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"


def test_a_question_is_one_row(server, embedder):
    row = embedder().embed_query("window seat")
    assert row.shape == (8,)
    assert np.allclose(row, expected(["window seat"])[0], atol=1e-6)
    assert "authorization" not in server.requests[0].headers


def test_it_says_what_it_is(server, embedder):
    one = embedder(revision="2026-01")
    assert (one.name, one.revision, one.dimension, one.dimension) == ("small", "2026-01", 8, 8)
    assert len(server.requests) == 1
    assert embedder(dimension=8).dimension == 8
    assert len(server.requests) == 1


def test_texts_go_in_batches_and_equal_ones_once(server, embedder):
    texts = [f"note {n}" for n in range(5)] + ["note 0", ""]
    rows = embedder(batch=2).embed_passages(texts)
    assert [len(r.texts) for r in server.requests] == [2, 2, 1]
    assert np.allclose(rows, expected(texts), atol=1e-6)
    assert not rows[6].any()


def test_prefixes_go_before_the_texts_and_into_the_revision(server, embedder):
    one = embedder(query_prefix="query: ", passage_prefix="passage: ", revision="1")
    one.embed_query("figs")
    one.embed_passages(["dates"])
    assert [r.texts for r in server.requests] == [["query: figs"], ["passage: dates"]]
    assert one.revision == "1|passage: "


def test_no_texts_and_empty_texts_are_not_sent(server, embedder):
    one = embedder(dimension=8)
    assert one.embed_passages([]).shape == (0, 8)
    assert not one.embed_passages(["", " \n"]).any()
    assert not one.embed_query("\0").any()
    assert server.requests == []


def test_odd_characters_arrive(server, embedder):
    embedder().embed_passages(["\ud800 a\0b 你好 😀"])
    assert server.requests[0].texts == ["? a b 你好 😀"]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("coded", [False, True])
def test_order_and_coding_of_vectors_are_the_servers_choice(server, embedder, shuffled, coded):
    server.shuffled, server.base64 = shuffled, coded
    assert np.allclose(embedder().embed_passages(TEXTS), expected(TEXTS), atol=1e-6)


def test_without_indices_vectors_are_in_the_order_of_the_texts(server, embedder):
    def change(answer):
        return {"data": [{"embedding": item["embedding"]} for item in answer["data"]]}

    server.change = change
    assert np.allclose(embedder().embed_passages(TEXTS), expected(TEXTS), atol=1e-6)


def test_vectors_get_unit_length(server, embedder):
    server.change = lambda _: {"data": [{"embedding": [3.0, -4.0]}]}
    assert embedder().embed_query("figs").tolist() == [np.float32(0.6), np.float32(-0.8)]


class TestTryingAgain:
    @pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
    def test_a_server_in_trouble_is_asked_again(self, server, embedder, status):
        server.fail(status, times=3)
        assert np.allclose(embedder().embed_passages(TEXTS), expected(TEXTS), atol=1e-6)
        assert len(server.requests) == 4

    def test_but_not_for_ever(self, server, embedder):
        server.fail(503, times=99)
        with pytest.raises(ModelUnavailable) as caught:
            embedder().embed_passages(TEXTS)
        assert (caught.value.code, caught.value.category) == ("model_unavailable", "unavailable")
        assert f"{server.url} could not be asked (4 tries): status 503, scripted" in str(
            caught.value
        )
        assert len(server.requests) == 4

    def test_a_question_twice_only(self, server, embedder):
        server.fail(503, times=99)
        with pytest.raises(ModelUnavailable):
            embedder().embed_query("figs")
        assert len(server.requests) == 2

    def test_it_waits_as_long_as_it_is_asked_to(self, server, embedder):
        server.fail(429, headers={"Retry-After": "1"})
        began = time.monotonic()
        embedder().embed_query("figs")
        assert time.monotonic() - began >= 1.0

    def test_but_no_longer_than_is_sensible(self, server, embedder):
        server.fail(429, headers={"Retry-After": "3600"})
        began = time.monotonic()
        with pytest.raises(ModelUnavailable) as caught:
            embedder().embed_query("figs")
        assert time.monotonic() - began < 2
        assert caught.value.retry_after == 3600
        assert len(server.requests) == 1

    @pytest.mark.parametrize("header", ["Wed, 21 Oct 2026 07:28:00 GMT", "soon", "-1", "nan"])
    def test_other_words_for_how_long_count_as_none(self, server, embedder, header):
        server.fail(429, headers={"Retry-After": header})
        embedder().embed_query("figs")
        assert len(server.requests) == 2

    def test_a_late_answer_is_not_waited_for(self, server, embedder):
        server.delay(2.0)
        began = time.monotonic()
        row = embedder(query_timeout=0.3).embed_query("figs")
        assert row.any()
        assert time.monotonic() - began < 1.5

    def test_an_answer_byte_by_byte_is_late_as_well(self, embedder):
        with dripping() as url:
            began = time.monotonic()
            with pytest.raises(ModelUnavailable, match="took too long"):
                embedder(url, timeout=0.5, attempts=1).embed_passages(["figs"])
            assert time.monotonic() - began < 2

    def test_nobody_there(self, embedder):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # bound and not listening
            url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
            with pytest.raises(ModelUnavailable, match=r"\(2 tries\): ConnectError"):
                embedder(url, attempts=2).embed_passages(["figs"])


class TestRefusedTexts:
    @pytest.mark.parametrize("status", [400, 413, 422])
    def test_one_bad_text_does_not_stop_the_others(self, server, embedder, status):
        server.refused, server.refused_status = "quokka", status
        texts = [*TEXTS, "a quokka", "last"]
        rows = embedder().embed_passages(texts)
        assert rows.any(axis=1).tolist() == [True, True, True, False, True]
        assert np.allclose(rows[[0, 1, 2, 4]], expected([*TEXTS, "last"]), atol=1e-6)

    def test_it_is_found_in_few_requests(self, server, embedder):
        server.refused = "quokka"
        rows = embedder().embed_passages([f"note {n}" for n in range(63)] + ["quokka"])
        assert rows.any(axis=1).sum() == 63
        assert len(server.requests) == 13

    def test_a_first_text_that_is_refused_alone(self, server, embedder):
        server.refused = "quokka"
        one = embedder()
        assert one.embed_passages(["quokka"]).tolist() == [[0.0] * 8]
        assert one.embed_query("quokka").tolist() == [0.0] * 8

    def test_all_of_them_refused_is_the_set_up(self, server, embedder):
        server.refused = ""  # which is in every text
        for ask in (lambda e: e.embed_passages(TEXTS), lambda e: e.embed_query("figs")):
            with pytest.raises(ModelUnavailable, match="refuses every text: status 400, not this"):
                ask(embedder(dimension=8))
        with pytest.raises(ModelUnavailable, match="refuses every text"):
            _ = embedder().dimension

    @pytest.mark.parametrize("coded", [False, True])
    def test_a_vector_with_what_is_no_number_is_not_taken(self, server, embedder, coded):
        server.not_finite, server.base64 = "figs", coded
        rows = embedder().embed_passages(TEXTS)
        assert rows.any(axis=1).tolist() == [True, False, True]
        assert np.isfinite(rows).all()

    @pytest.mark.parametrize("bad", [float("nan"), float("inf"), None, 0.0])
    def test_no_vector_at_all_is_an_error(self, server, embedder, bad):
        server.change = lambda _: {"data": [{"embedding": [bad, bad]}]}
        with pytest.raises(ModelUnavailable, match="its vector is not of finite numbers"):
            embedder().embed_query("figs")


class TestAnswersThatAreNone:
    @pytest.mark.parametrize("status", [401, 403, 404, 405, 302, 418])
    def test_a_wrong_set_up_is_told_at_once(self, server, embedder, status):
        server.fail(status, body='{"error": "no such thing"}', headers={"X-Request-Id": "r-1"})
        with pytest.raises(ModelUnavailable, match=f"status {status}, request r-1, no such thing"):
            embedder().embed_passages(TEXTS)
        assert len(server.requests) == 1

    @pytest.mark.parametrize("body", ["", "<html>", "[]", '"x"', "{", "[" * 100_000])
    def test_what_is_no_json_object(self, server, embedder, body):
        server.fail(200, body=body)
        with pytest.raises(ModelUnavailable, match="no JSON object"):
            embedder().embed_passages(TEXTS)

    @pytest.mark.parametrize(
        "data",
        [
            None, {}, [], [1, 2, 3],
            [{"embedding": [1.0]}] * 2,
            [{"embedding": [1.0]}] * 4,
            [{"embedding": [1.0]}, {"embedding": []}, {"embedding": [1.0]}],
            [{"embedding": [1.0]}, {}, {"embedding": [1.0]}],
            [{"embedding": ["1.0"]}] * 3,
            [{"embedding": [True]}] * 3,
            [{"embedding": [[1.0]]}] * 3,
            [{"embedding": [10**400]}] * 3,
            [{"embedding": "AAA"}] * 3,
            [{"embedding": "ü"}] * 3,
            [{"embedding": base64.b64encode(b"abc").decode()}] * 3,
            [{"embedding": [1.0], "index": 0}] * 3,
            [{"embedding": [1.0], "index": n} for n in (1, 2, 3)],
            [{"embedding": [1.0], "index": n} for n in (0, 1, None)],
            [{"embedding": [1.0], "index": n} for n in ("0", "1", "2")],
            [{"embedding": [1.0], "index": n} for n in (False, True, 2)],
        ],
    )  # fmt: skip
    def test_what_is_no_list_of_vectors(self, server, embedder, data):
        server.change = lambda _: {"data": data}
        with pytest.raises(ModelUnavailable, match="no list of 3 vectors"):
            embedder().embed_passages(TEXTS)

    def test_another_dimension_than_before(self, server, embedder):
        one = embedder()
        one.embed_query("figs")
        server.dimension = 12
        with pytest.raises(ModelUnavailable, match="vectors of 12 numbers, not of 8 as before"):
            one.embed_query("figs")
        assert one.dimension == 8

    def test_another_dimension_than_was_given(self, embedder):
        with pytest.raises(ModelUnavailable, match="vectors of 8 numbers, not of 384"):
            embedder(dimension=384).embed_passages(TEXTS)

    def test_two_dimensions_in_one_answer(self, server, embedder):
        server.change = lambda _: {"data": [{"embedding": [1.0] * n} for n in (2, 2, 3)]}
        with pytest.raises(ModelUnavailable, match="vectors of 3 numbers, not of 2"):
            embedder().embed_passages(TEXTS)


class TestSecrets:
    """C76: neither a key nor a URL's password is repeated, whoever says it first."""

    @pytest.mark.parametrize("key", [KEY, "quokka-1", "Zq7+/=9"])
    @pytest.mark.parametrize("status", [401, 400, 503, 200])
    def test_the_server_repeats_the_key(self, server, embedder, status, key, caplog):
        caplog.set_level(logging.DEBUG)
        said = f"Invalid key {key} at https://u:quokkapass@host/?key={key} (Bearer {key})"
        server.fail(status, times=9, body=said)
        with pytest.raises(ModelUnavailable) as caught:
            embedder(api_key=key).embed_passages(["figs"])
        told = "".join(traceback.format_exception(caught.value)) + caplog.text
        for secret in (key, key[:5], key[-5:], "quokkapass"):
            assert secret not in told
        assert server.url in told
        assert str(status) in told

    def test_the_key_comes_back_as_the_number_of_the_request(self, server, embedder):
        server.fail(401, headers={"X-Request-Id": KEY})
        with pytest.raises(ModelUnavailable, match=r"request \[hidden\], scripted"):
            embedder(api_key=KEY).embed_passages(["figs"])

    def test_a_password_in_the_url_goes_into_a_header_alone(self, server, embedder, caplog):
        caplog.set_level(logging.DEBUG)
        url = server.url.replace("http://", "http://mira:quokka%2Fpass@")
        one = embedder(f"{url}?api-version=2026-01")
        one.embed_query("figs")
        (request,) = server.requests
        assert request.path == "/v1/embeddings?api-version=2026-01"
        assert request.headers["authorization"] == (
            "Basic " + base64.b64encode(b"mira:quokka/pass").decode()
        )
        server.fail(401, body="no entry for mira with quokka/pass or quokka%2Fpass")
        with pytest.raises(ModelUnavailable) as caught:
            one.embed_query("figs")
        told = "".join(traceback.format_exception(caught.value)) + caplog.text + repr(one)
        assert "quokka" not in told

    @pytest.mark.parametrize(
        "url",
        [
            "http://host/v1?key=quokka", "http://host/v1?a=1&api_key=quokka",
            "http://host/v1?access-token=quokka", "file:///quokka", "quokka", "http://",
            "http://quokka:99999/", "http://[quokka", "http://quo kka/",
        ],
    )  # fmt: skip
    def test_a_url_that_will_not_do_is_not_repeated(self, url):
        with pytest.raises(InvalidInput) as caught:
            OpenAIEmbedder(url, "m")
        assert caught.value.field == "base_url"
        assert "quokka" not in "".join(traceback.format_exception(caught.value))

    def test_a_user_and_a_key_are_too_much(self):
        with pytest.raises(InvalidInput, match="base_url"):
            OpenAIEmbedder("http://u:p@host/v1", "m", api_key=KEY)

    def test_a_key_that_is_no_header(self):
        with pytest.raises(InvalidInput) as caught:
            OpenAIEmbedder("http://host/v1", "m", api_key="quokka\r\nX-A: b")
        assert caught.value.field == "api_key"
        assert "quokka" not in str(caught.value)


@pytest.mark.parametrize(
    ("field", "bad"),
    [("model", " "), ("dimension", 0), ("timeout", 0), ("query_timeout", -1), ("batch", 0),
     ("attempts", 0)],
)  # fmt: skip
def test_parameters_that_will_not_do(field, bad):
    with pytest.raises(InvalidInput) as caught:
        OpenAIEmbedder(**{"base_url": "http://host/v1", "model": "m", field: bad})
    assert caught.value.field == field


def test_it_may_be_used_from_several_threads(server, embedder):
    one = embedder()
    found: list[bool] = []

    def work(number: int) -> None:
        texts = [f"note {number} {n}" for n in range(10)]
        found.append(np.allclose(one.embed_passages(texts), expected(texts), atol=1e-6))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


def test_it_goes_on_after_it_was_closed(embedder):
    one = embedder()
    one.embed_query("figs")
    one.close()
    one.close()
    assert one.embed_query("figs").any()


class dripping:  # noqa: N801 - used as a function
    """A server that sends the head of an answer, and then a byte every tenth of a second."""

    def __enter__(self) -> str:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}/v1"

    def serve(self) -> None:
        connection, _ = self.listening.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n")
            while not self.stop.wait(0.1):
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join()
        self.listening.close()
