"""In a process of its own, so that its limits are its own: writes until the disk is full."""

from __future__ import annotations

import os
import resource
import signal
import sys

from tests.simulation.processes import say
from vigent import Memory, VigentError


def main(role: str, path: str) -> None:
    if role == "limited":
        _until_full(path)
    else:
        _unprivileged(path)


def _until_full(path: str) -> None:
    """Write against a limit on the size of files, then go on without it."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with Memory.open(path) as memory:
        memory.write(subject="s", attribute="before", value="here")
        roomy = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (6_000_000, roomy[1]))
        stored: list[str] = []
        errors: list[list[str]] = []
        for i in range(500):
            try:
                memory.write(subject="s", attribute=f"a{i}", value=f"{i} " + "x" * 4_000)
                stored.append(f"a{i}")
            except VigentError as error:
                errors.append([error.code, error.category])
        try:
            memory.write_many(
                [{"subject": "s", "attribute": f"b{i}", "value": "y" * 4_000} for i in range(400)],
                atomic=True,
            )
            stored.append("batch")
        except VigentError as error:
            errors.append([error.code, error.category])
        reads = memory.current("s", "before").value
        resource.setrlimit(resource.RLIMIT_FSIZE, roomy)
        after = memory.write(subject="s", attribute="after", value="goes on").outcome
        say({"stored": stored, "errors": errors, "reads": reads, "after": after})


def _unprivileged(path: str) -> None:
    """Read and write as somebody who may not write here (root may always)."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    out: dict[str, object] = {}
    try:
        with Memory.open(path) as memory:
            record = memory.current("ira", "seat")
            out["current"] = None if record is None else record.value
            out["history"] = [r.value for r in memory.history("ira", "seat")]
            out["words"] = [r.value for r in memory.search("ira").records]
            for verb in ("write", "capture", "forget"):
                try:
                    if verb == "write":
                        memory.write(subject="ira", attribute="seat", value="9Z")
                    elif verb == "capture":
                        memory.capture("not kept")
                    else:
                        memory.forget(record.memory_id if record is not None else "mem_none")
                    out[verb] = "done"
                except VigentError as error:
                    out[verb] = [error.code, error.category, str(error)]
    except VigentError as error:
        out["refused"] = [error.code, error.category, str(error)]
    say(out)
    sys.stdout.flush()
