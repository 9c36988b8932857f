"""Memory goes into PostgreSQL and out of it as it is, however it is ended; branches are apart."""

from __future__ import annotations

import json
import subprocess
import tempfile
from contextlib import closing
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.filled import asked, fill
from tests.integration.command_line import run
from tests.moved import body, exported, imported, store_at
from tests.simulation.killing import killed_after, tenants_of
from vigent import Memory
from vigent.errors import NotFound, ResourceExists, StoreBusy
from vigent.moving import copy_store, drop_branch, export_file, import_file, list_branches
from vigent.moving import make_branch as branch
from vigent.storage.postgres.statements import Query
from vigent.storage.sql.loading import LoadingTransaction
from vigent.testing.embedding import HashEmbedder
from vigent.testing.moving import sample_rows
from vigent.wiring import open_storage

BLOCK = 1_048_576


@pytest.fixture
def store(tmp_path):
    return fill(tmp_path / "a.db")


@pytest.fixture
def new_database(postgres, postgres_database):
    """Makes databases with the tables of a store in them, and gives their URLs."""
    made = postgres.template("migrated", lambda url: open_storage(url).close())
    return lambda: postgres.url(postgres_database(template=made), "vigent_owner")


@pytest.fixture
def url(new_database):
    return new_database()


def test_there_and_back_every_byte_is_the_same(store, url, tmp_path):
    with store_at(store) as one, store_at(url) as two:
        lines = exported(one)
        assert imported(two, lines).fresh
        there = exported(two)
        assert body(there) == body(lines)
        assert json.loads(there[0])["engine"] == "postgres"
        assert not imported(two, lines).fresh
        assert two.check() == []
        assert two.audit("default").broken == ()
    assert asked(url) == asked(store)
    with store_at(tmp_path / "b.db") as back:
        assert imported(back, there).fresh
        assert body(exported(back)) == body(lines)


def test_a_person_goes_there_and_back(store, url, tmp_path):
    with store_at(store) as one, store_at(url) as two, store_at(tmp_path / "b.db") as three:
        lines = exported(one, person="p1")
        assert imported(two, lines).counts["key"] > 2
        there = exported(two, person="p1")
        assert body(there) == body(lines)
        imported(three, there)
        assert body(exported(three, person="p1")) == body(lines)


def test_vectors_go_along(tmp_path, url):
    with Memory.open(tmp_path / "a.db", embedder=HashEmbedder(8)) as memory:
        memory.write_many(
            {"subject": f"s{n}", "attribute": "city", "value": f"city {n}"} for n in range(30)
        )
        assert memory.index.catch_up(20).pending == 0
    export_file(tmp_path / "a.db", tmp_path / "a.jsonl", vectors=True)
    assert import_file(url, tmp_path / "a.jsonl").vectors == 30
    export_file(url, tmp_path / "b.jsonl", vectors=True)
    one, two = ((tmp_path / name).read_bytes().splitlines() for name in ("a.jsonl", "b.jsonl"))
    assert one[1:] == two[1:]


def test_what_is_written_after_an_import_is_found_and_sealed(store, url):
    with store_at(store) as one, store_at(url) as two:
        imported(two, exported(one))
        with two.snapshot() as snapshot:
            assert snapshot.tenants() == ["default"]
            assert snapshot.pending().unsealed_since is not None
        assert two.seal(9_000_000_000_000_000) > 5
    with Memory.open(url, person="p1") as memory:
        memory.write(subject="mira", attribute="city", value="Rome")
        memory.alias("mimi2", of="mira")
        memory.write(subject="mimi2", attribute="city", value="Paris")
        assert memory.current("mimi", "city").value == "Paris"
        assert memory.check().ok


def test_numbers_go_on_above_what_was_loaded(url):
    """Neither what the tenant nor what another one is given next is a number that is taken."""
    with store_at(url) as storage:
        far = dict.fromkeys(("episode", "thread", "key", "statement", "belief", "audit"), 7 * BLOCK)
        rows = sample_rows(far)
        with storage.transaction("t") as transaction:
            for name in ("tenant", *far):
                transaction.load(name, "t", rows[name])
            first = transaction.numbers.statement
            assert first > rows["statement"][-1][0]
        with storage.transaction("u") as transaction:
            assert transaction.numbers.statement > first
        with storage.transaction("t") as transaction:
            assert transaction.numbers.key > first
            assert transaction.last_given("t")["key"] == 7 * BLOCK + 2


