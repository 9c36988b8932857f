"""What every command shares: the options that say which store, and how the answer is given."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, is_dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Concatenate, Final, ParamSpec

import typer
from rich.markup import escape
from rich.text import Text

from vigent.domain.schema import Schema
from vigent.edges.cli.boundary import ExitCode
from vigent.edges.cli.output import Output
from vigent.errors import InvalidInput, NaiveInstant
from vigent.memory import Memory
from vigent.schema import load_schema
from vigent.service import Service
from vigent.settings import DATABASE

__all__ = ["Call", "about_db", "command", "group", "no_answer", "own_db"]

P = ParamSpec("P")

_PANEL: Final = "Store and output"

Database = Annotated[
    str,
    typer.Option(
        "--db",
        envvar="VIGENT_DB",
        metavar="FILE",
        help="The store's file.",
        rich_help_panel=_PANEL,
    ),
]
Tenant = Annotated[
    str,
    typer.Option("--tenant", metavar="ID", help="The tenant.", rich_help_panel=_PANEL),
]
Store = Annotated[
    str,
    typer.Option("--store", metavar="ID", help="The store inside it.", rich_help_panel=_PANEL),
]
Person = Annotated[
    str | None,
    typer.Option(
        "--person",
        metavar="ID",
        help="Whose memory it is; without it, what the tenant shares.",
        rich_help_panel=_PANEL,
    ),
]
SchemaFile = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        envvar="VIGENT_SCHEMA",
        metavar="FILE",
        help="Attribute definitions, as YAML.",
        rich_help_panel=_PANEL,
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Answer as one JSON document; errors as a JSON object on standard error.",
        rich_help_panel=_PANEL,
    ),
]


@dataclass(frozen=True, slots=True)
class Call:
    """One run of a command: the store it concerns, and where the answer goes."""

    db: str
    tenant: str
    store: str
    person: str | None
    schema: Path | None
    out: Output

    @property
    def as_json(self) -> bool:
        """Whether the answer is for a program."""
        return self.out.as_json

    def declared(self) -> Schema:
        """Give what ``--schema`` declares."""
        return load_schema(self.schema)

    def open(self, *, create: bool = False, **more: Any) -> Memory:
        """Open the store; a command that only reads does not make one where there is none."""
        self._check(create=create)
        return Memory.open(
            self.db,
            tenant=self.tenant,
            store=self.store,
            person=self.person,
            schema=more.pop("schema", self.schema),
            **more,
        )

    def serve(self, *, create: bool = False) -> AbstractContextManager[Service]:
        """Open the store with all of its tenants, as an operator of the service does."""
        self._check(create=create)
        return closing(Service.open(self.db, schema=self.schema, embedder="none"))

    def place(self, *, create: bool = False) -> str:
        """Give the store that is meant, which must be there unless it may be made."""
        self._check(create=create)
        return self.db

    def at(self, db: str) -> str:
        """Give another store that is meant, which must be there."""
        return replace(self, db=db).place()

    def _check(self, *, create: bool) -> None:
        if not self.db.strip():
            raise InvalidInput("db", "must name a file or a database")
        if "://" in self.db:
            return  # whether a server is there is found out by asking it
        # os.path, not Path.exists: a name no file can have is one that does not exist
        if not create and self.db != ":memory:" and not os.path.exists(self.db):  # noqa: PTH110
            raise InvalidInput(
                "db", f"there is no store at {self.db}; write, capture, import or demo make one"
            )


def _shared_options(
    *,
    json_output: Json = False,
    db: Database = DATABASE,
    tenant: Tenant = "default",
    store: Store = "default",
    person: Person = None,
    schema: SchemaFile = None,
) -> Call:
    return Call(db, tenant, store, person, schema, Output(as_json=json_output))


def _parameters(of: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(of, eval_str=True).parameters.values())


_SHARED: Final = _parameters(_shared_options)


def command(
    app: typer.Typer, name: str
) -> Callable[[Callable[Concatenate[Call, P], None]], Callable[Concatenate[Call, P], None]]:
    """Register a function as a command that also takes the shared options.

    The function gets them as a ``Call``, before its own arguments. An argument whose type is a
    dataclass stands for one option per field.
    """

    def register(
        run: Callable[Concatenate[Call, P], None],
    ) -> Callable[Concatenate[Call, P], None]:
        own = _parameters(run)[1:]
        grouped: dict[str, Callable[..., Any]] = {
            each.name: each.annotation
            for each in own
            if isinstance(each.annotation, type) and is_dataclass(each.annotation)
        }
        alone = [each for each in own if each.name not in grouped]
        parts = {part: _parameters(kind) for part, kind in grouped.items()}
        everything = [
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for each in (*alone, *chain.from_iterable(parts.values()), *_SHARED)
        ]

        takes_zone = any(each.name == "timezone" for each in everything)

        def called(**given: Any) -> None:
            call = _shared_options(**{each.name: given.pop(each.name) for each in _SHARED})
            for part, fields in parts.items():
                given[part] = grouped[part](**{each.name: given.pop(each.name) for each in fields})
            try:
                run(call, **given)  # pyright: ignore[reportCallIssue]
            except NaiveInstant as error:
                raise _advised(error, takes_zone=takes_zone) from error
            except InvalidInput as error:
                if error.field != "path_or_url":
                    raise
                raise about_db(error) from error

        called.__signature__ = inspect.Signature(everything)
        called.__annotations__ = {each.name: each.annotation for each in everything}
        called.__doc__ = escape(run.__doc__ or "")  # [mcp] is no markup
        app.command(name)(called)
        return run

    return register


def about_db(error: InvalidInput) -> InvalidInput:
    """Give an error about the place of a store as one about the option that names it."""
    return InvalidInput("db", error.message.removeprefix("path_or_url: "))


def _advised(error: NaiveInstant, *, takes_zone: bool) -> NaiveInstant:
    """Give the error with advice that this command can follow."""
    field, advice = error.field or "", " or give a timezone"
    message = error.message.removeprefix(f"{field}: ")
    if not message.endswith(advice):
        return error
    return NaiveInstant(
        field, message.removesuffix(advice) + (" or give --timezone" if takes_zone else "")
    )


def own_db(call: Call, ctx: typer.Context) -> str | None:
    """Give the store that ``--db`` itself names, or None.

    For commands that fill a store with data of their own: ``VIGENT_DB`` names the user's, and
    must not be taken for it.
    """
    source = ctx.get_parameter_source("db")
    return call.db if source is not None and source.name == "COMMANDLINE" else None


def group(app: typer.Typer, name: str, about: str) -> typer.Typer:
    """Add a group of commands, which shows its help when called without one."""
    inner = typer.Typer(help=about, no_args_is_help=False)

    @inner.callback(invoke_without_command=True)
    def show_help(ctx: typer.Context) -> None:
        if ctx.invoked_subcommand is None:
            typer.echo(ctx.get_help())

    app.add_typer(inner, name=name)
    return inner


def no_answer(call: Call, empty: Any, message: str) -> None:
    """Answer that there is nothing, and end with the exit code that says so."""
    if call.as_json:
        call.out.document(empty)
    else:
        call.out.show(Text(message))
    raise typer.Exit(ExitCode.NO_ANSWER)
