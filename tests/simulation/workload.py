"""Random transactions of an upstream, what its tables hold after them, and which change made which row image."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from pkg.rows.change import RowImage
from tests.simulation.shapes import DEFAULT, NULL, SHAPES, Shape, Value

TEXTS = tuple(b"'%s'" % text for text in (b"a", b"A", b"b", b"B", b"b ", b"c", b"ca", b"cb", b"d", b"\xc3\xa9"))


@dataclass(slots=True)
class Change:
    """One row change; ``number`` is its place in the serial order, from 1."""

    number: int
    table: int
    before: RowImage | None
    after: RowImage | None


@dataclass(slots=True)
class Transaction:
    """Row changes, or the DDL that gives a table one column more."""

    changes: list[Change]
    altered: int | None = None  # the table
    gtid: str = ""
    number: int = 0  # of the transaction
    tables: frozenset[int] = frozenset()


@dataclass(slots=True)
class Upstream:
    """One table of the upstream while transactions are made."""

    shape: Shape
    width: int
    rows: dict[Value, RowImage] = field(default_factory=dict)
    taken: list[set[Value]] = field(default_factory=list)
    bag: list[RowImage] = field(default_factory=list)  # of a keyless table

    def all_rows(self) -> list[RowImage]:
        return [*self.rows.values(), *self.bag]


@dataclass(slots=True)
class Copy:
    """What a lock-free copy found: each table in two pieces, each at a moment of its own."""

    until: int  # transactions that were done when it ended
    rows: list[list[RowImage]]
    pins: dict[int, int]  # keyless table -> transactions that were done when it was read


class Workload:
    """All that a seed's upstream does."""

    def __init__(self, rng: random.Random) -> None:
        self._random = rng.random
        self._rng = rng
        count = 1 + int(rng.random() * 3)
        self.shapes = rng.sample(SHAPES, count)
        self.tables = [
            Upstream(shape, len(shape.columns), taken=[set() for _ in shape.uniques]) for shape in self.shapes
        ]
        self._identities = [shape.identity_of() for shape in self.shapes]
        self._uniques = [shape.unique_keys() for shape in self.shapes]
        self.made_by: dict[int, int] = {}  # id of a row image -> the change that made it
        self.used_by: dict[int, int] = {}  # id of a row image -> the change that ended it
        self.images: list[RowImage] = []  # keeps them alive, so that an id is one image's
        self.changes: list[Change] = []
        self.transactions: list[Transaction] = []
        self._keys = int(rng.choice((3, 6, 30)))
        self._values = int(rng.choice((2, 4, 40)))
        self._steady = rng.random() < 0.5  # few inserts and deletes: the same rows again and again
        self._begin()

    def _begin(self) -> None:
        for _ in range(int(self._random() * 12)):
            self._insert(int(self._random() * len(self.tables)))
        for change in self.changes:  # rows that were there before the first transaction
            assert change.after is not None
            self.made_by[id(change.after)] = 0
        self.changes.clear()
        self.widths = [table.width for table in self.tables]
        self.initial = [table.all_rows() for table in self.tables]

    def run(self, transactions: int, *, ddls: float, copied: int | None) -> Copy | None:
        """Make the transactions; with ``copied``, a copy of the tables during the first ``copied`` of them."""
        copy = None if copied is None else Copy(copied, [[] for _ in self.tables], {})
        moments = [] if copied is None else self._moments(copied)
        for number in range(transactions):
            self._copy_at(copy, moments, number)
            if self._random() < ddls and (copied is None or number >= copied):
                self._alter(int(self._random() * len(self.tables)))
            else:
                self._transaction()
        self._copy_at(copy, moments, transactions)
        return copy

    def _moments(self, copied: int) -> list[tuple[int, int, int]]:
        """(transactions done, table, piece) of each piece."""
        pieces = [
            (table, piece) for table, one in enumerate(self.tables) for piece in range(2 if one.shape.identity else 1)
        ]
        return [(int(self._random() * (copied + 1)), table, piece) for table, piece in pieces]

    def _copy_at(self, copy: Copy | None, moments: list[tuple[int, int, int]], done: int) -> None:
        for moment, number, piece in moments:
            if copy is None or moment != done:
                continue
            table = self.tables[number]
            if table.shape.identity:
                copy.rows[number] += [row for key, row in table.rows.items() if (str(key) < "(b'2") == bool(piece)]
            else:
                copy.rows[number] += table.bag
                copy.pins[number] = done

    def _transaction(self) -> None:
        first = len(self.changes)
        roll = self._random()
        wanted = 1 if roll < 0.4 else 1 + int(self._random() * 5) if roll < 0.9 else 5 + int(self._random() * 25)
        for _ in range(3 * wanted):
            if len(self.changes) - first >= wanted:
                break
            self._change(int(self._random() * len(self.tables)))
        changes = self.changes[first:]
        self.transactions.append(
            Transaction(changes, number=len(self.transactions), tables=frozenset([one.table for one in changes]))
        )

    def _change(self, number: int) -> None:
        table, roll = self.tables[number], self._random()
        rows = len(table.bag) if not table.shape.identity else len(table.rows)
        if not rows or (roll < (0.1 if self._steady else 0.4)):
            self._insert(number)
        elif roll > (0.95 if self._steady else 0.75):
            self._delete(number)
        elif roll < 0.5 and table.shape.uniques and table.shape.identity:
            self._swap(number)
        else:
            self._update(number)

    def _literal(self, table: Upstream, ordinal: int) -> bytes:
        shape, roll = table.shape, self._random()
        if ordinal >= len(shape.columns):
            return b"%d" % int(roll * 3)
        kind = shape.columns[ordinal]
        if not kind.endswith("!") and roll < 0.12:
            return NULL
        span = self._keys if ordinal in shape.identity else self._values
        number = int(self._random() * span)
        if kind.startswith("int"):
            return b"%d" % number
        return TEXTS[number] if number < len(TEXTS) else b"'x%d'" % number

    def _insert(self, number: int) -> None:
        table = self.tables[number]
        image = tuple([self._literal(table, i) for i in range(table.width)])
        self._put(number, None, image)

    def _update(self, number: int) -> None:
        table = self.tables[number]
        before = self._pick(table)
        after = list(before)
        moves_key = self._random() < 0.15
        for ordinal in range(table.width):
            if ordinal in table.shape.identity:
                if moves_key:
                    after[ordinal] = self._literal(table, ordinal)
            elif self._random() < 0.5:
                after[ordinal] = self._literal(table, ordinal)
        self._put(number, before, tuple(after))

    def _delete(self, number: int) -> None:
        self._put(number, self._pick(self.tables[number]), None)

    def _swap(self, number: int) -> None:
        """Two rows exchange their unique values, by way of NULL; or one is deleted and its value taken over."""
        table = self.tables[number]
        if len(table.rows) < 2:
            return
        rows = list(table.rows.values())
        one = rows[int(self._random() * len(rows))]
        other = rows[int(self._random() * len(rows))]
        if one is other:
            return
        ordinals = table.shape.uniques[int(self._random() * len(table.shape.uniques))][0]
        if self._random() < 0.4:
            self._put(number, other, None)
            self._put(number, one, _with(one, ordinals, other))
            return
        cleared = tuple([NULL if i in ordinals else value for i, value in enumerate(other)])
        if self._put(number, other, cleared) and self._put(number, one, _with(one, ordinals, other)):
            self._put(number, cleared, _with(cleared, ordinals, one))

    def _pick(self, table: Upstream) -> RowImage:
        rows = list(table.rows.values()) if table.shape.identity else table.bag
        return rows[int(self._random() * len(rows))]

    def _put(self, number: int, before: RowImage | None, after: RowImage | None) -> bool:
        """One legal change; False when a key forbids it."""
        table = self.tables[number]
        identity = self._identities[number]
        gone = identity(before) if before is not None and table.shape.identity else None
        come = identity(after) if after is not None and table.shape.identity else None
        if come is not None and come != gone and come in table.rows:
            return False
        values = [(unique.value_of(before) if before else None, unique.value_of(after) if after else None)
                  for unique in self._uniques[number]]  # fmt: skip
        for (old, new), taken in zip(values, table.taken, strict=True):
            if new is not None and new != old and new in taken:
                return False
        for (old, new), taken in zip(values, table.taken, strict=True):
            if old is not None:
                taken.discard(old)
            if new is not None:
                taken.add(new)
        self._store(table, gone, come, before, after)
        change = Change(len(self.changes) + 1, number, before, after)
        self.changes.append(change)
        if before is not None:
            self.used_by[id(before)] = change.number
        if after is not None:
            self.made_by[id(after)] = change.number
            self.images.append(after)
        return True

    def _store(
        self, table: Upstream, gone: Value | None, come: Value | None, before: RowImage | None, after: RowImage | None
    ) -> None:
        if not table.shape.identity:
            if before is not None:
                table.bag[:] = [row for row in table.bag if row is not before]
            if after is not None:
                table.bag.append(after)
            return
        if gone is not None:
            del table.rows[gone]
        if come is not None and after is not None:
            table.rows[come] = after

    def moves(self, change: Change) -> bool:
        """Whether an update gives its row another identity, which takes a delete and an insert."""
        assert change.before is not None
        assert change.after is not None
        return any(change.before[i] != change.after[i] for i in self.shapes[change.table].identity)

    def _alter(self, number: int) -> None:
        table = self.tables[number]
        table.width += 1
        for key, row in table.rows.items():
            table.rows[key] = self._widened(row)
        table.bag = [self._widened(row) for row in table.bag]
        self.transactions.append(Transaction([], number, number=len(self.transactions), tables=frozenset([number])))

    def _widened(self, row: RowImage) -> RowImage:
        wide = (*row, DEFAULT)
        self.made_by[id(wide)] = self.made_by[id(row)]
        self.images += (row, wide)
        return wide


def _with(image: RowImage, ordinals: tuple[int, ...], other: RowImage) -> RowImage:
    return tuple([other[i] if i in ordinals else value for i, value in enumerate(image)])
