"""What the pages of the service show is what happens: each ``sh`` block asks a running service."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time

import pytest
import uvicorn

from tests.pages import ROOT, blocks, matches
from vigent.edges.http.app import create_app
from vigent.service import Service

NOW = "2026-01-10T12:00:00Z"

PAGES = ["docs/how-to/http-records.md"]


@pytest.fixture
def serving(tmp_path):
    """A service on a free port; gives its address and an admin key."""
    service = Service.open(tmp_path / "docs.db")
    key = service.first_start().key
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    server = uvicorn.Server(
        uvicorn.Config(create_app(service), port=port, log_level="warning", ws="none")
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    until = time.monotonic() + 10
    while not server.started and time.monotonic() < until:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}", key
    server.should_exit = True
    thread.join(10)


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_what_it_shows(name, serving, tmp_path):
    url, key = serving
    environment = {**os.environ, "VIGENT_URL": url, "VIGENT_KEY": key}
    followed = 0
    for block in blocks(ROOT / name):
        if block.language != "sh" or block.body.startswith("export VIGENT_URL="):
            continue
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.body],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        where = f"{name}:{block.line}"
        assert done.returncode == 0, (where, done.stderr)
        assert matches(block.expected or "", done.stdout), (where, done.stdout)
        followed += 1
    assert followed > 0
