"""Reading a schema file: YAML or JSON, strictly."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any, cast

import yaml

from vigent.domain.strictjson import strict_json
from vigent.errors import InvalidInput

__all__ = ["read_mapping"]


def read_mapping(source: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a mapping from a file, JSON when its name ends in ``.json`` and YAML otherwise.

    A file that cannot be read or parsed, a key that stands twice, and a number that is none or
    infinite are refused (``InvalidInput``, naming the file and the place).
    """
    path = Path(source)
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix.lower() == ".json":
            found = strict_json(text, exact=False)
        else:
            found = yaml.load(text, Loader=_Loader)  # noqa: S506  (a SafeLoader)
    except OSError as error:
        raise InvalidInput("schema", f"cannot read {path}: {error.strerror}") from error
    except (ValueError, yaml.YAMLError) as error:
        raise InvalidInput("schema", f"cannot parse {path}: {_reason(error)}") from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise InvalidInput("schema", f"{path} must hold a mapping")
    return cast("dict[str, Any]", found)


def _reason(error: Exception) -> str:
    """Give the reason and the place in one line."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem or error.context}"
    return " ".join(str(error).split())


class _Loader(yaml.SafeLoader):
    """The safe loader, which takes no key twice, and no number that is none or infinite."""

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float:
        found = super().construct_yaml_float(node)
        if not math.isfinite(found):
            raise yaml.constructor.ConstructorError(
                None, None, f"{node.value} is not a finite number", node.start_mark
            )
        return found

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT002
        seen: set[str] = set()
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} stands twice", key.start_mark
                )
            if isinstance(key.value, str):
                seen.add(key.value)
        return super().construct_mapping(node, deep)


# PyYAML looks constructors up by tag, and so finds those of the base class alone.
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.construct_yaml_float)
