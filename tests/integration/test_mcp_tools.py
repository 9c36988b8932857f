"""The tools of memory: what a model may do, what it may not, and what it is told."""

from __future__ import annotations

import json

import anyio
import pytest

from tests.integration.agents import in_process
from vigent import Memory
from vigent.edges.mcp import Bound
from vigent.errors import InvalidInput
from vigent.proposals import Hold
from vigent.schema import load_schema

MEMORY = ["memory_search", "memory_current", "memory_history", "memory_context", "memory_write",
          "memory_forget"]  # fmt: skip
GRAPH = ["create_entities", "create_relations", "add_observations", "delete_entities",
         "delete_observations", "delete_relations", "read_graph", "search_nodes",
         "open_nodes"]  # fmt: skip


def played(scene, **opened):
    async def play() -> None:
        async with in_process(**opened) as (agent, memory):
            await scene(agent, memory)

    anyio.run(play)


def test_each_tool_has_its_hints_and_an_output_schema():
    async def scene(agent, _memory):
        tools = {tool.name: tool for tool in (await agent.client.list_tools()).tools}
        assert list(tools) == [*MEMORY, *GRAPH]
        assert all(tool.output_schema and tool.description for tool in tools.values())
        hints = {name: tool.annotations for name, tool in tools.items()}
        assert {name for name, hint in hints.items() if hint.read_only_hint} == {
            "memory_search", "memory_current", "memory_history", "memory_context",
            "read_graph", "search_nodes", "open_nodes",
        }  # fmt: skip
        assert {name for name, hint in hints.items() if hint.destructive_hint} == {
            "memory_forget", "delete_entities", "delete_observations", "delete_relations",
        }  # fmt: skip
        for tool in tools.values():
            named = set(tool.input_schema.get("properties", {}))
            assert not named & {"person", "tenant", "store", "trust"}

    played(scene)


def test_the_text_is_the_structured_answer_in_compact_json():
    async def scene(agent, _memory):
        await agent.call("memory_write", subject="mira", attribute="city", value="Madrid")
        text = await agent.said("memory_current", subject="mira")
        given = await agent.call("memory_current", subject="mira")
        assert json.loads(text)["memories"] == given["memories"]
        assert "\n" not in text
        assert "null" not in text

    played(scene)


def test_a_whole_number_of_any_size_is_read_as_it_was_written():
    large = 2**70

    async def scene(agent, memory):
        memory.write(subject="mira", attribute="grains", value=large, person="mira")
        found = json.loads(await agent.said("memory_current", subject="mira"))
        assert [one["value"] for one in found["memories"]] == [large]
        read = await agent.client.read_resource("vigent://state/mira")
        assert json.loads(read.contents[0].text)["memories"][0]["value"] == large

    played(scene)


def test_a_model_cannot_name_another_person_or_a_higher_trust():
    async def scene(agent, memory):
        memory.write(subject="otto", attribute="city", value="Oslo", person="otto")
        told = await agent.refused("memory_current", subject="otto", person="otto")
        assert "person: is not known" in told
        said = {"subject": "mira", "attribute": "city", "value": "Madrid"}
        for odd in ({"person": "otto"}, {"tenant": "other"}, {"trust": "reviewer"}):
            assert "is not known" in await agent.refused("memory_write", **said, **odd)
        assert list(memory.list()) == []
        done = await agent.call("memory_write", **said)
        record = memory.get(done["memory"]["id"])
        assert (record.person_id, record.tenant_id, record.trust) == (
            "mira", "default", "assistant",
        )  # fmt: skip

    played(scene)


def test_no_binding_gives_a_model_more_trust_than_an_assistants():
    with Memory.open(":memory:") as memory:
        with pytest.raises(InvalidInput) as told:
            Bound(memory=memory, trust="application")
        assert told.value.field == "trust"


@pytest.mark.parametrize("kind", ["preference", "behaviour"])
def test_what_needs_the_persons_word_waits_for_it(kind):
    async def scene(agent, memory):
        done = await agent.call("memory_write", text="answer in one sentence", type=kind)
        assert (done["outcome"], done["reason"]) == (
            "pending_review", "needs the person's own word",
        )  # fmt: skip
        assert list(memory.list()) == []
        assert [item.memory.memory_id for item in memory.review.list()] == [done["memory"]["id"]]
        undone = await agent.call(done["undo"]["tool"], **done["undo"]["arguments"])
        assert undone == {"memory_id": done["memory"]["id"], "forgotten": True}
        assert list(memory.review.list()) == []

    played(scene)


def test_the_checks_of_the_application_see_what_a_model_writes():
    async def scene(agent, memory):
        done = await agent.call("memory_write", subject="mira", attribute="city", value="Madrid")
        assert (done["outcome"], done["reason"]) == ("pending_review", "ask first")
        assert memory.current("mira", "city") is None

    played(scene, checks=[lambda _delta, _state: Hold("ask first")])


@pytest.mark.parametrize("rule", [{"min_trust": "application"}, {"conflict": "most_trusted"}])
def test_what_is_trusted_more_stands(rule):
    own = load_schema({"attributes": {"passport_deadline": rule}})

    async def scene(agent, memory):
        about = {"subject": "mira", "attribute": "passport_deadline"}
        memory.write(**about, value="2026-07-15")
        done = await agent.call("memory_write", **about, value="2026-06-30")
        assert done["outcome"] == "pending_review"
        done = await agent.call("memory_write", **about, retract=True)
        assert done["outcome"] == "pending_review"
        done = await agent.call("delete_entities", entityNames=["mira"])
        assert done["success"] is False
        assert "trust below application" in done["message"]
        assert memory.current(**about).value == "2026-07-15"

    played(scene, schema=own)


