"""DDL after which the rows that are there would hold other values in the target than upstream: refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from dm_worker.syncer.cased_letters import Unlike, letters_calculated
from dm_worker.syncer.downstream import Downstream
from dm_worker.syncer.named_documents import FirstRow, names_documents, unlike_texts
from dm_worker.syncer.narrow_results import narrow_calculated
from dm_worker.syncer.odd_days import days_calculated
from dm_worker.syncer.shard_settings import looks_at_zone
from dm_worker.syncer.unlike_documents import documents_changed, reads_documents, unlike_documents, unlike_rows
from pkg.binlog.document_texts import unlike_in_tidb
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.alter import AddColumn, Alteration, ChangeColumn, ConvertCharset, SetOptions
from pkg.schema.calculated import as_made, columns_then
from pkg.schema.conversions import other_conversions
from pkg.schema.counters import begun_counters, new_counter, order_doubt
from pkg.schema.errors import shortened
from pkg.schema.lexer import quote_name
from pkg.schema.other_expressions import other_expressions
from pkg.schema.statement import Ddl, TableName
from pkg.schema.table import EMPTY_ENGINE, Column, Table
from pkg.schema.targets import is_literal

OTHER_CONVERSION = ErrorKind(
    36196,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the change of {column} at {place} makes other values of the rows that {target} has than upstream: {reason}; "
    "for one, the rows WHERE {where}; the statement: {sql}",
    workaround="make the same change in {target} yourself, copy the column's values of these rows from the upstream by "
    "the table's key, then `dmctl binlog skip <task>`",
)
OTHER_EXPRESSION = ErrorKind(
    36197,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the column {column} of {target} would hold other values than upstream: {reason}; the statement at {place}: {sql}",
    workaround="make the same change in the target with {column} as a plain column (without its expression), which "
    "replication then fills with the upstream's values; copy those of the rows that are there by the table's key; then "
    "`dmctl binlog skip <task>`",
)
OTHER_ORDER = ErrorKind(
    36198,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the column {column} numbers rows of {target} in another order than upstream: {reason}; the statement at "
    "{place}: {sql}",
    workaround="make the change in {target} without AUTO_INCREMENT, copy its values from the upstream (by a key, or "
    "load the table anew), then MODIFY it as upstream; then `dmctl binlog skip <task>`",
)
NUMBERED = ErrorKind(
    36207,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the upstream gives rows numbers in {column} that {target} does not give them, since TiDB has AUTO_INCREMENT for "
    "columns of new tables only: {rows}; the statement at {place}: {sql}",
    workaround="make the same change in {target} without AUTO_INCREMENT, copy the values of {column} from the upstream "
    "(by another key, or load the table anew), then `dmctl binlog skip <task>`",
)
UNKNOWN_ZONE_OF_ROWS = ErrorKind(
    36242,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "the statement at {place} gives rows of {target} values that depend on the time zone, and this source, which had "
    "none of these values, did not say in which zone it ran: {sql}",
    workaround="let a source run it whose tables had such values (`dmctl shard-ddl-lock unlock <lock> --owner "
    "<source>`; `dmctl shard-ddl-lock list <task>` has the lock); or change {target} by hand, then `dmctl binlog skip "
    "<task>`",
)
EMPTIED = ErrorKind(
    36217,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the statement at {place} empties the table upstream, whose engine is BLACKHOLE then, and {target} has rows: {sql}",
    workaround="delete the rows in {target} (of a merged table those of this upstream table), then resume-task, or, "
    "where rows stay, `dmctl binlog skip <task>`",
)
UNKNOWN_BEFORE = ErrorKind(
    36182,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "what {source} was like before the statement at {place} is not known, so it is not known either whether {target}, "
    "which has rows, would give them the same values: {sql}",
    workaround="say what it was like before that statement by `dmctl binlog-schema update <task> {schema} {name} FILE` "
    "(a CREATE TABLE), then resume-task; or `dmctl binlog replace <task> <sql>` runs the statement as it is",
)


@dataclass(frozen=True, slots=True)
class Met:
    """A statement about one table, which upstream was ``before`` and is ``after`` it, as far as that is known."""

    piece: Ddl
    before: Table | None
    after: Table | None
    target: TableName
    place: str
    upstream: str  # the flavour of that server
    is_given: bool = False  # by an operator

    def said(self) -> dict[str, Any]:
        """What each of the errors says of it."""
        return {
            "target": f"{self.target.schema}.{self.target.table}",
            "place": self.place,
            "sql": shortened(self.piece.text, 400),
        }


def refuse_other_values(
    downstream: Downstream,
    met: Met,
    *,
    cuts: bool,
    strict: bool,
    is_merged: Callable[[TableName], bool],
    counts_zeros: bool,
    ask: Callable[[str], list[Sequence[Any]]],
    first_row: FirstRow,
    unlike_letters: Unlike,
) -> None:
    """Raises EMPTIED, NUMBERED, OTHER_CONVERSION, OTHER_EXPRESSION, OTHER_ORDER, UNKNOWN_BEFORE.

    ``cuts``: the statement's session cut fractions of seconds; ``strict``: it cut no texts; ``is_merged``: whether the
    target of an upstream table has rows of other tables, too; ``counts_zeros``: a row with 0 got a number upstream;
    ``ask`` is a query of the upstream, ``first_row`` one for the first row that is looked for;
    ``unlike_letters``: see LetterMaps.unlike.
    """
    empties = any(isinstance(one, SetOptions) and one.options.engine == EMPTY_ENGINE for one in met.piece.alterations)
    if empties and downstream.kind_of(met.target.schema, met.target.table) and downstream.has_row(met.target):
        raise EMPTIED.error(**met.said())
    changes = any(isinstance(one, ChangeColumn | ConvertCharset | AddColumn) for one in met.piece.alterations)
    if not changes and met.piece.create is None:
        return
    present = downstream.table(met.target.schema, met.target.table)
    if met.before is None and present is not None and not met.is_given and any(map(_reads_rows, met.piece.alterations)):
        _refuse_unknown(downstream, met)
    _refuse_expressions(downstream, met, present)
    if present is not None:
        _refuse_calculated(downstream, met, present, ask, first_row, unlike_letters)
        _refuse_conversions(downstream, met, present, cuts, strict)
        if met.upstream == downstream.server.flavor == "mysql":
            _refuse_decimals(downstream, met, present, None if is_merged(met.piece.subject) else ask, strict)
        if downstream.server.flavor == "tidb":
            _refuse_numbers(downstream, met, present, counts_zeros)
        else:
            _refuse_order(downstream, met, present, is_merged, counts_zeros)


def refuse_unknown_zone(downstream: Downstream, met: Met) -> None:
    """Raise for a statement that runs for other sources' rows, too, and whose own rows did not depend on the zone."""
    present = downstream.table(met.target.schema, met.target.table)
    if met.is_given or present is None:
        return
    before, changes = met.before, [one for one in met.piece.alterations if isinstance(one, ChangeColumn)]
    if before is not None and any(before.column(one.old) is None for one in changes):
        before = present  # of a part, about a column that an earlier part has renamed
    if not looks_at_zone(met.piece, before):
        return
    changed = [one.old for one in changes if present.column(one.old)]
    fills = any(isinstance(one, AddColumn) for one in met.piece.alterations)
    where = "" if fills else " OR ".join(f"{quote_name(name)} IS NOT NULL" for name in changed)
    if downstream.has_row(met.target, where):
        raise UNKNOWN_ZONE_OF_ROWS.error(**met.said())


