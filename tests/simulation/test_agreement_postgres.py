"""PostgreSQL and the oracle in memory give the same answers to the same commands."""

from __future__ import annotations

import itertools

from tests.simulation.steps import STEPS
from vigent import Memory
from vigent.testing.agreement import AGREEMENT_SCHEMA, AgreementMachine, run_agreement
from vigent.testing.pairs import Pair


def test_both_adapters_answer_alike(postgres_url):
    tenants = (f"tenant-{n}" for n in itertools.count())

    class Machine(AgreementMachine):
        """Every example is a tenant of its own in one database."""

        def open_pair(self) -> Pair:
            tenant = next(tenants)
            first, second = (
                Memory.open(place, tenant=tenant, schema=AGREEMENT_SCHEMA, clock=self.clock)
                for place in (postgres_url, ":memory:")
            )
            return Pair(first, second)

    assert run_agreement(Machine, steps=STEPS) >= STEPS
