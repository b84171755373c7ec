from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.schema.ddl import Ddl, DdlKind, TableName, parse_ddl, split_alter
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table


def parsed(sql: str, **options: object) -> Ddl:
    return parse_ddl(sql, default_schema="db", **options)  # type: ignore[arg-type]


def routed(name: TableName) -> TableName:
    return TableName(f"r_{name.schema}", name.table and f"r_{name.table}")


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("BEGIN", DdlKind.BEGIN),
        ("START TRANSACTION", DdlKind.BEGIN),
        ("COMMIT", DdlKind.COMMIT),
        ("ROLLBACK TO SAVEPOINT x", DdlKind.SAVEPOINT),
        ("ROLLBACK", DdlKind.ROLLBACK),
        ("SAVEPOINT `x`", DdlKind.SAVEPOINT),
        ("XA END 'a','b',1", DdlKind.XA),
        ("INSERT INTO t VALUES (1)", DdlKind.DML_TEXT),
        ("/* hint */ update t set a = 1", DdlKind.DML_TEXT),
        ("LOAD DATA INFILE 'x' INTO TABLE t", DdlKind.DML_TEXT),
        ("ANALYZE FORMAT=JSON UPDATE t SET a = 1", DdlKind.DML_TEXT),
        ("ANALYZE DELETE FROM t", DdlKind.DML_TEXT),
        ("SET STATEMENT a=1 FOR INSERT INTO t VALUES (1)", DdlKind.DML_TEXT),
        ("CREATE TABLE t SELECT 1 AS a", DdlKind.CREATE_TABLE_SELECT),
        ("CREATE TABLE t (a INT) IGNORE AS SELECT 1", DdlKind.CREATE_TABLE_SELECT),
        ("CREATE TABLE t (a INT) START TRANSACTION", DdlKind.CREATE_TABLE),
        ("TRUNCATE t", DdlKind.TRUNCATE_TABLE),
    ],
)
def test_kinds(sql: str, kind: DdlKind) -> None:
    assert parsed(sql).kind is kind


@pytest.mark.parametrize(
    "sql",
    [
        "FLUSH TABLES",
        "OPTIMIZE TABLE t",
        "ANALYZE TABLE t",
        "ANALYZE NO_WRITE_TO_BINLOG TABLE t",
        "REPAIR TABLE t",
        "DROP TEMPORARY TABLE IF EXISTS t",
        "CREATE TEMPORARY TABLE t (a INT)",
        "CREATE DEFINER=`root`@`%` TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET @a = 1",
        "CREATE DEFINER = CURRENT_USER PROCEDURE p() BEGIN SELECT 1; END",
        "CREATE OR REPLACE ALGORITHM=MERGE DEFINER=`a`@`b` SQL SECURITY INVOKER VIEW v AS SELECT 1",
        "CREATE AGGREGATE FUNCTION f RETURNS INT SONAME 'x'",
        "ALTER EVENT e DISABLE",
        "DROP VIEW v",
        "GRANT SELECT ON *.* TO u",
        "SET PASSWORD FOR u = 'x'",
        "RENAME USER a TO b",
        "CREATE SEQUENCE s START WITH 1",
        "CREATE TABLESPACE ts ADD DATAFILE 'x'",
        "/* nothing */",
        "# Dummy event replacing event type 160 that slave cannot handle.",
    ],
)
def test_what_is_not_replicated_says_what_it_is(sql: str) -> None:
    ddl = parsed(sql)
    assert ddl.kind is DdlKind.NOT_REPLICATED
    assert ddl.note


