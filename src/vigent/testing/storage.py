"""What every storage adapter has to do, below the verbs of memory: the claims of the port."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

from vigent.domain.changes import ChangeSet
from vigent.domain.statements import Key, KeyId
from vigent.errors import StoreBusy
from vigent.ports.storage import Selection, Storage
from vigent.testing.listing import ListingClaims
from vigent.testing.moving import MovingClaims
from vigent.testing.resources import ResourceClaims

__all__ = ["StorageContract"]


class StorageContract(MovingClaims, ResourceClaims, ListingClaims, abc.ABC):
    """The claims of the storage port that memory relies on."""

    @abc.abstractmethod
    def storage_at(self, path: Path) -> Storage:
        """Open the adapter at a path in which nothing else is."""

    @pytest.fixture
    def storage(self, tmp_path: Path) -> Iterator[Storage]:
        """An empty storage."""
        opened = self.storage_at(tmp_path / "storage")
        yield opened
        opened.close()

    def _keys(self, storage: Storage) -> list[Key]:
        with storage.snapshot() as snapshot:
            return snapshot.keys(Selection("t", "s", ()))

    def _add(
        self, storage: Storage, subject: str, then: Callable[[], object] = lambda: None
    ) -> Key:
        with storage.transaction("t") as transaction:
            id = KeyId("t", "s", "", subject, "city", "")
            key = Key(transaction.numbers.key, id, subject, 5)
            transaction.apply(ChangeSet("t", salt=b"s" * 16, salted_at=1, keys=[key]))
            then()
        return key

    def test_what_was_applied_is_there_after_the_transaction(self, storage: Storage) -> None:
        assert self._keys(storage) == []
        key = self._add(storage, "mira")
        assert self._keys(storage) == [key]

    def test_an_error_rolls_everything_back(self, storage: Storage) -> None:
        self._add(storage, "mira")
        with pytest.raises(ZeroDivisionError):
            self._add(storage, "x", then=lambda: 1 // 0)
        assert [key.name for key in self._keys(storage)] == ["mira"]

    def test_numbers_rise_within_and_between_transactions(self, storage: Storage) -> None:
        numbers = [self._add(storage, name).no for name in ("a", "b", "c")]
        assert numbers == sorted(set(numbers))

    def test_keys_come_in_order_of_their_identity(self, storage: Storage) -> None:
        for name in ("b", "c", "a"):
            self._add(storage, name)
        assert [key.name for key in self._keys(storage)] == ["a", "b", "c"]

    def test_the_first_salt_of_a_tenant_stays(self, storage: Storage) -> None:
        self._add(storage, "a")
        with storage.transaction("t") as transaction:
            assert transaction.ledger("t").salt == b"s" * 16
        with storage.snapshot() as snapshot:
            assert snapshot.ledger("u").salt is None

    def test_a_transaction_sees_what_it_applied(self, storage: Storage) -> None:
        self._add(storage, "a")
        with storage.transaction("t") as transaction:
            key = Key(transaction.numbers.key, KeyId("t", "s", "", "b", "city", ""), "b", 5)
            transaction.apply(ChangeSet("t", keys=[key]))
            found = transaction.keys(Selection("t", "s", ("",), "b", "city", ""))
            assert [k.no for k in found] == [key.no]
            assert transaction.numbers.key > key.no

    def test_who_will_not_wait_finds_the_lock_taken(self, storage: Storage) -> None:
        refused: list[Exception] = []

        def hurried() -> None:
            try:
                with storage.transaction("t", wait=False):
                    pass
            except StoreBusy as error:
                refused.append(error)

        with storage.transaction("t"):
            other = Thread(target=hurried)
            other.start()
            other.join(5)
        assert len(refused) == 1
        hurried()
        assert len(refused) == 1

    def test_an_empty_storage_adds_up(self, storage: Storage) -> None:
        assert storage.check() == []
        summary = storage.audit("t")
        assert (summary.sealed, summary.unsealed, summary.broken) == (0, 0, ())
