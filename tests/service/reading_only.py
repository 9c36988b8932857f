"""Serves a store that cannot be written, in this process, and prints what came of four calls.

The file is closed against writing. As root, for whom no file is closed, another user is become.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from starlette.testclient import TestClient

from vigent.edges.http.app import create_app
from vigent.service import Service


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "a.db"
        shutil.copy(os.environ["VIGENT_TEST_DB"], path)
        path.chmod(0o444)
        folder.chmod(0o777)
        if os.geteuid() == 0:
            os.setegid(65534)
            os.seteuid(65534)
        try:
            sys.stdout.write(json.dumps(told(path)))
        finally:
            if os.getuid() == 0:
                os.seteuid(0)


def told(path: Path) -> dict[str, object]:
    headers = {"Authorization": f"Bearer {os.environ['VIGENT_TEST_KEY']}"}
    service = Service.open(path)
    with TestClient(create_app(service)) as client:
        ready = client.get("/health/ready")
        state = "/v1/stores/default/state/a/b"
        write = client.post("/v1/memory/stores", json={"name": "x"}, headers=headers)
        question = {"index_id": "default", "query": "what is b of a"}
        named = {**headers, "Idempotency-Key": "k"}
        search = client.post("/v1/memory/search", json=question, headers=named)
        context = client.post("/v1/context", json=question, headers=named)
        absent = client.get(state.replace("default", "none"), headers=headers)
        named = {**headers, "X-Vigent-Subject": "mira"}
        audited = [
            client.get(path, headers=who).json()
            for path, who in (
                ("/v1/persons/mira/export", headers), ("/v1/review", headers),
                ("/v1/review", named), ("/v1/candidates?index_id=default", named),
                ("/v1/memory?index_id=default&person=mira", headers),
                ("/v1/audit?person=mira", headers),
            )
        ]  # fmt: skip
        return {
            "audited": [[one["status"], one["code"], one["detail"]] for one in audited],
            "ready": [ready.status_code, ready.json()["status"]],
            "read": client.get(state, headers=headers).status_code,
            "write": [write.status_code, write.json()["code"]],
            "absent": absent.status_code,
            "found": [search.status_code, context.status_code],
        }


if __name__ == "__main__":
    main()
