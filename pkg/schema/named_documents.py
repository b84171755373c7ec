"""Which parts of documents an expression names: MariaDB's are texts, and it reads some otherwise than others do.

Its JSON_EXTRACT gives numbers and escapes as they are written, and names in their order; its JSON_VALUE gives 1 for
`true`, and NULL for what is no scalar.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from pkg.schema.column_types import CHARACTER_TYPES, INTEGER_TYPES
from pkg.schema.document_names import BY_PATH
from pkg.schema.document_reads import Path, expressions_of, path_of
from pkg.schema.expression_tree import Call, Case, Literal, Name, Node, UnreadExpression, bare_expression, tree_of
from pkg.schema.letter_case import small
from pkg.schema.lexer import tokenize
from pkg.schema.table import Column, Table


class Taken(Enum):
    """What becomes of the value where the path ends, as far as servers make several things of it."""

    NOTHING = "nothing of that kind: it stays JSON"
    NUMBER = "a number, by JSON_EXTRACT with JSON_UNQUOTE or without"
    TEXT = "a text, by JSON_EXTRACT with JSON_UNQUOTE or without"
    WHOLE = "a text, of all of the document"
    SCALAR = "a number, by JSON_VALUE"
    SCALAR_TEXT = "a text, by JSON_VALUE"


@dataclass(frozen=True, slots=True)
class NamedPart:
    """``of`` is the column or key that is calculated; () is the whole document."""

    of: str
    path: Path
    taken: Taken = Taken.NOTHING


class _Use(Enum):
    """What becomes of the value of an expression."""

    JSON = "it stays JSON"
    NUMBER = "a number, or a truth"
    TEXT = "a text"


_TAKES = frozenset({"JSON_EXTRACT", "->", "->>"})
_NUMBERS = INTEGER_TYPES | {"decimal", "float", "double", "bit", "year"}
_OF_NUMBERS = frozenset({
    "+", "-", "*", "/", "DIV", "%", "MOD", "NEGATIVE", "ABS", "SIGN", "ROUND", "TRUNCATE", "FLOOR", "CEIL", "CEILING",
    "SQRT", "IS NULL", "ISNULL", "AND", "OR", "XOR", "NOT", "IS TRUE", "IS FALSE", "IS UNKNOWN",
    "JSON_VALID",
})  # fmt: skip
_CASTS_TO_NUMBERS = frozenset({"SIGNED", "UNSIGNED", "INTEGER", "INT", "DECIMAL", "DOUBLE", "FLOAT", "REAL"})
_COMPARES = frozenset({"=", "<>", "<", ">", "<=", ">=", "<=>", "IN", "BETWEEN"})
_PASSES = _TAKES | {
    "COALESCE", "IFNULL", "NULLIF", "GREATEST", "LEAST", "COLLATE", "CONVERT USING", "IF",
}  # fmt: skip
_OF_NO_DOCUMENT = frozenset({"JSON_OBJECT", "JSON_ARRAY", "JSON_QUOTE", "JSON_UNQUOTE", "JSON_VALID"})


def named_documents(table: Table) -> dict[str, tuple[NamedPart, ...]]:
    """What a table's generated columns and unique keys name of documents, by their columns in lower case."""
    found: dict[str, dict[NamedPart, None]] = {}
    for name, text, result in expressions_of(table):
        for column, path, taken in parts_named(text, result, table):
            found.setdefault(column, {})[NamedPart(name, path, taken)] = None
    return {column: tuple(parts) for column, parts in found.items()}


def texts_made(table: Table) -> dict[str, tuple[NamedPart, ...]]:
    """Those of them of which texts are made."""
    found = {name: tuple(filter(_makes_text, parts)) for name, parts in named_documents(table).items()}
    return {name: parts for name, parts in found.items() if parts}


def _makes_text(part: NamedPart) -> bool:
    return part.taken in (Taken.TEXT, Taken.WHOLE)


