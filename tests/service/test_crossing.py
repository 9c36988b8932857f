"""Many calls of two tenants at once: no answer holds anything of the other's, nor another person's.

Whatever is written carries the name of its tenant and of its person; each answer is searched for
the names of all others.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple

import httpx2

from tests.service.serving import served
from vigent.service import Service

CALLS = 400
PERSONS = 3


class Party(NamedTuple):
    """A tenant's key, one of its persons, and the thread of theirs."""

    key: str
    tenant: str
    person: str

    @property
    def mark(self) -> str:
        """What nobody else's answers may hold."""
        return f"Z{self.tenant}{self.person}Z"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}", "X-Vigent-Subject": self.person}


async def ask(client: Any, party: Party, method: str, path: str, body: Any = None) -> Any:
    return await client.request(method, f"/v1{path}", json=body, headers=party.headers)


async def fill(client: Any, party: Party) -> None:
    mark, at = party.mark, {"index_id": "default"}
    for path, body in (
        ("/memory", {**at, "subject": "mira", "attribute": "city", "value": f"Lugo {mark}"}),
        ("/memory", {**at, "type": "behaviour", "text": f"Answer briefly {mark}"}),
        ("/episodes", {**at, "content": f"Mira moved to Lugo {mark}"}),
        ("/threads", {**at, "id": "talk"}),
        ("/threads/talk/items", {"role": "user", "content": f"Where does Mira live {mark}"}),
    ):
        made = await ask(client, party, "POST", path, body)
        assert made.status_code == 201, made.text


def calls_of(party: Party, number: int) -> tuple[str, str, Any, bool]:
    """Give one call of a party, and whether its own name must be in the answer."""
    at, mark = {"index_id": "default"}, party.mark
    query = "in which town does Mira live"
    return (
        ("GET", "/stores/default/state/mira/city", None, True),
        ("GET", "/stores/default/state/mira", None, True),
        ("POST", "/memory/search", {**at, "query": query}, True),
        ("POST", "/memory/search", {**at, "query": query, "include": "episodes"}, True),
        ("POST", "/context", {**at, "query": query, "thread": "talk"}, True),
        ("POST", "/memory", {**at, "subject": f"n{number}", "attribute": "city", "value": mark},
         True),
        ("POST", "/threads/talk/items", {"role": "user", "content": f"{number} {mark}"}, True),
        ("GET", "/threads/talk/items", None, True),
        ("GET", "/memory?index_id=default&limit=50", None, True),
        ("GET", "/threads", None, False),
    )[number % 10]  # fmt: skip


async def crossed(url: str, parties: list[Party]) -> list[str]:
    """Make all calls at once; gives what is wrong with their answers."""
    limits = httpx2.Limits(max_connections=CALLS, max_keepalive_connections=CALLS)
    async with httpx2.AsyncClient(base_url=url, limits=limits, timeout=120) as client:
        for party in parties:
            await fill(client, party)
        asked = [
            (parties[n % len(parties)], calls_of(parties[n % len(parties)], n // len(parties)))
            for n in range(CALLS)
        ]
        answers = await asyncio.gather(
            *(ask(client, party, *call[:3]) for party, call in asked)
        )  # fmt: skip
    wrong: list[str] = []
    for (party, (method, path, _, own)), answer in zip(asked, answers, strict=True):
        if answer.status_code not in {200, 201}:
            wrong.append(f"{method} {path}: {answer.status_code} {answer.text}")
        wrong += [
            f"{method} {path} of {party.mark} has {other.mark}"
            for other in parties
            if other.mark != party.mark and other.mark in answer.text
        ]
        if own and party.mark not in answer.text:
            wrong.append(f"{method} {path} of {party.mark} has nothing of its own")
        if (told := tenants_in(json.loads(answer.text))) - {party.tenant}:
            wrong.append(f"{method} {path} of {party.tenant} is of {told}")
    return wrong


def tenants_in(answer: Any) -> set[str]:
    """Give every tenant that an answer names, however deep."""
    if isinstance(answer, list):
        return set().union(*(tenants_in(one) for one in answer))
    if not isinstance(answer, dict):
        return set()
    own = {answer["tenant_id"]} if "tenant_id" in answer else set()
    return own.union(*(tenants_in(one) for one in answer.values()))


def test_of_many_calls_at_once_no_answer_is_anothers(tmp_path):
    service = Service.open(tmp_path / "a.db", embedder="none")
    keys = {tenant: service.new_tenant(tenant).key for tenant in ("north", "south")}
    service.close()
    # Tenants in turns, and persons of one name in both.
    parties = [Party(keys[t], t, f"p{n}") for n in range(PERSONS) for t in keys]
    with served(tmp_path, "--db", "a.db") as running:
        wrong = asyncio.run(crossed(running.url, parties))
        assert running.stop() == 0
    assert wrong == []
