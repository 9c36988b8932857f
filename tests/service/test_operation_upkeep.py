"""Upkeep seals, sweeps and purges by itself, and keeps nobody waiting."""

from __future__ import annotations

import threading
import time

import pytest

from vigent import Memory
from vigent.govern.registry import Actor
from vigent.service import Service
from vigent.settings import UpkeepSettings
from vigent.testing import FakeClock

QUICK = UpkeepSettings(seal_seconds=0.1, sweep_seconds=0.1, purge_quiet_seconds=0.2)


def until(holds, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def pending(service):
    with service.storage.snapshot() as snapshot:
        return snapshot.pending()


def test_an_entry_is_sealed_within_a_second(tmp_path):
    service = Service.open(tmp_path / "a.db")
    service.start()
    for name in ("one", "two"):
        service.new_tenant(name)
        began = time.monotonic()
        until(lambda: pending(service).unsealed_since is None, 10)
        assert time.monotonic() - began < 1.5
    service.close()
    assert service.upkeep.sealed == 6


def test_what_was_not_sealed_yet_is_sealed_at_the_end(tmp_path):
    service = Service.open(tmp_path / "a.db")
    service.start(UpkeepSettings(seal_seconds=1000))
    service.new_tenant("one")
    assert pending(service).unsealed_since is not None
    service.close()
    with Memory.open(tmp_path / "a.db", tenant="one") as memory:
        summary = memory._storage.audit("one")
    assert (summary.sealed, summary.unsealed, summary.broken) == (3, 0, ())


def test_a_great_backlog_is_sealed_in_parts_between_which_others_write(tmp_path):
    service = Service.open(tmp_path / "a.db")
    service.new_tenant("one")
    items = [{"subject": f"s{n}", "attribute": "a", "value": n} for n in range(6_000)]
    with Memory.open(tmp_path / "a.db", tenant="one") as memory:
        memory.write_many(items)
    sealing = threading.Thread(target=service.storage.seal, args=(service.clock.now(),))
    waits: list[float] = []
    sealing.start()
    while sealing.is_alive():
        began = time.monotonic()
        service.registry.note(Actor("one"), "test", "stored")
        waits.append(time.monotonic() - began)
    sealing.join()
    # One part is 1,000 entries; the whole in one transaction would take several times that.
    assert len(waits) > 1
    service.storage.seal(service.clock.now())
    summary = service.storage.audit("one")
    assert (summary.unsealed, summary.broken) == (0, ())
    assert summary.sealed == 6_003 + len(waits)
    service.close()


def test_what_is_past_its_time_goes_in_every_tenant_and_store(tmp_path):
    clock = FakeClock("2026-01-10T12:00:00Z")
    path = tmp_path / "a.db"
    for tenant, store in (("one", "default"), ("one", "other"), ("two", "default")):
        with Memory.open(path, tenant=tenant, store=store, clock=clock) as memory:
            memory.write(subject="s", attribute="a", value="x", ttl_days=1)
            memory.write(subject="s", attribute="b", value="y", ttl_days=9)
    service = Service.open(path, clock=clock)
    clock.advance(days=2)
    service.start(QUICK)
    until(lambda: service.upkeep.swept == 3)
    service.close()
    for tenant, store in (("one", "default"), ("one", "other"), ("two", "default")):
        with Memory.open(path, tenant=tenant, store=store, clock=clock) as memory:
            assert set(memory.current("s")) == {"b"}


def test_an_erasure_is_purged_from_the_file_in_a_quiet_moment(tmp_path):
    path = tmp_path / "a.db"
    service = Service.open(path)
    service.start(QUICK)
    with Memory.open(path, person="mira") as memory:
        memory.write(subject="mira", attribute="a", value="the-secret-of-mira" * 40)
        assert memory.erase_person("mira").state == "removed"
    until(lambda: service.upkeep.purged == 1)
    assert pending(service).unpurged_since is None
    service.close()
    held = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert b"the-secret-of-mira" not in held


def test_while_others_write_it_is_not_purged_until_it_is_late(tmp_path):
    path = tmp_path / "a.db"
    clock = FakeClock("2026-01-10T12:00:00Z")
    service = Service.open(path, clock=clock)
    service.start(UpkeepSettings(enabled=False))
    assert service.upkeep is None
    with Memory.open(path, person="mira", clock=clock) as memory:
        memory.write(subject="mira", attribute="a", value="x")
        memory.erase_person("mira")
    service.start(UpkeepSettings(seal_seconds=3600))
    upkeep = service.upkeep
    assert upkeep.purge() is False
    clock.advance(seconds=899)
    service.registry.note(Actor("default"), "test", "stored")
    assert upkeep.purge() is False
    clock.advance(seconds=1)
    assert upkeep.purge() is True
    service.close()


def test_nothing_to_do_costs_next_to_nothing(tmp_path):
    service = Service.open(tmp_path / "a.db")
    service.new_tenant("one")
    service.storage.seal(service.clock.now())
    best = min(_seconds(lambda: service.storage.seal(0)) for _ in range(200))
    assert best < 0.002
    service.close()


def _seconds(call) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


@pytest.mark.parametrize("engine", ["memory", "file"])
def test_pending_is_the_same_of_every_engine(engine, tmp_path):
    clock = FakeClock("2026-01-10T12:00:00Z")
    place = ":memory:" if engine == "memory" else tmp_path / "a.db"
    service = Service.open(place, clock=clock)
    assert tuple(pending(service)) == (None, None, None, ())
    at = clock.now()
    service.new_tenant("one")
    clock.advance(seconds=1)
    service.registry.note(Actor("one"), "test", "stored")
    assert tuple(pending(service))[:3] == (at, at + 1_000_000, None)
    service.storage.seal(clock.now())
    assert tuple(pending(service))[:3] == (None, at + 1_000_000, None)
    service.close()
