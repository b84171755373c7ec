"""One column's definition: read from text, then settled within its table."""

from __future__ import annotations

from dataclasses import dataclass, field

from pkg.schema.charset import Charset
from pkg.schema.column_types import TypeSpec, read_type, read_type_attribute, settle
from pkg.schema.context import DdlContext
from pkg.schema.cursor import NO_CLAUSE, Clause, Cursor
from pkg.schema.defaults import read_default
from pkg.schema.expressions import kept_text
from pkg.schema.indexes import ForeignKeySpec, IndexSpec, read_engine_option, read_reference
from pkg.schema.lexer import Token
from pkg.schema.table import Column
from pkg.schema.targets import implicit_value

_NOW = ("CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP")
_WORD_OPTIONS = frozenset({"COLUMN_FORMAT", "STORAGE", "SRID"})  # followed by one value
_ASSIGNED_OPTIONS = frozenset({"ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE", "REF_SYSTEM_ID"})


@dataclass(slots=True)
class ColumnSpec:
    """A column as written; what depends on the table is settled by ``column``."""

    name: str
    type: TypeSpec
    nullable: bool | None = None  # None: neither NULL nor NOT NULL is said
    default: str | None = None
    generated: str = ""
    expression: tuple[Token, ...] = ()  # of a generated column, without its parentheses
    row_period: str = ""  # MariaDB: "START" or "END" of a system-versioned row
    auto_increment: bool = False
    invisible: bool = False
    on_update: bool = False
    keys: list[IndexSpec] = field(default_factory=list)
    reference: ForeignKeySpec | None = None
    type_clause: Clause = NO_CLAUSE  # the type's word with what stands in parentheses
    clauses: list[Clause] = field(default_factory=list)  # all that follows the type, but for …
    engine_options: list[Clause] = field(default_factory=list)  # … name = value, which engines of MariaDB define

    def column(self, table: Charset, context: DdlContext, *, key_column: bool = False) -> Column:
        """The column in a table of this character set; ``key_column``: part of the primary key or of a period."""
        settled = settle(self.type, table, context)
        nullable = self._is_nullable(context) and not key_column
        default = stored_empty(self.default, context)
        if default == "NULL" and not nullable:
            default = None
        if default is None and nullable and not self.generated:
            default = "NULL"
        literals = context.connection if context.flavor == "mysql" else ""  # elsewhere such statements pause (36117)
        return Column(
            name=self.name,
            type=settled.type,
            base_type=settled.base_type,
            unsigned=self.type.unsigned,
            nullable=nullable,
            charset=settled.charset,
            collation=settled.collation,
            default=default,
            generated=self.generated,
            auto_increment=self.auto_increment,
            invisible=self.invisible,
            labels=settled.labels,
            length=settled.length,
            fsp=settled.fsp,
            on_update=self.on_update,
            expression=kept_text(self.expression, context.sql_mode, literals),
        )

    def implicit_value(self, target: str) -> str:
        """What rows that are there get in this new column, where a target of this flavour gives them another value."""
        is_filled = self.default is None and not self.generated and not self.auto_increment
        is_not_null = self.nullable is False or any(key.primary for key in self.keys)
        return implicit_value(target, self.type.base) if is_filled and is_not_null else ""

    def _is_nullable(self, context: DdlContext) -> bool:
        if self.row_period:
            return False
        if self.nullable is not None:
            return self.nullable
        if self.auto_increment:
            return context.is_shown
        implicit_not_null = self.type.base == "timestamp" and not context.explicit_defaults_for_timestamp
        return not implicit_not_null or bool(self.generated)


def stored_empty(default: str | None, context: DdlContext) -> str | None:
    """A default as a session of MariaDB takes it that has EMPTY_STRING_IS_NULL, where '' is NULL."""
    return "NULL" if default == "''" and context.empty_is_null else default


def read_column(cursor: Cursor, flavor: str, name: str | None = None) -> ColumnSpec:
    """``name type attribute…`` up to what belongs to it no more."""
    column_name = cursor.column_name() if name is None else name
    start = cursor.position
    spec = ColumnSpec(column_name, read_type(cursor, flavor), type_clause=cursor.clause_since(start))
    if spec.type.serial:
        spec.nullable, spec.auto_increment = False, True
        spec.keys.append(IndexSpec(parts=[(spec.name, None)], unique=True))
    start = cursor.position
    while not cursor.at_item_end:
        if _read_attribute(cursor, spec):
            spec.clauses.append(cursor.clause_since(start))
        elif read_engine_option(cursor):
            spec.engine_options.append(cursor.clause_since(start))
        else:
            break
        start = cursor.position
    for item in (*spec.keys, spec.reference):
        if item is not None:
            item.flavor = flavor
    return spec


