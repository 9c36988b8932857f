"""Tests search by words alone unless they say otherwise; their random examples are steady."""

from __future__ import annotations

import os

from hypothesis import settings

from tests.postgres import (
    postgres,
    postgres_alone,
    postgres_database,
    postgres_pooler,
    postgres_store,
    postgres_url,
)

__all__ = [
    "postgres",
    "postgres_alone",
    "postgres_database",
    "postgres_pooler",
    "postgres_store",
    "postgres_url",
]

os.environ["VIGENT_EMBEDDER"] = "none"

# The examples are the same at every run, so that a red run is red for everyone; ``make test-all``
# draws new ones, which is how the next fault is found.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("fresh", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("VIGENT_EXAMPLE_PROFILE", "steady"))
