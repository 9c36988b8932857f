"""Clocks, zones and dates."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys

import pytest

from vigent import Memory
from vigent.errors import AmbiguousInstant, InvalidInput, NaiveInstant

ASKED = """
import sys
from vigent import Memory
with Memory.open(sys.argv[1]) as m:
    m.write(subject="ola", attribute="birth_date", value="1990-03-01")
    m.write(subject="ola", attribute="address", value="4 Mill Row", valid_from="2025-07-01")
    m.write(subject="lou", attribute="shift", value="late", valid_from="2025-03-01T08:00:00+00:00")
    try:
        m.write(subject="lou", attribute="shift", value="early", valid_from="2025-04-01T08:00:00")
    except Exception as error:
        print(error.code)
with Memory.open(sys.argv[1]) as m:
    m.write(subject="lou", attribute="shift", value="night", valid_from="2025-05-01T08:00:00Z")
    print(m.current("lou", "shift").to_dict()["valid_from"])
    print(m.current("lou", "shift", as_of="2025-04-15").value)
    print(m.current("ola", "birth_date").to_dict()["value"])
    print(m.current("ola", "address", as_of="2025-07-01").value)
    print(m.current("ola", "address", as_of="2025-06-30"))
"""


class TestC12NoZone:
    def test_a_time_without_an_offset_is_refused_naming_the_field(self, memory):
        for name in ("valid_from", "valid_to", "expires_at"):
            for naive in ("2025-04-01T08:00:00", dt.datetime(2025, 4, 1, 8)):
                with pytest.raises(NaiveInstant) as refused:
                    memory.write(subject="lou", attribute="shift", value="x", **{name: naive})
                assert refused.value.field == name
        for name in ("as_of", "known_at"):
            with pytest.raises(NaiveInstant) as refused:
                memory.current("lou", "shift", **{name: "2025-04-01T08:00:00"})
            assert refused.value.field == name
        assert list(memory.list()) == []

    def test_every_time_read_back_bears_an_offset(self, memory):
        memory.write(subject="lou", attribute="shift", value="late")
        record = memory.current("lou", "shift")
        names = ("valid_from", "recorded_from", "created_at", "last_changed_at", "expires_at")
        assert all(getattr(record, name).tzinfo is not None for name in names)
        assert all(record.to_dict()[name].endswith("Z") for name in names)

    @pytest.mark.parametrize(
        "zone", ["UTC", "Asia/Kolkata", "Pacific/Auckland", "America/Los_Angeles"]
    )
    def test_the_zone_of_the_machine_changes_nothing(self, tmp_path, zone):
        done = subprocess.run(
            [sys.executable, "-c", ASKED, str(tmp_path / "a.db")],
            env={**os.environ, "TZ": zone}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.split("\n") == [
            "naive_instant", "2025-05-01T08:00:00Z", "late", "1990-03-01", "4 Mill Row", "None", "",
        ]  # fmt: skip


class TestC14RepeatedHour:
    def test_the_instant_counts_not_the_clock_on_the_wall(self, memory):
        said = {"subject": "ned", "attribute": "alarm"}
        memory.write(**said, value="on", valid_from="2024-10-27T02:30:00+02:00")
        memory.write(**said, value="off", valid_from="2024-10-27T02:10:00+01:00")
        assert memory.current("ned", "alarm").value == "off"
        assert memory.current("ned", "alarm", as_of="2024-10-27T01:00:00Z").value == "on"

    @pytest.mark.parametrize(
        ("wall", "zone"),
        [
            ("2024-10-27T02:30:00", "Europe/Madrid"),
            ("2024-03-31T02:30:00", "Europe/Madrid"),
            ("2024-11-03T01:30:00", "America/New_York"),
            ("2024-03-10T02:30:00", "America/New_York"),
        ],
    )
    def test_a_wall_clock_time_that_is_no_single_instant_is_refused(self, memory, wall, zone):
        with pytest.raises(AmbiguousInstant) as refused:
            memory.write(
                subject="ned", attribute="alarm", value="on", valid_from=wall, timezone=zone
            )
        assert refused.value.field == "valid_from"

    def test_both_instants_of_a_repeated_hour_are_named(self, memory):
        with pytest.raises(AmbiguousInstant) as refused:
            memory.write(
                subject="ned", attribute="alarm", value="on", valid_from="2024-10-27T02:30:00",
                timezone="Europe/Madrid",
            )  # fmt: skip
        assert "+02:00" in str(refused.value) or "00:30" in str(refused.value)
        assert "+01:00" in str(refused.value) or "01:30" in str(refused.value)

    def test_an_unknown_zone_is_refused(self, memory):
        with pytest.raises(InvalidInput):
            memory.write(
                subject="ned", attribute="alarm", value="on", valid_from="2024-10-27T12:00:00",
                timezone="Mars/Olympus",
            )  # fmt: skip


class TestC15Birthday:
    def test_a_date_is_a_date(self, memory):
        for given in ("1990-03-01", dt.date(1990, 3, 1)):
            last = memory.write(subject="ola", attribute="birth_date", value=given)
        assert last.outcome == "confirmed"
        record = memory.current("ola", "birth_date")
        assert record.value == dt.date(1990, 3, 1)
        assert record.to_dict()["value"] == "1990-03-01"

    @pytest.mark.parametrize(
        ("zone", "first"),
        [
            (None, "2025-07-01T00:00:00Z"),
            ("Pacific/Auckland", "2025-06-30T12:00:00Z"),
            ("America/Los_Angeles", "2025-07-01T07:00:00Z"),
        ],
    )
    def test_a_bare_date_is_a_day_of_the_zone(self, memory, zone, first):
        memory.write(
            subject="ola", attribute="address", value="4 Mill Row", valid_from="2025-07-01",
            valid_to="2025-07-03", timezone=zone,
        )  # fmt: skip
        asked = [
            memory.current("ola", "address", as_of=f"2025-07-0{n}", timezone=zone)
            for n in (1, 2, 3)
        ]
        assert [r and r.value for r in asked] == ["4 Mill Row", "4 Mill Row", None]
        assert memory.current("ola", "address", as_of="2025-06-30", timezone=zone) is None
        assert asked[0].to_dict()["valid_from"] == first


class TestC18Future:
    def test_what_begins_later_is_not_yet_in_force(self, memory, clock):
        clock.set("2025-08-01T12:00Z")
        memory.write(subject="sol", attribute="note", value="kettle is descaled",
                     valid_from="2025-08-13T12:00Z")  # fmt: skip
        memory.write(subject="sol", attribute="note2", value="kettle is new",
                     valid_from="2025-07-31T00:00Z")  # fmt: skip
        assert memory.current("sol", "note") is None
        assert set(memory.current("sol")) == {"note2"}
        assert [r.value for r in memory.search("kettle").records] == ["kettle is new"]
        clock.set("2025-08-13T12:00Z")
        assert memory.current("sol", "note").value == "kettle is descaled"

    @pytest.mark.parametrize("seconds", [1, 3_600, 86_400 * 400])
    def test_the_clock_stepping_back_puts_no_statement_before_an_earlier_one(
        self, memory, clock, seconds
    ):
        clock.set("2025-08-01T12:00Z")
        mint = memory.write(subject="sol", attribute="tea", value="mint").memory
        clock.advance(seconds=-seconds)
        sage = memory.write(subject="sol", attribute="tea", value="sage").memory
        assert memory.current("sol", "tea").value == "sage"
        assert memory.current("sol")["tea"].value == "sage"
        assert sage.recorded_from > mint.recorded_from
        assert memory.history("sol", "tea")[-1].value == "sage"

    def test_the_age_of_what_lies_ahead_is_not_negative(self, tmp_path, clock):
        schema = {"attributes": {"note": {"half_life_days": 1}}}
        with Memory.open(tmp_path / "a.db", schema=schema, clock=clock) as memory:
            memory.write(subject="sol", attribute="note", value="x", confidence=0.8)
            clock.advance(days=-5)
            assert memory.current("sol", "note").effective_confidence == pytest.approx(0.8)
            clock.advance(days=7)
            assert memory.current("sol", "note").effective_confidence == pytest.approx(0.2)
