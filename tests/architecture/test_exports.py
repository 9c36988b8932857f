"""The public names are a list, and nothing hides in a package's ``__init__``."""

from __future__ import annotations

import ast

import pytest

import vigent
from tests.architecture.source import Module, is_docstring, modules

PACKAGES = [m for m in modules() if m.path.name == "__init__.py"]


def declared(m: Module) -> list[str] | None:
    for node in m.tree.body:
        if isinstance(node, ast.Assign) and [getattr(t, "id", "") for t in node.targets] == [
            "__all__"
        ]:
            return ast.literal_eval(node.value)
    return None


def imported(m: Module) -> set[str]:
    return {
        alias.asname or alias.name
        for node in m.tree.body
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
    }


def test_the_public_names_are_the_imported_ones_in_order():
    init = next(m for m in PACKAGES if m.name == "vigent")
    names = declared(init)
    assert names is not None
    assert names == sorted(names)
    assert set(names) == imported(init)
    assert all(getattr(vigent, name).__doc__ for name in names)


@pytest.mark.parametrize("m", PACKAGES, ids=lambda m: m.name)
def test_an_init_holds_imports_and_a_list_and_no_code(m):
    code = [
        m.at(n)
        for n in m.tree.body
        if not (
            isinstance(n, ast.Import | ast.ImportFrom)
            or is_docstring(n)
            or (isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "__all__")
        )
    ]
    assert code == []


def test_every_folder_of_the_package_says_what_it_is_for():
    assert [m.name for m in PACKAGES if not ast.get_docstring(m.tree)] == []
    folders = {m.path.parent for m in modules()}
    assert folders == {m.path.parent for m in PACKAGES}


def test_every_module_has_a_docstring():
    assert [m.name for m in modules() if not ast.get_docstring(m.tree)] == []
