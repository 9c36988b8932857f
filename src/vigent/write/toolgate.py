"""The gate for what a model's tool proposes: the same rules as for candidates, where they fit.

Whose word a proposal is was settled by the words of the turn (``domain/support.py``). What is left
for the gate is what may not be kept at all, or not without a person: secrets, data of contact,
words that work on models, what is sensitive, what has to recur; and of words that the model
quoted, whether they were meant so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from vigent.domain.gate.case import Case, Finding, Item, Nomination, gravest
from vigent.domain.gate.policy import GatePolicy
from vigent.domain.gate.rules import judge
from vigent.domain.threads import ThreadItem
from vigent.write.context import Context
from vigent.write.session import Session
from vigent.write.surroundings import case_of

__all__ = ["weighed"]

_FIELDS: Final = tuple(f.name for f in fields(Nomination))
_ALWAYS: Final = frozenset(
    {
        "secret", "account_number", "identity_number", "contact_data", "hidden_characters",
        "instruction_markup", "needs_confirmation", "recurrence",
    }
)  # fmt: skip
_OF_QUOTES: Final = frozenset(
    {
        "other_person", "quoted_text", "reported", "asked", "supposed", "joked", "past", "denied",
        "session_only",
    }
)  # fmt: skip


def weighed(
    session: Session,
    context: Context,
    person: str,
    request: Mapping[str, Any],
    item: ThreadItem | None,
    *,
    words: str,
    quoted: bool,
    policy: GatePolicy,
) -> Finding | None:
    """Give what the gate has against a proposal, the gravest; None for nothing.

    ``words`` are those of the item that it rests on, ``quoted`` says that the model named them.
    Without an item only what is proposed itself is looked at.
    """
    given: dict[str, Any] = {k: request[k] for k in _FIELDS if request.get(k) is not None}
    given["quote"] = words or None
    nomination = Nomination(**given)
    if item is None:
        case = Case(nomination=nomination, item=Item(text=""), person=person, policy=policy)
    else:
        case, _ = case_of(
            session, context, person, item.row, nomination, timezone=request.get("timezone"),
            policy=policy,
        )  # fmt: skip
    asked = _ALWAYS | _OF_QUOTES if quoted else _ALWAYS
    found = [one for one in judge(case).findings if one.code in asked]
    worst = gravest(found)
    return next((one for one in found if one.outcome == worst and worst != "accepted"), None)
