"""Nothing a user can reach is missing from the documentation."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import typer.main

import vigent
from tools import python_api_reference
from vigent import errors, settings
from vigent.edges.cli.app import app

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def everything() -> str:
    return "\n".join(p.read_text(encoding="utf-8") for p in sorted(DOCS.rglob("*.md")))


def test_every_public_name_is_documented():
    text = page("reference/python-api.md") + page("reference/errors.md")
    assert [n for n in vigent.__all__ if not re.search(rf"(## |`){n}\b", text)] == []


def test_every_verb_is_documented():
    text = page("reference/python-api.md")
    verbs = [n for n, _ in inspect.getmembers(vigent.Memory, callable) if not n.startswith("_")]
    assert len(verbs) > 10
    assert [verb for verb in verbs if f"### Memory.{verb}\n" not in text] == []


def test_the_python_reference_is_what_its_code_writes():
    assert page("reference/python-api.md") == python_api_reference.page(), "run `make docs`"


def test_every_error_is_documented_with_its_code_and_class():
    text = page("reference/errors.md")
    classes = [getattr(errors, n) for n in errors.__all__]
    assert [c.__name__ for c in classes if f"| `{c.code}` | `{c.__name__}` |" not in text] == []


def test_every_command_is_documented():
    group = typer.main.get_command(app)
    text = page("reference/cli.md")
    assert len(group.commands) > 10
    assert [name for name in group.commands if f"vigent {name}" not in text] == []


def test_every_field_of_a_record_is_documented_in_its_order():
    with vigent.Memory.open(":memory:") as memory:
        record = memory.write(subject="mira", attribute="seat", value="12A").memory
    assert record is not None
    documented = re.findall(r"^\| `(\w+)` \|", page("reference/record.md"), re.MULTILINE)
    assert documented == list(record.to_dict())


def test_every_setting_is_documented():
    text = everything()
    groups = [c for _, c in inspect.getmembers(settings, is_dataclass) if inspect.isclass(c)]
    names = [field.name for group in groups for field in fields(group)]
    variables = re.findall(r"VIGENT_[A-Z_]+", inspect.getsource(settings))
    assert [n for n in [*names, *variables] if f"`{n}`" not in text] == []
