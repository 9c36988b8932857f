"""Write docs/reference/python-api.md from the docstrings of the public names.

A test compares the committed page with what this script gives.
"""

from __future__ import annotations

import inspect
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

import vigent
from vigent import errors, simple, testing
from vigent import parts as facade_parts
from vigent.aliases import Aliases
from vigent.candidates import Candidates
from vigent.domain import aliases, episodes, injection, messages
from vigent.govern import keeping
from vigent.write import result

TARGET = Path(__file__).resolve().parents[1] / "docs" / "reference" / "python-api.md"
WIDTH = 96

HEAD = """\
# Python API

<!-- Written from the docstrings by tools/python_api_reference.py; `make docs` renews it. -->

Everything a program needs is imported from `vigent`, the errors from `vigent.errors`. They have a
page of their own, [Errors](errors.md), and so have the fields of a record, [The record](record.md).

Instants are datetimes with an offset, or ISO texts with one. Where a bare date is accepted, it is a
day in `timezone`, else in UTC. `person=` on any verb names whose memory is meant; left out, it is
the one given to `Memory.open`; `None` means what is shared. `<unset>` stands for "left out".
"""

# What verbs answer with and nobody makes: not among the public names.
ANSWERS = (
    messages.ContextTrace,
    aliases.Alias,
    aliases.AliasResult,
    aliases.Names,
    episodes.Evidence,
    episodes.Visibility,
    result.ForgetResult,
    result.Receipt,
    result.ReviewItem,
    keeping.CheckReport,
    messages.Message,
)
# Parts of settings, which a program may also write as mappings.
SECTIONS = (
    injection.InjectionSettings,
    injection.Shares,
    injection.CommitmentSettings,
    injection.BlockLimits,
)

TWIN = """\
It has every verb of `Memory` under the same name, to be awaited; `list` is an asynchronous
iterator."""

CLIENT = """\
It has these verbs of `Memory`, with the same arguments and answers: `{verbs}`, and
those of `threads`, `blocks`, `alias`, `review` and `persons`.
[Use a service from Python](../how-to/python-client.md) tells the rest."""


def signature(thing: Any, name: str) -> str:
    """The call as it is written, a parameter a line where it is long."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    parts: list[str] = []
    kind = None
    for p in found.parameters.values():
        if p.name in {"self", "cls"}:
            continue
        if p.kind is p.KEYWORD_ONLY and kind not in {p.KEYWORD_ONLY, p.VAR_POSITIONAL}:
            parts.append("*")
        parts.append(parameter(p))
        kind = p.kind
    empty = found.return_annotation is found.empty
    answer = "" if empty else f" -> {annotation(found.return_annotation)}"
    text = f"{name}({', '.join(parts)}){answer}"
    if len(text) <= WIDTH:
        return text
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){answer}"])


def annotation(given: Any) -> str:
    """An annotation as the source has it."""
    return given if isinstance(given, str) else inspect.formatannotation(given)


def parameter(p: inspect.Parameter) -> str:
    """One parameter with its annotation and default, as the source has them."""
    stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    noted = "" if p.annotation is p.empty else f": {annotation(p.annotation)}"
    default = "" if p.default is p.empty else f" = {p.default!r}"
    return f"{stars}{p.name}{noted}{default}".replace('"', "'")


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


def plain_fields(cls: type) -> list[str]:
    """The fields of a dataclass or a model, with their annotations and a model's defaults."""
    if is_dataclass(cls):
        return [f"{f.name}: {annotation(f.type)}{default(f)}" for f in fields(cls) if f.init]
    if not issubclass(cls, BaseModel):
        return []
    found = inspect.signature(cls).parameters
    return [parameter(found[name]) for name in cls.model_fields]


def default(found: Any) -> str:
    """The default of a dataclass's field, where it is a plain value."""
    return "" if found.default is MISSING else f" = {found.default!r}"


def document(thing: Any) -> str:
    """The docstring, without its indent."""
    return inspect.getdoc(thing) or ""


def describe_class(cls: type, heading: str) -> list[str]:
    """A class with its methods and properties."""
    parts = [f"## {heading}", document(cls)]
    rows = [f"- `.{row}`" for row in plain_fields(cls)]
    call = vars(cls).get("__call__")
    if call is not None:
        parts += [f"```\n{signature(call, heading)}\n```", document(call)]
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


def describe_client(name: str) -> list[str]:
    """A client: how it is made, and which verbs it shares with ``Memory``."""
    cls = getattr(vigent, name)
    shared = [n for n, value in vars(cls).items() if callable(value) and not n.startswith("_")]
    verbs = "`, `".join(n for n in shared if n != "close")
    call = signature(cls, name).removesuffix(" -> None")
    return [f"## {name}", f"```\n{call}\n```", document(cls), CLIENT.format(verbs=verbs)]


def ordered() -> list[str]:
    """The facade first, then its asynchronous twin, then the rest by name; errors elsewhere."""
    names = [n for n in vigent.__all__ if not is_error(n)]
    first = ["Memory", "AsyncMemory", "Client", "AsyncClient"]
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
        elif name in {"Client", "AsyncClient"}:
            parts += describe_client(name)
        else:
            parts += describe(name, getattr(vigent, name))
        if name == "Memory":
            parts += describe_class(facade_parts.Review, "Memory.review")
            parts += describe_class(facade_parts.Persons, "Memory.persons")
            parts += describe_class(facade_parts.Threads, "Memory.threads")
            parts += describe_class(facade_parts.Blocks, "Memory.blocks")
            parts += describe_class(Aliases, "Memory.alias")
            parts += describe_class(Candidates, "Memory.candidates")
    parts += ["# Other answers", "What verbs give back; a program reads these and makes none."]
    for cls in ANSWERS:
        parts += describe_class(cls, cls.__name__)
    parts += ["# Sections of settings", "A mapping of the fields does as well."]
    for cls in SECTIONS:
        parts += describe_class(cls, cls.__name__)
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
