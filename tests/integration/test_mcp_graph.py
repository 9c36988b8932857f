"""The names of the reference memory server, with its shapes, over typed state."""

from __future__ import annotations

import json

import anyio
import pytest

from tests.integration.agents import in_process
from vigent import Memory
from vigent.errors import SchemaMismatch
from vigent.schema import load_schema

ALICE = {"name": "Alice", "entityType": "person", "observations": ["likes tea", "reads"]}
ACME = {"name": "Acme", "entityType": "company", "observations": []}
WORKS = {"from": "Alice", "to": "Acme", "relationType": "works_at"}


def played(scene, **opened):
    async def play() -> None:
        async with in_process(**opened) as (agent, memory):
            await scene(agent, memory)

    anyio.run(play)


def test_a_graph_is_built_read_and_taken_apart_as_with_the_original():
    async def scene(agent, _memory):
        made = await agent.call("create_entities", entities=[ALICE, ACME])
        assert made == {"entities": [ALICE, ACME]}
        assert await agent.call("create_entities", entities=[ALICE]) == {"entities": []}
        made = await agent.call("create_relations", relations=[WORKS])
        assert made == {"relations": [WORKS]}
        assert await agent.call("create_relations", relations=[WORKS]) == {"relations": []}
        added = await agent.call(
            "add_observations",
            observations=[{"entityName": "Alice", "contents": ["likes tea", "swims"]}],
        )
        assert added == {"results": [{"entityName": "Alice", "addedObservations": ["swims"]}]}
        alice = {**ALICE, "observations": ["likes tea", "reads", "swims"]}
        whole = {"entities": [alice, ACME], "relations": [WORKS]}
        assert await agent.call("read_graph") == whole
        one = {"entities": [alice], "relations": [WORKS]}
        assert await agent.call("search_nodes", query="SWIM") == one
        assert await agent.call("open_nodes", names=["Alice", "nobody"]) == one
        assert await agent.call("search_nodes", query="zebra") == {"entities": [], "relations": []}

        gone = [{"entityName": "Alice", "observations": ["reads", "never said"]}]
        assert await agent.call("delete_observations", deletions=gone) == {
            "success": True, "message": "Observations deleted successfully",
        }  # fmt: skip
        assert (await agent.call("delete_relations", relations=[WORKS]))["success"] is True
        alice = {**ALICE, "observations": ["likes tea", "swims"]}
        assert await agent.call("read_graph") == {"entities": [alice, ACME], "relations": []}
        await agent.call("create_relations", relations=[WORKS])
        assert (await agent.call("delete_entities", entityNames=["Acme"]))["success"] is True
        assert await agent.call("read_graph") == {"entities": [alice], "relations": []}

    played(scene)


def test_the_text_of_an_answer_is_what_the_original_has_there():
    async def scene(agent, _memory):
        assert json.loads(await agent.said("create_entities", entities=[ACME])) == [ACME]
        graph = json.loads(await agent.said("read_graph"))
        assert graph == {"entities": [ACME], "relations": []}
        said = await agent.said("delete_entities", entityNames=["Acme"])
        assert said == "Entities deleted successfully"

    played(scene)


def test_deleting_is_a_retraction_history_keeps_what_was():
    async def scene(agent, memory):
        await agent.call("create_entities", entities=[ALICE])
        await agent.call("delete_entities", entityNames=["alice"])
        assert memory.current("Alice") == {}
        values = {r.value for r in memory.history("Alice", "entity:observation")}
        assert values == {"likes tea", "reads"}
        await agent.call("create_entities", entities=[ALICE])
        assert await agent.call("read_graph") == {"entities": [ALICE], "relations": []}

    played(scene)


def test_typed_facts_are_shown_and_a_change_of_one_shows_the_new_value_alone():
    async def scene(agent, _memory):
        about = {"subject": "Alice", "attribute": "passport_deadline"}
        await agent.call("create_entities", entities=[{**ALICE, "observations": []}])
        await agent.call("memory_write", **about, value="2026-07-15", valid_from="2026-06-01")
        await agent.call("memory_write", **about, value="2026-06-30", valid_from="2026-06-03")
        [shown] = (await agent.call("read_graph"))["entities"]
        assert shown["observations"] == ["passport deadline: 2026-06-30"]
        gone = [{"entityName": "Alice", "observations": shown["observations"]}]
        await agent.call("delete_observations", deletions=gone)
        assert (await agent.call("memory_current", **about))["memories"] == []

    played(scene)


def test_relations_are_typed_facts_with_entities_as_values():
    async def scene(agent, memory):
        await agent.call("create_relations", relations=[WORKS, {**WORKS, "to": "Beta"}])
        held = memory.current("Alice", "relation:works_at")
        assert [(r.value, r.value_kind) for r in held] == [("Acme", "entity"), ("Beta", "entity")]

    played(scene)


