"""The command line as a process: pipes, terminals, and its own help page."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from tests.integration.command_line import process_environment, spawn
from tools import cli_reference
from vigent.edges.cli.app import main

MEMORY_ID = re.compile(r"mem_\w+")


def fill(store, number: int) -> None:
    rows = "\n".join(
        f'{{"kind":"write","subject":"s{n}","attribute":"a","value":"{"long value " * 8}{n}"}}'
        for n in range(number)
    )
    assert store.run("import", "-", stdin=rows).code == 0


def on_terminal(*words: str, columns: int) -> str:
    """What a person sees on a terminal of so many columns, without its colours."""
    leader, follower = pty.openpty()
    environment = process_environment(COLUMNS=str(columns), TERM="xterm-256color")
    process = subprocess.Popen(
        [sys.executable, "-m", "vigent", *words],
        stdout=follower,
        stderr=follower,
        stdin=subprocess.DEVNULL,
        env=environment,
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # the other end is gone
            break
        if not chunk:
            break
        seen += chunk
    os.close(leader)
    assert process.wait() == 0
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen.decode()).replace("\r\n", "\n")


def test_a_pipe_that_is_closed_early_ends_quietly(store):
    fill(store, 3000)
    for words in (["list"], ["list", "--json"]):
        process = subprocess.Popen(
            [sys.executable, "-m", "vigent", *words, "--db", str(store.path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=process_environment(),
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(100)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0
        process.stderr.close()


def test_an_import_whose_reader_has_gone_is_no_bad_file(store, tmp_path):
    file = tmp_path / "facts.jsonl"
    file.write_text('{"kind":"write","subject":"mira","attribute":"city","value":"Lund"}\n')
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [sys.executable, "-m", "vigent", "import", str(file), "--db", str(store.path)],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=process_environment(),
        check=False,
    )
    os.close(writer)
    assert (process.returncode, process.stderr) == (0, b"")
    assert store.ask("current", "mira", "city")["value"] == "Lund"


def test_piped_output_never_wraps_or_cuts_an_id(store):
    fill(store, 20)
    out = store.spawn("list", COLUMNS="40").out
    ids = {row["memory_id"] for row in store.ask("list")}
    assert set(MEMORY_ID.findall(out)) == ids
    rows = [line for line in out.splitlines() if "mem_" in line]
    assert len(rows) == 20
    assert "\x1b" not in out


def test_a_terminal_of_80_columns_is_readable(store):
    fill(store, 3)
    store.ask("write", "s1", "a", "changed", "--source", "a rather long source, as they come")
    ids = {row["memory_id"] for row in store.ask("list", "--include", "history")}
    for words in (["list"], ["history", "s1", "a"], ["current", "s1"], ["current", "s1", "a"]):
        seen = on_terminal(*words, "--db", str(store.path), columns=80)
        assert max(map(len, seen.splitlines())) <= 80, seen
        found = set(MEMORY_ID.findall(seen))
        assert found, seen
        assert found <= ids, seen  # whole ids, none cut
        assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?Z", seen), seen


def test_a_terminal_gets_indented_json(store):
    fill(store, 1)
    seen = on_terminal("current", "s0", "a", "--json", "--db", str(store.path), columns=80)
    assert '\n  "memory_id": "mem_' in seen


def test_the_demo_is_readable_on_80_columns():
    seen = on_terminal("demo", columns=80)
    assert max(map(len, seen.splitlines())) <= 80, seen
    assert "2026-06-30" in seen


def test_the_store_can_come_from_the_environment(store):
    store.ask("write", "mira", "city", "Lund")
    assert (
        spawn("current", "mira", "city", "--json", VIGENT_DB=str(store.path)).json["value"]
        == "Lund"
    )


def test_exit_codes_reach_the_shell(store):
    store.ask("write", "mira", "city", "Lund")
    assert store.spawn("current", "mira", "city").code == 0
    assert store.spawn("current", "mira", "pet").code == 1
    refused = store.spawn("write", "mira", "city", " ")
    assert refused.code == 2
    assert refused.err.startswith("error[")
    assert store.spawn("write", "mira", "city", "Faro", "--expect", "mem_x").code == 3


def test_the_script_named_vigent_is_this_command_line():
    [script] = [e for e in entry_points(group="console_scripts") if e.name == "vigent"] or [None]
    if script is not None:  # only where the package is installed, as CI does
        assert script.load() is main


def test_the_reference_page_is_what_the_commands_say():
    assert cli_reference.PAGE.read_text(encoding="utf-8") == cli_reference.page()


def test_the_reference_page_has_every_command_and_option():
    text = cli_reference.PAGE.read_text(encoding="utf-8")
    for command in ("write", "retract", "capture", "current", "history", "provenance", "diff",
                    "list", "forget", "erase-person", "review accept", "import", "check", "demo",
                    "eval"):  # fmt: skip
        assert f"\n## vigent {command}\n" in text
    for option in ("--as-of", "--known-at", "--value-json", "--dry-run", "VIGENT_DB"):
        assert option in text


def test_search_on_a_narrow_terminal_leaves_the_words_room(store):
    said = "Mira waters the ferns on the balcony on Mondays and Thursdays"
    written = store.ask("write", "--text", said)["memory"]
    lines = on_terminal("search", "ferns", "--db", str(store.path), columns=80).splitlines()
    assert all(len(line) <= 80 for line in lines)
    (words,) = [at for at, line in enumerate(lines) if said in line]
    assert lines[words + 1].strip().endswith(written["memory_id"])


def test_context_on_a_terminal_keeps_each_line_of_json_whole(store):
    said = "Mira waters the ferns " * 8
    written = store.ask("write", "--text", said.strip())["memory"]
    seen = on_terminal("context", "ferns", "--db", str(store.path), columns=80)
    (line,) = [each for each in seen.splitlines() if each.startswith("{")]
    assert json.loads(line)["memory_id"] == written["memory_id"]


def answered(*words: str, answer: str) -> tuple[int, str]:
    """Run a command on a terminal where a person types an answer; gives its code and output."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "vigent", *words],
        stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=process_environment(),
    )  # fmt: skip
    os.write(leader, answer.encode())
    shown, _ = process.communicate(timeout=60)
    os.close(follower)
    os.close(leader)
    return process.returncode, shown.decode()


@pytest.mark.parametrize(("answer", "left"), [("n\n", 1), ("\x04", 1), ("y\n", 0)])
def test_on_a_terminal_erase_person_asks(store, answer, left):
    store.ask("write", "mira", "city", "Lund", "--person", "mira")
    code, shown = answered("erase-person", "mira", "--db", str(store.path), answer=answer)
    assert "Erase mira in tenant default" in shown
    assert code == left
    assert store.run("list", "--person", "mira").code == 1 - left


def test_on_a_terminal_yes_is_not_asked(store):
    store.ask("write", "mira", "city", "Lund", "--person", "mira")
    words = ["erase-person", "mira", "--db", str(store.path)]
    for more in ("--dry-run", "--yes"):
        code, shown = answered(*words, more, answer="")
        assert code == 0
        assert "for good?" not in shown
    assert store.run("list", "--person", "mira").code == 1
