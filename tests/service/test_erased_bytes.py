"""After an erasure no form of a person's id is in the file, whichever way it came in."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.service.calls import audited, bearer, make_key, make_token

WHO = "Qzyx Léa"
ODD = "QzyxLea"  # what stands where an id of the service is asked for


def forms(*names):
    """Give the ways in which a name may stand in a file."""
    for name in names:
        for text in (name, name.casefold(), name.upper(), quote(name), json.dumps(name)[1:-1]):
            raw = text.encode()
            yield from (raw, base64.b64encode(raw)[:-4], text.encode("utf-16-le"))


def bytes_of(path):
    return {p.name: p.read_bytes() for p in path.parent.glob(f"{path.name}*")}


def found_in(path):
    return {
        (name, form)
        for name, content in bytes_of(path).items()
        for form in forms(WHO, ODD, "Qzyx")
        if form in content
    }


@pytest.fixture
def used(service, first, client, admin):
    """A person who did everything, and of whom others asked."""
    plain = bearer(make_key(client, admin, "threads")["key"])
    at = f"/v1/persons/{quote(WHO)}"

    def ask(method, path, body=None, headers=None, **params):
        return client.request(
            method, path, json=body, headers=headers or admin, params=params or None
        )

    def must(*asked, **params):
        done = ask(*asked, **params)
        assert done.is_success, (asked, done.text)
        return done.json() if done.content else None

    must("PATCH", at, {"timezone": "UTC", "subject": "Qzyx Léa Martin"})
    must("POST", f"{at}/tokens", {}, {**admin, "Idempotency-Key": f"t {ODD}"})
    mine = {**admin, "X-Vigent-Subject-Token": make_token(client, admin, quote(WHO))}
    named = {**admin, "X-Vigent-Subject": WHO.encode()}
    here = {"index_id": "default"}
    said = must("POST", "/v1/episodes", {**here, "content": f"I am {WHO}"}, mine)
    wrote = {**here, "subject": WHO, "attribute": "city", "value": f"{ODD}ville",
             "source_episode_id": said["episode_id"], "quote": WHO, "metadata": {"who": WHO},
             "source": f"form of {WHO}"}  # fmt: skip
    made = must("POST", "/v1/memory", wrote, {**named, "Idempotency-Key": f"w {ODD}"})
    id = made["memory"]["memory_id"]
    must("PATCH", f"/v1/memory/{id}", {"importance": 2}, named)
    must("PATCH", f"/v1/memory/{id}", {"value": f"{ODD}burg"}, named)
    must("POST", "/v1/memory/batch", {**here, "items": [{"text": f"{WHO} likes tea"}]},
         {**mine, "Idempotency-Key": f"b {ODD}"})  # fmt: skip
    shared = {**here, "subject": "qzyx léa martin", "attribute": "role", "value": f"{ODD} lead"}
    must("POST", "/v1/memory", shared, {**admin, "Idempotency-Key": f"s {ODD}"})
    must("POST", "/v1/stores/default/aliases", {"name": ODD, "of": WHO}, named)
    must("PUT", f"/v1/stores/default/blocks/{ODD}", {"text": WHO}, named)
    held = {**here, "text": f"{WHO} prefers trains", "type": "preference", "confidence": 0.9}
    must("POST", "/v1/memory/propose", held, {**named, "Idempotency-Key": f"p {ODD}"})
    thread = must("POST", "/v1/threads", {**here, "person": WHO, "metadata": {"of": WHO}})["id"]
    must("POST", f"/v1/threads/{thread}/items", {"role": "user", "content": f"{WHO} here"}, named)
    must("PUT", f"/v1/threads/{thread}/state", {"state": {"for": WHO}}, named)
    must("POST", "/v1/memory/search", {**here, "query": WHO},
         {**named, "Idempotency-Key": f"q {ODD}"})  # fmt: skip
    must("POST", "/v1/context", {**here, "thread": thread}, named)
    tool = f"/v1/tools/memory__{first.index_id}__write"
    call = {"arguments": {"type": "fact", "text": f"{WHO} flies"}, "thread": thread,
            "user": WHO, "call_id": f"call {ODD}"}  # fmt: skip
    ask("POST", tool, call, named)
    ask("POST", tool, {"arguments": {"type": "fact", "text": f"{WHO} flies"}}, named)
    must("GET", "/v1/memory", None, admin, person=WHO, **here)
    must("GET", f"{at}/export")
    must("GET", "/v1/audit", None, admin, person=WHO)
    must("DELETE", f"{at}/memory", None, admin, dry_run=True)
    # What is refused, to others and to nobody in particular.
    for headers in (admin, plain):
        for path in (f"memory/{ODD}", f"threads/{ODD}", f"agents/{quote(WHO)}", f"episodes/{ODD}",
                     f"persons/{quote(WHO)}", f"tenants/{quote(WHO)}/settings",
                     f"stores/{quote(WHO)}/state/a", f"stores/default/state/{quote(WHO)}/city",
                     f"stores/default/blocks/{quote(WHO)}", f"memory/stores/{quote(WHO)}",
                     f"review?index_id={quote(WHO)}", f"memory?index_id={quote(WHO)}",
                     f"tenants/default/keys/{ODD}", f"audit?target={ODD}"):  # fmt: skip
            ask("GET", f"/v1/{path}", None, headers)
        for path in (f"memory/{ODD}", f"threads/{ODD}", f"agents/{ODD}", f"memory/stores/{ODD}",
                     f"stores/default/aliases/{quote(WHO)}", f"tenants/{ODD}",
                     f"tenants/default/keys/{ODD}"):  # fmt: skip
            ask("DELETE", f"/v1/{path}", None, headers)
        for path in (f"tools/{ODD}", f"memory/{ODD}/retract", f"review/{ODD}/accept",
                     f"tenants/default/keys/{ODD}/rotate"):  # fmt: skip
            ask("POST", f"/v1/{path}", {}, headers)
        ask("POST", "/v1/memory", {**wrote, "corrects": ODD}, headers)
        ask("POST", "/v1/memory", {**here, "text": "x", "supersedes": ODD}, headers)
        ask("POST", "/v1/memory", {"index_id": WHO, "text": "x"}, headers)
        ask("POST", "/v1/memory", {**here, "text": "x", "source_episode_id": ODD}, headers)
        ask("POST", "/v1/context", {**here, "thread": ODD}, headers)
        ask("POST", f"/v1/threads/{thread}/items", {"role": "user", "content": "x"}, headers)
        ask("GET", f"/v1/threads/{thread}/items", None, headers, after=ODD)
    return at


def test_no_form_of_a_name_stays_after_an_erasure(used, service, client, admin):

    path = Path(service.storage._connections.path)
    assert found_in(path)  # so that the look means something
    done = client.delete(f"{used}/memory", params={"wait": True}, headers=admin).json()
    assert done["state"] == "purged"
    assert found_in(path) == set()
    assert "qzyx" not in json.dumps(audited(client, admin)).casefold()
    assert done["person_hash"] in json.dumps(audited(client, admin))
