"""Making vectors: whose turn it is, what a failing model leaves, and nothing across tenants."""

from __future__ import annotations

import threading
import time

import apsw
import numpy as np
import pytest

from vigent import Memory
from vigent.errors import ModelUnavailable, UnavailableError
from vigent.learn.embedding import Lease, drop_others, embed_some, note_problem
from vigent.learn.worker import EmbeddingWorker
from vigent.models.guarded import GuardedEmbedder
from vigent.system import SystemClock
from vigent.testing import HashEmbedder
from vigent.wiring import open_storage


def rows(path, sql):
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = list(connection.execute(sql))
    connection.close()
    return found


def filled(memory, count):
    for number in range(count):
        memory.write(text=f"zinnia number {number}")


def until(true, seconds=10):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    assert true()


class Slow(HashEmbedder):
    """Takes its time, so that it can be stopped half way."""

    def embed_passages(self, texts):
        time.sleep(0.1)
        return super().embed_passages(texts)


class Failing(HashEmbedder):
    """Fails at what it is told to fail at; counts how often its dimension was asked."""

    def __init__(self, *at, error=TimeoutError):
        super().__init__()
        self.at, self.error = set(at), error
        self.asked = 0

    def _try(self, what):
        if what in self.at:
            raise self.error("secret-key-1")

    @property
    def dimension(self):
        self.asked += 1
        self._try("dimension")
        return super().dimension

    def embed_passages(self, texts):
        self._try("passages")
        return super().embed_passages(texts)

    def embed_query(self, text):
        self._try("query")
        return super().embed_query(text)


class ReadOnly:
    """A storage whose writes fail."""

    is_branch = False

    def __init__(self, storage):
        self.storage = storage
        self.snapshot = storage.snapshot

    def transaction(self, _tenant):
        raise UnavailableError("attempt to write a readonly database")


class TestLease:
    def test_a_clean_close_gives_it_back(self, on_file, tmp_path):
        filled(on_file(embedder="none"), 300)
        model = Slow(8, "m1")
        memory = on_file(embedder=model)
        memory.search("zinnia")
        until(lambda: len(model.seen) >= 128)
        memory.close()
        [(done, lease)] = rows(tmp_path / "shared.db", "SELECT done, lease_until FROM embedder")
        assert 128 <= done < 300
        assert lease == 0
        again = on_file(embedder=HashEmbedder(8, "m1"))
        assert again.index.catch_up(10).pending == 0

    def test_a_lease_that_another_has_by_now_stays(self, on_file, tmp_path, clock):
        filled(on_file(embedder="none"), 150)
        storage, model = open_storage(tmp_path / "shared.db"), HashEmbedder(8, "m1")
        mine, theirs = Lease(), Lease()
        embed_some(storage, model, clock, mine)
        clock.advance(seconds=61)
        embed_some(storage, model, clock, theirs)
        note_problem(storage, mine, "late")
        [(lease,)] = rows(tmp_path / "shared.db", "SELECT lease_until FROM embedder")
        assert lease == theirs.until > 0
        assert mine.until == 0
        storage.close()

    def test_two_never_embed_the_same_at_once(self, on_file, tmp_path, clock):
        filled(on_file(embedder="none"), 10)
        storage = open_storage(tmp_path / "shared.db")
        other = HashEmbedder(8, "m1")

        class First(HashEmbedder):
            def embed_passages(self, texts):
                assert embed_some(storage, other, clock, Lease()).busy
                return super().embed_passages(texts)

        assert embed_some(storage, First(8, "m1"), clock, Lease()).finished
        assert other.seen == []
        storage.close()

    def test_nothing_is_embedded_that_cannot_be_kept(self, on_file, tmp_path):
        filled(on_file(embedder="none"), 3)
        storage, model = open_storage(tmp_path / "shared.db"), HashEmbedder(8, "m1")
        worker = EmbeddingWorker(ReadOnly(storage), model, SystemClock())
        assert not worker.run_one()
        assert "readonly" in worker.problem
        assert model.seen == []
        storage.close()


