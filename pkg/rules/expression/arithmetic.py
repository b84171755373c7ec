"""Arithmetic as servers do it: exact in integers and decimals, an error beyond 64 bits, NULL by division by 0."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import ROUND_DOWN, Decimal
from typing import Any

from pkg.rules.expression.convert import (
    EXACT,
    MAX_DIGITS,
    MAX_SCALE,
    checked_integer,
    decimal,
    number,
    real,
    round_half_up,
    unsigned_bits,
)
from pkg.rules.expression.node import INT, REAL, UNSIGNED, Kind, Node, Type, made_of, strict
from pkg.rules.expression.problem import BadValue

_EXTRA_DIGITS = 4  # div_precision_increment
_LARGEST = Decimal(10) ** MAX_DIGITS

_EXACT_CALLS: dict[str, Callable[[Any, Any], Any]] = {"+": EXACT.add, "-": EXACT.subtract, "*": EXACT.multiply}
_CALLS: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def _operand(node: Node) -> Node:
    """Servers calculate with the number of an ENUM or SET as a DOUBLE."""
    return real(node) if node.kind is Kind.TEXT else number(node)


def calculated(sign: str, left: Node, right: Node, at: int) -> Node:
    """``+``, ``-`` or ``*``."""
    one, other = _operand(left), _operand(right)
    kinds = (one.kind, other.kind)
    if Kind.NULL in kinds:
        return made_of(INT, lambda row: None, [one, other], at)
    call = _CALLS[sign]
    if Kind.REAL in kinds:
        run = strict(lambda a, b: _finite(call(a, b)), real(one), real(other))
        return made_of(REAL, run, [one, other], at)
    if Kind.DECIMAL in kinds:
        scales = (one.type.scale, other.type.scale)
        scale = min(sum(scales) if sign == "*" else max(scales), MAX_SCALE)
        exact = _EXACT_CALLS[sign]
        run = strict(lambda a, b: _fitting(exact(a, b), scale), decimal(one), decimal(other))
        return made_of(Type(Kind.DECIMAL, scale=scale), run, [one, other], at)
    unsigned = one.type.unsigned or other.type.unsigned
    run = strict(lambda a, b: checked_integer(call(a, b), unsigned), one, other)
    return made_of(UNSIGNED if unsigned else INT, run, [one, other], at)


def _finite(value: float) -> float:
    if math.isfinite(value):
        return value
    raise BadValue("the result is out of the range of DOUBLE")


def _fitting(value: Decimal, scale: int) -> Decimal:
    if abs(value) >= _LARGEST:
        raise BadValue("the result is out of the range of DECIMAL")
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > scale:
        return value.quantize(Decimal(1).scaleb(-scale), ROUND_DOWN, EXACT)
    return value


def divided(left: Node, right: Node, at: int) -> Node:
    """``/``."""
    one, other = number(left), number(right)
    if Kind.NULL in (one.kind, other.kind):
        return made_of(INT, lambda row: None, [one, other], at)
    if Kind.REAL in (one.kind, other.kind):
        run = strict(lambda a, b: None if b == 0 else _finite(a / b), real(one), real(other))
        return made_of(REAL, run, [one, other], at)
    scale = min(one.type.scale + _EXTRA_DIGITS, MAX_SCALE)

    def quotient(a: Decimal, b: Decimal) -> Decimal | None:
        return None if b == 0 else round_half_up(EXACT.divide(a, b), scale)

    return made_of(Type(Kind.DECIMAL, scale=scale), strict(quotient, decimal(one), decimal(other)), [one, other], at)


def whole_quotient(left: Node, right: Node, at: int) -> Node:
    """``DIV``."""
    one, other = number(left), number(right)
    if Kind.NULL in (one.kind, other.kind):
        return made_of(INT, lambda row: None, [one, other], at)
    unsigned = one.type.unsigned or other.type.unsigned
    if not one.kind is other.kind is Kind.INT:
        one, other = decimal(one), decimal(other)

    def run(a: Any, b: Any) -> int | None:
        if b == 0:
            return None
        quotient = int(abs(a) // abs(b)) if isinstance(a, int) else int(EXACT.divide_int(abs(a), abs(b)))
        return checked_integer(-quotient if (a < 0) != (b < 0) else quotient, unsigned)

    return made_of(UNSIGNED if unsigned else INT, strict(run, one, other), [one, other], at)


def remainder(left: Node, right: Node, at: int) -> Node:
    """``%``, whose sign is the dividend's."""
    one, other = number(left), number(right)
    if Kind.NULL in (one.kind, other.kind):
        return made_of(INT, lambda row: None, [one, other], at)
    if Kind.REAL in (one.kind, other.kind):
        run = strict(lambda a, b: None if b == 0 else math.fmod(a, b), real(one), real(other))
        return made_of(REAL, run, [one, other], at)
    if Kind.DECIMAL in (one.kind, other.kind):
        type_ = Type(Kind.DECIMAL, scale=max(one.type.scale, other.type.scale))
        run = strict(lambda a, b: None if b == 0 else EXACT.remainder(a, b), decimal(one), decimal(other))
        return made_of(type_, run, [one, other], at)
    run = strict(lambda a, b: None if b == 0 else (-1 if a < 0 else 1) * (abs(a) % abs(b)), one, other)
    return made_of(one.type, run, [one, other], at)


def negated(node: Node, at: int) -> Node:
    value = _operand(node)
    if value.kind is Kind.INT:
        run = strict(lambda whole: checked_integer(-whole, False), value)
        return made_of(INT, run, [value], at)
    return made_of(value.type, strict(operator.neg, value), [value], at)


_BITS: dict[str, Callable[[int, int], int]] = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": lambda a, b: a << b & (1 << 64) - 1 if b < 64 else 0,
    ">>": lambda a, b: a >> b if b < 64 else 0,
}


def bits(sign: str, left: Node, right: Node, at: int) -> Node:
    one, other = unsigned_bits(left), unsigned_bits(right)
    return made_of(UNSIGNED, strict(_BITS[sign], one, other), [one, other], at)


def inverted(node: Node, at: int) -> Node:
    value = unsigned_bits(node)
    return made_of(UNSIGNED, strict(lambda whole: whole ^ (1 << 64) - 1, value), [value], at)
