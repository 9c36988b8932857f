"""The recent turns of a thread as messages for a model, verbatim."""

from __future__ import annotations

from typing import Final, NamedTuple, cast

from vigent.domain.messages import Kind, Message
from vigent.domain.threads import ThreadItem
from vigent.read.reading import Reading
from vigent.read.threads import items

__all__ = ["Conversation", "recent_turns"]

# What a model may see again. Reasoning and plans are a model's own notes, a system item was for
# the turn it stood in, and what is sealed is kept for the thread alone.
_SENT: Final = frozenset({"user", "assistant", "tool_call", "tool_result"})


class Conversation(NamedTuple):
    """Messages in order; what is asked; whether that stands among the messages already."""

    messages: tuple[Message, ...]
    question: str | None
    stands: bool
    turns: int


def recent_turns(
    reading: Reading, person: str, thread: str, turns: int, query: str | None
) -> Conversation:
    """Give the last turns of a thread before what is asked.

    A user item and what follows it is a turn; so is what stands before the first of
    them. Without a query the last user item is what is
    asked; it stays where it is, with what came after it. A query that repeats the thread's last
    item is not given twice. Raises NotFound.
    """
    sent, users, whole = _sent(reading, person, thread, turns + 1)
    open_turn = query is None or (
        bool(sent) and sent[-1].kind == "user" and sent[-1].content == query
    )
    open_turn = open_turn and bool(users)
    earlier = users[:-1] if open_turn else users
    if whole and sent and (not users or users[0] > 0):
        earlier = [0, *earlier]
    kept = earlier[-turns:]
    if not kept and not open_turn:
        return Conversation((), query, stands=False, turns=0)
    start = kept[0] if kept else users[-1]
    messages = tuple(
        Message(cast("Kind", item.kind), item.content or "", item.id) for item in sent[start:]
    )
    question = sent[users[-1]].content if open_turn else query
    return Conversation(messages, question, stands=open_turn, turns=len(kept))


def _sent(
    reading: Reading, person: str, thread: str, turns: int
) -> tuple[list[ThreadItem], list[int], bool]:
    """Give the last items that may be sent, so many turns at least, and where turns begin.

    The third says whether these are all there are.
    """
    last = 4 * turns
    while True:
        found = items(reading, person, thread, None, last)
        sent = [i for i in found if i.kind in _SENT and not i.sealed and i.content is not None]
        users = [at for at, item in enumerate(sent) if item.kind == "user"]
        if len(users) >= turns or len(found) < last:
            return sent, users, len(found) < last
        last *= 4
