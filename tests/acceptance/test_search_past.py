"""Search in the past, over joined names, and without asking a model where state answers."""

from __future__ import annotations

import numpy as np

from vigent import Memory
from vigent.domain.time import to_datetime
from vigent.testing import HashEmbedder


def texts(answer):
    return [hit.excerpt for hit in answer]


def test_history_as_known_then_holds_nothing_that_was_learned_later(memory, clock):
    memory.write(text="likes green tea")
    memory.write(subject="mira", attribute="city", value="Rome")
    clock.advance(days=1)
    then = to_datetime(clock.now())
    clock.advance(days=1)
    memory.write(text="likes black tea")
    memory.write(subject="mira", attribute="city", value="Paris")
    asked = {"include": "history", "known_at": then, "expand": "always"}
    assert texts(memory.search("tea", **asked)) == ["likes green tea"]
    exact = memory.search("city of mira", **asked | {"expand": "auto"})
    assert [(h.excerpt, h.in_force) for h in exact] == [("mira \u00b7 city: Rome", True)]
    assert sorted(texts(memory.search("tea", include="history"))) == [
        "likes black tea", "likes green tea",
    ]  # fmt: skip


def test_an_answer_names_the_instant_it_stands_for(memory, clock):
    memory.write(text="likes green tea")
    then = to_datetime(clock.now())
    clock.advance(days=1)
    assert memory.search("tea", known_at=then).known_at == clock.now() - 86_400_000_000
    assert memory.search("tea").known_at == clock.now()


def test_a_window_in_words_leaves_the_stretches_that_touch_it(memory, clock):
    clock.advance(days=400)
    for month, city in ((1, "Rome"), (2, "Paris"), (3, "Oslo")):
        memory.write(
            subject="mira", attribute="city", value=city, valid_from=f"2026-0{month}-01",
        )  # fmt: skip
    found = memory.search("city of mira in January 2026", include="history")
    assert {hit.record.value for hit in found} == {"Rome"}


def test_what_stands_by_the_joined_timeline_alone_is_found(memory, clock):
    clock.advance(days=200)
    memory.write(subject="mira", attribute="city", value="Rome", valid_from="2026-01-01")
    memory.write(subject="mi", attribute="city", value="Paris", valid_from="2026-02-01")
    memory.write(subject="mira", attribute="city", value="Rome", valid_from="2026-03-01")
    memory.alias("mi", of="mira")
    assert memory.current("mira", "city").value == "Rome"
    found = memory.search("Rome", expand="always")
    assert [(h.record.value, h.in_force) for h in found if h.record.value == "Rome"] == [
        ("Rome", True)
    ]
    assert found[0].id == memory.current("mira", "city").memory_id
    assert "Paris" not in [h.record.value for h in found]


def test_what_state_answers_asks_no_model(tmp_path, clock):
    class Asked(HashEmbedder):
        questions = 0

        def embed_query(self, text: str) -> np.ndarray:
            Asked.questions += 1
            return super().embed_query(text)

    with Memory.open(tmp_path / "m.db", clock=clock, embedder=Asked()) as memory:
        memory.write(subject="mira", attribute="city", value="Rome")
        assert memory.search("city of mira")[0].exact
        assert Asked.questions == 0
        memory.search("where")
        assert Asked.questions == 1
