"""Start a PostgreSQL of our own, run the demo on it, then the service.

``make run DATABASE=postgres`` calls it. The server keeps its data in the folder it is given, and
ends with the service; the two databases begin anew each time.
"""

from __future__ import annotations

import shlex
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
    urls = list[str]()
    for name in ("demo", "service"):
        server.drop_database(name)
        urls.append(server.url(server.new_database(name), OWNER))
    vigent = str(Path(sys.executable).with_name("vigent"))
    shown = server.installed.version.partition("(")[2].replace(")", "")
    print(f"{shown} runs in {server.folder}, and ends with the service.", flush=True)
    demo = subprocess.run([vigent, "demo", "--db", urls[0]], check=False)
    if demo.returncode == 0:
        print("\nWhile it runs, its store can be asked from another terminal, for example:")
        where = shlex.quote(urls[0])
        print(f"  {vigent} current mira passport_deadline --db {where}\n", flush=True)
        demo.returncode = serve(urls[1])
    server.close()
    return demo.returncode


if __name__ == "__main__":
    sys.exit(main())
