"""Which rows a partition holds, and whether two servers agree on it.

Tried on MariaDB, MySQL 9.7 and TiDB 8.5 with each function and type: TiDB hashes keys by another function, drops the
word LINEAR, and keeps rows whose hashed value is NULL in its first partition.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from pkg.schema.alter import PartitionChange
from pkg.schema.charset import collation_rules
from pkg.schema.collation import is_no_pad
from pkg.schema.column_types import INTEGER_TYPES, TEXT_TYPES
from pkg.schema.fractions import TIMES
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token, quote_name, tokenize
from pkg.schema.partition_bounds import ValueOf, contradiction, unlike_partition
from pkg.schema.partition_list import Partition
from pkg.schema.statement import Ddl
from pkg.schema.table import PRIMARY, Column, Table

_TAKES_ROWS = frozenset({"DROP", "TRUNCATE", "EXCHANGE", "CONVERT PARTITION"})
_ALL = re.compile(r"\bPARTITION\s+ALL\b", re.ASCII | re.IGNORECASE)
_METHODS = frozenset({"HASH", "KEY", "RANGE", "LIST", "SYSTEM_TIME"})
# That say the same on all three servers of any date; DAYOFWEEK and the like do not of invalid ones.
_FUNCTIONS = frozenset(
    {"ABS", "CEILING", "DAY", "DAYOFMONTH", "DIV", "EXTRACT", "FLOOR", "HOUR", "MICROSECOND", "MINUTE", "MOD", "MONTH",
     "QUARTER", "SECOND", "TIME_TO_SEC", "TO_DAYS", "TO_SECONDS", "UNIX_TIMESTAMP", "YEAR"}
)  # fmt: skip
_HOURS = frozenset({"HOUR", "HOUR_MINUTE", "HOUR_SECOND", "HOUR_MICROSECOND"})  # units of EXTRACT
_COUNTED = frozenset({"TO_DAYS", "TO_SECONDS"})
_OF_ONE_ORDER = (INTEGER_TYPES, TEXT_TYPES)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SAME = {"MOD": "%", "DAYOFMONTH": "day", "CEIL": "ceiling"}  # words that servers write for one another


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why partitions hold other rows in the target.

    ``where``: the condition of the rows in question, "" for any row.
    """

    reason: str
    where: str = ""


def takes_rows(ddl: Ddl) -> bool:
    """Whether an ALTER TABLE deletes or gives away the rows of some partitions that it names."""
    return taking_rows(ddl) is not None


def taking_rows(ddl: Ddl) -> PartitionChange | None:
    """The clause that does."""
    found = (
        one
        for clause in ddl.clauses
        for one in clause.alterations
        if isinstance(one, PartitionChange) and one.action in _TAKES_ROWS and not _names_all(ddl, clause.clause.start)
    )
    return next(found, None)


def _names_all(ddl: Ddl, start: int) -> bool:
    return _ALL.search(ddl.text, start) is not None


def partition_doubts(upstream: Table, present: Table, flavors: tuple[str, str]) -> Iterator[Doubt]:
    """``upstream`` and ``present`` are the table on both ends, ``flavors`` those of the servers, in this order."""
    known = upstream.partitioning or present.partitioning
    method = _Method(known, upstream)
    to_tidb = flavors[1] == "tidb" != flavors[0]
    if to_tidb and not upstream.partitioning and method.kind in ("HASH", "KEY"):
        yield Doubt("whether it is partitioned by LINEAR HASH upstream, which TiDB does not have, is not known")
    if to_tidb and (method.kind == "KEY" or method.is_linear):
        yield Doubt(f"TiDB spreads the rows of {known} in another way")
    if flavors[0] != flavors[1]:
        yield from method.differs(flavors)
    for column in method.columns:
        there = present.column(column.name)
        if there is not None and not _are_divided_alike(method.kind, column.base_type, there.base_type):
            yield Doubt(f"the column {column.name}, {column.base_type} upstream, is {there.base_type} there")
        elif column.base_type in TEXT_TYPES and (there is None or not _compare_alike(column, there)):
            yield Doubt(f"the column {column.name} is compared otherwise there: its collation is not the upstream's")
    if to_tidb:
        yield from method.in_tidb()
        yield from _of_control_characters(method, upstream.partitions or present.partitions)


