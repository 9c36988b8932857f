"""What an export holds and an import refuses: nothing is lost, nothing comes back, nothing half."""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import closing

import pytest

from tests.filled import LATER, START, asked, fill
from tests.moved import body, exported, imported, store_at
from vigent import Memory
from vigent.errors import BadExport, ErasedPerson, InvalidInput, ResourceExists
from vigent.moving import backup_store, restore_store
from vigent.moving.exporting import Export
from vigent.service import Presented, Service
from vigent.testing import FakeClock
from vigent.testing.embedding import HashEmbedder


@pytest.fixture
def store(tmp_path):
    return fill(tmp_path / "a.db")


@pytest.fixture
def lines(store):
    with store_at(store) as storage:
        return exported(storage)


def test_the_second_export_is_the_first_and_answers_are_the_same(store, lines, tmp_path):
    with store_at(tmp_path / "b.db") as other:
        first = imported(other, lines)
        assert first.fresh
        assert first.counts["episode"] == 2
        assert first.counts["alias"] == first.counts["erased"] == 1
        assert body(exported(other)) == body(lines)
        again = imported(other, lines)
        assert not again.fresh
        assert body(exported(other)) == body(lines)
        assert other.check() == []
    before = asked(store)
    assert asked(tmp_path / "b.db") == before
    assert before[0]["value"] == "Bergen"
    with Memory.open(tmp_path / "b.db") as memory:
        assert memory.check().ok


def test_an_equal_instant_gives_one_value_before_and_after(store, lines, tmp_path):
    """C09: two values of one instant, the same answer at every read and in every store."""
    with store_at(tmp_path / "b.db") as other:
        imported(other, lines)
    for path in (store, tmp_path / "b.db"):
        with Memory.open(path, clock=FakeClock(LATER), person="p1") as memory:
            for _ in range(200):
                assert memory.current("mira", "desk").value == "5-020"
                assert memory.current("mira", "desk", as_of=START).value == "5-020"
            ended = [r.value for r in memory.history("mira", "desk") if r.recorded_to]
            assert ended == ["3-114"]


def test_a_write_of_an_episode_that_is_made_again_is_known_after_a_move(lines, tmp_path):
    fill(tmp_path / "b.db", tenant="other")  # so that row numbers are other ones than before
    with store_at(tmp_path / "b.db") as other:
        imported(other, lines)
    with Memory.open(tmp_path / "b.db", person="p1", clock=FakeClock(LATER)) as memory:
        said = memory.capture("again", external_id="m1")
        done = memory.write(
            subject="mira", attribute="city", value="Rome", source_episode_id=said.id
        )
        assert done.outcome == "stored"
        assert memory.current("mira", "city").value == "Bergen"
        assert memory.check().ok


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda lines: lines[:-1], "cut off after line"),
        (lambda lines: [*lines[:9], lines[9][:20]], "line 10"),
        (lambda lines: lines[:5] + lines[6:], "digest"),
        (lambda lines: [line.replace(b"Oslo", b"Rome") for line in lines], "digest"),
        (lambda lines: [*lines[:3], b'{"table":"unheard","x":1}\n', *lines[3:]], "unknown table"),
        (lambda lines: [lines[0].replace(b'export":1', b'export":2'), *lines[1:]], "format 2"),
        (lambda lines: [re.sub(rb'"schema":\d+', b'"schema":99', lines[0]), *lines[1:]], "newer"),
        (lambda lines: lines[1:], "does not begin"),
        (lambda _: [], "empty"),
        (lambda lines: [lines[0], *lines[2:3], *lines[1:2], *lines[3:]], "out of order|digest"),
    ],
)
def test_what_is_not_whole_leaves_nothing_behind(lines, spoil, told, tmp_path):
    with store_at(tmp_path / "b.db") as other:
        with pytest.raises(BadExport, match=told):
            imported(other, spoil(lines))
        with other.snapshot() as snapshot:
            assert snapshot.tenants() == []
            assert sum(snapshot.moving_counts("default", None).values()) == 0


def test_a_tenant_that_has_other_memory_is_left_alone(lines, tmp_path):
    with Memory.open(tmp_path / "b.db") as memory:
        memory.write(subject="x", attribute="y", value="z")
    with store_at(tmp_path / "b.db") as other:
        before = exported(other)
        with pytest.raises(ResourceExists, match="has memory here already"):
            imported(other, lines)
        assert body(exported(other)) == body(before)
        assert imported(other, lines, tenant="second").fresh
        assert body(exported(other, "second")) == body(lines)
        assert other.check() == []


