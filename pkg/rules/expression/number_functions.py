"""Functions of numbers, and those that choose among their arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from functools import cmp_to_key
from typing import Any

from pkg.rules.expression import convert, logic
from pkg.rules.expression.arithmetic import remainder
from pkg.rules.expression.collation import collation
from pkg.rules.expression.functions import Function, Functions
from pkg.rules.expression.node import INT, REAL, Kind, Node, Type, made_of, strict
from pkg.rules.expression.problem import BadExpression, BadValue


def _abs(arguments: Sequence[Node], at: int) -> Node:
    node = convert.number(arguments[0])
    if node.kind is Kind.INT and not node.type.unsigned:
        return made_of(INT, strict(lambda value: convert.checked_integer(abs(value), False), node), arguments, at)
    return made_of(node.type, strict(abs, node), arguments, at)


def _sign(arguments: Sequence[Node], at: int) -> Node:
    node = convert.number(arguments[0])
    return made_of(INT, strict(lambda value: (value > 0) - (value < 0), node), arguments, at)


def _whole(rounding: str, of_real: Callable[[float], float]) -> Function:
    """FLOOR, CEILING."""

    def build(arguments: Sequence[Node], at: int) -> Node:
        node = convert.number(arguments[0])
        if node.kind is Kind.DECIMAL:
            run = strict(lambda value: value.to_integral_value(rounding), node)
            return made_of(Type(Kind.DECIMAL), run, arguments, at)
        if node.kind is Kind.REAL:
            return made_of(REAL, strict(lambda value: float(of_real(value)), node), arguments, at)
        return node

    return Function(1, 1, build)


def _rounded(rounding: str, of_real: Callable[[float, int], float]) -> Callable[[Sequence[Node], int], Node]:
    """ROUND, TRUNCATE, to a number of digits that is constant."""

    def build(arguments: Sequence[Node], at: int) -> Node:
        node, digits = convert.number(arguments[0]), _digits(arguments)
        if node.kind is Kind.REAL:
            return made_of(REAL, strict(lambda value: of_real(value, digits), node), arguments, at)
        if node.kind is Kind.INT and digits >= 0:
            return node
        unit = Decimal(1).scaleb(-digits)

        def exact(value: int | Decimal) -> Decimal:
            return Decimal(value).quantize(unit, rounding, convert.EXACT)

        if node.kind is Kind.INT:
            unsigned = node.type.unsigned
            run = strict(lambda value: convert.checked_integer(int(exact(value)), unsigned), node)
            return made_of(node.type, run, arguments, at)
        scale = min(max(digits, 0), node.type.scale)
        keeps = digits >= node.type.scale
        return made_of(
            Type(Kind.DECIMAL, scale=scale), strict((lambda value: value) if keeps else exact, node), arguments, at
        )

    return build


def _digits(arguments: Sequence[Node]) -> int:
    if len(arguments) == 1:
        return 0
    wanted = convert.integer(arguments[1])
    if not wanted.constant or wanted.value() is None:
        raise BadExpression("the number of digits has to be a constant here", arguments[1].at)
    return max(-convert.MAX_SCALE, min(convert.MAX_SCALE, int(wanted.value())))


def _scaled(of_whole: Callable[[float], float]) -> Callable[[float, int], float]:
    def call(value: float, digits: int) -> float:
        unit = 10.0 ** abs(digits)
        scaled = value * unit if digits >= 0 else value / unit
        if not math.isfinite(scaled):
            return value
        return of_whole(scaled) / unit if digits >= 0 else of_whole(scaled) * unit

    return call


def _extreme(choose: Callable[..., Any]) -> Function:
    """GREATEST, LEAST, of arguments of one kind."""

    def build(arguments: Sequence[Node], at: int) -> Node:
        type_ = logic.common_type(arguments)
        if type_.kind is Kind.TEXT and any(node.kind not in (Kind.TEXT, Kind.NULL) for node in arguments):
            raise BadExpression("texts and others are mixed, which servers compare differently: use CAST", at)
        if type_.kind in (Kind.JSON, Kind.BYTES):
            raise BadExpression("GREATEST and LEAST take numbers, texts, dates or times here", at)
        if len({node.type.collation for node in arguments if node.kind is Kind.TEXT and not node.constant}) > 1:
            raise BadExpression("texts of several collations compare differently on servers: add COLLATE", at)
        nodes = [logic.as_type(node, type_) for node in arguments]
        key: Callable[[Any], Any] | None = None
        if type_.kind is Kind.TEXT:
            rules = collation(type_.collation)
            key = cmp_to_key(rules.compare)
        return made_of(
            replace(type_, is_choice=True), strict(lambda *values: choose(values, key=key), *nodes), arguments, at
        )

    return Function(2, None, build)


def _if(arguments: Sequence[Node], at: int) -> Node:
    return logic.chosen([arguments[0]], [arguments[1]], arguments[2], at)


def _power(arguments: Sequence[Node], at: int) -> Node:
    def call(base: float, exponent: float) -> float:
        try:
            return math.pow(base, exponent)
        except (OverflowError, ValueError) as exc:
            raise BadValue("the result is out of the range of DOUBLE") from exc

    return made_of(REAL, strict(call, *map(convert.real, arguments)), arguments, at)


def _root(arguments: Sequence[Node], at: int) -> Node:
    run = strict(lambda value: math.sqrt(value) if value >= 0 else None, convert.real(arguments[0]))
    return made_of(REAL, run, arguments, at)


_CEILING = _whole(ROUND_CEILING, math.ceil)
NUMBER_FUNCTIONS: Functions = {
    "ABS": Function(1, 1, _abs),
    "SIGN": Function(1, 1, _sign),
    "FLOOR": _whole(ROUND_FLOOR, math.floor),
    "CEIL": _CEILING,
    "CEILING": _CEILING,
    "ROUND": Function(1, 2, _rounded(ROUND_HALF_UP, _scaled(lambda value: float(round(value))))),
    "TRUNCATE": Function(2, 2, _rounded(ROUND_DOWN, _scaled(lambda value: float(math.trunc(value))))),
    "MOD": Function(2, 2, lambda arguments, at: remainder(arguments[0], arguments[1], at)),
    "POW": Function(2, 2, _power),
    "POWER": Function(2, 2, _power),
    "SQRT": Function(1, 1, _root),
    "GREATEST": _extreme(max),
    "LEAST": _extreme(min),
    "IF": Function(3, 3, _if),
    "IFNULL": Function(2, 2, logic.first_known),
    "COALESCE": Function(1, None, logic.first_known),
    "NULLIF": Function(2, 2, lambda arguments, at: logic.null_if(arguments[0], arguments[1], at)),
    "ISNULL": Function(1, 1, lambda arguments, at: logic.is_null(arguments[0], at)),
}
