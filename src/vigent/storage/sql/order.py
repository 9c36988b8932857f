"""In which order the rows of a transaction are written; what of a statement changes in place."""

from __future__ import annotations

from typing import Any, Final

from vigent.domain.statements import Statement
from vigent.storage.sql.aliases import ALIAS_ORDER
from vigent.storage.sql.indexing import INDEX_ORDER
from vigent.storage.sql.resources import RESOURCE_ORDER
from vigent.storage.sql.threads import THREAD_ORDER

__all__ = ["ORDER", "amendment"]

# Tables in the order in which their rows are written: what is referred to first, closing before
# opening, so that the database sees no overlap that is about to go. Some are of one engine alone.
ORDER: Final = (
    "tenant_insert",
    "tenant_name_insert",
    "key_insert",
    "episode_insert",
    "episode_stub",
    *THREAD_ORDER,
    "statement_delete",
    "statement_withdraw",
    "statement_insert",
    "key_bears_set",
    "statement_amend",
    "statement_retrieved",
    "statement_refold",
    "statement_forget",
    "statement_blank",
    "belief_close",
    "belief_insert",
    *INDEX_ORDER,
    "passage_made_insert",
    "key_recorded",
    "key_recorded_head",
    "key_head",
    "audit_forget",
    "audit_insert",
    "audit_content_insert",
    "audit_untell",
    "activity_insert",
    "job_finished",
    "answer_insert",
    "person_link",
    "person_unlink",
    "usage_add",
    "audit_prune_content",
    "audit_prune",
    *ALIAS_ORDER,
    *RESOURCE_ORDER,
)


def amendment(s: Statement) -> tuple[Any, ...]:
    """Give the columns of a statement that may change in place, and its number and tenant."""
    return (
        s.status, s.contested, s.confidence, s.importance, s.metadata, s.retention, s.expires_at,
        s.last_changed_at, s.confirmed_at, s.evidence_count, s.fields, s.replaces, s.role,
        s.reason, s.no, s.tenant,
    )  # fmt: skip
