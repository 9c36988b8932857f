"""An operator's commands on the file: tenants, keys, the audit trail, and one person's export."""

from __future__ import annotations

import sqlite3


def test_tenants_and_keys(store):
    made = store.ask("tenants", "create", "acme")
    assert made["key"].startswith("vigent_")
    assert store.ask("tenants", "list") == [{"tenant_id": "acme", "stores": 1, "keys": 1}]
    assert store.run("tenants", "create", "acme").code == 3
    key = store.ask("keys", "create", "--tenant", "acme", "--label", "app", "--capability",
                    "threads", "--read", "default")  # fmt: skip
    assert (key["label"], key["capabilities"]) == ("app", ["threads"])
    assert key["policy"] == {"stores": {made["index_id"]: ["read"]}}
    new = store.ask("keys", "rotate", key["id"], "--tenant", "acme", "--overlap-seconds", "60")
    assert new["key"] not in (None, key["key"])
    listed = store.run("keys", "list", "--tenant", "acme", "--json")
    assert [k["label"] for k in listed.json] == ["admin", "app"]
    assert key["key"].split("_")[3] not in listed.out
    for id in [k["id"] for k in listed.json]:
        assert store.ask("keys", "revoke", id, "--tenant", "acme")["state"] == "revoked"
    assert store.run("keys", "create", "--tenant", "nobody").code == 2
    assert store.run("keys", "create", "--tenant", "acme", "--capability", "odd").code == 2


def test_a_key_that_sees_no_store_is_told(store):
    store.ask("tenants", "create", "default")
    for words, told in (
        (("--capability", "threads"), True),
        (("--capability", "management"), False),
        (("--capability", "threads", "--read", "default"), False),
        ((), False),
    ):
        ran = store.run("keys", "create", *words)
        assert ran.code == 0
        assert ("sees no store" in ran.out) is told, words


def test_the_trail_is_verified_and_listed(store):
    store.ask("write", "mira", "city", "Rome")
    assert store.ask("check")["audit"]["sealed"] == 1
    found = store.ask("audit", "verify")
    assert (found["sealed"], found["unsealed"], found["broken"]) == (1, 0, 0)
    assert store.ask("audit", "verify", "--anchor", found["head"])["broken"] == 0
    assert store.run("audit", "verify", "--anchor", "1:00").code == 5
    (entry,) = store.ask("audit", "list")
    assert (entry["action"], entry["sealed"]) == ("memory_write", True)
    with sqlite3.connect(store.path) as connection:
        connection.execute("DELETE FROM audit")
    connection.close()
    ran = store.run("audit", "verify")
    assert ran.code == 5
    assert "seal 1 does not fit its entries" in ran.out


def test_a_person_is_handed_out(store):
    store.ask("write", "mira", "city", "Rome", "--person", "p1")
    found = store.ask("persons", "export", "p1")
    assert found["memories"][0]["statements"][0]["value"] == "Rome"
