"""Random DDL for tables that are merged: from one shape of a table to the next.  No I/O."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

COLUMNS = "id INT PRIMARY KEY, n INT NOT NULL DEFAULT 0, a VARCHAR(20) DEFAULT 'a'"
MOST_COLUMNS = 6
MOST_ADDED = 40


@dataclass(frozen=True, slots=True)
class Shape:
    """The columns that come and go, each with whether it holds text, and the keys over one of them."""

    columns: dict[str, bool] = field(default_factory=lambda: {"a": True})
    keys: dict[str, str] = field(default_factory=dict)  # column by key
    made: int = 0  # names that were given

    @property
    def text(self) -> str:
        """What tells it from other shapes, as far as it is known here."""
        return f"{self.columns} {self.keys}"


Change = tuple[Shape, str] | None


def next_ddl(shape: Shape, rng: random.Random, *, only_adds: bool = False) -> tuple[Shape, str]:
    """The next shape and the clause of ALTER TABLE that leads there.

    ``only_adds``: what a source that was away may have later than the others, whatever they have had since.
    """
    while True:
        change = rng.choice(_ADDING if only_adds else _KINDS)(shape, rng)
        if change is not None:
            return change


def _add(shape: Shape, rng: random.Random) -> Change:
    return _added(shape, rng) if len(shape.columns) < MOST_COLUMNS else None


def _add_more(shape: Shape, rng: random.Random) -> Change:
    return _added(shape, rng) if len(shape.columns) < MOST_ADDED else None


def _added(shape: Shape, rng: random.Random) -> tuple[Shape, str]:
    name, is_text = f"c{shape.made}", rng.random() < 0.5
    null = rng.choice((" NOT NULL", "", ""))
    default = rng.choice((f" DEFAULT '{name}'", " DEFAULT ''")) if is_text else f" DEFAULT {rng.randrange(100)}"
    place = rng.choice(("", "", " FIRST", f" AFTER {rng.choice(['id', *shape.columns])}"))
    after = replace(shape, columns={**shape.columns, name: is_text}, made=shape.made + 1)
    return after, f"ADD COLUMN {name} {_type(is_text)}{null}{default}{place}"


def _drop(shape: Shape, rng: random.Random) -> Change:
    free = sorted(shape.columns.keys() - set(shape.keys.values()))
    if not free:
        return None
    name = rng.choice(free)
    return replace(shape, columns={one: text for one, text in shape.columns.items() if one != name}), (
        f"DROP COLUMN {name}"
    )


def _modify(shape: Shape, rng: random.Random) -> Change:
    if not shape.columns:
        return None
    name = rng.choice(list(shape.columns))
    is_text = shape.columns[name]
    wide = f"VARCHAR({rng.randrange(41, 120)})" if is_text else "BIGINT"
    return shape, f"MODIFY COLUMN {name} {wide}{_default(is_text, rng)}"


def _rename(shape: Shape, rng: random.Random) -> Change:
    if not shape.columns:
        return None
    name, new = rng.choice(list(shape.columns)), f"c{shape.made}"
    columns = {new if one == name else one: text for one, text in shape.columns.items()}
    keys = {key: new if column == name else column for key, column in shape.keys.items()}
    return Shape(columns, keys, shape.made + 1), f"RENAME COLUMN {name} TO {new}"


def _default_of(shape: Shape, rng: random.Random) -> Change:
    if not shape.columns:
        return None
    name = rng.choice(list(shape.columns))
    return shape, f"ALTER COLUMN {name} SET{_default(shape.columns[name], rng)}"


def _add_key(shape: Shape, rng: random.Random) -> Change:
    free = sorted(shape.columns.keys() - set(shape.keys.values()))
    if not free:
        return None
    key, column = f"k{shape.made}", rng.choice(free)
    unique = rng.random() < 0.3
    kind, columns = ("UNIQUE KEY", f"{column}, id") if unique else ("INDEX", column)
    return replace(shape, keys={**shape.keys, key: column}, made=shape.made + 1), f"ADD {kind} {key} ({columns})"


def _drop_key(shape: Shape, rng: random.Random) -> Change:
    if not shape.keys:
        return None
    key = rng.choice(list(shape.keys))
    return replace(shape, keys={one: name for one, name in shape.keys.items() if one != key}), f"DROP INDEX {key}"


def _several(shape: Shape, rng: random.Random) -> Change:
    """Two clauses in one statement, which need not know of each other."""
    one = _add(shape, rng)
    if one is None or " AFTER " in one[1]:
        return None
    other = _drop(replace(one[0], columns={**shape.columns}), rng)
    if other is None:
        return None
    gone = shape.columns.keys() - other[0].columns.keys()
    columns = {name: text for name, text in one[0].columns.items() if name not in gone}
    return replace(one[0], columns=columns), f"{one[1]}, {other[1]}"


def _type(is_text: bool) -> str:
    return "VARCHAR(40)" if is_text else "INT"


def _default(is_text: bool, rng: random.Random) -> str:
    return f" DEFAULT 'd{rng.randrange(100)}'" if is_text else f" DEFAULT {rng.randrange(100)}"


_KINDS: tuple[Callable[[Shape, random.Random], Change], ...] = (
    _add, _add, _add, _drop, _modify, _rename, _default_of, _add_key, _drop_key, _several,
)  # fmt: skip
_ADDING: tuple[Callable[[Shape, random.Random], Change], ...] = (_add_more, _add_more, _add_key)
