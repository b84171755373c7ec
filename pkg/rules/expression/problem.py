"""What can be wrong with an expression: at check time with its place, and with the values of one row."""

from __future__ import annotations


class BadExpression(ValueError):
    """The expression cannot be used; ``at`` is the character (from 1) of the trouble, 0 when not known."""

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at

    def __str__(self) -> str:
        return f"{self.reason} (character {self.at})" if self.at else self.reason


class UnknownColumn(BadExpression):
    """The table has no such column."""

    def __init__(self, column: str, at: int) -> None:
        super().__init__(f"there is no column {column!r}", at)
        self.column = column


class BadValue(ValueError):
    """An operation has no result for these values: servers end a statement with an error there."""
