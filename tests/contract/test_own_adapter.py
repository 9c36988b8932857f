"""An adapter that Vigent does not know keeps the contract too, and is closed with its memory."""

from __future__ import annotations

import anyio
import pytest

from vigent import AsyncMemory, Memory
from vigent.storage.inmemory.adapter import InMemoryStorage
from vigent.testing.contract import MemoryContract


class Mine:
    """A storage of one's own: it has what the port asks for, and no base class of Vigent's."""

    def __init__(self):
        self._kept, self.closed = InMemoryStorage(), False
        for name in ("reader", "snapshot", "transaction", "purge", "check", "audit", "seal"):
            setattr(self, name, getattr(self._kept, name))
        self.writable, self.is_branch = self._kept.writable, self._kept.is_branch

    def close(self):
        self.closed = True
        self._kept.close()


class TestMine(MemoryContract):
    durable = False

    def memory_at(self, _path, **options):
        return Memory.open(Mine(), **options)


def test_it_is_closed_with_the_memory():
    mine = Mine()
    with Memory.open(mine) as memory:
        memory.write(subject="mira", attribute="city", value="Oslo")
        assert not mine.closed
    assert mine.closed


def test_it_is_closed_where_opening_fails():
    class Broken(Mine):
        def __init__(self):
            super().__init__()
            self.snapshot = self.transaction = self._fail

        def _fail(self, *_args, **_more):
            raise OSError("gone")

    mine = Broken()
    with pytest.raises(OSError, match="gone"):
        Memory.open(mine)
    assert mine.closed


def test_asynchronous_callers_hand_it_in_too():
    async def ask():
        async with await AsyncMemory.open(Mine()) as memory:
            await memory.write(subject="mira", attribute="city", value="Oslo")
            return (await memory.current("mira", "city")).value

    assert anyio.run(ask) == "Oslo"
