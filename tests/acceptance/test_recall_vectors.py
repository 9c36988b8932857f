"""Search and vectors: order of scores, faults half way, and a change of the model."""

from __future__ import annotations

import gc
import math
import time

import apsw
import numpy as np
import pytest

from vigent import Memory
from vigent.learn.embedding import Lease, drop_others, embed_some
from vigent.models.choose import embedder_of
from vigent.testing import EmbeddingServer, HashEmbedder
from vigent.wiring import open_storage


def values(answer):
    return [record.value for record in answer.records]


def rows(path, sql):
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = list(connection.execute(sql))
    connection.close()
    return found


class Vectors(HashEmbedder):
    """Hashed words, but for texts that fail or have no direction."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.broken: set[str] = set()
        self.nothing: set[str] = set()

    def embed_passages(self, texts):
        if any(word in text for text in texts for word in self.broken):
            raise ConnectionError("told to fail")
        matrix = super().embed_passages(texts)
        for row, text in zip(matrix, texts, strict=True):
            if any(word in text for word in self.nothing):
                row[:] = 0
        return matrix


FERRY = ("the ferry leaves at nine", "ferry times change in May", "onions are in the cellar")


class TestC51Scores:
    def test_the_text_itself_stands_first_and_scores_fall(self, recall):
        for text in FERRY:
            recall.write(text=text)
        recall.index.catch_up()
        for text in FERRY:
            answer = recall.search(text, limit=3, explain=True)
            scores = [hit.score for hit in answer]
            assert answer[0].excerpt == text
            assert scores == sorted(scores, reverse=True)
            assert scores[0] > max(scores[1:], default=0)
            for hit in answer:
                assert 0 < hit.score <= 1
                assert math.isfinite(hit.score)
                assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-5)
        found = [hit.excerpt for hit in recall.search(FERRY[0])]
        assert found[:2] == list(FERRY[:2])

    def test_equal_scores_are_in_a_fixed_order_newest_first(self, recall, clock):
        for _ in range(5):
            recall.write(text="the ferry leaves", metadata={"n": _}, subject=f"s{_}")
            clock.advance(seconds=1)
        first = [h.record.subject for h in recall.search("ferry")]
        assert first == ["s4", "s3", "s2", "s1", "s0"]
        assert [h.record.subject for h in recall.search("ferry")] == first

    def test_no_vector_and_a_vector_of_nothing_break_nothing(self, on_file):
        model = Vectors()
        model.nothing.add("cellar")
        memory = on_file(embedder=model)
        for text in FERRY:
            memory.write(text=text)
        memory.index.catch_up()
        assert memory.search("cellar onions")[0].excerpt == FERRY[2]
        assert all(math.isfinite(h.score) for h in memory.search("ferry onions"))
        state = memory.search("ferry").index
        assert (state.pending, state.problem) == (0, None)
        model.broken.add("late")
        memory.write(text="a late ferry")
        answer = memory.search("late ferry")
        assert answer[0].excerpt == "a late ferry"
        assert answer.index.pending == 1


class TestC55HalfWritten:
    def test_a_model_that_fails_leaves_the_words_and_says_why(self, on_file, tmp_path):
        model = Vectors()
        model.broken.add("two")
        memory = on_file(embedder=model)
        for text in ("zinnia one", "zinnia two", "zinnia three"):
            memory.write(text=text)
        memory.index.catch_up(2)
        answer = memory.search("zinnia two")
        assert answer[0].excerpt == "zinnia two"
        assert len(answer) == 3
        assert answer.index.partial
        assert answer.index.pending == 3
        assert answer.index.problem == "ConnectionError"
        assert memory.check().ok
        memory.close()
        # The next who opens it makes what is missing.
        again = on_file(embedder=Vectors())
        state = again.index.catch_up()
        assert (state.pending, state.problem) == (0, None)
        assert not again.search("zinnia").index.partial
        assert len(rows(tmp_path / "shared.db", "SELECT 1 FROM vector")) == 3

    @pytest.mark.parametrize("table", ["passage", "vector"])
    def test_what_is_lost_is_told_and_made_again(self, on_file, tmp_path, table):
        path = tmp_path / "shared.db"
        with on_file(embedder=HashEmbedder()) as memory:
            filled(memory, 3)
            memory.index.catch_up()
        connection = apsw.Connection(str(path))
        connection.execute(f"DELETE FROM {table} WHERE no = 2")
        connection.close()
        memory = on_file(embedder=HashEmbedder())
        assert memory.current("s1", "thing").value == "zinnia number 1"
        found = values(memory.search("zinnia number 1", limit=3))
        if table == "passage":
            assert "zinnia number 1" not in found
            assert ["words are missing" in p for p in memory.check().problems] == [True]
        else:
            assert found[0] == "zinnia number 1"
            assert memory.search("zinnia").index.pending == 1
        memory.index.rebuild()
        assert memory.check().ok
        assert values(memory.search("zinnia number 1", limit=3))[0] == "zinnia number 1"
        assert memory.search("zinnia").index.pending == 0
        fitting = "SELECT count(*) FROM vector JOIN passage ON passage.no = vector.passage"
        assert rows(path, fitting) == [(3,)]

    def test_a_write_that_is_rolled_back_leaves_nothing(self, on_file, tmp_path):
        memory = on_file(embedder=HashEmbedder())
        with pytest.raises(Exception, match="value"):
            memory.write_many(
                [
                    {"subject": "a", "attribute": "b", "value": "zinnia"},
                    {"subject": "a", "attribute": "c", "value": " "},
                ],
                atomic=True,
            )
        memory.index.catch_up()
        assert len(memory.search("zinnia")) == 0
        assert rows(tmp_path / "shared.db", "SELECT count(*) FROM passage") == [(0,)]

    def test_a_vector_without_a_passage_is_given_to_nobody(self, on_file, tmp_path):
        memory = on_file(embedder=HashEmbedder())
        gone = memory.write(text="zinnia seeds").memory
        memory.index.catch_up()
        memory.forget(gone.memory_id)
        later = memory.write(text="a bicycle").memory
        memory.index.catch_up()
        assert [h.id for h in memory.search("zinnia seeds")] in ([], [later.memory_id])
        assert len(memory.search("zinnia seeds", expand="never")) == 0
        orphans = "SELECT 1 FROM vector WHERE passage NOT IN (SELECT no FROM passage)"
        assert rows(tmp_path / "shared.db", orphans) == []

    def test_memories_forgotten_while_their_vectors_are_made_get_none(self, on_file, tmp_path):
        memory = on_file(embedder="none")
        kept = memory.write(text="zinnia seeds").memory

        class Late(HashEmbedder):
            def embed_passages(self, texts):
                memory.forget(kept.memory_id)
                return super().embed_passages(texts)

        other = on_file(embedder=Late())
        other.index.catch_up()
        assert rows(tmp_path / "shared.db", "SELECT count(*) FROM vector") == [(0,)]
        assert len(other.search("zinnia")) == 0


def filled(memory, count=50):
    for number in range(count):
        memory.write(subject=f"s{number}", attribute="thing", value=f"zinnia number {number}")


class TestC58ChangeOfModel:
    @pytest.mark.parametrize(
        "second",
        [("m2", "1", 12), ("m3", "1", 8), ("m1", "2", 8)],
        ids=["longer", "named", "revised"],
    )
    def test_all_goes_on_and_spaces_are_never_mixed(self, on_file, tmp_path, second):
        path = tmp_path / "shared.db"
        first = on_file(embedder=HashEmbedder(8, "m1", "1"))
        filled(first)
        first.index.catch_up()
        first.close()
        name, revision, dimension = second

        class Stuck(HashEmbedder):
            def embed_passages(self, texts):
                raise ConnectionError(len(texts))

        memory = on_file(embedder=Stuck(dimension, name, revision))
        # Before any vector of the second is there: writes, updates, deletes and search go on.
        answer = memory.search("zinnia number 7", limit=3)
        assert values(answer)[0] == "zinnia number 7"
        assert answer.index.partial
        assert answer.index.pending == 50
        assert answer.index.model == name
        assert all("meaning" not in h.parts or h.parts["meaning"] == 0 for h in answer)
        memory.write(subject="s7", attribute="thing", value="tulip number 7")
        memory.update(memory.current("s8", "thing").memory_id, importance=9)
        memory.forget(memory.current("s9", "thing").memory_id)
        assert "zinnia number 7" not in values(memory.search("zinnia number 7", limit=100))
        assert values(memory.search("tulip"))[0] == "tulip number 7"
        assert "zinnia number 9" not in values(memory.search("zinnia number 9", limit=100))
        memory.close()
        again = on_file(embedder=HashEmbedder(dimension, name, revision))
        state = again.index.catch_up()
        assert (state.pending, state.model, state.revision) == (0, name, revision)
        assert not again.search("zinnia").index.partial
        again.index.rebuild(drop_other_models=True)
        made_by = rows(path, "SELECT DISTINCT e.name, e.revision, e.dimension, length(v.data) "
                             "FROM vector v JOIN embedder e ON e.no = v.model")  # fmt: skip
        assert made_by == [(name, revision, dimension, 2 * dimension)]

    def test_half_done_and_stopped_it_goes_on_from_there(self, on_file, tmp_path):
        memory = on_file(embedder="none")
        filled(memory, 150)
        memory.close()
        model = Vectors(8, "m2")
        model.broken.add("number 140")
        with on_file(embedder=model) as half:
            half.index.catch_up(3)
            assert 0 < half.index.status().embedded < 150
        done = len([t for t in model.seen if t])
        model.broken.clear()
        model.seen.clear()
        again = on_file(embedder=model)
        assert again.index.catch_up().pending == 0
        assert len(model.seen) == 150 - done
        assert len(rows(tmp_path / "shared.db", "SELECT 1 FROM vector")) == 150

    def test_back_at_the_first_model_only_what_is_new_is_made(self, on_file):
        one, two = HashEmbedder(8, "m1"), HashEmbedder(8, "m2")
        with on_file(embedder=one) as memory:
            filled(memory)
            memory.index.catch_up()
        with on_file(embedder=two) as memory:
            memory.index.catch_up()
            memory.write(text="a bicycle")
            memory.index.catch_up()
        one.seen.clear()
        with on_file(embedder=one) as memory:
            assert memory.index.catch_up().pending == 0
        assert one.seen == ["a bicycle"]

    def test_the_old_text_gives_no_hit_by_its_vector(self, on_file):
        model = HashEmbedder(512)
        memory = on_file(embedder=model)
        filled(memory, 5)
        memory.write(subject="cat", attribute="name", value="Quillon")
        memory.index.catch_up()
        off = on_file(embedder="none")
        off.write(subject="cat", attribute="name", value="Brindle")
        assert "Quillon" not in values(memory.search("Quillon", expand="always"))
        assert "Quillon" not in values(memory.search("cat name Quillon", expand="always"))
        assert values(memory.search("Brindle"))[0] == "Brindle"

    def test_two_models_at_once_on_one_file_do_not_disturb_each_other(self, on_file, tmp_path):
        one = on_file(embedder=HashEmbedder(8, "m1"))
        two = on_file(embedder=HashEmbedder(12, "m2"))
        for number in range(20):
            (one, two)[number % 2].write(text=f"zinnia number {number}")
        for memory in (one, two):
            memory.index.catch_up()
            assert memory.search("zinnia number 3", limit=1)[0].excerpt == "zinnia number 3"
            assert memory.search("zinnia").index.pending == 0
        counted = rows(tmp_path / "shared.db", "SELECT model, count(*) FROM vector GROUP BY model")
        assert sorted(count for _, count in counted) == [20, 20]

    def test_vectors_dropped_by_another_come_back(self, on_file):
        one = on_file(embedder=HashEmbedder(512, "m1"))
        filled(one, 5)
        one.index.catch_up()
        assert one.search("zinnia").index.pending == 0
        two = on_file(embedder=HashEmbedder(12, "m2"))
        two.index.rebuild(drop_other_models=True)
        one.write(text="a bicycle with a basket")
        state = one.index.catch_up()
        assert state.pending == 0
        answer = one.search("bicycle basket", explain=True)
        assert answer.index.pending == 0
        assert answer[0].parts["meaning"] > 0


class TestWorker:
    def test_a_server_that_fails_is_told_and_comes_back_by_itself(self, on_file):
        with EmbeddingServer() as server:
            model = embedder_of(
                {"base_url": server.url, "model": "m", "attempts": 1, "backoff": 0.01}
            )
            memory = on_file(embedder=model)
            server.fail(500, times=3)
            memory.write(text="zinnia seeds")
            memory.index.catch_up(5)
            answer = memory.search("zinnia")
            assert [h.excerpt for h in answer] == ["zinnia seeds"]
            end = time.monotonic() + 20
            problems = {answer.index.problem}
            while memory.index.status().pending and time.monotonic() < end:
                problems.add(memory.search("zinnia").index.problem)
                time.sleep(0.05)
            assert memory.index.status().pending == 0
            assert any(p is not None and "500" in p for p in problems)
            assert memory.search("zinnia").index.problem is None
            memory.close()
            assert len(model.embed_query("still mine")) == 64
            model.close()

    def test_a_model_that_was_named_is_let_go_with_the_memory(self, tmp_path):
        with EmbeddingServer() as server:
            memory = Memory.open(tmp_path / "m.db", embedder=f"{server.url}#m")
            memory.write(text="zinnia seeds")
            assert memory.index.catch_up().pending == 0
            memory.close()
            gc.collect()  # an open connection would be told here

    def test_a_server_that_was_never_there_leaves_the_words(self, on_file):
        memory = on_file(embedder="http://127.0.0.1:9/v1#m")
        memory.write(text="zinnia seeds")
        answer = memory.search("zinnia")
        assert [h.excerpt for h in answer] == ["zinnia seeds"]
        assert "127.0.0.1:9" in answer.index.problem
        state = memory.index.status()
        assert (state.passages, state.pending, state.partial) == (1, 1, True)

    def test_the_state_counts_what_is_there(self, recall):
        model = recall.index.status().model
        kept = [recall.write(text=f"zinnia {n}").memory for n in range(4)]
        recall.index.catch_up()
        recall.forget(kept[-1].memory_id)
        recall.index.rebuild()
        state = recall.index.status()
        assert (state.passages, state.embedded, state.pending) == (3, 3 if model else 0, 0)
        recall.index.catch_up()
        recall.forget(kept[0].memory_id)
        state = recall.index.status()
        assert (state.passages, state.embedded, state.pending) == (2, 2 if model else 0, 0)

    def test_vectors_of_a_wrong_form_are_not_taken(self, on_file):
        class Wrong(HashEmbedder):
            def embed_passages(self, texts):
                return np.zeros((len(texts), 3), np.float32)

        memory = on_file(embedder=Wrong())
        memory.write(text="zinnia seeds")
        memory.index.catch_up(2)
        answer = memory.search("zinnia")
        assert [h.excerpt for h in answer] == ["zinnia seeds"]
        assert "wrong form" in answer.index.problem

    def test_two_at_once_make_each_vector_once(self, on_file, tmp_path):
        writer = on_file(embedder="none")
        filled(writer, 300)
        two = [on_file(embedder=HashEmbedder(8, "m1")) for _ in range(2)]
        for memory in two:
            memory.search("zinnia")
        for memory in two:
            assert memory.index.catch_up(30).pending == 0
        made = rows(tmp_path / "shared.db", "SELECT count(*), count(DISTINCT passage) FROM vector")
        assert made == [(300, 300)]

    def test_who_has_the_lease_works_alone_until_it_runs_out(self, on_file, tmp_path, clock):
        filled(on_file(embedder="none"), 150)
        storage = open_storage(tmp_path / "shared.db")
        model = HashEmbedder(8, "m1")
        lease = Lease()
        first = embed_some(storage, model, clock, lease)
        assert (first.finished, first.busy) == (False, False)
        assert embed_some(storage, model, clock, Lease()).busy
        assert not embed_some(storage, model, clock, lease).busy
        clock.advance(seconds=61)
        last = embed_some(storage, model, clock, Lease())
        assert (last.finished, last.busy) == (True, False)
        assert len(model.seen) == 150
        storage.close()

    def test_who_is_late_takes_nothing_back(self, on_file, tmp_path, clock):
        writer = on_file(embedder="none")
        filled(writer, 100)
        storage = open_storage(tmp_path / "shared.db")
        fast = HashEmbedder(8, "m1")

        class Overtaken(HashEmbedder):
            def embed_passages(self, texts):
                if not fast.seen:
                    assert embed_some(storage, fast, clock, Lease()).busy
                    clock.advance(seconds=61)
                    assert embed_some(storage, fast, clock, Lease()).done == 64
                    clock.advance(seconds=61)
                    assert embed_some(storage, fast, clock, Lease()).finished
                return super().embed_passages(texts)

        assert embed_some(storage, Overtaken(8, "m1"), clock, Lease()).finished
        with storage.snapshot() as snapshot:
            assert snapshot.embedder("m1", "1", 8).done == 100
        counted = rows(tmp_path / "shared.db", "SELECT count(*) FROM vector")
        assert counted == [(100,)]
        storage.close()

    def test_what_was_begun_anew_meanwhile_is_made_again(self, on_file, tmp_path, clock):
        filled(on_file(embedder="none"), 100)
        storage = open_storage(tmp_path / "shared.db")

        class Dropped(HashEmbedder):
            dropped = False

            def embed_passages(self, texts):
                if len(self.seen) >= 64 and not self.dropped:
                    self.dropped = True
                    drop_others(storage, HashEmbedder(12, "m2"), "t1")
                return super().embed_passages(texts)

        model, lease = Dropped(8, "m1"), Lease()
        for _ in range(9):
            progress = embed_some(storage, model, clock, lease)
        assert progress.finished
        assert rows(tmp_path / "shared.db", "SELECT count(*) FROM vector") == [(100,)]
        storage.close()

    def test_nothing_is_embedded_before_the_first_use(self, on_file):
        model = HashEmbedder()
        memory = on_file(embedder=model)
        memory.write(text="zinnia seeds")
        assert model.seen == []
        memory.close()

    def test_closing_ends_the_thread(self, tmp_path, clock):
        memory = Memory.open(tmp_path / "m.db", embedder=HashEmbedder(), clock=clock)
        memory.write(text="zinnia")
        memory.index.catch_up()
        memory.close()
        memory.close()


class TestOwnEmbedder:
    @pytest.mark.parametrize("wrong", ["raises", "short"])
    def test_a_question_that_it_fails_at_is_asked_by_words(self, on_file, wrong):
        class Wrong(HashEmbedder):
            def embed_query(self, text):
                if wrong == "raises":
                    raise ValueError(f"cannot read {text}")
                return super().embed_query(text)[:7]

        memory = on_file(embedder=Wrong())
        memory.write(text="zinnias on the table")
        memory.index.catch_up()
        found = memory.search("zinnias")
        assert values(found) == [None]
        assert len(found) == 1
        told = "ValueError" if wrong == "raises" else "hash: gave vectors of the wrong form"
        assert found.index.problem == told
