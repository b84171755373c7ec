"""Statements of a shadow table that mean other rows on the real one: they saw the rows that the shadow had then.

The shadow is empty when a tool alters it.  DROP PARTITION takes no row from it, and rows copied later come into the
next partition; on the real table the same words delete rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pkg.schema.alter import PartitionChange
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl
from pkg.schema.table import Table

_EMPTY = frozenset({"DROP", "TRUNCATE"})
_FOREIGN = frozenset({"EXCHANGE", "IMPORT", "DISCARD", "CONVERT TABLE", "CONVERT PARTITION"})


@dataclass(frozen=True, slots=True)
class LostRows:
    """A statement, and the partitions whose rows it would cost the target; () for any row of the table."""

    sql: str
    partitions: tuple[str, ...] = ()
    reason: str = ""

    @property
    def rows(self) -> str:
        """Behind the table's name in a query."""
        return f" PARTITION ({', '.join(map(quote_name, self.partitions))})" if self.partitions else ""


def lost_rows(ddls: Sequence[Ddl], before: Table, there: Table) -> Iterator[LostRows]:
    """What is to be asked of the target's table ``there``; ``before``: the real one upstream, before the DDL."""
    are_moved = False  # whether partitions have other rows by now than those that the target shows
    for ddl in ddls:
        for change in ddl.alterations:
            if not isinstance(change, PartitionChange):
                continue
            if change.action in _FOREIGN:
                yield LostRows(ddl.text, reason="it moves rows between tables, or whole files")
            elif change.action in _EMPTY:
                named = change.clause.named
                held = tuple(name for name in named if _is_in(name, there))
                is_done = bool(named) and not held and all(_is_in(name, before) for name in named)  # by an earlier run
                if are_moved or not named or (len(held) < len(named) and not is_done):
                    yield LostRows(ddl.text, reason="it deletes rows")
                elif held:
                    yield LostRows(ddl.text, held, "it deletes rows")
            are_moved = are_moved or change.action not in _EMPTY


def _is_in(partition: str, table: Table) -> bool:
    return any(small(one.name) == small(partition) for one in table.partitions)
