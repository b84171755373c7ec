from __future__ import annotations

import pytest

from pkg.schema.charset import UTF8MB4, Charset
from pkg.schema.collation import may_join, nearest, nearest_in_key, note_on
from pkg.schema.ddl import TableName, parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.targets import default_for
from pkg.schema.translate import translate_create_database, translate_create_table, translate_ddl

TIDB = frozenset(
    [
        "ascii_bin",
        "binary",
        "gb18030_bin",
        "gb18030_chinese_ci",
        "gbk_bin",
        "gbk_chinese_ci",
        "latin1_bin",
        "utf8_bin",
        "utf8_general_ci",
        "utf8_unicode_ci",
        "utf8mb4_0900_ai_ci",
        "utf8mb4_0900_bin",
        "utf8mb4_bin",
        "utf8mb4_general_ci",
        "utf8mb4_unicode_ci",
    ]
)
MARIADB = frozenset(
    [
        "latin1_swedish_ci",
        "latin1_bin",
        "utf8mb3_general_ci",
        "utf8mb4_bin",
        "utf8mb4_unicode_520_ci",
        "uca1400_nopad_ai_ci",
    ]
)


@pytest.mark.parametrize(
    ("collation", "collations", "chosen"),
    [
        ("utf8mb4_0900_ai_ci", TIDB, "utf8mb4_0900_ai_ci"),
        ("latin1_swedish_ci", TIDB, "utf8mb4_general_ci"),
        ("latin1_bin", TIDB, "latin1_bin"),
        ("latin1_general_cs", TIDB, "latin1_bin"),
        ("latin2_bin", TIDB, "utf8mb4_bin"),
        ("utf8mb3_general_ci", TIDB, "utf8_general_ci"),
        ("utf8mb3_turkish_ci", TIDB, "utf8mb4_general_ci"),
        ("utf8mb4_uca1400_ai_ci", TIDB, "utf8mb4_0900_ai_ci"),
        ("utf8mb4_unicode_520_ci", TIDB, "utf8mb4_unicode_ci"),
        ("utf8mb4_0900_as_cs", TIDB, "utf8mb4_0900_bin"),
        ("utf8mb4_nopad_bin", TIDB, "utf8mb4_0900_bin"),
        ("gbk_chinese_ci", TIDB, "gbk_chinese_ci"),
        ("big5_chinese_ci", TIDB, "utf8mb4_general_ci"),
        ("binary", TIDB, "binary"),
        ("utf8mb4_0900_ai_ci", MARIADB, "utf8mb4_uca1400_nopad_ai_ci"),
        ("utf8mb4_0900_ai_ci", MARIADB - {"uca1400_nopad_ai_ci"}, "utf8mb4_unicode_520_ci"),
        ("koi8r_bin", frozenset(), "utf8mb4_bin"),
    ],
)
def test_nearest_collation(collation: str, collations: frozenset[str], chosen: str) -> None:
    assert nearest(collation, collations).collation == chosen