class TestStopping:
    def test_who_waits_is_let_go_and_burns_no_time(self, on_file):
        filled(on_file(embedder="none"), 3)
        gate = threading.Event()

        class Stuck(HashEmbedder):
            def embed_passages(self, texts):
                gate.wait(10)
                return super().embed_passages(texts)

        memory = on_file(embedder=Stuck(8, "m1"))
        memory.search("zinnia")
        closing = threading.Timer(0.2, memory.index.close)
        closing.start()
        began, burnt = time.monotonic(), time.process_time()
        assert memory.index.catch_up(3).pending == 3
        assert time.monotonic() - began < 2
        assert time.process_time() - burnt < 1
        gate.set()
        closing.join()

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
    def test_a_thread_that_ended_is_started_anew(self, on_file, tmp_path):
        filled(on_file(embedder="none"), 3)
        storage = open_storage(tmp_path / "shared.db")

        class Dying(EmbeddingWorker):
            deaths = 0

            def run_one(self):
                if not self.deaths:
                    self.deaths += 1
                    raise SystemExit
                return super().run_one()

        worker = Dying(storage, HashEmbedder(8, "m1"), SystemClock())
        assert not worker.catch_up(3, 0.5)
        assert worker.catch_up(3, 10)
        worker.stop()
        storage.close()


class TestTenants:
    def test_one_drops_its_own_vectors_only(self, on_file, tmp_path):
        path, first = tmp_path / "shared.db", HashEmbedder(8, "m1")
        mine, theirs = on_file("t1", embedder=first), on_file("t2", embedder=first)
        filled(mine, 3)
        filled(theirs, 2)
        mine.index.catch_up()
        mine.index.close()
        second = on_file("t1", embedder=HashEmbedder(12, "m2"))
        second.index.rebuild(drop_other_models=True)
        made = "SELECT tenant, dimension, count(*) FROM vector JOIN embedder e ON e.no = model"
        found = rows(path, f"{made} GROUP BY 1, 2 ORDER BY 1, 2")
        assert found == [("t1", 12, 3), ("t2", 8, 2), ("t2", 12, 2)]
        # The first model makes again what is gone, and nothing else.
        first.seen.clear()
        assert on_file("t1", embedder=first).index.catch_up().pending == 0
        assert len(first.seen) == 3
        assert rows(path, f"{made} WHERE e.name = 'm1' GROUP BY 1, 2 ORDER BY 1, 2") == [
            ("t1", 8, 3), ("t2", 8, 2),
        ]  # fmt: skip

    def test_the_state_counts_its_own_passages_only(self, on_file):
        model = HashEmbedder(8, "m1")
        mine, theirs = on_file("t1", embedder=model), on_file("t2", embedder=model)
        filled(mine, 3)
        filled(theirs, 2)
        assert (mine.index.status().passages, theirs.index.status().pending) == (3, 2)
        mine.index.catch_up()
        state = theirs.index.status()
        assert (state.passages, state.embedded, state.pending) == (2, 2, 0)

    @pytest.mark.parametrize("place", ["shared.db", ":memory:"])
    def test_readers_read_anew_what_was_dropped(self, tmp_path, clock, place):
        path = place if place == ":memory:" else tmp_path / place
        with Memory.open(path, clock=clock, embedder=HashEmbedder(8, "m1")) as memory:
            filled(memory, 3)
            memory.index.catch_up()
            memory.index.close()  # or they might be there again at once
            storage = memory._storage
            with storage.snapshot() as snapshot:
                [passage] = snapshot.passages_unembedded(0, 0, 1)
                before = snapshot.index_generation("default", passage.scope)
                assert snapshot.vectors_by_others("default", 9) == 3
                assert snapshot.vectors_by_others("other", 9) == 0
            drop_others(storage, HashEmbedder(12, "m2"), "other")
            with storage.snapshot() as snapshot:
                assert snapshot.index_generation("default", passage.scope) == before
            drop_others(storage, HashEmbedder(12, "m2"), "default")
            with storage.snapshot() as snapshot:
                assert snapshot.index_generation("default", passage.scope) == before + 1
                assert snapshot.vectors_by_others("default", 9) == 0

    def test_dropped_by_another_they_are_waited_for(self, on_file):
        one = on_file(embedder=Slow(8, "m1"))
        filled(one, 3)
        one.index.catch_up()
        on_file(embedder=HashEmbedder(12, "m2")).index.rebuild(drop_other_models=True)
        assert one.index.catch_up().pending == 0


