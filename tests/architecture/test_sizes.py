"""Files and functions stay small enough to be read in one go."""

from __future__ import annotations

import inspect

from tests.architecture.source import Function, Module, is_docstring, modules
from vigent.memory import Memory
from vigent.ports.storage import Quick, Snapshot, Storage, Transaction

MODULE_LINES = 400
CONTRACT_SUITE_LINES = 600
FUNCTION_LINES = 60
# With what they inherit: how many a caller of the façade has to choose from, and how many an
# adapter has to have.
FACADE_METHODS = 23
PORT_METHODS = 81
PROTOCOL_METHODS = 21
PORT = (Storage, Quick, Snapshot, Transaction)
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


def public_methods(*classes: type) -> set[str]:
    """The methods that callers of a class have, from its bases too; properties do not count."""
    return {
        name
        for cls in classes
        for name, _ in inspect.getmembers(cls, callable)
        if not name.startswith("_")
    }


def own_methods(cls: type) -> set[str]:
    return {name for name in public_methods(cls) if name in vars(cls)}


def test_the_facade_has_at_most_23_methods():
    verbs = public_methods(Memory)
    assert {"write", "current", "forget", "search"} <= verbs
    assert len(verbs) <= FACADE_METHODS, sorted(verbs)


def test_the_storage_port_has_at_most_81_methods():
    methods = public_methods(*PORT)
    assert {"transaction", "apply", "thread_items", "passages"} <= methods
    assert len(methods) <= PORT_METHODS, sorted(methods)


def test_no_protocol_of_the_storage_port_has_more_than_21_methods_of_its_own():
    parts = {part for whole in PORT for part in whole.__mro__}
    large = {p.__name__: n for p in parts if (n := len(own_methods(p))) > PROTOCOL_METHODS}
    assert large == {}
