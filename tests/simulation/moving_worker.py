"""In a process of its own: imports, restores or copies, until it is done or killed."""

from __future__ import annotations

import sys

from tests.simulation.processes import say
from vigent.moving import copy_store, import_file, restore_store


def main(verb: str, source: str, target: str) -> None:
    say({"ready": True})
    sys.stdin.readline()
    if verb == "import":
        import_file(target, source)
    elif verb == "restore":
        restore_store(source, target, force=True)
    else:
        for done in copy_store(source, target):
            say({"copied": done.tenant})
    say({"done": True})
