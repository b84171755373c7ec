"""Values that a change of type cuts in a session that is not strict: which servers cut them alike.

Tried on MariaDB 10.11, MySQL 9.7 and TiDB 8.5 with the same ALTER (tests/cases/schema/test_cuts_on_servers.py):
numbers are clipped and rounded alike, texts of a VARCHAR and bytes lose the same end, a NULL that must not be one
becomes the type's zero.  Dates of texts and numbers, years, JSON and bits are not the same everywhere, nor are, in
TiDB, labels of a SET or of a text, and the end of a TEXT.
"""

from __future__ import annotations

from collections.abc import Iterator

from pkg.schema.alter import AddColumn, AddIndex, Alteration, ChangeColumn
from pkg.schema.charset import UNICODE_SETS
from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES, INTEGER_TYPES, LABEL_TYPES, TEXT_TYPES, TypeSpec
from pkg.schema.expressions import names_in
from pkg.schema.fractions import Cut
from pkg.schema.lexer import quote_name, tokenize
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table
from pkg.schema.targets import implicit_value, is_now

_EXACT = INTEGER_TYPES | {"decimal"}
_NUMBERS = _EXACT | {"float", "double"}
_ALIKE = (
    (_NUMBERS, _EXACT),
    (_EXACT, CHARACTER_TYPES),
    (CHARACTER_TYPES, TEXT_TYPES | {"decimal", "float", "double"}),
    (LABEL_TYPES, LABEL_TYPES | CHARACTER_TYPES),
    (BINARY_TYPES, BINARY_TYPES),
)
_ZEROS = {
    **dict.fromkeys(_NUMBERS | {"bit", "year"}, "0"), **dict.fromkeys(TEXT_TYPES | BINARY_TYPES, "''"),
    "date": "'0000-00-00'", "datetime": "'0000-00-00 00:00:00'", "time": "'00:00:00'", "timestamp": "CURRENT_TIMESTAMP",
}  # fmt: skip

_COUNTED = _NUMBERS | {"bit", "year"}
_HOLDS_ZERO = (  # a column of these types holds what becomes the zero of those
    (_COUNTED | CHARACTER_TYPES | BINARY_TYPES - {"binary"}, _COUNTED),
    (LABEL_TYPES | CHARACTER_TYPES | BINARY_TYPES - {"binary"}, TEXT_TYPES | BINARY_TYPES),
    (_NUMBERS | CHARACTER_TYPES | {"date", "datetime"}, {"date", "datetime", "time"}),
)


def cut_otherwise(ddl: Ddl, present: Table | None, upstream: str, target: str) -> str:
    """What of the statement these flavours' servers do not cut alike; "" when there is nothing.

    ``present``: the target's table before the statement.
    """
    if upstream == target:
        return ""
    return next((text for one in ddl.alterations if (text := _otherwise(one, present, target))), "")


def _otherwise(one: Alteration, present: Table | None, target: str) -> str:
    if isinstance(one, AddColumn) and (one.column.generated or (one.column.default or "").startswith("(")):
        return f"the values of {one.column.name}"
    if not isinstance(one, ChangeColumn):
        return ""
    old = present.column(one.old) if present is not None else None
    if old is None:
        return f"the values of {one.old}"
    if _is_alike(old, one.column.type, target):
        return ""
    return f"{old.type} as {one.column.type.base} in {one.column.name}"


def _is_alike(old: Column, new: TypeSpec, target: str) -> bool:
    becomes_other = new.charset not in (None, old.charset, "utf8", *UNICODE_SETS)
    if old.base_type in CHARACTER_TYPES and target == "tidb" and becomes_other:
        return False  # TiDB stores any character in latin1
    if target == "tidb" and new.base in LABEL_TYPES and old.base_type != "enum":
        return False  # TiDB takes none of a value's labels where one is unknown
    if target == "tidb" and new.base.endswith("text") and old.base_type in CHARACTER_TYPES:
        return False  # TiDB cuts characters of several bytes elsewhere
    if old.base_type == new.base and old.base_type != "json":
        fsp = int(new.arguments[0]) if new.arguments and old.base_type in ("time", "datetime", "timestamp") else 0
        return fsp >= old.fsp or old.base_type in _NUMBERS
    return any(old.base_type in before and new.base in after for before, after in _ALIKE)


