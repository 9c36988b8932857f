"""What a store may decide of the gate; what is not here always holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from vigent.errors import InvalidInput

__all__ = ["GatePolicy", "Rule"]

Rule = Literal["accept", "review", "reject"]
_RULES: Final = get_args(Rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """What becomes of classes of personal data, of documents, and of weak candidates.

    ``secrets``, ``accounts`` and ``identities`` are rejected unless said otherwise; where the
    attribute is declared sensitive they wait for confirmation instead. ``contacts`` are accepted.
    ``documents`` is about facts that are not of the person. With ``requests`` accepted, what a
    person asks for counts as said of a declared attribute of a subject that is no person ("Can you
    find a table for two?"): for stores that keep the state of tasks. Raises InvalidInput.
    """

    secrets: Rule = "reject"
    accounts: Rule = "reject"
    identities: Rule = "reject"
    contacts: Rule = "accept"
    documents: Rule = "accept"
    requests: Rule = "reject"
    min_confidence: float = 0.0

    def __post_init__(self) -> None:
        for name in ("secrets", "accounts", "identities", "contacts", "documents", "requests"):
            if getattr(self, name) not in _RULES:
                raise InvalidInput(f"settings.gate.{name}", f"must be one of {', '.join(_RULES)}")
        if not 0 <= self.min_confidence <= 1:
            raise InvalidInput("settings.gate.min_confidence", "must be a number from 0 to 1")