@pytest.mark.parametrize(
    ("collation", "collations", "flavor", "chosen"),
    [
        ("utf8mb4_0900_ai_ci", TIDB, "tidb", "utf8mb4_0900_ai_ci"),
        ("latin1_swedish_ci", TIDB, "tidb", "utf8mb4_bin"),
        ("latin1_bin", TIDB, "tidb", "latin1_bin"),
        ("latin1_general_cs", TIDB, "tidb", "utf8mb4_bin"),
        ("utf8mb3_general_ci", TIDB, "tidb", "utf8_general_ci"),
        ("utf8mb3_spanish_ci", TIDB, "tidb", "utf8mb4_bin"),
        ("ucs2_general_ci", TIDB, "tidb", "utf8mb4_general_ci"),
        ("ascii_general_ci", TIDB, "tidb", "utf8mb4_general_ci"),
        ("gbk_chinese_ci", TIDB, "tidb", "utf8mb4_bin"),
        ("gb18030_chinese_ci", TIDB, "tidb", "utf8mb4_bin"),
        ("utf8mb4_0900_as_ci", TIDB, "tidb", "utf8mb4_0900_bin"),
        ("utf8mb4_sv_0900_ai_ci", TIDB, "tidb", "utf8mb4_0900_bin"),
        ("utf8mb4_general_nopad_ci", TIDB, "tidb", "utf8mb4_0900_bin"),
        ("latin1_nopad_bin", TIDB, "tidb", "utf8mb4_0900_bin"),
        ("utf8mb4_uca1400_ai_ci", TIDB, "tidb", "utf8mb4_bin"),
        ("latin1_swedish_nopad_ci", {"latin1_bin", "latin1_swedish_ci", "utf8mb4_0900_bin"}, "mysql", "utf8mb4_0900_bin"),
        ("utf8mb4_0900_ai_ci", {*MARIADB, "utf8mb4_nopad_bin"}, "mariadb", "utf8mb4_nopad_bin"),
        ("utf8mb4_0900_ai_ci", {"uca1400_ai_ci", "utf8mb4_0900_ai_ci", "utf8mb4_nopad_bin"}, "mariadb", "utf8mb4_nopad_bin"),
        ("latin1_german2_ci", MARIADB, "mariadb", "latin1_bin"),
        ("utf8mb4_croatian_ci", {"utf8mb4_croatian_ci", "utf8mb4_bin"}, "mysql", "utf8mb4_bin"),
        ("utf8mb4_croatian_ci", {"utf8mb4_croatian_ci", "utf8mb4_bin"}, "mariadb", "utf8mb4_croatian_ci"),
        ("ucs2_croatian_ci", {"utf8mb4_croatian_ci", "utf8mb4_bin"}, "mysql", "utf8mb4_bin"),
    ],
)  # fmt: skip
def test_nearest_collation_in_a_key(collation: str, collations: frozenset[str], flavor: str, chosen: str) -> None:
    assert nearest_in_key(collation, collations, flavor).collation == chosen
    assert not may_join(collation, chosen, flavor)


@pytest.mark.parametrize(
    ("collation", "there"),
    [
        ("latin1_swedish_ci", "utf8mb4_general_ci"),
        ("utf8mb4_0900_ai_ci", "utf8mb4_general_ci"),
        ("utf8mb4_0900_bin", "utf8mb4_bin"),
        ("utf8mb4_0900_as_cs", "utf8mb4_bin"),
        ("utf8mb4_bin", "utf8mb4_general_ci"),
        ("gbk_chinese_ci", "gbk_chinese_ci"),
    ],
)
def test_collations_that_may_make_two_rows_one(collation: str, there: str) -> None:
    assert may_join(collation, there, "tidb")


def test_only_columns_of_keys_get_the_finer_collation() -> None:
    sql, notes = translated(
        "a VARCHAR(9) PRIMARY KEY, b VARCHAR(9), c VARCHAR(9) UNIQUE, d VARCHAR(9), e ENUM('x') UNIQUE, KEY (b), "
        "CONSTRAINT f FOREIGN KEY (d) REFERENCES p (x)",
        rest=" CHARACTER SET latin1",
    )
    chosen = [part.split("COLLATE ")[1].split(" ")[0].rstrip(",)") for part in sql.split("CHARACTER SET")[1:]]
    binary, general = "utf8mb4_bin", "utf8mb4_general_ci"
    assert [one.split("\n")[0] for one in chosen] == [binary, general, binary, binary, general]
    assert "column a: the key's latin1_swedish_ci becomes utf8mb4_bin, so that no two rows are one: case and accents " \
        "count in it there" in notes  # fmt: skip


def test_a_collation_that_became_another_is_noted() -> None:
    assert note_on("column c", "utf8_bin", nearest("utf8_bin", TIDB)) == ""
    assert "latin1_swedish_ci" in note_on("column c", "latin1_swedish_ci", nearest("latin1_swedish_ci", TIDB))


def translated(body: str, flavor: str = "tidb", rest: str = "") -> tuple[str, tuple[str, ...]]:
    found = translate_create_table(
        f"CREATE TABLE t ({body}){rest}", schema="d", table="x", flavor=flavor, collations=TIDB, defaults=UTF8MB4
    )
    head = "CREATE TABLE `d`.`x` "
    assert found.sql.startswith(head)
    return found.sql.removeprefix(head).replace(
        " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci", ""
    ).strip(), found.notes


GENERAL = "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"


