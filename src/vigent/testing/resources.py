"""What every adapter has to do about resources, tenants and the audit trail."""

from __future__ import annotations

import pytest

from vigent.domain.audit import entry_of
from vigent.domain.changes import ChangeSet, ResourceChanges
from vigent.domain.resources import ResourceRow
from vigent.ports.removal import Erasure
from vigent.ports.storage import Storage

__all__ = ["ResourceClaims"]


def _row(id: str, *, tenant: str = "t", name: str | None = None, person: str = "") -> ResourceRow:
    return ResourceRow(tenant, "store", id, name, person, 1, '{"a":1}', 5, 5)


def _keep(storage: Storage, *rows: ResourceRow) -> None:
    for row in rows:
        with storage.transaction(row.tenant) as transaction:
            kept = ResourceChanges(kept=[row])
            transaction.apply(
                ChangeSet(row.tenant, salt=b"s" * 16, salted_at=1, resources=kept)
            )  # fmt: skip


def _note(storage: Storage, *ids: str, tenant: str = "t", target: str | None = None) -> None:
    with storage.transaction(tenant) as transaction:
        for id in ids:
            entry = entry_of(
                id, b"salt", tenant=tenant, store="s", person="", key=None, at=7, action="refusal",
                outcome="forbidden", target=target, content={"reason": id},
            )  # fmt: skip
            transaction.apply(ChangeSet(tenant, salt=b"s" * 16, salted_at=1, audit=[entry]))


class ResourceClaims:
    """The claims of resources; part of ``StorageContract``."""

    def test_a_resource_is_found_by_id_and_by_name(self, storage: Storage) -> None:
        one = _row("idx_1", name="default")
        _keep(storage, one)
        view = storage.reader()
        assert view.resource("t", "store", "idx_1") == one
        assert view.resource_named("t", "store", "default") == one
        assert view.resource("t", "store", "default") is None
        assert view.resource("t", "key", "idx_1") is None
        assert view.resource("u", "store", "idx_1") is None
        assert view.resource_named("u", "store", "default") is None

    def test_a_resource_kept_again_is_in_place_of_what_it_was(self, storage: Storage) -> None:
        _keep(storage, _row("idx_1", name="default"))
        moved = _row("idx_1", name="default")._replace(version=2, document="{}", changed_at=9)
        _keep(storage, moved)
        assert storage.reader().resource("t", "store", "idx_1") == moved

    def test_two_tenants_may_have_one_id_and_name(self, storage: Storage) -> None:
        mine, theirs = _row("idx_1", name="n"), _row("idx_1", tenant="u", name="n")
        _keep(storage, mine, theirs)
        assert storage.reader().resource("t", "store", "idx_1") == mine
        assert storage.reader().resource_named("u", "store", "n") == theirs

    def test_resources_come_in_order_of_their_ids_from_one_on(self, storage: Storage) -> None:
        _keep(storage, *(_row(f"idx_{n}") for n in (3, 1, 4, 2)))
        with storage.snapshot() as snapshot:
            every = snapshot.resources("t", "store")
            some = snapshot.resources("t", "store", after="idx_1", limit=2)
        assert [r.id for r in every] == ["idx_1", "idx_2", "idx_3", "idx_4"]
        assert [r.id for r in some] == ["idx_2", "idx_3"]

    def test_a_removed_resource_is_gone_and_its_name_free(self, storage: Storage) -> None:
        one = _row("idx_1", name="default")
        _keep(storage, one)
        with storage.transaction("t") as transaction:
            transaction.apply(ChangeSet("t", resources=ResourceChanges(removed=[one])))
            assert transaction.resource("t", "store", "idx_1") is None
        _keep(storage, _row("idx_2", name="default"))
        found = storage.reader().resource_named("t", "store", "default")
        assert found is not None
        assert found.id == "idx_2"

    def test_a_person_takes_their_settings_along(self, storage: Storage) -> None:
        _keep(storage, _row("p1", person="p1"), _row("p2", person="p2"), _row("idx_1"))
        with storage.transaction("t") as transaction:
            counts = transaction.erase(Erasure("t", "p1", b"d", (), 9), dry_run=False)
        assert counts["resource"] == 1
        with storage.snapshot() as snapshot:
            assert [r.id for r in snapshot.resources("t", "store")] == ["idx_1", "p2"]

    def test_audit_entries_come_newest_first(self, storage: Storage) -> None:
        _note(storage, "aud_1", "aud_2", target="m")
        _note(storage, "aud_3")
        _note(storage, "aud_9", tenant="u")
        with storage.snapshot() as snapshot:
            every = snapshot.audit_entries("t")
            before = snapshot.audit_entries("t", before="aud_3", limit=1)
            about = snapshot.audit_entries("t", target="m")
            none = snapshot.audit_entries("t", action="memory_write")
        assert [e.id for e in every] == ["aud_3", "aud_2", "aud_1"]
        assert [e.id for e in before] == ["aud_2"]
        assert [e.id for e in about] == ["aud_2", "aud_1"]
        assert none == []
        assert (every[0].content, every[0].seal) == ('{"reason":"aud_3"}', None)

    def test_seals_chain_what_is_not_sealed_yet(self, storage: Storage) -> None:
        _note(storage, "aud_1", "aud_2")
        _note(storage, "aud_9", tenant="u")
        assert storage.seal(10) == 3
        assert storage.seal(11) == 0
        _note(storage, "aud_3")
        assert storage.seal(12) == 1
        assert storage.audit("t")[:2] == (3, 0)
        assert storage.audit("t").broken == ()
        with storage.snapshot() as snapshot:
            assert [e.seal for e in snapshot.audit_entries("t")] == [2, 1, 1]

    @pytest.mark.parametrize("dry_run", [True, False])
    def test_a_tenant_goes_whole_and_alone(self, storage: Storage, *, dry_run: bool) -> None:
        _keep(storage, _row("idx_1"), _row("idx_2"), _row("idx_1", tenant="u"))
        _note(storage, "aud_1")
        with storage.transaction("t") as transaction:
            counts = transaction.erase_tenant("t", dry_run=dry_run)
        found = {name: count for name, count in counts.items() if count}
        assert found == {"resource": 2, "audit": 1, "audit_content": 1, "tenant": 1}
        with storage.snapshot() as snapshot:
            assert len(snapshot.resources("t", "store")) == (2 if dry_run else 0)
            assert len(snapshot.resources("u", "store")) == 1
            assert snapshot.tenants() == (["t", "u"] if dry_run else ["u"])
