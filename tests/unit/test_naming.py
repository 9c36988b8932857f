"""Which known names a question mentions."""

from __future__ import annotations

import time

import pytest

from vigent.domain.naming import Mentions, NameIndex, Unresolved, slip_of

SUBJECTS = {
    "mira": ["Mira"],
    "user:42": ["Katarzyna Lis", "Kasia"],
    "acme-project": ["Acme Project"],
    "acme-project-north": ["Acme Project North"],
    "p1": ["Alex Morrow"],
    "p2": ["Alex Morrow", "Lex"],
    "p3": ["Alex Moroz"],
    "josé": ["José"],
    "tanaka": ["田中さん"],
    "beijing": ["北京"],
    "it": ["IT"],
    "me": ["me"],
    "a": ["a"],
    "test": ["test"],
    "april": ["April"],
    "will": ["Will"],
    "o'brien": ["O'Brien"],
    "2023": [],
}
ATTRIBUTES = {
    "passport_deadline": ["passport expiry"],
    "deadline": [],
    "date_of_birth": ["birthday"],
    "allergies": [],
    "homeAddress": [],
    "from": [],
    "护照截止": [],
}
INDEX = NameIndex(SUBJECTS, ATTRIBUTES)


@pytest.mark.parametrize(
    ("question", "subjects"),
    [
        ("When is Mira's deadline?", ("mira",)),
        ("when is mira’s deadline", ("mira",)),
        ("when is the deadline of MIRA?", ("mira",)),
        ("(Mira)?", ("mira",)),
        ("Where does Miranda live?", ()),
        ("Where does Amira live?", ()),
        ("What does Kasia eat?", ("user:42",)),
        ("What does Katarzyna Lis eat?", ("user:42",)),
        ("What does katarzyna   lis eat?", ("user:42",)),
        ("What does Kasia, that is Katarzyna Lis, eat?", ("user:42",)),
        ("When does the Acme Project North end?", ("acme-project-north",)),
        ("When does acme-project-north end?", ("acme-project-north",)),
        ("Mira and Kasia?", ("mira", "user:42")),
        ("Kasia and Mira and Kasia?", ("user:42", "mira")),
        ("Where is Jose?", ("josé",)),
        ("Where is JOSÉ?", ("josé",)),
        ("田中さんはどこ？", ("tanaka",)),
        ("她在北京吗？", ("beijing",)),
        ("Where is O'Brien?", ("o'brien",)),
        ("Where is O’Brien’s house?", ("o'brien",)),
        ("What does Lex do?", ("p2",)),
        ("Who is user:42?", ("user:42",)),
        ("", ()),
        ("?!", ()),
    ],
)
def test_subjects_are_found_by_whole_names(question, subjects):
    assert INDEX.mentions(question).subjects == subjects


@pytest.mark.parametrize(
    ("question", "subjects"),
    [
        ("What is it?", ()),
        ("It is late, is it not?", ()),
        ("What does IT say?", ("it",)),
        ("WHAT DOES IT SAY?", ()),
        ('What does "it" say?', ("it",)),
        ("Tell me.", ()),
        ('What is "me"?', ("me",)),
        ("What is a test?", ()),
        ("What is the Test?", ("test",)),
        ("Test what?", ()),
        ("What is 'test'?", ("test",)),
        ("Will she come?", ()),
        ("She went home. Will she come?", ()),
        ("Will Will come?", ("will",)),
        ("What did April say?", ("april",)),
        ("What is april?", ()),
        ("What happened in 2023?", ()),
        ('What is "2023"?', ("2023",)),
    ],
)
def test_everyday_words_are_names_only_where_they_stand_out(question, subjects):
    assert INDEX.mentions(question).subjects == subjects


@pytest.mark.parametrize(
    ("question", "unresolved"),
    [
        ("What is Alex Morrow's phone?", (Unresolved("alex morrow", ("p1", "p2")),)),
        ("What is alex morrow's phone?", (Unresolved("alex morrow", ("p1", "p2")),)),
        # a word of the name of three, written as a name
        ("What is Alex's phone?", (Unresolved("alex", ("p1", "p2", "p3")),)),
        ("what is alex's phone?", ()),
        ("What is Morrow's phone?", (Unresolved("morrow", ("p1", "p2")),)),
        ("What is Alex Moroz's phone?", ()),
        ("Which north?", ()),
    ],
)
def test_a_name_of_two_is_unresolved(question, unresolved):
    assert INDEX.mentions(question).unresolved == unresolved


def test_a_name_of_two_gives_no_subject():
    found = INDEX.mentions("What did Mira say to Alex Morrow?")
    assert found == Mentions(
        ("mira",), (), (Unresolved("alex morrow", ("p1", "p2")),), ("mira",)
    )  # fmt: skip


