"""The tree holds the project and nothing of the machine it was written on."""

from __future__ import annotations

import re

from tests.architecture.source import ROOT, tree_files

# Written in pieces so that this file is not its own finding.
MACHINE_PATHS = re.compile(
    r"(?<![\w.])/(wo" r"rk|fa" r"rm|ro" r"ot|ho" r"me|tm" r"p|Us" r"ers)/[\w.]"
)
REGISTRIES = re.compile(
    r"(index-" r"url|find-" r"links|trusted-" r"host|_auth" r"Token|py" r"pi\.[a-z]+/simple)"
)


def found(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number} {line.strip()[:80]}"
        for path in tree_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_path_of_a_machine_stands_in_the_tree():
    assert found(MACHINE_PATHS) == []


def test_no_registry_is_named_in_the_tree():
    assert found(REGISTRIES) == []


def test_the_files_a_newcomer_looks_for_are_there():
    expected = [
        "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "GLOSSARY.md", "ARCHITECTURE.md",
        "Makefile", "pyproject.toml", ".ci/run", "src/vigent/py.typed", "docs/index.md",
    ]  # fmt: skip
    assert [name for name in expected if not (ROOT / name).exists()] == []


def test_the_readme_gives_both_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make run" in text
    assert "make test" in text


def test_ci_calls_make_test():
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_architecture_page_shows_the_package_as_it_is():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"^  ([\w.]+?)/? {2,}\S", page, re.MULTILINE))
    package = ROOT / "src" / "vigent"
    there = {p.name for p in package.iterdir() if p.suffix == ".py" or p.is_dir()}
    assert drawn == there - {"__pycache__"}