def hashed_moments(table: Table) -> frozenset[str]:
    """Columns with a time of day, in small letters, whose stored bytes say which partition has a row."""
    method = _Method(table.partitioning, table)
    return frozenset(small(one.name) for one in method.columns if method.kind == "KEY" and one.base_type in TIMES)


def are_spread_alike(upstream: Table, present: Table) -> bool:
    """Whether two servers of one kind have the same rows in each partition, and the partitions in the same order."""
    if "SUBPARTITION" in f"{upstream.partitioning} {present.partitioning}".upper():
        return False
    ours, theirs = _Method(upstream.partitioning, upstream), _Method(present.partitioning, present)
    bounds = [[(small(part.name), part.values) for part in table.partitions] for table in (upstream, present)]
    return ours.signs() == theirs.signs() and bounds[0] == bounds[1]


def other_bounds(
    ddl: Ddl, upstream: Table, present: Table, mapped: Collection[str], value_of: ValueOf, *, is_later: bool
) -> Doubt | None:
    """Whether the partitions that a statement empties have other bounds in the target, as far as both are known.

    ``upstream``: before the statement; ``is_later``: some time behind it.  ``mapped``: columns, in small letters, whose
    values are other ones in the target.
    """
    taking = taking_rows(ddl)
    ours, theirs = _Method(upstream.partitioning, upstream), _Method(present.partitioning, present)
    if taking is None or not (upstream.partitions and present.partitions) or ours.kind == "SYSTEM_TIME":
        return None
    if name := next((column.name for column in ours.columns if small(column.name) in mapped), ""):
        return Doubt(f"the column {name}, which decides about them, is mapped")
    if ours.signs() != theirs.signs():
        return Doubt(f"it is partitioned otherwise there: {present.partitioning}")
    known, there, named = upstream.partitions, present.partitions, taking.clause.named
    if is_later:
        names = {small(one.name) for one in known}
        if reason := contradiction(known, there, ours.kind, value_of):
            return Doubt(reason)
        named = tuple(name for name in named if small(name) in names)
    reason = unlike_partition(known, there, named, ours.kind, value_of)
    return Doubt(reason) if reason else None


def listed_texts(partitioning: str, table: Table) -> Iterator[Column]:
    """Text columns whose values LIST COLUMNS names, which rows equal by the column's collation."""
    method = _Method(partitioning, table)
    if method.kind == "LIST":
        yield from (column for column in method.columns if column.base_type in TEXT_TYPES)


def _of_control_characters(method: _Method, partitions: Iterable[Partition]) -> Iterator[Doubt]:
    """TiDB cuts blanks off; the others compare as if the shorter text went on in blanks, which are behind these."""
    texts = (one for one in method.columns if one.base_type in TEXT_TYPES)
    padded = [quote_name(one.name) for one in texts if not is_no_pad(one.collation or "")]
    if method.kind != "RANGE" or not padded:
        return
    reason = "TiDB puts a text that goes on in control characters behind the shorter one, and the upstream before it"
    is_bound = any(_CONTROL.search(value) for one in partitions for value in one.values)
    yield Doubt(reason, "" if is_bound else " OR ".join(f"{name} REGEXP '[[:cntrl:]]'" for name in padded))


def _are_divided_alike(method: str, base: str, other: str) -> bool:
    """Whether a method has the same partitions for values of both types; KEY hashes what is stored."""
    return base == other or (method != "KEY" and any({base, other} <= types for types in _OF_ONE_ORDER))


def _compare_alike(one: Column, other: Column) -> bool:
    return collation_rules(one.collation) == collation_rules(other.collation)