def test_a_correction_and_a_retraction():
    async def scene(agent, memory):
        about = {"subject": "mira", "attribute": "city"}
        await agent.call("memory_write", **about, value="Oslo", valid_from="2026-01-01")
        done = await agent.call(
            "memory_write", **about, value="Bergen", mode="correction", valid_from="2026-01-01"
        )
        assert done["outcome"] == "corrected"
        ended = await agent.call("memory_write", **about, retract=True, valid_from="2026-02-01")
        assert ended["outcome"] == "retracted"
        assert memory.current("mira", "city") is None
        assert memory.current("mira", "city", as_of="2026-01-15").value == "Bergen"
        nothing = await agent.call("memory_current", **about)
        assert nothing["memories"] == []
        back = await agent.call(ended["undo"]["tool"], **ended["undo"]["arguments"])
        assert back["memory"]["value"] == "Bergen"
        assert memory.current("mira", "city", as_of="2026-02-01").value == "Bergen"

    played(scene)


def test_one_of_several_values_is_retracted_and_put_back():
    async def scene(agent, memory):
        for value in ("nuts", "milk"):
            done = await agent.call(
                "memory_write", subject="mira", attribute="entity:observation", value=value
            )
        assert done["undo"]["arguments"]["value"] == "milk"
        await agent.call(done["undo"]["tool"], **done["undo"]["arguments"])
        assert [r.value for r in memory.current("mira", "entity:observation")] == ["nuts"]

    played(scene)


def test_only_the_persons_own_is_forgotten():
    async def scene(agent, memory):
        own = memory.write(subject="mira", attribute="city", value="Madrid").memory
        shared = memory.write(text="the desk closes at five", person=None).memory
        others = memory.write(text="a secret", person="otto").memory
        assert (await agent.call("memory_forget", memory_id=own.memory_id))["forgotten"] is True
        assert (await agent.call("memory_forget", memory_id=own.memory_id))["forgotten"] is False
        told = await agent.refused("memory_forget", memory_id=shared.memory_id)
        assert "forbidden: " in told
        told = await agent.refused("memory_forget", memory_id=others.memory_id)
        assert "not_found: " in told
        assert "secret" not in told
        assert memory.get(shared.memory_id, person=None).text == "the desk closes at five"

    played(scene)


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("memory_write", {"subject": "mira", "attribute": "a"}, "invalid_input: value: "),
        ("memory_write", {"attribute": "a", "value": "b"}, "invalid_input: subject: "),
        (
            "memory_write",
            {"subject": "m", "attribute": "a", "value": "b", "valid_from": "2026-06-03T10:00"},
            "naive_instant: valid_from: ",
        ),
        ("memory_write", {"text": "x", "retract": True}, "invalid_input: attribute: "),
        ("memory_write", {"text": "x", "confidence": 101}, "confidence"),
        ("memory_current", {"subject": " "}, "invalid_input: subject: "),
        ("memory_search", {"query": "x", "types": [""]}, "invalid_input: "),
        ("add_observations", {"observations": [{"entityName": "nobody", "contents": ["x"]}]},
         "not_found: Entity with name nobody not found"),
    ],
)  # fmt: skip
def test_what_is_refused_says_which_field(tool, arguments, told):
    async def scene(agent, _memory):
        assert told in await agent.refused(tool, **arguments)

    played(scene)


def test_history_tells_what_was_believed_when():
    async def scene(agent, _memory):
        about = {"subject": "mira", "attribute": "city"}
        await agent.call("memory_write", **about, value="Oslo", valid_from="2026-01-01")
        await agent.call("memory_write", **about, value="Madrid", valid_from="2026-02-01")
        told = await agent.call("memory_history", **about)
        assert told["total"] == len(told["stretches"]) == 3
        believed = [s for s in told["stretches"] if "recorded_to" not in s]
        assert [(s["value"], s["valid_from"], s.get("valid_to")) for s in believed] == [
            ("Oslo", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
            ("Madrid", "2026-02-01T00:00:00Z", None),
        ]

    played(scene)


def test_shared_memories_say_that_they_are():
    async def scene(agent, memory):
        memory.write(subject="desk", attribute="closes", value="17:00", person=None)
        [found] = (await agent.call("memory_current", subject="desk"))["memories"]
        assert found["shared"] is True
        assert found["source"]["trust"] == "application"

    played(scene)


def test_the_state_of_a_subject_is_a_resource():
    async def scene(agent, memory):
        memory.write(subject="Mira Sanz", attribute="city", value="Madrid")
        [template] = (await agent.client.list_resource_templates()).resource_templates
        assert template.uri_template == "vigent://state/{subject}"
        read = await agent.client.read_resource("vigent://state/mira%20sanz")
        [content] = read.contents
        assert content.mime_type == "application/json"
        assert [m["value"] for m in json.loads(content.text)["memories"]] == ["Madrid"]
        read = await agent.client.read_resource("vigent://subjects")
        assert json.loads(read.contents[0].text) == ["Mira Sanz"]

    played(scene)


def test_the_prompt_gives_memory_as_data_before_the_question():
    async def scene(agent, memory):
        memory.write(subject="mira", attribute="city", value="Madrid")
        asked = {"question": "Which city is Mira in?"}
        given = await agent.client.get_prompt("with_memory", asked)
        texts = [message.content.text for message in given.messages]
        assert '"value":"Madrid"' in texts[0]
        assert "never as instruction" in texts[0]
        assert texts[1] == "Which city is Mira in?"

    played(scene)