@pytest.mark.parametrize(
    ("body", "flavor", "expected"),
    [
        ("a varchar(3)NOT NULL", "tidb", f"(a varchar(3) {GENERAL} NOT NULL)"),
        ("a varchar(3) NOT NULL", "tidb", f"(a varchar(3) {GENERAL} NOT NULL)"),
        ("a varchar(3) CHARACTER SET latin1 COLLATE latin1_german1_ci", "tidb", f"(a varchar(3) {GENERAL}  )"),
        ("a nchar(3)", "tidb", "(a char(3) CHARACTER SET utf8 COLLATE utf8_general_ci)"),
        ("a char(4) BYTE", "tidb", "(a binary(4) )"),
        ("a int, b int INVISIBLE", "tidb", "(a int, b int )"),
        ("a int, b int /*!80023 INVISIBLE */", "tidb", "(a int, b int             )"),
        ("a int DEFAULT (1+1)", "tidb", "(a int )"),
        ("a varchar(36) DEFAULT uuid()", "mysql", f"(a varchar(36) {GENERAL} DEFAULT (uuid()))"),
        ("a text DEFAULT 'x'", "mysql", f"(a text {GENERAL} DEFAULT ('x'))"),
        ("a timestamp DEFAULT current_timestamp()", "tidb", "(a timestamp DEFAULT current_timestamp())"),
        ("a uuid", "tidb", "(a char(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)"),
        ("a uuid", "mariadb", "(a uuid)"),
        ("a int not null invisible, b int invisible", "mariadb", "(a int not null , b int invisible)"),
        ("a binary(9) default 1e15", "tidb", "(a binary(9) default '1e15')".replace("default", "DEFAULT")),
        ("a binary(9) default 1e15", "mysql", "(a binary(9) default 1e15)"),
        (
            "a varchar(2) default 'x   ', b char(1) default b'11100100', c varchar(3) default 'x'",
            "tidb",
            f"(a varchar(2) {GENERAL} DEFAULT 'x ', b char(1) {GENERAL} default b'11100100', "
            f"c varchar(3) {GENERAL} default 'x')",
        ),
        (
            "a enum('ä') character set latin1 default 0xe4",
            "mysql",
            f"(a enum('ä') {GENERAL}  DEFAULT 'ä')",
        ),
        (
            "a bigint not null auto_increment unique, b int",
            "tidb",
            "(a bigint not null auto_increment unique, b int) AUTO_ID_CACHE=1",
        ),
        ("a bigint auto_increment primary key", "tidb", "(a bigint auto_increment primary key)"),
        ("a int not null auto_increment unique", "tidb", "(a int not null auto_increment unique)"),
        ("a double(20,15) unsigned", "mariadb", "(a double unsigned)"),
        ("a double(20,14)", "mariadb", "(a double(20,14))"),
        ("a double(20,15)", "tidb", "(a double)"),
        ("a double(15,14), b double(16,0)", "tidb", "(a double(15,14), b double(16,0))"),
        ("a double(16,2) unsigned default 1.25", "tidb", "(a double unsigned default 1.25)"),
        ("a double(16,2) default 1.255", "tidb", "(a double default 1.255)"),
        ("a double(16,2)", "mysql", "(a double(16,2))"),
        (
            "a int, b int generated always as (a + 1) stored not null, primary key (b, a) comment 'c'",
            "mariadb",
            "(a int NOT NULL , b int generated always as (a + 1) stored , UNIQUE KEY `generated_primary_key` (`b`, `a`) COMMENT 'c')",
        ),
        (
            "a int, s timestamp(6) generated always as row start, e timestamp(6) generated always as row end, "
            "period for system_time (s, e), primary key (a, e)",
            "tidb",
            "(a int, s timestamp(6) NULL, e timestamp(6) NOT NULL DEFAULT '2038-01-19 03:14:07', primary key (a, e))",
        ),
        ("a int, g int AS (a + 1) STORED NOT NULL", "mariadb", "(a int, g int AS (a + 1) STORED )"),
        (
            "a timestamp NULL, g timestamp AS (a) VIRTUAL NULL",
            "mariadb",
            "(a timestamp NULL, g timestamp AS (a) VIRTUAL )",
        ),
        ("u varchar(9) CHARACTER SET utf16 DEFAULT 0xD83EDD86", "tidb", f"(u varchar(9) {GENERAL}  DEFAULT '🦆')"),
        ("g int AS (LENGTH(_utf8mb4'é')) VIRTUAL", "mariadb", "(g int AS (LENGTH('é')) VIRTUAL)"),
        ("a vector(3)", "tidb", "(a vector)"),
        ("a vector(3)", "mysql", "(a vector(3))"),
        ("a int, b int, FULLTEXT KEY f (a), KEY k (b)", "tidb", "(a int, b int, KEY k (b))"),
        ("a int, KEY k (a) IGNORED", "mysql", "(a int, KEY k (a) INVISIBLE)"),
        ("a int AS (1) PERSISTENT", "mysql", "(a int AS (1) STORED)"),
        ("a int, CHECK (a > 1) NOT ENFORCED", "mariadb", "(a int, CHECK (TRUE OR (a > 1) ))"),
        ("FULLTEXT KEY f (a), FULLTEXT KEY g (b), a text, b int", "tidb", f"(a text {GENERAL}, b int)"),
        ("a int NULL DEFAULT NULL, PRIMARY KEY (a)", "tidb", "(a int  , PRIMARY KEY (a))"),
        (
            "a timestamp(3) DEFAULT now() ON UPDATE now()",
            "tidb",
            "(a timestamp(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3))",
        ),
        ("a timestamp(3) DEFAULT now()", "mariadb", "(a timestamp(3) DEFAULT now())"),
        ("a varchar(30000) CHARACTER SET latin1 DEFAULT 'x'", "tidb", f"(a mediumtext {GENERAL}  )"),
        ("a enum(0xE4, 'b') CHARACTER SET latin1", "tidb", f"(a enum('ä','b') {GENERAL} )"),
        ("a text, b blob, KEY k (a, b)", "mysql", f"(a text {GENERAL}, b blob, KEY `k` (`a`(384), `b`(1536)))"),
        ("a blob, UNIQUE (a)", "tidb", "(a blob, KEY `a` (`a`(3072)))"),
        ("a blob, UNIQUE (a)", "mariadb", "(a blob, UNIQUE (a))"),
        ("a blob UNIQUE, KEY k (a(5))", "tidb", "(a blob , KEY `a` (`a`(3072)), KEY k (a(5)))"),
        ("a tinytext, KEY k (a(255))", "mysql", f"(a tinytext {GENERAL}, KEY `k` (`a`(63)))"),
        ("a tinytext, KEY k (a(63))", "mysql", f"(a tinytext {GENERAL}, KEY k (a(63)))"),
        ("a text CHARACTER SET latin1, KEY k (a(700))", "tidb", f"(a mediumtext {GENERAL} , KEY k (a(700)))"),
        ("a text CHARACTER SET latin1, KEY k (a(3072))", "tidb", f"(a mediumtext {GENERAL} , KEY `k` (`a`(768)))"),
        (
            "a blob, v varchar(1000), KEY k (a, v)",
            "mysql",
            f"(a blob, v varchar(1000) {GENERAL}, KEY `k` (`a`(1536), `v`(384)))",
        ),
        (
            "a tinytext, b tinyblob, KEY (a), KEY (b)",
            "mysql",
            f"(a tinytext {GENERAL}, b tinyblob, KEY `a` (`a`(63)), KEY `b` (`b`(255)))",
        ),
        (
            "a raw(3), b clob, c number(4) unsigned",
            "mysql",
            f"(a VARBINARY(3), b LONGTEXT {GENERAL}, c DECIMAL(4) unsigned)",
        ),
        ("a int, FULLTEXT KEY k (a) WITH PARSER ngram", "mariadb", "(a int, FULLTEXT KEY k (a) )"),
        (
            "a int, p int REFERENCES q (id)",
            "tidb",
            "(a int, p int , CONSTRAINT `t_ibfk_1` FOREIGN KEY (`p`) REFERENCES `d`.`q` (id), KEY `p` (`p`))",
        ),
        (
            "a int, p int, FOREIGN KEY (p) REFERENCES q (id)",
            "tidb",
            "(a int, p int, CONSTRAINT `t_ibfk_1` FOREIGN KEY (p) REFERENCES `d`.`q` (id), KEY `p` (`p`))",
        ),
        (
            "a int REFERENCES q (id), p int, FOREIGN KEY k (p) REFERENCES q (id), CONSTRAINT f FOREIGN KEY (p, a) REFERENCES r (a, b)",
            "mariadb",
            "(a int CONSTRAINT `t_ibfk_1` REFERENCES `d`.`q` (id), p int, CONSTRAINT `t_ibfk_2` FOREIGN KEY k (p) "
            "REFERENCES `d`.`q` (id), CONSTRAINT f FOREIGN KEY (p, a) REFERENCES `d`.`r` (a, b), KEY `a` (`a`))",
        ),
    ],
)
def test_elements_for_a_target(body: str, flavor: str, expected: str) -> None:
    assert translated(body, flavor)[0] == expected


