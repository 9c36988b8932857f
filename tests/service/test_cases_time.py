"""C12, C14, C15, C46: times, zones, dates and ends, the same on every surface."""

from __future__ import annotations

import time

import pytest

from tests.service.worlds import Refused

NOW = "2026-01-10T12:00:00Z"

ZONES = ["UTC", "Asia/Kolkata", "Pacific/Auckland", "America/Los_Angeles"]


@pytest.fixture
def host_zone(monkeypatch):
    def set_zone(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield set_zone
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("zone", ZONES)
def test_c12_one_time_with_a_zone_one_without(world, host_zone, zone):
    host_zone(zone)
    lou = {"subject": "lou", "attribute": "shift"}
    world.place().write(**lou, value="late", valid_from="2025-03-01T08:00:00+00:00")
    with pytest.raises(Refused) as caught:
        world.place().write(**lou, value="early", valid_from="2025-04-01T08:00:00")
    assert (caught.value.code, caught.value.field) == ("naive_instant", "valid_from")
    assert caught.value.status in {0, 422}
    world.restart()
    world.place().write(**lou, value="night", valid_from="2025-05-01T08:00:00Z")
    now = world.place().current("lou", "shift")
    assert now["value"] == "night"
    assert world.place().current("lou", "shift", as_of="2025-04-15")["value"] == "late"
    for name in ("valid_from", "recorded_from", "created_at", "last_changed_at"):
        assert now[name].endswith("Z")
    with pytest.raises(Refused) as caught:
        world.place().current("lou", "shift", as_of="2025-04-15T00:00:00")
    assert caught.value.code == "naive_instant"


def test_c14_the_repeated_hour(world):
    ned = {"subject": "ned", "attribute": "alarm"}
    world.place().write(**ned, value="on", valid_from="2024-10-27T02:30:00+02:00")
    world.place().write(**ned, value="off", valid_from="2024-10-27T02:10:00+01:00")
    assert world.place().current("ned", "alarm")["value"] == "off"
    before = world.place().current("ned", "alarm", as_of="2024-10-27T01:00:00Z")
    assert before["value"] == "on"
    for local in ("2024-10-27T02:30:00", "2024-03-31T02:30:00"):
        with pytest.raises(Refused) as caught:
            world.place().write(**ned, value="?", valid_from=local, timezone="Europe/Madrid")
        assert (caught.value.code, caught.value.field) == ("ambiguous_instant", "valid_from")
        for instant in ("02:30:00+02:00", "02:30:00+01:00"):
            assert instant in caught.value.message
    taken = world.place().write(
        **ned, value="late", valid_from="2024-10-27T04:30:00", timezone="Europe/Madrid"
    )
    assert taken["memory"]["valid_from"] == "2024-10-27T03:30:00Z"


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles"])
def test_c15_a_birthday_does_not_move(world, host_zone, zone):
    host_zone(zone)
    ola = world.place()
    ola.write(subject="ola", attribute="birth_date", value="1990-03-01")
    ola.write(subject="ola", attribute="address", value="4 Mill Row", valid_from="2025-07-01")
    assert ola.current("ola", "birth_date")["value"] == "1990-03-01"
    found = ola.current("ola", "address", as_of="2025-07-01")
    assert (found["value"], found["valid_from"]) == ("4 Mill Row", "2025-07-01T00:00:00Z")
    assert ola.current("ola", "address", as_of="2025-06-30") is None


def test_c15_a_bare_date_is_a_day_in_the_zone_that_is_named(world):
    ola = world.place()
    made = ola.write(
        subject="ola", attribute="address", value="4 Mill Row", valid_from="2025-07-01",
        timezone="Pacific/Auckland",
    )  # fmt: skip
    assert made["memory"]["valid_from"] == "2025-06-30T12:00:00Z"
    at = {"as_of": "2025-06-30", "timezone": "Pacific/Auckland"}
    assert ola.current("ola", "address", **at) is None


def test_c46_expired_is_out_of_every_read_at_once(world, clock):
    clock.set("2025-01-01T00:00:00Z")
    hal = world.place()
    hint = hal.write(
        subject="hal", attribute="pin_hint", value="moon", expires_at="2025-01-02T00:00:00Z"
    )["memory"]
    hal.write(subject="hal", attribute="pet", value="newt", retention_policy="keep")
    clock.set("2025-01-01T23:59:59.999999Z")
    assert hal.current("hal", "pin_hint")["value"] == "moon"
    clock.set("2025-01-02T00:00:00Z")
    for _ in range(6):
        assert hal.current("hal", "pin_hint") is None
        assert hal.history("hal", "pin_hint") == []
        assert [r["value"] for r in hal.list()] == ["newt"]
        assert [r["value"] for r in hal.list(include="history")] == ["newt"]
        assert [h["record"]["value"] for h in hal.search("hal pin hint moon", expand="always")] in (
            [],
            ["newt"],
        )
        assert "moon" not in hal.context("what is the pin hint of hal")["block"]
        with pytest.raises(Refused) as caught:
            hal.get(hint["memory_id"])
        assert caught.value.code == "not_found"
    assert hal.current("hal", "pet")["value"] == "newt"


def test_c46_the_sweeper_purges_once_and_tells_no_text(world, clock):
    clock.set("2025-01-01T00:00:00Z")
    hal = world.place()
    hint = {"subject": "hal", "attribute": "pin_hint", "value": "moonlit"}
    made = hal.write(**hint, expires_at="2025-01-02T00:00:00Z")["memory"]
    hal.write(subject="hal", attribute="pet", value="newt", retention_policy="keep")
    assert world.sweep("t1") == 0
    clock.set("2025-01-02T00:00:00Z")
    assert hal.current("hal", "pin_hint") is None
    assert (world.sweep("t1"), world.sweep("t1")) == (1, 0)
    assert [r["value"] for r in hal.list(include="history")] == ["newt"]
    assert hal.history("hal", "pin_hint") == []
    trail = world.audit("t1")
    assert "moonlit" not in str(trail)
    gone = [entry["target"] for entry in trail if entry["action"] == "memory_expire"]
    assert gone == [made["memory_id"]]
    again = hal.write(**hint)  # what is said anew is new, and nothing that had ended comes back
    assert (again["outcome"], len(hal.history("hal", "pin_hint"))) == ("stored", 1)


def test_c46_reading_does_not_prolong_and_ends_are_two_things(world, clock):
    clock.set("2025-01-01T00:00:00Z")
    hal = world.place()
    hal.write(
        subject="hal", attribute="pass", value="A", ttl_days=2, valid_to="2025-01-01T12:00:00Z"
    )
    for _ in range(5):
        assert hal.current("hal", "pass")["expires_at"] == "2025-01-03T00:00:00Z"
    clock.set("2025-01-01T13:00:00Z")
    assert hal.current("hal", "pass") is None
    assert [r["value"] for r in hal.history("hal", "pass")] == ["A"]
    clock.set("2025-01-03T00:00:00Z")
    assert hal.history("hal", "pass") == []


@pytest.mark.parametrize("zone", ["Nope/Zone", "../etc/passwd", "localtime", ""])
def test_c46_a_zone_that_is_none_is_refused_wherever_it_stands(client, first, admin, zone):
    at, named = {"index_id": first.index_id, "timezone": zone}, {"timezone": zone}
    sure = "2026-06-01T10:00:00Z"
    bodies = {
        "/memory": {**at, "text": "x", "valid_from": sure}, "/episodes": {**at, "content": "x"},
        "/memory/propose": {**at, "text": "x", "confidence": 1},
        "/memory/search": {**at, "query": "x"}, "/context": {**at, "query": "x"},
    }  # fmt: skip
    told = [client.post(f"/v1{path}", json=body, headers=admin) for path, body in bodies.items()]
    store = f"/v1/stores/{first.index_id}"
    paths = (f"{store}/state/kit", f"{store}/blocks", "/v1/tools", "/v1/usage")
    told += [client.get(path, params=named, headers=admin) for path in paths]
    told.append(client.get("/v1/memory", params=at, headers=admin))
    assert {(one.status_code, one.json()["field"]) for one in told} == {(422, "timezone")}
