"""Small corpora for the tests of ranking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vigent.domain.corpus import Corpus
from vigent.domain.episodes import EpisodeRow
from vigent.domain.passages import (
    PassageRow,
    VectorRow,
    fact_text,
    passages_of_item,
    passages_of_memory,
)

DAY = 86_400_000_000


def talk(*turns: tuple[int, str, str]) -> Corpus:
    """A corpus of turns: thread, speaker and text, a day apart."""
    rows: list[PassageRow] = []
    for i, (thread, speaker, text) in enumerate(turns):
        rows += passages_of_item("s", said(i + 1, speaker, text, i * DAY), thread)
    return _filled(rows)


def said(number: int, speaker: str | None, text: str, at: int) -> EpisodeRow:
    """A message as it is stored."""
    return EpisodeRow(
        number, "t", f"ep_{number}", "default", "p", "user", "message", text, at, at, speaker,
        None, None, "{}", 0, 0, 0,
    )  # fmt: skip


def facts(*told: tuple[str, str, str]) -> Corpus:
    """A corpus of facts: name, attribute and value."""
    rows: list[PassageRow] = []
    for i, (name, attribute, value) in enumerate(told):
        rows += passages_of_memory(
            "t", "s", statement=i + 1, key=i + 1, type="fact", name=name,
            text=fact_text(name, attribute, value), at=i * DAY,
        )  # fmt: skip
    return _filled(rows)


def with_vectors(corpus: Corpus, vectors: Sequence[Sequence[float] | None]) -> Corpus:
    """The corpus with a vector for each row that is given one."""
    corpus.add_vectors(
        [
            VectorRow(i + 1, "t", "s", 1, i + 1, _bytes(vector))
            for i, vector in enumerate(vectors)
            if vector is not None
        ]
    )
    return corpus


def _bytes(vector: Sequence[float]) -> bytes:
    values = np.array(vector, np.float32)
    return (values / np.linalg.norm(values)).astype("<f2").tobytes()


def _filled(rows: list[PassageRow]) -> Corpus:
    corpus = Corpus()
    corpus.add([row._replace(no=i + 1) for i, row in enumerate(rows)])
    return corpus
