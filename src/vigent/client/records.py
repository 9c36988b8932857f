"""The verbs of memory as requests and answers."""

from __future__ import annotations

from vigent.client.reading import ReadVerbs
from vigent.client.responding import ResponseVerbs
from vigent.client.writing import WriteVerbs

__all__ = ["RecordVerbs"]


class RecordVerbs(WriteVerbs, ReadVerbs, ResponseVerbs):
    """What ``Client`` asks a service for."""

    __slots__ = ()