def test_a_relation_that_the_schema_declares_follows_the_schema():
    """One employer at a time: a new one ends the one before."""
    own = load_schema({"attributes": {"works_at": {"kind": "entity"}}})

    async def scene(agent, memory):
        await agent.call("create_relations", relations=[WORKS])
        await agent.call("create_relations", relations=[{**WORKS, "to": "Beta"}])
        assert memory.current("Alice", "works_at").value == "Beta"
        graph = await agent.call("open_nodes", names=["Alice"])
        assert graph["relations"] == [{**WORKS, "to": "Beta"}]
        await agent.call("delete_relations", relations=[{**WORKS, "to": "Beta"}])
        assert memory.current("Alice", "works_at") is None

    played(scene, schema=own)


def test_the_graph_tools_work_where_the_schema_refuses_what_is_not_declared():
    own = load_schema({"unknown_attributes": "reject"})

    async def scene(agent, _memory):
        await agent.call("create_entities", entities=[ALICE])
        await agent.call("create_relations", relations=[WORKS])
        told = await agent.refused(
            "memory_write", subject="Alice", attribute="city", value="Madrid"
        )
        assert "schema_mismatch: " in told

    played(scene, schema=own)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("entity:observation", {"kind": "integer", "cardinality": "multi"}),
        ("entity:observation", {}),
        ("entity:type", {"cardinality": "multi"}),
        ("relation:works_at", {"kind": "entity"}),
    ],
)
def test_a_schema_that_means_something_else_by_a_name_of_the_graph_is_refused(name, said):
    with pytest.raises(SchemaMismatch) as told:
        load_schema({"attributes": {name: said}})
    assert told.value.field == f"attributes.{name}"


def test_a_schema_may_say_more_of_a_name_of_the_graph():
    said = {"cardinality": "multi", "sensitivity": "personal"}
    own = load_schema({"attributes": {"entity:observation": said}})
    assert own.attribute("entity:observation").sensitivity == "personal"
    assert own.attribute("entity:other") is None


def test_what_is_shared_is_shown_and_not_deleted():
    async def scene(agent, memory):
        memory.write(
            subject="Desk", attribute="entity:observation", value="closes at 5", person=None
        )
        done = await agent.call(
            "delete_observations",
            deletions=[{"entityName": "Desk", "observations": ["closes at 5"]}],
        )
        assert done["success"] is False
        assert "is shared" in done["message"]
        assert len(memory.current("Desk", "entity:observation")) == 1

    played(scene)


def test_a_large_graph_says_what_was_left_out_and_where_to_go_on():
    async def scene(agent, _memory):
        names = [f"e{n:02}" for n in range(25)]
        entities = [{"name": name, "entityType": "t", "observations": []} for name in names]
        await agent.call("create_entities", entities=entities)
        read: list[str] = []
        more: dict[str, object] = {}
        while True:
            after = {"after": more["after"]} if more else {}
            part = await agent.call("read_graph", limit=10, **after)
            read += [each["name"] for each in part["entities"]]
            more = part.get("more", {})
            if "after" not in more:
                break
        assert read == names

    played(scene)


def test_the_same_entity_made_twice_at_once_is_one():
    async def scene(agent, memory):
        async with anyio.create_task_group() as group:
            for n in range(20):
                one = {"name": "Alice", "entityType": f"type {n}", "observations": [f"note {n}"]}
                group.start_soon(lambda e=one: agent.call("create_entities", entities=[e]))
        [alice] = (await agent.call("read_graph"))["entities"]
        assert len(alice["observations"]) == 1
        assert len(memory.history("Alice", "entity:type")) == 1

    played(scene)


def test_a_store_written_as_a_graph_is_read_alike_without_the_tools(tmp_path):
    """The names of the graph mean the same to every surface: nothing has to be declared."""

    async def written() -> None:
        async with in_process(tmp_path / "m.db", person=None) as (agent, _memory):
            await agent.call("create_entities", entities=[ALICE])
            await agent.call("create_relations", relations=[WORKS, {**WORKS, "to": "Beta"}])

    anyio.run(written)
    with Memory.open(tmp_path / "m.db") as memory:
        held = memory.current("Alice", "entity:observation")
        assert [r.value for r in held] == ["likes tea", "reads"]
        assert memory.current("Alice", "entity:type").value == "person"
        works = memory.current("Alice", "relation:works_at")
        assert [r.value for r in works] == ["Acme", "Beta"]
        memory.write(subject="Alice", attribute="entity:observation", value="swims")
        assert len(memory.current("Alice", "entity:observation")) == 3
