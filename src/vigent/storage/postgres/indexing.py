"""Passages and vectors in a PostgreSQL database.

Many write at once here: a passage with a lower number may come to be seen after one with a higher
number. Each bears the transaction that wrote it, and readers look at those of transactions that
had not ended when they looked before once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import orjson

from vigent.domain.passages import PassageRow
from vigent.ports.index import Have, News
from vigent.storage.sql.indexing import IndexView
from vigent.storage.sql.rows import Row, Rows

__all__ = ["PgIndexView"]

_PAGE: Final = 64
"""How many transactions that made passages are looked at together."""


class PgIndexView(IndexView):
    """What a snapshot sees of the index."""

    def news(self, tenant: str, scopes: Sequence[Have]) -> tuple[int, list[News]]:
        """Say what is new in some scopes, and which is the oldest transaction still under way.

        All of it is one trip to the server.
        """
        horizon = self._run(self._q["horizon"], ())
        answers: list[tuple[Rows, Rows]] = []
        for one in scopes:
            after = max(0, one.last - 1)
            generation = self._run(self._q["index_generation"], (tenant, one.scope))
            if one.horizon:
                asked = (tenant, one.scope, after, one.horizon)
                answers.append((generation, self._run(self._q["passages_new"], asked)))
            else:  # nothing is late at a first read
                asked = (tenant, one.scope, after)
                answers.append((generation, self._run(self._q["passages_of_scope"], asked)))
        found: list[News] = []
        for generation, passages in answers:
            number = generation.fetchone()
            rows = [PassageRow._make(row) for row in passages.fetchall()]
            found.append(News(0 if number is None else number[0], rows))
        return horizon.fetchall()[0][0], found

    def passages_unembedded(self, model: int, after: int, limit: int) -> list[PassageRow]:
        """Give passages of every tenant without a vector by a model, from a number on, rising.

        Whose they are is read off the transactions that made some; what those made, each tenant
        is asked for. None that is left out has a lower number than the last one given.
        """
        found: dict[int, PassageRow] = {}
        made = self._run(self._q["passages_late"], (model, after)).fetchall()
        more = True
        while more and len(found) < limit:
            page = self._run(self._q["passages_made"], (after, _PAGE)).fetchall()
            self._take_unembedded([*made, *page], model, limit, found)
            more, made = len(page) == _PAGE, []
            after = page[-1][0] if page else after
        return [found[no] for no in sorted(found)[:limit]]

    def _take_unembedded(
        self, made: Sequence[Row], model: int, limit: int, found: dict[int, PassageRow]
    ) -> None:
        whose: dict[str, list[int]] = {}
        for _, tenant, transaction in made:
            whose.setdefault(tenant, []).append(transaction)
        answers = [
            self._run(
                self._q["passages_unembedded"],
                (tenant, orjson.dumps(transactions).decode(), model, limit),
            )
            for tenant, transactions in whose.items()
        ]
        for answer in answers:  # all were sent before the first is waited for
            for row in answer.fetchall():
                found[row[0]] = PassageRow._make(row)
