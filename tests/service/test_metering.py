"""Calls of models on a tenant's account: metered, also those in vain, and parked at the limit."""

from __future__ import annotations

import pytest

from vigent.domain.time import parse_instant
from vigent.domain.usage import Account, Parked, month_of, parked
from vigent.errors import InvalidModelOutput, ProviderError, StoreBusy
from vigent.govern.metering import Metering
from vigent.models.language.openai import OpenAILanguageModel
from vigent.ports.models import Completion, ModelUsage, Told
from vigent.testing import Answer, ModelServer

ASKED = (Told("user", "How many?"),)
SCHEMA = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
EXTRACTION = Account("default", "idx_1", "extraction")
TENANT = "/v1/tenants/default/settings"


@pytest.fixture
def server():
    with ModelServer() as running:
        yield running


@pytest.fixture
def model(server):
    one = OpenAILanguageModel(server.url, "small", backoff=0.01, attempts=2)
    yield one
    one.close()


@pytest.fixture
def metering(service, first):
    return Metering(service.registry)


@pytest.fixture
def usage(client, admin):
    def read():
        told = client.get("/v1/usage", params={"by": "store,model,kind"}, headers=admin).json()
        return [tuple(row.values()) for row in told["usage"]]

    return read


def test_a_call_is_metered_by_store_model_and_kind(server, model, metering, usage):
    server.answer(Answer(value={"count": 3}, usage=(11, 5)))
    done = metering.complete(EXTRACTION, model, ASKED, schema=SCHEMA)
    assert isinstance(done, Completion)
    assert done.parsed == {"count": 3}
    metering.complete(Account("default", "idx_1", "helper"), model, ASKED, schema=SCHEMA)
    metering.complete(EXTRACTION, model, ASKED, schema=SCHEMA)
    assert usage() == [
        ("idx_1", "small", "extraction", 2, 0, 22, 10), ("idx_1", "small", "helper", 1, 0, 11, 5),
    ]  # fmt: skip


def test_so_are_tries_repairs_and_failures(server, model, metering, usage):
    server.answer(Answer(value={"count": 3}, usage=(11, 5)), times=1)
    server.fail(500)
    metering.complete(EXTRACTION, model, ASKED, schema=SCHEMA)
    assert usage() == [("idx_1", "small", "extraction", 2, 1, 11, 5)]
    server.answer(Answer(value={"count": "x"}, usage=(10, 1)))
    with pytest.raises(InvalidModelOutput):
        metering.complete(EXTRACTION, model, ASKED, schema=SCHEMA)
    assert usage() == [("idx_1", "small", "extraction", 4, 3, 31, 7)]
    server.fail(500, times=None)
    with pytest.raises(ProviderError):
        metering.complete(EXTRACTION, model, ASKED, schema=SCHEMA)
    assert usage() == [("idx_1", "small", "extraction", 6, 5, 31, 7)]


def test_the_monthly_limit_parks_work_and_sends_nothing(
    server, model, metering, client, admin, clock
):
    server.answer(Answer(value={"count": 3}, usage=(90, 5)))
    client.patch(TENANT, json={"monthly_token_limit": 100}, headers=admin)
    assert isinstance(metering.complete(EXTRACTION, model, ASKED, schema=SCHEMA), Completion)
    waiting = metering.complete(EXTRACTION, model, ASKED * 3, schema=SCHEMA)
    assert isinstance(waiting, Parked)
    assert (waiting.limit, waiting.used, len(server.requests)) == (100, 95, 1)
    assert waiting.until == parse_instant("2026-07-01T00:00:00Z", "t")
    assert waiting.reason == "95 of 100 tokens of this month are used"
    clock.set("2026-07-01T00:00:00Z")
    assert metering.parked("default") is None
    assert isinstance(metering.complete(EXTRACTION, model, ASKED, schema=SCHEMA), Completion)


def test_a_limit_of_another_tenant_parks_nobody_else(metering, service):
    other = service.new_tenant("other").tenant
    metering.meter(Account(other, "idx_2", "extraction"), "small", ModelUsage(1, 0, 500, 0))
    assert (metering.used(other), metering.used("default")) == (500, 0)


def test_a_limit_of_nothing_parks_everything(metering, client, admin):
    client.patch(TENANT, json={"monthly_token_limit": 0}, headers=admin)
    assert metering.parked("default") is not None
    client.patch(TENANT, json={"monthly_token_limit": None}, headers=admin)
    assert metering.parked("default") is None


def test_an_answer_is_not_lost_when_the_store_is_busy(server, model, metering, service, usage):
    server.answer(Answer(value={"count": 3}, usage=(11, 5)))
    sound = service.registry.meter

    def busy(_row):
        raise StoreBusy("others write")

    service.registry.meter = busy
    assert isinstance(metering.complete(EXTRACTION, model, ASKED, schema=SCHEMA), Completion)
    assert (usage(), metering.used("default")) == ([], 16)
    service.registry.meter = sound
    metering.complete(EXTRACTION, model, ASKED, schema=SCHEMA)
    assert usage() == [("idx_1", "small", "extraction", 2, 0, 22, 10)]
    assert metering.used("default") == 32


def test_nothing_of_a_deleted_tenant_comes_back(metering, service):
    service.new_tenant("gone")
    with service.storage.transaction("default") as transaction:
        transaction.erase_tenant("gone", dry_run=False)
    metering.meter(Account("gone", "idx", "extraction"), "small", ModelUsage(1, 0, 5, 5))
    with service.storage.snapshot() as snapshot:
        assert snapshot.usage("gone", 0, 2**60) == []
        assert snapshot.tenants() == ["default"]


@pytest.mark.parametrize(
    ("at", "begin", "end"),
    [
        ("2026-02-28T23:59:59.999999Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"),
        ("2026-12-31T12:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("2028-02-29T00:00:00Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"),
    ],
)
def test_a_month_is_one_in_utc(at, begin, end):
    said = [parse_instant(text, "t") for text in (at, begin, end)]
    assert month_of(said[0]) == (said[1], said[2])


@pytest.mark.parametrize(
    ("limit", "used", "wanted", "waits"),
    [
        (None, 10**9, 1, False),
        (10, 9, 1, False),
        (10, 10, 1, True),
        (10, 5, 6, True),
        (0, 0, 0, False),
    ],
)
def test_what_fits_into_the_limit_is_not_parked(limit, used, wanted, waits):
    assert (parked(limit, used, wanted, 0) is not None) is waits
