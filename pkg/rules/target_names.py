"""Names that a target takes for one: TiDB and servers with ``lower_case_table_names`` 1 or 2 do not tell them by case.

An upstream that does may have ``T`` beside ``t``.  Their rows would come together in the target, and what is done to
one would be done to both.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator

from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rules.router import Target
from pkg.schema.alter import RenameTo
from pkg.schema.letter_case import small
from pkg.schema.statement import Ddl, DdlKind, TableName
from pkg.schema.table import Table

COLLIDING_NAMES = ErrorKind(
    36125,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "{first} and {second} of the upstream lead to {target}: the target does not tell names by upper and lower case",
    workaround="give one of them another name downstream by a route (with `case-sensitive: true` in the task file), or "
    "leave one out by the block-allow-list",
)
Route = Callable[[TableName], TableName]
log = logging.getLogger(__name__)


def check_copied(tables: Iterable[tuple[Table, Target]]) -> None:
    """Of tables that are copied, each with its name in the target.  Raises COLLIDING_NAMES."""
    places: dict[TableName, tuple[TableName, TableName]] = {}
    for table, to in tables:
        name, target = TableName(table.schema, table.name), TableName(to.schema, to.table)
        other, its_target = places.setdefault(_place(target), (name, target))
        if its_target != target:
            raise _collision(other, name, target)


class TargetNames:
    """The upstream's tables, and databases (``table`` is ""), by their names in the target."""

    def __init__(
        self,
        route: Route,
        known: Iterable[TableName],
        present: Collection[TableName],
        is_known: Callable[[TableName], bool],
    ) -> None:
        """``known``: what the upstream has at the stream's place, as far as that is tracked; ``present``: it has now.

        ``is_known`` says of a name whether it is among the former.  One that has another name by now, which differs by
        case, stands for itself alone.  Raises COLLIDING_NAMES.
        """
        self._route = route
        self._is_known = is_known
        self._places: dict[TableName, dict[TableName, TableName]] = {}
        for name in known:
            self._join(name)
        later = [name for name in present if not any(one not in present for one in self._others(name))]
        for name in later:
            self._join(name)

    def passing(self, pieces: Iterable[Ddl]) -> tuple[Ddl, ...]:
        """The statements about one table each that mean in the target what they mean upstream.  Raises COLLIDING_NAMES.

        `DROP TABLE IF EXISTS T` and `RENAME TABLE IF EXISTS T` are logged also where the upstream has ``t`` alone.
        """
        return tuple(piece for piece in pieces if self._passes(piece))

    def _passes(self, piece: Ddl) -> bool:
        if piece.kind in (DdlKind.DROP_TABLE, DdlKind.DROP_DATABASE):
            return self._drops(piece.subject)
        if not piece.renames:
            self._join(piece.subject)
            return True
        if piece.if_exists and piece.kind is DdlKind.RENAME_TABLE and self._is_other(piece.renames[0][0]):
            return False
        for old, new in piece.renames:
            self._leave(old)
            self._join(new)
        only_renames = piece.kind is DdlKind.RENAME_TABLE or all(isinstance(one, RenameTo) for one in piece.alterations)
        return not (only_renames and all(self._differs_by_case(old, new) for old, new in piece.renames))

    def _differs_by_case(self, old: TableName, new: TableName) -> bool:
        """Whether the target takes two names for one that are not; tables that are merged have one name there."""
        return self._place(old) == self._place(new) and self._route(old) != self._route(new)

    def _drops(self, name: TableName) -> bool:
        other = next(self._others(name), None)
        if other is None:
            self._leave(name)
            return True
        if self._is_known(name) or not self._is_known(other):
            raise _collision(name, other, self._route(other))
        log.info("%s is not there upstream, and the target would drop %s: left out", name.quoted(), other.quoted())
        return False

    def _is_other(self, name: TableName) -> bool:
        """Whether the upstream has no such table, and the target would take another one for it."""
        other = next(self._others(name), None)
        if other is None or name in self._places.get(self._place(name), {}):
            return False
        log.info("%s is not there upstream, and the target would rename %s: left out", name.quoted(), other.quoted())
        return True

    def _join(self, name: TableName) -> None:
        other = next(self._others(name), None)
        if other is not None:
            raise _collision(other, name, self._route(name))
        self._places.setdefault(self._place(name), {})[name] = self._route(name)

    def _leave(self, name: TableName) -> None:
        self._places.get(self._place(name), {}).pop(name, None)

    def _others(self, name: TableName) -> Iterator[TableName]:
        """Upstream tables whose name in the target differs from this one's by case only."""
        target = self._route(name)
        there = self._places.get(self._place(name), {})
        return (one for one, its_target in there.items() if its_target != target)

    def _place(self, name: TableName) -> TableName:
        return _place(self._route(name))


def _place(target: TableName) -> TableName:
    return TableName(_folded(target.schema), _folded(target.table))


def _folded(name: str) -> str:
    """The same for names that any of the targets takes for one: TiDB knows more small letters than the others."""
    return small(name).lower()


def _collision(first: TableName, second: TableName, target: TableName) -> DMError:
    return COLLIDING_NAMES.error(first=first.quoted(), second=second.quoted(), target=target.quoted())
