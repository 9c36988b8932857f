"""The commands of the service: serve, and config, which shows the settings in force."""

from __future__ import annotations

import errno
import os
import socket
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from vigent.edges.cli.command import about_db
from vigent.edges.cli.output import Output
from vigent.edges.cli.tables import rows, visible
from vigent.effective import Effective, effective_settings
from vigent.errors import InvalidInput, StoreReadOnly
from vigent.service import FirstStart, Service
from vigent.settings import Settings, shown_database

__all__ = ["register"]

_NEEDS: Final = "the service needs the extra server: pip install 'vigent[server]'"

Config = Annotated[
    Path | None,
    typer.Option(
        "--config", envvar="VIGENT_CONFIG", metavar="FILE",
        help="A TOML file of settings; else vigent.toml, where there is one.",
    ),
]  # fmt: skip
Db = Annotated[
    str | None, typer.Option("--db", metavar="FILE", help="The store's file, made if need be.")
]
Host = Annotated[
    str | None, typer.Option("--host", metavar="ADDRESS", help="Where it listens: 127.0.0.1.")
]
Port = Annotated[
    int | None, typer.Option("--port", metavar="PORT", help="8080 if not given; 0 for a free one.")
]
SchemaFile = Annotated[
    str | None, typer.Option("--schema", metavar="FILE", help="Attribute definitions, as YAML.")
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", help="How many processes serve the one file: 1."),
]
Json = Annotated[bool, typer.Option("--json", help="Answer as one JSON document.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("serve")(serve)
    app.command("config")(config)


def serve(
    *,
    db: Db = None,
    host: Host = None,
    port: Port = None,
    schema: SchemaFile = None,
    workers: Workers = None,
    config: Config = None,
) -> None:
    """Serve a store over HTTP until SIGTERM or Ctrl-C; calls under way are finished.

    The first start makes a tenant, a store and a key for everything, and prints the key, this
    once. What is not given here comes from the environment, then from the settings file.
    """
    found = _found(config, db=db, host=host, port=port, schema=schema, workers=workers)
    settings = found.settings
    try:
        running = import_module("vigent.edges.http.server")
    except ImportError as error:
        raise InvalidInput("serve", _NEEDS) from error
    listening = _listen(settings)
    announce = partial(_announce, settings, listening)
    run = running.serve_by_many if settings.server.workers > 1 else running.serve_alone
    try:
        run(settings, listening, announce)
    except InvalidInput as error:
        if error.field != "path_or_url":
            raise
        raise about_db(error) from error


def config(*, config: Config = None, json_output: Json = False) -> None:
    """Show the settings in force and where each comes from; secrets are masked."""
    found = _found(config)
    out = Output(as_json=json_output)
    if json_output:
        out.document({"file": found.file, "settings": found.shown()})
        return
    table = rows("setting", "value", "from")
    for row in found.shown():
        table.add_row(row["name"], visible(_written(row["value"])), row["from"])
    out.show(table)


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _found(config: Path | None, **options: Any) -> Effective:
    group = {"db": "store", "schema": "store"}
    named = {f"{group.get(name, 'server')}.{name}": value for name, value in options.items()}
    return effective_settings(named, config=None if config is None else str(config))


# --------------------------------------------------------------------------------- running


def _listen(settings: Settings) -> socket.socket:
    """Take the port before anything else: a store is not touched for a service that cannot be."""
    host, port = settings.server.host, settings.server.port
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        # The system's own words: those of socket.create_server say the address once more.
        number = error.errno or 0
        problem = os.strerror(number) if number > 0 else "cannot be used"
        if error.errno == errno.EADDRINUSE:
            problem += "; give another by --port, or 0 for any free one"
        raise InvalidInput("port", f"{host}:{port}: {problem}") from error


# -------------------------------------------------------------------------------- the start


def _announce(settings: Settings, listening: socket.socket, service: Service) -> None:
    """Say where it listens, and at the first start the key with which to go on."""
    try:
        first = service.first_start()
    except StoreReadOnly:
        first = None
        print("The store cannot be written: reads work, and no key was made.", file=sys.stderr)
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else {"0.0.0.0": "127.0.0.1"}.get(host, host)  # noqa: S104 - named, not bound
    url = f"http://{shown}:{port}"
    print(f"Vigent serves {visible(shown_database(settings.store.db))} at {url} (Ctrl-C ends it)")
    if first is not None:
        print(_welcome(first, url))
    sys.stdout.flush()


def _welcome(first: FirstStart, url: str) -> str:
    return "\n".join([
        "",
        f"First start: tenant {first.tenant}, store default ({first.index_id}), and a key for",
        "everything. It is shown this once; only a digest of it is kept:",
        "",
        f"export VIGENT_KEY={first.key}",
        "",
        "The passport story, for another terminal: a deadline, its change, what holds now, and",
        "what held before:",
        "",
        *story(url),
        "",
    ])  # fmt: skip


def story(url: str) -> list[str]:
    """Give the lines of the passport story for a shell, with the key in ``VIGENT_KEY``.

    No ``--json``: curl has it since 7.82 only, and systems in service are older.
    """
    key = '-H "Authorization: Bearer $VIGENT_KEY"'

    def write(value: str, since: str) -> str:
        body = (
            '{"index_id":"default","subject":"mira","attribute":"passport_deadline",'
            f'"value":"{value}","valid_from":"{since}"}}'
        )
        return f"curl -sS {key} -H 'Content-Type: application/json' -d '{body}' {url}/v1/memory"

    state = f"{url}/v1/stores/default/state/mira/passport_deadline"
    return [
        write("2026-07-15", "2026-06-01"),
        write("2026-06-30", "2026-06-03"),
        f"curl -sS {key} '{state}'",
        f"curl -sS {key} '{state}?as_of=2026-06-02'",
    ]
