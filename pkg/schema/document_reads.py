"""What an expression takes out of a column of JSON, and as what: the types that JSON text does not say matter or not.

A document of MySQL may hold values of SQL types (a DECIMAL, a DATE).  Its text has them as numbers and strings, which
is what another server gets.  Most expressions give the same for both: those that take texts out of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from pkg.schema.column_types import INTEGER_TYPES, TEXT_TYPES
from pkg.schema.expression_tree import Call, Case, Literal, Name, Node, UnreadExpression, bare_expression, tree_of
from pkg.schema.letter_case import small
from pkg.schema.lexer import tokenize
from pkg.schema.table import Column, Table

Path = tuple[str | int, ...]


class Form(Enum):
    """What becomes of the value that is read."""

    JSON = "JSON"  # it stays one
    TEXT = "a text"
    NUMBER_OF_TEXT = "a number of its text"
    DOUBLE = "a double"
    DECIMAL = "a decimal"
    INTEGER = "an integer"
    DATE = "a day"
    DATETIME = "a moment"
    TIME = "a time"
    TYPED = "something that depends on its type"


@dataclass(frozen=True, slots=True)
class DocumentRead:
    """``of`` is the column or key that is calculated; () is the whole document; ``digits`` behind a decimal's point."""

    of: str
    path: Path
    form: Form
    digits: int = 0

    @property
    def shown_path(self) -> str:
        """Where it reads, for errors; "" for all of the document."""
        legs = [f"[{leg}]" if isinstance(leg, int) else f".{json.dumps(leg, ensure_ascii=False)}" for leg in self.path]
        return f" at ${''.join(legs)}" if legs else ""


@dataclass(frozen=True, slots=True)
class _Use:
    form: Form
    digits: int = 0


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LEG = re.compile(r'\s*(?:\.\s*(?:("(?:[^"\\]|\\.)*")|([^\s.\[*"]+))|\[\s*(\d{1,10})\s*\])')
_TAKES = frozenset({"JSON_EXTRACT", "->"})
_TAKES_TEXT = frozenset({"JSON_UNQUOTE", "->>"})
_OF_SHAPE = frozenset({"JSON_LENGTH", "JSON_DEPTH", "JSON_KEYS", "JSON_CONTAINS_PATH", "JSON_VALID"})
_OF_PRESENCE = frozenset({"IS NULL", "ISNULL"})
OF_TEXTS = _names(
    "CONCAT CONCAT_WS LENGTH OCTET_LENGTH BIT_LENGTH CHAR_LENGTH CHARACTER_LENGTH LOWER LCASE UPPER UCASE MD5 SHA SHA1 "
    "SHA2 CRC32 HEX TO_BASE64 SUBSTRING SUBSTR MID LEFT RIGHT SUBSTRING_INDEX REPLACE TRIM LTRIM RTRIM REVERSE REPEAT "
    "LPAD RPAD LOCATE INSTR LIKE REGEXP REGEXP_LIKE"
)
_ARITHMETIC = frozenset({"+", "-", "*", "/", "NEGATIVE"})
_CHOOSES = frozenset({"COALESCE", "IFNULL", "IF", "COLLATE", "CONVERT USING"})
_COMPARES = frozenset({"=", "<>", "<", ">", "<=", ">=", "<=>"})
_TYPED, _TEXT, _JSON, _DOUBLE = _Use(Form.TYPED), _Use(Form.TEXT), _Use(Form.JSON), _Use(Form.DOUBLE)
_MOMENTS = {"DATE": _Use(Form.DATE), "DATETIME": _Use(Form.DATETIME), "TIME": _Use(Form.TIME)}
_STORED = {
    "json": _JSON, "double": _DOUBLE, "float": _DOUBLE, "date": _MOMENTS["DATE"], "datetime": _MOMENTS["DATETIME"],
    "timestamp": _MOMENTS["DATETIME"], "time": _MOMENTS["TIME"],
}  # fmt: skip
_OF_NUMBERS = (Form.DOUBLE, Form.DECIMAL, Form.INTEGER)
_EXACT_DIGITS = 15  # of a number that a double holds
_WITHOUT_PATH = 2  # arguments
_MOST_NESTED = 10  # generated columns that read one another


