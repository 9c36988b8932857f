"""Embedders that run in this process: the one that comes with Vigent, for real, and others."""

from __future__ import annotations

import os
import re
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from vigent.errors import InvalidInput
from vigent.models.choose import embedder_of
from vigent.models.inprocess import SharedModel
from vigent.models.local import LocalEmbedder
from vigent.models.openai_compatible import OpenAIEmbedder
from vigent.models.vectors import embeddable, unit_rows
from vigent.settings import EmbedderSettings, embedder_settings
from vigent.testing import HashEmbedder

ODD = ["x" * 50_000, "你好" * 30_000, "😀👩‍👩‍👧", "\ud800", "a\0b", "ﷺ", "\u200b", "!?"]


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    return LocalEmbedder()


def lengths(rows: np.ndarray) -> np.ndarray:
    return np.sqrt((rows.astype(np.float64) ** 2).sum(axis=-1))


class TestLocal:
    def test_it_says_what_it_is(self, local):
        assert local.name == "use-multilingual-v3"
        assert re.fullmatch(r"0\.2\.\d+-[\w-]{12}", local.revision)
        assert local.dimension == 512

    def test_it_gives_one_row_of_unit_length_a_text(self, local):
        rows = local.embed_passages(["Mira flies on Friday.", "Bo likes figs."])
        assert (rows.shape, rows.dtype) == ((2, 512), np.float32)
        assert np.allclose(lengths(rows), 1.0, atol=1e-6)
        query = local.embed_query("When does Mira fly?")
        assert (query.shape, query.dtype) == ((512,), np.float32)
        assert lengths(query) == pytest.approx(1.0, abs=1e-6)

    def test_no_texts_give_no_rows(self, local):
        assert local.embed_passages([]).shape == (0, 512)

    def test_the_same_text_has_the_same_bits(self, local):
        text = "Her passport runs out in June."
        assert local.embed_query(text).tobytes() == LocalEmbedder().embed_query(text).tobytes()
        first, _, last = local.embed_passages([text, "Something else.", text])
        assert first.tobytes() == last.tobytes()

    def test_the_texts_that_go_with_it_change_the_last_bits_at_most(self, local):
        texts = [f"Note {n} about the trip to Lisbon." for n in range(40)]
        together = local.embed_passages(texts)
        alone = np.stack([local.embed_query(text) for text in texts])
        assert np.abs(together - alone).max() < 2e-6

    @pytest.mark.parametrize("empty", ["", " \t\n", "\0", "\u3000"])
    def test_an_empty_text_has_a_row_of_zeros(self, local, empty):
        rows = local.embed_passages(["figs", empty])
        assert rows.any(axis=1).tolist() == [True, False]
        assert not local.embed_query(empty).any()

    @pytest.mark.parametrize("odd", ODD, ids=lambda text: ascii(text[:4]))
    def test_an_odd_text_has_a_sound_vector(self, local, odd):
        (row,) = local.embed_passages([odd])
        assert np.isfinite(row).all()
        assert lengths(row) == pytest.approx(1.0, abs=1e-6)

    @pytest.mark.parametrize(
        ("text", "alike", "other"),
        [
            (
                "I do not eat meat.",
                "She is a vegetarian.",
                "The train leaves at nine.",
            ),
            ("我不吃肉。", "她是素食主义者。", "火车九点出发。"),
            (
                "Je ne mange pas de viande.",
                "Elle est végétarienne.",
                "Le train part à neuf heures.",
            ),
            (
                "Ik eet geen vlees.",
                "Zij is vegetariër.",
                "De trein vertrekt om negen uur.",
            ),
        ],
        ids=["en", "zh", "fr", "nl"],
    )
    def test_what_means_alike_lies_closer(self, local, text, alike, other):
        near, far = local.embed_passages([alike, other]) @ local.embed_query(text)
        assert near > far + 0.1

    def test_languages_meet(self, local):
        near, far = local.embed_passages(
            ["她是素食主义者。", "火车九点出发。"]
        ) @ local.embed_query("She is a vegetarian.")
        assert near > far + 0.3

    def test_it_may_be_used_from_several_threads(self, local):
        texts = [f"Note {n}: seat {n}A near the window." for n in range(60)]
        expected = [local.embed_query(text).tobytes() for text in texts]
        found: dict[int, list[bytes]] = {}

        def work(number: int) -> None:
            own = LocalEmbedder()
            own.embed_passages(texts)
            found[number] = [own.embed_query(text).tobytes() for text in texts]

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [found[n] == expected for n in range(4)] == [True] * 4

    def test_it_leaves_the_process_as_it_was(self, local):
        before = (dict(os.environ), threadpool_info())
        local.embed_query("figs")
        assert (dict(os.environ), threadpool_info()) == before


