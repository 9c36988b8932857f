"""Debian's pgbouncer in transaction mode in front of a server: each transaction has any session.

Where no pgbouncer is installed, apt fetches the package, and it is unpacked into the cache: nothing
is installed, no service is started, and no rights are needed.
"""

from __future__ import annotations

import pwd
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Self
from urllib.parse import quote

from tools.postgres.build import Unavailable, prepared
from tools.postgres.server import OWNER, SUPERUSER, Server

__all__ = ["Pooler"]

RECIPE = 1


class Pooler:
    """A pgbouncer in front of a server, at a socket in the server's folder.

    ``size``: how many sessions of the server a database and role get; ``clients``: how many
    connections it takes. ``settings`` are pgbouncer's own, such as ``{"pool_mode": "session"}``.
    """

    def __init__(
        self, server: Server, *, size: int = 4, clients: int = 200,
        settings: dict[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.server = server
        self._settings = {
            "pool_mode": "transaction",
            "default_pool_size": str(size),
            "max_client_conn": str(clients),
            **(settings or {}),
        }
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Start it, and come back when it answers."""
        program, libraries = _pgbouncer()
        self.folder = Path(tempfile.mkdtemp(prefix="pooler-", dir=self.server.folder))
        self._write()
        user = self.server.user
        if user:
            for path in (self.folder, *self.folder.iterdir()):
                shutil.chown(path, user)
        with (self.folder / "said").open("wb") as said:
            self._running = subprocess.Popen(
                [program, str(self.folder / "pgbouncer.ini")], stdin=subprocess.DEVNULL,
                stdout=said, stderr=said, start_new_session=True, cwd=self.folder,
                env={"LD_LIBRARY_PATH": libraries} if libraries else None,
                user=user, group=pwd.getpwnam(user).pw_gid if user else None,
                extra_groups=[] if user else None,
            )  # fmt: skip
        until = time.monotonic() + 30
        while not (self.folder / f".s.PGSQL.{self.server.port}").exists():
            if self._running.poll() is not None or time.monotonic() > until:
                text = (self.folder / "said").read_text(errors="replace")
                self.close()
                raise Unavailable(f"pgbouncer did not start: {text}")
            time.sleep(0.02)
        return self

    def url(self, database: str = SUPERUSER, user: str = OWNER) -> str:
        """The URL of a database through the pooler; no password is asked."""
        place = quote(str(self.folder), safe="")
        return f"postgresql://{quote(user)}@/{quote(database)}?host={place}&port={self.server.port}"

    @property
    def pid(self) -> int:
        """Its process, or 0."""
        return self._running.pid if self._running else 0

    def close(self) -> None:
        """End it, with all connections through it; closing twice is fine."""
        if self._running is not None:
            self._running.kill()
            self._running.wait()
            self._running = None
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self if self._running else self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self) -> None:
        (self.folder / "users").write_text(f'"{SUPERUSER}" ""\n')
        settings = {
            "unix_socket_dir": str(self.folder),
            "listen_port": str(self.server.port),
            "auth_type": "trust",
            "auth_file": str(self.folder / "users"),
            "auth_user": SUPERUSER,  # who looks for roles that are made later
            "pidfile": str(self.folder / "pooler.pid"),  # by which the server's guard finds it
            **self._settings,
        }
        lines = [
            "[databases]",
            f"* = host={self.server.folder} port={self.server.port}",
            "[pgbouncer]",
            *(f"{name} = {value}" for name, value in settings.items()),
        ]
        (self.folder / "pgbouncer.ini").write_text("\n".join(lines) + "\n")


def _pgbouncer() -> tuple[str, str]:
    """The program, and where the libraries lie that the machine may lack; empty for installed."""
    installed = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
    if installed:
        return installed, ""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise Unavailable("the tests of connection poolers need pgbouncer: install it")
    root = prepared(f"pgbouncer-{RECIPE}", _unpack)
    libraries = {str(path.parent) for path in root.glob("usr/lib/**/*.so.*")}
    return str(root / "usr/sbin/pgbouncer"), ":".join(sorted(libraries))


def _unpack(making: Path) -> None:
    """Fetch the package and the libraries that the machine lacks, and unpack them."""
    fetched = making / "fetched"
    state = making / "state"
    (fetched / "partial").mkdir(parents=True)
    options = [f"-oDir::Cache::archives={fetched}", "-oDebug::NoLocking=1"]
    wanted = ["install", "-y", "-qq", "--download-only", "--no-install-recommends", "pgbouncer"]
    told = _apt(*options, *wanted)
    if told:
        # The machine's lists of packages may be missing or old: lists of our own.
        (state / "lists" / "partial").mkdir(parents=True)
        options += [f"-oDir::State::lists={state / 'lists'}", f"-oDir::Cache={state}"]
        told = _apt(*options, "update", "-qq") or _apt(*options, *wanted)
    packages = list(fetched.glob("*.deb"))
    if told or not packages:
        raise Unavailable(f"apt-get could not fetch pgbouncer: {told}")
    for package in packages:
        subprocess.run(["dpkg-deb", "-x", str(package), str(making)], check=True)
    for folder in (fetched, state):
        with suppress(FileNotFoundError):
            shutil.rmtree(folder)


def _apt(*words: str) -> str:
    """Run apt-get; gives what it says where it fails."""
    # As the sandbox's user it could not write where we can.
    done = subprocess.run(
        ["apt-get", "-oAPT::Sandbox::User=", *words], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return "" if done.returncode == 0 else done.stderr.strip() or f"exit {done.returncode}"
