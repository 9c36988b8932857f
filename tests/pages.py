"""The pages of the documentation, and the blocks they show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block of a page, and the output that the page says it gives."""

    language: str
    body: str
    line: int
    expected: str | None


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = list(FENCE.finditer(text))
    result = []
    for number, match in enumerate(found):
        after = found[number + 1] if number + 1 < len(found) else None
        follows = (
            after is not None
            and after[1] == "text"
            and text[match.end() : after.start()].strip() == ""
        )
        line = text.count("\n", 0, match.start()) + 1
        result.append(Block(match[1], match[2], line, after[2] if follows and after else None))
    return result


def matches(expected: str, actual: str) -> bool:
    def lines(text: str) -> list[str]:
        return [line.rstrip() for line in text.strip("\n").splitlines()]

    pattern = "\n".join(
        ".*".join(re.escape(part) for part in line.split("…")) for line in lines(expected)
    )
    return re.fullmatch(pattern, "\n".join(lines(actual))) is not None
