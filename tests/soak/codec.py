"""Random tables through the binlog: `./dev soak codec [--rounds N] [--seconds S] [--seed S] [--flavor mariadb|mysql]`.

Each round makes a table of random types and fifty random rows on one server, reads them from its
binlog, and sends the literals to a second server: there every value must be the same.  A table that
fails is made smaller, printed, and kept as SQL.
"""

from __future__ import annotations

import argparse
import random
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.golden.any_table import AnyTable, any_tables
from tests.property.test_binlog_round_trip import Mirror
from tests.servers import Unavailable, start

FLAVORS = ("mariadb", "mysql")
METADATA = {"mariadb": ("NO_LOG", "MINIMAL", "FULL"), "mysql": ("MINIMAL", "FULL")}
ROWS = 50


@st.composite
def tables(draw: st.DrawFn, flavor: str) -> AnyTable:
    """Fifty rows: those of a drawn table, their values mixed column by column."""
    table = draw(any_tables(flavor))
    rng = draw(st.randoms(use_true_random=False))
    columns = range(len(table.types))
    mixed = (tuple(rng.choice(table.rows)[column] for column in columns) for _ in range(ROWS - len(table.rows)))
    return AnyTable(table.types, (*table.rows, *mixed))


@dataclass(slots=True)
class Campaign:
    """One flavour's tables, from a source to a target."""

    source: Mirror
    target: Mirror
    end: float
    tables: int = 0
    rows: int = 0
    failing: AnyTable | None = None

    def check(self, table: AnyTable, metadata: str) -> None:
        if time.monotonic() > self.end and self.failing is None:
            return
        before, self.failing = self.failing, table
        self._check(table, metadata)
        self.failing = before
        self.tables += 1
        self.rows += len(table.rows)

    def _check(self, table: AnyTable, metadata: str) -> None:
        self.source.cursor.execute(f"SET GLOBAL binlog_row_metadata = {metadata}")
        for mirror in (self.source, self.target):
            mirror.cursor.execute("DROP TABLE IF EXISTS mirror.t")
            mirror.cursor.execute(table.create("mirror.t"))
        begin = self.source.location()
        self.source.cursor.execute(table.insert("mirror.t"))
        images = self.source.decoded("t", begin, len(table.rows))
        assert len(images) == len(table.rows), f"{len(images)} of {len(table.rows)} rows came"
        begin = self.target.location()
        rows = b", ".join(b"(" + b", ".join(image) + b")" for image in images)
        self.target.cursor.execute(b"INSERT INTO mirror.t VALUES " + rows)
        for place, type_ in enumerate(table.types):
            assert values(self.source, place, type_) == values(self.target, place, type_), f"c{place} {type_} differs"
        assert self.target.decoded("t", begin, len(images)) == images, "the target's binlog differs"


def values(mirror: Mirror, place: int, type_: str) -> Sequence[tuple[object, ...]]:
    # Some sets have two codes for a character: then the text is the same, and the bytes need not be.
    value = f"HEX(CONVERT(c{place} USING utf8mb4))" if "CHARACTER SET" in type_ else f"HEX(c{place})"
    mirror.cursor.execute(f"SELECT id, {value} FROM mirror.t ORDER BY id")
    rows: Sequence[tuple[object, ...]] = mirror.cursor.fetchall()
    return rows


def play(flavor: str, rounds: int, seconds: float, number: int) -> bool:
    """Whether all tables came through."""
    with start(flavor) as one, start(flavor) as other:
        campaign = Campaign(Mirror(one), Mirror(other), time.monotonic() + seconds)

        @seed(number)
        @settings(
            max_examples=rounds, deadline=None, database=None, suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink), print_blob=False,
        )  # fmt: skip
        @given(table=tables(flavor), metadata=st.sampled_from(METADATA[flavor]))
        def run(table: AnyTable, metadata: str) -> None:
            campaign.check(table, metadata)

        try:
            run()
        except Exception:
            traceback.print_exc()
        finally:
            campaign.source.connection.close()
            campaign.target.connection.close()
    verdict = "equal" if campaign.failing is None else f"DIFFERENT, see {keep(campaign.failing, flavor, number)}"
    print(f"{flavor}  seed {number}: {campaign.tables:,} tables, {campaign.rows:,} rows: {verdict}", flush=True)
    return campaign.failing is None


def keep(table: AnyTable, flavor: str, number: int) -> Path:
    path = Path(f"soak-codec-{flavor}-{number}.sql")
    path.write_text(f"{table.create('t')};\n{table.insert('t')};\n")
    return path.resolve()


def main(words: Sequence[str]) -> int:
    arguments = argparse.ArgumentParser(prog="./dev soak codec", description=__doc__)
    arguments.add_argument("--rounds", type=int, default=1000, help="tables of each flavour")
    arguments.add_argument("--seconds", type=float, default=float("inf"), help="at most, for each flavour")
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments.add_argument("--flavor", choices=FLAVORS, action="append", help="default: both")
    options = arguments.parse_args(words)
    good = True
    for flavor in options.flavor or FLAVORS:
        try:
            good &= play(flavor, options.rounds, options.seconds, options.seed)
        except Unavailable as problem:
            print(f"no {flavor} on this machine: {problem}")
    return 0 if good else 1
