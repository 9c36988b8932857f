"""Draw docs/explanation/two-time-axes.svg from the four belief rows of the worked example.

Uses the standard library alone and always writes the same bytes, so that a test can
compare the committed picture with what this script gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import escape

TARGET = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "two-time-axes.svg"


@dataclass(frozen=True)
class Belief:
    """A value over a stretch of valid time and a stretch of recorded time."""

    value: str
    valid_from: str
    valid_to: str | None
    recorded_from: str
    recorded_to: str | None


@dataclass(frozen=True)
class Question:
    """A point in the plane: what held at ``as_of``, as known at ``known_at``."""

    label: str
    as_of: str
    known_at: str


STATED, CHANGED, CORRECTED = "2026-06-01T09:00:00Z", "2026-06-03T10:00:00Z", "2026-06-05T12:00:00Z"

BELIEFS = (
    Belief("2026-07-15", STATED, None, STATED, CHANGED),
    Belief("2026-07-15", STATED, CHANGED, CHANGED, CORRECTED),
    Belief("2026-07-14", STATED, CHANGED, CORRECTED, None),
    Belief("2026-06-30", CHANGED, None, CHANGED, None),
)

QUESTIONS = (
    Question("A", "2026-06-06T18:00:00Z", "2026-06-06T18:00:00Z"),
    Question("B", "2026-06-02T23:59:59Z", "2026-06-06T18:00:00Z"),
    Question("C", "2026-06-02T23:59:59Z", "2026-06-04T23:59:59Z"),
)

COLOURS = {
    "2026-07-15": ("#dbe7f5", "#3f6ea5"),
    "2026-07-14": ("#d9efe0", "#3b8257"),
    "2026-06-30": ("#fbe6cf", "#b3701f"),
}
WIDTH, HEIGHT = 760, 540
LEFT, RIGHT, TOP, BOTTOM = 92, 690, 64, 452
START, END = datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 6, 7, 12, tzinfo=UTC)
DAYS = range(1, 8)


def share(instant: str) -> float:
    """Where an instant lies between the two ends of an axis, 0 to 1."""
    return (datetime.fromisoformat(instant) - START) / (END - START)


def x(instant: str | None) -> float:
    """Valid time runs to the right; open ends leave the frame."""
    return RIGHT + 26 if instant is None else LEFT + share(instant) * (RIGHT - LEFT)


def y(instant: str | None) -> float:
    """Recorded time runs upwards; open ends leave the frame."""
    return TOP - 26 if instant is None else BOTTOM - share(instant) * (BOTTOM - TOP)


def text(left: float, top: float, words: str, look: str = "") -> str:
    """One line of text."""
    return f'<text x="{left:.1f}" y="{top:.1f}" {look}>{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, look: str) -> str:
    """One straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {look}/>'


def block(belief: Belief) -> list[str]:
    """The area of one belief row with its value; an open end has no edge."""
    fill, edge = COLOURS[belief.value]
    left, right = x(belief.valid_from), x(belief.valid_to)
    top, bottom = y(belief.recorded_to), y(belief.recorded_from)
    now = belief.recorded_to is None
    look = f'stroke="{edge}" stroke-width="{2.4 if now else 1.2}" stroke-linecap="square"'
    edges = [line(left, top, left, bottom, look), line(left, bottom, right, bottom, look)]
    if belief.valid_to is not None:
        edges.append(line(right, top, right, bottom, look))
    if belief.recorded_to is not None:
        edges.append(line(left, top, right, top, look))
    words = [(belief.value, "value"), *([("believed now", "note")] if now else [])]
    return [
        (
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" '
            f'height="{bottom - top:.1f}" fill="{fill}"/>'
        ),
        *edges,
        *(
            text((left + right) / 2, bottom - 34 + 17 * row, label, f'class="{kind}"')
            for row, (label, kind) in enumerate(words)
        ),
    ]


def axes() -> list[str]:
    """Both axes with a tick a day, and their names."""
    axis = 'stroke="#444" stroke-width="1.4" marker-end="url(#arrow)"'
    tick = 'stroke="#444" stroke-width="1"'
    parts = [
        line(LEFT, BOTTOM, RIGHT + 44, BOTTOM, axis),
        line(LEFT, BOTTOM, LEFT, TOP - 42, axis),
        text((LEFT + RIGHT) / 2, BOTTOM + 46, "valid time: when it is true", 'class="axis"'),
        text(
            0, 0, "recorded time: when we held it",
            f'class="axis" transform="translate(26 {(TOP + BOTTOM) / 2:.1f}) rotate(-90)"',
        ),
    ]  # fmt: skip
    for day in DAYS:
        at = f"2026-06-{day:02}T00:00:00Z"
        parts.append(line(x(at), BOTTOM, x(at), BOTTOM + 5, tick))
        parts.append(text(x(at), BOTTOM + 20, f"{day} June", 'class="tick"'))
        parts.append(line(LEFT - 5, y(at), LEFT, y(at), tick))
        parts.append(text(LEFT - 9, y(at) + 4, f"{day} June", 'class="tick" text-anchor="end"'))
    return parts


def point(question: Question) -> list[str]:
    """The place a question asks about."""
    left, top = x(question.as_of), y(question.known_at)
    return [
        f'<circle cx="{left:.1f}" cy="{top:.1f}" r="10" fill="#222"/>',
        text(left, top + 4, question.label, 'class="mark"'),
    ]


STYLE = """
  text { font-family: Helvetica, Arial, sans-serif; text-anchor: middle; fill: #222 }
  .tick { font-size: 11px; fill: #555 }
  .axis { font-size: 14px }
  .value { font-size: 15px; font-weight: bold }
  .note { font-size: 12px }
  .mark { font-size: 12px; font-weight: bold; fill: #fff }
"""

CAPTION = (
    "Each rectangle is one belief row. A question is a point; the rectangle it falls in answers."
)


def picture() -> str:
    """The whole SVG document."""
    body = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        *(part for belief in BELIEFS for part in block(belief)),
        *axes(),
        *(part for question in QUESTIONS for part in point(question)),
        text(WIDTH / 2, HEIGHT - 16, CAPTION, 'class="note"'),
    ]
    # The general anchor must not override the one of the right-aligned labels.
    style = STYLE.replace(".tick {", '[text-anchor="end"] { text-anchor: end }\n  .tick {')
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
                f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-labelledby="title">'
            ),
            '<title id="title">Four belief rows over valid time and recorded time</title>',
            (
                '<defs><marker id="arrow" markerWidth="9" markerHeight="9" refX="7" refY="4.5" '
                'orient="auto"><path d="M0,0 L9,4.5 L0,9 z" fill="#444"/></marker></defs>'
            ),
            f"<style>{style}</style>",
            *body,
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8")
