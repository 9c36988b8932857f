"""The server that tests start: what it has, who may what, and that it goes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import psycopg
import pytest

from tools.postgres import APP, OWNER, Server, Unavailable


def test_a_database_has_the_extensions_and_belongs_to_its_owner(postgres_url):
    with psycopg.connect(postgres_url) as connection:
        names = {row[0] for row in connection.execute("SELECT extname FROM pg_extension")}
        assert {"vector", "btree_gist", "pg_trgm"} <= names
        row = connection.execute(
            "SELECT current_user, rolsuper OR rolbypassrls FROM pg_roles"
            " WHERE rolname = current_user"
        ).fetchone()
        assert row == (OWNER, False)
        connection.execute(
            "CREATE TABLE span (k int, during int4range, e vector(3),"
            " EXCLUDE USING gist (k WITH =, during WITH &&))"
        )
        connection.execute("INSERT INTO span VALUES (1, '[1,5)', '[1,2,3]')")
        with pytest.raises(psycopg.errors.ExclusionViolation):
            connection.execute("INSERT INTO span VALUES (1, '[4,6)', '[1,2,3]')")


def test_words_have_the_same_case_and_order_on_every_machine(postgres_url):
    with psycopg.connect(postgres_url) as connection:
        row = connection.execute(
            "SELECT lower('ÄÖŁ'), 'Z' < 'a', similarity('zürich', 'zürch') > 0.4"
        ).fetchone()
    assert row == ("äöł", True, True)


def test_policies_hold_for_the_role_that_owns_nothing(postgres, postgres_database):
    name = postgres_database()
    with psycopg.connect(postgres.url(name, OWNER)) as connection:
        connection.execute("CREATE TABLE t (tenant text)")
        connection.execute("ALTER TABLE t ENABLE ROW LEVEL SECURITY")
        connection.execute("INSERT INTO t VALUES ('a')")
        connection.execute(f"GRANT SELECT ON t TO {APP}")
    for tcp in (False, True):
        with psycopg.connect(postgres.url(name, APP, tcp=tcp)) as connection:
            assert connection.execute("SELECT * FROM t").fetchall() == []
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("DROP TABLE t")


def test_over_tcp_a_password_is_asked(postgres: Server):
    wrong = postgres.url(tcp=True).replace(postgres.password, "guess")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(wrong)


def test_a_template_is_filled_once(postgres, postgres_database):
    filled = []

    def fill(url):
        filled.append(url)
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE t AS SELECT 7 AS n")

    for _ in range(2):
        template = postgres.template("filled_once", fill)
        name = postgres_database(template=template)
        with psycopg.connect(postgres.url(name, OWNER)) as connection:
            assert connection.execute("SELECT n FROM t").fetchone() == (7,)
    assert len(filled) <= 1


def test_it_never_runs_as_root(postgres):
    assert postgres.running
    assert Path(f"/proc/{postgres.pid}").stat().st_uid != 0


def test_a_stopped_or_crashed_server_comes_back_where_it_was(postgres_alone):
    name = postgres_alone.new_database()
    url = postgres_alone.url(name, OWNER)
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE t AS SELECT 7 AS n")
    lost = psycopg.connect(url)
    for mode in ("fast", "immediate"):
        postgres_alone.restart(mode)
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT n FROM t").fetchone() == (7,)
    with pytest.raises(psycopg.OperationalError):
        lost.execute("SELECT 1")
    lost.close()
    postgres_alone.stop()
    assert not postgres_alone.running
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)
    assert postgres_alone.start().url(name, OWNER) == url
    with psycopg.connect(url) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("off",)
    postgres_alone.stop()
    with Server(postgres_alone.folder, durable=True) as kept, kept.connect(name) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        assert connection.execute("SELECT n FROM t").fetchone() == (7,)
    assert postgres_alone.data.exists()
    assert not kept.running
    postgres_alone.close()
    assert not postgres_alone.folder.exists()


def test_its_programs_run_as_they_lie(postgres, postgres_database):
    url = postgres.url(postgres_database(), OWNER)
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS n")
    words = [postgres.installed.tool("pg_dump"), "--table", "kept", url]
    dumped = subprocess.run(words, capture_output=True, text=True, check=True, env={})
    assert "\n7\n" in dumped.stdout


def test_a_pooler_gives_each_transaction_any_session(postgres_pooler, postgres_database):
    url = postgres_pooler.url(postgres_database())
    sessions = set()
    connections = [psycopg.connect(url, autocommit=True) for _ in range(20)]
    for connection in connections:
        sessions.add(connection.execute("SELECT pg_backend_pid()").fetchone())
    assert len(sessions) <= 4  # as many as it keeps for a database and role
    held = [connection.cursor() for connection in connections[:4]]
    for cursor in held:
        cursor.execute("BEGIN")
    assert len({cursor.execute("SELECT pg_backend_pid()").fetchone() for cursor in held}) == 4
    for connection in connections:
        connection.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives its servers to another user")
def test_a_folder_that_only_root_can_enter_is_told(tmp_path):
    tmp_path.chmod(0o700)
    with pytest.raises(Unavailable, match=r"no other user can enter .*: keep its data elsewhere"):
        Server(tmp_path / "data").start()
