"""A place as it is shown: passwords are never part of it."""

from __future__ import annotations

import pytest

from vigent.settings import shown_database


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("vigent.db", "vigent.db"),
        (
            "postgresql://me:se%40cret@host:5/db?pool_size=3",
            "postgresql://me@host:5/db?pool_size=3",
        ),
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql://host/db?user=me&password=secret", "postgresql://host/db"),
    ],
)
def test_no_password_is_shown(place, shown):
    assert shown_database(place) == shown
