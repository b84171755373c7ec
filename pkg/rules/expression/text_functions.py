"""Functions of texts."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pkg.rules.expression import convert
from pkg.rules.expression.collation import collation
from pkg.rules.expression.compare import as_bytes, joined, operands
from pkg.rules.expression.functions import Function, Functions
from pkg.rules.expression.node import INT, UNSIGNED, Kind, Level, Node, RowImage, Type, made_of, strict
from pkg.rules.expression.patterns import regexp
from pkg.rules.expression.problem import BadExpression, BadValue

_CASED = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ").union(map(chr, range(0x410, 0x450)))
MAX_TEXT = 1 << 20  # characters that REPEAT and the like may make


def _of_text(call: Callable[..., Any]) -> Function:
    """Text in, text of the same collation out; bytes stay bytes."""

    def build(arguments: Sequence[Node], at: int) -> Node:
        first, rest = arguments[0], [convert.integer(argument) for argument in arguments[1:]]
        node = first if first.kind is Kind.BYTES else convert.text(first)
        return made_of(_plain(node.type), strict(call, node, *rest), [first, *rest], at)

    return Function(1, 1, build)


def _plain(type_: Type) -> Type:
    return replace(type_, scale=0)


def _cased(change: Callable[[str], str]) -> Function:
    def call(value: Any) -> Any:
        if isinstance(value, bytes):
            return value
        return change(value) if value.isascii() else "".join([_simple(letter, change) for letter in value])

    return _of_text(call)


def _simple(letter: str, change: Callable[[str], str]) -> str:
    """Raises BadValue for a letter whose other case servers, or their versions, do not agree on."""
    is_cased = letter.lower() != letter or letter.upper() != letter
    if is_cased and not letter.isascii() and letter not in _CASED:
        raise BadValue(f"the other case of {letter!r} is not known to be the same on servers")
    return change(letter)


def _part(call: Callable[..., Any], least: int, most: int) -> Function:
    return replace(_of_text(call), least=least, most=most)


def _substring(value: Any, position: int, length: int | None = None) -> Any:
    start = position - 1 if position > 0 else len(value) + position
    if position == 0 or start < 0 or (length is not None and length <= 0):
        return value[:0]
    return value[start:] if length is None else value[start : start + length]


def _left(value: Any, length: int) -> Any:
    return value[: max(0, length)]


def _right(value: Any, length: int) -> Any:
    return value[max(0, len(value) - length) :] if length > 0 else value[:0]


def _repeat(value: Any, times: int) -> Any:
    if times > 0 and len(value) * times > MAX_TEXT:
        raise BadValue(f"REPEAT makes more than {MAX_TEXT} characters")
    return value * max(0, times)


def _length(arguments: Sequence[Node], at: int) -> Node:
    raw = as_bytes(arguments[0])
    return made_of(INT, strict(len, raw), arguments, at)


def _characters(arguments: Sequence[Node], at: int) -> Node:
    node = arguments[0] if arguments[0].kind is Kind.BYTES else convert.text(arguments[0])
    return made_of(INT, strict(len, node), arguments, at)


def _concat(arguments: Sequence[Node], at: int) -> Node:
    nodes, type_ = _texts(arguments)
    return made_of(type_, strict(lambda *values: type(values[0])().join(values), *nodes), arguments, at)


def _concat_ws(arguments: Sequence[Node], at: int) -> Node:
    nodes, type_ = _texts(arguments)
    runs = [node.run for node in nodes]

    def run(row: RowImage) -> Any:
        separator, *values = (one(row) for one in runs)
        return None if separator is None else separator.join([value for value in values if value is not None])

    return made_of(type_, run, arguments, at)


def _texts(arguments: Sequence[Node]) -> tuple[list[Node], Type]:
    """All as texts, or as bytes where one is bytes."""
    if any(argument.kind is Kind.BYTES for argument in arguments):
        return [as_bytes(argument) for argument in arguments], Type(Kind.BYTES)
    nodes = [convert.text(argument) for argument in arguments]
    joint = nodes[0]
    for node in nodes[1:]:
        if node.kind is not Kind.NULL:
            joint = node if joint.kind is Kind.NULL else Node(joined(joint, node), node.run)
    return nodes, joint.type


def _replace(arguments: Sequence[Node], at: int) -> Node:
    if not all(node.constant for node in arguments[1:]):
        raise BadExpression("what REPLACE takes away and puts in are constants here", at)
    nodes, type_ = _texts(arguments)

    def call(value: Any, old: Any, new: Any) -> Any:
        return value.replace(old, new) if old else value

    return made_of(type_, strict(call, *nodes), arguments, at)


def trimmed(node: Node, remove: Node | None, side: str, at: int) -> Node:
    """TRIM([side remove FROM] node)."""
    if remove is not None and not remove.constant:
        raise BadExpression("what TRIM takes away is a constant here", remove.at)
    parts = [node] if remove is None else [node, remove]
    nodes, type_ = _texts(parts)

    def call(value: Any, what: Any = None) -> Any:
        what = what if what is not None else (b" " if isinstance(value, bytes) else " ")
        while what and side in ("BOTH", "LEADING") and value.startswith(what):
            value = value[len(what) :]
        while what and side in ("BOTH", "TRAILING") and value.endswith(what):
            value = value[: -len(what)]
        return value

    return made_of(type_, strict(call, *nodes), parts, at)


def found_at(needle: Node, hay: Node, at: int, start: Node | None = None) -> Node:
    """LOCATE, INSTR, POSITION: from 1; 0 when it is not there."""
    nodes, type_ = _texts([hay, needle])
    sets = {node.type.collation.partition("_")[0] for node in nodes if node.kind is Kind.TEXT and not node.constant}
    if len(sets) > 1:
        raise BadExpression("texts of two character sets are searched differently by servers: use CONVERT", at)
    if len({node.type.collation for node in nodes if node.kind is Kind.TEXT and not node.constant}) > 1:
        raise BadExpression("texts of several types or collations are searched differently by servers", at)
    rules = collation(type_.collation or "binary") if type_.kind is Kind.TEXT else None
    if rules is not None and not (rules.is_binary or rules.name.endswith("_general_ci")):
        raise BadExpression("texts are searched in _bin and _general_ci here: add COLLATE utf8mb4_general_ci", at)

    def call(value: Any, what: Any, first: int = 1) -> int:
        if first < 1:
            return 0
        if rules is not None:
            value, what = rules.folded(value), rules.folded(what)
        places = range(first - 1, len(value) - len(what) + 1)
        return next((place + 1 for place in places if value[place : place + len(what)] == what), 0)

    parts = [*nodes, *([convert.integer(start)] if start is not None else [])]
    return made_of(INT, strict(call, *parts), [needle, hay, *([start] if start is not None else [])], at)


def _strcmp(arguments: Sequence[Node], at: int) -> Node:
    left, right = (convert.text(argument) for argument in arguments)
    pair = operands(left, right, equality=False)

    def run(row: RowImage) -> int | None:
        one, other = pair.left(row), pair.right(row)
        return None if one is None or other is None or pair.order is None else pair.order(one, other)

    return made_of(INT, run, arguments, at)


def _hex(arguments: Sequence[Node], at: int) -> Node:
    node = arguments[0]
    type_ = Type(Kind.TEXT, collation=convert.CONNECTION_COLLATION, level=Level.COERCIBLE)
    if node.type.is_number and node.number is None:
        whole = convert.integer(node)
        return made_of(type_, strict(lambda value: f"{value & (1 << 64) - 1:X}", whole), arguments, at)
    return made_of(type_, strict(lambda raw: raw.hex().upper(), as_bytes(node)), arguments, at)


def _crc32(arguments: Sequence[Node], at: int) -> Node:
    return made_of(UNSIGNED, strict(zlib.crc32, as_bytes(arguments[0])), arguments, at)


def _index(arguments: Sequence[Node], at: int) -> Node:
    """SUBSTRING_INDEX."""
    if not arguments[1].constant or len(str(arguments[1].value())) != 1:
        raise BadExpression("SUBSTRING_INDEX takes a separator of one character here", at)
    times = arguments[2]
    if not (times.constant and times.kind is Kind.INT and abs(times.value()) < 1 << 31):
        raise BadExpression("SUBSTRING_INDEX takes a constant count here", at)
    nodes, type_ = _texts(arguments[:2])
    count = convert.integer(arguments[2])

    def call(value: Any, separator: Any, wanted: int) -> Any:
        if not separator or not wanted:
            return value[:0]
        parts = value.split(separator) if wanted > 0 else value.rsplit(separator)
        return separator.join(parts[:wanted] if wanted > 0 else parts[wanted:])

    return made_of(type_, strict(call, *nodes, count), arguments, at)


def _ascii(arguments: Sequence[Node], at: int) -> Node:
    raw = as_bytes(arguments[0])
    return made_of(INT, strict(lambda value: value[0] if value else 0, raw), arguments, at)


def _regexp_like(arguments: Sequence[Node], at: int) -> Node:
    return regexp(arguments[0], arguments[1], at)


def _locate(arguments: Sequence[Node], at: int) -> Node:
    return found_at(arguments[0], arguments[1], at, arguments[2] if len(arguments) > 2 else None)


def substring(arguments: Sequence[Node], at: int) -> Node:
    """SUBSTRING(text, position[, length]), also as SUBSTRING(text FROM position FOR length)."""
    if not 2 <= len(arguments) <= 3:
        raise BadExpression(f"SUBSTRING does not take {len(arguments)} arguments", at)
    return _part(_substring, 2, 3).build(arguments, at)


_LOWER, _UPPER = _cased(str.lower), _cased(str.upper)
TEXT_FUNCTIONS: Functions = {
    "LOWER": _LOWER,
    "LCASE": _LOWER,
    "UPPER": _UPPER,
    "UCASE": _UPPER,
    "LENGTH": Function(1, 1, _length),
    "OCTET_LENGTH": Function(1, 1, _length),
    "CHAR_LENGTH": Function(1, 1, _characters),
    "CHARACTER_LENGTH": Function(1, 1, _characters),
    "CONCAT": Function(1, None, _concat),
    "CONCAT_WS": Function(2, None, _concat_ws),
    "SUBSTRING": Function(2, 3, substring),
    "SUBSTR": Function(2, 3, substring),
    "MID": Function(3, 3, substring),
    "LEFT": _part(_left, 2, 2),
    "RIGHT": _part(_right, 2, 2),
    "REPEAT": _part(_repeat, 2, 2),
    "REVERSE": _of_text(lambda value: value[::-1]),
    "LTRIM": Function(1, 1, lambda arguments, at: trimmed(arguments[0], None, "LEADING", at)),
    "RTRIM": Function(1, 1, lambda arguments, at: trimmed(arguments[0], None, "TRAILING", at)),
    "TRIM": Function(1, 1, lambda arguments, at: trimmed(arguments[0], None, "BOTH", at)),
    "REPLACE": Function(3, 3, _replace),
    "LOCATE": Function(2, 3, _locate),
    "INSTR": Function(2, 2, lambda arguments, at: found_at(arguments[1], arguments[0], at)),
    "STRCMP": Function(2, 2, _strcmp),
    "HEX": Function(1, 1, _hex),
    "ASCII": Function(1, 1, _ascii),
    "CRC32": Function(1, 1, _crc32),
    "SUBSTRING_INDEX": Function(3, 3, _index),
    "REGEXP_LIKE": Function(2, 2, _regexp_like),
}