def documents_read(table: Table) -> dict[str, tuple[DocumentRead, ...]]:
    """What a table's generated columns and unique keys take out of its columns of JSON, by these in lower case.

    What a generated JSON column takes is counted for whoever reads that one.
    """
    found: dict[str, list[DocumentRead]] = {}
    for name, text, result in calculated(table):
        for column, read in reads_of(name, text, result, table):
            found.setdefault(column, []).append(read)
    return {column: tuple(dict.fromkeys(reads)) for column, reads in found.items()}


def calculated(table: Table) -> Iterator[tuple[str, str, Column | None]]:
    """Those of `expressions_of` that are no JSON."""
    yield from (one for one in expressions_of(table) if one[2] is None or one[2].base_type != "json")


def expressions_of(table: Table) -> Iterator[tuple[str, str, Column | None]]:
    """Generated columns and the expressions of unique keys: a name, the text, the column."""
    for column in table.columns:
        if column.generated and column.expression:
            yield f"the generated column {column.name}", column.expression, column
    for index in table.indexes:
        for part in index.columns if index.unique else ():
            if part.startswith("("):
                yield f"the unique key {index.name}", part, None


def reads_of(name: str, text: str, result: Column | None, table: Table) -> Iterator[tuple[str, DocumentRead]]:
    """What one expression takes out of which column of JSON; ``result``: the column that it fills."""
    yield from _Reader(name, table).of_text(text, _stored_as(result))


def _stored_as(result: Column | None) -> _Use:
    if result is None:
        return _TYPED
    if result.base_type in INTEGER_TYPES:
        return _Use(Form.INTEGER)
    if result.base_type in TEXT_TYPES:
        return _TEXT
    sizes = re.match(r"\w+\(\d+(?:,\s*(\d+))?\)", result.type)
    if result.base_type == "decimal":
        return _Use(Form.DECIMAL, int(sizes[1] or 0) if sizes else 0)
    return _STORED.get(result.base_type, _TYPED)


def _returned(words: tuple[str, ...], use: _Use) -> _Use:
    """What JSON_VALUE makes of a value; a decimal has the digits of the value, whatever is said."""
    returned = _cast_to(words, use) if words else _TEXT
    return _TYPED if returned.form is Form.DECIMAL and use.form not in _OF_NUMBERS else returned


def _cast_to(words: tuple[str, ...], use: _Use) -> _Use:
    """How a value is used that is cast for ``use``."""
    word = words[0] if words else ""
    if word in ("CHAR", "NCHAR", "VARCHAR", "BINARY"):
        return _TEXT
    if word in ("SIGNED", "UNSIGNED", "INTEGER", "INT") and "ARRAY" not in words:
        return _Use(Form.INTEGER)
    if word in ("DOUBLE", "FLOAT", "REAL"):
        return _DOUBLE
    if word == "DECIMAL" and "ARRAY" not in words:
        return _Use(Form.DECIMAL, int([*(one for one in words if one.isdigit()), "0", "0"][1]))
    return use if word == "JSON" else _TYPED if "ARRAY" in words else _MOMENTS.get(word, _TYPED)


