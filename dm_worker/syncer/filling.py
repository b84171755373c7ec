"""Rows that a new column's default fills upstream, filled alike downstream (pkg.schema.fill says which).

1. Before the ALTER it is found out which columns are new in the target; a default whose values cannot be had
   pauses, unless the table has no rows.
2. The ALTER runs, without the default where the target takes none such.
3. The values are written, in batches.  Replication stands still, so doing it again after a crash gives the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from dm_worker.syncer.ddl_session import StatementSession
from dm_worker.syncer.downstream import Downstream
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.alter import AddColumn, AddIndex, ChangeColumn, ConvertCharset
from pkg.schema.column_types import LABEL_TYPES
from pkg.schema.convert import grown
from pkg.schema.cut_values import moments_to_fill, nulls_to_fill, paddings
from pkg.schema.errors import shortened
from pkg.schema.fill import Fill, divides_alike, fills
from pkg.schema.fractions import Cut, cuts
from pkg.schema.lexer import quote_name, quote_string
from pkg.schema.quoting import column_names, with_quoted_columns
from pkg.schema.statement import Ddl, TableName
from pkg.schema.stored_defaults import Storing, impossible_days, unlike_default
from pkg.schema.table import PRIMARY, Table
from pkg.schema.targets import default_for, is_day

BATCH_ROWS = 5_000  # of one transaction in TiDB
_NO_CUTS = LABEL_TYPES | {"bit"}

UNREPEATABLE_DEFAULT = ErrorKind(
    36140,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the rows that {target} has already got values in the new column {column} upstream that are not in the binlog, "
    "and {doubt}; the statement at {place}: {sql}",
    workaround="add the column to {target} without that default and copy its values from the upstream by the table's "
    "key, then `dmctl binlog skip <task>`; or `dmctl binlog replace <task> <sql>` adds it with another default",
)

UNLIKE_DEFAULT = ErrorKind(
    36251,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "what the upstream has made of the default {default} of column {column} is not known, and servers of other kinds "
    "may make another value of it; the statement at {place}: {sql}",
    workaround="`dmctl binlog replace <task> <sql>` with the default that SHOW CREATE TABLE prints upstream",
)


def refuse_unlike_defaults(piece: Ddl, after: Table | None, storing: Storing, place: str) -> None:
    """Raise UNLIKE_DEFAULT for a constant of which it is not known what the upstream stored."""
    found = unlike_default(piece, after, storing)
    if found is not None:
        column, default = found
        raise UNLIKE_DEFAULT.error(default=default, column=column, place=place, sql=shortened(piece.text, 400))


def to_fill(
    downstream: Downstream,
    piece: Ddl,
    before: Table | None,
    after: Table | None,
    target: TableName,
    session: StatementSession,
    *,
    repeated: bool,
    place: str,
) -> tuple[Fill, ...]:
    """The columns that the statement adds and whose values have to be written behind it.

    ``before`` and ``after`` are the table's structures upstream, as far as they are tracked; ``repeated``: an
    earlier run may have added the columns, so that finding one says nothing.
    Raises UNREPEATABLE_DEFAULT for values that only the upstream knows.
    """
    flavor = downstream.server.flavor
    alike = divides_alike(session.flavor, flavor, dict(session.expressions).get("div_precision_increment", ""))
    cuts = session.cuts_fractions
    wanted = fills(piece, after, flavor, divides_alike=alike, upstream=session.flavor, cuts=cuts)
    unreadable = next(impossible_days(piece, after), "") if flavor == "tidb" else ""
    if not wanted and not unreadable:
        return ()
    present = downstream.table(target.schema, target.table)
    if present is None or downstream.is_empty(target):
        return ()
    if unreadable and present.column(unreadable) is None:
        raise UNREPEATABLE_DEFAULT.error(
            target=f"{target.schema}.{target.table}", column=unreadable, place=place, sql=shortened(piece.text, 400),
            doubt="TiDB cannot read rows for which such a day was added",
        )  # fmt: skip
    new = [(fill, doubt) for fill in wanted if (doubt := _doubt(fill, before, present, repeated)) is not None]
    for fill, doubt in new:
        if doubt:
            raise UNREPEATABLE_DEFAULT.error(
                target=f"{target.schema}.{target.table}",
                column=fill.column,
                doubt=doubt,
                place=place,
                sql=shortened(piece.text, 400),
            )
    return tuple(fill for fill, _ in new)


def _doubt(fill: Fill, before: Table | None, present: Table, repeated: bool) -> str | None:
    """Why the column's values cannot be written; "" when they can, None when the column is not new."""
    if fill.if_not_exists:
        if before is not None and before.column(fill.column) is not None:
            return None
        if before is None and present.column(fill.column) is not None:
            return "an earlier run may have added it, or IF NOT EXISTS found it there" if repeated else None
    return f"{fill.unrepeatable} in its default gives others here" if fill.unrepeatable else ""


