"""What of a shadow table's rows the DDL alone does not tell: rows that a unique key kept out, and renamed columns.

gh-ost and pt-online-schema-change copy rows by INSERT IGNORE, which leaves out a row that a unique key of the shadow
refuses at that moment, also where the values that were equal then are no longer so behind the copy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from pkg.schema.alter import ChangeColumn
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Index, Table

_MOST_VALUES = 2  # by which it is known that a column was filled
_SIZE_OF_TEXT = re.compile(r"^(?:tiny|medium|long)?(text|blob)(?:\(\d+\))?")
_SHOWN_WIDTH = re.compile(r"^((?:tiny|small|medium|big)?int|year)\(\d+\)")


@dataclass(slots=True)
class ShadowRows:
    """What the binlog says of a shadow table's rows; ``columns`` (ordinals) are those whose values are looked at."""

    columns: frozenset[int]
    count: int = 0
    values: dict[int, set[bytes | None]] = field(default_factory=dict)  # at most two of each column

    def see(self, kind: str, rows: Sequence[Sequence[bytes | None]]) -> None:
        """An event: ``insert``, ``update`` (images before and after in turns) or ``delete``."""
        self.count += {"insert": len(rows), "delete": -len(rows)}.get(kind, 0)
        written = {"insert": rows, "update": rows[1::2]}.get(kind, ())
        for column in self.columns:
            known = self.values.setdefault(column, set())
            if len(known) < _MOST_VALUES:
                known.update([row[column] for row in written][: 10 * _MOST_VALUES] if not known else ())
                known.update(next(([row[column]] for row in written if row[column] not in known), ()))

    @property
    def are_filled(self) -> bool:
        """Whether each column that is looked at has several values."""
        return all(len(self.values.get(column, ())) == _MOST_VALUES for column in self.columns)

    def emptied(self) -> None:
        self.count, self.values = 0, {}

    def one_value(self, column: int) -> bytes | None:
        """The value that all rows were written with; None where there are several, or no rows."""
        known = self.values.get(column, set())
        return next(iter(known)) if len(known) == 1 else None


def new_unique_keys(before: Table, after: Table, origins: Mapping[str, str]) -> list[Index]:
    """Unique keys that may refuse rows that the table ``before`` has.

    ``origins``: columns of ``after`` → those of ``before`` that their values are of, all in lower case.
    """
    known = [index for index in before.indexes if index.unique and not any(index.prefixes)]
    return [
        one
        for one in after.indexes
        if one.unique and not any(_holds(old, one, before, after, origins) for old in known)
    ]


def _holds(old: Index, new: Index, before: Table, after: Table, origins: Mapping[str, str]) -> bool:
    """Whether rows that differ in the key ``old`` differ in ``new``."""
    kept = {
        origins.get(name.lower(), ""): name
        for name, prefix in zip(new.columns, new.prefixes, strict=True)
        if not prefix
    }
    return all(
        (name := kept.get(part.lower())) is not None and _is_same(before.column(part), after.column(name))
        for part in old.columns
    )


def _is_same(old: Column | None, new: Column | None) -> bool:
    if old is None or new is None:
        return False
    return (_type(old), old.collation) == (_type(new), new.collation)


def _type(column: Column) -> str:
    """Without what a server says in another way than a statement: widths of numbers, the size of a TEXT(n)."""
    return _SIZE_OF_TEXT.sub(r"\1", _SHOWN_WIDTH.sub(r"\1", column.type))


def renamed_columns(ddls: Sequence[Ddl], after: Table) -> dict[str, str]:
    """Columns that got another name by CHANGE, new → old name: tools may be told to take them for new ones."""
    found: dict[str, str] = {}
    for ddl in ddls:
        changed = [one for one in ddl.alterations if isinstance(one, ChangeColumn)]
        for one in changed:
            old = found.pop(one.old, one.old)
            if old.lower() != one.column.name.lower():
                found[one.column.name] = old
    return {new: old for new, old in found.items() if after.column(new) is not None}


def difference(shadow: Table, altered: Table) -> str:
    """What a shadow table has that its statements do not give the table; "" for nothing."""
    for mine, other in zip_longest(shadow.columns, altered.columns):
        if mine is None or other is None or _said(mine) != _said(other):
            return f"{_shown(mine)} instead of {_shown(other)}"
    ours, theirs = set(_keys(shadow)), set(_keys(altered))
    if ours != theirs:
        more, fewer = sorted(ours - theirs), sorted(theirs - ours)
        return f"keys {more or 'none'} instead of {fewer or 'none'}"
    return ""


def _said(column: Column) -> tuple[object, ...]:
    return column.name.lower(), _type(column), column.nullable, column.collation, column.generated


def _shown(column: Column | None) -> str:
    if column is None:
        return "no column"
    collation = f" COLLATE {column.collation}" if column.collation else ""
    return f"`{column.name}` {column.type}{collation}{'' if column.nullable else ' NOT NULL'}"


def _keys(table: Table) -> Iterator[str]:
    """Keys by their columns, unique ones with lengths; a server shows expressions in other words than they had."""
    for index in table.indexes:
        kind = "PRIMARY" if index.primary else "UNIQUE" if index.unique else "KEY"
        parts = zip(index.columns, index.prefixes, strict=True)
        names = (
            "(…)" if name.startswith("(") else f"{name.lower()}{f'({size})' * bool(size and index.unique)}"
            for name, size in parts
        )
        yield f"{kind} ({', '.join(names)})"
