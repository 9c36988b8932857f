"""C47, C70: filters by type, and confidences that are none."""

from __future__ import annotations

import math

import pytest

from tests.service.worlds import Refused

NOW = "2026-01-10T12:00:00Z"

META = [{"n": 8}, {"n": 30}, {"n": 200}, {"n": "30"}, {"n": 30.0}, {"ok": True}, {"ok": False},
        {"ok": 1}, {"ok": "true"}, {"ok": None}, {}]  # fmt: skip
FILTERS = [
    ({"n": {"gte": 30}}, [1, 2, 4]), ({"n": {"lt": 30}}, [0]), ({"n": 30}, [1, 4]),
    ({"n": "30"}, [3]), ({"ok": True}, [5]), ({"ok": False}, [6]), ({"ok": 1}, [7]),
    ({"ok": "true"}, [8]), ({"ok": None}, [9]), ({"ok": {"exists": False}}, [0, 1, 2, 3, 4, 10]),
    ({"n": {"in": [8, "30"]}}, [0, 3]), ({"n": {"gt": 8, "lt": 100}}, [1, 4]),
]  # fmt: skip
NO_CONFIDENCE = [math.nan, math.inf, -math.inf, "NaN", 1.7, -0.2, "0.8", "high", True, 85]


@pytest.mark.parametrize(("asked", "expected"), FILTERS)
def test_c47_metadata_is_compared_by_type(world, asked, expected):
    kit = world.place()
    for n, metadata in enumerate(META):
        kit.write(text=f"fact {n}", metadata=metadata)
    assert [r["text"] for r in kit.list(metadata=asked)] == [f"fact {n}" for n in expected]
    hits = kit.search("fact", metadata=asked, expand="always", limit=20)
    assert {h["record"]["text"] for h in hits} == {f"fact {n}" for n in expected}


@pytest.mark.parametrize("wrong", [{"n": {"near": 3}}, {"n": {"gt": True}}, {"n": {"in": 3}}])
def test_c47_an_unknown_operator_or_a_wrong_type_is_refused(world, wrong):
    for ask in (lambda p: p.list(metadata=wrong), lambda p: p.search("x", metadata=wrong)):
        with pytest.raises(Refused) as caught:
            ask(world.place())
        assert caught.value.field.startswith("metadata.n")
        assert caught.value.status in {0, 422}


@pytest.mark.parametrize("wrong", NO_CONFIDENCE, ids=str)
def test_c70_a_confidence_that_is_none_is_refused(world, wrong):
    kit = world.place()
    with pytest.raises(Refused) as caught:
        kit.write(subject="kit", attribute="pet", value="newt", confidence=wrong)
    assert caught.value.status in {0, 422}
    assert kit.list() == []


def test_c70_confidences_come_back_as_written(world):
    kit = world.place()
    for n, given in enumerate([0, 1, 0.1, 0.75]):
        kit.write(subject="kit", attribute=f"a{n}", value=n, confidence=given)
    missing = kit.write(subject="kit", attribute="missing", value=1)["memory"]
    null = kit.write(subject="kit", attribute="null", value=1, confidence=None)["memory"]
    assert [missing["confidence"], null["confidence"]] == [1.0, 1.0]
    assert [kit.current("kit", f"a{n}")["confidence"] for n in range(4)] == [0, 1, 0.1, 0.75]
    sure = [r["attribute"] for r in kit.list(min_confidence=0.5)]
    assert sure == ["a1", "a3", "missing", "null"]


@pytest.mark.parametrize("wrong", [math.nan, 1.5, -0.1, "high"], ids=str)
def test_c70_the_same_for_filters(world, wrong):
    with pytest.raises(Refused) as caught:
        world.place().list(min_confidence=wrong)
    assert (caught.value.field, caught.value.status in {0, 422}) == ("min_confidence", True)


@pytest.mark.parametrize("given", ["1e400", "[1e-400]", '{"b": 0.12345678901234567890}'])
def test_c47_a_number_that_metadata_would_change_is_refused(client, first, admin, given):
    body = f'{{"index_id": "{first.index_id}", "content": "x", "metadata": {{"a": {given}}}}}'
    for path, text in (("memory", body.replace("content", "text")), ("episodes", body)):
        sent = {**admin, "Content-Type": "application/json"}
        told = client.post(f"/v1/{path}", content=text, headers=sent)
        assert (told.status_code, told.json()["field"][:10]) == (422, "metadata.a")