def test_a_person_is_moved_with_all_that_is_theirs_and_no_more(store, tmp_path):
    with store_at(store) as one, store_at(tmp_path / "b.db") as other:
        lines = exported(one, person="p1")
        assert b"shared" not in b"".join(lines)
        done = imported(other, lines)
        assert (done.person, done.fresh, done.counts["erased"]) == ("p1", True, 0)
        assert body(exported(other, person="p1")) == body(lines)
        assert not imported(other, lines).fresh
        assert other.check() == []
        with other.snapshot() as snapshot:
            assert snapshot.persons_of("default") == ["p1"]
    with Memory.open(tmp_path / "b.db", clock=FakeClock(LATER), person="p1") as memory:
        assert memory.current("mira", "city").value == "Bergen"
        assert memory.search("mira city").hits[0].record.value == "Bergen"
        assert memory.check().ok


def test_an_erased_person_does_not_come_back_by_an_import(store, tmp_path):
    with store_at(store) as one:
        lines = exported(one, person="p1")
    with Memory.open(store, clock=FakeClock(LATER)) as memory:
        memory.erase_person("p1")
    with store_at(store) as one:
        with pytest.raises(ErasedPerson, match="erased"):
            imported(one, lines)
        with one.snapshot() as snapshot:
            assert snapshot.persons_of("default") == []
    with Memory.open(store, clock=FakeClock("2026-04-01T00:00:00Z"), person="p1") as memory:
        memory.write(subject="mira", attribute="city", value="new and welcome")
    with store_at(store) as one, store_at(tmp_path / "b.db") as other:
        imported(other, exported(one, person="p1"))
    with Memory.open(tmp_path / "b.db", person="p1") as memory:
        assert memory.current("mira", "city").value == "new and welcome"


def test_a_person_of_another_tenant_s_digests_is_refused(store, tmp_path):
    with Memory.open(tmp_path / "b.db") as memory:
        memory.write(subject="x", attribute="y", value="z")
    with store_at(store) as one, store_at(tmp_path / "b.db") as other:
        with pytest.raises(ResourceExists, match="another tenant"):
            imported(other, exported(one, person="p1"))
        with other.snapshot() as snapshot:
            assert snapshot.persons_of("default") == []


def test_what_an_erased_person_says_after_it_is_moved_even_if_clocks_step_back(store, tmp_path):
    """A tenant's own ledger and rows fit: whoever is there came after their erasure."""
    with Memory.open(store, clock=FakeClock("2020-01-01T00:00:00Z"), person="p2") as memory:
        memory.write(subject="gone", attribute="city", value="new and welcome")
    with store_at(store) as one, store_at(tmp_path / "b.db") as other:
        imported(other, exported(one))
    backup_store(store, tmp_path / "a.bak")
    done = restore_store(tmp_path / "a.bak", store, force=True)
    assert done.erased == 0
    for path in (store, tmp_path / "b.db"):
        with Memory.open(path, clock=FakeClock("2020-02-01T00:00:00Z"), person="p2") as memory:
            assert memory.current("gone", "city").value == "new and welcome"


def test_a_backup_brings_nobody_back_whatever_the_clocks_say(store, tmp_path):
    backup_store(store, tmp_path / "a.bak")
    with Memory.open(store, clock=FakeClock("2020-01-01T00:00:00Z")) as memory:
        memory.erase_person("p1")  # by a clock that stands before all that they said
    assert restore_store(tmp_path / "a.bak", store, force=True).erased == 1
    with store_at(store) as one, one.snapshot() as snapshot:
        assert snapshot.persons_of("default") == []
    with Memory.open(store, clock=FakeClock(LATER)) as memory:
        assert memory.check().ok


def test_vectors_are_taken_along_if_asked(tmp_path):
    embedder = HashEmbedder()
    with Memory.open(tmp_path / "a.db", embedder=embedder) as memory:
        memory.write(text="likes green tea", type="preference")
        memory.capture("something about coffee")
        assert memory.index.catch_up(20).pending == 0
    with store_at(tmp_path / "a.db") as one, store_at(tmp_path / "b.db") as other:
        lines = list(Export(one, "default", now=0, vectors=True).lines())
        assert json.loads(lines[-1])["count"] == 2
        assert imported(other, lines).vectors == 2
        assert list(Export(other, "default", now=0, vectors=True).lines())[1:] == lines[1:]
        again = imported(other, lines)
        assert not again.fresh
        assert list(Export(other, "default", now=0, vectors=True).lines())[1:] == lines[1:]
        with pytest.raises(BadExport, match="cut off"):
            imported(other, lines[:-1])


