"""Characters of four bytes that a server shows as `?`: which texts of a structure may have them, and the true ones.

SHOW CREATE TABLE and INFORMATION_SCHEMA of MySQL and MariaDB have `?` for such a character in a label of an ENUM or
SET, and MariaDB's in a default, too.  Rows and defaults have the character: a query tells it, also of an empty table.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pkg.schema.charset import LONGEST_BYTES, MAX_BYTES, UTF8MB4
from pkg.schema.columns import ColumnSpec
from pkg.schema.context import SHOWN_CONTEXT
from pkg.schema.create import read_create_body, read_create_head
from pkg.schema.cursor import Clause, Cursor
from pkg.schema.lexer import Kind, Token, quote_name, quote_string, string_value, tokenize
from pkg.schema.statement import Edit, edited
from pkg.schema.table import Column, Table

MARK = "?"
_OF_FOUR_BYTES = re.compile("[\U00010000-\U0010ffff]")
_MOST_ASKED = 200  # labels by one query

Answers = Mapping[int, str | None]
"""By where a text stands, what it truly is; None: the server did not say."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A text with a `?` that may stand for another character."""

    column: str
    base_type: str
    place: int  # of a label, from 1 on; 0: the default
    shown: str
    start: int  # where its literal stands
    end: int

    def may_be(self, text: str) -> bool:
        """Whether a server shows ``text`` so."""
        return self.shown in (text, _as_shown(text))


def doubts(shown: str, flavor: str) -> list[Doubt]:
    """Those of SHOW CREATE TABLE of a server of this flavour; none where it shows no table."""
    if MARK not in shown or flavor == "tidb":
        return []
    try:
        tokens = tokenize(shown, SHOWN_CONTEXT.sql_mode)
        cursor = Cursor(shown, tokens)
        read_create_head(cursor)
        spec = read_create_body(cursor, SHOWN_CONTEXT.flavor)
        options = SHOWN_CONTEXT.resolved(spec.options.charset, spec.options.collation, UTF8MB4)
        settled = [one.column(options, SHOWN_CONTEXT) for one in spec.columns]
    except ValueError:  # a view, or what the reader of the whole says itself
        return []
    pairs = zip(spec.columns, settled, strict=True)
    return [doubt for one, column in pairs for doubt in _of_column(one, column, tokens, flavor)]


def _of_column(spec: ColumnSpec, column: Column, tokens: Sequence[Token], flavor: str) -> Iterator[Doubt]:
    if MAX_BYTES.get(column.charset or "") != LONGEST_BYTES:
        return
    literals = _literals(spec.type_clause, tokens)
    places = [(place, one) for place, one in enumerate(literals, 1)] if len(literals) == len(column.labels) else []
    if flavor == "mariadb" and (column.default or "").startswith("'"):
        places += [(0, one) for clause in spec.clauses if clause.key == "DEFAULT" for one in _literals(clause, tokens)]
    for place, token in places:
        text = string_value(token.text)
        if MARK in text:
            yield Doubt(column.name, column.base_type, place, text, token.start, token.end)


def _literals(clause: Clause, tokens: Sequence[Token]) -> list[Token]:
    return [one for one in tokens if clause.start <= one.start < clause.end and one.kind is Kind.STRING]


def questions(found: Sequence[Doubt], table: str, flavor: str) -> Iterator[tuple[Sequence[Doubt], str]]:
    """Doubts, and the query that tells the true text of each as hexadecimal digits in utf8mb4, a column for each.

    ``table`` is quoted.  No query reads a row, and each names the table once, as it is called: LOCK TABLES allows that.
    """
    for name in dict.fromkeys(one.column for one in found if one.place):
        labels = [one for one in found if one.place and one.column == name]
        for first in range(0, len(labels), _MOST_ASKED):
            part = labels[first : first + _MOST_ASKED]
            is_declared = flavor == "mariadb" and labels[0].base_type == "set"
            yield part, _declared(part, table) if is_declared else _labels_query(part, table)
    defaults = [one for one in found if not one.place]
    if defaults:
        yield defaults, _defaults_query(defaults, table)


def _labels_query(labels: Sequence[Doubt], table: str) -> str:
    """A recursive CTE has the types of its first SELECT: numbers become labels in it."""
    wanted = " UNION ALL ".join(f"SELECT {_number(one)} AS n, {place} AS p" for place, one in enumerate(labels, 1))
    shown = ", ".join(f"MAX(CASE WHEN p = {place} THEN {_hex('v')} END)" for place in range(1, len(labels) + 1))
    return (
        f"WITH RECURSIVE c AS (SELECT {table}.{quote_name(labels[0].column)} AS v, 0 AS p "
        f"FROM (SELECT 1) d LEFT JOIN {table} ON FALSE "
        f"UNION ALL SELECT w.n, w.p FROM c JOIN ({wanted}) w WHERE c.p = 0) SELECT {shown} FROM c"
    )


def _declared(labels: Sequence[Doubt], table: str) -> str:
    """MariaDB cuts a SET's number to a byte in a CTE; a variable of a block has room for it."""
    names = [f"x{place}" for place in range(len(labels))]
    values = ", ".join(f"{name} = {_number(one)}" for name, one in zip(names, labels, strict=True))
    return (
        f"BEGIN NOT ATOMIC DECLARE {', '.join(names)} TYPE OF {table}.{quote_name(labels[0].column)}; SET {values}; "
        f"SELECT {', '.join(map(_hex, names))}; END"
    )


def _number(label: Doubt) -> str:
    return f"1 << {label.place - 1}" if label.base_type == "set" else str(label.place)


def _defaults_query(defaults: Sequence[Doubt], table: str) -> str:
    """MariaDB tells the default of a derived table's column; LIMIT has it be one, and not the table itself."""
    names = [quote_name(one.column) for one in defaults]
    shown = ", ".join(_hex(f"DEFAULT(x.{name})") for name in names)
    return f"SELECT {shown} FROM (SELECT 1) d LEFT JOIN (SELECT {', '.join(names)} FROM {table} LIMIT 0) x ON FALSE"


def _hex(text: str) -> str:
    return f"HEX(CONVERT({text} USING utf8mb4))"


def with_true_texts(shown: str, found: Collection[Doubt], answers: Answers) -> str:
    """The statement with the texts that were told; each is one that the server shows so."""
    edits: list[Edit] = [
        (one.start, one.end, quote_string(text))
        for one in found
        if (text := answers.get(one.start)) is not None and text != one.shown
    ]
    return edited(shown, edits)


def with_told_labels(table: Table, now: Table | None) -> Table:
    """The table, with labels in doubt as the upstream tells them now, where it still shows the same ones."""
    columns = tuple(_told(one, now.column(one.name)) if one.doubtful and now else one for one in table.columns)
    is_told = any(one.doubtful and not new.doubtful for one, new in zip(table.columns, columns, strict=True))
    return replace(table, columns=columns) if is_told else table


def _told(column: Column, now: Column | None) -> Column:
    if now is None or now.doubtful or (now.base_type, now.charset) != (column.base_type, column.charset):
        return column
    if [_as_shown(one) for one in now.labels] != [_as_shown(one) for one in column.labels]:
        return column
    return replace(column, type=now.type, labels=now.labels, doubtful=False)


def _as_shown(text: str) -> str:
    return _OF_FOUR_BYTES.sub(MARK, text)


def with_doubts(table: Table, columns: Collection[str]) -> Table:
    """The table, of whose columns these have labels in doubt."""
    if not columns:
        return table
    return replace(table, columns=tuple(replace(one, doubtful=one.name in columns) for one in table.columns))
