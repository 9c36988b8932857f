"""Wait for the end of a process, then stop a PostgreSQL server and remove its folder.

Run as a program: guard.py OWNER FOLDER passing|kept. It goes into the background by itself, and
ends when the owner has ended or the folder is gone.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path


def main() -> None:
    """Wait, and clean up."""
    owner, folder, passing = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "passing"
    if os.fork():
        os._exit(0)
    os.setsid()  # Ctrl-C is the owner's; its end is what counts here
    os.chdir("/")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    wait(owner, folder)
    for pooler in folder.glob("*/pooler.pid"):
        with suppress(OSError, ValueError):
            os.kill(int(pooler.read_text()), signal.SIGKILL)
    stop(folder / "data", passing=passing)
    if passing:
        # A server that was just being started writes on until it sees that its files are gone.
        for _ in range(20):
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.25)
            stop(folder / "data", passing=True)


def wait(owner: int, folder: Path) -> None:
    """Come back when the owner has ended, or the folder is gone."""
    with suppress(ProcessLookupError):
        if hasattr(os, "pidfd_open"):
            watched = os.pidfd_open(owner)
            while folder.exists() and not select.select([watched], [], [], 1.0)[0]:
                pass
            return
        while folder.exists():
            os.kill(owner, 0)
            time.sleep(0.5)


def stop(data: Path, *, passing: bool) -> None:
    """Stop the server: at once, or in order where what it holds is kept."""
    asked = 0
    until = time.monotonic() + 30
    while pid := postmaster(data):
        now = signal.SIGQUIT if passing or time.monotonic() > until else signal.SIGINT
        if asked != now:
            with suppress(ProcessLookupError):
                os.kill(pid, now)
            asked = now
        time.sleep(0.05)
        if time.monotonic() > until + 30:
            return


def postmaster(data: Path) -> int:
    """The server's first process, or 0 where it is gone."""
    try:
        pid = int((data / "postmaster.pid").read_text().split("\n")[0])
        os.kill(pid, 0)
    except (OSError, ValueError):
        return 0
    return pid


if __name__ == "__main__":
    main()
