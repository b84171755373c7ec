"""What of a shadow table's rows the DDL alone does not tell: rows that a unique key kept out, and renamed columns.

gh-ost and pt-online-schema-change copy rows by INSERT IGNORE, which leaves out a row that a unique key of the shadow
refuses at that moment, also where the values that were equal then are no longer so behind the copy.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import zip_longest
from typing import Any

from pkg.schema.alter import ChangeColumn, DropConstraint, DropForeignKey
from pkg.schema.column_types import INTEGER_TYPES
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.statement import Ddl, Edit
from pkg.schema.table import ACTS, Column, Index, Table
from pkg.schema.targets import is_constant

_MOST_VALUES = 2  # by which it is known that a column was filled
_MOST_BYTES = 200  # of a value that is remembered …
_LONG = b"#"  # … else this and its digest, which no literal begins with
_SIZE_OF_TEXT = re.compile(r"^(?:tiny|medium|long)?(text|blob)(?:\(\d+\))?", re.ASCII)
_SHOWN_WIDTH = re.compile(r"^((?:tiny|small|medium|big)?int|year)\(\d+\)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Looks:
    """(ordinal, name in lower case) of columns: integers that both tables have, and those that the shadow alone has."""

    sums: tuple[tuple[int, str], ...] = ()
    values: tuple[tuple[int, str], ...] = ()

    @classmethod
    def at(cls, shadow: Table | None, real: Table | None) -> Looks:
        """What to look at in the rows of ``shadow``; nothing where one of the tables is not known."""
        if shadow is None or real is None:
            return cls()
        sums, values = [], []
        for place, column in enumerate(shadow.columns):
            other = real.column(column.name)
            if column.generated:
                continue
            if other is None:
                values.append((place, small(column.name)))
            elif column.base_type in INTEGER_TYPES and not other.generated and _is_same(other, column):
                sums.append((place, small(column.name)))
        return cls(tuple(sums), tuple(values))


@dataclass(slots=True)
class ShadowRows:
    """What the binlog says of a shadow table's rows, columns by their names in lower case."""

    count: int = 0
    sums: dict[str, int] = field(default_factory=dict)
    values: dict[str, set[bytes]] = field(default_factory=dict)  # at most two of each column
    looks: Looks | None = None  # None: no row was seen
    is_blurred: bool = False  # the table was altered when it had rows: they are counted, and no more is known

    def see(self, kind: str, rows: Sequence[Sequence[bytes]], looks: Looks) -> None:
        """An event: ``insert``, ``update`` (images before and after in turns) or ``delete``."""
        if self.looks not in (None, looks):
            self.is_blurred, self.sums, self.values = True, {}, {}
        self.looks = looks
        written = {"insert": rows, "update": rows[1::2]}.get(kind, ())
        gone = {"delete": rows, "update": rows[::2]}.get(kind, ())
        self.count += len(written) - len(gone)
        if self.is_blurred:
            return
        for place, name in looks.sums:
            self.sums[name] = self.sums.get(name, 0) + _sum(written, place) - _sum(gone, place)
        for place, name in looks.values:
            known = self.values.setdefault(name, set())
            for row in written if len(known) < _MOST_VALUES else ():
                if row[place] not in known:
                    known.add(_kept(row[place]))

    def emptied(self) -> None:
        self.count, self.sums, self.values, self.looks, self.is_blurred = 0, {}, {}, None, False

    def one_value(self, column: str) -> bytes | None:
        """The value that all rows were written with; None where there are several, or no rows, or it is long."""
        known = self.values.get(small(column), set())
        return next((one for one in known if not one.startswith(_LONG)), None) if len(known) == 1 else None

    def has_several(self, column: str) -> bool:
        return len(self.values.get(small(column), ())) > 1

    def to_document(self) -> dict[str, Any]:
        """As JSON; None for what is looked at: the structures tell it again."""
        values = {name: sorted(one.decode("latin1") for one in known) for name, known in self.values.items()}
        seen = self.looks is not None
        return {"count": self.count, "sums": self.sums, "values": values, "blurred": self.is_blurred, "seen": seen}

    @classmethod
    def of_document(cls, document: Mapping[str, Any], looks: Looks) -> ShadowRows:
        """``looks``: of the structures at that place."""
        values = {name: {one.encode("latin1") for one in known} for name, known in document["values"].items()}
        seen = looks if document["seen"] else None
        return cls(document["count"], dict(document["sums"]), values, seen, document["blurred"])


@dataclass(frozen=True, slots=True)
class Measured:
    """What a server's table has: its rows, and sums of some columns, by their names in lower case."""

    count: int
    sums: Mapping[str, int]


