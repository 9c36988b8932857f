"""Asking a model what of a window may be remembered: one call, whatever the store's size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vigent.domain.answerjson import whole_objects
from vigent.domain.reasoning.answer import Reading, read_candidates
from vigent.domain.reasoning.form import LEAST, answer_schema
from vigent.domain.reasoning.prompt import instructions, question
from vigent.domain.reasoning.window import Window
from vigent.domain.usage import Account, Parked
from vigent.errors import OutputCutOff
from vigent.ports.models import LanguageModel, MeteredModels, ModelUsage, Told

__all__ = ["Asked", "ask_about"]

_NOTHING: Final = ModelUsage()


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model answered about a window.

    ``problem`` is there where the answer was cut off: then what stood whole in it is in
    ``reading``, and a re-run may find more. ``model`` is what the provider says answered.
    """

    reading: Reading
    usage: ModelUsage = _NOTHING
    model: str = ""
    problem: OutputCutOff | None = None


def ask_about(
    window: Window,
    model: LanguageModel,
    metered: MeteredModels,
    account: Account,
    *,
    max_tokens: int | None = None,
    timeout: float | None = None,
) -> Asked | Parked:
    """Ask a model about a window, and read its answer; nothing of it is believed yet.

    Bad candidates are faults of the reading and cost no other call. Raises what is below
    ModelFailed, but for an answer that was cut off behind a candidate.
    """
    messages = (Told("system", instructions(window)), Told("user", question(window)))
    try:
        done = metered.complete(
            account, model, messages, schema=answer_schema(window), least=LEAST,
            max_tokens=max_tokens, timeout=timeout,
        )  # fmt: skip
    except OutputCutOff as error:
        # Each candidate is judged by itself, so those before the cut are as good as any.
        reading = read_candidates(whole_objects(error.output), window)
        if not reading.proposed:
            raise
        spent = ModelUsage(error.calls, error.failed, error.input_tokens, error.output_tokens)
        return Asked(reading, spent, problem=error)
    if isinstance(done, Parked):
        return done
    return Asked(read_candidates(done.parsed, window), done.usage, done.model)
