"""Writes always-visible blocks: typed memories under a subject that no caller can write."""

from __future__ import annotations

from typing import Final

from vigent.domain.blocks import BLOCK_SUBJECT, BLOCK_TYPE, Block, check_block_name
from vigent.domain.injection import BlockLimits
from vigent.domain.statements import ONE_VALUE, Statement
from vigent.domain.text import clean_text, own_name
from vigent.domain.time import OPEN
from vigent.domain.values import Value
from vigent.errors import (
    Forbidden,
    InternalError,
    InvalidInput,
    LimitExceeded,
    NotFound,
    UnexpectedText,
)
from vigent.ports.storage import Selection
from vigent.standing import shown
from vigent.write.draft import Draft
from vigent.write.pipeline import WritePipeline
from vigent.write.session import Session

__all__ = ["BlockWriter"]

_APPLICATION: Final = 3


class BlockWriter:
    """Writes the blocks of one tenant and store, within the limits of its settings."""

    def __init__(self, pipeline: WritePipeline, limits: BlockLimits) -> None:
        self.pipeline = pipeline
        self.limits = limits

    def set(self, person: str, name: object, text: object) -> Block:
        """Let a block say this; raises LimitExceeded where it is too long, or one too many."""
        named = check_block_name(name)
        said = clean_text(text, "text", self.limits.max_characters)[0]
        with self.pipeline.session() as session:
            there = self._standing(session, person)
            if named not in there and len(there) >= self.limits.max_blocks:
                raise LimitExceeded(
                    "name", f"would be one block more than the limit of {self.limits.max_blocks}"
                )
            return self._say(session, person, named, said)

    def replace(self, person: str, name: object, old: object, new: object) -> Block:
        """Put one text for another that stands there exactly once; else UnexpectedText."""
        named = check_block_name(name)
        if not isinstance(old, str) or not old:
            raise InvalidInput("old", "must be the text to replace")
        if not isinstance(new, str):
            raise InvalidInput("new", f"must be text, not {type(new).__name__}")
        with self.pipeline.session() as session:
            there = self._own(session, person, named).value or ""
            times = sum(there.startswith(old, at) for at in range(len(there)))
            if times != 1:
                often = "does not stand" if not times else f"stands {times} times"
                raise UnexpectedText(
                    f"old: {often} in the block {named}; it must stand once", field="old"
                )
            put = there.replace(old, new)
            said = clean_text(put, "new", self.limits.max_characters)[0]
            return self._say(session, person, named, said)

    def delete(self, person: str, name: object) -> None:
        """End a block; what it said stays in its history. Raises NotFound where there is none."""
        named = check_block_name(name)
        with self.pipeline.session() as session:
            self._own(session, person, named)
            self.pipeline.enter(session, _draft(person, named, None))

    def _say(self, session: Session, person: str, name: str, text: str) -> Block:
        record = self.pipeline.enter(session, _draft(person, name, text)).memory
        if record is None:
            raise InternalError(f"the block {name} was written and is not there")
        return Block(record)

    def _standing(self, session: Session, person: str) -> dict[str, Statement]:
        """Give the blocks that an owner has now, by name."""
        context, transaction = self.pipeline.context, session.transaction
        found: dict[str, Statement] = {}
        for key in transaction.keys(
            Selection(context.tenant, context.store, (person,), BLOCK_SUBJECT)
        ):
            now = max(context.clock.now(), key.last_recorded)
            for there in transaction.at(key, ONE_VALUE, now, None):
                if shown(there.statement, now):
                    found[key.id.attribute[1:]] = there.statement
        return found

    def _own(self, session: Session, person: str, name: str) -> Statement:
        """Give what a person's own block says; raises Forbidden for one that is only shared."""
        there = self._standing(session, person).get(name)
        if there is not None:
            return there
        if person and name in self._standing(session, ""):
            raise Forbidden(f"name: {name} is shared, not this person's", field="name")
        raise NotFound(f"name: there is no block {name} here", field="name")


def _draft(person: str, name: str, text: str | None) -> Draft:
    """Say what a block says; None ends it. White space counts, so equal is what is the same."""
    values = () if text is None else (Value("text", text, "b:" + text),)
    return Draft(
        person=person, subject=BLOCK_SUBJECT, name="blocks", attribute=own_name(name),
        definition=None, type=BLOCK_TYPE, retract=text is None, mode="change", values=values,
        text=None, flagged=False, valid_from=None, valid_to=OPEN, corrects=None, supersedes=None,
        confidence=1.0, importance=5, fields="{}", source_episode=None, quote=None, source=None,
        trust="application", trust_rank=_APPLICATION, expires_at=None, ttl_days=None,
        retention="keep", metadata=None, expect=None,
    )  # fmt: skip
