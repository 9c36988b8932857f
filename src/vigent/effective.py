"""Puts the settings together, and says of each where it comes from."""

from __future__ import annotations

import dataclasses
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from vigent.errors import InvalidInput
from vigent.settings import CONFIG_FILE, CONFIG_VARIABLE, Settings, environment

__all__ = ["Effective", "Setting", "effective_settings", "every_setting"]

_MASK: Final = "********"
_KINDS: Final[dict[type, str]] = {
    bool: "true or false", int: "a whole number", float: "a number", str: "text",
}  # fmt: skip
_IN_ADDRESS: Final = re.compile(r"://[^/@\s]*@")
_TRUE: Final = {"1", "true", "yes", "on"}
_FALSE: Final = {"0", "false", "no", "off"}


class Setting(NamedTuple):
    """One setting as it is declared."""

    group: str
    field: dataclasses.Field[Any]

    @property
    def name(self) -> str:
        """Its name: group and field."""
        return f"{self.group}.{self.field.name}"

    @property
    def variable(self) -> str:
        """The variable of the environment that sets it."""
        named = self.field.metadata["env"]
        return named or f"VIGENT_{self.group}_{self.field.name}".upper()

    @property
    def about(self) -> str:
        """What it is, in one sentence."""
        return self.field.metadata["about"]

    @property
    def secret(self) -> bool:
        """Whether it is never shown."""
        return self.field.metadata["secret"]

    @property
    def kind(self) -> type:
        """Of what kind it is: bool, int, float or str."""
        return cast("type", type(self.field.default))

    @property
    def default(self) -> Any:
        """What it is where nothing sets it."""
        return self.field.default


class Effective(NamedTuple):
    """The settings in force, and where each comes from."""

    settings: Settings
    origins: Mapping[str, str]
    file: str | None

    def shown(self) -> list[dict[str, Any]]:
        """Give every setting with its value and origin; secrets are masked."""
        rows: list[dict[str, Any]] = []
        for setting in every_setting():
            value = getattr(getattr(self.settings, setting.group), setting.field.name)
            shown = _shown(value, secret=setting.secret)
            rows.append({"name": setting.name, "value": shown, "from": self.origins[setting.name]})
        return rows


def _shown(value: Any, *, secret: bool) -> Any:
    """Give a value as it may be seen: no secret, and no password in an address either."""
    if secret:
        return _MASK if value else value
    return _IN_ADDRESS.sub(f"://{_MASK}@", value) if isinstance(value, str) else value


def every_setting() -> Iterator[Setting]:
    """Give every setting there is, in order."""
    for group in dataclasses.fields(Settings):
        for each in dataclasses.fields(cast("Any", group.default)):
            yield Setting(group.name, each)


def effective_settings(
    options: Mapping[str, Any] | None = None,
    *,
    config: str | None = None,
    env: Mapping[str, str] | None = None,
) -> Effective:
    """Put the settings together: option, else environment, else file, else default.

    ``options`` are values by name, as ``server.port``; None is not given. Raises InvalidInput,
    which names the setting and where its value comes from.
    """
    given = environment() if env is None else env
    path, file = _file(config, given)
    found: dict[str, dict[str, Any]] = {}
    origins: dict[str, str] = {}
    for setting in every_setting():
        value, origin = _value(setting, options or {}, given, file, path)
        found.setdefault(setting.group, {})[setting.field.name] = value
        origins[setting.name] = origin
    parts: dict[str, Any] = {
        group.name: type(cast("Any", group.default))(**found[group.name])
        for group in dataclasses.fields(Settings)
    }
    return Effective(Settings(**parts), origins, path)


def _value(
    setting: Setting,
    options: Mapping[str, Any],
    env: Mapping[str, str],
    file: Mapping[str, Any],
    path: str | None,
) -> tuple[Any, str]:
    """Give what a setting is, and where that comes from."""
    option = options.get(setting.name)
    if option is not None:
        return _checked(setting, option, "the option"), "option"
    # Empty is as good as unset: a compose file names variables that nobody filled in.
    text = env.get(setting.variable)
    if text:
        return _checked(setting, text, setting.variable), f"environment {setting.variable}"
    if setting.secret and (named := env.get(f"{setting.variable}_FILE")):
        return _from_file(setting, named), f"environment {setting.variable}_FILE"
    group = file.get(setting.group, {})
    if setting.field.name in group:
        value = group[setting.field.name]
        return _checked(setting, value, str(path), typed=True), f"file {path}"
    return setting.default, "default"


def _from_file(setting: Setting, path: str) -> str:
    """Read a secret from a file of its own, as containers are given them."""
    where = f"{setting.variable}_FILE"
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", None) or "it is no text"
        raise _wrong(setting, where, f"its file cannot be read: {problem}") from None


def _checked(setting: Setting, value: Any, where: str, *, typed: bool = False) -> Any:
    """Give a value as its setting's kind; raises InvalidInput."""
    read = _as_kind(value, setting.kind, typed=typed)
    if read is None:
        raise _wrong(setting, where, f"must be {_KINDS[setting.kind]}")
    least, most = setting.field.metadata["least"], setting.field.metadata["most"]
    among = setting.field.metadata["among"]
    if among and read not in among:
        raise _wrong(setting, where, f"is one of {', '.join(among)}")
    if least is not None and read < least:
        raise _wrong(setting, where, f"must be at least {least}")
    if most is not None and read > most:
        raise _wrong(setting, where, f"must be at most {most}")
    return read


def _as_kind(value: Any, kind: type, *, typed: bool) -> Any:
    """Read a value as bool, int, float or str; None where it is none."""
    if isinstance(value, str) and not typed:
        return _read(value.strip(), kind)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value


def _read(text: str, kind: type) -> Any:
    if kind is bool:
        word = text.lower()
        return True if word in _TRUE else False if word in _FALSE else None
    try:
        read = kind(text)
    except ValueError:
        return None
    return None if kind is float and not math.isfinite(read) else read


def _wrong(setting: Setting, where: str, problem: str) -> InvalidInput:
    """Name the setting and its origin, never its value: that may be a secret."""
    return InvalidInput(setting.name, f"{problem} (set by {where})")


def _file(config: str | None, env: Mapping[str, str]) -> tuple[str | None, Mapping[str, Any]]:
    """Read the file of settings: the one that is named must be there, ``vigent.toml`` may be."""
    named = config or env.get(CONFIG_VARIABLE) or None
    path = Path(named or CONFIG_FILE)
    try:
        with path.open("rb") as opened:
            read = tomllib.load(opened)
    except FileNotFoundError:
        if named is None:
            return None, {}
        raise InvalidInput("config", f"there is no file {path}") from None
    except OSError as error:
        raise InvalidInput("config", f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput("config", f"{path} is not TOML: {error}") from error
    _refuse_unknown(read, str(path))
    return str(path), read


def _refuse_unknown(read: Mapping[str, Any], path: str) -> None:
    known: dict[str, set[str]] = {}
    for setting in every_setting():
        known.setdefault(setting.group, set()).add(setting.field.name)
    for group, fields in read.items():
        if group not in known or not isinstance(fields, dict):
            raise InvalidInput(group, f"is no group of settings (in {path})")
        for name in cast("dict[str, Any]", fields):
            if name not in known[group]:
                raise InvalidInput(f"{group}.{name}", f"is no setting (in {path})")
