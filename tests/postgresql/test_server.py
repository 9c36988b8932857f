"""The server that tests start: what it has, who may what, and that it goes."""

from __future__ import annotations

import psycopg
import pytest

from tools.postgres import APP, OWNER, Server


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
