"""Documents of which an expression takes another value than of their text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from pkg.binlog.json_binary import Node, SqlScalar, double_text
from pkg.schema.document_reads import DocumentRead, Form

_EXACT = 1 << 53  # up to there a double holds all integers
_LARGEST = 1 << 63
_OF_TEXT = (Form.TEXT, Form.NUMBER_OF_TEXT)
_MOMENTS = {Form.DATE: ("DATE", "DATETIME"), Form.DATETIME: ("DATETIME",), Form.TIME: ("TIME",)}


def unlike_read(tree: Node, reads: Sequence[DocumentRead]) -> tuple[DocumentRead, SqlScalar] | None:
    """The first of ``reads`` that is another value where the document is read from its text, and the scalar."""
    for read in reads:
        for scalar in _scalars(_part(tree, read.path)):
            if not _is_same(scalar, read):
                return read, scalar
    return None


def _part(node: Node | None, path: Sequence[str | int]) -> Node | None:
    """What stands there; a scalar or an object is the only element of its array."""
    for leg in path:
        if isinstance(leg, int):
            if isinstance(node, list):
                node = node[leg] if leg < len(node) else None
            elif leg:
                return None
        else:
            node = node.get(leg) if isinstance(node, dict) else None
    return node


def _scalars(node: Node | None) -> Iterator[SqlScalar]:
    """Those of SQL types."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, SqlScalar):
            yield one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _is_same(scalar: SqlScalar, read: DocumentRead) -> bool:
    if scalar.sql_type != "DECIMAL":
        return read.form in _OF_TEXT or scalar.sql_type in _MOMENTS.get(read.form, ())
    text = _as_read_again(scalar)
    if read.form is Form.TEXT:
        return text == scalar
    number = Decimal(scalar)
    if Decimal(text) != number:
        return False
    if read.form is Form.NUMBER_OF_TEXT:
        return "e" not in text
    digits = len(scalar.partition(".")[2].rstrip("0"))
    if read.form is Form.DECIMAL:
        return digits <= read.digits
    if read.form is Form.INTEGER:
        return not digits and abs(number) < (_EXACT if "." in scalar else _LARGEST)
    return read.form is Form.DOUBLE


def _as_read_again(decimal: str) -> str:
    """How a server writes a decimal's text that it has read: an integer, or a double."""
    if "." not in decimal and -(1 << 63) <= int(decimal) < 1 << 64:
        return decimal
    return double_text(float(decimal))
