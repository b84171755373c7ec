"""What arrives exactly, and what is mapped to something else or refused, by the rules that make the target's tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from dm_master.precheck.columns import carried_columns, structure_of
from dm_master.precheck.facts import TableFacts, TableName, TargetFacts, UpstreamFacts, shown
from dm_master.precheck.report import Check, Finding, State
from pkg.errors import listed
from pkg.schema.cased_texts import texts_cased
from pkg.schema.ddl import parse_ddl
from pkg.schema.document_reads import documents_read
from pkg.schema.expressions import doubtful_columns
from pkg.schema.inexact import inexact_columns
from pkg.schema.lacking_functions import lacking_call, lacks, not_generated
from pkg.schema.letter_case import small
from pkg.schema.mapping import changes, joins, lacks_type
from pkg.schema.merged_keys import CoarserKey, coarser_keys, unique_parts
from pkg.schema.named_documents import named_documents
from pkg.schema.odd_days import days_read
from pkg.schema.other_expressions import other_expressions
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Column

_MOST_NAMED = 5
_PAGE = "docs/exactness.md says what it means"
_READ = (
    "documents that a generated column or a unique key reads: a row pauses where what it reads is a value of an SQL "
    "type (a DECIMAL, a DATE) of which the document's text gives another one"
)
_NAMED = (
    "documents that a generated column or a unique key reads: a row pauses where MariaDB reads it otherwise than the "
    "target: a name twice in one object or with an escape that it needs not; texts of numbers such as 1.50 and of "
    "objects; JSON_VALUE of true, false and objects"
)
_DAYS = (
    "days of which a generated column or a unique key calculates something: a row pauses where the day is none (the "
    "zero date, 2020-02-31) or in the year 0, since servers make other values of it"
)
_LETTERS = (
    "texts that a generated column or a unique key makes large or small (UPPER, LOWER): a row pauses with a letter of "
    "which the target makes another one, as its character sets, collations and version of Unicode say"
)
_SHOWN_AS_MARK = (
    "the upstream shows ? in a label or a default, and does not tell which character it is: rows with such a label "
    "pause (36268), and the target's default may be another one; GRANT SELECT on the table, or make the target's table "
    "by hand"
)
_ALTERED = (
    "nothing to do where the upstream's table was altered since the task stopped: replication alters the target's; "
    "else it pauses at a row that does not arrive as it is, and says what to do"
)


def check_exactness(
    facts: UpstreamFacts, target: TargetFacts, merging: Set[TableName] = frozenset(), *, goes_on: bool = False
) -> Check:
    """One finding for each kind of change, with its columns; exact columns are counted.

    ``merging`` are the target tables that several upstream tables go to; ``goes_on``: an earlier run has begun.
    """
    source = facts.subtask.source_id
    mapped: dict[str, list[str]] = defaultdict(list)
    refused: list[Finding] = []
    exact = 0
    for table in facts.tables:
        refused += _joining(facts, table, target)
        if facts.targets[table.name] in merging:
            refused += _holding_equal(facts, table, target)
        refused += _inexact(facts, table, target)
        there = facts.targets[table.name] in target.tables
        if table.create_sql and not there:
            refused += _generating_otherwise(facts, table, target)
        elif table.create_sql:
            refused += _other_texts(facts, table, target)
        mapped[_SHOWN_AS_MARK] += [f"{table}.{name}" for name in table.doubtful]
        for what, name in _doubtful(facts, table, target):
            mapped[what].append(f"{table}.{name}")
        keys = {small(name) for key in table.unique_keys for name in key.columns}
        for column in structure_of(table).columns:
            in_key = small(column.name) in keys
            said = [] if there else changes(column, target.collations, target.flavor, in_key=in_key)
            exact += not said
            for one in said:
                mapped[one].append(f"{table}.{column.name}")
            if not there and lacks_type(target.flavor, column.base_type):
                refused.append(_lacking(source, table, column))
    if goes_on:  # replication applies what was altered meanwhile, or says itself why it cannot
        refused = [replace(one, state=State.WARN, instruction=_ALTERED) for one in refused]
    found = [
        Finding(State.WARN, f"source {source}: {what}: {_listed(columns)}", f"source {source}", _PAGE)
        for what, columns in sorted(mapped.items())
        if columns
    ]
    return Check(
        "exactness",
        "exactness check",
        f"columns arrive as they are ({source})",
        (*refused, *found),
        f"{exact} columns of {len(facts.tables)} tables arrive exactly",
    )


def _joining(facts: UpstreamFacts, table: TableFacts, target: TargetFacts) -> Iterator[Finding]:
    """Keys of a table that is there, which may hold two rows of the upstream equal."""
    there = target.tables.get(facts.targets[table.name])
    if there is None:
        return
    names = {small(name) for key in there.unique_keys for name in key.columns}
    upstream = structure_of(table)
    for below in structure_of(there).columns:
        above = upstream.column(below.name)
        if small(below.name) not in names or above is None or not joins(above, below, target.flavor):
            continue
        yield Finding(
            State.FAIL,
            f"{there}.{below.name} in the target has {below.collation} in a key, which may hold "
            f"equal what {above.collation} of {table} holds different: one of two such rows would be lost",
            str(table),
            "give the target's column a collation that tells apart as much (its _bin; utf8mb4_0900_bin, where there is "
            "one, tells blanks at the end apart, too), or drop the table, which is then created; or put `exactness` "
            "into ignore-checking-items when no such rows are there",
        )


def _holding_equal(facts: UpstreamFacts, table: TableFacts, target: TargetFacts) -> Iterator[Finding]:
    """Keys of a merged table that is there, by their prefixes, expressions and columns; collations are said above."""
    there = target.tables.get(facts.targets[table.name])
    if there is None:
        return
    keys = unique_parts(structure_of(table))
    for found in coarser_keys(keys, structure_of(there), target.flavor, carried_columns(facts, table)):
        if not (found.is_alike and found.is_by_collation):
            yield coarser_key(found, f"the target table {there}", table, facts, is_certain=found.is_alike)


def coarser_key(found: CoarserKey, where: str, table: TableFacts, facts: UpstreamFacts, *, is_certain: bool) -> Finding:
    """That a key of a merged table may make rows of one of its tables one."""
    # Servers have other default collations: the copy stops at two such rows, if there are any.
    is_certain = is_certain and not (found.is_alike and found.is_by_collation)
    state = State.FAIL if is_certain and not facts.subtask.load.on_duplicate_logical else State.WARN
    return Finding(
        state,
        f"the key {found.key} of {where} may hold rows of {table} of {facts.subtask.source_id} equal, "
        f"whose {found.whose}: two such rows stop the copy (34210), or pause replication (36120) outside of safe mode",
        str(table),
        "alter the tables so that the keys are the same, or create the target table by hand with a key that tells "
        "apart what all of them do (collation utf8mb4_bin, no prefix), or route the tables apart; or say by "
        "on-duplicate-logical which row stays",
    )


def _inexact(facts: UpstreamFacts, table: TableFacts, target: TargetFacts) -> Iterator[Finding]:
    """Columns of a table that is there, which take values of the upstream and change them."""
    there = target.tables.get(facts.targets[table.name])
    below = structure_of(there) if there is not None else None
    pairs = ((one, below.column(one.name)) for one in structure_of(table).columns) if below is not None else ()
    columns = inexact_columns(((one, other) for one, other in pairs if other is not None), target.flavor)
    if columns:
        yield Finding(
            State.FAIL,
            f"{shown(facts.targets[table.name])} in the target would change values of {table} without an error: "
            f"{columns}",
            str(table),
            "give the target's columns types that hold all values of the upstream's, and no expressions where the "
            "upstream's have none, or drop the table, which is then created",
        )


def _generating_otherwise(facts: UpstreamFacts, table: TableFacts, target: TargetFacts) -> Iterator[Finding]:
    """Generated columns that would have other values in the table that the full migration makes (34195)."""
    schema, _ = table.name
    if function := lacking_call(table.create_sql, target.lacking_functions):
        yield Finding(
            State.FAIL,
            f"source {facts.subtask.source_id}: {table} calls {function}, and {lacks(function)}",
            str(table),
            "create the table in the target by hand with a plain column, which takes the upstream's values, or leave "
            "it out by the block-allow-list",
        )
    ddl = parse_ddl(table.create_sql, default_schema=schema)
    structure = parse_create_table(table.create_sql, schema)
    for column in structure.columns:
        if function := not_generated(column, target.flavor):
            yield Finding(
                State.FAIL,
                f"source {facts.subtask.source_id}: the generated column {table}.{column.name} calls {function}, which "
                f"{target.flavor} does not take in {'STORED' if column.generated == 'STORED' else 'generated'} columns",
                str(table),
                "create the table in the target by hand with an expression that has the upstream's values there (CASE "
                "for NULLIF), or with a plain column, which takes the upstream's values; or leave it out by the "
                "block-allow-list",
            )
    for found in other_expressions(ddl, structure, None, (facts.flavor, target.flavor), target.collations):
        yield Finding(
            State.FAIL,
            f"source {facts.subtask.source_id}: the generated column {table}.{found.column} would hold other values "
            f"in the target: {found.reason}",
            str(table),
            "create the table in the target by hand with an expression that has the upstream's values there (for "
            "instance with CONVERT(column USING latin1) or COLLATE), or with a plain column, which takes the "
            "upstream's values; or leave it out by the block-allow-list",
        )


def _doubtful(facts: UpstreamFacts, table: TableFacts, target: TargetFacts) -> Iterator[tuple[str, str]]:
    """What may pause rows, and the column: the target calculates something of it that may be another value."""
    made = target.tables.get(facts.targets[table.name], table)
    if not made.create_sql:
        return
    upstream, structure = structure_of(table), parse_create_table(made.create_sql, made.name[0])
    found: list[tuple[str, str]] = []
    if target.flavor != "mariadb":  # which reads the text of documents as it is
        is_text = facts.flavor == "mariadb"
        found += [(_NAMED, one) for one in named_documents(structure)] if is_text else []
        found += [(_READ, one) for one in documents_read(structure)] if not is_text else []
    if facts.flavor != target.flavor:
        found += [(_LETTERS, one.column) for one in texts_cased(structure)]
    days = days_read(structure, (facts.flavor, target.flavor))
    found += [(_DAYS, one.column) for one in days if not one.day_of]
    for what, name in dict.fromkeys(found):
        column = upstream.column(name)
        if column is not None:
            yield what, column.name


def _other_texts(facts: UpstreamFacts, table: TableFacts, target: TargetFacts) -> Iterator[Finding]:
    """Generated columns of a table that is there, whose expressions are written otherwise."""
    there = target.tables[facts.targets[table.name]]
    if not there.create_sql:
        return
    above, below = (parse_create_table(one.create_sql, one.name[0]) for one in (table, there))
    for ours, column in doubtful_columns(above, below):
        yield Finding(
            State.WARN,
            f"source {facts.subtask.source_id}: the generated column {table}.{ours.name} is {ours.expression}, and "
            f"{column.expression} in the target: the task compares their values there, and pauses where they differ",
            str(table),
            _PAGE,
        )


def _lacking(source: str, table: TableFacts, column: Column) -> Finding:
    return Finding(
        State.FAIL,
        f"source {source}: the target has no type {column.base_type}: {table}.{column.name}",
        str(table),
        "leave the table out by the block-allow-list, or create it in the target by hand with another type",
    )


def _listed(names: Sequence[str]) -> str:
    return f"{len(names)} columns: " * (len(names) > _MOST_NAMED) + listed(names, _MOST_NAMED)
