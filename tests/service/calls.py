"""Short words for what tests of the service do again and again."""

from __future__ import annotations

from typing import Any

READ_WRITE = ["read", "write"]


def bearer(key: str, **more: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", **more}


def make_key(
    client: Any,
    admin: dict[str, str],
    *capabilities: str,
    stores: Any = None,
    tenant: str = "default",
    **more: Any,
) -> dict[str, Any]:
    body = {
        "capabilities": list(capabilities),
        "policy": {"stores": {"*": READ_WRITE} if stores is None else stores},
        **more,
    }
    made = client.post(f"/v1/tenants/{tenant}/keys", json=body, headers=admin)
    assert made.status_code == 201, made.text
    return made.json()


def make_token(client: Any, admin: dict[str, str], person: str, **more: Any) -> str:
    made = client.post(f"/v1/persons/{person}/tokens", json=more, headers=admin)
    assert made.status_code == 201, made.text
    return made.json()["token"]


def audited(client: Any, admin: dict[str, str], **filters: Any) -> list[dict[str, Any]]:
    """Give every entry that fits, of all pages."""
    every: list[dict[str, Any]] = []
    asked = {"limit": 200, **filters}
    while True:
        found = client.get("/v1/audit", params=asked, headers=admin)
        assert found.status_code == 200, found.text
        every += found.json()["entries"]
        if found.json()["next"] is None:
            return every
        asked["next"] = found.json()["next"]