def test_the_name_of_one_that_is_a_word_of_another_name_is_unresolved():
    index = NameIndex({"mira": ["Mira"], "p9": ["Mira Costa"]})
    assert index.mentions("Where is Mira?").unresolved == (Unresolved("mira", ("mira", "p9")),)
    assert index.mentions("Where is Mira?").subjects == ()
    assert index.mentions("Where is Mira Costa?").subjects == ("p9",)


def test_longer_names_go_before_shorter_ones_that_begin_earlier():
    index = NameIndex({"a1": ["New York"], "a2": ["York Times Magazine"], "a3": ["reads"]})
    assert index.mentions("Who reads the New York Times Magazine?").subjects == ("a3", "a2")


@pytest.mark.parametrize(
    ("question", "attributes"),
    [
        ("when is the passport deadline of Mira?", ("passport_deadline",)),
        ("deadline of Mira's passport", ("passport_deadline",)),
        ("Mira's passport_deadline", ("passport_deadline",)),
        ("passport deadlines", ("passport_deadline",)),
        ("What is the expiry of the passport?", ("passport_deadline",)),
        ("deadline of Mira", ("deadline",)),
        ("passport of Mira", ()),
        ("What is Mira's date of birth?", ("date_of_birth",)),
        ("When was Mira's birth date?", ("date_of_birth",)),
        ("When is Mira's birthday?", ("date_of_birth",)),
        ("Which allergy does Mira have?", ("allergies",)),
        ("What is Mira's home address?", ("homeAddress",)),
        ("allergies and deadline", ("allergies", "deadline")),
        ("deadline and allergies", ("deadline", "allergies")),
        ("Where is she from?", ()),
        ("米拉的护照截止是哪天？", ("护照截止",)),
    ],
)
def test_attributes_are_found_by_all_their_words(question, attributes):
    assert INDEX.mentions(question).attributes == attributes


def test_the_words_of_a_subject_are_no_attribute():
    index = NameIndex({"acme": ["Acme Project"]}, {"project": [], "status": []})
    assert index.mentions("status of the Acme Project").attributes == ("status",)
    assert index.mentions("project of acme").attributes == ("project",)


def test_two_attributes_of_one_alias_are_both_named():
    index = NameIndex({}, {"home": ["address"], "office": ["address"]})
    assert index.mentions("her address").attributes == ("home", "office")


def test_the_order_of_names_given_plays_no_part():
    one = NameIndex({"b": ["Anna"], "a1": ["Anna"]}, {"x": ["seat"], "y": ["seat"]})
    other = NameIndex({"a1": ["Anna"], "b": ["Anna"]}, {"y": ["seat"], "x": ["seat"]})
    question = "Which seat has Anna?"
    assert one.mentions(question) == other.mentions(question)


def test_candidates_are_bounded():
    index = NameIndex({f"p{n:03}": ["Anna Berg"] for n in range(100)})
    (unresolved,) = index.mentions("Where is Anna Berg?").unresolved
    assert unresolved.candidates == tuple(f"p{n:03}" for n in range(20))


def test_ten_thousand_names_are_asked_quickly():
    subjects = {f"s{n}": [f"Name{n} Family{n % 500}", f"alias{n}"] for n in range(10_000)}
    index = NameIndex(subjects, {f"attribute_{n}_field": [] for n in range(300)})
    question = "When did Name17 Family17 tell alias9000 about attribute 7 field, and why there?"
    assert index.mentions(question).subjects == ("s17", "s9000")
    began = time.perf_counter()
    for _ in range(200):
        index.mentions(question)
    assert (time.perf_counter() - began) / 200 < 0.003  # ten times what it takes alone


@pytest.mark.parametrize(
    ("word", "name", "slip"),
    [
        ("Carolina", "Caroline", True),  # wrong
        ("Carolne", "Caroline", True),  # missing
        ("Carolinee", "Caroline", True),  # added
        ("Carloine", "Caroline", True),  # swapped
        ("aroline", "Caroline", True),
        ("caroline", "Caroline", False),  # the name itself
        ("Caroilen", "Caroline", False),
        ("Carla", "Caroline", False),
        ("Mirra", "Mira", False),  # too short
        ("Maira", "Maria", True),
        ("José", "Jose", False),
        ("Joséf", "Josef", False),  # the same once folded
        ("room13", "room12", False),  # digits are no slip
        ("Melany", "Melanie", False),
        ("", "Caroline", False),
    ],
)
def test_a_slip_is_one_letter(word, name, slip):
    assert slip_of(word, name) is slip
