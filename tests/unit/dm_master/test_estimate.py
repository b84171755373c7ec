"""Sums and times of an estimate."""

from __future__ import annotations

from typing import Any

import pytest

from dm_master.estimate import JudgedTable, Sample, Verdict, estimated_source, without_foreign_keys
from dm_master.estimate_verbs import NOTHING_TO_ESTIMATE, SAMPLE_TOO_LONG, estimate
from dm_master.tasks import Prepared
from pkg.errors import DMError
from pkg.task import SubtaskConfig, TaskMode
from pkg.task.blocks import DumpConfig, LoadConfig
from pkg.task.chunk_size import ChunkSize, TableSize, chunks_of
from pkg.task.connection import ConnectionConfig

SERVER = ConnectionConfig(host="127.0.0.1", port=3306, user="root")


def subtask(**load: Any) -> SubtaskConfig:
    return SubtaskConfig(
        task_name="t", source_id="s", task_mode=TaskMode.ALL, upstream=SERVER, target=SERVER,
        dump=DumpConfig(threads=4), load=LoadConfig.model_validate(load),
    )  # fmt: skip


BIG = TableSize(1_000_000, 100)
TABLES = (
    JudgedTable("shop", "small", TableSize(10, 50), Verdict.MAPPED, "shop", "small", notes=("latin2 is mapped",)),
    JudgedTable("shop", "big", BIG, Verdict.COPIED, "shop", "big"),
    JudgedTable("shop", "bag", TableSize(500_000, 10), Verdict.COPIED, "shop", "bag", has_key=False),
    JudgedTable("shop", "bad", TableSize(10**9, 100), Verdict.REFUSED, notes=("no",)),
)
SAMPLE = Sample(2.0, 10_000, 2_000_000, connections=4, table="shop.big", writes=True)


def test_sums_are_of_what_moves() -> None:
    body = estimated_source(subtask(), TABLES, Sample())
    assert (body["rows"], body["bytes"]) == (1_500_010, 105_000_500)
    chunks = {one["table"]: one["chunks"] for one in body["tables"]}
    assert chunks == {"bad": 0, "big": 20, "bag": 1, "small": 1}
    assert body["chunks"] == 22
    assert [one["table"] for one in body["tables"]] == ["bad", "big", "bag", "small"]
    assert body["notes"] == ["tables without a key are one chunk each: shop.bag"]
    assert "seconds" not in body
    assert "no time can be said" in body["how"]


def test_the_time_is_by_the_rate_and_the_size_of_rows_in_the_sample() -> None:
    body = estimated_source(subtask(), TABLES, SAMPLE, BIG)
    assert body["bytesPerSecond"] == 1_000_000
    assert body["seconds"] == 210.0  # a row is 200 bytes when it is sent, where the statistics say 100
    assert body["how"].startswith("by 10000 rows of shop.big, copied by INSERT into a scratch table of the target")


def test_a_limit_and_a_sample_that_was_only_read() -> None:
    limited = estimated_source(subtask(**{"max-bytes-per-second": 500_000}), TABLES, SAMPLE, BIG)
    assert (limited["bytesPerSecond"], limited["seconds"]) == (500_000, 420.0)
    assert "not above max-bytes-per-second" in limited["how"]
    read = Sample(2.0, 10_000, 2_000_000, 1, "shop.big", writes=False, note="no sample could be written")
    body = estimated_source(subtask(), TABLES, read, BIG)
    assert "this is the shortest that it can take" in body["how"]
    assert body["notes"][0] == "no sample could be written"


def test_chunks_by_the_settings_of_the_task() -> None:
    size = ChunkSize(rows=100, bytes=0, lanes=4)
    assert chunks_of(size, TableSize(1001, 10), 1001, has_key=True) == 11
    assert chunks_of(size, TableSize(1001, 10), 1001, has_key=False) == 1
    assert chunks_of(size, TableSize(0, 0), 0, has_key=True) == 1
    by_bytes = ChunkSize(rows=0, bytes=2**20, lanes=1)
    assert chunks_of(by_bytes, TableSize(1000, 2**20), 1000, has_key=True) == 1000


@pytest.mark.parametrize(
    ("mode", "seconds", "kind"),
    [(TaskMode.INCREMENTAL, 5, NOTHING_TO_ESTIMATE), (TaskMode.ALL, 121, SAMPLE_TOO_LONG)],
)
def test_what_cannot_be_estimated(mode: TaskMode, seconds: int, kind: Any) -> None:
    with pytest.raises(DMError) as refused:
        estimate(Prepared("t", "", mode, [subtask()] * 3), seconds, writes=True)
    assert refused.value.is_a(kind)


def test_a_scratch_table_has_no_foreign_keys() -> None:
    sql = """CREATE TABLE `c` (
  `id` int(11) NOT NULL,
  `p` int(11) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `p` (`p`),
  CONSTRAINT `c``_1` FOREIGN KEY (`p`) REFERENCES `p` (`id`),
  CONSTRAINT `c_2` FOREIGN KEY (`p`) REFERENCES `q` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"""
    kept = without_foreign_keys(sql)
    assert kept.splitlines()[-3:] == [
        "  PRIMARY KEY (`id`),", "  KEY `p` (`p`)", ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
    ]  # fmt: skip
    assert without_foreign_keys(kept) == kept
    with_check = sql.replace("\n)", ",\n  CONSTRAINT `ck` CHECK (`p` > 0)\n)")
    assert "  CONSTRAINT `ck` CHECK (`p` > 0)\n)" in without_foreign_keys(with_check)
