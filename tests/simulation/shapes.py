"""The tables that simulated workloads change, and how the model compares their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from pkg.rows.change import RowImage, TargetTable, plan_target
from pkg.schema.table import Index, Table
from tests.unit.rows.tables import column, primary, table, unique

NULL = b"NULL"
DEFAULT = b"7"  # of columns that a DDL adds
Value = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Unique:
    """One unique key as the model enforces it: which value a row has in it, None where it constrains nothing."""

    ordinals: tuple[int, ...]
    texts: tuple[bool, ...]
    prefix: int | None = None

    def value_of(self, image: RowImage) -> Value | None:
        value = tuple(
            [weight(image[i], self.prefix) if is_text else image[i] for i, is_text in zip(self.ordinals, self.texts)]  # noqa: B905
        )
        return None if NULL in value else value


@lru_cache(maxsize=4096)
def weight(literal: bytes, prefix: int | None = None) -> bytes:
    """A text as general_ci with PAD SPACE compares it: of these values only case and trailing spaces matter."""
    if literal == NULL:
        return literal
    text = literal.strip(b"'")
    return (text if prefix is None else text[:prefix]).rstrip().lower()


@dataclass(frozen=True)
class Shape:
    """A table: its columns ("int", "varchar", "!" for NOT NULL), identity ordinals and other unique keys."""

    name: str
    columns: tuple[str, ...]
    identity: tuple[int, ...]
    uniques: tuple[tuple[tuple[int, ...], int | None], ...] = ()  # ordinals, prefix
    has_primary: bool = True

    def structure(self, width: int) -> Table:
        """With the columns that DDLs have added, up to ``width`` in all."""
        columns = [
            column(f"c{i}", kind.rstrip("!"), nullable=not kind.endswith("!")) for i, kind in enumerate(self.columns)
        ]
        columns += [column(f"c{i}") for i in range(len(columns), width)]
        keys: list[Index] = []
        if self.identity:
            names = [f"c{i}" for i in self.identity]
            keys.append(primary(*names) if self.has_primary else unique(*names, name="a"))
        for number, (ordinals, prefix) in enumerate(self.uniques):
            keys.append(unique(*[f"c{i}" for i in ordinals], name=f"u{number}", prefix=prefix))
        return table(columns, *keys, name=self.name)

    def is_text(self, ordinal: int) -> bool:
        return ordinal < len(self.columns) and self.columns[ordinal].startswith("varchar")

    def unique_keys(self) -> list[Unique]:
        return [Unique(ordinals, tuple(self.is_text(i) for i in ordinals), prefix) for ordinals, prefix in self.uniques]

    def identity_of(self) -> Callable[[RowImage], Value | None]:
        """What tells a row of this table from the others."""
        if len(self.identity) == 1 and not self.is_text(self.identity[0]):
            only = self.identity[0]
            return lambda image: (image[only],)
        return Unique(self.identity, tuple(self.is_text(i) for i in self.identity)).value_of


SHAPES = (
    Shape("plain", ("int!", "int", "int"), (0,)),
    Shape("code", ("int!", "varchar", "int"), (0,), (((1,), None),)),
    Shape("pair", ("int!", "varchar!", "varchar", "int"), (0, 1), (((2,), None),)),
    Shape("two", ("int!", "int", "varchar", "int", "int"), (0,), (((1,), None), ((2, 3), None))),
    Shape("named", ("varchar!", "int", "int"), (0,), (((1,), None),), has_primary=False),
    Shape("prefix", ("int!", "varchar", "int"), (0,), (((1,), 1),)),
    Shape("log", ("int", "int"), ()),
    Shape("marked", ("int", "varchar", "int"), (), (((1,), None),)),
)


@lru_cache(maxsize=1024)
def plan(shape: Shape, upstream_width: int, downstream_width: int) -> TargetTable:
    """As the syncer binds a table whose columns the two sides have."""
    return plan_target(shape.structure(upstream_width), shape.structure(downstream_width))
