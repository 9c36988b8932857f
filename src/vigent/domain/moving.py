"""What a file of moved memory looks like: its tables, and each row as a line of JSON.

A line names its table and the columns that are not at their default. Row numbers are an engine's
own matter: in a file a row that others refer to is known by its place among the rows of its
table, from 1 on. So a file is the same whichever engine wrote it, and rows keep their order.
"""

from __future__ import annotations

import base64
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import orjson

from vigent.domain.time import OPEN
from vigent.errors import BadExport, CorruptStore

__all__ = [
    "FORMAT",
    "TABLES",
    "VECTORS",
    "Column",
    "Row",
    "Table",
    "decoder",
    "encoder",
    "line_of",
    "places_of",
    "total",
]

FORMAT: Final = 1
"""The version of the format; a file of another one is refused."""

Row = tuple[Any, ...]
"""The columns of a row, in the order of its table; of a numbered table after its number."""

_REQUIRED: Final = object()
_DEFAULTS: Final[dict[str, Any]] = {"null": None, "open": OPEN, "0": 0, "": "", "{}": "{}"}
_REFERENCES: Final = ("key", "statement", "episode", "thread")


class Column(NamedTuple):
    """A column: what it holds, and what it holds where a line does not name it.

    ``kind`` is text, int, real, bytes (written in hexadecimal), blob (base64), or the name of the
    table to which it refers by number.
    """

    name: str
    kind: str
    default: Any = _REQUIRED


class Table(NamedTuple):
    """A table: ``numbered`` rows begin with a number that others refer to, or that orders them."""

    name: str
    numbered: bool
    columns: tuple[Column, ...]


def _column(text: str) -> Column:
    spec, given, default = text.partition("=")
    name, _, kind = spec.partition(":")
    return Column(name, kind or "text", _DEFAULTS[default] if given else _REQUIRED)


def _table(name: str, columns: str, *, numbered: bool = False) -> Table:
    return Table(name, numbered, tuple(map(_column, columns.split())))


TABLES: Final = (
    _table("tenant", "salt:bytes created_at:int"),
    _table(
        "resource",
        "kind id name=null person= version:int document created_at:int changed_at:int",
    ),
    _table(
        "episode",
        "id store person= role kind content=null occurred_at:int recorded_at:int speaker=null "
        "thread=null external_id=null metadata={} expires_at:int flagged:int=0 stub:int=0",
        numbered=True,
    ),
    _table(
        "thread",
        "store person= id agent=null metadata={} created_at:int ttl_days:int last_position:int "
        "expires_at:int",
        numbered=True,
    ),
    _table("thread_item", "thread:thread position:int episode:episode agent=null sealed:int=0"),
    _table("thread_state", "thread:thread version:int document at:int"),
    _table(
        "key",
        "store person= subject= attribute= type= name= last_recorded:int head_from:int=0 "
        "head_to:int=0 head_recorded:int=0 head_expires:int=0 head_replaced=null "
        "head_replacer=null head=null",
        numbered=True,
    ),
    _table(
        "statement",
        "id key:key member:bytes= role kind token:bytes= valid_from:int valid_to:int=open "
        "stated_end:int=0 basis recorded_from:int withdrawn_at:int=open forgotten_at:int=open "
        "gap:int=0 place:int=0 turn:int bears:statement=null bears_from:int clean:int=0 "
        "indexed:int=0 keep= type value_kind=null value=null text=null replaces=null status "
        "contested:int=0 source_episode=null source=null quote=null speaker=null trust "
        "writer=null confidence:real=null importance:int metadata={} retention=null "
        "expires_at:int=open created_at:int last_changed_at:int confirmed_at:int=null "
        "evidence_count:int retrieved_count:int=0 schema_version:int=0 fields={} flagged:int=0 "
        "fingerprint:bytes=null outcome= ended= reason=null",
        numbered=True,
    ),
    _table(
        "belief",
        "key:key member:bytes= memory:statement valid_from:int valid_to:int=open "
        "recorded_from:int recorded_to:int=null",
        numbered=True,
    ),
    _table("alias", "store person= name written subject at:int"),
    _table("person", "person subject"),
    _table(
        "audit",
        "id at:int action outcome target=null digest:bytes said:bytes=null seal:int=null "
        "store=null person=null key:key=null salt:bytes=null content=null",
        numbered=True,
    ),
    _table("seal", "n:int entries:int at:int hash:bytes"),
    _table("idempotency", "caller endpoint name person= request:bytes answer at:int"),
    _table("erased", "person:bytes at:int counts state"),
    _table(
        "usage",
        "day:int store= model kind calls:int failed:int=0 input_tokens:int=0 output_tokens:int=0",
    ),
)
"""What belongs to a tenant, in the order of a file: what is referred to goes first."""