def other_rows(rows: ShadowRows, table: Measured) -> str:
    """What a table has otherwise than the shadow table; "" for nothing that is known."""
    if rows.count != table.count:
        return f"the shadow table has {rows.count} rows, and there are {table.count}"
    for name, total in table.sums.items():
        if rows.sums.get(name, 0) != total and rows.count:
            return f"the values of `{name}` add up to {rows.sums.get(name, 0)} in the shadow table, and to {total}"
    return ""


def filled_column(rows: ShadowRows, before: Table, shadow: Table, renamed: Iterable[str]) -> str | None:
    """A new column in which the shadow table's rows have other values than its default, written by somebody."""
    others = {small(name) for name in renamed}
    for column in shadow.columns:
        name = small(column.name)
        if name in others or before.column(name) is not None or column.auto_increment or column.on_update:
            continue
        if column.default is not None and not is_constant(column.default):
            continue
        value = rows.one_value(name)
        if rows.has_several(name) or (value is not None and _is_other(value, column)):
            return column.name
    return None


def _is_other(value: bytes, column: Column) -> bool:
    """Whether a value that all rows have is surely not the column's default."""
    is_null = column.default == "NULL"
    if is_null or value == b"NULL":
        return is_null != (value == b"NULL")
    if column.base_type not in INTEGER_TYPES:
        return False
    default = "0" if column.default is None else column.default.strip("'")
    return default.isdigit() and int(value) != int(default)


def _sum(rows: Sequence[Sequence[bytes]], place: int) -> int:
    return sum(int(row[place]) for row in rows if row[place] != b"NULL")


def _kept(value: bytes) -> bytes:
    """A value by which it is told from others; a long one as its digest."""
    return value if len(value) <= _MOST_BYTES else _LONG + sha256(value).hexdigest().encode()


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
        origins.get(small(name), ""): name for name, prefix in zip(new.columns, new.prefixes, strict=True) if not prefix
    }
    return all(
        (name := kept.get(small(part))) is not None and _is_same(before.column(part), after.column(name))
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
            if small(old) != small(one.column.name):
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
    keys, others = Counter(_references(shadow)), Counter(_references(altered))  # equal ones may be there twice
    if keys != others:
        more, fewer = sorted((keys - others).elements()), sorted((others - keys).elements())
        return f"foreign keys {more or 'none'} instead of {fewer or 'none'}"
    return ""


def foreign_names(created: Table, real: Table) -> dict[str, str]:
    """Foreign keys that the shadow table was created with, in lower case → the real one's of the same meaning."""
    left, names = list(zip(_references(real), real.foreign_keys, strict=True)), dict[str, str]()
    for meaning, key in zip(_references(created), created.foreign_keys, strict=True):
        found = next((one for one in left if one[0] == meaning), None)
        if found is not None:
            names[small(key.name)] = found[1].name
            left.remove(found)
    return names


def with_foreign_names(ddl: Ddl, names: Mapping[str, str], flavor: str) -> tuple[Ddl, dict[str, str]]:
    """A shadow table's statement with the real one's ``names`` of foreign keys that it drops; the names left.

    What MariaDB's DROP CONSTRAINT has dropped beside other clauses is not known: it stays as it is.
    """
    is_doubtful = flavor == "mariadb" and len(ddl.clauses) > 1
    edits, gone = list[Edit](), set[str]()
    for clause in ddl.clauses:
        match clause.alterations:
            case (DropForeignKey(name, if_exists),):
                kind = "FOREIGN KEY"
            case (DropConstraint(name, if_exists),) if not is_doubtful:
                kind = "CONSTRAINT"
            case _:
                continue
        if small(name) in names:
            gone.add(small(name))
            text = f"DROP {kind} {'IF EXISTS ' * if_exists}{quote_name(names[small(name)])}"
            edits.append((clause.clause.start, clause.clause.end, text))
    left = {name: real for name, real in names.items() if name not in gone}
    return (replace(ddl, edits=(*ddl.edits, *edits)) if edits else ddl), left


def _references(table: Table) -> Iterator[str]:
    """Foreign keys by what they mean; pt-online-schema-change gives them other names."""
    for key in table.foreign_keys:
        rules = [
            f" ON {on} {rule}" for on, rule in (("DELETE", key.on_delete), ("UPDATE", key.on_update)) if rule in ACTS
        ]
        is_own = (key.ref_schema or table.schema, key.ref_table) == (table.schema, table.name)
        parent = "itself" if is_own else f"{key.ref_schema or table.schema}.{key.ref_table}"
        yield small(f"({', '.join(key.columns)}) of {parent} ({', '.join(key.ref_columns)})") + "".join(rules)


def _said(column: Column) -> tuple[object, ...]:
    return small(column.name), _type(column), column.nullable, column.collation, column.generated


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
            "(…)" if name.startswith("(") else f"{small(name)}{f'({size})' * bool(size and index.unique)}"
            for name, size in parts
        )
        yield f"{kind} ({', '.join(names)})"
