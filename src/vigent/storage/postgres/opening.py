"""Reads a database's URL, opens connections the one way Vigent uses them, and sees who it is."""

from __future__ import annotations

from typing import Any, Final, LiteralString, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg import sql

from vigent.errors import InvalidInput, UnavailableError
from vigent.storage.postgres.line import Line

__all__ = ["Place", "Role", "connect", "line_to", "parse_place", "role_of"]

_OWN: Final = frozenset(("app_role", "pool_size", "pool_timeout", "prepare"))
_APP_ROLE: Final = "vigent_app"
_SIZE, _MOST = 16, 1000
_CONNECT_SECONDS: Final = 10
_PATIENCE: Final = 600.0
"""Seconds after which a server that says nothing is given up; a dead network is noticed before."""


class Place(NamedTuple):
    """Where a store is, and how it is reached.

    ``conninfo`` is what libpq is given. Rows are read and written as ``app_role``. At most
    ``pool_size`` connections are open, for one of which a call waits ``pool_timeout`` seconds.
    ``prepare`` is off where a pooler between hands each transaction to another session.
    """

    conninfo: str
    app_role: str = _APP_ROLE
    pool_size: int = _SIZE
    pool_timeout: float = 10.0
    prepare: bool = True


class Role(NamedTuple):
    """Who a connection is, and what it has to become."""

    name: str
    recovering: bool
    """Whether the server is a replica, which can only be read."""
    bypasses: bool
    """Whether it sees every tenant's rows, whatever the tables say."""
    owns: bool
    """Whether it owns the tables, or may do so."""
    becomes: bytes | None
    """The command that gives it a role without such rights; None where it has none."""


def parse_place(url: str, *, pool_timeout: float = 10.0) -> Place:
    """Read a URL: what is ours is taken out of its query, all else is libpq's."""
    parts = urlsplit(url)
    given = parse_qsl(parts.query, keep_blank_values=True)
    own = {name: value for name, value in given if name in _OWN}
    rest = urlencode([pair for pair in given if pair[0] not in _OWN], quote_via=quote)
    size, wait = own.get("pool_size", str(_SIZE)), own.get("pool_timeout", str(pool_timeout))
    if not size.isdigit() or not 1 <= int(size) <= _MOST:
        raise InvalidInput("pool_size", f"must be a number from 1 to {_MOST}")
    try:
        seconds = float(wait)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= _MOST:
        raise InvalidInput("pool_timeout", "must be a number of seconds")
    if own.get("prepare", "on") not in ("on", "off"):
        raise InvalidInput("prepare", "is one of on, off")
    return Place(
        urlunsplit(parts._replace(query=rest)), own.get("app_role") or _APP_ROLE, int(size),
        seconds, own.get("prepare", "on") == "on",
    )  # fmt: skip


def connect(place: Place) -> psycopg.Connection[Any]:
    """Open a connection; raises UnavailableError with the reason, InvalidInput for a wrong URL."""
    try:
        connection = psycopg.connect(
            place.conninfo, autocommit=True, connect_timeout=_CONNECT_SECONDS,
            application_name="vigent", client_encoding="utf-8", keepalives_idle=30,
            keepalives_interval=10, keepalives_count=3, tcp_user_timeout=60_000,
        )  # fmt: skip
    except psycopg.ProgrammingError as error:
        raise InvalidInput("path_or_url", f"is not a database's URL: {error}") from error
    except psycopg.OperationalError as error:
        raise UnavailableError(f"the database cannot be reached: {_reason(error)}") from error
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        connection.close()
        raise InvalidInput("path_or_url", f"is a database in {encoding}; UTF8 is needed")
    return connection


def _reason(error: psycopg.Error) -> str:
    """Give the last line of what the server or libpq said; passwords are in none of them."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def line_to(place: Place) -> Line:
    """Open a connection for the pool."""
    return Line(connect(place), prepare=place.prepare, patience=_PATIENCE)


_WHO: LiteralString = """
SELECT current_user::text, pg_is_in_recovery(), own.rolsuper OR own.rolbypassrls,
       EXISTS (SELECT 1 FROM pg_class
               WHERE relname = 'key' AND relkind IN ('r', 'p') AND relnamespace IN (
                   SELECT oid FROM pg_namespace WHERE nspname = ANY (current_schemas(false)))
                 AND pg_has_role(current_user, relowner, 'MEMBER')),
       app.rolname IS NOT NULL AND pg_has_role(current_user, app.oid, 'MEMBER'),
       coalesce(app.rolsuper OR app.rolbypassrls, false)
FROM pg_roles AS own LEFT JOIN pg_roles AS app ON app.rolname = %s
WHERE own.rolname = current_user
"""


def role_of(connection: psycopg.Connection[Any], app_role: str) -> Role:
    """Say who a connection is.

    Raises InvalidInput for one that sees every tenant's rows and cannot become the app role, and
    for an app role that does.
    """
    row = connection.execute(_WHO, (app_role,)).fetchone()
    if row is None:
        raise InvalidInput("path_or_url", "names a role that is not there")
    name, recovering, bypasses, owns, member, app_bypasses = row
    if app_bypasses:
        raise InvalidInput("app_role", f"{app_role} can pass over row-level security")
    becomes = None
    if name != app_role and (bypasses or owns):
        if not member:
            raise InvalidInput(
                "app_role", f"{name} may not become {app_role}: GRANT {app_role} TO {name}"
            )
        becomes = sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(app_role)).as_bytes(None)
    return Role(name, recovering, bypasses, owns, becomes)
