"""Reflection: observations that stand above single sessions, and name those they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from vigent.domain.derivation import Derivation, lowest
from vigent.domain.reasoning.drawing import (
    FEWEST,
    OBSERVATION_TASK,
    OBSERVATIONS_LEAST,
    as_lines,
    observation_schema,
    read_observations,
)
from vigent.domain.records import Record
from vigent.domain.usage import Account, Parked
from vigent.errors import InvalidModelOutput
from vigent.learn.remembering import Hiding, Remembering
from vigent.ports.models import LanguageModel, MeteredModels, ModelUsage, Told

__all__ = ["ReflectionDone", "reflect"]

_NEWEST: Final = 20
_ENOUGH: Final = 100
"""The sum of importance from which there is enough to look back on."""
_IMPORTANCE: Final = 8
_NOTHING: Final = ModelUsage()


@dataclass(frozen=True, slots=True)
class ReflectionDone:
    """What came of looking back.

    ``done``: observations were written. ``nothing``: there is not enough yet, and no model was
    asked; or another worker was quicker. ``parked``: nothing was sent. ``cancelled``: a session
    was gone before they were written.
    """

    status: Literal["done", "nothing", "parked", "cancelled"]
    reflections: tuple[Record, ...] = ()
    usage: ModelUsage = _NOTHING
    parked: Parked | None = None


def reflect(
    memory: Remembering,
    *,
    person: str | None,
    allowed: bool,
    model: LanguageModel | None,
    metered: MeteredModels,
    account: Account,
    hiding: Hiding | None = None,
    max_tokens: int | None = None,
    timeout: float | None = None,
) -> ReflectionDone:
    """Look back on the newest 20 sessions of an owner that were not, if they weigh enough.

    Enough is an importance of 100 together. Three to five observations are written, in one
    transaction with the note that these sessions were looked back on; so a call after a crash
    begins anew, and one after that finds nothing. ``allowed`` is whether anything of the person
    may be sent. One call of the model. Raises what is below ModelFailed; then nothing was written.
    """
    every = memory.derived.of("episode", person=person)
    episodes = [r for r in every if not r.fields.get("reflected") and r.text][-_NEWEST:]
    if not allowed or model is None or sum(r.importance for r in episodes) < _ENOUGH:
        return ReflectionDone("nothing")
    shown = [
        {
            "from": (r.fields.get("span") or [None])[0], "importance": r.importance,
            "result": r.fields.get("result"),
            "text": r.text or "" if hiding is None else hiding.hide(r.text or ""),
        }
        for r in episodes
    ]  # fmt: skip
    messages = (Told("system", OBSERVATION_TASK), Told("user", as_lines(shown)))
    done = metered.complete(
        account, model, messages, schema=observation_schema(len(episodes)),
        least=OBSERVATIONS_LEAST, max_tokens=max_tokens, timeout=timeout,
    )  # fmt: skip
    if isinstance(done, Parked):
        return ReflectionDone("parked", parked=done)
    found = read_observations(done.parsed, len(episodes))
    if len(found) < FEWEST:
        told = f"model: {len(found)} observations can be kept; there must be {FEWEST}"
        raise InvalidModelOutput(told).spent(*done.usage)
    items: list[Derivation] = []
    for one in found:
        rests_on = [episodes[place] for place in one.sessions]
        text = one.text if hiding is None else hiding.reveal(one.text)
        items.append(
            Derivation(
                type="reflection", text=text, importance=_IMPORTANCE, fields={},
                trust=lowest((r.trust for r in rests_on), "assistant"),
                rests_on=tuple(r.memory_id for r in rests_on),
            )
        )  # fmt: skip
    settled = memory.derived.drawn(
        items, noted=[r.memory_id for r in episodes], note={"reflected": True},
        unless="reflected", person=person,
    )  # fmt: skip
    if settled.outcome == "done":
        return ReflectionDone("done", settled.records, done.usage)
    status = "cancelled" if settled.outcome == "cancelled" else "nothing"
    return ReflectionDone(status, usage=done.usage)
