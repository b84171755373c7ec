"""Comparisons: what two operands are compared as, and how."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any

from pkg.binlog.charset import UTF8, single_byte_table
from pkg.rules.expression import convert
from pkg.rules.expression.collation import collation
from pkg.rules.expression.json_order import compare_json
from pkg.rules.expression.node import INT, Kind, Level, Node, RowImage, Run, Type, literal, made_of, strict
from pkg.rules.expression.problem import BadExpression, BadValue

Test = Callable[[Any, Any], bool]
_TESTS: dict[str, Test] = {
    "=": operator.eq, "<=>": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip
_EQUALITIES = frozenset({"=", "<>", "<=>"})
_MOMENTS = (Kind.DATE, Kind.DATETIME)


@dataclass(frozen=True, slots=True)
class Operands:
    """Two runs whose values compare: as they are, or by ``order``, which gives -1, 0 or 1."""

    left: Run
    right: Run
    order: Callable[[Any, Any], int] | None = None


def compared(sign: str, left: Node, right: Node, at: int) -> Node:
    """``left sign right``.  Raises BadExpression where servers do not agree on how the two compare."""
    pair = operands(left, right, equality=sign in _EQUALITIES)
    test = _TESTS[sign]
    run = _null_safe(pair) if sign == "<=>" else _tested(pair, test)
    return made_of(INT, run, [left, right], at or left.at)


def _tested(pair: Operands, test: Test) -> Run:
    left, right, order = pair.left, pair.right, pair.order

    def run(row: RowImage) -> bool | None:
        one = left(row)
        if one is None:
            return None
        other = right(row)
        if other is None:
            return None
        return test(one, other) if order is None else test(order(one, other), 0)

    return run


def _null_safe(pair: Operands) -> Run:
    left, right, order = pair.left, pair.right, pair.order

    def run(row: RowImage) -> bool:
        one, other = left(row), right(row)
        if one is None or other is None:
            return one is other
        return bool(one == other) if order is None else order(one, other) == 0

    return run


def operands(left: Node, right: Node, *, equality: bool) -> Operands:
    """How the two are compared."""
    if Kind.NULL in (left.kind, right.kind):
        return Operands(left.run, right.run)
    if Kind.JSON in (left.kind, right.kind):
        return _json(left, right)
    if left.type.is_temporal or right.type.is_temporal:
        return _temporal(left, right)
    if left.type.is_string and right.type.is_string:
        return _strings(left, right, equality)
    return _numbers(left, right)


def agree(nodes: Sequence[Node], at: int) -> None:
    """Raise BadExpression where servers may compare all of ``nodes`` in one way, and two of them in another."""
    if any(node.kind is Kind.JSON for node in nodes):
        raise BadExpression("JSON values compare by = and < here: write the comparisons out", at)
    if all(node.constant for node in nodes[1:]):
        return
    raise BadExpression(
        "IN and BETWEEN name constants here, as servers compare several types or collations differently", at
    )


def _json(left: Node, right: Node) -> Operands:
    for node in (left, right):
        if node.type.is_temporal or node.kind is Kind.BYTES or node.type.oddity:
            raise BadExpression("a JSON value compares with numbers, texts and JSON here", node.at)
    for node in (left, right):
        if node.kind is not Kind.JSON and not (node.constant and _is_plain(node.value())):
            raise BadExpression("a JSON value compares with a constant: a text or a number that a DOUBLE has", node.at)
    if left.type.is_textual or right.type.is_textual:
        return Operands(_json_number(left, right), _json_number(right, left), compare_json)
    return Operands(left.run, right.run, compare_json)


def _is_plain(value: Any) -> bool:
    return not isinstance(value, Decimal) or Decimal(float(value)) == value


def _json_number(node: Node, other: Node) -> Run:
    """What MariaDB extracts is a text, which compares as in JSON where it is a number, with a number."""
    if node.type.is_number and node.constant and not isinstance(node.value(), bool):
        return node.run
    if not other.type.is_number or not other.constant or isinstance(other.value(), bool):
        raise BadExpression("on MariaDB JSON values compare with constant numbers here: use JSON_UNQUOTE", node.at)

    def call(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise BadValue("a JSON value that is no number compares with a number as a text does, on MariaDB")
        return value

    return strict(call, node)


def _temporal(left: Node, right: Node) -> Operands:
    if Kind.TIME in (left.kind, right.kind):
        return _times(left, right)
    for node in (left, right):
        if node.type.is_number and not node.constant:
            raise BadExpression("a date and a number that varies compare differently on servers: use CAST", node.at)
    if left.kind is right.kind:
        return Operands(left.run, right.run)
    for node, number in ((left, right), (right, left)):
        if number.type.is_number and not (node.column and _writes_moment(number, node.kind)):
            raise BadExpression(
                "a column with days compares with a number of 8 or 14 digits here: use a text such as '2024-01-31'",
                number.at or node.at,
            )
    return Operands(convert.moment(left).run, convert.moment(right).run)


def _writes_moment(number: Node, kind: Kind) -> bool:
    """20240131 or 20240131100000; other numbers are other moments, or none, on each server."""
    return number.kind is Kind.INT and len(str(number.value())) in ((8,) if kind is Kind.DATE else (8, 14))


def _writes_time(number: Node) -> bool:
    return number.kind is Kind.INT and number.constant and abs(int(number.value())) < 8_000_000


def _times(left: Node, right: Node) -> Operands:
    for node, other in ((left, right), (right, left)):
        if other.kind in _MOMENTS:
            raise BadExpression("a time and a date do not compare: use TIME() or CAST", other.at)
        if node.kind is Kind.TIME and node is not other and other.kind is not Kind.TIME and not other.constant:
            raise BadExpression("a time and a text or number that varies compare differently: use CAST", other.at)
        if node.kind is Kind.TIME and not (node.column or node.constant) and other.kind is not Kind.TIME:
            raise BadExpression("a calculated time compares with a time here: write TIME '12:00:00'", other.at)
        if other.type.is_number and not _writes_time(other):
            raise BadExpression("a time compares with a time here: write '12:00:00'", other.at)
    if left.type.is_number or right.type.is_number:
        return Operands(convert.number(left).run, convert.number(right).run)
    return Operands(convert.time(left).run, convert.time(right).run)


def _strings(left: Node, right: Node, equality: bool) -> Operands:
    if Kind.BYTES in (left.kind, right.kind):
        for node, text in ((left, right), (right, left)):
            if node.kind is Kind.BYTES and text.kind is Kind.TEXT and not (node.constant or text.constant):
                raise BadExpression("bytes and a text that varies compare differently: use BINARY for both", text.at)
            if node.kind is Kind.BYTES and node.constant and not _is_binary(text):
                raise BadExpression(
                    "X'…' compares by the collation of the text: write the text itself", node.at or text.at
                )
        return Operands(as_bytes(left).run, as_bytes(right).run)
    first, second = left.type, right.type
    same_set = first.collation.partition("_")[0] == second.collation.partition("_")[0]
    is_named = Level.EXPLICIT in (first.level, second.level) and same_set
    if not (left.constant or right.constant or is_named) and first.collation != second.collation:
        raise BadExpression("texts of several collations compare differently on servers: add COLLATE", right.at)
    rules = collation(joined(left, right).collation)
    if not rules.ordered and not equality:
        raise BadExpression(
            f"the order of texts in {rules.name} is not known here, only whether they are equal", left.at
        )
    if equality:
        return Operands(_folded(left, rules.key), _folded(right, rules.key))
    return Operands(left.run, right.run, rules.compare)


def _is_binary(node: Node) -> bool:
    return node.kind is Kind.BYTES or node.constant


def _folded(node: Node, key: Callable[[str], Any]) -> Run:
    """A constant's key is made once."""
    return made_of(node.type, strict(key, node), [node]).run


