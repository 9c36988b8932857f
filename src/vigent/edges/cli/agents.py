"""Command that serves agents: mcp, a server of memory on standard input and output."""

from __future__ import annotations

import typer

from vigent.edges.cli.command import Call, command
from vigent.errors import InvalidInput

__all__ = ["register"]


def mcp(call: Call) -> None:
    """Serve an agent by the Model Context Protocol, on standard input and output.

    Whose memory it is, is said here and never by the model. Needs the extra vigent[mcp].
    """
    try:
        # Of an extra, and a second to import, which no other command should pay for.
        from vigent.edges.mcp import Bound, serve_stdio  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name not in {"mcp", "mcp_types"}:
            raise
        raise InvalidInput(
            "mcp", "is an extra that is not installed; pip install 'vigent[mcp]' brings it"
        ) from error
    schema = call.declared()
    with call.open(create=True, schema=schema) as memory:
        bound = Bound(memory=memory, schema=schema, tenant=call.tenant, person=call.person)
        serve_stdio(lambda: bound)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    command(app, "mcp")(mcp)
