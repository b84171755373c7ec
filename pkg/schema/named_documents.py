"""Which parts of documents an expression names: MariaDB's are texts, and it reads some otherwise than others do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pkg.schema.column_types import CHARACTER_TYPES
from pkg.schema.document_names import BY_PATH
from pkg.schema.document_reads import Path, expressions_of, path_of
from pkg.schema.expression_tree import Call, Case, Name, Node, UnreadExpression, bare_expression, tree_of
from pkg.schema.lexer import tokenize
from pkg.schema.table import Table


@dataclass(frozen=True, slots=True)
class NamedPart:
    """``of`` is the column or key that is calculated; () is the whole document."""

    of: str
    path: Path


_OF_NO_DOCUMENT = frozenset({"JSON_OBJECT", "JSON_ARRAY", "JSON_QUOTE", "JSON_UNQUOTE", "JSON_VALID"})


def named_documents(table: Table) -> dict[str, tuple[NamedPart, ...]]:
    """What a table's generated columns and unique keys name of documents, by their columns in lower case."""
    found: dict[str, dict[NamedPart, None]] = {}
    for name, text, _ in expressions_of(table):
        for column, path in parts_named(text, table):
            found.setdefault(column, {})[NamedPart(name, path)] = None
    return {column: tuple(parts) for column, parts in found.items()}


def parts_named(text: str, table: Table) -> Iterator[tuple[str, Path]]:
    """What an expression names of columns of JSON, and of those of text that it reads as JSON; these in lower case.

    What a generated column names is named by whoever names that one.
    """
    yield from _Reader(table).of_text(text, is_read=False)


class _Reader:
    """``is_read``: what is there is read as JSON."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._met: set[tuple[str, bool]] = set()  # generated columns

    def of_text(self, text: str, *, is_read: bool) -> Iterator[tuple[str, Path]]:
        tokens = bare_expression(tokenize(text))
        try:
            tree = tree_of(tokens)
        except UnreadExpression:  # it may read all that it names
            reads = is_read or any(map(_reads_json, (token.key for token in tokens)))
            for token in tokens:
                if token.is_name:
                    yield from self._column(token.value, (), is_read=reads)
            return
        yield from self._node(tree, is_read=is_read)

    def _node(self, node: Node, *, is_read: bool) -> Iterator[tuple[str, Path]]:
        if isinstance(node, Name):
            yield from self._column(node.text, (), is_read=is_read)
        elif isinstance(node, Case):
            tested = () if node.tested is None else (node.tested,)
            for one in (*tested, *node.whens, *node.values):
                yield from self._node(one, is_read=is_read)
        elif isinstance(node, Call):
            first = node.arguments[0] if node.arguments else None
            if node.name in BY_PATH and isinstance(first, Name):
                for path in [path_of(one) for one in node.arguments[1:]] or [()]:
                    yield from self._column(first.text, path, is_read=True)
                return
            for one in node.arguments:
                yield from self._node(one, is_read=is_read or _reads_json(node.name))

    def _column(self, name: str, path: Path, *, is_read: bool) -> Iterator[tuple[str, Path]]:
        column = self._table.column(name)
        if column is None or (column.name, is_read) in self._met:
            return
        if column.generated:
            self._met.add((column.name, is_read))
            yield from self.of_text(column.expression, is_read=is_read)
        elif column.base_type == "json" or (is_read and column.base_type in CHARACTER_TYPES):
            yield column.name.lower(), path


def _reads_json(name: str) -> bool:
    return name in ("->", "->>") or (name.startswith("JSON_") and name not in _OF_NO_DOCUMENT)
