"""A key that comes over a column whose collation in the target tells apart less than the upstream's.

The column gets the collation for keys before the statement runs, on both sides of a foreign key.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.shrinking import KEY_IS_THERE, NO_SUCH_KEY
from pkg.crashpoints import crashpoint
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.schema.charset import Charset
from pkg.schema.errors import shortened
from pkg.schema.indexes import ForeignKeySpec
from pkg.schema.key_collation import (
    Recollation,
    changed_columns,
    changes_keys,
    for_key,
    for_reference,
    lost_keys,
    new_references,
    obstacle,
    present_columns,
    recollation,
    unique_columns,
    with_old_names,
)
from pkg.schema.letter_case import small
from pkg.schema.mapping import joins
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import Column, Table

JOINING_KEY = ErrorKind(
    36123,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a unique key comes over the column {column} of {target}, whose collation {there} may hold two rows equal that "
    "{collation} upstream holds different: one would be lost; the target cannot change it ({reason}); the statement at "
    "{place}: {sql}",
    workaround="take away there what the reason names, change the column by `{way_out}`, and make what you took away "
    "again; then resume-task",
)
UNLIKE_PARENT = ErrorKind(
    36191,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a foreign key comes over the column {column} of {target}, which has the collation {there} and needs another one, "
    "that of keys for {collation} upstream; the target cannot change it ({reason}); the statement at {place}: {sql}",
    workaround="take away there what the reason names, change the column by `{way_out}`, and make what you took away "
    "again; then resume-task",
)
Run = Callable[[str, frozenset[int]], None]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tables:
    """How the tables of foreign keys are found."""

    routed: Callable[[TableName], TableName]
    above: Callable[[TableName], Table | None]
    is_ours: Callable[[TableName], bool]


@dataclass(frozen=True, slots=True)
class Change:
    """What one table needs; ``refused`` is the error where the target refuses it."""

    told: str
    statements: Recollation
    refused: Callable[[DMError], DMError]


@dataclass(frozen=True, slots=True)
class _Wanted:
    chosen: Charset | None
    above: Column
    kind: ErrorKind


@dataclass(slots=True)
class _OfTable:
    """What one of the target's tables needs; columns in lower case."""

    present: Table
    above: Table | None
    columns: dict[str, _Wanted] = field(default_factory=dict)
    in_keys: set[str] = field(default_factory=set)  # columns that the statement's keys are over