@pytest.mark.parametrize(
    ("rest", "flavor", "expected"),
    [
        (" ENGINE=Aria PAGE_CHECKSUM=1 TRANSACTIONAL=1", "tidb", "(a int) ENGINE=InnoDB"),
        (" ENGINE=InnoDB ENCRYPTION='N'", "mariadb", "(a int) ENGINE=InnoDB"),
        (" START TRANSACTION", "tidb", "(a int)"),
        (" ENGINE=MyISAM, ROW_FORMAT=FIXED, COMMENT='x'", "mysql", "(a int) ENGINE=InnoDB  COMMENT='x'"),
        (" STATS_PERSISTENT=0,ENGINE=InnoDB", "mariadb", "(a int) STATS_PERSISTENT=0 ENGINE=InnoDB"),
        (" KEY_BLOCK_SIZE=1024", "mysql", "(a int)"),
        (" KEY_BLOCK_SIZE=8", "mysql", "(a int) KEY_BLOCK_SIZE=8"),
        (" DATA DIRECTORY='/x' INDEX DIRECTORY='/y'", "mariadb", "(a int)"),
        (
            " PARTITION BY HASH (a) (PARTITION p ENGINE = MyISAM DATA DIRECTORY '/x' COMMENT 'c')",
            "mysql",
            "(a int) PARTITION BY HASH (a) (PARTITION p ENGINE = InnoDB  COMMENT 'c')",
        ),
        (" PARTITION BY HASH (a) (PARTITION p NODEGROUP 3)", "mysql", "(a int) PARTITION BY HASH (a) (PARTITION p )"),
        (
            " PARTITION BY HASH (a) (PARTITION p NODEGROUP 3)",
            "mariadb",
            "(a int) PARTITION BY HASH (a) (PARTITION p NODEGROUP 3)",
        ),
        (" WITH SYSTEM VERSIONING", "mysql", "(a int)"),
        (" PARTITION BY SYSTEM_TIME (PARTITION p CURRENT)", "tidb", "(a int)"),
        (" /*!50100 PARTITION BY HASH (a) */", "tidb", "(a int)          PARTITION BY HASH (a)"),
        (" COMMENT='x' CHARSET=utf8mb4", "tidb", "(a int) COMMENT='x'"),
    ],
)
def test_options_for_a_target(rest: str, flavor: str, expected: str) -> None:
    assert translated("a int", flavor, rest)[0] == expected


