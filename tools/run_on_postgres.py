"""Start a PostgreSQL of our own, run the demo on it, then the service.

``make run DATABASE=postgres`` calls it. The server keeps its data in the folder it is given, and
ends with the service; the two databases begin anew each time.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.postgres import OWNER, Server, Unavailable
from tools.run_service import serve


def main() -> int:
    """Run both; gives the exit code."""
    server = Server(Path(sys.argv[1]).resolve(), durable=True)
    try:
        server.start()
    except Unavailable as why:
        print(f"PostgreSQL cannot be started: {why}", file=sys.stderr)
        return 1
    demo, service = (new(server, name) for name in ("demo", "service"))
    shown = server.installed.version.partition("(")[2].replace(")", "")
    print(f"{shown} runs in {server.folder}, and ends with the service.")
    print("Until then its stores can be asked from another terminal.\n", flush=True)
    vigent = str(Path(sys.executable).with_name("vigent"))
    told = subprocess.run([vigent, "demo", "--db", demo], check=False).returncode
    if told == 0:
        print(flush=True)
        told = serve(service)
    server.close()
    return told


def new(server: Server, name: str) -> str:
    """Make a database anew; gives the URL for its owner."""
    server.drop_database(name)
    return server.url(server.new_database(name), OWNER)


if __name__ == "__main__":
    sys.exit(main())