def test_a_sequence_that_replaces_a_table_drops_it() -> None:
    for sql in ("CREATE OR REPLACE SEQUENCE s START 3", "/*!100301 CREATE OR REPLACE SEQUENCE*/ `db`.s"):
        ddl = parsed(sql, flavor="mariadb", logged_by="mariadb")
        assert (ddl.kind, ddl.note) == (DdlKind.DROP_TABLE, "sequences")
        assert ddl.rename(routed) == "DROP TABLE IF EXISTS `r_db`.`r_s`"
    assert parsed("CREATE OR REPLACE TEMPORARY SEQUENCE s").kind is DdlKind.NOT_REPLICATED


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("ALTER TABLE t ADD c INT;", "ALTER TABLE `r_db`.`r_t` ADD c INT"),
        ("alter table `a` . `b` /* t */ comment 't'", "alter table `r_a`.`r_b`         comment 't'"),
        ("CREATE TABLE a LIKE x.b", "CREATE TABLE `r_db`.`r_a` LIKE `r_x`.`r_b`"),
        ("CREATE INDEX a ON a (a)", "CREATE INDEX a ON `r_db`.`r_a` (a)"),
        ("DROP INDEX a ON x.a", "DROP INDEX a ON `r_x`.`r_a`"),
        ("ALTER TABLE x.a RENAME TO b, ADD b INT", "ALTER TABLE `r_x`.`r_a` RENAME TO `r_db`.`r_b`, ADD b INT"),
        (
            "CREATE TABLE x.a (p INT REFERENCES p (p), FOREIGN KEY (p) REFERENCES y.p (p))",
            "CREATE TABLE `r_x`.`r_a` (p INT REFERENCES `r_x`.`r_p` (p), FOREIGN KEY (p) REFERENCES `r_y`.`r_p` (p))",
        ),
        (
            "ALTER TABLE a EXCHANGE PARTITION a WITH TABLE a2",
            "ALTER TABLE `r_db`.`r_a` EXCHANGE PARTITION a WITH TABLE `r_db`.`r_a2`",
        ),
        ("CREATE /*!50100 TABLE */ t (a INT)", "CREATE          TABLE    `r_db`.`r_t` (a INT)"),
        ("CREATE DATABASE /*!32312 IF NOT EXISTS*/ `x``y`", "CREATE DATABASE          IF NOT EXISTS   `r_x``y`"),
        ("ALTER DATABASE CHARSET gbk", "ALTER DATABASE `r_db` CHARSET gbk"),
        ("ALTER DATABASE comment COMMENT 'x'", "ALTER DATABASE `r_comment` COMMENT 'x'"),
        ("ALTER DATABASE COMMENT = 'x'", "ALTER DATABASE `r_db` COMMENT = 'x'"),
        ("ALTER DATABASE charset CHARSET gbk", "ALTER DATABASE `r_charset` CHARSET gbk"),
        ("DROP DATABASE x", "DROP DATABASE `r_x`"),
    ],
)
def test_names_are_mapped_where_they_stand(sql: str, expected: str) -> None:
    assert parsed(sql).rename(routed) == expected


def test_text_of_other_quoting_modes_becomes_portable() -> None:
    ddl = parsed('CREATE TABLE "a" ("b" CHAR(9) DEFAULT \'x\\\')', sql_mode={"ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"})
    assert ddl.rename(routed) == "CREATE TABLE `r_db`.`r_a` (`b` CHAR(9) DEFAULT 'x\\\\')"


def test_real_is_what_the_session_says() -> None:
    ddl = parsed("CREATE TABLE a (r REAL, `REAL` REAL(9,2))", sql_mode={"REAL_AS_FLOAT"})
    assert ddl.rename(routed) == "CREATE TABLE `r_db`.`r_a` (r FLOAT, `REAL` FLOAT(9,2))"


@pytest.mark.parametrize(
    ("sql", "pieces"),
    [
        (
            "DROP TABLE IF EXISTS a, x.`b` /* generated by server */",
            ["DROP TABLE IF EXISTS `db`.`a`", "DROP TABLE IF EXISTS `x`.`b`"],
        ),
        ("RENAME TABLE a TO t, b TO a", ["RENAME TABLE `db`.`a` TO `db`.`t`", "RENAME TABLE `db`.`b` TO `db`.`a`"]),
        ("ALTER TABLE a ADD b INT, ADD c INT", ["ALTER TABLE a ADD b INT, ADD c INT"]),
        (
            "CREATE OR REPLACE TABLE a (b INT)",
            ["DROP TABLE IF EXISTS `db`.`a`", "CREATE            TABLE a (b INT)"],
        ),
    ],
)
def test_statements_are_split_by_table(sql: str, pieces: list[str]) -> None:
    assert [piece.text for piece in parsed(sql).pieces()] == pieces


