"""What callers are told of a write; it is the domain's, and known under this name too."""

from __future__ import annotations

from vigent.domain.results import ForgetResult, Receipt, ReviewItem, WriteResult

__all__ = ["ForgetResult", "Receipt", "ReviewItem", "WriteResult"]
