"""TiDB's table options in a CREATE TABLE."""

from __future__ import annotations

import pytest

from pkg.schema.tidb_layout import Layout, with_layout

KEYED = """CREATE TABLE `s`.`t` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `v` int DEFAULT NULL,
  PRIMARY KEY (`id`) USING BTREE,
  KEY `v` (`v`)
) DEFAULT CHARSET=utf8mb4 ENGINE=InnoDB AUTO_INCREMENT=55 PARTITION BY HASH (`id`) PARTITIONS 2"""
KEYLESS = "CREATE TABLE `s`.`t` (`a` int) ENGINE=InnoDB"


def test_auto_random() -> None:
    done = with_layout(KEYED, Layout(auto_random=5, pre_split_regions=2))
    assert done.note == ""
    expected = KEYED.replace("NOT NULL AUTO_INCREMENT,", "NOT NULL AUTO_RANDOM(5),")
    expected = expected.replace("USING BTREE", "USING BTREE CLUSTERED").replace("AUTO_INCREMENT=", "AUTO_RANDOM_BASE=")
    assert done.sql.split() == expected.replace("\n) ", "\n) PRE_SPLIT_REGIONS=2 ").split()


def test_rows_that_are_spread() -> None:
    layout = Layout(shard_row_id_bits=4, pre_split_regions=3)
    assert with_layout(KEYLESS, layout).sql == (
        "CREATE TABLE `s`.`t` (`a` int) SHARD_ROW_ID_BITS=4 PRE_SPLIT_REGIONS=3  ENGINE=InnoDB"
    )
    assert with_layout(KEYED, layout).note.startswith("it has a primary key")
    done = with_layout(KEYED, Layout(shard_row_id_bits=4, primary_key="nonclustered"))
    assert "USING BTREE NONCLUSTERED," in done.sql
    assert ") SHARD_ROW_ID_BITS=4 " in done.sql


def test_keys_that_are_clustered_or_not() -> None:
    for word in ("clustered", "nonclustered"):
        assert f"USING BTREE {word.upper()}," in with_layout(KEYED, Layout(primary_key=word)).sql
    assert with_layout(KEYLESS, Layout(primary_key="clustered")).note == "it has no primary key"


@pytest.mark.parametrize(
    "sql",
    [
        KEYLESS,
        KEYED.replace("bigint(20) unsigned", "int"),
        KEYED.replace(" AUTO_INCREMENT,", ","),
        KEYED.replace("(`id`) USING BTREE", "(`id`, `v`)"),
        KEYED.replace("PRIMARY KEY (`id`)", "PRIMARY KEY (`v`)").replace("KEY `v` (`v`)", "KEY (`id`)"),
    ],
)
def test_tables_that_auto_random_does_not_fit_stay_as_they_are(sql: str) -> None:
    done = with_layout(sql, Layout(auto_random=5))
    assert done.sql == sql
    assert done.note == "AUTO_RANDOM needs a primary key that is one BIGINT with AUTO_INCREMENT"


def test_values_that_a_column_mapping_makes_are_no_random_ones() -> None:
    done = with_layout(KEYED, Layout(auto_random=5), frozenset({"id"}))
    assert (done.sql, done.note) == (KEYED, "a column mapping makes the values of its primary key")


def test_what_a_dump_of_a_tidb_says_gives_way() -> None:
    sql = KEYED.replace("USING BTREE", "/*T![clustered_index] CLUSTERED */").replace(
        "ENGINE=InnoDB", "ENGINE=InnoDB /*T! SHARD_ROW_ID_BITS=2 PRE_SPLIT_REGIONS=1 */"
    )
    done = with_layout(sql, Layout(primary_key="nonclustered"))
    assert "PRIMARY KEY (`id`) NONCLUSTERED ,\n" in done.sql
    assert "/*T!" not in done.sql
