from __future__ import annotations

import pytest

from tests.integration.command_line import Store


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "memory.db")
