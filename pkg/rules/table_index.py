"""An index of rules that name tables by a pattern of schemas and one of tables, or whole schemas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from pkg.rules.pattern import Pattern, PatternIndex

_Value = TypeVar("_Value")
_Entry = tuple[Pattern | None, _Value]
OfSchema = tuple[list[_Value], PatternIndex[_Value]]
"""The values for the whole schema, and those by patterns of tables."""


class TableIndex(Generic[_Value]):
    """Schemas that the same patterns hit share what was found for them: many rules × many schemas cost little."""

    def __init__(self, entries: Iterable[tuple[Pattern, Pattern | None, _Value]]) -> None:
        patterns: dict[str, Pattern] = {}
        self._entries: dict[str, list[_Entry[_Value]]] = {}
        for schema, table, value in entries:
            patterns[schema.text] = schema
            self._entries.setdefault(schema.text, []).append((table, value))
        self._patterns = PatternIndex((pattern, text) for text, pattern in patterns.items())
        self._of_schema: dict[str, OfSchema[_Value]] = {}
        self._of_patterns: dict[tuple[str, ...], OfSchema[_Value]] = {}

    def of_schema(self, schema: str) -> OfSchema[_Value]:
        """What may hit in a schema; its name is in lower case unless case matters."""
        found = self._of_schema.get(schema)
        if found is None:
            texts = tuple(self._patterns.matching(schema))
            found = self._of_patterns.get(texts)
            if found is None:
                found = self._of_patterns[texts] = self._made(texts)
            self._of_schema[schema] = found
        return found

    def names(self, schema: str) -> bool:
        """Whether an entry is about a schema or tables of it; its name as in `of_schema`."""
        return bool(self._patterns.matching(schema))

    def _made(self, texts: tuple[str, ...]) -> OfSchema[_Value]:
        entries = [entry for text in texts for entry in self._entries[text]]
        tables = PatternIndex((table, value) for table, value in entries if table is not None)
        return [value for table, value in entries if table is None], tables
