"""The command that stands in for a language model: it answers from a script."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Annotated

import typer

from vigent.errors import InvalidInput
from vigent.testing.modelscript import read_script
from vigent.testing.modelserver import ModelServer

__all__ = ["register"]

File = Annotated[Path, typer.Argument(metavar="FILE", help="The script: one JSON object a line.")]
Host = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where it listens.")]
Port = Annotated[int, typer.Option("--port", metavar="PORT", help="0 for any free port.")]
Seconds = Annotated[
    float | None, typer.Option("--seconds", metavar="N", help="End after so long; else Ctrl-C.")
]


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("model-script")(model_script)


def model_script(
    file: File, *, host: Host = "127.0.0.1", port: Port = 8099, seconds: Seconds = None
) -> None:
    """Serve a language model that answers from a script, for trying and testing.

    Prints its address, which VIGENT_MODEL takes with #any-name behind it. Each line of the script
    has fields match or pattern (which requests), times, reply (JSON or text), fail (refuse,
    cut_off, malformed, hang, drop, echo_key or ignore), status, message, retry_after and delay.
    """
    server = ModelServer(read_script(file), host=host, port=port)
    try:
        server.__enter__()
    except OSError as error:
        raise InvalidInput(
            "port", f"{host}:{port} cannot be listened at: {error.strerror}"
        ) from None
    try:
        typer.echo(server.url)
        threading.Event().wait(seconds)
    except KeyboardInterrupt:
        pass
    finally:
        server.__exit__(None, None, None)
