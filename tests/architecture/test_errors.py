"""Errors are caught by name, and each has a code of its own."""

from __future__ import annotations

import ast

from tests.architecture.source import Function, Module, module, modules

# A broad handler belongs where a failure must become an answer: at the edge of a
# process, of a job, or of code that others wrote.
BROAD_EXCEPT_ALLOWED = {
    ("vigent.learn.hiding", "hide"),
    ("vigent.service.learning", "steps"),
    ("vigent.service.working", "_do"),
    ("vigent.service.working", "_run"),
    ("vigent.edges.cli.app", "main"),
    ("vigent.edges.http.front", "_pass_on"),
    ("vigent.edges.http.opening", "_open"),
    ("vigent.govern.upkeep", "_guarded"),
    ("vigent.learn.worker", "run_one"),
    ("vigent.models.guarded", "_guarded"),
    ("vigent.models.guarded", "converse"),
}
BROAD = {"Exception", "BaseException"}


def names(node: ast.expr | None) -> set[str]:
    if node is None:
        return {"BaseException"}
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return {p.id for p in parts if isinstance(p, ast.Name)}


def broad_places(m: Module) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()

    def visit(node: ast.AST, inside: str) -> None:
        for child in ast.iter_child_nodes(node):
            here = child.name if isinstance(child, Function) else inside
            if isinstance(child, ast.ExceptHandler) and names(child.type) & BROAD:
                found.add((m.name, here))
            if (
                isinstance(child, ast.Call)
                and getattr(child.func, "attr", getattr(child.func, "id", "")) == "suppress"
                and any(names(argument) & BROAD for argument in child.args)
            ):
                found.add((m.name, here))
            visit(child, here)

    visit(m.tree, "")
    return found


def test_broad_handlers_stand_at_the_named_places_only():
    found = {place for m in modules() for place in broad_places(m)}
    assert found == BROAD_EXCEPT_ALLOWED


def error_classes() -> dict[str, ast.ClassDef]:
    return {n.name: n for n in module("vigent.errors").tree.body if isinstance(n, ast.ClassDef)}


def test_every_error_stands_in_the_tree_of_the_docstring():
    drawn = ast.get_docstring(module("vigent.errors").tree) or ""
    assert [name for name in error_classes() if name not in drawn] == []


def test_every_error_has_its_own_code():
    codes = [
        ast.literal_eval(n.value)
        for cls in error_classes().values()
        for n in cls.body
        if isinstance(n, ast.Assign | ast.AnnAssign)
        and n.value is not None
        and getattr(n.targets[0] if isinstance(n, ast.Assign) else n.target, "id", "") == "code"
    ]
    assert len(codes) == len(error_classes())
    assert len(set(codes)) == len(codes)


def test_the_library_raises_no_bare_value_errors_at_callers():
    """Facade and pipelines speak in the tree's errors; builtins are for our own faults."""
    raised = [
        m.at(n)
        for m in modules()
        if m.name.startswith(
            ("vigent.memory", "vigent.aio", "vigent.write", "vigent.read", "vigent.govern")
        )
        for n in ast.walk(m.tree)
        if isinstance(n, ast.Raise)
        and isinstance(n.exc, ast.Call)
        and getattr(n.exc.func, "id", "")
        in {"Exception", "ValueError", "RuntimeError", "KeyError", "TypeError"}
    ]
    assert raised == []
