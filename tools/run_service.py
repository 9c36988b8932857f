"""Start the service on a new file and show the passport story over HTTP; ``make run`` calls it.

On a terminal it serves until Ctrl-C. Elsewhere, as in CI, it runs the printed lines itself, checks
their answers, stops the service and ends with 0. ``VIGENT_RUN_SECONDS`` has it serve for so long
in either case.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

EXPECTED = ("2026-07-15", "2026-06-30", "2026-06-30", "2026-07-15")


def main() -> int:
    """Serve a new file; gives the exit code."""
    db = sys.argv[1]
    for end in ("", "-wal", "-shm"):
        Path(f"{db}{end}").unlink(missing_ok=True)
    return serve(db)


def serve(db: str) -> int:
    """Serve a new store, which a path or a URL names; gives the exit code."""
    seconds = os.environ.get("VIGENT_RUN_SECONDS")
    words = [str(Path(sys.executable).with_name("vigent")), "serve", "--db", db]
    if os.environ.get("VIGENT_SERVER_PORT") is None and not is_free(8080):
        print("Port 8080 is taken, so another is used.")
        words += ["--port", "0"]
    sys.stdout.flush()
    if seconds is None and sys.stdin.isatty():
        os.execv(words[0], words)
    env = {**os.environ, "VIGENT_LOGS_REQUESTS": "off"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=env) as service:
        try:
            told = ask(service)
            if seconds is not None and told:
                with suppress(KeyboardInterrupt):
                    time.sleep(float(seconds))
        finally:
            service.send_signal(signal.SIGTERM)
        return service.wait(60) if told else 1


def is_free(port: int) -> bool:
    """Whether nobody listens at a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def ask(service: subprocess.Popen[str]) -> bool:
    """Show what the service prints, run its lines, and say whether the answers are right."""
    key, lines = "", list[str]()
    for printed in service.stdout or ():
        print(printed, end="")
        if printed.startswith("export VIGENT_KEY="):
            key = printed.strip().partition("=")[2]
        if printed.startswith("curl "):
            lines.append(printed.strip())
        if len(lines) == len(EXPECTED):
            break
    if len(lines) != len(EXPECTED):
        return False
    print("\nNot on a terminal, so these lines are run here:")
    good = True
    for line, value in zip(lines, EXPECTED, strict=True):
        retry = "curl --retry 30 --retry-connrefused --retry-delay 1 --max-time 60 "
        answer = subprocess.run(
            ["bash", "-c", line.replace("curl ", retry, 1)],
            env={**os.environ, "VIGENT_KEY": key}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        print(f"  {answer.stdout.strip() or answer.stderr.strip()}")
        good &= f'"value":"{value}"' in answer.stdout
    print("The answers are as they should be." if good else "An answer is not as it should be.")
    return good


if __name__ == "__main__":
    sys.exit(main())
