"""Write the table of reason codes in docs/explanation/gate.md from the code.

A test compares the committed page with what this script gives.
"""

from __future__ import annotations

from pathlib import Path

from vigent.domain.gate.codes import CODES
from vigent.domain.gate.rules import RULES

TARGET = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "gate.md"
BEGIN = "<!-- codes: written by tools/gate_reference.py -->"
END = "<!-- end of codes -->"
_SAID = {"rejected": "refused", "pending_review": "held", "buffered": "buffered"}


def table() -> str:
    """The reason codes in the order of the checks."""
    rows = [
        "| code | check | then | what it means | for example |",
        "| --- | --- | --- | --- | --- |",
    ]
    rows += [
        f"| `{name}` | {code.check} | {_SAID[code.outcome]} | {code.meaning} "
        f"| {_cell(code.example)} |"
        for name, code in CODES.items()
    ]
    order = ", ".join(name for name, _ in RULES)
    return "\n".join([f"The rules are asked in this order: {order}.", "", *rows])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def page() -> str:
    """The page with the table put in."""
    text = TARGET.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