def _reads_rows(one: Alteration) -> bool:
    """Whether the clause gives rows values that depend on what the table was like."""
    if isinstance(one, AddColumn):
        column = one.column
        return bool(column.generated or column.auto_increment or not is_literal(column.default or "NULL"))
    return isinstance(one, ChangeColumn | ConvertCharset)


def _refuse_unknown(downstream: Downstream, met: Met) -> None:
    subject = met.piece.subject
    if downstream.has_row(met.target):
        source = f"{subject.schema}.{subject.table}"
        raise UNKNOWN_BEFORE.error(source=source, schema=subject.schema, name=subject.table, **met.said())


def _refuse_numbers(downstream: Downstream, met: Met, present: Table, counts_zeros: bool) -> None:
    """A column begins to count, which numbers rows that are there.  TiDB's columns do not."""
    added = new_counter(met.piece)
    if added and present.column(added) is None and downstream.has_row(met.target):
        raise NUMBERED.error(column=added, rows="it has rows", **met.said())
    for name, where in _begun(met, present, counts_zeros):
        if downstream.has_row(met.target, where):
            raise NUMBERED.error(column=name, rows=f"for one, those WHERE {where}", **met.said())


def _refuse_order(
    downstream: Downstream,
    met: Met,
    present: Table,
    is_merged: Callable[[TableName], bool],
    counts_zeros: bool,
) -> None:
    """A counter would number the rows otherwise: all by a new column, those with 0 and NULL by one that begins."""
    new, numbered = new_counter(met.piece), dict[str, str]()
    if new and present.column(new) is None:
        numbered[new] = ""
    for there, where in _begun(met, present, counts_zeros):
        numbered[there] = where
    merged = "other tables are merged into it" if numbered and is_merged(met.piece.subject) else ""
    flavors = met.upstream, downstream.server.flavor
    reason = merged or (order_doubt(met.before, present, flavors) if numbered else "")
    for column, where in numbered.items() if reason else ():
        if downstream.has_row(met.target, where):
            raise OTHER_ORDER.error(column=column, reason=reason, **met.said())


