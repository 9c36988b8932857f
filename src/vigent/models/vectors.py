"""What all embedders do with texts and vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["embeddable", "is_blank", "spread", "unit_rows"]


def embeddable(text: str, limit: int | None = None) -> str:
    """Give a text as models take it: cut to a length, without NUL and halves of characters."""
    return text[:limit].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def is_blank(text: str) -> bool:
    """Tell whether a text has nothing but white space and NUL, so that it means nothing."""
    return not text.strip("\0 \t\r\n") or not text.strip()


def unit_rows(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    """Give rows at unit length; a row of zeros, or with a number that is none, becomes zeros."""
    wide = rows.astype(np.float64)
    wide[~np.isfinite(wide).all(axis=1)] = 0.0
    # By the largest number first: squares of very large or small ones leave the range of floats.
    largest = np.abs(wide).max(axis=1, keepdims=True, initial=0.0)
    wide /= np.where(largest > 0, largest, 1.0)
    length = np.sqrt(np.einsum("ij,ij->i", wide, wide))[:, None]
    return (wide / np.where(length > 0, length, 1.0)).astype(np.float32)


def spread(
    texts: Sequence[str], vectors: dict[str, NDArray[np.float32]], dimension: int
) -> NDArray[np.float32]:
    """Give a row for each text; zeros for those that have no vector."""
    rows = np.zeros((len(texts), dimension), np.float32)
    for row, text in zip(rows, texts, strict=True):
        if (vector := vectors.get(text)) is not None:
            row[:] = vector
    return rows
