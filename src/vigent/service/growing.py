"""What grows from conversations once they were read: episodes, lessons, reflections."""

from __future__ import annotations

import logging
from typing import Final

from vigent.domain.threads import ThreadRow
from vigent.domain.time import SECOND, Instant
from vigent.domain.usage import Account
from vigent.domain.windows import Reading as ReadingOf
from vigent.domain.windows import reading_id, thread_digest
from vigent.errors import InvalidInput, ModelFailed, ModelUnavailable, NotFound
from vigent.govern.documents import PersonDocument
from vigent.govern.storesettings import StoreSections, settings_of
from vigent.learn.episodes import episode_of
from vigent.learn.hiding import Hiding, HidingFailed
from vigent.learn.lessons import lessons_across
from vigent.learn.looking import is_chosen
from vigent.learn.reflection import reflect
from vigent.ports.models import LanguageModel
from vigent.service.learning import Work

__all__ = ["Growing"]

_log = logging.getLogger("vigent")

_PAGE: Final = 100
_MOST: Final = 500
"""How many threads are looked at in one step; the rest waits for the next."""
_MINUTE: Final = 60 * SECOND

Owners = dict[str | None, None]


class Growing:
    """A step that writes the records of settled sessions, and what stands above them.

    It goes on where it stopped, in each store; in a new process it looks once at all threads that
    were spoken in since the switch was set, and finds what is done already done.
    """

    def __init__(self) -> None:
        self._marks: dict[tuple[str, str], tuple[Instant, int]] = {}

    def __call__(self, work: Work) -> None:
        """Do what is due in a store, as far as its switch and settings ask for it."""
        if not work.switch.episodes:
            return
        owners: Owners = {}
        self._sessions(work, owners)
        sections = StoreSections.model_validate(settings_of(work.store))
        if sections.maintenance.enabled:
            for owner in owners:
                if sections.lessons.enabled and owner is not None:
                    _learn_across(work, owner, sections.lessons.min_episodes)
                if sections.maintenance.reflection.enabled:
                    _look_back(work, owner)

    def _sessions(self, work: Work, owners: Owners) -> None:
        model = _model(work, work.switch.model or work.models.default)
        if model is None:
            return
        place = (work.tenant, work.store.id)
        at = max(self._marks.get(place, (0, 0)), (work.switch.since - 1, 0))
        until = work.clock.now() - work.switch.quiet_minutes * _MINUTE
        looked, failed = 0, False
        while looked < _MOST:
            with work.storage.snapshot() as snapshot:
                name = work.store.name or work.store.id
                rows = snapshot.threads_quiet(work.tenant, name, at, until, _PAGE)
            for row in rows:
                looked += 1
                # What failed is looked at again the next time; others are not kept waiting.
                failed = not self._of_thread(work, row, model, owners) or failed
                at = (row.spoken_at, row.no)
                if not failed:
                    self._marks[place] = at
            if len(rows) < _PAGE:
                return

    def _of_thread(
        self, work: Work, row: ThreadRow, model: LanguageModel, owners: Owners
    ) -> bool:  # fmt: skip
        """Write the records of a thread's sessions; gives whether that came to its end."""
        now = work.clock.now()
        with work.storage.snapshot() as snapshot:
            if not is_chosen(snapshot, row, work.orders, now):
                return True
            id = reading_id(work.store.id, thread_digest(row.person, row.id, row.created_at))
            kept = ReadingOf.of_row(snapshot.resource(work.tenant, "reading", id))
        if work.orders.keys and not work.orders.keys & set(kept.keys):
            return True
        owner = row.person or None
        try:
            while True:
                done = episode_of(
                    work.memory, row.id, person=owner, model=model, metered=work.metered,
                    account=Account(work.tenant, work.store.id, "episodes"),
                    since=work.switch.since, now=now,
                    quiet=work.switch.quiet_minutes * _MINUTE, lessons=work.switch.lessons,
                    instructions=work.switch.instructions or "",
                    hiding=None if kept.hide is None else Hiding(kept.hide),
                )  # fmt: skip
                if done.status in {"done", "partial"}:
                    owners[owner] = None
                if done.status == "parked":
                    return False
                if not done.more:
                    return True
        except NotFound:
            return True  # the thread is gone
        except (ModelFailed, HidingFailed) as error:
            _log.warning("no episode of a thread: %s", _code(error))
            return False


def _learn_across(work: Work, person: str, least: int) -> None:
    with work.storage.snapshot() as snapshot:
        subject = snapshot.ledger(work.tenant, subject_of=person).subject
    try:
        lessons_across(
            work.memory, person=person, allowed=_allows(work, person), model=_helper(work),
            metered=work.metered, account=Account(work.tenant, work.store.id, "lessons"),
            min_episodes=least, names=() if subject is None else (subject,),
        )  # fmt: skip
    except (ModelFailed, HidingFailed) as error:
        _log.warning("no lessons across sessions: %s", _code(error))


def _look_back(work: Work, owner: str | None) -> None:
    try:
        reflect(
            work.memory, person=owner, allowed=owner is None or _allows(work, owner),
            model=_helper(work), metered=work.metered,
            account=Account(work.tenant, work.store.id, "reflection"), hiding=Hiding(),
        )  # fmt: skip
    except (ModelFailed, HidingFailed) as error:
        _log.warning("no reflection: %s", _code(error))


def _allows(work: Work, person: str) -> bool:
    """Whether anything of a person may be sent to the helper model."""
    with work.storage.snapshot() as snapshot:
        row = snapshot.resource(work.tenant, "person", person)
    return row is None or (
        PersonDocument.model_validate_json(row.document).helper_model == "allow"
    )  # fmt: skip


def _helper(work: Work) -> LanguageModel | None:
    return _model(work, work.settings.helper_model or work.models.helper)


def _model(work: Work, name: str) -> LanguageModel | None:
    """Give a model that the tenant is offered, None where this process cannot reach it."""
    if not name or not work.settings.offers(name):
        return None
    try:
        return work.models.get(name)
    except (InvalidInput, ModelUnavailable) as error:
        _log.warning("nothing grows by %s: %s", name, error.code)
        return None


def _code(error: Exception) -> str:
    return error.code if isinstance(error, ModelFailed) else "hiding_failed"
