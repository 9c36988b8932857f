"""Write docs/reference/settings.md from the declared settings; ``--check`` says if it is stale."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from vigent.effective import Setting, every_setting

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "settings.md"

INTRODUCTION = """\
# Settings of the service

<!-- Written by tools/settings_reference.py; `make docs` writes it anew. -->

A setting comes from the first of these that has it: an option of `vigent serve`, the environment,
the settings file, its default. `vigent config` shows the ones in force and where each comes from;
secrets are masked.

The file is TOML: `vigent.toml` in the working directory, or what `--config` or `VIGENT_CONFIG`
names. Its tables are the groups below. An unknown name or a value that does not fit keeps the
service from starting, and the error names it. The commands that work on a file by themselves
(`vigent write`, `vigent current` and so on) read no settings file.

```
[server]
port = 9000

[limits]
rate_per_second = 50
```
"""


def page() -> str:
    """The whole page."""
    groups: dict[str, list[Setting]] = {}
    for setting in every_setting():
        groups.setdefault(setting.group, []).append(setting)
    return "\n".join([INTRODUCTION, *(_section(name, each) for name, each in groups.items())])


def _section(group: str, settings: list[Setting]) -> str:
    rows = [f"## `{group}`\n", "| setting | variable | default | what it is |"]
    rows.append("| --- | --- | --- | --- |")
    rows += [
        f"| `{s.field.name}` | `{s.variable}` | {_default(s.default)} | {s.about}{_bounds(s)} |"
        for s in settings
    ]
    return "\n".join(rows) + "\n"


def _default(value: Any) -> str:
    if value == "":
        return "empty"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _bounds(setting: Setting) -> str:
    told = setting.field.metadata
    least, most = told["least"], told["most"]
    if setting.secret:
        return " A secret."
    if most is not None:
        return f" From {least} to {most}."
    return "" if least is None else f" At least {least}."


def main() -> int:
    """Write the page, or say whether it is stale."""
    text = page()
    if "--check" in sys.argv[1:]:
        stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text
        if stale:
            print(f"{PAGE.name} is stale: run tools/settings_reference.py")
        return int(stale)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
