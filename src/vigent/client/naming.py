"""The verbs of aliases and blocks as requests and answers."""

from __future__ import annotations

from typing import Any

from vigent.client.conduct import Exchange
from vigent.client.requests import Verbs
from vigent.domain.aliases import Alias, AliasResult, Names
from vigent.domain.blocks import Block, check_block_name
from vigent.domain.text import canonical_subject
from vigent.domain.unset import UNSET

__all__ = ["AliasVerbs", "BlockVerbs"]


class AliasVerbs(Verbs):
    """What ``Client.alias`` asks a service for."""

    __slots__ = ()

    def make(
        self,
        name: str,
        *,
        of: str,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[AliasResult]:
        """Make a name an alias of a subject; the same again changes nothing."""
        body = {"name": canonical_subject(name, "name")[0], "of": canonical_subject(of, "of")[0]}
        found = yield self.request("POST", *self.store("aliases"), body=body, person=person)
        return AliasResult.from_dict(found)

    def remove(
        self,
        name: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[AliasResult]:
        """Let an alias go, which parts its names again; nothing happens where there is none."""
        query = {"name": canonical_subject(name, "name")[0]}
        found = yield self.request("DELETE", *self.store("aliases"), query=query, person=person)
        return AliasResult.from_dict(found)

    def list(
        self,
        subject: str | None = None,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[tuple[Alias, ...]]:
        """Give a person's aliases and the shared, of one subject or of all, in order of name."""
        query = {"subject": subject}
        found = yield self.request("GET", *self.store("aliases"), query=query, person=person)
        return tuple(Alias.from_dict(one) for one in found["aliases"])

    def names(
        self,
        subject: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[Names]:
        """Give what a subject is called: its id, its aliases, and what its ``name`` says."""
        query = {"subject": canonical_subject(subject)[0]}
        found = yield self.request("GET", *self.store("names"), query=query, person=person)
        return Names.from_dict(found)


class BlockVerbs(Verbs):
    """What ``Client.blocks`` asks a service for."""

    __slots__ = ()

    def _path(self, name: object, *more: str) -> tuple[str, ...]:
        return self.store("blocks", check_block_name(name), *more)

    def set(
        self,
        name: str,
        text: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[Block]:
        """Let a block say this; raises LimitExceeded where it is too long, or one too many."""
        found = yield self.request("PUT", *self._path(name), body={"text": text}, person=person)
        return Block.from_dict(found)

    def get(
        self,
        name: str,
        *,
        as_of: Any = None,
        known_at: Any = None,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[Block]:
        """Give one block, as it stands or stood at an instant; raises NotFound."""
        query = {"as_of": as_of, "known_at": known_at, "timezone": timezone}
        found = yield self.request("GET", *self._path(name), query=query, person=person)
        return Block.from_dict(found)

    def list(
        self,
        *,
        as_of: Any = None,
        known_at: Any = None,
        timezone: str | None = None,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[tuple[Block, ...]]:
        """Give the blocks that a person sees, by name."""
        query = {"as_of": as_of, "known_at": known_at, "timezone": timezone}
        found = yield self.request("GET", *self.store("blocks"), query=query, person=person)
        return tuple(Block.from_dict(one) for one in found["blocks"])

    def replace(
        self,
        name: str,
        old: str,
        new: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[Block]:
        """Put one text for another that stands in a block exactly once; raises UnexpectedText."""
        body = {"old": old, "new": new}
        found = yield self.request("PATCH", *self._path(name), body=body, person=person)
        return Block.from_dict(found)

    def delete(
        self,
        name: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[None]:
        """End a block; its history stays. Raises NotFound, or Forbidden for one that is shared."""
        yield self.request("DELETE", *self._path(name), person=person)

    def history(
        self,
        name: str,
        *,
        person: str | None = UNSET,  # type: ignore[assignment]
    ) -> Exchange[tuple[Block, ...]]:
        """Give all that an owner's block ever said, in order of time."""
        found = yield self.request("GET", *self._path(name, "history"), person=person)
        return tuple(Block.from_dict(one) for one in found["blocks"])
