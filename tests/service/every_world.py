"""All worlds, and the one table of what a surface cannot say."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from tests.service.cli_world import CliWorld
from tests.service.client_world import AsyncClientWorld, ClientWorld
from tests.service.worlds import WORLDS

__all__ = ["EVERY", "UNSAID", "Unsaid", "unsaid"]

EVERY: Final[dict[str, Any]] = {
    **WORLDS, "async_client": AsyncClientWorld, "client": ClientWorld, "cli": CliWorld,
}  # fmt: skip


class Unsaid(NamedTuple):
    """A test that a surface cannot be asked, with one value of its parameters or with any."""

    world: str
    test: str
    reason: str
    value: Any = None


_CLOCK: Final = (
    "the clock of a command is the machine's; test_cases_processes.py writes in the past"
)
_THREADS: Final = "commands are processes; test_cases_processes.py runs several at once"

UNSAID: Final = (
    Unsaid("cli", "test_c46_expired_is_out_of_every_read_at_once", _CLOCK),
    Unsaid("cli", "test_c46_reading_does_not_prolong_and_ends_are_two_things", _CLOCK),
    Unsaid("cli", "test_c46_the_sweeper_purges_once_and_tells_no_text", _CLOCK),
    Unsaid("cli", "test_c54_ten_at_once", _THREADS),
    Unsaid("cli", "test_c56_writers_and_readers_at_once", _THREADS),
    Unsaid("cli", "test_c30_an_atomic_batch_is_all_or_nothing", "an import answers line by line"),
    Unsaid("cli", "test_c70_a_confidence_that_is_none_is_refused",
           "all options are text: 0.8 is the number", "0.8"),
)  # fmt: skip


def unsaid(world: str, test: str, values: dict[str, Any]) -> str | None:
    """Say why a surface cannot be asked a test; None where it can."""
    for one in UNSAID:
        if (one.world, one.test) == (world, test) and (
            one.value is None or repr(one.value) in map(repr, values.values())
        ):
            return one.reason
    return None