def nulls_to_fill(ddl: Ddl, present: Table, flavors: tuple[str, str]) -> Iterator[Cut]:
    """What to write where a column that is NOT NULL from the statement on has NULLs.

    ``flavors``: the upstream's and the target's.  TiDB does it in no mode, and the others for a type that stands for
    another otherwise.  MariaDB takes the column's former default where MySQL takes 0.  A type that cannot hold the
    other one's zero is left to the server.
    """
    target = flavors[1]
    takes_zeros = target == "tidb" or flavors == ("mysql", "mariadb")
    wanted = dict[str, str]()  # the new type by the column's name; "" where it keeps its own
    for one in ddl.alterations:
        if isinstance(one, ChangeColumn) and one.column.nullable is False:
            wanted[one.old] = one.column.type.base
        elif isinstance(one, AddIndex) and one.index.primary:
            wanted |= {name: "" for name, _ in one.index.parts if name not in wanted}
    for name, base in wanted.items():
        column = present.column(name)
        if column is not None and column.nullable and not column.generated:
            zero = implicit_value(target, base)  # of a type that is a text there
            is_held = column.base_type in CHARACTER_TYPES
            if not zero and takes_zeros:
                zero = _ZEROS.get(base or column.base_type, "")
                is_held = zero != "CURRENT_TIMESTAMP" and _holds_zero(column.base_type, base)
            if zero and (is_held or base in ("", column.base_type)):
                yield Cut(column.name, zero, f"{quote_name(column.name)} IS NULL")


def _holds_zero(old: str, new: str) -> bool:
    """Whether a column of the type ``old`` can have what the change to ``new`` makes its zero of."""
    return any(old in before and new in after for before, after in _HOLDS_ZERO)


def takes_former_default(old: Column, there: Column, new: Column, flavors: tuple[str, str]) -> bool:
    """Whether NULLs of a column that becomes NOT NULL may have got another value upstream than the target gives them.

    MariaDB 10.11 gives them the column's former default where it alters the table in place, and 0 where it copies it;
    the binlog does not say which.  Others give 0, of which ``nulls_to_fill`` has no word for a label.
    """
    if not there.nullable or new.nullable or old.base_type != new.base_type:
        return False
    if flavors == ("mysql", "mariadb"):
        return new.base_type == "enum" and _has_value(there.default)
    is_other = flavors[0] != flavors[1] or old.default != there.default
    return flavors[0] == "mariadb" and is_other and _has_value(old.default)


def _has_value(default: str | None) -> bool:
    """Whether it is neither NULL nor 0, nor the present moment, for which MariaDB takes 0."""
    return default is not None and default != "NULL" and not is_now(default) and default.strip("'0.:- ") != ""


def becomes_moment(there: Column, new: Column) -> bool:
    """Whether NULLs of the column become the present moment: upstream that of the statement, in each mode."""
    return new.base_type == "timestamp" and not new.nullable and there.nullable and not there.generated


def takes_moment(there: Column, new: Column) -> bool:
    """Whether that moment can be written before the statement."""
    return there.base_type in ("datetime", "timestamp") and there.fsp >= new.fsp


def moments_to_fill(ddl: Ddl, after: Table | None, present: Table, target: str) -> Iterator[Cut]:
    """What to write where a column of ``present`` is a TIMESTAMP NOT NULL from the statement on, and has NULLs.

    TiDB takes the moment at which it converts the row, and it and MySQL keep no NULLs of a TIMESTAMP.
    """
    for one in ddl.alterations:
        there = present.column(one.old) if isinstance(one, ChangeColumn) else None
        new = after.column(one.column.name) if isinstance(one, ChangeColumn) and after is not None else None
        if there is None or new is None or not (becomes_moment(there, new) and takes_moment(there, new)):
            continue
        if target == "tidb" or there.base_type == "timestamp":
            yield Cut(there.name, f"CURRENT_TIMESTAMP({new.fsp})", f"{quote_name(there.name)} IS NULL")


def paddings(ddl: Ddl, before: Table) -> Iterator[Cut]:
    """What TiDB's table lacks behind a statement that ran with PAD_CHAR_TO_FULL_LENGTH: the blanks of former CHARs."""
    for one in ddl.alterations:
        old = before.column(one.old) if isinstance(one, ChangeColumn) else None
        if not isinstance(one, ChangeColumn) or old is None or old.base_type != "char" or old.length is None:
            continue
        new = one.column.type
        if new.base in CHARACTER_TYPES - {"char"}:
            length = min(old.length, int(new.arguments[0])) if new.arguments else old.length
            name = quote_name(one.column.name)
            yield Cut(one.column.name, f"RPAD({name}, {length}, ' ')")


def fills_from_char(ddl: Ddl, present: Table | None) -> bool:
    """Whether a new column gets its values from a CHAR of a table that is there, whose blanks that mode shows."""
    for one in ddl.alterations if present is not None else ():
        if isinstance(one, AddColumn) and one.column.generated != "VIRTUAL":
            clauses = [clause for clause in one.column.clauses if clause.key in ("GENERATED", "AS", "DEFAULT")]
            names = (token for clause in clauses for token in names_in(tokenize(ddl.text[clause.start : clause.end])))
            read = (present.column(token.value) for token in names if present is not None)
            if any(column is not None and column.base_type == "char" for column in read):
                return True
    return False