def test_a_service_s_tenant_is_moved_with_its_keys_and_settings(tmp_path):
    with closing(Service.open(tmp_path / "a.db", embedder="none")) as service:
        first = service.new_tenant("acme")
        caller = service.caller(Presented(f"Bearer {first.key}"))
        service.memory(caller.store(first.index_id, "write"), caller).write(
            subject="mira", attribute="city", value="Rome", idempotency_key="k1"
        )
        lines = exported(service.storage, "acme")
    with store_at(tmp_path / "b.db") as other:
        imported(other, lines)
        imported(other, lines, tenant="renamed")
        assert body(exported(other, "renamed")) == body(lines) == body(exported(other, "acme"))
    with closing(Service.open(tmp_path / "b.db", embedder="none")) as service:
        caller = service.caller(Presented(f"Bearer {first.key}"))
        memory = service.memory(caller.store(first.index_id, "write"), caller)
        assert memory.current("mira", "city").value == "Rome"
        again = memory.write(subject="mira", attribute="city", value="Rome", idempotency_key="k1")
        assert again.outcome == "stored"
        assert service.tenant("renamed").token_secret == service.tenant("acme").token_secret


def test_the_trail_goes_on_from_the_seal_that_was_told_before(store, lines, tmp_path):
    with store_at(store) as one:
        head = one.audit("default", seal_at=1).head
        lines = exported(one)
    with store_at(tmp_path / "b.db") as other:
        imported(other, lines)
        assert other.audit("default").head == head
    with Memory.open(tmp_path / "b.db") as memory:
        memory.write(subject="x", attribute="y", value="z")
        assert memory.check().ok
    with store_at(tmp_path / "b.db") as other:
        summary = other.audit("default", anchor=head)
        assert (summary.broken, summary.unsealed) == ((), 0)
        with other.transaction("default") as transaction:
            rows = list(transaction.moving_rows("audit", "default", None))
            assert len(rows) == len({r[1] for r in rows})
    altered = [line.replace(b'"outcome":"corrected"', b'"outcome":"stored"') for line in lines]
    assert altered != lines
    digest = hashlib.sha256(b"".join(altered[1:-1])).hexdigest()
    end = json.loads(altered[-1]) | {"digest": digest}
    with store_at(tmp_path / "c.db") as other:
        imported(other, [*altered[:-1], json.dumps(end).replace(": ", ":").encode() + b"\n"])
        assert other.audit("default").broken


def test_text_of_every_kind_comes_back_code_point_for_code_point(tmp_path):
    """C31: what the engine takes, a file takes; NUL and lone surrogates never get that far."""
    texts = [
        "👩‍👩‍👧 and 🇵🇹",
        "e\u0301 é",
        'quote " and \\ and \u2028',
        "a\tb\nc",
        "नमस्ते",
        "\u200dx",
    ]
    with Memory.open(tmp_path / "a.db") as memory:
        for text in texts:
            memory.write(text=text, type="fact", metadata={"said": text})
            memory.capture(text)
        before = [(r.text, r.metadata) for r in memory.list()]
        for bad in ("blue\0green", "smile \ud83d end"):
            with pytest.raises(InvalidInput):
                memory.write(text=bad, type="fact")
    with store_at(tmp_path / "a.db") as one, store_at(tmp_path / "b.db") as other:
        imported(other, exported(one))
    with Memory.open(tmp_path / "b.db") as memory:
        assert [(r.text, r.metadata) for r in memory.list()] == before


def test_numbers_are_compared_as_numbers_after_a_move_too(tmp_path):
    """C47: 8 is not more than 30, true is not 1, wherever the memory has been."""
    given = [{"n": 8}, {"n": 30}, {"n": 200}, {"n": "30"}, {"n": 30.0}, {"ok": True}, {"ok": 1},
             {"ok": None}, {}]  # fmt: skip
    with Memory.open(tmp_path / "a.db") as memory:
        for place, more in enumerate(given):
            memory.write(text=f"fact {place}", type="fact", metadata=more)
    with store_at(tmp_path / "a.db") as one, store_at(tmp_path / "b.db") as other:
        imported(other, exported(one))
    asked = ({"n": {"gte": 30}}, {"n": {"lt": 30}}, {"n": 30}, {"n": "30"}, {"ok": True}, {"ok": 1})
    right = [3, 1, 2, 1, 1, 1]
    for path in (tmp_path / "a.db", tmp_path / "b.db"):
        with Memory.open(path) as memory:
            assert [len(list(memory.list(metadata=each))) for each in asked] == right