def _numbers(left: Node, right: Node) -> Operands:
    for node, partner in ((left, right), (right, left)):
        if node.type.is_string and not node.constant and node.number is None and not _is_small(partner):
            raise BadExpression("a text that varies compares with numbers of up to 15 digits here: use CAST", node.at)
        if node.type.is_year and partner.constant and not _is_year(partner):
            raise BadExpression("a YEAR compares with a year of four digits here", partner.at or node.at)
    if left.column and left.kind is Kind.INT and (whole := _whole(right)) is not None:
        return Operands(left.run, literal(left.type, whole).run)
    if right.column and right.kind is Kind.INT and (whole := _whole(left)) is not None:
        return Operands(literal(right.type, whole).run, right.run)
    one, other = convert.number(left), convert.number(right)
    if Kind.REAL in (one.kind, other.kind):
        return Operands(convert.real(one).run, convert.real(other).run)
    return Operands(one.run, other.run)


def _is_small(node: Node) -> bool:
    if node.kind is Kind.REAL:
        return True
    return node.constant and (node.value() is None or abs(convert.number(node).value()) < 10**15)


def _is_year(node: Node) -> bool:
    value = convert.number(node).value()
    if node.kind is Kind.TEXT and not re.fullmatch("[0-9]{4}", str(node.value())):
        return False
    return value is None or value == 0 or (value >= 100 and value == int(value))


