"""The commands that move memory: export, backup, restore, copy, branch; and what import shares."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.text import Text

from vigent.edges.cli.command import Call, command, group
from vigent.edges.cli.output import progress_bar
from vigent.edges.cli.tables import card, rows, visible
from vigent.moving import (
    backup_store,
    branch_differences,
    copy_store,
    drop_branch,
    export_file,
    export_to,
    import_file,
    import_from,
    list_branches,
    make_branch,
    restore_store,
)
from vigent.ports.moving import Progress

__all__ = ["given_tenant", "moved_in", "register"]

Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]
Vectors = Annotated[
    bool, typer.Option("--vectors", help="Take vectors along; else they are made anew.")
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The branch: a-z, 0-9, - and _.")]


@contextmanager
def _shown(what: str, unit: str = "rows") -> Generator[Progress]:
    """Show on a terminal how far it is."""
    with progress_bar(what, unit=unit) as (bar, task):

        def tell(done: int, whole: int) -> None:
            bar.update(task, completed=done, total=whole)

        yield tell


def given_tenant(call: Call, ctx: typer.Context) -> str | None:
    """Give the tenant that was named, or None where the option stands at its default."""
    source = ctx.get_parameter_source("tenant")
    return call.tenant if source is not None and source.name == "COMMANDLINE" else None


def _summary(call: Call, told: Mapping[str, Any], *lines: tuple[str, str | None]) -> None:
    if call.as_json:
        call.out.document(dict(told))
        return
    call.out.show(card([(name, value) for name, value in lines if value is not None]))


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


# ------------------------------------------------------------------------ export, import


def export(
    call: Call,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to; - prints it.")],
    vectors: Vectors = False,
    force: Force = False,
) -> None:
    """Write all of a tenant as JSON lines, or with --person all of one person.

    Both time axes, ids, evidence, threads, settings, the audit trail and who was erased are in
    it. `vigent import` takes it in, on any engine, exactly as it was.
    """
    where = call.place()
    more: dict[str, Any] = {"tenant": call.tenant, "person": call.person, "vectors": vectors}
    if file == "-":
        export_to(where, sys.stdout.buffer.write, **more)
        return
    with _shown("exporting") as progress:
        made = export_file(where, file, force=force, progress=progress, **more)
    told = {
        "file": file, "tenant": made.tenant, "person": made.person,
        "counts": dict(made.counts), "digest": made.digest,
    }  # fmt: skip
    _summary(
        call, told, ("exported", visible(made.person or made.tenant)), ("to", visible(file)),
        ("rows", _counted(made.counts)), ("digest", made.digest),
    )  # fmt: skip


def moved_in(call: Call, file: str, tenant: str | None, lines: Iterable[bytes]) -> None:
    """Take in an export, all of it or nothing; ``lines`` are those of standard input."""
    where = call.place(create=True)
    with _shown("importing") as progress:
        if file == "-":
            done = import_from(where, lines, tenant=tenant, progress=progress)
        else:
            done = import_file(where, file, tenant=tenant, progress=progress)
    told = {
        "file": file, "tenant": done.tenant, "person": done.person, "fresh": done.fresh,
        "counts": dict(done.counts), "digest": done.digest, "vectors": done.vectors,
    }  # fmt: skip
    state = "imported" if done.fresh else "there already, and the same"
    _summary(
        call, told, (state, visible(done.person or done.tenant)),
        ("rows", _counted(done.counts)), ("digest", done.digest),
    )  # fmt: skip


# ---------------------------------------------------------------------- backup, restore


def backup(
    call: Call,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to.")],
    force: Force = False,
) -> None:
    """Copy the whole store into one file while it is used; the copy is opened and checked."""
    with _shown("backing up", "pages") as progress:
        done = backup_store(call.place(), file, force=force, progress=progress)
    told = {"file": done.path, "bytes": done.bytes, "checked": True, "counts": dict(done.counts)}
    _summary(
        call, told, ("backed up and checked", visible(done.path)), ("bytes", str(done.bytes)),
        ("rows", _counted(done.counts)),
    )  # fmt: skip


def restore(
    call: Call,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The backup.")],
    force: Force = False,
    without_ledger: Annotated[
        bool,
        typer.Option(
            "--without-ledger",
            help="Do not ask the store that is replaced who was erased in it: it cannot be read.",
        ),
    ] = False,
) -> None:
    """Put a backup in the place of the store, or where there is none yet.

    Who was erased in the store that is replaced stays erased. Stop what uses it first.
    """
    with _shown("restoring", "pages") as progress:
        done = restore_store(
            file, call.place(create=True), force=force, ledger=not without_ledger,
            progress=progress,
        )  # fmt: skip
    told = {"db": done.path, "counts": dict(done.counts), "erased_again": done.erased}
    _summary(
        call, told, ("restored and checked", visible(done.path)), ("rows", _counted(done.counts)),
        ("erased again", str(done.erased) if done.erased else None),
    )  # fmt: skip


# --------------------------------------------------------------------------------- copy


def copy(
    call: Call,
    ctx: typer.Context,
    source: Annotated[str, typer.Option("--from", metavar="STORE", help="What to copy.")],
    target: Annotated[str, typer.Option("--to", metavar="STORE", help="Where to.")],
    vectors: Vectors = False,
) -> None:
    """Copy every tenant of a store, or with --tenant one, into another store, and prove it.

    Each tenant comes in whole or not at all. Begun again it goes on with those that are missing.
    """
    found: list[dict[str, Any]] = []
    table = rows("tenant", "", "rows", "equal reads")
    from_place, tenant = call.at(source), given_tenant(call, ctx)
    with progress_bar("copying") as (bar, task):

        def progress(name: str) -> Progress:
            bar.update(task, description=f"copying {visible(name)}", completed=0)
            return lambda done, whole: bar.update(task, completed=done, total=whole)

        for done in copy_store(
            from_place, target, tenant=tenant, vectors=vectors, progress=progress
        ):
            found.append({**done._asdict(), "counts": dict(done.counts)})
            table.add_row(
                visible(done.tenant), "copied" if done.fresh else "was there, the same",
                str(sum(done.counts.values())), str(sum(done.reads.values())),
            )  # fmt: skip
    if call.as_json:
        call.out.document(found)
    else:
        call.out.show(table)


# ------------------------------------------------------------------------------ branches


def branch_create(call: Call, name: Name) -> None:
    """Make an isolated copy of the store, to try a schema or a gate on.

    Nothing works by itself on it: no sweep, no seals, no vectors behind the writes.
    """
    with _shown("branching", "pages") as progress:
        where = make_branch(call.place(), name, progress=progress)
    if call.as_json:
        call.out.document({"name": name, "db": where})
    else:
        call.out.verbatim(Text(f"{visible(where)}\nOpen it with --db."))


def branch_list(call: Call) -> None:
    """List the branches of the store."""
    found = list_branches(call.place())
    if call.as_json:
        call.out.document([{"name": name, "db": where} for name, where in found])
        return
    table = rows("branch", "db")
    for name, where in found:
        table.add_row(visible(name), visible(where))
    call.out.show(table)


def branch_diff(call: Call, ctx: typer.Context, name: Name) -> None:
    """Say what is in force otherwise on a branch than in the store: facts, and their values."""
    tenant = given_tenant(call, ctx)
    with branch_differences(call.place(), name, tenant=tenant) as found:
        if call.as_json:
            call.out.array(each.to_dict() for each in found)
            return
        table = rows("", "subject", "attribute", "in the store", "on the branch")
        count = 0
        for count, each in enumerate(found, 1):  # noqa: B007 - told after the loop
            told = each.to_dict()
            about = told["subject"] or told["type"]
            here, there = (
                "\n".join(visible(str(fact["value"])) for fact in told[side]) or "-"
                for side in ("here", "there")
            )
            table.add_row(
                each.change, visible(about or ""), visible(told["attribute"] or ""), here, there
            )
    call.out.show(table if count else Text("The same is in force in both."))


def branch_drop(call: Call, name: Name) -> None:
    """Remove a branch, with all that is in it."""
    drop_branch(call.place(), name)
    if call.as_json:
        call.out.document({"name": name, "dropped": True})
    else:
        call.out.show(Text(f"The branch {visible(name)} is gone."))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    command(app, "export")(export)
    command(app, "backup")(backup)
    command(app, "restore")(restore)
    command(app, "copy")(copy)
    branch = group(app, "branch", "Isolated copies of a store, to try something on.")
    command(branch, "create")(branch_create)
    command(branch, "list")(branch_list)
    command(branch, "diff")(branch_diff)
    command(branch, "drop")(branch_drop)
