"""Expressions in which servers convert a number, a text or a moment in different ways, without being told to.

MariaDB rounds a fraction where bits are asked for, the others cut it; MySQL rounds fractions of seconds that become an
integer or a day, MariaDB cuts them, TiDB does the one or the other; a number that is no date is another date, or none.
Integers with operators for bits, and functions over columns of dates and times, are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES, INTEGER_TYPES
from pkg.schema.lexer import Kind, Token
from pkg.schema.table import Column, Table


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BITS = frozenset({"&", "|", "^", "~", "<<", ">>"})
_FLOATS = frozenset({"float", "double"})
_FRACTIONAL = _FLOATS | CHARACTER_TYPES | BINARY_TYPES | {"json"}
_NUMBERS = INTEGER_TYPES | _FLOATS | {"decimal", "bit", "year"}
_MOMENTS = frozenset({"time", "datetime", "timestamp"})
_DAYS = frozenset({"date", "datetime", "timestamp"})
# Functions whose value is one of their arguments …
_PASSING = _names("IFNULL COALESCE NULLIF IF GREATEST LEAST ABS")
# … or a moment made of one, with its fraction; those that read a number or a text out of a document.
_SHIFTING = _names("TIME TIMESTAMP ADDTIME SUBTIME TIMEDIFF DATE_ADD DATE_SUB ADDDATE SUBDATE")
_OF_DOCUMENTS = _names("JSON_EXTRACT JSON_UNQUOTE JSON_VALUE")
_DOUBLES = _names("SQRT POW POWER EXP LN LOG LOG2 LOG10 SIN COS TAN ASIN ACOS ATAN ATAN2 COT RADIANS DEGREES PI")
_NOW = _names("NOW CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP CURTIME CURRENT_TIME UTC_TIME UTC_TIMESTAMP")
_OF_CLOCKS = _names("HOUR MINUTE SECOND MICROSECOND TIME TIME_TO_SEC TIME_FORMAT")
_OF_DAYS = _names(
    "YEAR MONTH DAY DAYOFMONTH DATE DAYOFWEEK WEEKDAY DAYOFYEAR WEEK WEEKOFYEAR YEARWEEK QUARTER TO_DAYS TO_SECONDS "
    "LAST_DAY DAYNAME MONTHNAME DATE_FORMAT TIMESTAMP DATEDIFF"
)
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "DIV", "MOD"})
_ENDS = frozenset({
    ",", "=", "<", ">", "<=", ">=", "<>", "!=", "<=>", "&&", "||", "AND", "OR", "XOR", "NOT", "IS", "IN", "LIKE",
    "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "END", "REGEXP", "RLIKE", "DIV",
})  # fmt: skip
_OF_CASE = frozenset({"CASE", "WHEN", "THEN", "ELSE", "END"})
_DECIDING = _ENDS - _OF_CASE - {",", "DIV"}


@dataclass(frozen=True, slots=True)
class _Group:
    """What stands in parentheses; ``name``: of the function whose arguments it is, "" for none."""

    name: str
    nodes: tuple[Token | _Group, ...]


_Node = Token | _Group


def converts_otherwise(
    tokens: Sequence[Token], table: Table, result: Column, flavors: Collection[str], *, is_rounded: bool = False
) -> str:
    """Why an expression over ``table`` has other values on one of the two servers; "" where it has not.

    ``is_rounded``: what takes a second's fraction from the value stands in the target's statement (``fractions.py``).
    """
    nodes, _ = _grouped(tokens, 0)
    nodes = next(
        (one.nodes for one in nodes if isinstance(one, _Group) and one.name == "AS"), nodes
    )  # GENERATED AS (…)
    return next(_Reader(table, result, frozenset(flavors), is_rounded).reasons(nodes), "")


def _grouped(tokens: Sequence[Token], place: int) -> tuple[tuple[_Node, ...], int]:
    """The nodes up to the parenthesis that ends them, and the place behind it."""
    nodes: list[_Node] = []
    while place < len(tokens) and tokens[place].kind is not Kind.END:
        token = tokens[place]
        place += 1
        if token.key == ")":
            break
        if token.key != "(":
            nodes.append(token)
            continue
        inner, place = _grouped(tokens, place)
        last = nodes[-1] if nodes else None
        is_call = isinstance(last, Token) and last.kind is Kind.WORD and last.key not in _ENDS | {"INTERVAL"}
        if is_call:
            nodes.pop()
        nodes.append(_Group(last.key if is_call and isinstance(last, Token) else "", inner))
    return tuple(nodes), place


class _Reader:
    def __init__(self, table: Table, result: Column, flavors: frozenset[str], is_rounded: bool) -> None:
        self._table = table
        self._result = result
        self._flavors = flavors
        self._is_rounded = is_rounded

    def reasons(self, nodes: Sequence[_Node]) -> Iterator[str]:
        yield from self._of_result(nodes)
        for inner in _all_nodes(nodes):
            yield from self._of_bits(inner)
            yield from self._of_intervals(inner)
            for node in inner:
                if isinstance(node, _Group):
                    yield from self._of_call(node)

    def _of_result(self, nodes: Sequence[_Node]) -> Iterator[str]:
        """The value of the whole expression becomes one of the column's type."""
        base, value = self._result.base_type, _bare(nodes)
        column = self._only(value)
        if base in INTEGER_TYPES | {"bit"}:
            yield from self._of_integer(value)
        elif self._is_rounded:
            pass
        elif base == "date" and "mysql" in self._flavors and self._has_seconds(value):
            yield "MySQL rounds fractions of seconds to a day"
        elif base == "time" and self._flavors == {"mysql", "tidb"} and self._result.fsp < self._digits(value):
            yield "TiDB rounds negative times in another way"
        if column is None:
            return
        if base in _DAYS and column.base_type == "time":
            yield f"servers add other days to the time {column.name}"
        if base == "year" and (column.base_type == "time" or (column.base_type in _DAYS and "mysql" in self._flavors)):
            yield f"servers take other years out of {column.name}"
        if base == "time" and column.base_type in INTEGER_TYPES and "mariadb" in self._flavors:
            yield f"MariaDB makes another time of the number {column.name}"
        of_number = column.base_type in (_FLOATS if base in _DAYS else _NUMBERS - {"year"})
        if base in _DAYS | {"year"} and of_number and "tidb" in self._flavors:
            yield f"TiDB makes another {base} of the number {column.name}"

    def _of_integer(self, value: Sequence[_Node]) -> Iterator[str]:
        of_times = self._has_seconds(value, ("time",))
        if self._has_seconds(value) and ("mariadb" in self._flavors or of_times):
            yield "servers round or cut fractions of seconds that become an integer"

    def _of_bits(self, nodes: Sequence[_Node]) -> Iterator[str]:
        for place, node in enumerate(nodes):
            if isinstance(node, Token) and node.key in _BITS:
                operands = (*_until_end(reversed(nodes[:place])), *_until_end(nodes[place + 1 :]))
                yield from self._of_bit_operands(operands, node.key)

    def _of_bit_operands(self, operands: Sequence[_Node], what: str) -> Iterator[str]:
        if "mariadb" in self._flavors and self._is_fractional(operands):
            yield f"MariaDB rounds the numbers of {what}, which others cut"
        elif self._has_seconds(operands, ("time",)):
            yield f"servers round the times of {what} in different ways"

    def _of_intervals(self, nodes: Sequence[_Node]) -> Iterator[str]:
        for node, behind in pairwise(nodes):
            column = self._only((behind,))
            is_double = column is not None and column.base_type in _FLOATS
            if isinstance(node, Token) and node.key == "INTERVAL" and is_double and "tidb" in self._flavors:
                yield "TiDB rounds the number of an INTERVAL in another way"

    def _of_call(self, call: _Group) -> Iterator[str]:
        name, arguments = call.name, _arguments(call.nodes)
        words = [node.key for node in call.nodes if isinstance(node, Token)]
        if name == "BIT_COUNT":
            yield from self._of_bit_operands(call.nodes, name)
        elif name in ("HEX", "CHAR") and "mariadb" in self._flavors and self._is_of(call.nodes, _FLOATS):
            yield f"MariaDB rounds the number of {name}, which others cut"
        elif name == "BIN" and "tidb" in self._flavors and self._is_of(call.nodes, _FLOATS | {"decimal"}):
            yield "TiDB rounds the number of BIN, which others cut"
        elif name in ("CAST", "CONVERT"):
            yield from self._of_cast(call)
        elif name == "EXTRACT" and "FROM" in words:
            place = next(n for n, node in enumerate(call.nodes) if isinstance(node, Token) and node.key == "FROM")
            yield from self._of_moment(name, call.nodes[place + 1 :], of_clock=True)
        elif name in _OF_DAYS | _OF_CLOCKS:
            for argument in arguments if name == "DATEDIFF" else arguments[:1]:
                yield from self._of_moment(name, argument, of_clock=name in _OF_CLOCKS | {"DATE_FORMAT"})

    def _of_cast(self, call: _Group) -> Iterator[str]:
        mark = next((n for n, one in enumerate(call.nodes) if isinstance(one, Token) and one.key in ("AS", ",")), None)
        if mark is None or mark + 1 >= len(call.nodes):
            return
        value, kind = call.nodes[:mark], call.nodes[mark + 1]
        word = kind.key if isinstance(kind, Token) else kind.name
        if word in ("SIGNED", "UNSIGNED", "INTEGER", "INT"):
            yield from self._of_integer(_bare(value))
            # Of a DECIMAL MariaDB says that it overflows (36228), and TiDB nothing.
            types = _FLOATS | {"decimal"} if "tidb" in self._flavors else _FLOATS
            signed = [one.name for one in self._reached(value) if one.base_type in types and not one.unsigned]
            if word == "UNSIGNED" and signed:
                yield f"servers make other numbers of negative ones by CAST({signed[0]} AS UNSIGNED)"
        elif word in ("DATE", "DATETIME", "TIME"):
            yield from self._of_moment(f"CAST AS {word}", value, of_clock=word == "TIME")

    def _of_moment(self, name: str, argument: Sequence[_Node], *, of_clock: bool) -> Iterator[str]:
        """``argument`` is read as a date or time by ``name``."""
        column = self._only(_bare(argument))
        if name == "YEAR" and column is not None and column.base_type == "year":
            return
        if self._is_number(argument):
            yield f"{name} reads a number as a date or time, which servers do in different ways"
        elif column is not None and column.base_type == "time" and not of_clock:
            yield f"{name} adds the present day to the time {column.name}"
        elif name == "TIME" and column is not None and column.base_type == "date" and "tidb" in self._flavors:
            yield f"TiDB's TIME reads the digits of the day {column.name}"

    def _is_number(self, nodes: Sequence[_Node]) -> bool:
        nodes = _bare(nodes)
        keys = {node.key for node in nodes if isinstance(node, Token)}
        if "INTERVAL" in keys or not nodes:
            return False
        if len(nodes) > 1:
            return bool(keys & _ARITHMETIC)
        node = nodes[0]
        if isinstance(node, _Group):
            return node.name in _PASSING and any(map(self._is_number, _passed(node)))
        column = self._column(node)
        return node.kind is Kind.NUMBER or (column is not None and column.base_type in _NUMBERS)

    def _is_of(self, nodes: Sequence[_Node], types: Collection[str]) -> bool:
        return any(column.base_type in types for column in self._reached(nodes))

    def _is_fractional(self, nodes: Sequence[_Node]) -> bool:
        """Whether a number of the nodes may have a fraction that is no DECIMAL's."""
        calls = {node.name for node in _reached(nodes) if isinstance(node, _Group)}
        columns = list(self._reached(nodes))
        has_fraction = any(one.base_type in _FRACTIONAL or one.fsp for one in columns)
        return has_fraction or bool(calls & (_DOUBLES | _OF_DOCUMENTS))

    def _has_seconds(self, nodes: Sequence[_Node], types: Collection[str] = _MOMENTS) -> bool:
        """Whether the value is a moment with a fraction."""
        reached = list(_reached(nodes))
        if any(isinstance(node, Token) and node.key in _ARITHMETIC for node in nodes) and not _adds_interval(nodes):
            return False
        if any(one.base_type in types and one.fsp for one in self._reached(nodes)):
            return True
        return any(
            isinstance(node, _Group) and node.name in _NOW and node.nodes and types is _MOMENTS for node in reached
        )

    def _digits(self, nodes: Sequence[_Node]) -> int:
        """The digits of a second that a TIME among the nodes has."""
        return max((one.fsp for one in self._reached(nodes) if one.base_type == "time"), default=0)

    def _reached(self, nodes: Sequence[_Node]) -> Iterator[Column]:
        for node in _reached(nodes):
            column = self._column(node) if isinstance(node, Token) else None
            if column is not None:
                yield column

    def _only(self, nodes: Sequence[_Node]) -> Column | None:
        """The column that the nodes are, and nothing else."""
        only = nodes[0] if len(nodes) == 1 else None
        return self._column(only) if isinstance(only, Token) else None

    def _column(self, token: Token) -> Column | None:
        return self._table.column(token.value) if token.is_name else None


