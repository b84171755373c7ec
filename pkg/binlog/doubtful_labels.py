"""Values of an ENUM or SET whose labels may be others than the upstream shows (see pkg/schema/hidden_characters.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pkg.binlog.errors import LABEL_IN_DOUBT
from pkg.binlog.rare_values import SetReader
from pkg.schema.hidden_characters import MARK


@dataclass(frozen=True, slots=True)
class EnumReader:
    """The literal of an ENUM by its number: ``literals`` begins with that of the empty value."""

    literals: tuple[bytes, ...]

    def __call__(self, number: int) -> bytes:
        if number >= len(self.literals):
            raise ValueError(f"an ENUM has the index {number} of {len(self.literals) - 1} labels")
        return self.literals[number]


@dataclass(frozen=True, slots=True)
class DoubtfulReader:
    """The literal of a number, but of values with one of the labels ``doubtful`` (from 1 on)."""

    read: Callable[[int], bytes]
    doubtful: tuple[int, ...]
    is_set: bool
    refuse: Callable[[int], Exception]

    def __call__(self, number: int) -> bytes:
        for label in self.doubtful:
            if number >> label - 1 & 1 if self.is_set else number == label:
                raise self.refuse(label)
        return self.read(number)


def doubtful_reader(known: object, labels: Sequence[str], column: str, table: str, *, is_set: bool) -> DoubtfulReader:
    """``known`` is how the values would be read else: a SET's reader, an ENUM's literals, None for the numbers."""

    def refuse(number: int) -> Exception:
        return LABEL_IN_DOUBT.error(table=table, column=column, number=number, shown=labels[number - 1])

    doubtful = tuple(number for number, label in enumerate(labels, 1) if MARK in label)
    if isinstance(known, SetReader):
        return DoubtfulReader(known, doubtful, is_set, refuse)
    return DoubtfulReader(EnumReader(known) if isinstance(known, tuple) else _number, doubtful, is_set, refuse)


def _number(number: int) -> bytes:
    return str(number).encode()
