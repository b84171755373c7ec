"""CAST(… AS type) and CONVERT(…, type)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlglot import exp

from pkg.rules.expression import convert
from pkg.rules.expression.compare import as_bytes
from pkg.rules.expression.node import INT, UNSIGNED, Kind, Level, Node, Type, made_of, strict
from pkg.rules.expression.problem import BadExpression, BadValue
from pkg.rules.expression.time_functions import date_of

_DType = exp.DataType.Type
_ALL_BITS = (1 << 64) - 1
_MOST_DIGITS = 65


def cast(node: Node, to: exp.DataType, at: int) -> Node:
    """Raises BadExpression for a type that is not known here."""
    sizes = [int(parameter.this.name) for parameter in to.expressions if str(parameter.this.name).isdecimal()]
    if node.kind is Kind.TIME and to.this in (_DType.BIGINT, _DType.UBIGINT):
        raise BadExpression("servers take a time for different integers: use HOUR(), MINUTE(), SECOND()", at)
    match to.this:
        case _DType.BIGINT:
            return made_of(INT, strict(_signed, convert.integer(node)), [node], at)
        case _DType.UBIGINT:
            if node.kind in (Kind.REAL, Kind.DECIMAL) and not node.constant:
                raise BadExpression("servers cast negative fractions to UNSIGNED differently: CAST to SIGNED", at)
            return made_of(UNSIGNED, strict(lambda value: value & _ALL_BITS, convert.integer(node)), [node], at)
        case _DType.DECIMAL:
            return _decimal(node, sizes, at)
        case _DType.DOUBLE:
            return convert.real(node)
        case _DType.DATE:
            return date_of(node, at)
        case _DType.DATETIME:
            return _rounded(convert.moment(node), sizes, at)
        case _DType.TIME:
            return _rounded(convert.time(node), sizes, at)
        case _DType.TIMESTAMPTZ if not sizes:  # TIMESTAMP '…'
            return convert.moment(node)
        case _DType.BINARY if not sizes and not node.type.is_string and node.kind is not Kind.NULL:
            raise BadExpression("texts and bytes are CAST to BINARY here", at)
        case _DType.BINARY if not sizes:
            return as_bytes(node)
        case _DType.CHAR:
            return _characters(node, to, sizes, at)
    raise BadExpression(f"CAST to {to.sql()} is not known here", at)


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _decimal(node: Node, sizes: list[int], at: int) -> Node:
    precision, scale = (*sizes, *(10, 0)[len(sizes) :])
    if not scale <= precision <= _MOST_DIGITS or scale > convert.MAX_SCALE:
        raise BadExpression(f"DECIMAL({precision}, {scale}) is no type", at)
    most = (Decimal(10) ** precision - 1).scaleb(-scale)

    def call(value: Decimal) -> Decimal:
        rounded = convert.round_half_up(value, scale)
        return max(-most, min(most, rounded))

    return made_of(Type(Kind.DECIMAL, scale=scale), strict(call, convert.decimal(node)), [node], at)


def _rounded(node: Node, sizes: list[int], at: int) -> Node:
    """A fraction of a second is kept whole or refused: servers differ in rounding it."""
    digits = sizes[0] if sizes else 0
    if node.type.scale <= digits or node.kind is Kind.NULL:
        return replace(node, type=replace(node.type, scale=digits))
    unit = 10 ** (6 - digits)

    def call(value: Any) -> Any:
        micros = value[-1] if isinstance(value, tuple) else value
        if micros % unit:
            raise BadValue("the fraction of a second would be rounded, which servers do differently")
        return value

    return made_of(replace(node.type, scale=digits), strict(call, node), [node], at)


def _characters(node: Node, to: exp.DataType, sizes: list[int], at: int) -> Node:
    text = convert.text(node)
    if node.kind is Kind.BYTES:
        raise BadExpression("bytes as text are not known here", at)
    charset = to.args.get("kind")
    name = str(charset.name if isinstance(charset, exp.Expr) else charset or "").lower()
    if name not in ("", "utf8mb4", "utf8", "utf8mb3"):
        raise BadExpression(f"texts in {name} are not known here", at)
    type_ = replace(text.type, collation=convert.CONNECTION_COLLATION, level=Level.IMPLICIT)
    return made_of(type_, strict(lambda value: value[: sizes[0]] if sizes else value, text), [text], at)
