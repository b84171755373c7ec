"""SHOW CREATE TABLE with the characters of four bytes that a server shows as `?`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import UNKNOWN_DATABASE, UNKNOWN_TABLE, errno_of
from pkg.errors import DMError
from pkg.schema.hidden_characters import Doubt, doubts, questions, with_doubts, with_true_texts
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table

log = logging.getLogger(__name__)

_TIMES = 3  # that a table is read which is altered between its text and the answers
_FIRST_OF_CLIENT, _LAST_OF_CLIENT = 2000, 2999  # numbers of errors that no server says


@dataclass(frozen=True, slots=True)
class ShownTable:
    """What a server shows of a table, and what may truly be another text."""

    text: str
    labels: frozenset[str] = frozenset()  # columns with labels in doubt
    defaults: frozenset[str] = frozenset()  # columns whose default is in doubt

    @property
    def doubtful(self) -> tuple[str, ...]:
        """The columns of both."""
        return tuple(sorted(self.labels | self.defaults))

    def parsed(self, schema: str) -> Table:
        """The structure.  Raises UNREADABLE_TABLE."""
        return with_doubts(parse_create_table(self.text, schema), self.labels)


def shown_truly(connection: Connection, flavor: str, table: str, show: Callable[[], str]) -> ShownTable:
    """What ``show`` shows of ``table`` (quoted), with the true texts as far as the server tells them."""
    shown = show()
    for _ in range(_TIMES):
        found = doubts(shown, flavor)
        if not found:
            return ShownTable(shown)
        answers, why_not = _asked(connection, flavor, found, table)
        if all(text is None or one.may_be(text) for one, text in answers.items()):
            break
        shown = show()
    else:
        answers, why_not = {}, "it is altered again and again"
    in_doubt = [one for one in found if answers.get(one) is None]
    if in_doubt:
        _warn(table, ", ".join(dict.fromkeys(one.column for one in in_doubt)), why_not or "it does not say")
    return ShownTable(
        with_true_texts(shown, found, {one.start: text for one, text in answers.items()}),
        frozenset(one.column for one in in_doubt if one.place),
        frozenset(one.column for one in in_doubt if not one.place),
    )


def _asked(connection: Connection, flavor: str, found: list[Doubt], table: str) -> tuple[dict[Doubt, str | None], str]:
    answers: dict[Doubt, str | None] = {}
    why_not = ""
    for asked, sql in questions(found, table, flavor):
        try:
            with connection.cursor() as cursor:
                cursor.execute(sql)
                row = cursor.fetchone()
        except DMError as exc:
            number = errno_of(exc)
            is_gone = UNKNOWN_TABLE.matches(exc) or UNKNOWN_DATABASE.matches(exc)
            if exc.resumable or is_gone or number is None or _FIRST_OF_CLIENT <= number <= _LAST_OF_CLIENT:
                raise
            why_not = exc.message  # no SELECT on the table, or a server without recursive CTEs
            continue
        assert row is not None, "one row, whatever the table has"
        for one, digits in zip(asked, row, strict=True):
            answers[one] = None if digits is None else bytes.fromhex(digits).decode()
    return answers, why_not


@lru_cache(maxsize=1000)
def _warn(table: str, columns: str, why_not: str) -> None:
    """Once of each table: copies look at it with each chunk."""
    log.warning(
        "the upstream or target shows ? in labels or defaults of %s, which may stand for characters of four bytes, and "
        "does not tell which (columns %s): %s",
        table, columns, why_not,
    )  # fmt: skip
