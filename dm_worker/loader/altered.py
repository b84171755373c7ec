"""DDL upstream while tables are copied without a lock: what a chunk that cannot be read any more means.

Replication brings every such DDL again, at its place.  So a table that is gone needs no more copying: its DROP
comes; and a column that is gone is left out, until its DROP comes.  What may be a new name is another thing: rows
under that name would be missing, so a column is left out only where no other one has come, and a table that is
gone is noted (``CHUNK_GONE``), for replication to stop at a RENAME of it.  Whatever else has changed, the table
starts again alone, as it is now (start_table_again.py).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Final, TypeAlias

from dm_worker.dumper.chunks import best_key
from dm_worker.dumper.copied_form import COLUMNS_GONE, copied_form
from dm_worker.loader.meta import LoadMeta
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.mysql.errors import errno_of
from pkg.adapters.structures import structure_of
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.letter_case import small
from pkg.schema.lexer import names_in
from pkg.schema.reflection import shape
from pkg.schema.table import Index, Table, key_words

ERRORS_OF_DDL: Final = frozenset({1054, 1146, 1176, 1412})  # no such column, table, index; "definition has changed"
_MOST_PASSING: Final = 20  # DDLs of one table that were undone before anybody looked
log = logging.getLogger(__name__)

TABLE_ALTERED = ErrorKind(
    34023,
    "load-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{table} was altered while it is copied, and the rest cannot be copied as it is now ({differences}): {text}",
    workaround="undo the change upstream until the copy is over, then resume-task; or copy anew: stop-task, empty the "
    "task's tables downstream, start-task --remove-meta. A table that this task has created downstream, and that no "
    "other one is merged with, starts again by itself",
)


class Verdict(Enum):
    AS_PLANNED = auto()  # no DDL is to blame
    GONE = auto()
    WITHOUT_COLUMNS = auto()
    ALTERED = auto()


def judged(planned: Table, now: Table | None) -> Verdict:
    """What became of a table that was ``planned``."""
    if now is None:
        return Verdict.GONE
    found = differences(planned, now)
    if not found:
        return Verdict.AS_PLANNED
    return Verdict.WITHOUT_COLUMNS if list(found) == [COLUMNS_GONE] else Verdict.ALTERED


def differences(planned: Table, now: Table) -> dict[str, list[str]]:
    """What happened to which columns, and to the key by which chunks are read."""
    return dict(_differences(planned, now))


def _differences(planned: Table, now: Table) -> Iterator[tuple[str, list[str]]]:
    both = [(column, now.column(column.name)) for column in planned.columns]
    key = best_key(planned)
    before, after = (table.index(key.index) if key is not None else None for table in (planned, now))
    for what, names in (
        (COLUMNS_GONE, [one.name for one, other in both if other is None]),
        ("new columns", [column.name for column in now.columns if planned.column(column.name) is None]),
        ("changed columns", [one.name for one, other in both if other is not None and shape(one) != shape(other)]),
        ("another key", [key.index] if key is not None and _parts(before) != _parts(after) else []),
    ):
        if names:
            yield what, names
    for what, names in copied_form(planned, key).differences(now):
        if what != COLUMNS_GONE:
            yield what, names


def may_have_others_values(planned: Table, now: Table) -> bool:
    """Whether a column of ``now`` may be another one of ``planned`` that has got its name, by types and order."""
    ways = [1] + [0] * len(now.columns)  # in which the first columns of now are some of those of planned, in order
    for column in planned.columns:
        for place in range(len(now.columns), 0, -1):
            if replace(column, name="") == replace(now.columns[place - 1], name=""):
                ways[place] += ways[place - 1]
    return ways[-1] > 1


def without_default(planned: Table, now: Table) -> list[str]:
    """Columns that are gone, and that no row of the target's table can be without."""
    gone = (column for column in planned.columns if now.column(column.name) is None)
    return [one.name for one in gone if one.default is None and not one.generated and not one.auto_increment]