def test_pieces_are_routed_as_the_whole_is() -> None:
    drop, create = parsed("CREATE OR REPLACE TABLE a LIKE b").pieces()
    assert drop.rename(routed) == "DROP TABLE IF EXISTS `r_db`.`r_a`"
    assert create.rename(routed).endswith("TABLE `r_db`.`r_a` LIKE `r_db`.`r_b`")


@pytest.mark.parametrize(
    ("sql", "parts"),
    [
        ("ALTER TABLE t ADD a INT, ADD b INT AFTER a", ["ADD a INT", "ADD b INT AFTER a"]),
        ("ALTER TABLE t RENAME u, LOCK=NONE, DROP a, ADD b INT", ["DROP a", "ADD b INT", "RENAME u"]),
        ("ALTER TABLE t RENAME COLUMN g TO x, RENAME COLUMN h TO g", ["RENAME COLUMN g TO x", "RENAME COLUMN h TO g"]),
        ("ALTER TABLE t RENAME COLUMN h TO g, RENAME COLUMN g TO x", ["RENAME COLUMN g TO x", "RENAME COLUMN h TO g"]),
        ("ALTER TABLE t CHANGE b a INT, ADD c INT, DROP a", ["DROP a", "CHANGE b a INT", "ADD c INT"]),
        ("ALTER TABLE t ADD a INT, ADD c INT, DROP a", ["DROP a", "ADD a INT", "ADD c INT"]),
        ("ALTER TABLE t ADD KEY k (a), DROP KEY k", ["DROP KEY k", "ADD KEY k (a)"]),
        ("ALTER TABLE t ADD KEY k (a), DROP KEY l, COMMENT 'x'", ["COMMENT 'x'", "ADD KEY k (a)", "DROP KEY l"]),
        ("ALTER TABLE t ADD KEY k (a), DROP KEY l, MODIFY b INT", ["DROP KEY l", "MODIFY b INT", "ADD KEY k (a)"]),
        ("ALTER TABLE t DROP KEY l, ADD KEY k (a)", ["ADD KEY k (a)", "DROP KEY l"]),
        (
            "ALTER TABLE t ADD KEY k (a), DROP KEY l, CONVERT TO CHARACTER SET utf8mb4",
            ["DROP KEY l", "CONVERT TO CHARACTER SET utf8mb4", "ADD KEY k (a)"],
        ),
        (
            "ALTER TABLE t MODIFY v VARCHAR(50), DROP KEY l, DROP FOREIGN KEY f",
            ["DROP FOREIGN KEY f", "DROP KEY l", "MODIFY v VARCHAR(50)"],
        ),
        (
            "ALTER TABLE t CHANGE b a INT AFTER d, RENAME COLUMN c TO d",
            ["RENAME COLUMN c TO d", "CHANGE b a INT AFTER d"],
        ),
        ("ALTER TABLE t ADD x INT AFTER bb, CHANGE b bb INT", ["CHANGE b bb INT", "ADD x INT AFTER bb"]),
        (
            "ALTER TABLE t ADD x INT AFTER bb, CHANGE b bb INT FIRST",
            ["CHANGE COLUMN `b` `bb` INT", "ADD x INT AFTER bb", "CHANGE COLUMN `bb` `bb` INT FIRST"],
        ),
        (
            "ALTER TABLE t RENAME KEY ka TO kb, RENAME KEY kb TO ka",
            ["RENAME KEY `ka` TO `ka_2`", "RENAME KEY kb TO ka", "RENAME KEY `ka_2` TO `kb`"],
        ),
        (
            "ALTER TABLE t CHANGE a b INT, CHANGE b a INT AFTER c",
            ["RENAME COLUMN `a` TO `a_2`", "CHANGE b a INT AFTER c", "CHANGE COLUMN `a_2` `b` INT"],
        ),
        (
            "ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO c, RENAME COLUMN c TO a",
            [
                "RENAME COLUMN `a` TO `a_2`",
                "RENAME COLUMN c TO a",
                "RENAME COLUMN b TO c",
                "RENAME COLUMN `a_2` TO `b`",
            ],
        ),
        ("ALTER TABLE t ADD e INT DEFAULT (d * 2), MODIFY d INT", ["MODIFY d INT", "ADD e INT DEFAULT (d * 2)"]),
        (
            "ALTER TABLE t ADD e INT DEFAULT (d * 2) FIRST, CHANGE c d INT UNIQUE AFTER e",
            [
                "CHANGE COLUMN `c` `d` INT",
                "ADD e INT DEFAULT (d * 2) FIRST",
                "CHANGE COLUMN `d` `d` INT AFTER `e`",
                "ADD UNIQUE KEY (`d`)",
            ],
        ),
        ("ALTER TABLE t ADD g INT AS (d * 2), RENAME COLUMN c TO d", ["RENAME COLUMN c TO d", "ADD g INT AS (d * 2)"]),
        (
            "ALTER TABLE t ADD UNIQUE u (c), ADD b INT, MODIFY c TEXT, ADD c INT",
            ["ADD b INT", "MODIFY c TEXT", "ADD c INT", "ADD UNIQUE u (c)"],
        ),
        (
            "ALTER TABLE t ADD UNIQUE u (c), CONVERT TO CHARACTER SET utf8mb4",
            ["CONVERT TO CHARACTER SET utf8mb4", "ADD UNIQUE u (c)"],
        ),
        (
            "ALTER TABLE t ADD CHECK (c > 0), ADD KEY ((c + 1)), ADD c INT",
            ["ADD c INT", "ADD CHECK (c > 0)", "ADD KEY ((c + 1))"],
        ),
        (
            "ALTER TABLE t ADD CONSTRAINT f FOREIGN KEY (p) REFERENCES q (id), ADD KEY i (p)",
            ["ADD KEY i (p)", "ADD CONSTRAINT f FOREIGN KEY (p) REFERENCES q (id)"],
        ),
        (
            "ALTER TABLE t DROP p, DROP KEY i, DROP FOREIGN KEY f",
            ["DROP FOREIGN KEY f", "DROP KEY i", "DROP p"],
        ),
        ("ALTER TABLE t ADD n SERIAL", ["ADD n BIGINT UNSIGNED NOT NULL AUTO_INCREMENT", "ADD UNIQUE KEY `n` (`n`)"]),
        (
            "ALTER TABLE t MODIFY n INT AUTO_INCREMENT PRIMARY KEY FIRST, ADD (a INT UNIQUE, b INT)",
            [
                "MODIFY n INT AUTO_INCREMENT NOT NULL FIRST",
                "ADD COLUMN a INT",
                "ADD COLUMN b INT",
                "ADD PRIMARY KEY (`n`)",
                "ADD UNIQUE KEY `a` (`a`)",
            ],
        ),
        ("ALTER TABLE t ADD a INT UNIQUE COMMENT 'x'", ["ADD a INT  COMMENT 'x'", "ADD UNIQUE KEY `a` (`a`)"]),
    ],
)
def test_an_alter_is_split_by_clause_for_targets_that_want_it(sql: str, parts: list[str]) -> None:
    assert [piece.text.removeprefix("ALTER TABLE `db`.`t` ") for piece in split_alter(parsed(sql))] == parts


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE t ADD m INT DEFAULT (n * 2), ADD n INT DEFAULT 5",
        "ALTER TABLE t ADD e INT DEFAULT (d * 2), DROP d, ADD d INT",
        "ALTER TABLE t ADD a INT",
        "DROP TABLE a, b",
    ],
)
def test_an_alter_stays_whole_where_cutting_would_change_it(sql: str) -> None:
    assert len(split_alter(parsed(sql))) == 1


