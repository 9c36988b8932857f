"""What may be injected into a model's context, and how much: a caller's block, a store's settings.

Both are plain and frozen, and checked when they are made. ``InjectionBlock`` says which memories
an agent or a key wants; ``StoreSettings`` bound what any of them gets from the store.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, TypeVar, cast, get_args

from vigent.domain.filters import Filter
from vigent.domain.gate.policy import GatePolicy
from vigent.domain.text import MAX_TYPE, check_name
from vigent.errors import InvalidInput

__all__ = [
    "MAX_LIMIT",
    "MAX_TOKENS",
    "BlockLimits",
    "CommitmentSettings",
    "InjectionBlock",
    "InjectionSettings",
    "Rank",
    "Shares",
    "StoreSettings",
    "check_share",
    "check_whole",
]

Rank = Literal["confidence", "relevance", "blend"]
MAX_LIMIT: Final = 200
MAX_TOKENS: Final = 10_000_000

S = TypeVar("S")


def check_whole(given: object, field: str, least: int, most: int) -> int:
    """Check a whole number within bounds; raises InvalidInput naming the field and the bounds."""
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise InvalidInput(field, f"must be a whole number from {least} to {most}")
    return given


def check_share(given: object, field: str) -> float:
    """Check a number from 0 to 1; raises InvalidInput naming the field."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise InvalidInput(field, "must be a number from 0 to 1")
    if not math.isfinite(given) or not 0 <= given <= 1:
        raise InvalidInput(field, "must be a number from 0 to 1")
    return float(given)


def _tokens(given: object, field: str) -> int | None:
    return None if given is None else check_whole(given, field, 0, MAX_TOKENS)


def _made(cls: type[S], given: object, where: str) -> S:
    """Make settings of a mapping; what they do not know is refused by its name."""
    if isinstance(given, cls):
        return given
    if not isinstance(given, Mapping):
        raise InvalidInput(where, f"must be {cls.__name__}, or an object of its fields")
    known = {f.name for f in fields(cast("Any", cls)) if f.init}
    named = cast("Mapping[str, Any]", given)
    for name in named:
        if name not in known:
            raise InvalidInput(
                f"{where}.{name}", f"is not known; known are {', '.join(sorted(known))}"
            )
    return cls(**named)


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionBlock:
    """Which memories a caller wants in its context.

    ``types`` empty means all; ``metadata`` is a filter as in a search; a memory of unknown
    confidence passes no ``min_confidence``. ``limit`` bounds what is chosen by the question, the
    person's and the shared together; ``budget_tokens`` the whole block. Raises InvalidInput.
    """

    enabled: bool = True
    types: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    min_confidence: float | None = None
    limit: int | None = None
    budget_tokens: int | None = None
    filter: Filter = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not isinstance(self.enabled, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("injection.enabled", "must be true or false")
        given: object = self.types
        if not isinstance(given, list | tuple):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("injection.types", "must be a list of names")
        names = tuple(
            check_name(t, "injection.types", MAX_TYPE) for t in cast("list[object]", given)
        )
        put(self, "types", names)
        put(self, "filter", Filter.of(self.metadata, "injection.metadata"))
        if self.min_confidence is not None:
            put(
                self, "min_confidence", check_share(self.min_confidence, "injection.min_confidence")
            )
        if self.limit is not None:
            check_whole(self.limit, "injection.limit", 0, MAX_LIMIT)
        _tokens(self.budget_tokens, "injection.budget_tokens")

    @classmethod
    def of(cls, given: InjectionBlock | Mapping[str, Any] | None) -> InjectionBlock:
        """Give a block of what a caller wrote; a field that is not known is refused."""
        return cls() if given is None else _made(cls, given, "injection")

    def wants(self, type: str) -> bool:
        """Whether memories of a type are wanted."""
        return not self.types or type in self.types

    @property
    def filters(self) -> bool:
        """Whether single memories may be left out for what they are."""
        return bool(self.filter) or self.min_confidence is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """How much of the memory budget some memories take at most, from 0 to 1.

    ``shared`` ones in a turn for a person, and the records of ``past_sessions``.
    """

    shared: float = 0.4
    past_sessions: float = 0.2

    def __post_init__(self) -> None:
        for name in ("shared", "past_sessions"):
            share = check_share(getattr(self, name), f"settings.injection.shares.{name}")
            object.__setattr__(self, name, share)


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionSettings:
    """How a store injects: a bound in tokens, which can only lower; shares; the order; sessions.

    ``rank`` orders memories within a section: by ``confidence`` (effective, then times
    retrieved, then id), by ``relevance`` to the question, or by a ``blend`` of both.
    ``episodes_limit`` is how many records of past sessions are given; 0 is none.
    """

    budget_tokens: int | None = None
    shares: Shares = field(default_factory=Shares)
    rank: Rank = "confidence"
    episodes_limit: int = 0

    def __post_init__(self) -> None:
        _tokens(self.budget_tokens, "settings.injection.budget_tokens")
        shares = _made(Shares, self.shares, "settings.injection.shares")
        object.__setattr__(self, "shares", shares)
        if self.rank not in get_args(Rank):
            raise InvalidInput(
                "settings.injection.rank", f"must be one of {', '.join(get_args(Rank))}"
            )
        check_whole(self.episodes_limit, "settings.injection.episodes_limit", 0, MAX_LIMIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitmentSettings:
    """How many open commitments are injected, next due first."""

    inject_limit: int = 10

    def __post_init__(self) -> None:
        check_whole(self.inject_limit, "settings.commitments.inject_limit", 0, MAX_LIMIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockLimits:
    """How many always-visible blocks an owner has at most, and of how many characters each."""

    max_blocks: int = 8
    max_characters: int = 2_000

    def __post_init__(self) -> None:
        check_whole(self.max_blocks, "settings.blocks.max_blocks", 0, 64)
        check_whole(self.max_characters, "settings.blocks.max_characters", 1, 8_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreSettings:
    """The settings of a store, in sections.

    ``count_tokens`` counts a text exactly, by the tokenizer of the caller's model; without it
    tokens are estimated, and not too low. Sections may be given as mappings. Raises InvalidInput.
    """

    injection: InjectionSettings = field(default_factory=InjectionSettings)
    commitments: CommitmentSettings = field(default_factory=CommitmentSettings)
    blocks: BlockLimits = field(default_factory=BlockLimits)
    gate: GatePolicy = field(default_factory=GatePolicy)
    count_tokens: Callable[[str], int] | None = None

    def __post_init__(self) -> None:
        for name, cls in (
            ("injection", InjectionSettings),
            ("commitments", CommitmentSettings),
            ("blocks", BlockLimits),
            ("gate", GatePolicy),
        ):
            object.__setattr__(self, name, _made(cls, getattr(self, name), f"settings.{name}"))
        if self.count_tokens is not None and not callable(self.count_tokens):
            raise InvalidInput("settings.count_tokens", "must be a function of a text")

    @classmethod
    def of(cls, given: StoreSettings | Mapping[str, Any] | None) -> StoreSettings:
        """Give settings of what a caller wrote; a field that is not known is refused."""
        return cls() if given is None else _made(cls, given, "settings")