def colliding(planned: Table, now: Table) -> list[str]:
    """Columns that are gone whose defaults would make rows of the target's table equal in a unique key."""
    gone = {small(one.name): one for one in planned.columns if now.column(one.name) is None}
    known = {small(one.name): one for one in planned.columns}
    found = []
    for index in planned.indexes:
        names = {small(word) for part in index.columns for word in key_words(part)} if index.unique else set()
        of_keys = [gone[name] for name in sorted(names & gone.keys()) if not known[name].generated]
        computed = [known[name] for name in names & known.keys() if known[name].generated]
        words = {word for one in computed for word in names_in(one.expression)}
        found += [one.name for one in of_keys if one.default != "NULL" or _is_expression(index)]
        found += [gone[name].name for name in sorted(words & gone.keys())]
    return list(dict.fromkeys(found))


def _is_expression(index: Index) -> bool:
    return any(part.startswith("(") for part in index.columns)


def _parts(index: Index | None) -> object:
    return None if index is None else (index.columns, index.prefixes, index.hidden)


StartAgain: TypeAlias = Callable[[str], str]


def _never(differences: str) -> str:
    return "nobody can"


@dataclass(slots=True)
class Altered:
    """What one run has learned of alterations."""

    _present: dict[tuple[str, str], Table] = field(default_factory=dict)
    _passing: Counter[tuple[str, str]] = field(default_factory=Counter)

    def readable(self, planned: Table) -> Table:
        """The structure with the columns that chunks can still read."""
        return self._present.get((planned.schema, planned.name), planned)

    def is_narrowed(self, name: tuple[str, str]) -> bool:
        """Whether columns of the table are left out."""
        return name in self._present

    def settle(
        self, planned: Table, error: DMError, upstream: Connection, meta: LoadMeta, start_again: StartAgain = _never
    ) -> bool:
        """Whether the copy can go on with what is left, after ``error`` of a chunk.  Raises TABLE_ALTERED.

        ``start_again`` is called with what has changed, and gives the reason where the table cannot be copied anew.
        """
        name = planned.schema, planned.name
        now = structure_of(upstream, *name)
        verdict = judged(self.readable(planned), now)
        if verdict is Verdict.AS_PLANNED:
            return self._has_passed(name, error)
        if now is None:
            log.warning("table %s.%s is gone upstream: the rest is not copied, its DROP is replicated", *name)
            meta.mark_gone(*name)
            return True
        text = "; ".join(f"{what}: {', '.join(names)}" for what, names in differences(planned, now).items())
        if error.is_a(TABLE_ALTERED) or verdict is Verdict.ALTERED:
            reason = start_again(text)
            if reason:
                why = f"{error.fields.get('text') or error.message}; it is not copied anew: {reason}"
                raise TABLE_ALTERED.error(table=".".join(name), differences=text, text=why, cause=error)
            self._present.pop(name, None)
            return True
        # Of a table without a key nothing is copied yet, and its changes up to its copy do not come again.
        equal = colliding(planned, now)
        is_better_anew = not planned.identity_key or may_have_others_values(self.readable(planned), now)
        if equal or is_better_anew or without_default(planned, now):
            reason = start_again(text)
            if not reason:
                self._present.pop(name, None)
                return True
            if equal:
                why = f"rows without {', '.join(equal)} would replace each other in a unique key of the target"
                raise TABLE_ALTERED.error(
                    table=".".join(name), differences=text, text=f"{why}; it is not copied anew: {reason}", cause=error
                )
        log.warning("table %s.%s has lost columns upstream (%s): the rest is copied without them", *name, text)
        self._present[name] = replace(
            planned, columns=tuple(column for column in planned.columns if now.column(column.name) is not None)
        )
        return True

    def _has_passed(self, name: tuple[str, str], error: DMError) -> bool:
        """Whether ``error`` tells of a DDL that another one has undone: a table dropped and made again, say."""
        if errno_of(error) not in ERRORS_OF_DDL and not error.is_a(TABLE_ALTERED):
            return False
        self._passing[name] += 1
        log.warning("table %s.%s is again as it was planned: the copy goes on, after %s", *name, error.message)
        return self._passing[name] <= _MOST_PASSING