VECTORS: Final = _table(
    "vector", "name revision dimension:int kind:int source:int start:int data:blob"
)
"""What may follow: vectors, each by its model and the passage it is of."""


def places_of(numbers: Sequence[int]) -> Callable[[int], int | None]:
    """Give what finds the place of a number among rising ones, from 1 on; None if not there."""

    def place(number: int) -> int | None:
        at = bisect_left(numbers, number)
        return at + 1 if at < len(numbers) and numbers[at] == number else None

    return place


def line_of(document: Mapping[str, Any]) -> bytes:
    """Give a document as a line."""
    return orjson.dumps(document) + b"\n"


# ----------------------------------------------------------------------------- writing


def _same(value: Any) -> Any:
    return value


_WRITTEN: Final[dict[str, Callable[[Any], Any]]] = {
    "bytes": lambda value: bytes(value).hex(),
    "blob": lambda value: base64.b64encode(value).decode(),
}


def encoder(
    table: Table, places: Mapping[str, Callable[[int], int | None]]
) -> Callable[[Row], bytes]:
    """Give what makes a line of a row; ``places`` finds what a column refers to, by table.

    A reference to what is not there becomes null where the column may be null.
    """
    steps = [
        (c.name, places.get(c.kind, _WRITTEN.get(c.kind, _same)), _emptied(c))
        for c in table.columns
    ]
    skipped = int(table.numbered)

    def encode(row: Row) -> bytes:
        line: dict[str, Any] = {"table": table.name}
        for (name, written, default), value in zip(steps, row[skipped:], strict=True):
            if value == default:
                continue
            told = written(value)
            if told is not None:
                line[name] = told
            elif default is _REQUIRED:
                raise CorruptStore(f"{table.name}.{name} refers to nothing")
        return orjson.dumps(line) + b"\n"

    return encode


def _emptied(column: Column) -> Any:
    """Give the default as it stands in a row: what is empty in a file is empty bytes there."""
    if column.kind == "bytes" and column.default == "":
        return b""
    return column.default


# ----------------------------------------------------------------------------- reading


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise ValueError("must be text")


def _int(value: Any) -> int:
    if type(value) is int:
        return value
    raise ValueError("must be a whole number")


def _real(value: Any) -> float:
    if type(value) in (int, float):
        return float(value)
    raise ValueError("must be a number")


def _bytes(value: Any) -> bytes:
    return bytes.fromhex(_text(value))


def _blob(value: Any) -> bytes:
    return base64.b64decode(_text(value), validate=True)


_READ: Final[dict[str, Callable[[Any], Any]]] = {
    "text": _text, "int": _int, "real": _real, "bytes": _bytes, "blob": _blob,
}  # fmt: skip


def _referred(base: int, count: int) -> Callable[[Any], int]:
    def number(value: Any) -> int:
        if not 1 <= _int(value) <= count:
            raise ValueError("refers to no row of this file")
        return base + value

    return number


def decoder(
    table: Table, bases: Mapping[str, int], counts: Mapping[str, int]
) -> Callable[[Mapping[str, Any], int], Row]:
    """Give what makes a row of a line and its place in its table.

    Numbers of a table begin after its base. A null reference becomes 0, which no row bears, where
    the column knows no null. Raises BadExport for what is no row of the table.
    """
    steps = [(c.name, _reader(c, bases, counts), _absent(c)) for c in table.columns]
    known = {"table", *(c.name for c in table.columns)}
    base = bases.get(table.name, 0)

    def decode(line: Mapping[str, Any], place: int) -> Row:
        if not line.keys() <= known:
            strange = min(set(line) - known)
            raise BadExport(f"table {table.name} has no column {strange[:100]}")
        row: list[Any] = [base + place] if table.numbered else []
        for name, read, absent in steps:
            try:
                value = line.get(name, _REQUIRED)
                row.append(absent if value is _REQUIRED else read(value))
            except ValueError as error:
                raise BadExport(f"{table.name}.{name} {error}") from error
        if _REQUIRED in row:
            raise BadExport(f"{table.name}.{table.columns[_first(row, table)].name} is missing")
        return tuple(row)

    return decode


def _first(row: Sequence[Any], table: Table) -> int:
    return row.index(_REQUIRED) - int(table.numbered)


def _reader(
    column: Column, bases: Mapping[str, int], counts: Mapping[str, int]
) -> Callable[[Any], Any]:
    if column.kind in _REFERENCES:
        return _referred(bases.get(column.kind, 0), counts.get(column.kind, 0))
    return _READ[column.kind]


def _absent(column: Column) -> Any:
    if column.name == "bears":
        return 0
    return _emptied(column)


def total(counts: Mapping[str, int], tables: Iterable[Table] = TABLES) -> int:
    """Give how many rows there are in all."""
    return sum(counts.get(table.name, 0) for table in tables)
