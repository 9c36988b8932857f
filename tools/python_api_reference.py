"""Write docs/reference/python-api.md from the docstrings of the public names.

A test compares the committed page with what this script gives.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import vigent
from vigent import errors, memory, simple, testing

TARGET = Path(__file__).resolve().parents[1] / "docs" / "reference" / "python-api.md"
WIDTH = 96

HEAD = """\
# Python API

<!-- Written from the docstrings by tools/python_api_reference.py; `make docs` renews it. -->

Everything a program needs is imported from `vigent`. Errors have a page of their own,
[Errors](errors.md), and so have the fields of a record, [The record](record.md).

Instants are datetimes with an offset, or ISO texts with one. Where a bare date is accepted, it is a
day in `timezone`, else in UTC. `person=` on any verb names whose memory is meant; left out, it is
the one given to `Memory.open`.
"""

TWIN = """\
It has every verb of `Memory` under the same name, to be awaited; `list` is an asynchronous
iterator."""


def signature(thing: Any, name: str) -> str:
    """The call as it is written, a parameter a line where it is long."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    parameters = [p for p in found.parameters.values() if p.name not in {"self", "cls"}]
    shown = found.replace(parameters=parameters)
    text = f"{name}{shown}".replace("'", "").replace("<factory>", "…")
    if len(text) <= WIDTH:
        return text
    lines: list[str] = []
    kind = None
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and kind not in {p.KEYWORD_ONLY, p.VAR_POSITIONAL}:
            lines.append("    *,")
        lines.append(f"    {str(p).replace(chr(39), '')},")
        kind = p.kind
    answer = "" if found.return_annotation is found.empty else f" -> {found.return_annotation}"
    return "\n".join([f"{name}(", *lines, f"){answer}".replace("'", "")])


def members(cls: type) -> list[tuple[str, Any]]:
    """Public members in the order in which the source has them, own class before bases."""
    found: dict[str, Any] = {}
    for base in cls.__mro__:
        if base.__module__.split(".")[0] != "vigent":
            continue
        for name, value in vars(base).items():
            if not name.startswith("_"):
                found.setdefault(name, value)
    return list(found.items())


def document(thing: Any) -> str:
    """The docstring, without its indent."""
    return inspect.getdoc(thing) or ""


def describe_class(cls: type, heading: str) -> list[str]:
    """A class with its methods and properties."""
    parts = [f"## {heading}", document(cls)]
    rows: list[str] = []
    for name, value in members(cls):
        raw = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if isinstance(raw, property):
            rows.append(f"- `.{name}`: {first_sentence(raw)}")
        elif inspect.isfunction(raw):
            call = signature(raw, f"{heading}.{name}")
            parts += [f"### {heading}.{name}", f"```\n{call}\n```", document(raw)]
    if rows:
        parts.insert(2, "\n".join(rows))
    return parts


def first_sentence(thing: Any) -> str:
    """The first line of a docstring."""
    return document(thing).split("\n\n")[0].replace("\n", " ")


def describe(name: str, thing: Any) -> list[str]:
    """One public name."""
    if inspect.isclass(thing):
        return describe_class(thing, name)
    if inspect.isfunction(thing):
        return [f"## {name}", f"```\n{signature(thing, name)}\n```", document(thing)]
    return [f"## {name}", f"`{thing}`".replace("typing.", "")]


def ordered() -> list[str]:
    """The facade first, then its asynchronous twin, then the rest by name; errors elsewhere."""
    names = [n for n in vigent.__all__ if not is_error(n)]
    first = ["Memory", "AsyncMemory"]
    return [*first, *(n for n in names if n not in first)]


def is_error(name: str) -> bool:
    """Whether a public name is one of the errors, which have a page of their own."""
    thing = getattr(vigent, name)
    return inspect.isclass(thing) and issubclass(thing, errors.VigentError)


def page() -> str:
    """The whole page."""
    parts = [HEAD.rstrip()]
    for name in ordered():
        if name == "AsyncMemory":
            parts += ["## AsyncMemory", document(vigent.AsyncMemory), TWIN]
        else:
            parts += describe(name, getattr(vigent, name))
        if name == "Memory":
            parts += describe_class(memory.Review, "Memory.review")
            parts += describe_class(memory.Persons, "Memory.persons")
    for part in (simple, testing):
        parts += [f"# {part.__name__}", document(part)]
        for name in part.__all__:
            thing = getattr(part, name)
            if inspect.isclass(thing) and name.endswith(("Contract", "Machine")):
                parts += [f"## {name}", document(thing)]
            else:
                parts += describe(name, thing)
    return "\n\n".join(part for part in parts if part) + "\n"


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
