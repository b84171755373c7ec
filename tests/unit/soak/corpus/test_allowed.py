"""Which statements of the corpus reach a server."""

from __future__ import annotations

import pytest

from tests.soak.corpus.allowed import left_out, placed

FOLDER = "/vardir"


@pytest.mark.parametrize(
    "sql",
    [
        "SHUTDOWN",
        "kill 5",
        "RESET MASTER",
        "/* why */ install plugin x soname 'x'",
        "SET STATEMENT max_statement_time=1 FOR CHANGE MASTER TO master_port=1",
        "SET GLOBAL read_only=1",
        "set @@global.general_log_file='/tmp/x'",
        "SET SESSION binlog_format=STATEMENT",
        "SELECT 1 INTO OUTFILE '/tmp/x'",
        "CREATE TABLE t (a INT) DATA DIRECTORY '/tmp'",
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE t",
        "LOAD DATA LOCAL INFILE '../../etc/passwd' INTO TABLE t",
        "delete from mysql.user",
        "DROP DATABASE mysql",
        "call mysql.AddGeometryColumn('', 'mysql', 'proc', 'c', 10)",
        "DROP USER root@localhost",
        "SET PASSWORD = 'x'",
        "create function f returns string soname 'udf.so'",
    ],
)
def test_left_out(sql: str) -> None:
    assert left_out(sql, FOLDER)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE t (a INT)",
        "INSERT INTO t SELECT * FROM mysql_t",
        "SET GLOBAL sql_mode=''",
        "SET SESSION sql_mode=ANSI",
        "START TRANSACTION",
        "CREATE USER u@localhost",
        "DROP DATABASE d",
        "SELECT LOAD_FILES FROM t",
    ],
)
def test_run(sql: str) -> None:
    assert left_out(sql, FOLDER) == ""


def test_data_of_the_suite_is_read_from_the_campaigns_copy() -> None:
    sql = placed("LOAD DATA INFILE '../../std_data/words.dat' INTO TABLE t", FOLDER)
    assert sql == "LOAD DATA INFILE '/vardir/std_data/words.dat' INTO TABLE t"
    assert left_out(sql, FOLDER) == ""
