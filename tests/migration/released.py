"""Makes the fixture of a released schema: a small store as SQL text, and what it answers.

Run it once when a schema is released, with that version: ``python -m tests.migration.released``.
What it wrote is never written again; later versions must bring it up to date and answer the same.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

from vigent import Memory
from vigent.storage.migrate import migrations_of
from vigent.testing import FakeClock
from vigent.testing.pairs import plain

FOLDER = Path(__file__).parent / "stores"
NOW = "2026-03-01T12:00:00Z"
SCHEMA: dict[str, Any] = {
    "version": 2,
    "attributes": {
        "city": {"kind": "text"},
        "allergy": {"kind": "text", "cardinality": "multi"},
        "score": {"kind": "decimal"},
    },
}
LONG = "long " * 300
PROBES: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] = (
    ("current", ("mira", "city"), {"person": "p1"}),
    ("current", ("mira", "city"), {"person": "p1", "as_of": "2026-01-15T00:00:00Z"}),
    ("current", ("mira", "city"), {"person": "p1", "as_of": "2026-01-15T00:00:00Z",
                                   "known_at": "2026-02-02T00:00:00Z"}),
    ("current", ("mira",), {"person": "p1"}),
    ("current", ("mira", "allergy"), {"person": "p1"}),
    ("current", ("mimi", "city"), {"person": "p1"}),
    ("current", ("acme", "score"), {}),
    ("current", ("acme", "score"), {"as_of": "2026-02-10T00:00:00Z"}),
    ("current", ("acme", "note"), {}),
    ("current", ("acme", "desk"), {}),
    ("current", ("Zoë", "city"), {}),
    ("history", ("mira", "city"), {"person": "p1"}),
    ("history", ("acme", "score"), {}),
    ("history", ("acme", "desk"), {}),
    ("list", (), {"person": "p1"}),
    ("list", (), {"person": "p1", "include": "history"}),
    ("list", (), {"person": "p2"}),
    ("search", ("tea",), {"person": "p1"}),
    ("threads.items", ("t1",), {"person": "p1"}),
    ("diff", (), {"since": "2026-01-01", "until": "2026-03-01", "person": "p1"}),
)  # fmt: skip


def filled(path: Path) -> None:
    """Say a little of everything."""
    clock = FakeClock("2026-02-01T09:00:00Z")
    with Memory.open(path, schema=SCHEMA, clock=clock, person="p1") as m:
        said = m.capture("I live in Rome 🇵🇹 and „like“ tea", thread="t1", speaker="Mira")
        m.write(subject="mira", attribute="city", value="Rome", quote="Rome",
                source_episode_id=said.id, valid_from="2026-01-10T00:00:00Z")  # fmt: skip
        m.write(subject="mira", attribute="allergy", value="nuts")
        m.write(subject="mira", attribute="allergy", value="pollen", retention_policy="keep")
        m.write(type="preference", text="likes green tea in the morning")
        m.write(subject="acme", attribute="score", value=Decimal("2.50"), person=None)
        m.write(subject="acme", attribute="note", value=LONG, person=None)
        m.write(subject="Zoe\u0308", attribute="city", value="東京都", person=None)
        m.write(subject="gone", attribute="city", value="secret", person="p2")
        clock.advance(days=3)
        m.write(subject="mira", attribute="city", value="Oslo", valid_from="2026-02-03T00:00:00Z")
        m.write(subject="mira", attribute="city", value="Milan", mode="correction",
                valid_from="2026-01-12T00:00:00Z")  # fmt: skip
        m.write(subject="acme", attribute="score", value=3, person=None,
                valid_from="2026-02-04T00:00:00Z", valid_to="2026-02-20T00:00:00Z")  # fmt: skip
        desk = m.write(subject="acme", attribute="desk", value="3-114", person=None)
        m.retract(subject="mira", attribute="seat", value="1A")
        m.alias("mimi", of="mira")
        m.threads.create(id="t2")
        m.threads.set_state("t2", {"step": 2})
        m.persons.link("p1", "mira")
        m.erase_person("p2")
        assert desk.memory is not None
        m.forget(desk.memory.memory_id, person=None)
        assert m.check().ok


def answers(path: Path) -> list[Any]:
    """Give what the probes are answered."""
    with Memory.open(path, schema=SCHEMA, clock=FakeClock(NOW)) as memory:
        return [_asked(memory, *probe) for probe in PROBES]


def _asked(memory: Memory, verb: str, args: tuple[Any, ...], more: dict[str, Any]) -> Any:
    target: Any = memory
    for name in verb.split("."):
        target = getattr(target, name)
    return json.loads(json.dumps(plain(target(*args, **more))))


def main() -> None:
    """Write the fixture of the schema that this version makes."""
    number = migrations_of("vigent.storage.sqlite")[-1].number
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        filled(path)
        connection = sqlite3.connect(path)
        dump = "\n".join(connection.iterdump())
        connection.close()
        told = json.dumps(answers(path), ensure_ascii=False, indent=0)  # it counts what it reads
    (FOLDER / f"{number:04}.sql").write_text(
        f"{dump}\nPRAGMA user_version = {number};\n", encoding="utf-8"
    )
    (FOLDER / f"{number:04}.json").write_text(told + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
