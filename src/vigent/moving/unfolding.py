"""Reads lines that an export wrote, and believes none of it before it is checked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, cast

import orjson

from vigent.domain.moving import FORMAT, TABLES, VECTORS, Row, Table, decoder
from vigent.domain.text import check_id
from vigent.errors import BadExport, InvalidInput

__all__ = ["Unfolding", "is_export"]

_BEGIN: Final = b'{"vigent_export":'
_END: Final = b'{"end":'


def is_export(first: bytes) -> bool:
    """Whether a file with this first line is one of moved memory."""
    return first.startswith(_BEGIN)


class Unfolding:
    """The lines of an export, read once, from the first to the last.

    Raises BadExport for what is cut, altered, of a format that is not known here, or of a later
    schema than the given one.
    """

    def __init__(self, lines: Iterable[bytes], *, schema: int | None = None) -> None:
        self._lines = iter(lines)
        self._number = 0
        self.digest = ""
        header = self._document(next(self._lines, b""))
        if header.get("vigent_export") != FORMAT:
            raise BadExport(
                f"it is of format {header.get('vigent_export')}; this version reads {FORMAT}"
                if "vigent_export" in header
                else "it does not begin as a file of moved memory does"
            )
        self._read_header(header, schema)

    def _read_header(self, header: Mapping[str, Any], schema: int | None) -> None:
        try:
            self.tenant = check_id(header["tenant"], "tenant")
            whose = header["person"]
            self.person = None if whose is None else check_id(whose, "person")
            self.vectors = bool(header["vectors"])
            self.counts: dict[str, int] = {t.name: int(header["counts"][t.name]) for t in TABLES}
            self.schema, self.engine = int(header["schema"]), str(header["engine"])
            self.made_at = str(header["made_at"])
        except (KeyError, TypeError, ValueError, InvalidInput) as error:
            raise BadExport("its first line is not whole", line=1) from error
        if schema is not None and self.schema > schema:
            raise BadExport(
                f"it was written by a newer version (schema {self.schema}; this one knows {schema})"
            )

    @property
    def what(self) -> str:
        """What the file holds, for a person to read."""
        return f"tenant {self.tenant}" if self.person is None else f"person {self.person}"

    def rows(self, bases: Mapping[str, int]) -> Iterator[tuple[Table, Row]]:
        """Give the rows in order, numbered tables after their bases; checks the whole at the end.

        What was given before an error must not be kept.
        """
        digest, seen = hashlib.sha256(), dict.fromkeys(self.counts, 0)
        tables = {table.name: place for place, table in enumerate(TABLES)}
        at: int = -1
        decode: Callable[[Mapping[str, Any], int], Row] = _nothing
        for line in self._lines:
            self._number += 1
            if line.startswith(_END):
                self.digest = digest.hexdigest()
                self._ended(line, "tables", self.digest, {"counts": seen})
                return
            digest.update(line)
            document = self._document(line, count=False)
            place = tables.get(document.get("table", ""))
            if place is None:
                named = str(document.get("table"))[:100]
                raise BadExport(f"unknown table {named}", line=self._number)
            if place != at:
                if place < at:
                    raise BadExport("tables are out of order", line=self._number)
                at, decode = place, decoder(TABLES[place], bases, self.counts)
            table = TABLES[place]
            seen[table.name] += 1
            yield table, self._located(decode, document, seen[table.name])
        raise self._cut()

    def skip(self) -> str:
        """Read to the end of the tables, check that all is there, and give the digest."""
        digest = hashlib.sha256()
        for seen, line in enumerate(self._lines):
            self._number += 1
            if line.startswith(_END):
                self.digest = digest.hexdigest()
                self._ended(line, "tables", self.digest, {"counts": self.counts})
                if seen != sum(self.counts.values()):
                    raise BadExport("it has not the rows that it tells of", line=self._number)
                return self.digest
            digest.update(line)
        raise self._cut()

    def vector_rows(self) -> Iterator[Row]:
        """Give the vectors that follow, where there are any; sources by their place."""
        if not self.vectors:
            return
        digest = hashlib.sha256()
        decode = decoder(VECTORS, {}, {})
        for count, line in enumerate(self._lines):
            self._number += 1
            if line.startswith(_END):
                self._ended(line, "vectors", digest.hexdigest(), {"count": count})
                return
            digest.update(line)
            yield self._located(decode, self._document(line, count=False), 0)
        raise self._cut()

    def _ended(self, line: bytes, what: str, digest: str, told: Mapping[str, Any]) -> None:
        document = self._document(line, count=False)
        if document.get("end") != what or document.get("digest") != digest:
            raise BadExport("its digest does not fit what it holds", line=self._number)
        for name, value in told.items():
            if document.get(name) != value or (name == "counts" and value != self.counts):
                raise BadExport("it has not the rows that it tells of", line=self._number)

    def _cut(self) -> BadExport:
        return BadExport(f"it is cut off after line {self._number}")

    def _located(
        self, decode: Callable[[Mapping[str, Any], int], Row], document: Mapping[str, Any], at: int
    ) -> Row:
        try:
            return decode(document, at)
        except BadExport as error:
            message = error.message.removeprefix("file: ")
            raise BadExport(message, line=self._number) from error

    def _document(self, line: bytes, *, count: bool = True) -> dict[str, Any]:
        self._number += int(count)
        document: Any = None
        try:
            document = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            told = "it is empty" if not line else "is no line of JSON, or a part of one"
            raise BadExport(told, line=self._number if line else None) from error
        if not isinstance(document, dict):
            raise BadExport("is no JSON object", line=self._number)
        return cast("dict[str, Any]", document)


def _nothing(line: Mapping[str, Any], place: int) -> Row:
    del line, place
    return ()
