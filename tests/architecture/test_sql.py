"""SQL is text in files: named, described, used, and never put together in code."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.queries import POSTGRES_FILES, QUERIES_FILE, Query, read_queries
from tests.architecture.source import Module, is_docstring, modules

SQL_WORDS = re.compile(
    r"\b(SELECT|INSERT INTO|INSERT OR|UPDATE|DELETE FROM|CREATE (TABLE|INDEX|TRIGGER|VIRTUAL)|"
    r"DROP|ALTER TABLE|PRAGMA|VACUUM|ATTACH|FROM|WHERE|JOIN|VALUES|ORDER BY|GROUP BY|LIMIT)\b"
)
RUNNERS = {"execute", "executemany", "executescript"}

QUERIES = read_queries() if QUERIES_FILE.exists() else []


def has_sql(node: ast.AST) -> bool:
    return any(
        isinstance(n, ast.Constant) and isinstance(n.value, str) and SQL_WORDS.search(n.value)
        for n in ast.walk(node)
    )


def is_built(node: ast.AST) -> bool:
    """Whether an expression makes a string out of parts."""
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Mod)
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"format", "join", "replace", "format_map"}
    )


def built_sql(m: Module) -> list[str]:
    docstrings = {id(n) for n in ast.walk(m.tree) if isinstance(n, ast.Expr) and is_docstring(n)}
    found = [
        m.at(n) for n in ast.walk(m.tree) if id(n) not in docstrings and is_built(n) and has_sql(n)
    ]
    run = [
        m.at(n)
        for n in ast.walk(m.tree)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr in RUNNERS
        and n.args
        and is_built(n.args[0])
    ]
    return found + run


def test_no_sql_is_put_together_in_code():
    assert [place for m in modules() for place in built_sql(m)] == []


def test_sql_drivers_are_known_to_storage_alone():
    drivers = {"apsw", "sqlite3", "psycopg"}
    importers = {
        m.name
        for m in modules()
        for n in ast.walk(m.tree)
        if (isinstance(n, ast.Import) and {a.name.split(".")[0] for a in n.names} & drivers)
        or (isinstance(n, ast.ImportFrom) and (n.module or "").split(".")[0] in drivers)
    }
    assert importers
    assert {n for n in importers if not n.startswith("vigent.storage")} == set()


def test_query_names_are_unique():
    names = [q.name for q in QUERIES]
    assert names
    assert len(names) == len(set(names))


@pytest.mark.parametrize("query", QUERIES, ids=lambda q: q.name)
def test_a_query_has_a_sentence_and_ends(query: Query):
    assert re.fullmatch(r"[a-z][a-z0-9_]*", query.name)
    assert len(query.sentence.split()) >= 2, "say in a sentence what it is for"
    assert query.sql.endswith(";")
    assert query.sql.count(";") == 1


def strings(m: Module) -> tuple[set[str], set[str]]:
    """The string constants of a module, docstrings apart; and the fixed begins of f-strings."""
    docstrings = {
        id(n.value) for n in ast.walk(m.tree) if isinstance(n, ast.Expr) and is_docstring(n)
    }
    whole = {
        n.value
        for n in ast.walk(m.tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docstrings
    }
    stems = {
        n.values[0].value
        for n in ast.walk(m.tree)
        if isinstance(n, ast.JoinedStr) and isinstance(n.values[0], ast.Constant)
    }
    return whole, stems


STRINGS = [strings(m) for m in modules() if m.name.startswith("vigent.storage.")]


def runs(name: str, whole: set[str], stems: set[str]) -> bool:
    """Whether a module names a query, whole or as a fixed stem and a listed rest."""
    stem, _, rest = name.partition("_")
    return name in whole or (f"{stem}_" in stems and rest in whole)


EVERY = {query.name: query for query in (*QUERIES, *read_queries(*POSTGRES_FILES))}


@pytest.mark.parametrize("query", EVERY.values(), ids=lambda q: q.name)
def test_a_query_is_used(query: Query):
    assert any(runs(query.name, *named) for named in STRINGS), "nothing runs it"
