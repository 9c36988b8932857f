"""Search and what is in force: old values, repeats, times of items, what was removed or ran out."""

from __future__ import annotations

import datetime as dt

import apsw
import pytest

from vigent import Memory
from vigent.errors import NotFound
from vigent.testing import HashEmbedder


def values(answer):
    return [record.value for record in answer.records]


QUESTIONS = ("where does Ana work", "Ana's employer", "who employs Ana?", "Kestrel Freight", "ana")


class TestC01OldEmployer:
    @pytest.fixture
    def told(self, recall):
        ana = {"subject": "ana", "attribute": "employer"}
        recall.write(**ana, value="Kestrel Freight", valid_from="2023-04-03T00:00:00Z")
        recall.write(**ana, value="Moss & Daughters", valid_from="2025-02-10T00:00:00Z")
        return recall

    @pytest.mark.parametrize("query", QUESTIONS)
    @pytest.mark.parametrize("expand", ["auto", "always"])
    def test_what_is_over_is_not_found(self, told, query, expand):
        for recipe in ("relevance", "precise", "blend", "confidence", "generative"):
            found = told.search(query, expand=expand, recipe=recipe, limit=5)
            assert set(values(found)) <= {"Moss & Daughters"}, recipe
        if query != "Kestrel Freight":
            assert values(told.search(query, expand=expand)) == ["Moss & Daughters"]

    @pytest.mark.parametrize("query", QUESTIONS)
    def test_history_marks_what_is_over(self, told, query):
        found = told.search(query, include="history")
        for hit in found:
            assert hit.in_force == (hit.record.value == "Moss & Daughters")
        (old,) = [hit for hit in found if not hit.in_force]
        assert old.record.valid_to == dt.datetime(2025, 2, 10, tzinfo=dt.UTC)

    def test_as_of_then_it_is_the_one_found(self, told):
        for query in QUESTIONS[:3]:
            assert values(told.search(query, as_of="2024-01-01")) == ["Kestrel Freight"]
            assert values(told.search(query, as_of="2023-01-01")) == []
            assert values(told.search(f"{query} in 2024?")) == ["Kestrel Freight"], query


class TestC02SaidFourWays:
    def test_a_repeat_is_one_hit(self, recall):
        for n, said in enumerate(["I grew up in Faro.", "Faro is where I grew up, by the way.",
                                  "I grew up in Faro."]):  # fmt: skip
            episode = recall.capture(said, external_id=str(n))
            recall.write(
                subject="bo", attribute="hometown", value="Faro", source_episode_id=episode.id
            )
        recall.write(subject="bo", attribute="hometown", value="Faro")
        for query in ("Bo's hometown", "Faro", "bo"):
            (hit,) = recall.search(query)
            assert hit.record.evidence_count == 4
        kinds = [h.kind for h in recall.search("Faro", include="episodes")]
        assert sorted(kinds) == ["episode"] * 3 + ["memory"]

    def test_once_gone_the_repeats_do_not_stand_for_it(self, recall):
        for n in range(3):
            episode = recall.capture("I grew up in Faro.", external_id=str(n))
            kept = recall.write(
                subject="bo", attribute="hometown", value="Faro", source_episode_id=episode.id
            )
        recall.forget(kept.memory.memory_id)
        assert values(recall.search("Faro")) == []


class TestC16OwnTime:
    def test_an_item_keeps_the_time_at_which_it_was_said(self, recall, clock):
        clock.set("2025-01-10T12:00:00Z")
        said = dt.datetime(2024, 2, 28, 9, tzinfo=dt.UTC)
        episode = recall.capture("I start at the bakery tomorrow.", occurred_at=said)
        recall.write(
            subject="pip", attribute="employer", value="the bakery", source_episode_id=episode.id,
            valid_from="2024-02-29T00:00:00Z",
        )  # fmt: skip
        hits = recall.search("bakery", include="episodes")
        (item,) = [h for h in hits if h.kind == "episode"]
        assert item.at == said
        then = {"after": "2024-02-28", "before": "2024-02-29"}
        assert [h.id for h in recall.search("bakery", include="episodes", **then)] == [episode.id]
        assert values(recall.search("bakery", as_of="2024-02-28")) == []
        assert values(recall.search("bakery", as_of="2024-03-05")) == ["the bakery"]
        by_day = recall.search("28 February 2024", include="episodes", expand="always")
        assert by_day[0].id == episode.id


SEEDS = ("zinnia pot by the door", "zinnia watered on Mondays", "zinnia order sent")


def counts(path):
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = [
        connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("passage", "vector")
    ]
    connection.close()
    return found