def test_the_implicit_character_set_is_named() -> None:
    latin1 = Charset("latin1", "latin1_bin")
    sql = translate_create_table(
        "CREATE TABLE t (a TEXT)", schema="d", table="t", flavor="tidb", collations=TIDB, defaults=latin1
    ).sql
    assert sql.count("latin1_bin") == 2


def test_a_schema_gets_the_nearest_default() -> None:
    found = translate_create_database("a`b", "latin1_swedish_ci", flavor="tidb", collations=TIDB)
    assert found.sql == "CREATE DATABASE IF NOT EXISTS `a``b` CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
    assert found.notes


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("ALTER TABLE t ADD b VARCHAR(3)", f"ADD b VARCHAR(3) {GENERAL}"),
        ("ALTER TABLE t ADD FULLTEXT KEY (a), ADD c INT", "ADD c INT"),
        ("ALTER TABLE t ADD c INT, FORCE, ALGORITHM=INPLACE", "ADD c INT"),
        ("ALTER TABLE t CONVERT TO CHARACTER SET latin1", f"CONVERT TO {GENERAL}"),
        ("ALTER TABLE t DEFAULT CHARSET=latin1 COLLATE latin1_german1_ci", f"DEFAULT {GENERAL} DEFAULT {GENERAL}"),
        ("ALTER TABLE t ADD SYSTEM VERSIONING", None),
        ("ALTER TABLE t DELAY_KEY_WRITE=1", None),
        ("ALTER TABLE t MAX_ROWS=3 AVG_ROW_LENGTH=2, ADD c INT, ROW_FORMAT=PAGE", "ADD c INT"),
        ("ALTER TABLE t ALTER c SET DEFAULT (a + 1)", "ALTER COLUMN `c` SET DEFAULT NULL"),
        ("ALTER TABLE t ALTER c SET DEFAULT (7)", "ALTER COLUMN `c` SET DEFAULT '7'"),
        ("ALTER TABLE t ALTER b SET DEFAULT (-7)", "ALTER COLUMN `b` SET DEFAULT '-7'"),
        ("ALTER TABLE t ALTER c SET DEFAULT 5", "ALTER c SET DEFAULT 5"),
        ("ALTER ONLINE TABLE t FORCE", None),
        ("ALTER TABLE t ALTER INDEX k NOT IGNORED, ADD c INT", "ALTER INDEX k VISIBLE, ADD c INT"),
        ("ALTER TABLE t ALTER KEY k IGNORED", "ALTER INDEX k INVISIBLE"),
    ],
)
def test_clauses_for_a_target(sql: str, expected: str | None) -> None:
    table = parse_create_table("CREATE TABLE t (a TEXT, b VARCHAR(3), c INT) CHARSET=utf8mb4", "db")
    ddl = parse_ddl(sql, default_schema="db")
    found = translate_ddl(ddl, table, flavor="tidb", collations=TIDB, database=UTF8MB4).ddl
    text = found and found.rename(lambda name: TableName("d", name.table)).removeprefix("ALTER TABLE `d`.`t` ")
    assert text == expected


