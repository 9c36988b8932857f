"""Words of a timeline, drawn at random."""

from __future__ import annotations

from hypothesis import strategies as st

VALUES = ("A", "B", "C")


@st.composite
def words(draw, *, starts=None, ends=True, retractions=True):
    start = draw(st.integers(1, 39)) if starts is None else starts
    kinds = [
        "open",
        "open",
        *(["until"] if ends else []),
        *(["none", "end"] if retractions else []),
    ]
    kind = draw(st.sampled_from(kinds))
    value = draw(st.sampled_from(VALUES))
    match kind:
        case "open":
            return f"{value}@{start}"
        case "until":
            return f"{value}[{start},{draw(st.integers(start + 1, 41))})"
        case "none":
            return f"none@{start}"
        case _:
            return f"end:{value}@{start}"
