"""The schema is brought up to date by one instance, and left alone by an older one."""

from __future__ import annotations

import psycopg
import pytest

from tools.postgres import APP, OWNER, SUPERUSER
from vigent import Memory
from vigent.errors import CorruptStore, InvalidInput, StoreNewer, UnavailableError
from vigent.storage.migrate import migrations_of
from vigent.wiring import open_storage

STEPS = migrations_of("vigent.storage.postgres")


def test_both_engines_have_steps_of_the_same_numbers_and_names():
    ours = [(step.number, step.name) for step in STEPS]
    theirs = [(step.number, step.name) for step in migrations_of("vigent.storage.sqlite")]
    assert ours == theirs


def test_a_start_that_was_killed_half_way_goes_on(postgres, postgres_database):
    """Each step is whole or not there, whichever was the last."""
    url = postgres.url(postgres_database(), OWNER)
    with psycopg.connect(url) as connection:
        connection.execute(
            "CREATE TABLE migration (number bigint PRIMARY KEY, name text NOT NULL,"
            " checksum text NOT NULL)"
        )
        for step in STEPS[:3]:
            connection.execute(step.sql)
            connection.execute(
                "INSERT INTO migration VALUES (%s, %s, %s)",
                (step.number, step.name, step.checksum),
            )
    with Memory.open(url) as memory:
        memory.write(subject="s", attribute="a", value="v")
        assert memory.check().ok


def test_a_newer_store_is_left_alone(store_url):
    with psycopg.connect(store_url) as connection:
        connection.execute("INSERT INTO migration VALUES (9999, 'later', 'x')")
    with pytest.raises(StoreNewer, match="newer version"):
        open_storage(store_url)


def test_a_step_that_is_not_the_one_shipped_is_told(store_url):
    with psycopg.connect(store_url) as connection:
        connection.execute("UPDATE migration SET checksum = 'x' WHERE number = 2")
    with pytest.raises(CorruptStore, match="migration 2"):
        open_storage(store_url)


def test_a_database_of_another_program_is_left_alone(postgres, postgres_database):
    url = postgres.url(postgres_database(), OWNER)
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE key (id int)")
    with pytest.raises(InvalidInput, match="another program"):
        open_storage(url)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT to_regclass('migration')").fetchone() == (None,)


def test_who_may_not_migrate_says_who_must(postgres, postgres_database):
    with pytest.raises(UnavailableError, match="as its owner"):
        open_storage(postgres.url(postgres_database(), APP))


def test_the_app_role_alone_is_enough_once_the_tables_are_there(postgres, store_name):
    with Memory.open(postgres.url(store_name, APP)) as memory:
        memory.write(subject="s", attribute="a", value="v")
        assert memory.current("s", "a").value == "v"


def test_the_database_refuses_overlaps_itself_where_it_can(postgres, store_name, store_url):
    storage = open_storage(store_url)
    storage.close()
    assert storage.guard == "constraint"
    insert = "INSERT INTO belief VALUES (%s, 't', 7, '', 1, %s, %s, 5, NULL)"
    with postgres.connect(store_name, SUPERUSER) as connection:
        connection.execute(insert, (1, 10, 20))
        for n, valid in enumerate([(5, 11), (19, 30), (12, 13), (1, 99), (10, 20)], 2):
            with pytest.raises((psycopg.errors.ExclusionViolation, psycopg.errors.UniqueViolation)):
                connection.execute(insert, (n, *valid))
        connection.execute(insert, (8, 20, 30))
        connection.execute(insert, (9, 1, 10))


def test_without_btree_gist_the_lock_guards_and_the_start_says_so(
    postgres, postgres_database, caplog
):
    name = postgres_database(template="template0")
    with postgres.connect(name, SUPERUSER) as connection:
        # Nobody but a superuser may make an extension here, so there will be none.
        connection.execute("REVOKE CREATE ON DATABASE " + name + " FROM vigent_owner, public")
        connection.execute("ALTER DATABASE " + name + " OWNER TO postgres")
        connection.execute("GRANT CREATE ON SCHEMA public TO vigent_owner")
    storage = open_storage(postgres.url(name, OWNER))
    storage.close()
    assert storage.guard == "lock"
    assert "btree_gist" in caplog.text
