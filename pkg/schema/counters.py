"""AUTO_INCREMENT: whether a new column numbers rows in the upstream's order, and a counter that is set."""

from __future__ import annotations

from collections.abc import Iterator

from pkg.schema.alter import AddColumn, ChangeColumn, SetOptions
from pkg.schema.charset import collation_rules
from pkg.schema.column_forms import calculates_alike
from pkg.schema.letter_case import small
from pkg.schema.partitions import are_spread_alike
from pkg.schema.statement import Ddl
from pkg.schema.table import PRIMARY, Table


def new_counter(ddl: Ddl) -> str:
    """The AUTO_INCREMENT column that an ALTER TABLE adds, "" for none."""
    added = [one.column for one in ddl.alterations if isinstance(one, AddColumn)]
    return next((column.name for column in added if column.auto_increment), "")


def begun_counters(ddl: Ddl, table: Table | None) -> Iterator[tuple[str, str]]:
    """Columns, by old and new names, to which an ALTER TABLE gives AUTO_INCREMENT; in ``table`` they have none."""
    for one in ddl.alterations:
        if isinstance(one, ChangeColumn) and one.column.auto_increment:
            there = (table.column(one.old) or table.column(one.column.name)) if table is not None else None
            if there is None or not there.auto_increment:
                yield one.old, one.column.name


def sets_counter_only(ddl: Ddl) -> bool:
    """Whether the statement says where the counter goes on, and does nothing else to the table."""
    options = [one.options for one in ddl.alterations if isinstance(one, SetOptions)]
    keys = {clause.key for one in options for clause in one.clauses}
    return keys == {"AUTO_INCREMENT"} and len(options) == len(ddl.alterations)


def order_doubt(before: Table | None, present: Table, flavors: tuple[str, str]) -> str:
    """Why the rows may stand in another order in the target; "" where it is the same.

    InnoDB reads them partition by partition, in the order of the primary key.  ``before``: the table upstream,
    ``present``: the target's; ``flavors``: of the servers, in this order.
    """
    if before is None:
        return "its structure upstream was not known before"
    if before.engine not in ("", "INNODB"):
        return f"{before.engine} keeps rows in the order in which they were written"
    is_partitioned = any(one.partitioning or one.partitions for one in (before, present))
    if is_partitioned and not (flavors[0] == flavors[1] and are_spread_alike(before, present)):
        return "rows are read partition by partition, and its partitions may have other rows there"
    above, below = before.index(PRIMARY), present.index(PRIMARY)
    if above is None or below is None:
        return "it has no primary key"
    if [small(name) for name in above.columns] != [small(name) for name in below.columns]:
        return "its primary key is another one there"
    for name in above.columns:
        one, other = before.column(name), present.column(name)
        if one is None or other is None or collation_rules(one.collation) != collation_rules(other.collation):
            return f"the collation of {name} in its primary key is another one there"
        if not calculates_alike(one, other):
            return f"{name} in its primary key is a {one.type} upstream and a {other.type} there"
    return ""