def test_long_tables_are_read_a_part_at_a_time_beside_other_reads(url):
    count = 2_500

    def entry(n):
        return (n, f"aud_{n}", n, "a", "ok", None, b"d", None, None, "s", "p", 1, b"s", f"said {n}")

    with store_at(url) as storage:
        for tenant in ("t", "u"):
            with storage.transaction(tenant) as transaction:
                transaction.load("audit", tenant, map(entry, range(1, count + 1)))
        with storage.snapshot() as snapshot:
            both = zip(
                snapshot.moving_rows("audit", "t", None),
                snapshot.moving_rows("audit", "u", None),
                strict=True,
            )
            seen = 0
            for seen, (mine, theirs) in enumerate(both, 1):
                assert mine == theirs == entry(seen)
                if seen % 500 == 0:
                    assert snapshot.moving_counts("v", None)["audit"] == 0
            assert seen == count
            with closing(snapshot.moving_rows("audit", "t", None)) as some:
                assert next(some) == entry(1)
            assert snapshot.moving_counts("u", None)["audit"] == count


def test_each_part_of_a_long_answer_is_read_as_the_tenant_whose_it_is(url):
    """Rows that are left are filtered when they are fetched, and others may be read between."""
    text = (
        b"SELECT n, current_setting('app.tenant') FROM generate_series(1::bigint, 2500) AS g (n)"
        b" WHERE $1::text <> ''"
    )
    query = Query(b"", text, 0, sweeps=False)
    with store_at(url) as storage, storage.snapshot():
        span = storage.open_span
        found = list(zip(span.stream(query, ("t",)), span.stream(query, ("u",)), strict=True))
    assert found == [((n, "t"), (n, "u")) for n in range(1, 2_501)]


class Counting(LoadingTransaction):
    """Notes how many rows are written together."""

    def __init__(self) -> None:
        super().__init__(_no_run, {"head": ""})
        self.sizes: list[int] = []

    def _write(self, query, rows):
        assert query == "load_person"
        self.sizes.append(len(rows))


def _no_run(query, values):
    raise AssertionError(f"{query} is not asked: {values}")


def test_a_load_holds_no_more_rows_than_are_written_together():
    transaction = Counting()

    def rows():
        for n in range(1_200):
            assert n - sum(transaction.sizes) < 500
            yield (f"p{n}", "s")

    transaction.load("person", "t", rows())
    assert transaction.sizes == [500, 500, 200]


