"""CREATE TABLE: its elements and options read from text, and the table that comes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pkg.schema.bound_literals import read_by_columns
from pkg.schema.charset import Charset
from pkg.schema.columns import ColumnSpec, read_column
from pkg.schema.context import DdlContext
from pkg.schema.cursor import Clause, Cursor, NameSpan, Unreadable
from pkg.schema.indexes import (
    Constraint,
    ForeignKeySpec,
    IndexSpec,
    named_keys,
    new_foreign_keys,
    read_key,
    starts_key,
)
from pkg.schema.key_parts import covers
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind
from pkg.schema.partition_list import Partition, in_zone, read_partitions
from pkg.schema.table import Column, ForeignKey, Index, Table, has_foreign_keys, kind_of

_SELECT_STARTS = frozenset({"SELECT", "AS", "IGNORE", "REPLACE", "WITH", "TABLE", "VALUES", "("})
_TWO_WORD_OPTIONS = frozenset({"DATA", "INDEX"})


@dataclass(slots=True)
class TableOptions:
    """The options of a table that say something about its columns."""

    charset: str | None = None
    collation: str | None = None
    comment: str | None = None
    engine: str = ""  # in upper case; "" where none is named
    sequence: bool | None = None  # None: not said
    system_versioned: bool = False
    partitioning: str = ""  # see Table, as partitions
    partitions: tuple[Partition, ...] = ()
    clauses: list[Clause] = field(default_factory=list)  # each option, also those that mean nothing here
    commas: list[int] = field(default_factory=list)  # where commas between options stand, which nothing needs


@dataclass(frozen=True, slots=True)
class Element:
    """One element between the parentheses, and where it stands."""

    item: ColumnSpec | IndexSpec | ForeignKeySpec | Constraint
    clause: Clause


@dataclass(slots=True)
class TableSpec:
    """A CREATE TABLE as written, behind its name."""

    columns: list[ColumnSpec] = field(default_factory=list)
    keys: list[IndexSpec] = field(default_factory=list)
    foreign_keys: list[ForeignKeySpec] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    elements_end: int = 0  # behind the parenthesis that ends them
    not_null: set[str] = field(default_factory=set)  # columns of a period
    options: TableOptions = field(default_factory=TableOptions)
    like: NameSpan | None = None
    from_select: bool = False


def read_create_head(cursor: Cursor) -> tuple[NameSpan, bool]:
    """``CREATE [OR REPLACE] [TEMPORARY] TABLE [IF NOT EXISTS] name``: the name, and whether IF NOT EXISTS is there."""
    cursor.expect("CREATE")
    cursor.accept("OR", "REPLACE")
    cursor.accept("TEMPORARY")
    cursor.expect("TABLE")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    return cursor.table_name(), if_not_exists


def read_create_body(cursor: Cursor, flavor: str, *, replaces: bool = False) -> TableSpec:
    """What follows the table's name; ``replaces``: MariaDB drops the table before it sees that no columns follow."""
    spec = TableSpec()
    if cursor.accept("LIKE"):
        spec.like = cursor.table_name()
        return spec
    if cursor.key == "(" and cursor.key_after(1) == "LIKE":
        cursor.next()
        cursor.next()
        spec.like = cursor.table_name()
        cursor.expect(")")
        return spec
    if cursor.key == "(" and cursor.key_after(1) not in ("SELECT", "WITH", "("):
        _read_elements(cursor, spec, flavor)
    is_dropped = replaces and cursor.at_end
    read_options(cursor, spec.options)
    spec.from_select = _read_select(cursor)
    if not (spec.columns or spec.from_select or is_dropped):
        raise Unreadable("the statement names no columns")
    return spec


def _read_elements(cursor: Cursor, spec: TableSpec, flavor: str) -> None:
    cursor.expect("(")
    while True:
        start = cursor.position
        item: ColumnSpec | IndexSpec | ForeignKeySpec | Constraint
        if starts_key(cursor):
            item = key = read_key(cursor, flavor)
            if isinstance(key, IndexSpec):
                spec.keys.append(key)
            elif isinstance(key, ForeignKeySpec):
                spec.foreign_keys.append(key)
            else:
                spec.not_null.update(small(name) for name in key.columns)
        else:
            item = column = read_column(cursor, flavor)
            spec.columns.append(column)
            spec.keys.extend(column.keys)
            if column.reference is not None:
                spec.foreign_keys.append(column.reference)
        spec.elements.append(Element(item, cursor.clause_since(start)))
        if not cursor.accept(","):
            break
    spec.elements_end = cursor.token.end
    cursor.expect(")")


def read_options(cursor: Cursor, options: TableOptions) -> None:
    """Table options up to PARTITION BY, a SELECT, or the end."""
    while not cursor.at_end and cursor.key != "PARTITION":
        start = cursor.position
        if cursor.accept("WITH", "SYSTEM", "VERSIONING"):
            options.system_versioned = True
            options.clauses.append(cursor.clause_since(start))
            continue
        if cursor.key in _SELECT_STARTS:
            break
        if cursor.at(","):
            options.commas.append(cursor.next().start)
        else:
            read_option(cursor, options)
    if cursor.key == "PARTITION":
        start = cursor.position
        while not cursor.at_end and cursor.key not in ("SELECT", "AS", "IGNORE", "REPLACE"):
            cursor.parenthesized() if cursor.key == "(" else cursor.next()
        options.clauses.append(cursor.clause_since(start))
        options.partitioning = method_since(cursor, start)
        options.partitions = read_partitions(cursor.tokens[start : cursor.position])


