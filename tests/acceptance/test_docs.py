"""What the pages show is what happens: every block is executed, every output compared.

Each page is followed twice in one folder. In each page the ``python`` blocks run in order and
share their names, and so do the ``bash`` blocks their folder. A ``text`` block right after one
is the output it must give; ``…`` in it stands for anything within a line. ``yaml`` blocks that
begin with a comment naming a file are written to that file first.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import FENCE, ROOT, Block, blocks, matches
from tools import draw_time_axes
from vigent import Memory
from vigent.testing import FakeClock

# Commands that make or fetch the project itself; what they name is checked, not run.
SHOWN_ONLY = (
    "make ",
    "git clone ",
    "cd ",
    "pip install ",
    "python3 -m venv ",
    ".venv/bin/vigent",
    "vigent serve",
    "curl",
)


def pages() -> list[Path]:
    return [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted(p for p in (ROOT / "docs").rglob("*.md") if "adr" not in p.parts),
    ]


def run_python(page: Path, block: Block, names: dict[str, object]) -> str:
    # Padded so that a traceback names the line of the page; a page has no future imports of ours.
    code = compile("\n" * block.line + block.body, str(page), "exec", dont_inherit=True)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, names)
    return out.getvalue()


def run_bash(block: Block, folder: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("VIGENT_")}
    environment |= {
        "PATH": f"{Path(sys.executable).parent}:{environment['PATH']}",
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.body],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def shown_only(block: Block) -> bool:
    lines = [line.split("#")[0].strip() for line in block.body.splitlines()]
    return all(line.startswith(SHOWN_ONLY) for line in lines if line)


@pytest.mark.parametrize("page", pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_a_page_does_what_it_shows_however_often(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # the second time with all the files that the first one left
        follow(page, tmp_path)


def follow(page: Path, tmp_path: Path) -> None:
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(page):
        where = f"{page.relative_to(ROOT)}:{block.line}"
        if block.language == "python":
            output = run_python(page, block, names)
        elif block.language == "bash" and not shown_only(block):
            output = run_bash(block, tmp_path)
        elif block.language == "yaml" and (file := re.match(r"# (\S+\.yaml)\n", block.body)):
            (tmp_path / file[1]).write_text(block.body, encoding="utf-8")
            continue
        else:
            # ``sh`` asks a running service; tests/service follows those pages. ``sql`` is for
            # a server.
            assert block.language in {"text", "bash", "", "json", "yaml", "sh", "sql"}, where
            continue
        assert matches(block.expected or "", output), (
            f"{where} gives\n{output}\ninstead of\n{block.expected}"
        )
    for value in names.values():
        if isinstance(value, Memory):
            value.close()


def test_make_targets_that_pages_name_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = {
        (str(page.relative_to(ROOT)), target)
        for page in [*pages(), ROOT / "ARCHITECTURE.md"]
        for target in re.findall(r"\bmake ([a-z-]+)\b", "\n".join(code_of(page)))
    }
    assert named
    assert {(page, target) for page, target in named if target not in targets} == set()


def code_of(page: Path) -> list[str]:
    """Fenced blocks and inline code of a page."""
    text = page.read_text(encoding="utf-8")
    return [*(m[2] for m in FENCE.finditer(text)), *re.findall(r"`([^`\n]+)`", text)]


def test_links_between_pages_lead_somewhere():
    everywhere = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    dead = [
        f"{page.relative_to(ROOT)} -> {target}"
        for page in everywhere
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert dead == []


def test_every_page_is_reached_from_the_index():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)#\s]+)", index))
    all_pages = {str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")}
    unlinked = {p for p in all_pages - linked if not p.startswith("adr/")} - {"index.md"}
    assert unlinked == set()


def test_the_picture_is_what_its_code_draws():
    assert draw_time_axes.TARGET.read_text(encoding="utf-8") == draw_time_axes.picture()


def test_the_picture_shows_what_the_engine_believes():
    clock = FakeClock(draw_time_axes.STATED)
    with Memory.open(":memory:", clock=clock) as memory:
        key = {"subject": "mira", "attribute": "passport_deadline"}
        memory.write(**key, value="2026-07-15")
        clock.set(draw_time_axes.CHANGED)
        memory.write(**key, value="2026-06-30")
        clock.set(draw_time_axes.CORRECTED)
        memory.write(**key, value="2026-07-14", mode="correction", valid_from=draw_time_axes.STATED)
        rows = [record.to_dict() for record in memory.history("mira", "passport_deadline")]
        names = ("value", "valid_from", "valid_to", "recorded_from", "recorded_to")
        drawn = [tuple(getattr(belief, n) for n in names) for belief in draw_time_axes.BELIEFS]
        assert sorted(map(str, (tuple(row[n] for n in names) for row in rows))) == sorted(
            map(str, drawn)
        )
        for question, value in zip(
            draw_time_axes.QUESTIONS, ["2026-06-30", "2026-07-14", "2026-07-15"], strict=True
        ):
            clock.set("2026-06-06T18:00:00Z")
            known_at = question.known_at if question.label == "C" else None
            answer = memory.current(
                "mira", "passport_deadline", as_of=question.as_of, known_at=known_at
            )
            assert answer is not None
            assert answer.value == value
