"""A real small model, through the adapter and the reasoning schema: its structure is always valid.

``make test-model`` runs it; the runtime takes minutes to build. What so small a model says is
mostly wrong, which is not what is asked here.
"""

from __future__ import annotations

import pytest

from tools.realmodel import MODEL, RealModel
from vigent.domain.answerjson import first_problem
from vigent.domain.reasoning.answer import read_candidates
from vigent.domain.reasoning.form import LEAST, answer_schema
from vigent.domain.reasoning.prompt import instructions, question
from vigent.domain.reasoning.window import Bounds, StateLine, Window, WindowItem
from vigent.domain.schema import AttributeDefinition, Schema
from vigent.errors import OutputCutOff
from vigent.models.language.openai import OpenAILanguageModel
from vigent.ports.models import Told

pytestmark = pytest.mark.realmodel

SCHEMA = Schema(
    attributes=[
        AttributeDefinition(name="city", description="Where somebody lives."),
        AttributeDefinition(name="deadline", kind="date"),
        AttributeDefinition(name="diet"),
    ],
    unknown_attributes="reject",
)
TURNS = (
    "I moved to Ghent last week.",
    "My passport deadline is 2026-07-15.",
    "Ich bin seit Mai Vegetarierin.",
)
STATE = (StateLine(memory_id="mem_1", subject="mira", attribute="city", value="Antwerp"),)


@pytest.fixture(scope="module")
def model():
    with RealModel() as running:
        one = OpenAILanguageModel(running.url, MODEL, timeout=300, total=600, attempts=1)
        yield one
        one.close()


@pytest.mark.parametrize("text", TURNS)
def test_the_structure_of_its_answer_is_valid(model, text, capsys):
    item = WindowItem(
        episode_id="ep_1", role="user", who="Mira", at="2026-06-01 09:00 Monday", text=text
    )
    window = Window(
        items=(item,), schema=SCHEMA, state=STATE, subject="mira", bounds=Bounds(candidates=1)
    )
    schema = answer_schema(window)
    messages = (Told("system", instructions(window)), Told("user", question(window)))
    done = model.complete(messages, schema=schema, least=LEAST, max_tokens=900)
    assert model.form == "json_schema"
    assert first_problem(done.parsed, schema) is None
    assert (done.usage.calls, done.usage.failed) == (1, 0)
    assert done.usage.input_tokens > 500
    reading = read_candidates(done.parsed, window)
    assert len(reading.proposed) + len(reading.faults) == len(done.parsed["candidates"])
    with capsys.disabled():
        stands = [proposed.quote in text for proposed in reading.proposed]
        told = f"{done.parsed} quote stands: {stands} left out: {reading.faults}"
        print(f"\n  {text!r}: {told}")  # noqa: T201 - for whoever runs it


def test_an_answer_that_is_too_long_is_cut_off(model):
    window = Window(items=(WindowItem(episode_id="e", role="user", text=TURNS[0]),), schema=SCHEMA)
    messages = (Told("system", "List candidates."), Told("user", question(window)))
    schema = answer_schema(window)
    schema["properties"]["candidates"]["minItems"] = 1
    with pytest.raises(OutputCutOff) as caught:
        model.complete(messages, schema=schema, max_tokens=8)
    assert (caught.value.calls, caught.value.failed) == (1, 1)