def test_the_tables_and_renames_of_a_statement() -> None:
    ddl = parsed("RENAME TABLE a TO x.b, c TO d")
    assert ddl.renames == ((TableName("db", "a"), TableName("x", "b")), (TableName("db", "c"), TableName("db", "d")))
    assert parsed("DROP TABLE a, x.b").tables == (TableName("db", "a"), TableName("x", "b"))


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("FROBNICATE TABLE t", "FROBNICATE"),
        ("ALTER TABLE t FROBNICATE c", "FROBNICATE c"),
        ("ALTER TABLE t ADD c INT FROBNICATE", "FROBNICATE"),
        ("CREATE TABLE t (a INT", "expected )"),
        ("ALTER TABLE t ADD c INT COMMENT 'open", "cannot read on"),
        ("DROP TABLE", "expected a table name"),
    ],
)
def test_what_is_not_understood_names_the_place_and_the_ways_out(sql: str, reason: str) -> None:
    with pytest.raises(DMError) as caught:
        parsed(sql)
    assert caught.value.code == 36067
    assert reason in caught.value.message
    assert sql in caught.value.message
    assert "binlog skip" in caught.value.workaround


def test_a_table_without_any_database_is_refused() -> None:
    with pytest.raises(DMError, match="no default database"):
        parse_ddl("DROP TABLE t", default_schema="")
    assert parse_ddl("DROP TABLE x.t", default_schema="").subject == TableName("x", "t")


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SET STATEMENT a=1 FOR CREATE TABLE t (x INT)", "CREATE TABLE t (x INT)"),
        (
            "/* c */ set statement A := 'FOR, x' , key_cache.b=IF(1, 2, 3) for set statement a=2 for drop table t;",
            "drop table t",
        ),
        ('SET STATEMENT sql_mode="" FOR DROP TABLE t', "DROP TABLE t"),
        ("SET STATEMENT a=1 FOR UPDATE t SET x = 1", "UPDATE t SET x = 1"),
    ],
)
def test_settings_before_a_statement_are_not_the_statement(sql: str, text: str) -> None:
    ddl = parsed(sql)
    assert ddl.kind is not DdlKind.NOT_REPLICATED
    assert ddl.text == text


