"""A PostgreSQL server of our own: in a folder of its own, gone when its owner is gone.

It listens at a socket in its folder, which nobody else can enter, and there trusts every role; at
127.0.0.1 it asks for a password. Where we are root it runs as a user without rights, as PostgreSQL
refuses root.
"""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import quote

import psycopg
from psycopg import sql

from tools.postgres.build import EXTENSIONS, Installation, Unavailable, installation

__all__ = ["APP", "OWNER", "SUPERUSER", "Server"]

SUPERUSER = "postgres"
# Owns each database that is made here; may make roles and databases, and passes by no policy
# but those of its own tables.
OWNER = "vigent_owner"
# Owns nothing and passes by no policy; the owner may become it.
APP = "vigent_app"
BASE = "vigent_base"

# What a server for tests leaves out: it need not outlive the machine.
PASSING = {"fsync": "off", "full_page_writes": "off"}
SETTINGS = {"max_connections": "200", "shared_buffers": "64MB", "scram_iterations": "1"}


class Server:
    """One server. ``start`` makes what is missing, ``close`` stops it, and removes what passes.

    ``folder``: where it lies; without it in a new folder. ``passing``: the folder goes with the
    server, as a new one does. ``durable``: commits wait for the disk; on for benches and for what
    is kept. ``owner``: the process whose end is the server's end, too; this one where nothing is
    said. ``settings`` are PostgreSQL's own, such as ``{"work_mem": "64MB"}``.
    """

    def __init__(
        self, folder: Path | None = None, *, passing: bool | None = None, durable: bool = False,
        owner: int | None = None, settings: dict[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.installed: Installation = installation()
        self.passing = folder is None if passing is None else passing
        self.folder = Path(tempfile.mkdtemp(prefix="vigent-pg-")) if folder is None else folder
        self.data = self.folder / "data"
        self.log = self.folder / "log"
        self.port = 0
        self.password = ""
        self._durable = durable
        self._settings = settings or {}
        self._owner = os.getpid() if owner is None else owner
        self.user: str | None = None
        self._bases: set[str] = set()
        self._watched = False

    # ------------------------------------------------------------------ running

    def start(self) -> Self:
        """Make the cluster where there is none, start it, and come back when it answers."""
        self._enter()
        if self.passing:
            self._watch()
        else:
            self._wait_for_another()
        if not self.data.exists():
            self._initdb()
        self._up()
        self._watch()
        self._prepare()
        return self

    @classmethod
    def shared(cls, folder: Path, owner: int) -> Server:
        """The passing server of a folder, started by whoever asks first; safe for many processes.

        It goes when the process ``owner`` has ended; nobody else closes it.
        """
        server = cls(folder, passing=True, owner=owner)
        folder.mkdir(mode=0o700, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if server.running:
                server._enter()
                server._attach()
            else:
                server.start()
        return server

    def stop(self, mode: Literal["smart", "fast", "immediate"] = "fast") -> None:
        """Stop it: ``fast`` ends the sessions, ``immediate`` as a crash does."""
        if self.running:
            self._pg("pg_ctl", "stop", "-w", "-m", mode, "-D", str(self.data))

    def restart(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        """Stop it and start it again, at the same port."""
        self.stop(mode)
        self._up()

    def close(self) -> None:
        """Stop it, and remove the folder of a passing one; closing twice is fine."""
        with suppress(Unavailable):
            self.stop("fast" if self._durable else "immediate")
        if self.passing:
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def running(self) -> bool:
        """Whether the server's first process is there."""
        pid = self.pid
        if not pid:
            return False
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, 0)
            return True
        return False

    @property
    def pid(self) -> int:
        """The server's first process, or 0."""
        try:
            return int((self.data / "postmaster.pid").read_text().split("\n")[0])
        except (FileNotFoundError, ValueError):
            return 0

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---------------------------------------------------------------- databases

    def url(self, database: str = SUPERUSER, user: str = SUPERUSER, *, tcp: bool = False) -> str:
        """The URL of a database for a role: at the socket, where no password is asked, or over TCP.

        Over TCP only the roles that are made here have a password, ``password``.
        """
        if tcp:
            place = f"127.0.0.1:{self.port}"
            return f"postgresql://{quote(user)}:{self.password}@{place}/{quote(database)}"
        place = quote(str(self.folder), safe="")
        return f"postgresql://{quote(user)}@/{quote(database)}?host={place}&port={self.port}"

    def connect(self, database: str = SUPERUSER, user: str = SUPERUSER) -> psycopg.Connection[Any]:
        """A connection in autocommit; close it with ``with``."""
        return psycopg.connect(self.url(database, user), autocommit=True)

    def new_database(self, name: str | None = None, *, template: str = BASE) -> str:
        """Make a database with the extensions there are, owned by ``OWNER``; gives its name."""
        name = name or f"t_{secrets.token_hex(6)}"
        # Copying files is the quicker way where the disk is not waited for.
        way = sql.SQL("" if self._durable or self.installed.major < 15 else "STRATEGY FILE_COPY")
        words = sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER {} {way}")
        self._do(words.format(*map(sql.Identifier, (name, template, OWNER)), way=way))
        return name

    def drop_database(self, name: str) -> None:
        """Drop a database, whoever is connected to it; one that is not there is fine."""
        self._do(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def template(self, name: str, fill: Callable[[str], None]) -> str:
        """A database to make others from, filled once by ``fill(owner's URL)``; gives its name.

        For what takes long to make, such as a migrated schema: ``new_database(template=…)`` copies
        it. Safe when several processes ask at once. ``fill`` must leave no connection open.
        """
        if name in self._bases:
            return name
        with self.connect() as connection:
            connection.execute("SELECT pg_advisory_lock(hashtext(%s))", [name])
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
            if not found.fetchone():
                making = f"{name}_making"
                self.drop_database(making)
                self.new_database(making)
                fill(self.url(making, OWNER))
                words = sql.SQL("ALTER DATABASE {} RENAME TO {}")
                self._do(words.format(sql.Identifier(making), sql.Identifier(name)))
        self._bases.add(name)
        return name

    # -------------------------------------------------------------------- parts

    def _enter(self) -> None:
        """Make the folder, and see whom it belongs to: that is who runs the server."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            _must_be_open(self.folder.resolve().parent)
            owner = self.folder.stat().st_uid
            self.user = pwd.getpwuid(owner).pw_name if owner else _plain_user()
            shutil.chown(self.folder, self.user)
        self.folder.chmod(0o700)

    def _wait_for_another(self) -> None:
        """Give a server of the same folder, whose owner has just ended, the time to stop."""
        until = time.monotonic() + 10
        while self.running and time.monotonic() < until:
            time.sleep(0.1)

    def _pg(self, tool: str, *words: str) -> None:
        """Run a program as the server's user; raises ``Unavailable`` with what it says."""
        group = pwd.getpwnam(self.user).pw_gid if self.user else None
        with tempfile.TemporaryFile("w+") as said:  # a pipe would stay open with the server
            done = subprocess.run(
                [self.installed.tool(tool), *words], check=False, stdout=said, stderr=said,
                stdin=subprocess.DEVNULL, cwd=self.folder, start_new_session=True,
                user=self.user, group=group, extra_groups=[] if self.user else None,
            )  # fmt: skip
            said.seek(0)
            text = said.read().strip()
        if done.returncode:
            log = self.log.read_text(errors="replace")[-2000:] if self.log.exists() else ""
            raise Unavailable(f"{tool} failed as {self.user or 'this user'}: {text}\n{log}")

    def _initdb(self) -> None:
        shutil.rmtree(self.data, ignore_errors=True)
        secret = self.folder / "password"
        secret.write_text(secrets.token_hex(16))
        if self.user:
            shutil.chown(secret, self.user)
        secret.chmod(0o600)
        places = ["--locale=C.UTF-8"]
        if self.installed.major >= 17:
            # The same order of words and the same case on every machine.
            places = ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        making = self.folder / "data.making"
        shutil.rmtree(making, ignore_errors=True)
        self._pg(
            "initdb", "-D", str(making), "-U", SUPERUSER, "-E", "UTF8", "--no-instructions",
            "--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={secret}",
            *places, *([] if self._durable else ["--no-sync"]),
        )  # fmt: skip
        making.rename(self.data)

    def _up(self) -> None:
        """Start it at its port, or at a free one, which another may take first: tried again."""
        self.password = (self.folder / "password").read_text()
        for left in (2, 1, 0):
            self.port = self.port or _free_port()
            options = {
                "listen_addresses": "127.0.0.1", "port": str(self.port),
                "unix_socket_directories": str(self.folder), **self._chosen(),
            }  # fmt: skip
            words = " ".join(f"-c {name}='{value}'" for name, value in options.items())
            try:
                self._pg(
                    "pg_ctl", "start", "-w", "-t", "120", "-D", str(self.data), "-l", str(self.log),
                    "-o", words,
                )  # fmt: skip
            except Unavailable as why:
                if not left or "Address already in use" not in str(why):
                    raise
                self.port = 0
            else:
                break
        (self.folder / "server.json").write_text(json.dumps({"port": self.port}))

    def _attach(self) -> None:
        self.password = (self.folder / "password").read_text()
        self.port = json.loads((self.folder / "server.json").read_text())["port"]

    def _chosen(self) -> dict[str, str]:
        settings = {**SETTINGS, **({} if self._durable else PASSING), **self._settings}
        if self.installed.major < 16:
            settings.pop("scram_iterations")
        return settings

    def _watch(self) -> None:
        """Have another process stop the server when its owner is gone, however it went."""
        if self._watched:
            return
        guard = Path(__file__).with_name("guard.py")
        words = [str(self._owner), str(self.folder), "passing" if self.passing else "kept"]
        self._watched = True
        subprocess.run([sys.executable, "-I", "-S", str(guard), *words], check=True)

    def _prepare(self) -> None:
        """The roles, and the database that others are made from."""
        with self.connect() as connection:
            roles = {row[0] for row in connection.execute("SELECT rolname FROM pg_roles")}
            words = sql.SQL("CREATE ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS {} PASSWORD {}")
            for name, rights in ((OWNER, sql.SQL("CREATEROLE CREATEDB")), (APP, sql.SQL(""))):
                if name not in roles:
                    made = words.format(sql.Identifier(name), rights, self.password)
                    connection.execute(made)
            connection.execute(sql.SQL("GRANT {} TO {}").format(*map(sql.Identifier, (APP, OWNER))))
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [BASE])
            if found.fetchone():
                return
            making = sql.Identifier(f"{BASE}_making")
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(making))
            connection.execute(sql.SQL("CREATE DATABASE {}").format(making))
        with self.connect(f"{BASE}_making") as connection:
            there = connection.execute("SELECT name FROM pg_available_extensions").fetchall()
            for extension in (name for name in EXTENSIONS if (name,) in there):
                connection.execute(sql.SQL("CREATE EXTENSION {}").format(sql.Identifier(extension)))
        words = sql.SQL("ALTER DATABASE {} RENAME TO {}")
        self._do(words.format(making, sql.Identifier(BASE)))

    def _do(self, words: sql.Composed) -> None:
        with self.connect() as connection:
            connection.execute(words)


def _plain_user() -> str:
    """A user without rights who runs the server in place of root."""
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise Unavailable("PostgreSQL does not run as root, and there is no user postgres or nobody")


def _must_be_open(folder: Path) -> None:
    """See that a user without rights can come to what lies in a folder of root's."""
    for place in (folder, *folder.parents):
        if not place.stat().st_mode & 0o001:
            raise Unavailable(
                f"PostgreSQL does not run as root, and no other user can enter {place}: "
                "keep its data elsewhere"
            )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
