"""Which upstream tables lead to one target table, and so what a DDL of one of them may do there.  Pure.

A statement about one table changes the rows of all that are merged with it.  So it runs only where no other table's
rows are in the target, or where the same statement drops these, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pkg.rules.taken import exchanged
from pkg.schema.alter import RenameTo
from pkg.schema.statement import CREATIONS, Ddl, DdlKind, TableName

Route = Callable[[TableName], TableName]
_NO_TABLES: frozenset[TableName] = frozenset()


def nowhere(target: TableName) -> bool:
    """Of a task with one source: no other one leads to any target."""
    return False


@dataclass(frozen=True)
class DroppedDatabase:
    """What goes in the target with an upstream database."""

    tables: tuple[TableName, ...]  # upstream tables whose targets go by themselves, one for each target
    database: bool  # whether the target's database of its name goes with all that it holds
    emptied: bool  # else whether it goes when nothing is left in it
    merged: TableName | None = None  # a table whose target has rows of others, too


class Merged:
    """The upstream tables that a task has before a statement, by their tables in the target."""

    def __init__(
        self, tables: Iterable[TableName], route: Route, is_fed_elsewhere: Callable[[TableName], bool] = nowhere
    ) -> None:
        """``is_fed_elsewhere``: whether other sources lead to a target table, or (``table`` "") into a database.

        ``tables`` are looked at when they are needed.
        """
        self._given = tables
        self._route = route
        self._is_fed_elsewhere = is_fed_elsewhere

    @cached_property
    def _tables(self) -> frozenset[TableName]:
        return frozenset(self._given)

    @cached_property
    def _feeders(self) -> dict[TableName, list[TableName]]:
        found: dict[TableName, list[TableName]] = {}
        for name in sorted(self._tables, key=lambda one: (one.schema, one.table)):
            found.setdefault(self._route(name), []).append(name)
        return found

    def is_shared(self, name: TableName, gone: Collection[TableName] = _NO_TABLES) -> bool:
        """Whether a table's target has rows of others, those that are ``gone`` left out."""
        target = self._route(name)
        others = (one for one in self._feeders.get(target, ()) if one != name and one not in gone)
        return any(True for _ in others) or self._is_fed_elsewhere(target)

    def changes_nothing(self, piece: Ddl) -> bool:
        """Whether a statement about one table leaves the target as it is."""
        return self._never_was(piece) or self._stays(piece)

    def _never_was(self, piece: Ddl) -> bool:
        """Whether a shard is dropped IF EXISTS that is not there: the merged table has rows of others alone."""
        drops = piece.kind is DdlKind.DROP_TABLE and piece.if_exists
        return drops and piece.subject not in self._tables and self.is_shared(piece.subject)

    def changed_for_others(self, pieces: Sequence[Ddl]) -> TableName | None:
        """The first table that the pieces of a statement change in the target for other tables, too."""
        dropped = {one.subject for one in pieces if one.kind is DdlKind.DROP_TABLE}
        gone = dropped | {old for one in pieces for old, _ in one.renames}
        return next((name for piece in pieces for name in self._changed(piece, gone)), None)

    def _changed(self, piece: Ddl, gone: Collection[TableName]) -> Iterator[TableName]:
        if piece.kind in (*CREATIONS, DdlKind.CREATE_DATABASE, DdlKind.DROP_DATABASE) or self.changes_nothing(piece):
            return
        if piece.kind is DdlKind.ALTER_DATABASE:
            if self._is_joint_database(piece.subject):
                yield piece.subject
            return
        drops = piece.kind is DdlKind.DROP_TABLE
        if self.is_shared(piece.subject, gone if drops else _NO_TABLES):
            yield piece.subject
        yield from (new for _, new in piece.renames if self.is_shared(new, gone))
        yield from (other for other in exchanged(piece) if self.is_shared(other))

    def _stays(self, piece: Ddl) -> bool:
        """Whether a table gets another name upstream and keeps the one that it has in the target."""
        only_renames = all(isinstance(one, RenameTo) for one in piece.alterations)
        return (
            bool(piece.renames)
            and only_renames
            and all(self._route(old) == self._route(new) for old, new in piece.renames)
        )

    def _is_joint_database(self, name: TableName) -> bool:
        """Whether tables of several upstream databases are in the target's database of this one."""
        target = self._route(name)
        into = {
            one.schema for place, feeders in self._feeders.items() if place.schema == target.schema for one in feeders
        }
        return target != name and len(into) > 1

    def dropped_database(self, name: TableName, *, takes_all: bool) -> DroppedDatabase:
        """What a DROP DATABASE of ``name`` drops.  ``takes_all``: no rule leaves out any table of it.

        The target's database goes where it is that of this one alone; else the targets of its tables.
        """
        target = self._route(name)
        own = {one for one in self._tables if one.schema == name.schema}
        inside = (one for place, them in self._feeders.items() if place.schema == target.schema for one in them)
        is_alone = all(one in own for one in inside) and not self._is_fed_elsewhere(TableName(target.schema, ""))
        database = takes_all and is_alone and target == name
        targets = {self._route(one): one for one in sorted(own, key=lambda one: one.table)}
        left = tuple(one for place, one in targets.items() if not (database and place.schema == target.schema))
        merged = next((one for one in left if self.is_shared(one, own)), None)
        return DroppedDatabase(left, database, takes_all and is_alone and not database, merged)


def once_per_target(pieces: Iterable[Ddl], route: Route) -> Iterator[Ddl]:
    """The pieces of a statement, where tables are dropped that are merged with each other: one for all of them."""
    dropped: set[TableName] = set()
    for piece in pieces:
        if piece.kind is DdlKind.DROP_TABLE:
            target = route(piece.subject)
            if target in dropped:
                continue
            dropped.add(target)
        yield piece
