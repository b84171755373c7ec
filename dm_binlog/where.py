"""--where: whether an event is about one of the tables that are asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dm_binlog.items import Meaning, Opened, Rows, Statement, Unreadable
from pkg.errors import DMError
from pkg.schema.ddl import parse_ddl
from pkg.schema.statement import DATABASE_KINDS, DdlKind

_NAME = re.compile(r"`((?:[^`]|``)*)`|([\w$*?\u0080-\uffff-]+)")


class Where:
    """Patterns `db.table`; `*` stands for any characters and `?` for one."""

    def __init__(self, patterns: Sequence[str]) -> None:
        """ValueError for what is no pattern."""
        self._patterns = [_pattern(text) for text in patterns]
        self.is_set = bool(patterns)

    def is_about(self, meaning: Meaning) -> bool | None:
        """None: it goes with its transaction."""
        if not self._patterns:
            return True
        match meaning:
            case Opened(layout) | Rows(layout):
                return self.matches(layout.schema, layout.table)
            case Unreadable(table) if table:
                return self.matches(*table.split(".", 1))
            case Statement(schema, sql):
                tables = _tables(sql, schema)
                return None if tables is None else any(self.matches(*name) for name in tables)
        return None

    def matches(self, schema: str, table: str) -> bool:
        return any(
            first.fullmatch(schema) and (not table or second.fullmatch(table)) for first, second in self._patterns
        )


def split_name(text: str) -> tuple[str, str]:
    """`db.table`, each with or without backticks.  ValueError for anything else."""
    first = _NAME.match(text)
    second = _NAME.fullmatch(text, first.end() + 1) if first and text[first.end() : first.end() + 1] == "." else None
    if first is None or second is None:
        raise ValueError(f"{text!r} is no table; write db.table, or db.* for all of a database")
    return _unquoted(first), _unquoted(second)


def _unquoted(name: re.Match[str]) -> str:
    return name[2] if name[1] is None else name[1].replace("``", "`")


def _pattern(text: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    schema, table = split_name(text)
    return _regex(schema), _regex(table)


def _regex(pattern: str) -> re.Pattern[str]:
    escaped = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.compile(escaped, re.IGNORECASE | re.DOTALL)


def _tables(sql: str, schema: str) -> list[tuple[str, str]] | None:
    """The tables that a statement is about; ("db", "") for one in a database; None: it goes with its transaction."""
    try:
        ddl = parse_ddl(sql, default_schema=schema)
    except DMError:
        return [(schema, "")]
    if ddl.kind in (DdlKind.SAVEPOINT, DdlKind.XA):
        return None
    if ddl.kind in DATABASE_KINDS:
        return [(ddl.subject.schema, "")]
    return [(table.schema, table.table) for table in ddl.tables] or [(schema, "")]
