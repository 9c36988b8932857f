"""``make run DATABASE=postgres``: the demo and the service on a server of their own, which ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder():
    """A folder that the server's user can come to, which those of pytest are not as root."""
    made = Path(tempfile.mkdtemp(prefix="vigent-run-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.mark.slow
def test_the_story_is_told_on_postgres_and_the_server_ends_with_it(folder):
    data = folder / "postgres"
    for _ in range(2):  # the second time on the cluster of the first
        done = subprocess.run(
            [sys.executable, "-m", "tools.run_on_postgres", str(data)],
            cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            env={**os.environ, "VIGENT_SERVER_PORT": "0"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "PostgreSQL" in done.stdout
        assert done.stdout.rstrip().endswith("The answers are as they should be.")
        assert (data / "data" / "PG_VERSION").exists()
        assert not (data / "data" / "postmaster.pid").exists()