class TestSharedModel:
    """What the models of this process have in common, with one that counts."""

    @pytest.fixture
    def counting(self):
        self.loads = 0
        self.calls: list[tuple[list[str], bool]] = []
        self.at_work = 0
        self.most_at_work = 0

        def load():
            self.loads += 1
            return encode

        def encode(texts, question):
            self.at_work += 1
            self.most_at_work = max(self.most_at_work, self.at_work)
            self.calls.append((list(texts), question))
            threading.Event().wait(0.002)
            self.at_work -= 1
            return np.ones((len(texts), 4), np.float32)

        return SharedModel(load, 4, longest=3_000, together=2_400)

    def test_it_is_loaded_once_and_runs_once_at_a_time(self, counting):
        def work():
            counting.passages([f"{n}" * 900 for n in range(6)])
            counting.question("who")

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (self.loads, self.most_at_work) == (1, 1)

    def test_nothing_is_loaded_for_nothing(self, counting):
        assert counting.passages([]).shape == (0, 4)
        assert not counting.passages(["", " "]).any()
        assert not counting.question(" ").any()
        assert self.loads == 0

    def test_equal_texts_are_embedded_once_and_long_ones_in_turns(self, counting):
        texts = ["a", "b", "a", "c" * 2_000, "d" * 2_000]
        assert counting.passages(texts).shape == (5, 4)
        assert self.calls == [(["a", "b", texts[3]], False), ([texts[4]], False)]

    def test_long_texts_are_cut(self, counting):
        counting.passages(["a" * 5_000])
        counting.question("b" * 5_000)
        assert [len(texts[0]) for texts, _ in self.calls] == [3_000, 3_000]

    def test_a_question_does_not_wait_for_all_passages(self, counting):
        done: list[str] = []

        def many():
            counting.passages([f"{n} " * 700 for n in range(200)])
            done.append("passages")

        thread = threading.Thread(target=many)
        thread.start()
        while not self.calls:
            threading.Event().wait(0.001)
        counting.question("who")
        done.append("question")
        thread.join()
        assert done == ["question", "passages"]


class TestVectors:
    def test_rows_become_unit_rows(self):
        rows = np.array([[3, 4], [1e300, 0], [0, 1e-300], [0, 0], [np.nan, 1], [np.inf, 1]])
        assert unit_rows(rows).tolist() == [
            [np.float32(0.6), np.float32(0.8)],
            [1, 0], [0, 1], [0, 0], [0, 0], [0, 0],
        ]  # fmt: skip

    def test_no_rows_stay_none(self):
        assert unit_rows(np.zeros((0, 3))).shape == (0, 3)

    def test_texts_are_made_fit_for_models(self):
        assert embeddable("a\0b\ud800c") == "a b?c"
        assert embeddable("abcdef", 3) == "abc"


class TestHashEmbedder:
    def test_texts_that_share_words_lie_close(self):
        rows = HashEmbedder().embed_passages(["window seat", "WINDOW, please", "figs", "靠窗座位"])
        query = HashEmbedder().embed_query("a window")
        assert (rows @ query).argsort()[::-1][:2].tolist() in ([0, 1], [1, 0])
        assert HashEmbedder().embed_query("靠窗") @ rows[3] > 0.5

    def test_its_bits_are_always_the_same(self):
        row = HashEmbedder(4).embed_query("figs")
        assert row.tolist() == pytest.approx(HashEmbedder(4).embed_passages(["figs"])[0].tolist())
        assert row.tobytes().hex() == FIGS
        assert HashEmbedder(4, revision="2").embed_query("figs").tobytes() != row.tobytes()

    def test_it_remembers_what_it_was_given(self):
        embedder = HashEmbedder(8, "mine", "7")
        embedder.embed_passages(["a", ""])
        embedder.embed_query("b")
        assert embedder.seen == ["a", "", "b"]
        assert (embedder.name, embedder.revision, embedder.dimension) == ("mine", "7", 8)
        assert not embedder.embed_query("").any()


FIGS = "a41ab0beb4c8f5bec3b125bf15c9f6be"


class TestChoosing:
    @pytest.mark.parametrize("spec", [None, "none", "", " None ", EmbedderSettings()])
    def test_none_is_none(self, spec):
        assert embedder_of(spec) is None

    def test_by_name(self):
        assert isinstance(embedder_of("local"), LocalEmbedder)
        assert isinstance(embedder_of(EmbedderSettings("local")), LocalEmbedder)

    def test_an_embedder_is_given_back(self):
        mine = HashEmbedder()
        assert embedder_of(mine) is mine

    @pytest.mark.parametrize(
        "spec",
        [
            "http://127.0.0.1:9/v1#small",
            {"base_url": "http://127.0.0.1:9/v1", "model": "small", "dimension": None},
            EmbedderSettings("HTTP://127.0.0.1:9/v1#small", "key-1234"),
        ],
    )
    def test_a_server(self, spec):
        found = embedder_of(spec, key="key-9999")
        assert isinstance(found, OpenAIEmbedder)
        assert found.name == "small"
        assert "key-" not in repr(found)

    @pytest.mark.parametrize(
        ("spec", "named"),
        [
            ("lokal", '"local"'),
            ("https://host/v1", "#model"),
            ("https://host/v1# ", "#model"),
            ("ftp://host#m", "URL"),
            (7, "mapping"),
            ({"base_url": "http://h/v1"}, "is missing model"),
            ({"base_url": "http://h/v1", "model": "m", "modle": 1}, "no option 'modle'"),
            ({"base_url": "http://h/v1", "model": 7}, "its model"),
            ({"base_url": "http://h/v1", "model": "m", "batch": True}, "its batch"),
        ],
    )
    def test_what_is_meant_by_nothing_is_told(self, spec, named):
        with pytest.raises(InvalidInput) as caught:
            embedder_of(spec)
        assert (caught.value.code, caught.value.field) == ("invalid_input", "embedder")
        assert named in caught.value.message

    def test_the_environment_names_it(self, monkeypatch):
        monkeypatch.delenv("VIGENT_EMBEDDER", raising=False)
        monkeypatch.setenv("VIGENT_EMBEDDER_KEY", "")
        assert embedder_settings() == EmbedderSettings(embedder="local")
        monkeypatch.setenv("VIGENT_EMBEDDER", "http://h/v1#m")
        monkeypatch.setenv("VIGENT_EMBEDDER_KEY", "quokka-key")
        found = embedder_settings()
        assert (found.embedder, found.embedder_key) == ("http://h/v1#m", "quokka-key")
        assert "quokka" not in repr(found)
