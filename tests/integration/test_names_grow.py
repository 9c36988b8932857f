"""A process that has searched before knows the same names as one that searches first."""

from __future__ import annotations

import random

import pytest

from vigent import Memory

NAMES = ("Mira Costa", "Tomas Berg", "Anna", "Élodie", "張偉", "Mira Stone", "north_wing", "Otto")
ATTRIBUTES = ("city", "passport_deadline", "seat", "name")
QUESTIONS = (
    "Where does Mira live, which city?", "what is the passport deadline of Mira Costa?",
    "seat of Anna", "Berg", "張偉 city", "north wing seat", "Élodie and Otto",
    "who is Nadia Bloom?", "city of Nadia",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_names_taken_in_bit_by_bit_are_those_read_at_once(tmp_path, seed):
    rng = random.Random(seed)
    path = tmp_path / "a.db"
    written = []
    with Memory.open(path, person="me", embedder="none") as warm:
        for step in range(30):
            person = rng.choice(["me", None])
            choice = rng.random()
            if choice < 0.7 or not written:
                attribute = rng.choice(ATTRIBUTES)
                value = rng.choice(["Nadia Bloom", "Bloom", f"value {step}"])
                result = warm.write(
                    subject=rng.choice(NAMES), attribute=attribute, value=value, person=person
                )
                written.append((result.memory.memory_id, person))
            elif choice < 0.8:
                warm.write_many(
                    {"subject": f"Guest {step} {i}", "attribute": f"extra_{step}", "value": "x"}
                    for i in range(rng.choice([3, 250]))
                )
            elif choice < 0.9:
                warm.write(text=f"a note of {rng.choice(NAMES)}", type="note", person=person)
            else:
                memory_id, whose = written.pop(rng.randrange(len(written)))
                warm.forget(memory_id, person=whose)
            asked = (*QUESTIONS, f"extra {step} of Guest {step} 2", f"Guest {step} 1")
            with Memory.open(path, person="me", embedder="none") as fresh:
                for question in asked:
                    one, other = (m.search(question).plan for m in (warm, fresh))
                    assert (one.subjects, one.attributes, one.exact, one.notes) == (
                        other.subjects, other.attributes, other.exact, other.notes
                    )  # fmt: skip
