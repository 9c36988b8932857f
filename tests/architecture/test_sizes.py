"""Files and functions stay small enough to be read in one go."""

from __future__ import annotations

import ast

from tests.architecture.source import Function, Module, is_docstring, module, modules

MODULE_LINES = 400
CONTRACT_SUITE_LINES = 600
FUNCTION_LINES = 60
FACADE_VERBS = 20
PORT_OPERATIONS = 16
# Opening a view or a transaction and closing are how one gets at the operations.
PORT_LIFECYCLE = {"reader", "snapshot", "transaction", "close"}
BANNED_NAMES = {
    "util",
    "utils",
    "helper",
    "helpers",
    "manager",
    "managers",
    "data",
    "misc",
    "common",
}


def limit(m: Module) -> int:
    return CONTRACT_SUITE_LINES if m.name.startswith("vigent.testing.") else MODULE_LINES


def function_lines(function: Function) -> int:
    """Lines of signature and body; the docstring does not count."""
    total = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if is_docstring(first):
        total -= (first.end_lineno or first.lineno) - first.lineno + 1
    return total


def test_no_module_is_longer_than_400_lines():
    long = {m.name: n for m in modules() if (n := len(m.text.splitlines())) > limit(m)}
    assert long == {}


def test_no_function_is_longer_than_60_lines():
    long = {
        f"{m.at(f)} {f.name}": n
        for m in modules()
        for f in m.functions()
        if (n := function_lines(f)) > FUNCTION_LINES
    }
    assert long == {}


def test_no_module_has_a_name_that_says_nothing():
    vague = [m.name for m in modules() if set(m.name.split(".")) & BANNED_NAMES]
    assert vague == []


def public_methods(cls: ast.ClassDef) -> list[str]:
    return [
        n.name
        for n in cls.body
        if isinstance(n, Function)
        and not n.name.startswith("_")
        and not any(isinstance(d, ast.Name) and d.id == "property" for d in n.decorator_list)
    ]


def classes(name: str) -> list[ast.ClassDef]:
    return [n for n in module(name).tree.body if isinstance(n, ast.ClassDef)]


def test_the_facade_has_at_most_20_verbs():
    facade = next(c for c in classes("vigent.memory") if c.name == "Memory")
    verbs = public_methods(facade)
    assert {"write", "current", "forget"} <= set(verbs)
    assert len(verbs) <= FACADE_VERBS


def test_the_storage_port_has_at_most_16_operations():
    operations = {name for c in classes("vigent.ports.storage") for name in public_methods(c)}
    assert operations > PORT_LIFECYCLE
    operations -= PORT_LIFECYCLE
    assert len(operations) <= PORT_OPERATIONS, sorted(operations)