def _begun(met: Met, present: Table, counts_zeros: bool) -> Iterator[tuple[str, str]]:
    """Columns of the target that begin to count, and which rows get numbers by that."""
    for old, _ in begun_counters(met.piece, met.before):
        there = present.column(old)
        if there is not None and not there.auto_increment:
            name = quote_name(there.name)
            yield there.name, f"{name} IS NULL{f' OR {name} = 0' * counts_zeros}"


def _refuse_expressions(downstream: Downstream, met: Met, present: Table | None) -> None:
    """A generated column, or a default that fills rows, is calculated otherwise."""
    flavors = met.upstream, downstream.server.flavor
    if met.after is not None:
        for found in other_expressions(met.piece, met.after, present, flavors, downstream.collations, met.before):
            if not found.fills or downstream.has_row(met.target):
                raise OTHER_EXPRESSION.error(column=found.column, reason=found.reason, **met.said())


def _refuse_calculated(
    downstream: Downstream,
    met: Met,
    present: Table,
    ask: Callable[[str], list[Sequence[Any]]],
    first_row: FirstRow,
    unlike_letters: Unlike,
) -> None:
    """Rows have values of which the target calculates something else."""
    if met.after is None:
        return
    there = downstream.server.flavor
    found = columns_then(met.piece, met.before, met.after, present, there, downstream.collations)
    then = replace(present, columns=tuple(column for _, column in found))
    columns = ", ".join(f"{quote_name(old)} AS {quote_name(column.name)}" for old, column in found)
    rows = f"(SELECT {columns} FROM {met.target.quoted()}) AS then_named"
    if there != "mariadb":
        _refuse_documents(downstream, met, met.after, then, ask, first_row)
    _refuse_days(downstream, met, met.after, then, rows)
    _refuse_letters(downstream, met, met.after, then, rows, unlike_letters)
    if there == "tidb":
        _refuse_characters(downstream, met, met.after, then, rows)


