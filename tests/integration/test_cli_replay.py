"""``vigent replay``: files of episodes held to their expectations, and stores learned anew."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.integration.command_line import ROOT, run
from vigent import Memory, MemoryDelta
from vigent.testing import ModelServer

EXAMPLES = sorted((ROOT / "examples" / "replay").glob("*.yaml"))
STAGES = ["extract", "gate", "reconcile", "retrieve", "scope", "answer"]
FIRST = {"at": "2026-06-01T09:00:00Z", "text": "My passport deadline is 2026-07-15."}


def candidate(value, quote, **more):
    return {"subject": "mira", "attribute": "deadline", "value": value, "quote": quote, **more}


def told(ran):
    return json.loads(ran.out)


def replayed(tmp_path, story):
    path = tmp_path / "story.yaml"
    path.write_text(yaml.safe_dump(story, allow_unicode=True), encoding="utf-8")
    return run("replay", str(path), "--json")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_pass(path):
    ran = run("replay", str(path), "--json")
    assert ran.code == 0, ran
    found = told(ran)
    assert found["wrong"] == []
    assert list(found["stages"]) == STAGES
    for stage in ("gate", "reconcile", "scope", "answer"):
        assert found["stages"][stage]["checked"] > 0, stage


def test_there_are_three_examples_and_each_fails_where_it_expects_something_else(tmp_path):
    assert [path.stem for path in EXAMPLES] == [
        "coding-assistant", "compliance-copilot", "support-bot",
    ]  # fmt: skip
    for path in EXAMPLES:
        story = yaml.safe_load(path.read_text(encoding="utf-8"))
        story["questions"][0]["expect"] = "something else"
        ran = replayed(tmp_path, story)
        assert ran.code == 1
        (wrong,) = told(ran)["wrong"]
        assert (wrong["stage"], wrong["at"]) == ("answer", "questions.0")
        assert wrong["expected"] == "something else"


CHANGED = {
    "en": "She corrected the deadline, it is now 2026-06-30.",
    "de": "Sie hat die Frist korrigiert, sie ist jetzt der 30.06.2026.",
    "es": "Ella corrigió el plazo, ahora es el 30/06/2026.",
}
NEVER = {
    "en": "It was never the 15th, it is 2026-06-30.",
    "de": "Es war nie der 15., es ist der 30.06.2026.",
    "es": "Nunca fue el 15, es el 30/06/2026.",
}
BEGAN = "2026-06-01T09:00:00Z"
CAME = "2026-06-03T09:00:00Z"


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("denied", [False, True])
def test_a_change_and_a_correction_end_differently(tmp_path, language, denied):
    """The model proposes a correction each time: the words decide which it is."""
    said = (NEVER if denied else CHANGED)[language]
    if denied:
        history = [{"value": "2026-06-30", "start": BEGAN}]
    else:
        history = [
            {"value": "2026-07-15", "start": BEGAN, "end": CAME},
            {"value": "2026-06-30", "start": CAME},
        ]
    first = {"at": BEGAN, "text": "Mira's deadline is 2026-07-15."}
    story = {
        "person": "lea",
        "schema": {"attributes": {"deadline": {"kind": "date"}}},
        "steps": [
            {
                "episodes": [first],
                "candidates": [candidate("2026-07-15", first["text"])],
                "expect": {"gate": [{"outcome": "accepted"}], "reconcile": ["stored"]},
            },
            {
                "episodes": [{"at": CAME, "text": said}],
                "candidates": [candidate("2026-06-30", said, mode="correction")],
                "expect": {
                    "gate": [{"outcome": "accepted"}],
                    "reconcile": ["corrected" if denied else "superseded"],
                    "ledger": [{"subject": "mira", "attribute": "deadline", "history": history}],
                },
            },
        ],
        "questions": [
            {"subject": "mira", "attribute": "deadline", "as_of": "2026-06-02T00:00:00Z",
             "expect": "2026-06-30" if denied else "2026-07-15"},
            {"subject": "mira", "attribute": "deadline", "as_of": "2026-06-02T00:00:00Z",
             "known_at": "2026-06-02T00:00:00Z", "expect": "2026-07-15"},
        ],
    }  # fmt: skip
    ran = replayed(tmp_path, story)
    assert ran.code == 0, ran.out
    assert told(ran)["stages"]["reconcile"]["checked"] == 3


def test_each_stage_tells_its_own_difference(tmp_path):
    story = {
        "person": "mira",
        "steps": [
            {
                "episodes": [FIRST],
                "answer": {"fail": "refuse"},
                "expect": {"extract": 1, "gate": [{"outcome": "accepted"}], "reconcile": ["stored"],
                           "ledger": [{"subject": "mira", "attribute": "deadline", "value": 1}]},
            },
        ],
        "questions": [
            {"search": "deadline", "expect": "x"},
            {"subject": "mira", "attribute": "deadline", "person": "bo", "expect": "x"},
            {"subject": "mira", "attribute": "deadline", "expect": "x"},
        ],
    }  # fmt: skip
    ran = replayed(tmp_path, story)
    assert ran.code == 1
    wrong = [(one["stage"], one["what"], one["got"]) for one in told(ran)["wrong"]]
    assert wrong == [
        ("extract", "candidates", 0),
        ("extract", "problem", "model_refusal"),
        ("gate", "verdicts", []),
        ("reconcile", "outcomes", []),
        ("reconcile", "mira.deadline", None),
        ("retrieve", "deadline", []),
        ("scope", "mira.deadline", None),
        ("answer", "mira.deadline", None),
    ]
    plain = run("replay", str(tmp_path / "story.yaml"))
    assert plain.code == 1
    assert "model_refusal" in plain.out


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"steps": []}, "steps"),
        ({"stepps": []}, "stepps"),
        ({"steps": [{"episodes": [{"text": "x", "at": "2026-06-01"}]}]}, "steps.0.episodes.0.at"),
        ({"steps": [{"episodes": [{**FIRST, "role": "boss"}]}]}, "steps.0.episodes.0.role"),
        ({"steps": [{"episodes": [FIRST], "expect": {"gate": [{"outcome": "ok"}]}}]},
         "steps.0.expect.gate.0.outcome"),
        ({"steps": [{"episodes": [FIRST], "candidates": [{"item": 1}]}]},
         "steps.0.candidates.0.item"),
        ({"steps": [{"episodes": [FIRST], "candidates": [], "answer": "x"}]}, "steps.0.answer"),
        ({"questions": [{"subject": "mira"}]}, "questions.0"),
        ({"timezone": "Mars"}, "timezone"),
    ],
)  # fmt: skip
def test_a_field_that_is_not_as_documented_is_named(tmp_path, change, field):
    ran = replayed(tmp_path, {"steps": [{"episodes": [FIRST]}], **change})
    assert ran.code == 2
    assert json.loads(ran.err)["field"] == field


# ---------------------------------------------------------------------------- from a store


@pytest.fixture
def kept(tmp_path):
    """A store in which a plan was refused by the schema, and a city learned."""
    db = str(tmp_path / "kept.db")
    schema = {"attributes": {"plan": {"kind": "enum", "enum": ["basic"]}, "city": {}}}
    with Memory.open(db, person="mira", schema=schema, embedder="none") as memory:
        said = "I am on the plus plan. I live in Oslo."
        episode = memory.capture(said, occurred_at="2026-06-01T09:00:00Z", thread="t").id

        def learn(attribute, value, quote):
            delta = MemoryDelta(
                tenant_id="default", subject="mira", attribute=attribute, value=value,
                quote=quote, source_episode_id=episode,
            )  # fmt: skip
            return memory.candidates.learn(delta).outcome

        assert learn("plan", "plus", "I am on the plus plan.") == "rejected"
        assert learn("city", "Oslo", "I live in Oslo.") == "accepted"
        memory.write(subject="mira", attribute="city_code", value="OSL")
    return db


def schema_file(tmp_path, choices):
    path = tmp_path / "schema.yaml"
    schema = {"attributes": {"plan": {"kind": "enum", "enum": choices}, "city": {}}}
    path.write_text(yaml.safe_dump(schema), encoding="utf-8")
    return str(path)


def test_another_schema_lets_in_what_was_refused(tmp_path, kept):
    words = ["replay", "--from-store", kept, "--json", "--schema"]
    found = told(run(*words, schema_file(tmp_path, ["basic", "plus"])))
    assert found["outcomes"] == {"accepted": 2}
    (one,) = found["differences"]
    assert (one["change"], one["subject"], one["attribute"]) == ("added", "mira", "plan")
    assert [fact["value"] for fact in one["there"]] == ["plus"]
    with Memory.open(kept, person="mira", embedder="none") as memory:
        assert memory.current("mira", "plan") is None
    again = run(*words, schema_file(tmp_path, ["basic"]))
    assert again.code == 3
    same = told(run(*words, schema_file(tmp_path, ["basic"]), "--force"))
    assert same["differences"] == []
    assert same["outcomes"] == {"accepted": 1, "rejected": 1}


def test_another_model_reads_the_threads_anew(tmp_path, kept, monkeypatch):
    answer = {
        "item": 1, "quote": "I live in Oslo.", "speaker": "user", "about": "self",
        "assertion": "asserted", "durable": "durable", "type": "fact", "subject": "user",
        "attribute": "home", "relation": "new", "state": None, "value": "Oslo",
        "time_words": None, "valid_from": None, "valid_to": None, "due": None, "importance": 5,
        "confidence": 0.9,
    }  # fmt: skip
    with ModelServer() as server:
        server.answer({"candidates": [answer]})
        monkeypatch.setenv("VIGENT_MODEL", f"{server.url}#other")
        ran = run("replay", "--from-store", kept, "--json", "--instructions", "Say home, not city.")
        assert ran.code == 0, ran
        assert "Say home, not city." in server.requests[0].text
    found = told(ran)
    assert found["windows"] == 1
    changes = [(one["change"], one["attribute"]) for one in found["differences"]]
    assert changes == [("removed", "city"), ("added", "home")]


def test_a_file_or_a_store_must_be_named(kept):
    assert json.loads(run("replay", "--json").err)["field"] == "file"
    assert json.loads(run("replay", "x", "--from-store", kept, "--json").err)["field"] == "file"
    ran = run("replay", "--from-store", kept, "--instructions", "x", "--json")
    assert json.loads(ran.err)["field"] == "model"
