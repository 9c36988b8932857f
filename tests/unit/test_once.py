"""A request is known again by what it asks for, not by the order in which that is put."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from vigent import Memory
from vigent.errors import IdempotencyMismatch
from vigent.once import Once


def digest(*parts):
    return Once.of("t", "c", "e", "n", *parts, salt=b"s").request


def test_names_of_nested_values_have_no_order():
    with Memory.open(":memory:", schema={"attributes": {"profile": "json"}}) as memory:
        asked = {"subject": "mira", "attribute": "profile", "idempotency_key": "k"}
        first = memory.write(**asked, value={"a": {"x": 1, "y": 2}, "b": 3})
        again = memory.write(**asked, value={"b": 3, "a": {"y": 2, "x": 1}})
        assert again.memory.memory_id == first.memory.memory_id
        with pytest.raises(IdempotencyMismatch):
            memory.write(**asked, value={"b": 3, "a": {"y": 2, "x": "1"}})


def test_metadata_of_items_has_no_order():
    with Memory.open(":memory:") as memory:
        memory.threads.create(id="t")
        asked = {"role": "user", "idempotency_key": "k"}
        first = memory.threads.append("t", "hi", **asked, metadata={"a": 1, "b": 2})
        assert memory.threads.append("t", "hi", **asked, metadata={"b": 2, "a": 1}).id == first.id


def test_a_set_is_the_same_in_every_process():
    code = (
        "from vigent.once import Once;"
        "print(Once.of('t','c','e','n',{'a','bb','ccc','dddd'},salt=b's').request.hex())"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout.strip()
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert told == {digest({"dddd", "ccc", "bb", "a"}).hex()}


def test_kinds_are_told_apart():
    parts = (1, True, "1", 1.0, None, [1], {1}, {"1": 1}, {1: 1})
    assert len({digest(part) for part in parts}) == len(parts)