@pytest.mark.parametrize(
    ("base", "default", "wanted"),
    [
        ("year", "(2020)", "'2020'"),
        ("year", "(20)", None),
        ("bit", "(3)", "b'11'"),
        ("bit", "(-3)", None),
        ("varchar", "(5)", "'5'"),
        ("varchar", "(007)", None),
        ("int", "(007)", "'007'"),
        ("enum", "(1)", None),
        ("text", "(5)", None),
    ],
)
def test_a_number_in_parentheses_is_a_constant_for_tidb(base: str, default: str, wanted: str | None) -> None:
    assert default_for("tidb", base, default, default) == wanted


@pytest.mark.parametrize(
    ("hints", "flavor", "kept"),
    [
        ("ALGORITHM = INPLACE LOCK=NONE", "mariadb", ""),
        ("ALGORITHM = INPLACE LOCK=NONE", "tidb", ""),
        ("ALGORITHM = INPLACE LOCK=NONE", "", " ALGORITHM = INPLACE LOCK=NONE"),
        ("WAIT 5", "mysql", ""),
        ("NOWAIT", "mariadb", ""),
    ],
)
def test_hints_of_drop_index(hints: str, flavor: str, kept: str) -> None:
    ddl = parse_ddl(f"DROP INDEX k ON t {hints}", default_schema="db", flavor="mariadb")
    found = translate_ddl(ddl, None, flavor=flavor, collations=TIDB, database=UTF8MB4).ddl
    assert found is not None
    assert found.rename(lambda name: name).rstrip() == f"DROP INDEX k ON `db`.`t`{kept}"


