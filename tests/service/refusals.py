"""What a surface refuses, in the same terms for each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from vigent.errors import VigentError


class Refused(Exception):
    """A surface refused something; ``status`` is that of HTTP, where there is one."""

    def __init__(self, code: str, field: str | None, message: str, status: int = 0) -> None:
        super().__init__(f"{code} {field}: {message}")
        self.code, self.field, self.message, self.status = code, field, message, status


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    try:
        yield
    except VigentError as error:
        raise Refused(error.code, error.field, error.message) from error
