"""Where the service is, and what opens it; the key is shown nowhere."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from vigent.client.wire import Request
from vigent.domain.redaction import without_secrets
from vigent.errors import InvalidInput

__all__ = ["Place"]

_SPACE: Final = re.compile(r"[\s\x00-\x1f\x7f]")
_SHOWN: Final = 200


class Place:
    """The URL of a service with the key to it.

    Errors do not repeat what was given, which may hold a secret in the wrong place.
    """

    __slots__ = ("_secrets", "headers", "shown")

    def __init__(self, base_url: str, key: str, subject_token: str | None) -> None:
        self.shown = _checked(base_url)
        """The URL, without a slash at its end."""
        _printable(key, "key")
        self._secrets: tuple[str | None, ...] = (key, subject_token)
        self.headers = {"Authorization": f"Bearer {key}", "Accept": "application/json"}
        if subject_token is not None:
            self.headers["X-Vigent-Subject-Token"] = _printable(subject_token, "subject_token")

    def url(self, request: Request) -> str:
        """Give the whole URL of a request."""
        return f"{self.shown}/v1/{request.path}" + (f"?{request.query}" if request.query else "")

    def clean(self, text: str) -> str:
        """Give somebody else's words on one line, without secrets, and not too long."""
        # Cut after cleaning: half a secret would not be known for one.
        return " ".join(without_secrets(text[:10_000], self._secrets).split())[:_SHOWN]

    def __repr__(self) -> str:
        return f"<Place {self.shown}>"


def _checked(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        sound = parts.port is None or parts.port > 0
    except (ValueError, AttributeError, TypeError):
        raise InvalidInput("base_url", "is no URL") from None
    if _SPACE.search(base_url):
        raise InvalidInput("base_url", "must not have white space in it")
    if parts.scheme not in {"http", "https"} or not parts.hostname or not sound:
        raise InvalidInput("base_url", "must be a URL that begins with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise InvalidInput(
            "base_url", "must not hold a user or password; the key opens the service"
        )
    if parts.query or parts.fragment:
        raise InvalidInput("base_url", "must not have a query or a fragment")
    if parts.path.rstrip("/").endswith("/v1"):
        raise InvalidInput("base_url", "is where the service is, without /v1")
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))


def _printable(secret: object, field: str) -> str:
    if not isinstance(secret, str) or not secret:
        raise InvalidInput(field, "must be text that is not empty")
    if not (secret.isascii() and secret.isprintable()) or _SPACE.search(secret):
        raise InvalidInput(field, "must be printable ASCII without white space")
    return secret
