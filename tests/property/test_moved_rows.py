"""Whatever rows do in tables that wait and in others: the merged table ends as what the tables have.

Tables of a source meet two DDLs, each at its own time.  A change is applied behind those of earlier phases, as the
appliers do it: a row of the target gives way where it has moved, everything else that collides would pause the task.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from dm_worker.syncer.moved_rows import MovedRows
from pkg.rows.change import Kind, RowImage, plan_target
from pkg.rows.job import Job, Origin
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import TableName
from pkg.shardddl.moves import Move, MoveFinder, taker

MERGED = parse_create_table("CREATE TABLE t (id INT PRIMARY KEY, u INT, UNIQUE KEY (u)) ENGINE=InnoDB", schema="all")
TARGET, T = plan_target(MERGED, MERGED), TableName("all", "t")
TABLES = [TableName("d", f"t{number}") for number in range(3)]
FILE = "mysql-bin.000001"
VALUES = range(1, 6)
Row = tuple[int, int | None]


@dataclass
class Change:
    table: TableName
    phase: int
    before: Row | None
    after: Row | None
    place: int

    def jobs(self) -> list[Job]:
        """A row that gets another key is deleted and inserted."""
        if self.before is None or self.after is None or self.before[0] == self.after[0]:
            return [self._job(self.before, self.after, 0)]
        return [self._job(self.before, None, 0), self._job(None, self.after, 1)]

    def _job(self, before: Row | None, after: Row | None, number: int) -> Job:
        kind = Kind.INSERT if before is None else Kind.DELETE if after is None else Kind.UPDATE
        key, images = _image(before or after or (0, 0))[:1], [one and _image(one) for one in (before, after)]
        return Job(
            self.place, 0, kind, TARGET, key, key, *images, False, Origin(FILE, ""), self.place, number, 1
        )  # fmt: skip


def _image(row: Row) -> RowImage:
    return tuple(b"NULL" if value is None else b"%d" % value for value in row)


@dataclass
class Upstream:
    """Makes random changes that no key of another table hinders."""

    rng: random.Random
    rows: dict[TableName, set[Row]] = field(default_factory=lambda: {table: set() for table in TABLES})
    phases: dict[TableName, int] = field(default_factory=lambda: dict.fromkeys(TABLES, 0))
    begins: dict[int, int] = field(default_factory=dict)  # by phase, behind which change its first table waits
    resolved: int | None = None  # behind which change all tables have met the first DDL
    stream: list[Change] = field(default_factory=list)

    def change(self) -> None:
        rng = self.rng
        table = rng.choice(TABLES)
        if rng.random() < 0.1 and self.phases[table] < 2:
            self.phases[table] += 1
            self.begins.setdefault(self.phases[table], len(self.stream))
            if self.resolved is None and 0 not in self.phases.values():
                self.resolved = len(self.stream)
        before = rng.choice([*sorted(self.rows[table], key=str), None])
        after = (rng.choice(VALUES), rng.choice([None, *VALUES]))
        if before is not None and rng.random() < 0.4:
            after = rng.choice([(before[0], after[1]), (after[0], before[1])])
        self.write(table, before, after if before is None or rng.random() < 0.6 else None)

    def move(self) -> None:
        """A row is inserted into another table before it is deleted where it was; a change may come between."""
        source, goal = self.rng.sample(TABLES, 2)
        is_in_order = self.phases[source] < self.phases[goal]  # by when they are applied
        if not (is_in_order or self.phases[source] > self.phases[goal] == 0) or not self.rows[source]:
            return
        row = self.rng.choice(sorted(self.rows[source], key=str))
        self.rows[source].remove(row)
        there = len(self.stream)
        self.write(goal, None, row)
        for _ in range(self.rng.randrange(3)):
            last = next(one for one in reversed(self.stream) if one.table == goal).after
            after = (self.rng.choice(VALUES), row[1])
            self.write(goal, last, after)
        assert len(self.stream) > there
        self.stream.append(Change(source, self.phases[source], row, None, len(self.stream) + 1))

    def write(self, table: TableName, before: Row | None, after: Row | None) -> None:
        others = [row for rows in self.rows.values() for row in rows if row != before]
        taken = after is not None and any(
            row[0] == after[0] or (after[1] is not None and row[1] == after[1]) for row in others
        )
        if taken or before == after:
            return
        self.rows[table] = {row for row in {*self.rows[table], after} - {before, None} if row is not None}
        self.stream.append(Change(table, self.phases[table], before, after, len(self.stream) + 1))


class Target:
    """The merged table, in a task that pauses where it does not know what is right."""

    def __init__(self, upstream: Upstream, rng: random.Random, *, overwrites: bool) -> None:
        """``overwrites``: as in safe mode."""
        self.stream, self.begins, self.rng, self.overwrites = upstream.stream, upstream.begins, rng, overwrites
        self.resolved = len(self.stream) if upstream.resolved is None else upstream.resolved
        self.done = 0  # DDLs
        self.rows: dict[bytes, RowImage] = {}
        self.moves: dict[Move, None] = {}

    def run(self) -> None:
        for self.done in (0, 1):
            begin, end = ((0, self.resolved), (self.resolved, len(self.stream)))[self.done]
            for change in self.stream[begin:end]:
                if change.phase == self.done:
                    for job in change.jobs():
                        self.apply(job, end)
            self.look(end, None)
            for change in self.stream[:end]:  # what has waited
                if change.phase == self.done + 1:
                    for job in self.counting(change):
                        self.apply(job, None)

    def look(self, end: int, asked: Job | None) -> None:
        takers = {move.taken for move in self.moves} | ({taker(asked)} if asked is not None else set())
        finder = MoveFinder(10**6, forced=self.overwrites, asked=takers)
        for change in self.stream[self.begins.get(self.done + 1, end) : end]:
            if change.phase > self.done or not self.done or change.place > self.resolved:
                for job in change.jobs():
                    finder.see((change.table, 0), change.phase - self.done, job, job.row_index)
        self.moves |= dict.fromkeys(finder.found)

    def counting(self, change: Change) -> list[Job]:
        moved = self.moved()
        if not moved.has_void(change.table):
            return change.jobs()
        return list(moved.without_void(change.table, 0, change.jobs()))

    def moved(self) -> MovedRows:
        return MovedRows(lambda: [T], {T: list(self.moves)})

    def apply(self, job: Job, end: int | None) -> None:
        """``end``: up to where the stream can be read for what waits; None: it is read."""
        if self.overwrites:
            for row in self.collisions(job):
                del self.rows[row[0]]
        if self.collisions(job):
            self.give_way(job)
        for known in () if end is None else (self.rng.randrange(job.event_end, end + 1), end):
            if self.collisions(job):  # the task looks; it pauses, and is resumed
                self.look(known, job)
                self.give_way(job)
        assert not self.collisions(job), f"{job.kind} {job.after} collides with {self.collisions(job)}"
        if job.before is not None:
            assert job.safe or self.overwrites or self.rows.get(job.key[0]) == job.before, (
                f"{job.kind} {job.before} is not there"
            )
            self.rows.pop(job.key[0], None)
        if job.after is not None:
            self.rows[job.after[0]] = job.after

    def collisions(self, job: Job) -> list[RowImage]:
        after = job.after
        if after is None:
            return []
        others = [row for key, row in self.rows.items() if job.before is None or key != job.key[0]]
        return [row for row in others if row[0] == after[0] or (after[1] != b"NULL" and row[1] == after[1])]

    def give_way(self, job: Job) -> None:
        for move in self.moved().giving_way(job):
            key = job.table.take_identity(job.after) if move.of_key and job.after is not None else move.key
            for row in self.collisions(job):
                if row[0] == key[0]:
                    del self.rows[row[0]]


def merge(seed: int, *, overwrites: bool) -> None:
    rng = random.Random(seed)
    upstream = Upstream(rng)
    for _ in range(rng.randrange(5, 60)):
        if rng.random() < 0.1:
            upstream.move()
        else:
            upstream.change()
    target = Target(upstream, rng, overwrites=overwrites)
    target.run()
    assert sorted(target.rows.values()) == sorted(_image(row) for rows in upstream.rows.values() for row in rows)


@given(st.integers(0, 10**9))
def test_the_merged_table_ends_as_the_tables(seed: int) -> None:
    merge(seed, overwrites=False)


@given(st.integers(0, 10**9))
def test_the_merged_table_ends_as_the_tables_in_safe_mode(seed: int) -> None:
    merge(seed, overwrites=True)