def to_cut(
    downstream: Downstream, piece: Ddl, after: Table | None, target: TableName, session: StatementSession, upstream: str
) -> tuple[Cut, ...]:
    """What to write before the statement, since TiDB rounds fractions of seconds in every mode and keeps NULLs.

    ``upstream``: its flavour.
    """
    flavor = downstream.server.flavor
    if not any(isinstance(one, ChangeColumn | AddIndex) for one in piece.alterations):
        return ()
    present = downstream.table(target.schema, target.table)
    if present is None:
        return ()
    nulls = tuple(moments_to_fill(piece, after, present, flavor))
    nulls += () if session.is_strict else tuple(nulls_to_fill(piece, present, (upstream, flavor)))
    return (*cuts(piece, present, session.cuts_fractions), *nulls) if flavor == "tidb" else nulls


def to_pad(downstream: Downstream, piece: Ddl, before: Table | None, session: StatementSession) -> tuple[Cut, ...]:
    """Blanks to write behind the statement, which TiDB adds in no mode; ``before``: the table upstream until then."""
    if downstream.server.flavor != "tidb" or before is None or "PAD_CHAR_TO_FULL_LENGTH" not in session.modes:
        return ()
    return tuple(paddings(piece, before))


def to_reset(piece: Ddl, before: Table | None, target: TableName, flavor: str) -> Iterator[str]:
    """What takes away again the defaults that gave new columns their values; ``flavor`` is the target's."""
    for one in piece.alterations:
        if isinstance(one, AddColumn) and one.column.implicit_value(flavor):
            name = one.column.name
            if not one.if_not_exists or before is None or before.column(name) is None:
                yield f"ALTER TABLE {target.quoted()} ALTER COLUMN {quote_name(name)} DROP DEFAULT"


def to_remember(piece: Ddl, after: Table | None, target: TableName, flavor: str) -> Iterator[str]:
    """What gives new columns their default when the rows have been filled; ``after``: the table upstream.

    TiDB gives the present day of each reader to rows that have not been written since.
    """
    for one in piece.alterations if flavor == "tidb" and after is not None else ():
        column = after.column(one.column.name) if isinstance(one, AddColumn) and after is not None else None
        if not isinstance(one, AddColumn) or column is None or not is_day(default := one.column.default or ""):
            continue
        if default_for(flavor, column.base_type, default, default) is not None:
            name = quote_name(one.column.name)
            yield f"ALTER TABLE {target.quoted()} ALTER COLUMN {name} SET DEFAULT (CURRENT_DATE)"


def to_grow(downstream: Downstream, piece: Ddl, structure: Table | None, target: TableName) -> Iterator[str]:
    """TiDB's ALTERs behind CONVERT TO CHARACTER SET, by which texts grow upstream so that they hold what they held."""
    converts = any(isinstance(one, ConvertCharset) for one in piece.alterations)
    if structure is None or not converts or downstream.server.flavor != "tidb":
        return
    present = downstream.table(target.schema, target.table)
    for column in grown(structure, present) if present is not None else ():
        comment = quote_string(downstream.column_comment(target, column.name))
        yield (
            f"ALTER TABLE {target.quoted()} MODIFY COLUMN {quote_name(column.name)} {column.type} "
            f"CHARACTER SET {column.charset} COLLATE {column.collation} {'NULL' if column.nullable else 'NOT NULL'} "
            f"COMMENT {comment}"
        )


def fill_statement(downstream: Downstream, fill: Fill | Cut, target: TableName) -> str:
    """The UPDATE that writes the values, in TiDB by batches; columns that it sets by itself are kept as they are."""
    table = downstream.table(target.schema, target.table)
    primary = table.index(PRIMARY) if table is not None else None
    # TiDB cuts by the row's handle; where that has several columns, by the first, which must be named.  It puts
    # names into statements of its own without doubling a backtick in them, and cuts by no labels and bits.
    handle = primary.columns if primary is not None else ()
    first = table.column(handle[0]) if table is not None and handle else None
    by = f"ON {quote_name(handle[0])} " if len(handle) > 1 else ""
    is_odd = "`" in "".join((target.schema, target.table, *handle[:1]))
    cuts = downstream.server.flavor == "tidb" and not is_odd and (first is None or first.base_type not in _NO_CUTS)
    by_itself = downstream.columns_set_by_updates(target)
    kept = [(column, quote_name(column)) for column in by_itself if column != fill.column]
    value = with_quoted_columns(fill.value, column_names(table))
    assigned = ", ".join(f"{quote_name(column)} = {new}" for column, new in ((fill.column, value), *kept))
    where = f" WHERE {fill.where}" if isinstance(fill, Cut) and fill.where else ""
    batch = f"BATCH {by}LIMIT {BATCH_ROWS} " if cuts else ""
    return f"{batch}UPDATE {target.quoted()} SET {assigned}{where}"
