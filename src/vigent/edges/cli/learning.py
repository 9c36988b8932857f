"""The commands that learn from conversations: worker, and extract, which tries it on a thread."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from vigent.edges.cli.command import Call, about_db, command
from vigent.edges.cli.tables import rows, visible
from vigent.effective import effective_settings
from vigent.errors import InvalidInput, NotSupported
from vigent.service import Service
from vigent.service.trying import proposed_of
from vigent.service.working import extractor_of
from vigent.settings import Settings, shown_database

__all__ = ["register"]

_NO_MODEL: Final = (
    "names no model: set models.model, or VIGENT_MODEL, as docs/how-to/extraction.md shows"
)

Config = Annotated[
    Path | None,
    typer.Option(
        "--config", envvar="VIGENT_CONFIG", metavar="FILE",
        help="A TOML file of settings; else vigent.toml, where there is one.",
    ),
]  # fmt: skip
Db = Annotated[
    str | None, typer.Option("--db", metavar="FILE", help="The store's file, or its database.")
]
Once = Annotated[bool, typer.Option("--once", help="Read what there is to read now, and end.")]
ThreadId = Annotated[str, typer.Argument(metavar="THREAD", help="The thread's id.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be written; nothing is stored.")
]
ModelName = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="Another model than that of settings.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("worker")(worker)
    command(app, "extract")(extract)


def worker(*, db: Db = None, once: Once = False, config: Config = None) -> None:
    """Read conversations of every store whose extraction switch is on, until a signal.

    Several may run at once, beside the service or without it: each window is read by one.
    """
    settings = _settings(config, db)
    service = _opened(settings)
    try:
        one = extractor_of(service, settings.learning)
        if one is None:
            raise NotSupported("nothing is extracted on a branch, or where nothing can be written")
        if once:
            one.drain()
            one.stop()
            return
        stopped = threading.Event()

        def stop(*_: object) -> None:
            stopped.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        print(f"Vigent reads conversations of {visible(shown_database(settings.store.db))}"
              " (Ctrl-C ends it)")  # fmt: skip
        sys.stdout.flush()
        one.start()
        stopped.wait()
        one.stop()
    finally:
        service.close()


def extract(
    call: Call, thread: ThreadId, *, dry_run: DryRun = False, model: ModelName = None
) -> None:
    """Show what a model would have remembered of a thread; with --dry-run only, as it must be.

    The model comes from settings. To have it written, switch extraction of the store on.
    """
    if not dry_run:
        raise InvalidInput("dry-run", "must be given: what is written is the switch's to say")
    settings = _settings(None, call.place())
    service = _opened(settings, call.schema)
    try:
        found = proposed_of(
            service, call.tenant, call.store, call.person, thread, model
        )  # fmt: skip
    finally:
        service.close()
    if call.as_json:
        call.out.document({"thread": thread, "windows": found})
        return
    table = rows("outcome", "reason", "what", "quote")
    for one in (one for window in found for one in window["candidates"]):
        what = f"{one['subject'] or ''} {one['attribute'] or ''} = {_said(one)}".strip()
        table.add_row(one["outcome"], one["reason"] or "", visible(what), visible(one["quote"]))
    call.out.show(table)


def _said(one: dict[str, Any]) -> str:
    said = one["value"] if one["text"] is None else one["text"]
    return "(no longer so)" if said is None else str(said)


def _settings(config: Path | None, db: str | None) -> Settings:
    found = effective_settings({"store.db": db}, config=None if config is None else str(config))
    if not found.settings.models.reaches_any:
        raise InvalidInput("models.model", _NO_MODEL)
    return found.settings


def _opened(settings: Settings, schema: Path | None = None) -> Service:
    store = settings.store
    try:
        return Service.open(
            store.db, schema=schema or store.schema or None, embedder=settings.embedder,
            durability=store.durability, busy_timeout=store.busy_seconds, models=settings.models,
        )  # fmt: skip
    except InvalidInput as error:
        if error.field != "path_or_url":
            raise
        raise about_db(error) from error
