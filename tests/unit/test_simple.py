"""The four functions of the classic lab."""

from __future__ import annotations

import pytest

from vigent import Memory, VigentError, simple
from vigent.errors import InvalidInput
from vigent.testing import FakeClock

SHOWN = {"text", "source", "memory_id", "expires_at", "recorded_from"}


@pytest.fixture
def clock():
    return FakeClock("2026-06-01T09:00:00Z")


@pytest.fixture
def memory(clock):
    with Memory.open(":memory:", clock=clock) as opened:
        simple.use(opened)
        yield opened
        simple.use(None)


@pytest.fixture(autouse=True)
def _used(memory):
    """Each test works on a memory of its own."""


def texts(subject: str, query: str) -> list[str]:
    return [found["text"] for found in simple.search_memory(subject, query)]


def test_what_is_added_is_found_by_its_words():
    added = simple.add_memory("mira", "Mira prefers concise answers.", "chat 1", 30)
    assert set(added) == SHOWN
    assert (added["source"], added["expires_at"]) == ("chat 1", "2026-07-01T09:00:00Z")
    assert simple.search_memory("mira", "concise answer") == [added]
    assert added["recorded_from"].startswith("2026-06-01T09:00:00")


def test_another_subject_is_never_found():
    simple.add_memory("mira", "Mira keeps zinnia seeds.", "chat", 30)
    simple.add_memory("miranda", "Miranda keeps zinnia pots.", "chat", 30)
    assert texts("mira", "zinnia") == ["Mira keeps zinnia seeds."]
    assert texts("gus", "zinnia") == []
    for name in ("mir_", "%", "mira%", "MIRA"):
        assert texts(name, "zinnia") == []


def test_what_the_tenant_shares_is_not_the_subjects(memory):
    memory.write(text="Shared zinnia advice.")
    assert texts("mira", "zinnia") == []


def test_what_has_expired_is_never_found(clock):
    simple.add_memory("mira", "Mira visits Faro.", "chat", 2)
    clock.advance(seconds=2 * 86_400 - 1)
    assert texts("mira", "Faro") == ["Mira visits Faro."]
    clock.advance(seconds=1)
    assert texts("mira", "Faro") == []


def test_without_days_the_standard_policy_holds():
    added = simple.add_memory("mira", "Mira likes tea.", "chat")
    assert added["expires_at"] == "2028-05-31T09:00:00Z"  # 730 days


def test_the_same_sentence_again_is_one_memory():
    first = simple.add_memory("mira", "Mira likes tea.", "chat", 30)
    again = simple.add_memory("mira", "Mira  likes tea. ", "chat", 30)
    assert first["memory_id"] == again["memory_id"]
    assert len(texts("mira", "tea")) == 1


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [(False, "refused by the check"), ("too vague", "too vague"), (None, "refused by the check")],
)
def test_a_refused_proposal_is_not_kept(verdict, reason):
    proposed = simple.propose_memory("mira", "Mira likes tea.", "chat", 30, lambda _: verdict)
    assert proposed == {"accepted": False, "reason": reason, "memory": None}
    assert texts("mira", "tea") == []


def test_an_accepted_proposal_is_kept_and_the_check_sees_the_sentence():
    seen = []

    def check(fact: str) -> bool:
        seen.append(fact)
        return True

    proposed = simple.propose_memory("mira", "Mira likes tea.", "chat", 30, check)
    assert (proposed["accepted"], proposed["reason"]) == (True, None)
    assert simple.search_memory("mira", "tea") == [proposed["memory"]]
    assert seen == ["Mira likes tea."]


def test_deleting_a_subject_covers_sessions_and_memory_and_nobody_else(memory):
    memory.capture("I keep zinnia seeds.", person="mira")
    simple.add_memory("mira", "Mira keeps zinnia seeds.", "chat", 30)
    memory.capture("I keep zinnia pots.", person="gus")
    simple.add_memory("gus", "Gus keeps zinnia pots.", "chat", 30)
    counts = simple.delete_subject("mira")
    assert counts["episode"] == 1
    assert counts["statement"] == 1
    assert texts("mira", "zinnia") == []
    assert texts("gus", "zinnia") == ["Gus keeps zinnia pots."]
    assert sum(simple.delete_subject("mira").values()) == 0


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_blank_is_refused_and_never_means_everybody(blank):
    simple.add_memory("mira", "Mira likes tea.", "chat", 30)
    for attempt in (
        lambda: simple.add_memory(blank, "x", "chat", 30),
        lambda: simple.add_memory("mira", blank, "chat", 30),
        lambda: simple.search_memory(blank, "tea"),
        lambda: simple.delete_subject(blank),
    ):
        with pytest.raises(VigentError) as caught:
            attempt()
        assert caught.value.category == "caller"
    assert texts("mira", "tea") == ["Mira likes tea."]


def test_a_query_is_text_and_no_syntax():
    simple.add_memory("mira", "Mira said: AND then?", "chat", 30)
    for query in ('"', "tea OR", "a* NEAR(", "col:tea", "-", "'; DROP TABLE statement; --"):
        assert isinstance(simple.search_memory("mira", query), list)


def test_the_default_memory_is_the_file_of_the_environment(tmp_path, monkeypatch):
    simple.use(None)
    monkeypatch.setenv("VIGENT_DB", str(tmp_path / "lab.db"))
    simple.add_memory("mira", "Mira likes tea.", "chat", 30)
    with Memory.open(str(tmp_path / "lab.db")) as memory:
        assert [record.text for record in memory.list(person="mira")] == ["Mira likes tea."]
    simple.use(None)


@pytest.mark.parametrize("nobody", [None, ""])
@pytest.mark.parametrize(
    "call",
    [
        lambda who: simple.add_memory(who, "a secret"),
        lambda who: simple.propose_memory(who, "a secret", None, None, lambda _: True),
        lambda who: simple.search_memory(who, "secret"),
        simple.delete_subject,
    ],
)
def test_nobody_is_no_subject(memory, nobody, call):
    with pytest.raises(InvalidInput, match="subject"):
        call(nobody)
    assert list(memory.list()) == []
