"""The block-allow list: which upstream schemas and tables a task takes at all.

A schema passes when it is in ``do_dbs``, or, if that is empty, not in ``ignore_dbs``.  A table of such a
schema passes when it is in ``do_tables``; else not when it is in ``ignore_tables``; else when ``do_tables``
is empty.  Tables that online DDL makes for itself pass in no schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pkg.rules.pattern import Pattern, PatternIndex, compile_pattern
from pkg.rules.system_schemas import is_system_schema
from pkg.rules.table_index import TableIndex

_ANY_NAME = "\N{REPLACEMENT CHARACTER}"  # of a table that only a pattern for all of them hits


@dataclass(frozen=True, slots=True)
class BlockAllowRules:
    """Patterns of schemas, and of (schema, table) pairs."""

    do_dbs: tuple[str, ...] = ()
    do_tables: tuple[tuple[str, str], ...] = ()
    ignore_dbs: tuple[str, ...] = ()
    ignore_tables: tuple[tuple[str, str], ...] = ()


class BlockAllowList:
    """Compiled once per task; each name is decided once."""

    def __init__(
        self, rules: BlockAllowRules, case_sensitive: bool, leaves_out: Callable[[str], bool] | None = None
    ) -> None:
        """``leaves_out``: whether a table of that name is none of the task's in any schema."""
        self._case_sensitive = case_sensitive
        self._leaves_out = leaves_out
        self._do_dbs = self._schemas(rules.do_dbs)
        self._ignore_dbs = self._schemas(rules.ignore_dbs)
        self._do_tables = self._tables(rules.do_tables)
        self._ignore_tables = self._tables(rules.ignore_tables)
        self._takes_named_schemas_only = bool(rules.do_dbs)
        self._takes_named_tables_only = bool(rules.do_tables)
        self._decided: dict[tuple[str, str | None], bool] = {}

    def allows(self, schema: str, table: str | None = None) -> bool:
        """Whether the task takes the table; without ``table``, whether it takes the schema itself."""
        name = (schema, table or None)
        allowed = self._decided.get(name)
        if allowed is None:
            allowed = self._decided[name] = self._decide(schema, table)
        return allowed

    def takes_all(self, schema: str) -> bool:
        """Whether the task takes the schema with every table that may be in it."""
        if not self.allows(schema):
            return False
        schema = self._folded(schema)
        if _has(self._do_tables, schema, _ANY_NAME):
            return True
        return not self._takes_named_tables_only and not self._ignore_tables.names(schema)

    def _decide(self, schema: str, table: str | None) -> bool:
        if is_system_schema(schema):
            return False
        if table and self._leaves_out is not None and self._leaves_out(table):
            return False
        schema = self._folded(schema)
        if not self._takes_schema(schema):
            return False
        return not table or self._takes_table(schema, self._folded(table))

    def _takes_schema(self, schema: str) -> bool:
        if self._takes_named_schemas_only:
            return bool(self._do_dbs.matching(schema))
        return not self._ignore_dbs.matching(schema)

    def _takes_table(self, schema: str, table: str) -> bool:
        if _has(self._do_tables, schema, table):
            return True
        return not _has(self._ignore_tables, schema, table) and not self._takes_named_tables_only

    def _schemas(self, patterns: Iterable[str]) -> PatternIndex[str]:
        return PatternIndex((self._pattern(text), text) for text in patterns)

    def _tables(self, pairs: Iterable[tuple[str, str]]) -> TableIndex[str]:
        return TableIndex((self._pattern(schema), self._pattern(table), table) for schema, table in pairs)

    def _pattern(self, text: str) -> Pattern:
        return compile_pattern(text, self._case_sensitive)

    def _folded(self, name: str) -> str:
        return name if self._case_sensitive else name.lower()


def _has(tables: TableIndex[str], schema: str, table: str) -> bool:
    return bool(tables.of_schema(schema)[1].matching(table))
