from __future__ import annotations

import pytest

from pkg.rules.block_allow_list import BlockAllowList, BlockAllowRules
from pkg.rules.taken import mixture, taken_pieces
from pkg.schema.ddl import Ddl, parse_ddl

LIST = BlockAllowList(BlockAllowRules(do_dbs=("db", "db2"), ignore_tables=(("db", "n*"),)), case_sensitive=True)


def parsed(sql: str) -> Ddl:
    return parse_ddl(sql, default_schema="db", flavor="mariadb")


@pytest.mark.parametrize(
    ("sql", "subjects"),
    [
        ("DROP TABLE t, n, other.t, db2.n", ["db.t", "db2.n"]),
        ("DROP TABLE n, other.t", []),
        ("RENAME TABLE t TO t2, other.c TO other.c2, n TO n2, db2.x TO u", ["db.t", "db2.x"]),
        ("RENAME TABLE a TO n, b TO a, n TO b", ["db.a", "db.b", "db.n"]),
        ("RENAME TABLE other.a TO x, x TO other.b", []),
        ("ALTER TABLE t EXCHANGE PARTITION p WITH TABLE db2.u", ["db.t"]),
        ("ALTER TABLE n EXCHANGE PARTITION p WITH TABLE other.u", []),
        ("ALTER TABLE n ADD a INT, RENAME TO other.x", []),
        ("CREATE TABLE n (a INT REFERENCES t (a))", []),
        ("CREATE TABLE t (a INT REFERENCES other.n (a))", ["db.t"]),
        ("CREATE TABLE n LIKE t", []),
        ("CREATE OR REPLACE TABLE t (a INT)", ["db.t", "db.t"]),
        ("TRUNCATE other.t", []),
        ("CREATE INDEX i ON t (a)", ["db.t"]),
        ("CREATE DATABASE db2", ["db2."]),
        ("DROP DATABASE other", []),
    ],
)
def test_pieces_are_taken_by_the_table_that_they_are_about(sql: str, subjects: list[str]) -> None:
    taken = taken_pieces(parsed(sql), LIST.allows)
    assert [f"{piece.subject.schema}.{piece.subject.table}" for piece in taken] == subjects
    assert not mixture(parsed(sql), LIST.allows)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("RENAME TABLE t TO n", "`db`.`t` is renamed to `db`.`n`, which"),
        ("RENAME TABLE other.t TO t", "`other`.`t`, which the task does not take, is renamed to `db`.`t`"),
        ("RENAME TABLE a TO n, other.b TO a", "`db`.`a` is renamed to `db`.`n`"),
        ("RENAME TABLE a TO x, x TO n2, b TO b2", "`db`.`a` is renamed to `db`.`n2`"),
        ("ALTER TABLE t ADD a INT, RENAME TO other.t", "`db`.`t` is renamed to `other`.`t`"),
        ("ALTER TABLE n RENAME TO t", "`db`.`n`, which the task does not take, is renamed"),
        ("ALTER TABLE t EXCHANGE PARTITION p WITH TABLE other.u", "rows move from or to `other`.`u`, which"),
        ("ALTER TABLE t CONVERT TABLE other.u TO PARTITION p", "rows move from or to `other`.`u`, which"),
        ("ALTER TABLE n CONVERT PARTITION p TO TABLE t", "rows move from or to `db`.`n`, which"),
        ("ALTER TABLE n EXCHANGE PARTITION p WITH TABLE t", "rows move from or to `db`.`n`, which"),
        ("CREATE TABLE t LIKE other.m", "`db`.`t` is created like `other`.`m`"),
        ("CREATE OR REPLACE TABLE t (LIKE n)", "`db`.`t` is created like `db`.`n`"),
    ],
)
def test_tables_of_the_task_and_others_in_one_piece_are_told(sql: str, reason: str) -> None:
    assert taken_pieces(parsed(sql), LIST.allows)
    assert reason in mixture(parsed(sql), LIST.allows)
