"""Questions that nothing in a store answers: about strangers, or about foreign topics.

Names, topics and phrasings are made up here; a topic whose telling word stands in the store is left
out, so that what is asked for is truly not there.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence

from vigent.domain.terms import index_terms, query_terms

# Nobody of these is in a conversation; where one is, it is left out.
STRANGERS = """Aurelio Benedikta Casimir Dagmar Evander Florimond Gudrun Hyacinth Isolde Jarvik
Kasimira Leopoldine Mordecai Nerys Ottokar Philippa Quentin Rosalind Sigismund Thessaly Ulrike
Vasilisa Wendeline Xanthe Yevgenia Zebulon Ambrose Brunhilde Cornelius Desdemona""".split()  # noqa: SIM905

# What somebody might have done, in the form that stands after "did", and the thing itself.
DEEDS = (
    ("restore a harpsichord", "the harpsichord"), ("tune a pipe organ", "the pipe organ"),
    ("breed alpacas", "the alpacas"), ("smuggle saffron", "the saffron"),
    ("excavate a Roman villa", "the Roman villa"), ("repair a submarine", "the submarine"),
    ("study glaciology", "glaciology"), ("referee a curling final", "the curling final"),
    ("weave a tapestry", "the tapestry"), ("distil lavender oil", "the lavender oil"),
    ("translate Sumerian tablets", "the Sumerian tablets"), ("forge a sabre", "the sabre"),
    ("sue the landlord", "the lawsuit against the landlord"),
    ("refinance the mortgage", "the mortgage rate"), ("inherit a vineyard", "the vineyard"),
    ("moor the houseboat", "the houseboat"), ("audit the treasury", "the treasury audit"),
    ("dissect an octopus", "the octopus"), ("navigate by sextant", "the sextant"),
    ("patent a turbine", "the turbine patent"), ("thatch a roof", "the thatched roof"),
    ("quarry marble", "the marble quarry"), ("train falcons", "the falcons"),
    ("prospect for uranium", "the uranium claim"), ("mint commemorative coins", "the coins"),
    ("vaccinate the cattle", "the cattle"), ("lay the parquet", "the parquet"),
    ("decipher the telegram", "the telegram"), ("cure the prosciutto", "the prosciutto"),
    ("insulate the attic", "the attic insulation"), ("charter a zeppelin", "the zeppelin"),
    ("harvest the sugar beet", "the sugar beet"), ("bind the incunabula", "the incunabula"),
    ("weld the pipeline", "the pipeline"), ("dredge the canal", "the canal"),
    ("calibrate the spectrometer", "the spectrometer"), ("shear the merinos", "the merinos"),
    ("prune the espaliers", "the espaliers"), ("varnish the cello", "the cello"),
    ("demolish the chimney", "the chimney"), ("appeal the parking fine", "the parking fine"),
)  # fmt: skip
KIN = """orthodontist notary chauffeur godfather bailiff stockbroker locksmith cardiologist
governess archbishop""".split()  # noqa: SIM905
PLACES = """Ulaanbaatar Tromso Antananarivo Reykjavik Samarkand Vladivostok Paramaribo Timbuktu
Windhoek Ljubljana""".split()  # noqa: SIM905

OF_DEED = (
    "When did {who} {deed}?", "Why did {who} decide to {deed}?", "Where did {who} {deed}?",
    "Who helped {whom} to {deed}?", "How long did it take {whom} to {deed}?",
    "Which company paid {whom} to {deed}?", "{Has} {who} ever tried to {deed}?",
    "With whom did {who} {deed} in {place}?", "What made {whom} {deed} in {place}?",
)  # fmt: skip
OF_THING = (
    "How much did {who} pay for {thing}?", "What {does} {who} think of {thing}?",
    "What colour is {thing} that {who} {has}?", "Tell me what {who} said about {thing}.",
    "Which problem did {who} have with {thing}?", "To whom did {who} sell {thing}?",
)  # fmt: skip
OF_KIN = (
    "What is the name of the {kin} of {whom}?", "In which year did {who} meet the {kin}?",
    "Where does the {kin} of {whom} live, in {place}?",
)  # fmt: skip


def unanswered(known: Sequence[str], said: Collection[str], count: int, seed: int) -> list[str]:
    """Give distinct questions without an answer in what was said.

    Every second one names somebody of ``known``, with a topic that nobody has spoken of; the
    others name strangers.
    """
    there = {term for text in said for term in index_terms(text)}
    free = _Free(there)
    strangers = [name for name in STRANGERS if free.of(name)]
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        who = rng.choice(known if len(found) % 2 == 0 else strangers)
        found[free.question(who, rng)] = None
    return list(found)


class _Free:
    """The topics whose telling word nobody has said."""

    def __init__(self, there: set[str]) -> None:
        self.there = there
        self.deeds = [pair for pair in DEEDS if self.of(pair[0]) and self.of(pair[1])]
        self.kin = [word for word in KIN if self.of(word)]
        self.places = [word for word in PLACES if self.of(word)]

    def of(self, topic: str) -> bool:
        """Whether nobody said the last word of a topic; its verb may have been."""
        return not self.there.intersection(query_terms(topic)[-1:])

    def question(self, who: str, rng: random.Random) -> str:
        form = rng.choice((*OF_DEED, *OF_THING, *OF_KIN))
        deed, thing = rng.choice(self.deeds)
        own = who == "I"
        return form.format(
            who=who, whom="me" if own else who, has="have" if own else "has",
            Has="Have" if own else "Has", does="do" if own else "does", deed=deed, thing=thing,
            kin=rng.choice(self.kin), place=rng.choice(self.places),
        )  # fmt: skip