class TestFailing:
    @pytest.mark.parametrize("at", ["query", "dimension", "passages"])
    @pytest.mark.parametrize("error", [TimeoutError, ConnectionError, ValueError])
    def test_search_goes_on_by_words(self, on_file, at, error):
        model = Failing(at, error=error)
        memory = on_file(embedder=model)
        memory.write(text="zinnia seeds")
        memory.index.catch_up(1)
        answer = memory.search("zinnia")
        assert [hit.excerpt for hit in answer] == ["zinnia seeds"]
        assert answer.index.problem == error.__name__
        assert "secret" not in str(answer.index)

    def test_it_goes_on_by_itself_once_the_model_is_there(self, on_file):
        model = Failing("dimension")
        memory = on_file(embedder=model)
        memory.write(text="zinnia seeds")
        memory.search("zinnia")
        memory.index.catch_up(1)
        model.at.clear()
        until(lambda: memory.index.status().pending == 0)
        answer = memory.search("zinnia", explain=True)
        assert answer.index.problem is None
        assert answer[0].parts["meaning"] > 0

    @pytest.mark.parametrize("wrong", [[1.0, 2.0], [float("nan")] * 64, [[1.0], [1.0, 2.0]]])
    def test_a_question_of_the_wrong_form_is_told(self, on_file, wrong):
        class Wrong(HashEmbedder):
            def embed_query(self, text):
                assert text == "zinnia"
                return wrong

        memory = on_file(embedder=Wrong())
        memory.write(text="zinnia seeds")
        answer = memory.search("zinnia")
        assert [hit.excerpt for hit in answer] == ["zinnia seeds"]
        assert answer.index.problem in ("hash: gave vectors of the wrong form", "ValueError")

    def test_a_guarded_embedder_gives_what_it_is_given(self):
        plain = HashEmbedder(8, "m1", "2")
        model = GuardedEmbedder(plain)
        assert (model.name, model.revision, model.dimension) == ("m1", "2", 8)
        texts = ["a window", "figs"]
        assert np.array_equal(model.embed_passages(texts), plain.embed_passages(texts))
        assert np.array_equal(model.embed_query("figs"), plain.embed_query("figs"))

    def test_what_the_model_says_itself_is_told(self):
        model = GuardedEmbedder(Failing("query", error=ModelUnavailable))
        with pytest.raises(ModelUnavailable, match="secret-key-1"):
            model.embed_query("figs")
        with pytest.raises(KeyboardInterrupt):
            GuardedEmbedder(Failing("query", error=KeyboardInterrupt)).embed_query("figs")

    def test_a_model_that_is_away_is_not_asked_by_every_search(self, on_file):
        model = Failing("dimension")
        memory = on_file(embedder=model)
        memory.write(text="zinnia seeds")
        for number in range(20):
            assert len(memory.search(f"zinnia {number}")) == 1
        assert model.asked == 1

    @pytest.mark.parametrize("how", ["search", "status"])
    def test_no_view_is_open_while_it_is_asked(self, on_file, tmp_path, how):
        writer = on_file(embedder="none")
        writer.write(text="zinnia seeds")
        path = tmp_path / "shared.db"

        class Asked(HashEmbedder):
            busy: int | None = None

            @property
            def dimension(self):
                if self.busy is None:
                    # A log can be cut only where nobody reads from it.
                    writer.write(text="zinnia bulbs")
                    connection = apsw.Connection(str(path))
                    [(self.busy, _, _)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    connection.close()
                return super().dimension

        model = Asked()
        memory = on_file(embedder=model)
        memory.search("zinnia") if how == "search" else memory.index.status()
        assert model.busy == 0


class TestForgetting:
    def test_questions_are_not_kept(self, on_file):
        class Counting(HashEmbedder):
            asked = 0

            def embed_query(self, text):
                self.asked += 1
                return super().embed_query(text)

        model = Counting()
        memory = on_file(embedder=model)
        memory.write(text="zinnia seeds")
        for _ in range(2):
            memory.search("where are the zinnias of Ana")
        assert model.asked == 1
        memory.index.forget()
        assert "Ana" not in str(vars(memory.index))
        memory.search("where are the zinnias of Ana")
        assert model.asked == 2

    def test_nor_is_one_that_is_under_way(self, on_file):
        class Late(HashEmbedder):
            def embed_query(self, text):
                memory.index.forget()
                return super().embed_query(text)

        memory = on_file(embedder=Late())
        memory.write(text="zinnia seeds")
        memory.search("where are the zinnias of Ana")
        assert "Ana" not in str(vars(memory.index))