class KeyCollations:
    """The columns of one statement's new keys that need another collation in the target."""

    def __init__(
        self,
        downstream: Downstream,
        piece: Ddl,
        known: tuple[Table | None, Table | None],
        target: TableName,
        tables: Tables,
        place: str,
    ) -> None:
        """``known``: the upstream's table before and after the whole statement, as far as they are tracked."""
        self._downstream, self._piece, self._target, self._place = downstream, piece, target, place
        self._flavor = downstream.server.flavor
        self._before, after = known
        self._found: dict[TableName, _OfTable] = {}
        if after is not None:
            self._find(after, tables)

    def _find(self, after: Table, tables: Tables) -> None:
        references = new_references(self._piece, self._before, after)
        names = unique_columns(self._piece, self._before, after)
        present = None
        if self._piece.create is None and (references or names or self._may_change(after)):
            present = self._downstream.table(self._target.schema, self._target.table)
        if present is not None:
            own = self._found[self._target] = _OfTable(present, with_old_names(self._piece, after))
            if self._may_change(after):
                names |= changed_columns(self._piece, self._before, after, present)
            self._find_unique(own, after, names)
        for spec in references:
            self._find_reference(spec, present, after, tables)

    def _may_change(self, after: Table) -> bool:
        return self._flavor == "tidb" and changes_keys(self._piece, self._before, after)

    def _find_unique(self, own: _OfTable, after: Table, names: Mapping[str, str]) -> None:
        for old, new in names.items():
            above, below = after.column(new), own.present.column(old)
            if above is None or below is None:
                continue
            own.in_keys.add(old)
            if joins(above, below, self._flavor):
                chosen = for_key(above, below, self._downstream.collations, self._flavor)
                own.columns[old] = _Wanted(chosen, above, JOINING_KEY)

    def _find_reference(self, spec: ForeignKeySpec, present: Table | None, after: Table, tables: Tables) -> None:
        subject = self._piece.subject
        name = TableName(spec.ref_schema or subject.schema, spec.ref_table)
        parent = self._parent(name, tables)
        if parent is None:
            return
        primary = parent.present.index("PRIMARY")
        above_columns = spec.ref_columns or (list(primary.columns) if primary is not None else [])
        children = present_columns(self._piece, self._before, present, spec.columns)
        for column, child, above_name in zip(spec.columns, children, above_columns, strict=False):
            above, below = after.column(column), parent.present.column(above_name)
            if above is None or below is None:
                continue
            collations = self._downstream.collations
            for_child, for_parent = for_reference(above, child, below, collations, self._flavor)
            parent.in_keys.add(small(below.name))
            if for_parent is not None and tables.is_ours(name):
                parent.columns.setdefault(small(below.name), _Wanted(for_parent, above, UNLIKE_PARENT))
            if child is not None:
                own = self._found[self._target]
                own.in_keys.add(small(child.name))
                if for_child is not None:
                    own.columns.setdefault(small(child.name), _Wanted(for_child, above, UNLIKE_PARENT))

    def _parent(self, name: TableName, tables: Tables) -> _OfTable | None:
        target = tables.routed(name)
        if target not in self._found and target != self._target:
            present = self._downstream.table(target.schema, target.table)
            if present is None:
                return None
            self._found[target] = _OfTable(present, tables.above(name))
        return self._found.get(target)

    def changes(self, *, repeated: bool) -> list[Change]:
        """``repeated``: an earlier run may have begun it.  Raises DMError for what the target cannot change."""
        return [
            change for target, one in self._found.items() if (change := self._change(target, one, repeated=repeated))
        ]

    def _change(self, target: TableName, one: _OfTable, *, repeated: bool) -> Change | None:
        lost = []
        if repeated and self._flavor == "tidb" and one.above is not None:
            lost = lost_keys(one.above, one.present, one.in_keys, self._piece)
        if not (one.columns or lost):
            return None
        shown = self._downstream.shown_table(target)
        chosen = {name: wanted.chosen for name, wanted in one.columns.items() if wanted.chosen is not None}
        statements = recollation(target.quoted(), shown, chosen, lost, self._flavor)
        refused = partial(self._refused, target, one, statements)
        for name, wanted in one.columns.items():
            reason = obstacle(one.present, name, one.above, self._flavor)
            if wanted.chosen is None:
                reason = "no collation of its character set there tells apart as much"
            if reason:
                raise refused(name, reason)
        told = ", ".join(f"{name} of {target.quoted()} gets {charset.collation}" for name, charset in chosen.items())
        return Change(told, statements, lambda cause: refused(next(iter(chosen)), "it refuses the statement", cause))

    def _refused(
        self, target: TableName, one: _OfTable, statements: Recollation, name: str, reason: str,
        cause: DMError | None = None,
    ) -> DMError:  # fmt: skip
        below, wanted = one.present.column(name), one.columns[name]
        assert below is not None, "it is one of the table's"
        return wanted.kind.error(
            column=below.name,
            target=f"{target.schema}.{target.table}",
            there=below.collation,
            collation=wanted.above.collation,
            reason=reason,
            place=self._place,
            sql=shortened(self._piece.text, 400),
            way_out=statements.modify,
            cause=cause,
        )


def recollate(change: Change, run: Run) -> DMError | None:
    """Give a table's columns their collations; the error where the target refuses it, and all is as it was.

    Keys that are dropped for it come again.  Raises DMError where they may lack: the next run makes them.
    """
    statements, failed = change.statements, None
    if change.told:
        log.warning("%s, that of keys, since a key comes over it: case and accents may count in it now", change.told)
    try:
        for drop in statements.drops:
            run(drop, frozenset({NO_SUCH_KEY}))
        crashpoint("keys.dropped")
        if statements.modify:
            run(statements.modify, frozenset())
    except DMError as exc:
        if exc.resumable:
            raise
        failed = change.refused(exc)
    crashpoint("keys.changed")
    for add in statements.adds:
        run(add, frozenset({KEY_IS_THERE}))
    crashpoint("keys.made")
    return failed