def _all_nodes(nodes: Sequence[_Node]) -> Iterator[Sequence[_Node]]:
    """The nodes of the expression and of all that stands in parentheses in it."""
    yield nodes
    for node in nodes:
        if isinstance(node, _Group):
            yield from _all_nodes(node.nodes)


def _reached(nodes: Sequence[_Node]) -> Iterator[_Node]:
    """The nodes that the value may come from, also inside of parentheses and of functions that pass one on."""
    keys = {node.key for node in nodes if isinstance(node, Token)}
    if "CASE" in keys:
        for value in _values_of_case(nodes):
            yield from _reached(value)
        return
    for node in () if keys & _DECIDING else nodes:
        yield node
        if isinstance(node, _Group):
            for argument in _passed(node):
                yield from _reached(argument)


def _passed(call: _Group) -> Sequence[Sequence[_Node]]:
    """Those of a function's arguments that its value may be, or be made of."""
    if call.name not in _PASSING | _SHIFTING | {""}:
        return ()
    arguments = _arguments(call.nodes)
    return arguments[1:] if call.name == "IF" else arguments[:1] if call.name == "NULLIF" else arguments


def _values_of_case(nodes: Sequence[_Node]) -> Iterator[list[_Node]]:
    value: list[_Node] | None = None
    for node in nodes:
        key = node.key if isinstance(node, Token) else ""
        if key in _OF_CASE:
            if value is not None:
                yield value
            value = [] if key in ("THEN", "ELSE") else None
        elif value is not None:
            value.append(node)


def _bare(nodes: Sequence[_Node]) -> Sequence[_Node]:
    """Without the parentheses around all."""
    while len(nodes) == 1 and isinstance(only := nodes[0], _Group) and not only.name:
        nodes = only.nodes
    return nodes


def _arguments(nodes: Sequence[_Node]) -> list[list[_Node]]:
    found: list[list[_Node]] = [[]]
    for node in nodes:
        if isinstance(node, Token) and node.key == ",":
            found.append([])
        else:
            found[-1].append(node)
    return found


def _until_end(nodes: Iterator[_Node] | Sequence[_Node]) -> Iterator[_Node]:
    """The operand that begins there: up to what binds less."""
    for node in nodes:
        if isinstance(node, Token) and node.key in _ENDS:
            return
        yield node


def _adds_interval(nodes: Sequence[_Node]) -> bool:
    return any(isinstance(node, Token) and node.key == "INTERVAL" for node in nodes)
