"""From the text of a CREATE TABLE to the table's structure."""

from __future__ import annotations

import re
from dataclasses import replace

from pkg.schema.charset import UTF8MB4, Charset
from pkg.schema.checks import created_checks
from pkg.schema.context import SHOWN_CONTEXT, DdlContext
from pkg.schema.create import build_table, read_create_body, read_create_head
from pkg.schema.cursor import Cursor, Unreadable
from pkg.schema.errors import UNREADABLE_TABLE, shortened
from pkg.schema.lexer import tokenize
from pkg.schema.table import Table

_LABELS = re.compile(r"^(  `(?:[^`]|``)+` (?:enum|set)\()((?:'(?:[^']|'')*',?)+)", re.MULTILINE)


def with_escaped_labels(shown: str) -> str:
    """TiDB's SHOW CREATE TABLE, which shows a backslash in a label of an ENUM or SET as it is, as others show it."""
    if "\\" not in shown:
        return shown
    return _LABELS.sub(lambda found: found[1] + found[2].replace("\\", "\\\\"), shown)


def parse_create_table(
    sql: str, schema: str, defaults: Charset = UTF8MB4, context: DdlContext = SHOWN_CONTEXT
) -> Table:
    """The structure that ``SHOW CREATE TABLE`` or, with its ``context``, a user's CREATE TABLE describes.

    ``defaults`` is the database's character set, for a table that names none.  A schema that the
    text itself names wins over ``schema``.
    """
    try:
        tokens = tokenize(sql, context.sql_mode)
        cursor = Cursor(sql, tokens)
        name, _ = read_create_head(cursor)
        spec = read_create_body(cursor, context.flavor)
        if not spec.columns:  # LIKE or SELECT
            raise Unreadable("the statement names no columns")
        table = build_table(spec, name.schema or schema, name.name, defaults, context)
        return replace(table, checks=created_checks(sql, spec, name.name))
    except ValueError as exc:  # Unreadable, LexicalError, or a length that is no number
        raise UNREADABLE_TABLE.error(schema=schema, reason=str(exc), sql=shortened(sql)) from exc
