"""The world of the command line: each verb is a command on the file, run in this process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.integration.command_line import run
from tests.service.worlds import Json, Refused, dumped
from vigent import Memory

RENAMED = {"source_episode_id": "episode", "retention_policy": "retention",
           "budget_tokens": "budget"}  # fmt: skip


class CliWorld:
    """``vigent`` on one file. Its clock is the machine's: it has no other."""

    def __init__(self, path: Any, clock: Any) -> None:
        self.path = str(path)
        with Memory.open(path, clock=clock):
            pass  # commands that only read do not make a store

    def place(self, tenant: str = "t1", person: str | None = None) -> CliPlace:
        return CliPlace(self.path, tenant, person)

    def erase(self, tenant: str, person: str) -> Mapping[str, int]:
        return CliPlace(self.path, tenant, None).ask("erase-person", person)["counts"]

    def sweep(self, tenant: str) -> int:
        return CliPlace(self.path, tenant, None).ask("sweep")["forgotten"]

    def reindex(self, tenant: str) -> None:
        CliPlace(self.path, tenant, None).ask("reindex")

    def audit(self, tenant: str) -> list[Json]:
        return CliPlace(self.path, tenant, None).ask("audit list")

    def restart(self) -> None:
        """Each command opens the file anew."""

    def close(self) -> None:
        """Nothing is kept open."""


class CliPlace:
    def __init__(self, path: str, tenant: str, person: str | None) -> None:
        self._shared = [f"--db={path}", f"--tenant={tenant}", "--json"]
        if person is not None:
            self._shared.append(f"--person={person}")

    def ask(self, command: str, *words: str, stdin: bytes = b"", **named: Any) -> Any:
        ran = run(*command.split(), *self._shared, *options(named), "--", *words, stdin=stdin)
        if ran.code in {0, 1}:
            return json.loads(ran.out)
        if command == "import" and ran.out:
            return json.loads(ran.out)
        told = json.loads(ran.err.splitlines()[-1])
        raise Refused(told["code"], told["field"], told["message"])

    def write(self, **fields: Any) -> Json:
        value = fields.pop("value", fields)
        words = [fields.pop(n) for n in ("subject", "attribute") if fields.get(n) is not None]
        if isinstance(value, str):
            words.append(value)
        elif value is not fields:
            fields["value_json"] = json.dumps(value)
        return self.ask("write", *words, **fields)

    def write_many(self, items: list[Json], *, atomic: bool = False) -> list[Json]:
        assert not atomic, "an import is never all or nothing"
        lines = b"\n".join(dumped({"kind": "write", **item}) for item in items)
        told = self.ask("import", "-", stdin=lines)
        errors = {error["line"]: error for error in told["errors"]}
        (outcome,) = told["writes"]  # it counts outcomes, and names the lines that were refused
        numbers = range(1, len(items) + 1)
        return [{"error": errors[n]} if n in errors else {"outcome": outcome} for n in numbers]

    def retract(self, memory_id: str, **fields: Any) -> Json:
        record = self.get(memory_id)
        named = {"value_json": json.dumps(record["value"])}
        return self.ask("retract", record["subject"], record["attribute"], **named, **fields)

    def capture(self, content: Any, **fields: Any) -> Json:
        return self.ask("capture", content, **fields)

    def capture_all(self, items: list[Json]) -> None:
        lines = b"\n".join(dumped({"kind": "episode", **item}) for item in items)
        told = self.ask("import", "-", stdin=lines)
        assert (told["episodes"], told["failed"]) == (len(items), 0), told

    def current(self, subject: str, attribute: str, **at: Any) -> Json | None:
        return self.ask("current", subject, attribute, **at)

    def history(self, subject: str, attribute: str) -> list[Json]:
        return self.ask("history", subject, attribute)

    def list(self, **filters: Any) -> list[Json]:
        return self.ask("list", **filters)

    def get(self, memory_id: str) -> Json:
        return self.ask("get", memory_id)

    def amend(self, memory_id: str, **changes: Any) -> Json:
        record = self.get(memory_id)
        if "value" not in changes:
            return {"memory": self.ask("update", memory_id, **changes)}
        named = {"subject": record["subject"], "attribute": record["attribute"]}
        return self.write(**named, **changes, mode="correction", corrects=memory_id)

    def forget(self, memory_id: str) -> None:
        if not self.ask("forget", memory_id)["forgotten"]:
            raise Refused("not_found", "memory_id", "was forgotten before")

    def search(self, query: Any, **asked: Any) -> list[Json]:
        return self.ask("search", query, **asked)["hits"]

    def context(self, query: str, **asked: Any) -> Json:
        return self.ask("context", query, **asked)


def options(named: Json) -> list[str]:
    """Give arguments as options; what is None is left out."""
    found = []
    for name, value in named.items():
        if value is not None:
            said = json.dumps(value) if isinstance(value, dict | list) else str(value)
            found.append(f"--{RENAMED.get(name, name).replace('_', '-')}={said}")
    return found
