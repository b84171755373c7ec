"""One type as another, as servers convert operands: nodes in, nodes out."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from pkg.rules.expression import times
from pkg.rules.expression.node import INT, REAL, UNSIGNED, Kind, Level, Node, RowImage, Run, Type, made_of, strict
from pkg.rules.expression.problem import BadExpression, BadValue

EXACT = Context(prec=200)  # wide enough that nothing is rounded unseen: DECIMAL has 65 digits
MAX_DIGITS = 65
MAX_SCALE = 30
CONNECTION_COLLATION = "utf8mb4_general_ci"  # of texts that come from no column
_REAL_PREFIX = re.compile(r"[ \t\n\v\f\r]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)
_INT_PREFIX = re.compile(r"[ \t\n\v\f\r]*([+-]?\d+)", re.ASCII)
_WRITTEN_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[ T]|$)")
_LARGEST_REAL = sys.float_info.max
_LARGEST = Decimal(10) ** MAX_DIGITS - 1
_MIN, _MAX, _MAX_UNSIGNED = -(1 << 63), (1 << 63) - 1, (1 << 64) - 1


def number(node: Node) -> Node:
    """A number of the kind that arithmetic and comparison take it for: INT, DECIMAL or REAL."""
    if node.number is not None:
        return node.number
    match node.kind:
        case Kind.INT | Kind.DECIMAL | Kind.REAL | Kind.NULL:
            return node
        case Kind.DATE:
            return made_of(INT, strict(times.date_number, node), [node], node.at)
        case Kind.DATETIME:
            return _temporal_number(node, times.datetime_number)
        case Kind.TIME:
            return _temporal_number(node, times.time_number)
        case Kind.JSON:
            return made_of(REAL, strict(json_number, node), [node], node.at)
    if node.type.is_choice or (node.kind is Kind.BYTES and not node.constant):
        raise BadExpression("a text that is chosen, or bytes, are no number here: compare with texts", node.at)
    return made_of(REAL, strict(real_of_text, text(node)), [node], node.at)


def _temporal_number(node: Node, convert: Callable[[Any], Decimal]) -> Node:
    if node.type.scale:
        return made_of(Type(Kind.DECIMAL, scale=node.type.scale), strict(convert, node), [node], node.at)
    return made_of(INT, strict(lambda value: int(convert(value)), node), [node], node.at)


def real(node: Node) -> Node:
    found = number(node)
    return found if found.kind in (Kind.REAL, Kind.NULL) else made_of(REAL, strict(float, found), [found], node.at)


def decimal(node: Node) -> Node:
    """An INT or DECIMAL as a DECIMAL; others through their text, as servers do."""
    found = number(node)
    if found.kind is Kind.INT:
        return made_of(Type(Kind.DECIMAL), strict(Decimal, found), [found], node.at)
    if found.kind is Kind.REAL:
        return made_of(Type(Kind.DECIMAL, scale=MAX_SCALE), strict(decimal_of_real, found), [found], node.at)
    return found


def integer(node: Node) -> Node:
    """Rounded, and within 64 bits."""
    if node.type.is_temporal and node.type.scale:
        raise BadExpression("servers round the fraction of a second differently: CAST it to DATETIME or TIME", node.at)
    found = number(node)
    if found.kind in (Kind.INT, Kind.NULL):
        return found
    if found.kind is Kind.REAL:
        if node.type.is_string and node.number is None:
            return made_of(INT, strict(integer_of_text, text(node)), [node], node.at)
        return made_of(INT, strict(lambda value: checked_integer(round(value), False), found), [found], node.at)
    return made_of(INT, strict(lambda value: _clamped(round_half_up(value, 0)), found), [found], node.at)


def text(node: Node) -> Node:
    """Raises BadExpression for a float, whose text differs between servers."""
    if node.type.oddity:
        raise BadExpression(f"a {node.type.oddity} as text is not known here: compare it with a number", node.at)
    match node.kind:
        case Kind.TEXT | Kind.NULL:
            return node
        case Kind.BYTES:
            return replace(node, run=strict(_decoded, node), type=Type(Kind.TEXT, collation="binary"))
        case Kind.INT if not (node.column or node.constant):
            raise BadExpression("a calculated number as text is not known here: compare it with a number", node.at)
        case Kind.REAL:
            raise BadExpression("a floating point number as text is not known here: CAST it to DECIMAL", node.at)
        case Kind.JSON:
            raise BadExpression("a JSON value as text is not known here: use JSON_UNQUOTE or ->>", node.at)
    return made_of(_text_type(), strict(_printer(node.type), node), [node], node.at)


def _text_type() -> Type:
    return Type(Kind.TEXT, collation=CONNECTION_COLLATION, level=Level.IGNORABLE)


def _printer(type_: Type) -> Callable[[Any], str]:
    scale = type_.scale
    match type_.kind:
        case Kind.DATE:
            return times.date_text
        case Kind.DATETIME:
            return lambda value: times.datetime_text(value, scale)
        case Kind.TIME:
            return lambda value: times.time_text(value, scale)
        case Kind.DECIMAL:
            return lambda value: format(EXACT.add(round_half_up(value, scale), Decimal(0)), "f")  # no -0.00
    return lambda value: str(int(value))


def _decoded(raw: bytes) -> str:
    return raw.decode("latin-1")


def moment(node: Node) -> Node:
    """A DATETIME of anything; what is no date is NULL, and an error where it is constant."""
    if node.type.is_temporal and node.type.is_choice:
        raise BadExpression("a date that is chosen is only compared here: calculate inside of the choice", node.at)
    type_ = Type(Kind.DATETIME, scale=node.type.scale if node.kind is Kind.DATETIME else 6)
    match node.kind:
        case Kind.DATETIME | Kind.NULL:
            return node
        case Kind.DATE:
            return made_of(
                replace(type_, scale=0), strict(lambda date: (*date, *times.MIDNIGHT), node), [node], node.at
            )
        case Kind.TIME:
            raise BadExpression("a time has no date: compare it with a time", node.at)
        case Kind.TEXT if node.constant:
            if isinstance(node.value(), str) and not _WRITTEN_DATE.match(node.value()):
                raise BadExpression(f"{node.value()!r} is no date: write it as '2024-01-31'", node.at)
            found = made_of(type_, strict(times.datetime_of, node), [node], node.at)
        case Kind.INT if node.constant:
            found = made_of(type_, strict(times.datetime_of_number, node), [node], node.at)
        case _:
            raise BadExpression("a date is a column of dates, or a text that is constant, here", node.at)
    return _some(found, node, "date")


def time(node: Node) -> Node:
    type_ = Type(Kind.TIME, scale=6)
    match node.kind:
        case Kind.TIME | Kind.NULL:
            return node
        case Kind.TEXT if node.constant:
            return _some(made_of(type_, strict(times.time_of, node), [node], node.at), node, "time")
        case Kind.DATETIME:
            return made_of(replace(type_, scale=node.type.scale), strict(_clock, node), [node], node.at)
    raise BadExpression("a time is a column of times, or a text that is constant, here", node.at)


def _clock(value: times.Date) -> int:
    return ((value[3] * 60 + value[4]) * 60 + value[5]) * 1_000_000 + value[6]


def _some(found: Node, node: Node, what: str) -> Node:
    if node.constant and node.value() is not None and found.value() is None:
        raise BadExpression(f"{node.value()!r} is no {what}", node.at)
    return found


def truth(node: Node) -> Run:
    """True, False or None."""
    if node.kind is Kind.NULL:
        return node.run
    if node.kind is Kind.JSON:
        raise BadExpression("a JSON value is neither true nor false: compare it with something", node.at)
    run = number(node).run

    def is_true(row: RowImage) -> bool | None:
        value = run(row)
        return None if value is None else value != 0

    return is_true


def real_of_text(value: str) -> float:
    """The number at its beginning, else 0."""
    found = _REAL_PREFIX.match(value)
    return max(-_LARGEST_REAL, min(_LARGEST_REAL, float(found[1]))) if found else 0.0


def integer_of_text(value: str) -> int:
    found = _INT_PREFIX.match(value)
    return max(_MIN, min(_MAX_UNSIGNED, int(found[1]))) if found else 0


def decimal_of_real(value: float) -> Decimal:
    """Of as many digits as a DECIMAL has."""
    return max(-_LARGEST, min(_LARGEST, Decimal(repr(value))))


def json_number(value: Any) -> float:
    if isinstance(value, (bool, int, float, Decimal)):
        return float(value)
    if isinstance(value, str):
        return real_of_text(value)
    raise BadValue("a JSON array or object is no number")


def round_half_up(value: Decimal, scale: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, EXACT)


def _clamped(value: float | Decimal) -> int:
    return max(_MIN, min(_MAX, int(value)))


def checked_integer(value: int, unsigned: bool) -> int:
    """Raises BadValue beyond 64 bits."""
    low, high = (0, _MAX_UNSIGNED) if unsigned else (_MIN, _MAX)
    if low <= value <= high:
        return value
    raise BadValue(f"{value} is out of the range of BIGINT{' UNSIGNED' if unsigned else ''}")


def unsigned_bits(node: Node) -> Node:
    """As an operand of bit operations: an integer, since servers cut or round others differently."""
    if number(node).kind not in (Kind.INT, Kind.NULL) and not node.constant:
        raise BadExpression("bit operations take integers here: CAST to SIGNED or UNSIGNED", node.at)
    found = integer(node)
    return made_of(UNSIGNED, strict(lambda value: value & _MAX_UNSIGNED, found), [found], node.at)
