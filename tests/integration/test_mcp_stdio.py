"""``vigent mcp``: a real client, a process of its own, and the bytes between them."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import anyio
import pytest

from tests.integration.agents import over_stdio
from tests.integration.command_line import process_environment
from vigent import Memory

HELLO = (
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)


def piped(*messages: dict[str, object], words: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    """Send messages one after the other without waiting, close the pipe, and take what comes."""
    return subprocess.run(
        [sys.executable, "-m", "vigent", "mcp", *words],
        input="".join(json.dumps(message) + "\n" for message in messages),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=process_environment(),
    )


def call(id: int, tool: str, **arguments: object) -> dict[str, object]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_passport_story(store, mode):
    async def story() -> None:
        async with over_stdio("--db", str(store.path), "--person", "mira", mode=mode) as agent:
            first = await agent.call(
                "memory_write",
                subject="mira",
                attribute="passport_deadline",
                value="2026-07-15",
                valid_from="2026-06-01T09:00:00Z",
                quote="My passport deadline is 2026-07-15.",
                speaker="Mira",
            )
            assert first["outcome"] == "stored"
            second = await agent.call(
                "memory_write",
                subject="mira",
                attribute="passport_deadline",
                value="2026-06-30",
                valid_from="2026-06-03T10:00:00Z",
                confidence=95,
                quote="It is now 2026-06-30.",
                speaker="Mira",
            )
            assert second["outcome"] == "superseded"
            assert [each["id"] for each in second["ended"]] == [first["memory"]["id"]]

            found = await agent.call("memory_search", query="When is Mira's passport deadline?")
            [hit] = found["hits"]
            assert (hit["exact"], hit["memory"]["value"]) == (True, "2026-06-30")
            assert hit["memory"]["confidence"] == "95%"
            source = hit["memory"]["source"]
            assert source["quote"] == "It is now 2026-06-30."
            assert (source["speaker"], source["trust"]) == ("Mira", "assistant")
            assert source["episode"].startswith("ep_")

            then = await agent.call(
                "memory_current",
                subject="mira",
                attribute="passport_deadline",
                as_of="2026-06-02",
            )
            assert [each["value"] for each in then["memories"]] == ["2026-07-15"]
            block = await agent.call("memory_context", query="passport deadline")
            assert '"value":"2026-06-30"' in block["block"]
            assert "2026-07-15" not in block["block"]
            assert block["memory_ids"] == [second["memory"]["id"]]

            undo = second["undo"]
            assert undo["tool"] == "memory_write"
            back = await agent.call(undo["tool"], **undo["arguments"])
            assert back["outcome"] == "retracted"
            now = await agent.call("memory_current", subject="mira", attribute="passport_deadline")
            assert [each["value"] for each in now["memories"]] == ["2026-07-15"]
            again = await agent.call(back["undo"]["tool"], **back["undo"]["arguments"])
            assert again["memory"]["valid_from"] == "2026-06-03T10:00:00Z"
            assert again["memory"]["confidence"] == "95%"

    anyio.run(story)


def test_what_is_written_is_there_for_the_other_commands(store):
    async def written() -> None:
        async with over_stdio("--db", str(store.path), "--person", "mira") as agent:
            await agent.call("memory_write", subject="mira", attribute="city", value="Madrid")

    anyio.run(written)
    shown = store.run("current", "mira", "city", "--person", "mira", "--json")
    assert (shown.json["value"], shown.json["trust"]) == ("Madrid", "assistant")
    assert store.run("current", "mira", "city", "--json").json is None


def test_twenty_writes_sent_without_waiting_are_all_kept(store):
    """The client closes its end at once: each is answered before the server ends."""
    writes = [
        call(n, "memory_write", subject="mira", attribute=f"fact_{n}", value=str(n))
        for n in range(1, 21)
    ]
    done = piped(*HELLO, *writes, words=("--db", str(store.path)))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    outcomes = {a["id"]: a["result"] for a in answers if a["id"]}
    assert sorted(outcomes) == list(range(1, 21))
    assert {r["structuredContent"]["outcome"] for r in outcomes.values()} == {"stored"}
    assert done.returncode == 0
    with Memory.open(store.path) as memory:
        assert {r.value for r in memory.list(subject="mira")} == {str(n) for n in range(1, 21)}


def test_writes_sent_without_waiting_are_taken_in_their_order(store):
    writes = [
        call(n, "memory_write", subject="mira", attribute="step", value=str(n))
        for n in range(1, 21)
    ]
    piped(*HELLO, *writes, words=("--db", str(store.path)))
    with Memory.open(store.path) as memory:
        assert memory.current("mira", "step").value == "20"
        believed = [r for r in memory.history("mira", "step") if r.recorded_to is None]
        assert [r.value for r in believed] == [str(n) for n in range(1, 21)]


def test_standard_output_has_the_protocol_only(store):
    """A call that fails, one that is nonsense, and a line that is no JSON: all told elsewhere."""
    done = subprocess.run(
        [sys.executable, "-m", "vigent", "mcp", "--db", str(store.path)],
        input="\n".join(
            [
                *map(json.dumps, HELLO),
                "not json",
                json.dumps(call(1, "memory_forget", memory_id="mem_none")),
                json.dumps(call(2, "no_such_tool")),
                "",
            ]
        ),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=process_environment(),
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert {0, 1, 2} <= {answer.get("id") for answer in answers}
    assert "mem_none" not in done.stderr


def test_options_that_do_not_fit_are_told_before_anything_is_served(store):
    done = store.spawn("mcp", "--person", "  ")
    assert (done.code, done.out) == (2, "")
    assert "error[invalid_input] person" in done.err


def test_without_the_extra_the_command_says_what_to_install(store, tmp_path):
    """As it is where the package is missing: the import of it fails."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text(
        textwrap.dedent(
            """
            import sys

            class Missing:
                def find_spec(self, name, path=None, target=None):
                    if name == "mcp":
                        raise ModuleNotFoundError("No module named 'mcp'", name="mcp")

            sys.meta_path.insert(0, Missing())
            """
        )
    )
    environment = process_environment()
    environment["PYTHONPATH"] = f"{hidden}:{environment['PYTHONPATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "vigent", "mcp", "--db", str(store.path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "vigent[mcp]" in done.stderr
    assert not store.path.exists()
