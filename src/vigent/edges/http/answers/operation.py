"""What the routes of operation answer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

__all__ = ["Live", "Ready", "Version"]


class Live(BaseModel):
    """The process lives."""

    status: Literal["ok"]


class Ready(BaseModel):
    """How the service is."""

    status: Literal[
        "ok", "degraded", "read_only", "busy", "starting", "migrating", "stopping", "failed"
    ]
    reasons: list[str] = Field(description="What it lacks, in words; empty where it is ok.")


class Version(BaseModel):
    """The service's version."""

    version: str
