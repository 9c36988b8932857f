"""vigent worker and vigent extract, as processes of their own; and serve, which reads too."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

from tests.integration.command_line import process_environment, spawn
from tests.service.extracting import ON, PATH, reads_what_is_said
from tests.service.serving import served
from vigent.testing import ModelServer


@pytest.fixture
def server():
    with ModelServer() as running:
        running.answer(reads_what_is_said)
        yield running


def talked(one) -> None:
    """Switch extraction on, and say something."""
    done = one.send("PUT", PATH, json.dumps(ON).encode(), key=None)
    assert done.status == 200, done.body
    thread = one.post("/v1/threads", {"person": "mira"}).body["id"]
    path = f"/v1/threads/{thread}/items"
    said = json.dumps({"kind": "user", "content": "My city is Ghent."}).encode()
    request = urllib.request.Request(one.url + path, said, method="POST")
    for name, value in (
        ("Content-Type", "application/json"), ("Authorization", f"Bearer {one.key}"),
        ("X-Vigent-Subject", "mira"),
    ):  # fmt: skip
        request.add_header(name, value)
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 201


def ready(one) -> int:
    return one.get(PATH).body["windows"]["ready"]


def test_serve_reads_by_itself_and_by_a_worker(tmp_path, server):
    env = {"VIGENT_MODEL": f"{server.url}#small"}
    with served(tmp_path, "--db", "s.db", env=env) as one:
        talked(one)
        end = time.monotonic() + 30
        while not ready(one) and time.monotonic() < end:
            time.sleep(0.2)
        assert ready(one) == 1
        assert one.stop() == 0
    # Without a model it reads nothing; a worker with one does.
    with served(tmp_path, "--db", "t.db", env={"VIGENT_MODEL": ""}) as one:
        talked(one)
        time.sleep(1.5)
        assert ready(one) == 0
        db = str(tmp_path / "t.db")
        shown = spawn("thread", "list", "--person", "mira", "--db", db, "--json")
        (thread,) = json.loads(shown.out)
        dry = spawn(
            "extract", thread["thread_id"], "--dry-run", "--person", "mira", "--db", db, "--json",
            **env,
        )  # fmt: skip
        (window,) = dry.json["windows"]
        assert [(c["outcome"], c["value"]) for c in window["candidates"]] == [("accepted", "Ghent")]
        assert ready(one) == 0
        done = spawn("worker", "--once", "--db", db, **env)
        assert (done.code, done.err) == (0, "")
        assert ready(one) == 1


def test_a_worker_runs_until_a_signal(tmp_path, server):
    db = str(tmp_path / "s.db")
    process = subprocess.Popen(
        [sys.executable, "-m", "vigent", "worker", "--db", db],
        stdout=subprocess.PIPE, text=True,
        env=process_environment(VIGENT_MODEL=f"{server.url}#small"),
    )  # fmt: skip
    assert process.stdout is not None
    with process.stdout:
        assert "reads conversations" in process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_both_need_a_model_and_extract_only_shows(tmp_path):
    db = str(tmp_path / "s.db")
    none = spawn("worker", "--once", "--db", db)
    assert (none.code, "VIGENT_MODEL" in none.err) == (2, True)
    wet = spawn("extract", "t", "--db", db)
    assert (wet.code, "dry-run" in wet.err) == (2, True)
