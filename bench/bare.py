"""The yardstick of the service: FastAPI alone, a plain handler, a body's and an answer's model."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Write(BaseModel):
    """The fields of a write."""

    index_id: str
    type: str = "fact"
    text: str | None = None
    subject: str | None = None
    attribute: str | None = None
    value: Any = None
    valid_from: str | None = None
    valid_to: str | None = None
    mode: str = "change"
    confidence: float | None = None
    importance: int | None = None
    due: str | None = None
    metadata: dict[str, Any] | None = None
    source: str | None = None
    trust: str | None = None
    timezone: str | None = None


class Written(BaseModel):
    """What is answered."""

    outcome: str
    subject: str | None
    attribute: str | None
    value: Any


@app.post("/write", response_model=Written)
def write(body: Write) -> Written:
    """Answer with what was sent."""
    return Written(
        outcome="stored", subject=body.subject, attribute=body.attribute, value=body.value
    )
