"""Guards an attribute of several values from a store that was opened without its schema."""

from __future__ import annotations

from vigent.domain.statements import BEGINNING, ONE_VALUE
from vigent.domain.time import OPEN
from vigent.errors import SchemaMismatch
from vigent.write.draft import Draft
from vigent.write.refold import Refolded
from vigent.write.work import Work

__all__ = ["refuse_several"]


def refuse_several(work: Work, draft: Draft, folded: Refolded) -> None:
    """Raise SchemaMismatch where an undeclared attribute already holds several values.

    A single value beside them would be of no timeline of theirs. It is looked up only where
    nothing is known of the one value, so that writing costs what it did.
    """
    unknown = work.definition is None and draft.attribute and work.key.last_recorded
    if not unknown or folded.before:
        return
    rows = work.transaction.believed(work.key, None, BEGINNING, OPEN)
    if any(row.member != ONE_VALUE for row in rows):
        raise SchemaMismatch(
            "attribute",
            f"{draft.attribute} holds several values here and no schema declares it: open the "
            "store with the schema that says 'cardinality: multi'",
        )