# -------------------------------------------------------------------------------- killed


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store of two tenants, and its export."""
    folder = tmp_path_factory.mktemp("made")
    for tenant in ("acme", "default"):
        with Memory.open(folder / "a.db", tenant=tenant) as memory:
            memory.write_many(
                {"subject": f"s{n % 500}", "attribute": "city", "value": f"city {n}"}
                for n in range(800)
            )
    export_file(folder / "a.db", folder / "a.jsonl")
    return folder


def test_a_killed_import_leaves_nothing_or_all_and_is_run_again(made, new_database):
    lines = (made / "a.jsonl").read_bytes().splitlines(keepends=True)
    whole = killed_after(0, "import", made / "a.jsonl", new_database())
    seen = set()
    for part in (0.3, 0.5, 0.8):
        target = new_database()
        killed_after(part * whole, "import", made / "a.jsonl", target)
        there = tenants_of(target) == ["default"]
        seen.add(there)
        import_file(target, made / "a.jsonl")
        with store_at(target) as storage:
            assert body(exported(storage)) == body(lines)
        with Memory.open(target) as memory:
            assert memory.check().ok
            assert memory.search("city 799").hits
    assert False in seen


def test_a_killed_copy_goes_on_with_what_is_missing_and_comes_back(made, new_database, tmp_path):
    whole = killed_after(0, "copy", made / "a.db", new_database())
    for part in (0.4, 0.8):
        target = new_database()
        killed_after(part * whole, "copy", made / "a.db", target)
        there = tenants_of(target)
        assert there in ([], ["acme"], ["acme", "default"])
        done = list(copy_store(made / "a.db", target))
        assert [(c.tenant, c.fresh) for c in done] == [
            (name, name not in there) for name in ("acme", "default")
        ]
        assert all(c.reads["current"] and c.reads["known_at"] for c in done)
    back = list(copy_store(target, tmp_path / "b.db"))
    assert [c.digest for c in back] == [c.digest for c in done]
    with store_at(made / "a.db") as one, store_at(tmp_path / "b.db") as other:
        for tenant in ("acme", "default"):
            assert exported(one, tenant)[1:] == exported(other, tenant)[1:]


# ------------------------------------------------------------------------------ branches


@pytest.fixture
def branched(url):
    """A store with a branch ``try``; branches are dropped in the end."""
    with Memory.open(url) as memory:
        memory.write(subject="mira", attribute="city", value="Rome")
    yield url
    for name, _ in list_branches(url):
        drop_branch(url, name)


def answer(*words):
    done = run(*map(str, words), "--json")
    assert done.code == 0, done.err
    return done.json


def city(url):
    with Memory.open(url) as memory:
        return memory.current("mira", "city").value


def test_a_branch_is_apart_and_its_differences_are_told(branched):
    made = answer("branch", "create", "try", "--db", branched)
    assert answer("branch", "list", "--db", branched) == [made]
    assert answer("branch", "diff", "try", "--db", branched) == []
    answer("write", "mira", "city", "Bern", "--db", made["db"])
    answer("write", "late", "city", "Kyiv", "--db", branched)
    found = answer("branch", "diff", "try", "--db", branched)
    told = [(d["change"], d["subject"], d["attribute"]) for d in found]
    assert told == [("removed", "late", "city"), ("changed", "mira", "city")]
    assert (city(branched), city(made["db"])) == ("Rome", "Bern")
    with store_at(branched) as one, store_at(made["db"]) as other:
        assert (one.is_branch, other.is_branch) == (False, True)
    with pytest.raises(ResourceExists):
        branch(branched, "try")
    answer("branch", "drop", "try", "--db", branched)
    assert list_branches(branched) == []
    with pytest.raises(NotFound):
        drop_branch(branched, "try")


def test_a_store_in_use_is_not_branched_and_a_branch_in_use_not_dropped(branched):
    with psycopg.connect(branched), pytest.raises(StoreBusy):
        branch(branched, "try")
    where = branch(branched, "try")
    with psycopg.connect(where), pytest.raises(StoreBusy):
        drop_branch(branched, "try")
    assert [name for name, _ in list_branches(branched)] == ["try"]


def test_what_a_killed_branching_left_is_no_branch_and_no_hindrance(branched, postgres):
    name = urlsplit(branched).path[1:]
    with postgres.connect() as connection:
        connection.autocommit = True
        connection.execute(f'CREATE DATABASE "{name}.branch-try~" OWNER vigent_owner')
    assert list_branches(branched) == []
    with store_at(branch(branched, "try")) as storage:
        assert storage.is_branch
    assert [name for name, _ in list_branches(branched)] == ["try"]


def test_the_password_of_a_branch_is_not_shown(branched, postgres):
    name = urlsplit(branched).path[1:]
    secret = postgres.url(name, "vigent_owner", tcp=True)
    made = answer("branch", "create", "try", "--db", secret)
    password = urlsplit(secret).password
    assert password
    assert password not in json.dumps(made)
    assert password not in json.dumps(answer("branch", "list", "--db", secret))
    assert answer("branch", "diff", "try", "--db", secret) == []


def test_a_dump_that_is_put_back_is_the_store(store, postgres, new_database, postgres_database):
    """As docs/how-to/moving.md shows it."""
    url, name = new_database(), postgres_database(template="template0")
    with store_at(store) as one, store_at(url) as two:
        lines = exported(one)
        imported(two, lines)
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/x.dump"
        for words in (
            ("pg_dump", "--format=custom", "--file", file, postgres.url(urlsplit(url).path[1:])),
            ("pg_restore", "--exit-on-error", "--dbname", postgres.url(name), file),
        ):
            subprocess.run([postgres.installed.tool(words[0]), *words[1:]], check=True)
    with store_at(postgres.url(name, "vigent_owner")) as back:
        assert body(exported(back)) == body(lines)
        assert back.check() == []
        assert back.guard == "constraint"