class TestC41Deleted:
    def test_it_takes_no_place_among_the_first(self, recall):
        gone = recall.write(text="zinnia seeds in the tin").memory
        for text in SEEDS:
            recall.write(text=text)
        for _ in range(2):
            assert len(recall.search("zinnia", limit=3)) == 3
        recall.index.catch_up()
        recall.forget(gone.memory_id)
        for expand in ("auto", "always"):
            found = recall.search("zinnia seeds", limit=3, expand=expand)
            assert sorted(r.text for r in found.records) == sorted(SEEDS)
        assert recall.search("zinnia").index.passages == 3
        assert not recall.forget(gone.memory_id).forgotten
        again = recall.write(text="zinnia seeds in the tin").memory
        assert [r.memory_id for r in recall.search("zinnia seeds tin", limit=1).records] == [
            again.memory_id
        ]
        assert len(recall.search("zinnia")) == 4

    @pytest.mark.parametrize("how", ["forget", "retract", "change", "thread", "withdraw", "erase"])
    def test_the_index_has_what_is_there_and_no_more(self, on_file, tmp_path, how, clock):
        memory = on_file(embedder=HashEmbedder())
        mine = {"person": "ana"} if how == "erase" else {}
        memory.threads.create(None, id="t")
        item = memory.threads.append("t", "zinnia seeds in the tin", role="user", **mine)
        kept = memory.write(subject="ana", attribute="a", value="zinnia seeds in the tin", **mine)
        memory.write(subject="ana", attribute="b", value="zinnia pot")
        memory.index.catch_up()
        before = counts(tmp_path / "shared.db")
        assert before == [3, 3]
        if how == "forget":
            memory.forget(kept.memory.memory_id)
        elif how == "retract":
            memory.retract(subject="ana", attribute="a")
        elif how == "withdraw":
            memory.retract(subject="ana", attribute="a", mode="correction")
        elif how == "change":
            memory.write(subject="ana", attribute="a", value="roses")
        elif how == "thread":
            memory.threads.delete("t")
        else:
            memory.erase_person("ana", wait=True)
        clock.advance(seconds=1)
        left = [h.id for h in memory.search("zinnia seeds", include="episodes", person="ana")]
        assert (kept.memory.memory_id in left) == (how == "thread")
        assert (item.id in left) == (how not in {"thread", "erase"})
        memory.index.catch_up()
        passages, vectors = counts(tmp_path / "shared.db")
        assert passages == vectors
        assert memory.check().ok
        with Memory.open(
            tmp_path / "shared.db", tenant="t1", clock=clock, embedder="none"
        ) as other:
            again = [h.id for h in other.search("zinnia seeds", include="episodes", person="ana")]
            assert (kept.memory.memory_id in again) == (how == "thread")


class TestC46Expired:
    def test_past_its_time_it_is_not_found_and_searching_does_not_prolong_it(self, recall, clock):
        clock.set("2025-01-01T00:00:00Z")
        recall.write(
            subject="hal", attribute="pin_hint", value="moon", expires_at="2025-01-02T00:00:00Z"
        )
        recall.write(text="the hint is the moon", expires_at="2025-01-02T00:00:00Z")
        recall.write(subject="hal", attribute="pet", value="newt")
        queries = ("Hal's pin hint", "moon", "hint", "hal")
        assert all(len(recall.search(q)) for q in queries)
        clock.set("2025-01-01T23:59:59.999999Z")
        assert all(len(recall.search(q)) for q in queries)
        clock.set("2025-01-02T00:00:00Z")
        for _ in range(3):
            for query in queries:
                for include in ("current", "history", "episodes"):
                    for more in ({}, {"as_of": "2025-01-01T12:00:00Z"}, {"known_at": "2025-01-01"}):
                        if include == "history" and more:
                            continue
                        found = recall.search(query, include=include, expand="always", **more)
                        assert set(values(found)) <= {"newt"}, (query, include, more)
        assert recall.sweep() == 2
        assert values(recall.search("Hal's pet")) == ["newt"]
        assert recall.search("hal").index.passages == 1

    def test_a_thread_that_ran_out_is_not_found(self, recall, clock):
        recall.threads.create(None, id="t", ttl_days=1)
        recall.threads.append("t", "the newt is called Moon", role="user")
        assert len(recall.search("newt", include="episodes")) == 1
        clock.advance(days=1)
        assert len(recall.search("newt", include="episodes")) == 0
        recall.sweep()
        answer = recall.search("newt", include="episodes")
        assert (len(answer), answer.index.passages) == (0, 0)

    def test_an_episode_that_is_a_stub_is_not_found(self, recall, clock):
        recall.capture("the newt is called Moon", external_id="e")
        clock.advance(days=91)
        assert len(recall.search("newt", include="episodes")) == 0
        recall.sweep()
        answer = recall.search("newt", include="episodes")
        assert (len(answer), answer.index.passages) == (0, 0)

    def test_the_end_of_validity_is_something_else(self, recall):
        recall.write(
            subject="hal",
            attribute="pass",
            value="blue",
            valid_from="2025-01-01",
            valid_to="2025-02-01",
        )
        assert values(recall.search("Hal's pass")) == []
        assert values(recall.search("blue")) == []
        assert values(recall.search("blue", as_of="2025-01-15")) == ["blue"]
        (hit,) = recall.search("blue", include="history")
        assert not hit.in_force


def test_a_forgotten_memory_cannot_be_got_by_what_was_found(recall):
    recall.write(text="zinnia seeds")
    id = recall.search("zinnia")[0].id
    recall.forget(id)
    with pytest.raises(NotFound):
        recall.get(id)