def method_since(cursor: Cursor, start: int) -> str:
    """Of a PARTITION BY at token ``start`` what says where a row belongs: up to the end of its first parentheses."""
    text, depth, end = "", 0, cursor.tokens[start].start
    for token in cursor.tokens[start : cursor.position]:
        text += " " * (token.start > end) + token.text  # without the marks of versioned comments
        end = token.end
        depth += (token.key == "(") - (token.key == ")")
        if token.key == ")" and not depth:
            break
    return text


def read_option(cursor: Cursor, options: TableOptions) -> None:
    """One option; those without a bearing on columns are passed over."""
    whole = cursor.position
    cursor.accept("DEFAULT")
    start = cursor.position
    if cursor.accept("CHARSET") or cursor.accept("CHARACTER", "SET") or cursor.accept("CHAR", "SET"):
        cursor.accept("=")
        options.charset = cursor.word_value()
    elif cursor.accept("COLLATE"):
        cursor.accept("=")
        options.collation = cursor.word_value()
    elif cursor.accept("COMMENT"):
        cursor.accept("=")
        options.comment = cursor.string()
    elif cursor.accept("START", "TRANSACTION"):
        pass  # MySQL logs CREATE TABLE … SELECT as this and the rows in one transaction
    else:
        _pass_option(cursor, options)
    options.clauses.append(replace(cursor.clause_since(whole), key=cursor.tokens[start].value.upper()))


def _pass_option(cursor: Cursor, options: TableOptions) -> None:
    name = cursor.next()
    if not name.is_name or name.key in ("CHAR", "CHARACTER"):
        cursor.position -= 1
        raise cursor.unreadable("a table option")
    if name.key in _TWO_WORD_OPTIONS:
        cursor.accept("DIRECTORY")
    cursor.accept("=")
    if cursor.key in ("+", "-"):
        cursor.next()
    if cursor.key == "(":
        cursor.parenthesized()
        return
    value = cursor.next()
    if name.key in ("ENGINE", "TYPE"):
        options.engine = value.value.upper()
    if name.key == "SEQUENCE":
        options.sequence = value.text == "1"
    if value.kind is Kind.SIGN:
        cursor.position -= 1
        raise cursor.unreadable(f"a value of {name.text}")


def _read_select(cursor: Cursor) -> bool:
    if cursor.at_end:
        return False
    if cursor.key not in _SELECT_STARTS:
        raise cursor.unreadable("the end of the statement")
    cursor.position = len(cursor.tokens) - 1
    return True


def build_table(spec: TableSpec, schema: str, name: str, database: Charset, context: DdlContext) -> Table:
    """The table that a CREATE TABLE makes in a database with this default character set."""
    options = spec.options
    charset = context.resolved(options.charset, options.collation, database)
    primary = {
        small(column) for key in spec.keys if key.primary for column, _ in key.parts if not column.startswith("(")
    }
    not_null = primary | spec.not_null
    columns = tuple(
        column.column(charset, context, key_column=small(column.name) in not_null) for column in spec.columns
    )
    indexes, foreign_keys = build_keys(spec, schema, name, columns)
    engine = options.engine or context.engine
    if not has_foreign_keys(engine):
        foreign_keys = ()
    table = Table(
        schema=schema,
        name=name,
        columns=columns,
        indexes=indexes,
        charset=charset.name,
        collation=charset.collation,
        foreign_keys=foreign_keys,
        comment=options.comment or "",
        kind="sequence" if options.sequence else kind_of(engine),
        engine=engine,
        system_versioned=options.system_versioned,
        partitioning=options.partitioning,
    )
    return replace(table, partitions=read_by_columns(in_zone(options.partitions, context.zone), table))


def build_keys(
    spec: TableSpec, schema: str, name: str, columns: tuple[Column, ...]
) -> tuple[tuple[Index, ...], tuple[ForeignKey, ...]]:
    indexes, made = named_keys(list(keys_said(spec)), (), (column.name for column in columns))
    foreign_keys = new_foreign_keys(spec.foreign_keys, (), schema, name)
    return check_keys((*indexes, *(index for _, index in made)), columns), tuple(foreign_keys)


def keys_said(spec: TableSpec) -> Iterator[IndexSpec | ForeignKeySpec]:
    """Keys and foreign keys in the order of the text."""
    for element in spec.elements:
        if isinstance(element.item, ColumnSpec):
            yield from element.item.keys
            if element.item.reference is not None:
                yield element.item.reference
        elif not isinstance(element.item, Constraint):
            yield element.item


def check_keys(indexes: tuple[Index, ...], columns: tuple[Column, ...]) -> tuple[Index, ...]:
    """``indexes`` with column names as the columns write them and without prefixes that cover a whole column."""
    by_name = {small(column.name): column for column in columns}
    return tuple(_checked(index, by_name) for index in indexes)


def _checked(index: Index, columns: dict[str, Column]) -> Index:
    names, prefixes = [], []
    for name, prefix in zip(index.columns, index.prefixes, strict=True):
        column = columns.get(small(name))
        if column is None and not name.startswith("("):
            raise Unreadable(f"the key {index.name} names the column {name}, which the table does not have")
        names.append(column.name if column else name)
        whole = column is not None and prefix is not None and covers(column, prefix)
        prefixes.append(None if whole else prefix)
    if tuple(names) == index.columns and tuple(prefixes) == index.prefixes:
        return index
    return replace(index, columns=tuple(names), prefixes=tuple(prefixes))