def parts_named(text: str, result: Column | None, table: Table) -> Iterator[tuple[str, Path, Taken]]:
    """What an expression names of columns of JSON, and of those of text that it reads as JSON; these in lower case.

    ``result``: the column that it fills.  What a generated column names is named by whoever names that one.
    """
    base = "" if result is None else result.base_type
    use = _Use.JSON if base == "json" else _Use.NUMBER if base in _NUMBERS else _Use.TEXT
    yield from _Reader(table).of_text(text, use, is_read=False)


class _Reader:
    """``is_read``: what is there is read as JSON."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._met: set[tuple[str, _Use, bool]] = set()  # generated columns

    def of_text(self, text: str, use: _Use, *, is_read: bool) -> Iterator[tuple[str, Path, Taken]]:
        tokens = bare_expression(tokenize(text))
        try:
            tree = tree_of(tokens)
        except UnreadExpression:  # it may read all that it names
            reads = is_read or any(map(_reads_json, (token.key for token in tokens)))
            for token in tokens:
                if token.is_name:
                    yield from self._column(token.value, (), use, is_read=reads)
            return
        yield from self._node(tree, use, is_read=is_read)

    def _node(self, node: Node, use: _Use, *, is_read: bool) -> Iterator[tuple[str, Path, Taken]]:
        if isinstance(node, Name):
            yield from self._column(node.text, (), use, is_read=is_read)
        elif isinstance(node, Case):
            tested = () if node.tested is None else (node.tested,)
            for one in (*tested, *node.whens):
                yield from self._node(one, _Use.NUMBER if node.tested is None else _Use.TEXT, is_read=is_read)
            for one in node.values:
                yield from self._node(one, use, is_read=is_read)
        elif isinstance(node, Call):
            first = node.arguments[0] if node.arguments else None
            if node.name in BY_PATH and isinstance(first, Name):
                taken = _taken(node, use)
                for path in [path_of(one) for one in node.arguments[1:]] or [()]:
                    yield from self._column(first.text, path, use, is_read=True, taken=taken)
                return
            for place, one in enumerate(node.arguments):
                used = _used(node, place, use)
                yield from self._node(one, used, is_read=is_read or _reads_json(node.name))

    def _column(
        self, name: str, path: Path, use: _Use, *, is_read: bool, taken: Taken = Taken.NOTHING
    ) -> Iterator[tuple[str, Path, Taken]]:
        column = self._table.column(name)
        if column is None or (column.name, use, is_read) in self._met:
            return
        if column.generated:
            self._met.add((column.name, use, is_read))
            yield from self.of_text(column.expression, use, is_read=is_read)
        elif column.base_type == "json" or (is_read and column.base_type in CHARACTER_TYPES):
            is_whole = use is _Use.TEXT and not is_read and column.base_type == "json"
            yield small(column.name), path, Taken.WHOLE if is_whole else taken


def _taken(node: Call, use: _Use) -> Taken:
    if node.name == "JSON_VALUE":
        return Taken.SCALAR if use is _Use.NUMBER else Taken.SCALAR_TEXT
    if node.name == "->>" and use is _Use.JSON:
        return Taken.TEXT
    is_number = use is _Use.NUMBER
    return Taken.NOTHING if node.name not in _TAKES or use is _Use.JSON else Taken.NUMBER if is_number else Taken.TEXT


def _used(node: Call, place: int, use: _Use) -> _Use:
    """How the call uses its argument at ``place``, where its own value is used so."""
    casts_to_number = node.name == "CAST" and node.words and node.words[0] in _CASTS_TO_NUMBERS
    of_number = node.name in _COMPARES and any(
        isinstance(one, Literal) and one.kind == "number" for one in node.arguments
    )
    if node.name in _OF_NUMBERS or casts_to_number or of_number or (node.name == "IF" and place == 0):
        return _Use.NUMBER
    if node.name in _PASSES:
        return use
    if node.name == "JSON_UNQUOTE":
        return _Use.NUMBER if use is _Use.NUMBER else _Use.TEXT
    return _Use.JSON if node.name.startswith("JSON_") else _Use.TEXT


def _reads_json(name: str) -> bool:
    return name in ("->", "->>") or (name.startswith("JSON_") and name not in _OF_NO_DOCUMENT)
