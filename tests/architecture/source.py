"""The project's own source, parsed once, for tests that look at its shape."""

from __future__ import annotations

import ast
import functools
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "vigent"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """One Python file of the package."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    def functions(self) -> list[Function]:
        return [n for n in ast.walk(self.tree) if isinstance(n, Function)]

    def at(self, node: ast.AST) -> str:
        return f"{self.path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


def parse(path: Path) -> Module:
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    text = path.read_text(encoding="utf-8")
    return Module(name, path, text, ast.parse(text, filename=str(path)))


@functools.cache
def modules() -> tuple[Module, ...]:
    """Every module of the package, by path."""
    found = tuple(parse(path) for path in sorted(PACKAGE.rglob("*.py")))
    assert found, "the package has no modules: the tests look in the wrong place"
    return found


def module(name: str) -> Module:
    return next(m for m in modules() if m.name == name)


@functools.cache
def tree_files() -> tuple[Path, ...]:
    """Every text file that belongs to the project: tracked, or new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return tuple(p for p in paths if p.is_file() and p.suffix not in {".png", ".ico"})


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    return body[1:] if body and is_docstring(body[0]) else body


def is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