@pytest.mark.parametrize(
    ("clauses", "flavor", "kept"),
    [
        ("ADD KEY k (a), ALGORITHM=NOCOPY, LOCK=NONE", "mysql", "ADD KEY k (a)"),
        ("ALGORITHM INPLACE, ADD KEY k (a), LOCK=SHARED", "mariadb", "ADD KEY k (a)"),
        ("ADD KEY k (a), ALGORITHM = COPY, LOCK = NONE", "mysql", "ADD KEY k (a), ALGORITHM = COPY"),
        ("ADD KEY k (a), ALGORITHM=NOCOPY", "", "ADD KEY k (a), ALGORITHM=NOCOPY"),
        ("ALGORITHM=INPLACE", "mysql", None),
    ],
)
def test_how_an_alter_works_is_for_another_server_to_choose(clauses: str, flavor: str, kept: str | None) -> None:
    table = parse_create_table("CREATE TABLE t (a INT) CHARSET=utf8mb4", "db")
    ddl = parse_ddl(f"ALTER TABLE t {clauses}", default_schema="db", flavor="mariadb")
    found = translate_ddl(ddl, table, flavor=flavor, collations=TIDB, database=UTF8MB4).ddl
    assert (found and found.rename(lambda name: name).removeprefix("ALTER TABLE `db`.`t` ")) == kept


def test_a_databases_character_set_is_named() -> None:
    ddl = parse_ddl("CREATE DATABASE x COMMENT 'c'", default_schema="")
    found = translate_ddl(ddl, None, flavor="tidb", collations=TIDB, database=Charset("latin1", "latin1_swedish_ci"))
    assert found.ddl is not None
    assert (
        found.ddl.rename(lambda name: name) == "CREATE DATABASE `x`  CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
    )


@pytest.mark.parametrize(("method", "is_told"), [("LIST COLUMNS (r)", True), ("RANGE COLUMNS (r)", False)])
def test_a_list_of_texts_that_are_compared_otherwise_is_told(method: str, is_told: bool) -> None:
    values = "VALUES IN ('a')" if is_told else "VALUES LESS THAN ('b')"
    create = f"CREATE TABLE t (r VARCHAR(9) COLLATE utf8mb4_0900_ai_ci PRIMARY KEY) PARTITION BY {method} (PARTITION p {values})"
    for collations, count in (["utf8mb4_nopad_bin"], is_told), (["utf8mb4_0900_ai_ci"], False):
        found = translate_create_table(create, schema="s", table="t", flavor="mariadb", collations=collations)
        assert sum("has no partition in the target for rows whose r" in note for note in found.notes) == count


@pytest.mark.parametrize(
    ("clause", "there", "expected"),
    [
        ("MODIFY c INT AUTO_INCREMENT", "c INT NOT NULL", "MODIFY c INT NOT NULL"),
        ("CHANGE c n INT NOT NULL AUTO_INCREMENT", "c INT NOT NULL", "CHANGE c n INT NOT NULL "),
        ("CHANGE c n INT AUTO_INCREMENT", "c INT AUTO_INCREMENT", "CHANGE c n INT AUTO_INCREMENT"),
        ("ADD n INT AUTO_INCREMENT", "c INT", "ADD n INT NOT NULL"),
        ("ADD g INT AS (c + 1) STORED COMMENT 'STORED'", "c INT", "ADD g INT AS (c + 1) VIRTUAL COMMENT 'STORED'"),
        ("MODIFY g INT AS (c + 1) PERSISTENT", "g INT AS (c) VIRTUAL", "MODIFY g INT AS (c + 1) VIRTUAL"),
        ("MODIFY g INT AS (c + 1)", "c INT, g INT AS (c) STORED", "MODIFY g INT AS (c + 1) STORED"),
        ("CHANGE g h INT AS (c + 1) STORED", "g INT AS (c) STORED", "CHANGE g h INT AS (c + 1) STORED"),
    ],
)
def test_columns_as_tidb_changes_them(clause: str, there: str, expected: str) -> None:
    after = "n INT NOT NULL AUTO_INCREMENT, c INT NOT NULL, g INT AS (c) STORED, h INT AS (c) STORED"
    after = after.replace("c INT NOT NULL", "c INT NOT NULL AUTO_INCREMENT") if "MODIFY c" in clause else after
    ddl = parse_ddl(f"ALTER TABLE t {clause}", default_schema="db")
    found = translate_ddl(
        ddl,
        parse_create_table(f"CREATE TABLE t ({after})", "db"),
        flavor="tidb",
        collations=TIDB,
        database=UTF8MB4,
        present=parse_create_table(f"CREATE TABLE t ({there})", "db"),
    ).ddl
    assert found is not None
    assert found.rename(lambda name: name) == f"ALTER TABLE `db`.`t` {expected}"
