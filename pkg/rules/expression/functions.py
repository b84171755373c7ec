"""The functions that expressions may call, by name: all of them depend on their arguments alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pkg.rules.expression.node import Node
from pkg.rules.expression.problem import BadExpression
from pkg.rules.expression.signatures import check_arguments

Build = Callable[[Sequence[Node], int], Node]


@dataclass(frozen=True, slots=True)
class Function:
    """``most`` is None for any number of arguments."""

    least: int
    most: int | None
    build: Build


Functions = Mapping[str, Function]

_CHANGING = frozenset(
    {"NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "SYSDATE", "CURDATE", "CURRENT_DATE", "CURTIME"}
    | {"CURRENT_TIME", "UTC_DATE", "UTC_TIME", "UTC_TIMESTAMP", "UNIX_TIMESTAMP", "FROM_UNIXTIME", "RAND", "UUID"}
    | {"UUID_SHORT", "RANDOM_BYTES", "CONNECTION_ID", "LAST_INSERT_ID", "USER", "CURRENT_USER", "SESSION_USER"}
    | {"SYSTEM_USER", "CURRENT_ROLE", "DATABASE", "SCHEMA", "VERSION", "ROW_COUNT", "FOUND_ROWS", "SLEEP"}
)


def called(known: Functions, name: str, arguments: Sequence[Node], at: int) -> Node:
    """A call.  Raises BadExpression for a function that is not known, or not to be called like this."""
    function = known.get(name)
    if function is None:
        raise BadExpression(unknown(name), at)
    if len(arguments) < function.least or (function.most is not None and len(arguments) > function.most):
        raise BadExpression(f"{name} does not take {len(arguments)} arguments", at)
    check_arguments(name, arguments, at)
    return function.build(arguments, at)


def is_changing(name: str) -> bool:
    """Whether rows that are read again could be filtered otherwise."""
    return name.upper() in _CHANGING


def unknown(name: str) -> str:
    if is_changing(name):
        return f"{name} depends on when, where or by whom it is asked: rows read again would be filtered otherwise"
    return f"the function {name} is not known here"