def _whole(node: Node) -> int | None:
    """An integer that is written as a text: with an integer column it compares exactly."""
    if node.kind is not Kind.TEXT or not node.constant:
        return None
    text = str(node.value()).strip(" ")
    return int(text) if text.removeprefix("-").isdecimal() and text.isascii() else None


def joined(left: Node, right: Node) -> Type:
    """The type of two texts together: whose collation counts.  Raises BadExpression when both do."""
    one, other = left.type, right.type
    if one.collation == other.collation or not other.collation:
        return one if one.level <= other.level else other
    if not one.collation or one.level != other.level:
        joint = min((one, other), key=lambda type_: (not type_.collation, type_.level))
        for node in (left, right):
            if node.constant and not _fits(node.value(), joint.collation):
                raise BadExpression(
                    f"{node.value()!r} cannot be written in {joint.collation.partition('_')[0]}", node.at
                )
        return joint
    first, second = (type_.collation.partition("_")[0] for type_ in (one, other))
    if first == second and one.level is not Level.EXPLICIT:
        for type_ in (one, other):
            if type_.collation.endswith("_bin"):
                return type_
    elif first.startswith("utf") != second.startswith("utf"):
        return one if first.startswith("utf") else other
    raise BadExpression(f"illegal mix of collations ({one.collation}) and ({other.collation})", right.at)


def _fits(text: object, name: str) -> bool:
    """Whether a text can be written in the set of the collation ``name``, as far as that is one of single bytes."""
    letters = _letters(name.partition("_")[0])
    return letters is None or not isinstance(text, str) or all(letter in letters for letter in text)


@lru_cache(maxsize=32)
def _letters(charset: str) -> dict[str, int] | None:
    """The byte of each character of a set of single bytes."""
    table = single_byte_table(charset)
    return None if table is None else {letter.decode(): byte for byte, letter in enumerate(table) if letter}


def as_bytes(node: Node) -> Node:
    """A string's bytes in its character set."""
    if node.kind in (Kind.BYTES, Kind.NULL):
        return node
    text = convert.text(node)
    charset = text.type.collation.partition("_")[0]
    letters = _letters(charset)
    if letters is not None:
        run = strict(lambda value: bytes([letters.get(letter, 63) for letter in value]), text)
    elif charset in UTF8:
        run = strict(str.encode, text)
    else:
        raise BadExpression(f"the bytes of a text in {charset} are not known here", node.at)
    return made_of(Type(Kind.BYTES), run, [text], node.at)


def collated(node: Node, name: str) -> Node:
    """``node COLLATE name``."""
    text = convert.text(node)
    return replace(
        text, type=replace(text.type, collation=collation(name).name, level=Level.EXPLICIT), column=False, number=None
    )
