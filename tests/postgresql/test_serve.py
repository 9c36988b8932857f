"""``vigent serve`` on a database: killed under load, two at once, a password in its URL."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.service.killing import Done, killed_under_load, send, told_of
from tests.service.serving import served
from tools.postgres import OWNER

AT = {"index_id": "default"}


@pytest.fixture
def url(postgres, store_name):
    return postgres.url(store_name, OWNER, tcp=True)


def test_what_was_acknowledged_survives_a_kill_and_is_answered_again(tmp_path, url):
    done: Done = {}
    with served(tmp_path, "--db", url) as service:
        key = service.key
        send(service, "/threads", {**AT, "id": "talk"}, "talk")
        killed_under_load(service, done, set(), 0)
    assert len(done) >= 60
    with served(tmp_path, "--db", url) as service:
        service.key = key
        for name, (path, body, answer) in done.items():
            assert told_of(send(service, path, body, name)[1]) == told_of(answer), name
        assert service.stop() == 0


def test_two_processes_serve_one_database_and_neither_tells_the_password(postgres, tmp_path, url):
    assert postgres.password in url
    with served(tmp_path, "--db", url) as one, served(tmp_path, "--db", url) as other:
        other.key = one.key
        body = {**AT, "subject": "mira", "attribute": "city", "value": "Rome"}
        _, first = send(one, "/memory", body, "w1")
        assert told_of(send(other, "/memory", body, "w1")[1]) == told_of(first)
        assert other.stop() == one.stop() == 0
        for service in (one, other):
            told = "\n".join(service.said) + service.log.read_text()
            assert service.url in told
            assert postgres.password not in told


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_demo_tells_what_to_try_next_without_the_password(postgres, url, form):
    done = subprocess.run(
        [sys.executable, "-m", "vigent", "demo", "--db", url, *form],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "vigent history mira" in done.stdout
    assert postgres.password not in done.stdout + done.stderr