class _Method:
    """What stands behind PARTITION BY, up to the first closing parenthesis."""

    def __init__(self, text: str, table: Table) -> None:
        self._tokens = tokenize(text)
        keys = [token.key for token in self._tokens]
        self.kind = next((key for key in keys if key in _METHODS), "")
        self.is_linear = "LINEAR" in keys
        self._is_listed = self.kind == "KEY" or "COLUMNS" in keys
        opening = keys.index("(") if "(" in keys else len(keys) - 1
        self._inside = self._tokens[opening + 1 : -2]
        self.text = text[self._inside[0].start : self._inside[-1].end] if self._inside else ""
        self.columns = tuple(self._columns(table))

    def _columns(self, table: Table) -> Iterator[Column]:
        names = [token.value for token in self._inside if token.is_name]
        primary = table.index(PRIMARY)
        if self.kind == "KEY" and not names:
            names = list(primary.columns) if primary else [table.columns[place].name for place in table.identity_key]
        yield from (column for name in names if (column := table.column(name)) is not None)

    def signs(self) -> tuple[str, bool, list[str], Counter[str]]:
        """What is equal where two servers divide rows alike, though they write it in their own ways."""
        words = [token.value if token.is_name else token.text for token in self._inside]
        if self.kind == "KEY":
            return self.kind, self.is_linear, [small(column.name) for column in self.columns], Counter()
        signs = Counter(_SAME.get(word.upper(), word.lower()) for word in words)
        for unsaid in ("(", ")", ",", "0" if signs["yearweek"] else ""):  # 0: its usual mode
            del signs[unsaid]
        return self.kind, self.is_linear, [], signs

    @property
    def may_be_null(self) -> bool:
        return any(column.nullable for column in self.columns) or any(self._functions())

    def differs(self, flavors: tuple[str, str]) -> Iterator[Doubt]:
        """What MySQL, MariaDB and TiDB do not all do alike."""
        if self.kind == "KEY":
            yield from self._hashes_otherwise()
            return
        words = list(self._functions())
        if other := next((word for word in words if word not in _FUNCTIONS), ""):
            yield Doubt(f"{other} may give other values there")
        times = [quote_name(column.name) for column in self.columns if column.base_type == "time"]
        if "EXTRACT" in words and times and "mariadb" in flavors and any(one.key in _HOURS for one in self._inside):
            long = " OR ".join(f"ABS(TIME_TO_SEC({name})) >= 86400" for name in times)
            yield Doubt("EXTRACT of the hours of a TIME leaves out its days in MariaDB", long)

    def _hashes_otherwise(self) -> Iterator[Doubt]:
        """Tried with each type."""
        for column in self.columns:
            if column.base_type == "date":
                yield Doubt(f"the column {column.name} is a DATE, which the servers hash otherwise")
            elif column.base_type in ("float", "double"):
                reason = f"a row has 0 in {column.name}, which may be -0 upstream, and the servers hash -0 otherwise"
                yield Doubt(reason, f"{quote_name(column.name)} = 0")

    def in_tidb(self) -> Iterator[Doubt]:
        """Rows that TiDB keeps in other partitions."""
        if self.kind == "HASH" and self.may_be_null:
            yield Doubt("TiDB keeps rows whose hashed value is NULL in another partition", f"({self.text}) IS NULL")
        if not _COUNTED.intersection(self._functions()):
            return
        reason = "TiDB counts the days of a date without a month or a day, for which the others have NULL"
        for name in (quote_name(one.name) for one in self.columns if one.base_type in ("date", "datetime")):
            # All have NULL for the zero date.
            yield Doubt(reason, f"((MONTH({name}) = 0 OR DAYOFMONTH({name}) = 0) AND {name} + 0 <> 0)")

    def _functions(self) -> Iterator[str]:
        for token, behind in zip(self._inside, self._inside[1:], strict=False):
            if not self._is_listed and _is_function(token, behind):
                yield token.key


def _is_function(token: Token, behind: Token) -> bool:
    return token.kind is Kind.WORD and (behind.key == "(" or token.key in ("DIV", "MOD"))