def _refuse_documents(
    downstream: Downstream,
    met: Met,
    after: Table,
    then: Table,
    ask: Callable[[str], list[Sequence[Any]]],
    first_row: FirstRow,
) -> None:
    """A new value is calculated of a document that the target reads otherwise."""
    found: Iterable[tuple[str, str, str]]
    if met.upstream == "mariadb":
        reads, why = names_documents(met.piece, met.before, after, then), "which MariaDB may read otherwise"
        found = unlike_texts(met.piece, met.before, after, then, first_row)
    else:
        why = "whose types (a DECIMAL, a DATE) their text does not say"
        reads = reads_documents(met.piece, met.before, after)
        found = unlike_documents(met.piece, met.before, after, ask)
        if downstream.server.flavor == "tidb" and names_documents(met.piece, met.before, after, then):
            reads, why = (
                True,
                "whose types (a DECIMAL, a DATE) their text does not say, and whose objects TiDB writes otherwise",
            )
            found = chain(found, unlike_texts(met.piece, met.before, after, then, first_row, unlike_in_tidb))
    if reads and downstream.has_row(met.target):  # the upstream may read all rows
        for column, document, reason in found:
            said = f"it reads documents of {document}, {why}: {reason}"
            raise OTHER_EXPRESSION.error(column=column, reason=said, **met.said())


def _refuse_days(downstream: Downstream, met: Met, after: Table, then: Table, rows: str) -> None:
    """A new value is calculated of a day of no calendar, of which the target has another one."""
    flavors = met.upstream, downstream.server.flavor
    for column, day, where in days_calculated(met.piece, met.before, after, then, flavors):
        shown = f"CAST({quote_name(day)} AS CHAR)" if then.column(day) is not None else "''"
        found = downstream.rows(f"SELECT {shown} FROM {rows} WHERE {where} LIMIT 1")
        if found:
            said = f"rows have days of no calendar in {day}" + f", for one {found[0][0]}" * bool(found[0][0])
            raise OTHER_EXPRESSION.error(column=column, reason=said, **met.said())


def _refuse_letters(downstream: Downstream, met: Met, after: Table, then: Table, rows: str, unlike: Unlike) -> None:
    """A new value is a text in large or small letters, of which the target has other ones."""

    def made(column: Column) -> Column:
        return as_made(column, after, downstream.server.flavor, downstream.collations)

    for column, text, function, where in letters_calculated(met.piece, met.before, after, then, made, unlike):
        if downstream.rows(f"SELECT 1 FROM {rows} WHERE {where} LIMIT 1"):
            said = f"rows have letters in {text} of which {function} makes other ones there"
            raise OTHER_EXPRESSION.error(column=column, reason=said, **met.said())


def _refuse_characters(downstream: Downstream, met: Met, after: Table, then: Table, rows: str) -> None:
    """A new text is of a set that lacks characters of others, which TiDB's utf8mb4 has."""
    for column, text, charset, where in narrow_calculated(met.piece, met.before, after, then, "utf8mb4"):
        if downstream.rows(f"SELECT 1 FROM {rows} WHERE {where} LIMIT 1"):
            said = f"rows may have characters in {text} that {charset} lacks, for one those WHERE {where}"
            raise OTHER_EXPRESSION.error(column=column, reason=said, **met.said())


def _refuse_decimals(
    downstream: Downstream, met: Met, present: Table, ask: Callable[[str], list[Sequence[Any]]] | None, strict: bool
) -> None:
    """A document with a DECIMAL becomes something else; ``ask``: None where the upstream's table has not all rows."""
    changed = documents_changed(met.piece, met.before, met.after, strict=strict) if met.before and met.after else ()
    for column, where in changed:
        with_fraction = f"CAST({quote_name(column)} AS CHAR) LIKE '%.%'"
        if present.column(column) is None or not downstream.has_row(met.target, with_fraction):
            continue
        unknown = "it is not known which of them were DECIMALs"
        found = unlike_rows(met.piece.subject, where, ask) if ask is not None else unknown
        if found:
            reason = f"its documents have a double where upstream they had a DECIMAL (1.1 for 1.10): {found}"
            raise OTHER_CONVERSION.error(column=column, reason=reason, where=with_fraction, **met.said())


def _refuse_conversions(downstream: Downstream, met: Met, present: Table, cuts: bool, strict: bool) -> None:
    """The target has rows that it would convert otherwise."""
    flavors = met.upstream, downstream.server.flavor
    for found in other_conversions(met.piece, met.before, met.after, present, flavors, cuts=cuts, strict=strict):
        if downstream.has_row(met.target, found.where):
            raise OTHER_CONVERSION.error(column=found.column, reason=found.reason, where=found.where, **met.said())
