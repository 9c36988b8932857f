"""Search on PostgreSQL is that of SQLite to the bit; what is fetched together changes no answer."""

from __future__ import annotations

import datetime as dt
import itertools
from contextlib import closing

import pytest

from vigent import Memory
from vigent.domain.time import OPEN
from vigent.ports.storage import Selection
from vigent.storage.postgres.adapter import PostgresStorage
from vigent.storage.postgres.reading import PgSnapshot
from vigent.storage.postgres.statements import Q
from vigent.testing import FakeClock, HashEmbedder

START = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
SAID = (
    "Where did you put the key of the cellar?", "Below the stone beside the door.",
    "Mira went to Gothenburg by train", "She loved the night in the sleeping car",
    "Котики спят на тёплой печке", "京都の桜がとても綺麗でした", "Zoë's café opens at seven",
    "The cellar floods when it rains for days", "my new number is 0171-555",
)  # fmt: skip
ASKED = (
    "where is the cellar key", "who went by train to Gothenburg", "what did Mira love",
    "кот спит", "京都の桜", "when does Zoe's cafe open", "rain", "mira city", "number",
)  # fmt: skip


def filled(where: object, tmp: str) -> Memory:
    clock = FakeClock(START)
    memory = Memory.open(str(where), clock=clock, embedder=HashEmbedder(), tenant=tmp)
    for n, text in enumerate(SAID * 3):
        memory.capture(
            f"{text} ({n})" if n >= len(SAID) else text, speaker="Mira" if n % 2 else "Tom",
            person=("p1", None)[n % 3 == 0], occurred_at=START + dt.timedelta(minutes=n),
        )  # fmt: skip
    for n, city in enumerate(("Oslo", "Gothenburg", "Lund")):
        clock.advance(days=1)
        memory.write(subject="mira", attribute="city", value=city, person="p1")
        memory.write(text=f"Mira keeps the cellar key, version {n}", person="p1")
        memory.write(subject="cellar", attribute="state", value=("dry", "wet")[n % 2])
    memory.index.catch_up()
    return memory


@pytest.fixture
def pair(postgres_url, tmp_path):
    one, two = filled(tmp_path / "memory.db", "t"), filled(postgres_url, "t")
    yield one, two
    one.close()
    two.close()


def told(memory: Memory, question: str, person: str | None, include: str):
    found = memory.search(question, person=person, include=include, explain=True)
    return [
        (h.excerpt, h.score, h.exact, h.in_force, dict(h.parts), h.record and h.record.value)
        for h in found
    ]


def test_hits_scores_and_parts_are_the_same_to_the_bit(pair):
    one, two = pair
    some = 0
    for question, person, include in itertools.product(
        ASKED, (None, "p1", "p2"), ("current", "history", "episodes")
    ):
        hits = told(one, question, person, include)
        assert told(two, question, person, include) == hits
        some += len(hits)
    assert some > 100


def test_a_tenant_beside_changes_no_score(pair, postgres_url):
    _, two = pair
    before = [told(two, question, "p1", "episodes") for question in ASKED]
    with Memory.open(postgres_url, tenant="u", embedder="none") as other:
        for n in range(50):
            other.capture(f"the cellar key {n} and the train to Gothenburg", person="p1")
    assert [told(two, question, "p1", "episodes") for question in ASKED] == before


def test_what_is_fetched_together_changes_no_answer(pair, postgres_url):
    _, memory = pair
    memory.retract(subject="mira", attribute="city", person="p1")
    memory.write(subject="mira", attribute="city", value="Umea", valid_from=START, person="p1")
    with closing(PostgresStorage(postgres_url)) as storage, storage.snapshot() as plain:
        sent: list[str] = []

        def run(query, values):
            sent.append(query.name.decode())
            return plain._run(query, values)

        ready = PgSnapshot(run, Q)
        keys = plain.keys(Selection("t", "default", ("p1", "")))
        statements = [s for key in keys for _, s in plain.statements("t", of_key=key.no)]
        ready.prepare("t", statements)
        assert sent == ["beliefs_of_memories", "believed_at_points"]
        whole = PgSnapshot(plain._run, Q)
        whole.prepare_keys("t", keys)
        compared = 0
        for key, s in itertools.product(keys, statements):
            if s.key != key.no:
                continue
            found = plain.beliefs(key, s.no)
            assert ready.beliefs(key, s.no) == found
            edges = {
                edge for f in found for at in f.belief[5:7] for edge in (at - 1, at, at + 1)
            } - {OPEN + 1}
            for at, known in itertools.product(edges, (None, s.recorded_from)):
                wanted = plain.at(key, s.member, at, known)
                assert ready.at(key, s.member, at, known) == wanted
                compared += len(wanted)
                assert whole.at(key, s.member, at, known) == wanted
                one, two = (
                    sorted(view.at(key, None, at, known), key=lambda f: f.belief.no)
                    for view in (plain, whole)
                )
                assert one == two
        assert compared > 20