class _Reader:
    def __init__(self, name: str, table: Table) -> None:
        self._name = name
        self._table = table
        self._nested = 0

    def of_text(self, text: str, use: _Use) -> Iterator[tuple[str, DocumentRead]]:
        """Of an expression; one that cannot be read may do all with the columns that it names."""
        tokens = bare_expression(tokenize(text))
        try:
            tree = tree_of(tokens)
        except UnreadExpression:
            for token in tokens:
                if token.is_name:
                    yield from self._document(token.value, (), _TYPED)
            return
        yield from self._reads(tree, use)

    def _reads(self, node: Node, use: _Use) -> Iterator[tuple[str, DocumentRead]]:
        """What is taken out of documents for a value that is used so."""
        if isinstance(node, Name):
            yield from self._document(node.text, (), use)
        elif isinstance(node, Case):
            for one in (*([node.tested] if node.tested is not None else []), *node.whens):
                yield from self._reads(one, _TYPED)
            yield from self._chosen(node.values, use)
        elif isinstance(node, Call):
            yield from self._call(node, use)

    def _chosen(self, nodes: Sequence[Node], use: _Use) -> Iterator[tuple[str, DocumentRead]]:
        """Of values of which the result is one: texts are used as it is, JSON may become something else before."""
        for one in nodes:
            is_text = use.form is Form.TEXT or (isinstance(one, Call) and one.name in _TAKES_TEXT)
            yield from self._reads(one, use if is_text else _TYPED)

    def _call(self, node: Call, use: _Use) -> Iterator[tuple[str, DocumentRead]]:
        name, arguments = node.name, node.arguments
        first = arguments[0] if arguments else None
        if name in _OF_SHAPE or (name in _OF_PRESENCE and _takes(first)):
            return
        if name in _TAKES and isinstance(first, Name):
            for path in arguments[1:]:
                yield from self._document(first.text, path_of(path), use)
        elif name == "->>" and isinstance(first, Name):
            yield from self._document(first.text, path_of(arguments[1]), _of_text(use))
        elif name == "JSON_VALUE" and isinstance(first, Name):
            yield from self._document(first.text, path_of(arguments[1]), _returned(node.words, use))
        elif name == "JSON_CONTAINS" and isinstance(first, Name) and len(arguments) > _WITHOUT_PATH:
            yield from self._document(first.text, path_of(arguments[2]), _TYPED)
            yield from self._reads(arguments[1], _TYPED)
        elif name in _TAKES_TEXT and first is not None:
            yield from self._reads(first, _of_text(use))
        elif name == "CAST" and first is not None:
            yield from self._reads(first, _cast_to(node.words, use))
        elif name in _CHOOSES:
            yield from self._reads(arguments[0], _TYPED) if name == "IF" else ()
            yield from self._chosen(arguments[name == "IF" :], use)
        else:
            for one in arguments:
                yield from self._reads(one, _as_argument(node))

    def _document(self, name: str, path: Path, use: _Use) -> Iterator[tuple[str, DocumentRead]]:
        column = self._table.column(name)
        if column is None or column.base_type != "json" or use.form is Form.JSON:
            return
        if not column.generated:
            yield small(column.name), DocumentRead(self._name, path, use.form, use.digits)
        elif self._nested < _MOST_NESTED:
            self._nested += 1
            for above, read in self.of_text(column.expression, _TYPED):
                yield above, replace(read, form=use.form, digits=use.digits)
            self._nested -= 1


def _as_argument(node: Call) -> _Use:
    """How a call uses its arguments."""
    if node.name in OF_TEXTS:
        return _TEXT
    of_numbers = node.name in _COMPARES and any(map(_is_integer, node.arguments))
    return _DOUBLE if of_numbers or node.name in _ARITHMETIC else _TYPED


def _is_integer(node: Node) -> bool:
    return (
        isinstance(node, Literal) and node.kind == "number" and node.text.isdigit() and len(node.text) <= _EXACT_DIGITS
    )


def _takes(node: Node | None) -> bool:
    """Whether it is a column, or what is taken out of one."""
    return isinstance(node, Name) or (
        isinstance(node, Call) and node.name in _TAKES | _TAKES_TEXT | {"JSON_VALUE"} and _takes(node.arguments[0])
    )


def _of_text(use: _Use) -> _Use:
    """How the text of a value is used that is used so."""
    return _Use(Form.NUMBER_OF_TEXT) if use.form in _OF_NUMBERS else _TEXT


def path_of(node: Node) -> Path:
    """As far as it names one part of a document: up to a wildcard, or a place counted from the end."""
    legs: list[str | int] = []
    text = node.text if isinstance(node, Literal) else ""
    at = 1
    while at < len(text) and (found := _LEG.match(text, at)):
        quoted, plain, number = found.groups()
        try:
            legs.append(int(number) if number is not None else plain if plain is not None else json.loads(quoted))
        except ValueError:  # MariaDB takes names that are no JSON
            break
        at = found.end()
    return tuple(legs)
