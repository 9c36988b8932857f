"""The database itself keeps tenants apart: nothing is there without a tenant, or with another."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import sql

from tools.postgres import APP, OWNER, SUPERUSER
from vigent import Memory
from vigent.errors import InvalidInput
from vigent.wiring import open_storage

SEEN_BY_SWEEPS = {"tenant_name", "activity", "passage_made", "job"}
OF_NO_TENANT = {"migration", "embedder"}


def filled(memory: Memory) -> None:
    """Put a row into as many tables as a memory can."""
    episode = memory.capture("I live in Rome", person="p1", thread="talk", speaker="Mira")
    memory.write(
        subject="mira", attribute="city", value="Rome", person="p1",
        source_episode_id=episode.id, idempotency_key="once",
    )  # fmt: skip
    memory.write(text="call her back", type="commitment", person="p1")
    memory.alias("mi", of="mira", person="p1")
    memory.persons.link("p1", "mira")
    memory.threads.set_state("talk", {"step": 1}, person="p1")
    memory.blocks.set("persona", "kind", person="p1")
    memory.erase_person("p9")
    assert memory.check().ok  # which seals the audit trail
    memory.write(subject="mira", attribute="pet", value="cat", person="p1")


@pytest.fixture
def two_tenants(memory_at, store_name, postgres):
    for tenant in ("ours", "theirs"):
        filled(memory_at(tenant=tenant))
    with postgres.connect(store_name, SUPERUSER) as connection:
        tables = [
            name
            for (name,) in connection.execute(
                "SELECT relname FROM pg_class WHERE relkind = 'r'"
                " AND relnamespace = 'public'::regnamespace ORDER BY relname"
            )
        ]
        # What no verb fills yet has a row of each tenant all the same.
        for tenant in ("ours", "theirs"):
            for statement in (
                "INSERT INTO resource VALUES (%(t)s, 'store', 'idx', 'n', '', 1, '{}', 1, 1)",
                "INSERT INTO usage VALUES (%(t)s, 1, 's', 'm', 'k', 1, 1, 1, 1)",
                "INSERT INTO index_change VALUES (%(t)s, 's', 1) ON CONFLICT DO NOTHING",
                (
                    "INSERT INTO vector_row (tenant, scope, model, passage, data)"
                    " SELECT tenant, scope, 1, no, '' FROM passage WHERE tenant = %(t)s LIMIT 1"
                ),
            ):
                connection.execute(statement, {"t": tenant})
    return tables


def rows(connection, table: str, where: str = "true") -> int:
    statement = sql.SQL("SELECT count(*) FROM {} WHERE " + where).format(sql.Identifier(table))
    return connection.execute(statement).fetchone()[0]


def test_every_table_of_a_tenant_has_a_forced_policy(store_name, postgres):
    with postgres.connect(store_name, SUPERUSER) as connection:
        bare = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p')"
            " AND relnamespace = 'public'::regnamespace"
            " AND NOT (relrowsecurity AND relforcerowsecurity AND EXISTS ("
            "   SELECT 1 FROM pg_policy WHERE polrelid = pg_class.oid))"
        ).fetchall()
    assert {name for (name,) in bare} == OF_NO_TENANT


def test_each_table_shows_the_rows_of_the_tenant_that_is_named(two_tenants, postgres, store_name):
    with psycopg.connect(postgres.url(store_name, APP)) as connection:
        for table in sorted(set(two_tenants) - OF_NO_TENANT):
            assert rows(connection, table) == 0, table
            connection.execute("SET LOCAL app.tenant = 'theirs'")
            assert rows(connection, table) > 0, table
            assert rows(connection, table, "tenant <> 'theirs'") == 0, table
            connection.rollback()


def test_no_table_lets_a_row_of_another_tenant_be_written(two_tenants, postgres, store_name):
    with psycopg.connect(postgres.url(store_name, APP)) as connection:
        for table in sorted(set(two_tenants) - OF_NO_TENANT):
            connection.execute("SET LOCAL app.tenant = 'theirs'")
            name = sql.Identifier(table)
            for text in ("DELETE FROM {}", "UPDATE {} SET tenant = tenant"):
                done = connection.execute(
                    sql.SQL(text + " WHERE tenant = 'ours'").format(name)
                )  # fmt: skip
                assert done.rowcount == 0, table
            moved = sql.SQL("UPDATE {} SET tenant = 'ours'").format(name)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(moved)
            connection.rollback()


def test_a_sweep_sees_names_and_queues_alone(two_tenants, postgres, store_name):
    with psycopg.connect(postgres.url(store_name, APP)) as connection:
        connection.execute("SET LOCAL app.sweep = 'on'")
        seen = {t for t in set(two_tenants) - OF_NO_TENANT if rows(connection, t)}
    assert seen == SEEN_BY_SWEEPS


def test_the_app_role_owns_nothing_and_passes_over_nothing(store_name, postgres):
    with postgres.connect(store_name, SUPERUSER) as connection:
        row = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, (SELECT count(*) FROM pg_class"
            " WHERE relowner = pg_roles.oid) FROM pg_roles WHERE rolname = %s", (APP,),
        ).fetchone()  # fmt: skip
    assert row == (False, False, False, 0)


@pytest.mark.parametrize("role", [SUPERUSER, OWNER, APP])
def test_whoever_connects_works_as_the_app_role(two_tenants, postgres, store_name, role):
    url = postgres.url(store_name, role)
    with Memory.open(url, tenant="ours") as memory:
        with memory._storage.snapshot() as snapshot:
            assert snapshot.tenants() == ["ours", "theirs"]
        assert (memory._storage.role.becomes is None) == (role == APP)
        assert memory.current("mira", "city", person="p1").value == "Rome"
        memory.write(subject="mira", attribute="city", value="Oslo", person="p1")
        assert memory.check().ok
    with Memory.open(url, tenant="nobody") as memory:
        assert memory.current("mira", "city", person="p1") is None
        assert list(memory.list(person="p1")) == []


def test_a_role_that_sees_all_and_cannot_become_another_is_refused(store_name, postgres):
    with pytest.raises(InvalidInput, match="row-level security"):
        open_storage(postgres.url(store_name, OWNER) + f"&app_role={SUPERUSER}")


@pytest.mark.parametrize("tenant", ["o'ours", "a\\'; DROP TABLE key; --", "名前", "$1", "%s"])
def test_the_name_of_a_tenant_is_a_name_whatever_it_is(memory_at, tenant):
    memory = memory_at(tenant=tenant)
    memory.write(subject="s", attribute="a", value="v")
    assert memory.current("s", "a").value == "v"
    assert memory_at(tenant="ours").current("s", "a") is None
