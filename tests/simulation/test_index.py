"""The search index and processes: killed half way, and two at once."""

from __future__ import annotations

import subprocess
import sys
import time

import apsw

from tests.integration.command_line import process_environment
from vigent import Memory
from vigent.domain.terms import index_terms, pack_terms
from vigent.testing import FakeClock, HashEmbedder


def rows(path, sql):
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = list(connection.execute(sql))
    connection.close()
    return found


def started(path):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.simulation.index_worker", str(path)],
        stdout=subprocess.PIPE, text=True, env=process_environment(),
    )  # fmt: skip


def test_a_process_killed_at_its_vectors_leaves_a_store_that_goes_on(tmp_path):
    path = tmp_path / "m.db"
    for seconds in (0.2, 0.6):
        with started(path) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            time.sleep(seconds)
            child.kill()
    with Memory.open(path, embedder=HashEmbedder(16, "slow")) as memory:
        assert memory.check().ok
        there = len(list(memory.list()))
        assert there > 0
        # The killed one may hold the lease for a minute: words answer meanwhile.
        answer = memory.search("zinnia written", limit=200)
        assert len(answer) == min(200, there)
        assert answer.index.passages == there
        written = [record.text for record in memory.list()]
        found = memory.search(written[-1], limit=1)
        assert found[0].excerpt == written[-1]
    counted = rows(path, "SELECT count(*), count(DISTINCT source) FROM passage")
    assert counted == [(there, there)]
    orphans = "SELECT 1 FROM vector WHERE passage NOT IN (SELECT no FROM passage)"
    assert rows(path, orphans) == []


def test_two_processes_write_and_search_one_index(tmp_path):
    path = tmp_path / "m.db"
    with Memory.open(path, embedder=HashEmbedder(16, "slow")) as memory:
        with started(path) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            end = time.monotonic() + 2
            seen = 0
            while time.monotonic() < end:
                kept = memory.write(text=f"zinnia of mine {seen}").memory
                found = memory.search(f"zinnia of mine {seen}", limit=1)
                assert found[0].excerpt == f"zinnia of mine {seen}"
                memory.forget(kept.memory_id)
                assert kept.memory_id not in [h.id for h in memory.search("mine", limit=50)]
                seen += 1
            child.kill()
        theirs = [r.text for r in memory.list()]
        assert seen > 1
        assert len(theirs) > 1
        assert {h.excerpt for h in memory.search("zinnia written", limit=200)} <= set(theirs)
        assert memory.search("zinnia").index.passages == len(theirs)


def test_no_term_and_no_vector_of_an_erased_person_is_left_in_the_bytes(tmp_path):
    path, model = tmp_path / "m.db", HashEmbedder(16)
    mine = [f"quokkaword{n} lives beside harbour{n}" for n in range(40)]
    others = [f"wombatword{n} lives beside forest{n}" for n in range(40)]
    with Memory.open(path, embedder=model, clock=FakeClock("2026-01-01T00:00:00Z")) as memory:
        for one, other in zip(mine, others, strict=True):
            memory.write(text=one, person="ana")
            memory.capture(f"said {one}", person="ana", speaker="quokkaspeaker")
            memory.write(text=other, person="bo")
        memory.search("lives", person="ana")
        assert memory.index.catch_up().pending == 0

        def left(texts):
            data = b"".join(file.read_bytes() for file in tmp_path.glob("m.db*"))
            rare = [w for t in texts for w in t.split() if w[-1].isdigit()]
            terms = [pack_terms(index_terms(word)) for word in rare]
            vectors = [model.embed_passages([t])[0].astype("<f2").tobytes() for t in texts]
            return sum(t in data for t in terms), sum(v in data for v in vectors)

        assert left(mine) == left(others) == (80, 40)
        receipt = memory.erase_person("ana", wait=True)
        assert receipt.state == "purged"
        assert (receipt.counts["passage"], receipt.counts["vector"]) == (80, 80)
        assert left(mine) == (0, 0)
        assert left(others) == (80, 40)
        assert len(memory.search("quokkaword3", person="ana", include="episodes")) == 0
        assert memory.search("wombatword3", person="bo", limit=1)[0].excerpt == others[3]
    assert left(mine) == (0, 0)
