"""JSON documents in a file or folder: plain, gzip or zip, one document or one a line."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

from vigent.evaluation.gold.dataset import GoldError

__all__ = ["beside", "documents", "listed", "mapping", "objects"]

_JSON: Final = {".json", ".jsonl", ".ndjson"}
_PACKED: Final = {".gz", ".zip"}
_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZIP_MAGIC: Final = b"PK\x03\x04"


def documents(path: Path) -> Iterator[tuple[str, Any]]:
    """Every JSON document at ``path`` with the name of the file it stands in, by name.

    A file of one JSON value a line gives one document: the list of them. Other files of a
    folder are passed over; a named file must be readable.
    """
    if path.is_dir():
        for file in sorted(p for p in path.rglob("*") if p.is_file() and _may_hold_json(p.name)):
            yield from _read(file.name, file.read_bytes())
    elif path.is_file():
        yield from _read(path.name, path.read_bytes())
    else:
        raise GoldError(f"{path} does not exist")


def beside(path: Path) -> Iterator[tuple[str, Any]]:
    """The documents at ``path``, then those of the small plain files in the same folder.

    For a set whose schema stands in a file of its own beside the dialogues.
    """
    yield from documents(path)
    if path.is_file():
        for file in sorted(path.parent.glob("*.json")):
            if file != path and file.is_file():
                yield from _read(file.name, file.read_bytes())


def listed(value: Any) -> list[Any]:
    """The value if it is a list, else a list of it alone."""
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def objects(document: Any, *keys: str) -> list[dict[str, Any]]:
    """The objects with all these keys in a document, which is a list of such or one of them."""
    return [item for item in map(mapping, listed(document)) if all(key in item for key in keys)]


def _may_hold_json(name: str) -> bool:
    suffixes = {suffix.lower() for suffix in Path(name).suffixes}
    return not name.startswith(".") and bool(suffixes & (_JSON | _PACKED))


def _read(name: str, content: bytes) -> Iterator[tuple[str, Any]]:
    if content.startswith(_ZIP_MAGIC):
        try:
            unzipped = _unzip(content)
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise GoldError(f"{name} is a damaged zip file: {error}") from error
        for inner, part in unzipped:
            yield from _read(inner, part)
    elif content.startswith(_GZIP_MAGIC):
        try:
            unpacked = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise GoldError(f"{name} is a damaged gzip file: {error}") from error
        yield from _read(name, unpacked)
    else:
        yield name, _parse(name, content)


def _unzip(content: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [
            (Path(member).name, archive.read(member))
            for member in sorted(archive.namelist())
            if _may_hold_json(Path(member).name) and not member.startswith("__MACOSX")
        ]


def _parse(name: str, content: bytes) -> Any:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GoldError(f"{name} is not UTF-8: {error}") from error
    try:
        return json.loads(text)
    except ValueError as error:
        return _parse_lines(name, text, error)


def _parse_lines(name: str, text: str, as_one: ValueError) -> list[Any]:
    # Not splitlines(): a JSON string may hold U+2028 as it is.
    values: list[Any] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                values.append(json.loads(line))
            except ValueError as error:
                if not values:
                    raise GoldError(f"{name} is not JSON: {as_one}") from as_one
                raise GoldError(f"{name}, line {number}: not JSON ({error})") from error
    return values
