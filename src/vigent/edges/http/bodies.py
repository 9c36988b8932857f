"""What requests hold that several resources share."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from vigent.caller import Caller
from vigent.domain.time import iso, parse_instant

__all__ = ["Body", "IndexId", "Timezone", "dated"]

_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")

IndexId = Annotated[str, Field(min_length=1, max_length=200, description="A store, by id or name")]
Timezone = Annotated[str | None, Field(max_length=100, description="IANA name of a time zone")]


class Body(BaseModel):
    """The body of a request; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


def dated(
    caller: Caller, fields: dict[str, Any], timezone: str | None, *, ends: bool = False
) -> dict[str, Any]:
    """Give fields with bare dates as instants, in the request's zone, the tenant's or UTC.

    A date is the start of its day, with ``ends`` the last microsecond of it. What is no bare
    date is left as it is; a time without an offset is then read in the request's zone only.
    """
    found = dict(fields)
    for name, given in fields.items():
        if isinstance(given, str) and _DATE.fullmatch(given):
            zone = caller.zone(timezone)
            edge = "end" if ends else "start"
            found[name] = iso(parse_instant(given, name, timezone=zone, bare_date=edge))
    return found