def _read_attribute(cursor: Cursor, spec: ColumnSpec) -> bool:
    return (
        read_type_attribute(cursor, spec.type)
        or _read_value_attribute(cursor, spec)
        or _read_key_attribute(cursor, spec)
        or _read_storage_attribute(cursor)
    )


def _read_value_attribute(cursor: Cursor, spec: ColumnSpec) -> bool:
    """NULL, DEFAULT, AUTO_INCREMENT, generated columns, visibility."""
    match cursor.key:
        case "NOT" if cursor.key_after(1) == "NULL":
            cursor.accept("NOT", "NULL")
            spec.nullable = False
        case "NULL":
            cursor.next()
            spec.nullable = True
        case "DEFAULT":
            cursor.next()
            spec.default = read_default(cursor)
        case "ON":
            cursor.expect("ON", "UPDATE")
            if not cursor.accept_any(*_NOW):
                raise cursor.unreadable("CURRENT_TIMESTAMP")
            if cursor.at("("):
                cursor.parenthesized()
            spec.on_update = True
        case "AUTO_INCREMENT":
            cursor.next()
            spec.auto_increment = True
            if spec.nullable:
                spec.nullable = None  # only a NULL behind it counts
        case "AUTO_RANDOM":
            cursor.next()
            if cursor.at("("):
                cursor.parenthesized()
        case "SERIAL":
            cursor.expect("SERIAL", "DEFAULT", "VALUE")
            spec.nullable, spec.auto_increment = False, True
            spec.keys.append(IndexSpec(parts=[(spec.name, None)], unique=True))
        case "GENERATED" | "AS":
            _read_generated(cursor, spec)
        case "INVISIBLE" | "VISIBLE":
            spec.invisible = cursor.next().key == "INVISIBLE"
        case _:
            return False
    return True


def _read_generated(cursor: Cursor, spec: ColumnSpec) -> None:
    cursor.accept("GENERATED", "ALWAYS")
    cursor.expect("AS")
    if cursor.accept("ROW"):
        # System versioning: the server fills the column, and a target without versioning has to be told.
        spec.row_period = cursor.accept_any("START", "END")
        spec.generated = "STORED"
        return
    start = cursor.position
    cursor.parenthesized()
    spec.expression = tuple(cursor.tokens[start + 1 : cursor.position - 1])
    word = cursor.accept_any("VIRTUAL", "STORED", "PERSISTENT")
    spec.generated = "STORED" if word in ("STORED", "PERSISTENT") else "VIRTUAL"


def _read_key_attribute(cursor: Cursor, spec: ColumnSpec) -> bool:
    """PRIMARY KEY, UNIQUE, CHECK, REFERENCES behind a column."""
    match cursor.key:
        case "PRIMARY" | "KEY":
            cursor.accept("PRIMARY")
            cursor.accept("KEY")
            spec.keys.append(IndexSpec(parts=[(spec.name, None)], unique=True, primary=True))
        case "UNIQUE":
            cursor.next()
            cursor.accept_any("KEY", "INDEX")
            spec.keys.append(IndexSpec(parts=[(spec.name, None)], unique=True))
        case "CONSTRAINT" | "CHECK":
            name = ""
            if cursor.accept("CONSTRAINT") and not cursor.at("CHECK"):
                name = cursor.name()
            if cursor.at("REFERENCES"):  # of MariaDB, at the end of the column
                spec.reference = read_reference(cursor, name, [spec.name])
                return True
            cursor.expect("CHECK")
            cursor.parenthesized()
            if not cursor.accept("ENFORCED"):
                cursor.accept("NOT", "ENFORCED")
        case "REFERENCES":
            spec.reference = read_reference(cursor, "", [spec.name])
        case _:
            return False
    return True


def _read_storage_attribute(cursor: Cursor) -> bool:
    """What says nothing about columns and keys: comments, formats, hints for engines."""
    key = cursor.key
    if key == "COMMENT":
        cursor.next()
        cursor.string()
    elif key in _WORD_OPTIONS:
        cursor.next()
        cursor.next()
    elif key in _ASSIGNED_OPTIONS:
        cursor.next()
        cursor.accept("=")
        cursor.next()
    elif key == "COMPRESSED":
        cursor.next()
        if cursor.accept("="):
            cursor.next()
    elif key in ("WITH", "WITHOUT") and cursor.key_after(1) == "SYSTEM":
        cursor.next()
        cursor.expect("SYSTEM", "VERSIONING")
    elif key == "NOT" and cursor.key_after(1) == "SECONDARY":
        cursor.accept("NOT", "SECONDARY")
    else:
        return False
    return True