@pytest.mark.parametrize("text", ['CREATE TABLE t (a CHAR(9) DEFAULT "x")', r"ALTER TABLE t COMMENT 'a\\b'"])
def test_quotes_that_another_sql_mode_has_read_are_not_guessed(text: str) -> None:
    with pytest.raises(DMError, match="SET STATEMENT sql_mode stands before it"):
        parsed(f"SET STATEMENT sql_mode='ANSI_QUOTES' FOR {text}", sql_mode={"ANSI_QUOTES"})


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE FUNCTION f(a INT) RETURNS INT LANGUAGE JAVASCRIPT AS $mle$ // it's\n return a $mle$",
        "/* c */ CREATE DEFINER=`a'b`@`%` PROCEDURE `d`.`p`() COMMENT 'x' LANGUAGE JAVASCRIPT AS $$ \"`' $$",
        "CREATE LIBRARY IF NOT EXISTS l LANGUAGE JAVASCRIPT AS $$ it's $$",
    ],
)
def test_a_program_between_dollar_signs_is_not_read(sql: str) -> None:
    assert parse_ddl(sql, default_schema="db", logged_by="mysql").kind is DdlKind.NOT_REPLICATED


def test_dollar_signs_of_names_stay() -> None:
    ddl = parse_ddl("CREATE TABLE t (a INT, $b$ INT, c INT AS ($b$ + 1))", default_schema="db", logged_by="mysql")
    assert ddl.create is not None
    assert [column.name for column in ddl.create.columns] == ["a", "$b$", "c"]


def _table(columns: str) -> Table:
    return parse_create_table(f"CREATE TABLE t ({', '.join(f'{name} INT' for name in columns)})", schema="db")


def test_columns_are_dropped_last_where_none_of_before_is_left() -> None:
    sql = "ALTER TABLE t DROP a, DROP b, ADD c INT, ADD b INT, RENAME TO u"
    texts = ["ADD c INT", "DROP b", "ADD b INT", "DROP a", "RENAME TO u"]
    assert [
        piece.text.removeprefix("ALTER TABLE `db`.`t` ") for piece in split_alter(parsed(sql), "mysql", _table("ab"))
    ] == texts
    texts = ["DROP a", "DROP b", "ADD c INT", "ADD b INT", "RENAME TO u"]
    assert [
        piece.text.removeprefix("ALTER TABLE `db`.`t` ") for piece in split_alter(parsed(sql), "mysql", _table("abc"))
    ] == texts
