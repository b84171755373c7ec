"""Names in small letters, as servers compare them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pkg.schema.alter import DropColumn
from pkg.schema.ddl import parse_ddl
from pkg.schema.letter_case import small
from pkg.schema.parse import parse_create_table
from pkg.schema.tracker import SchemaTracker


@pytest.mark.parametrize(
    ("name", "folded"),
    [("Tt", "tt"), ("ÄÖ", "äö"), ("İx", "ix"), ("ıI", "ıi"), ("ΑΣ", "ασ"), ("Ẁ", "ẁ"), ("Ⴀ", "Ⴀ"), ("ẞ", "ẞ")],
)
def test_each_letter_for_itself(name: str, folded: str) -> None:
    assert small(name) == folded


@pytest.mark.servers  # asked for by name, so that conftest.py cannot see it
@pytest.mark.parametrize("kind", ["mariadb", "mysql"])
def test_servers_have_the_same_small_letters(kind: str, request: pytest.FixtureRequest) -> None:
    letters = "".join(chr(number) for number in range(0x80, 0x10000) if not 0xD800 <= number < 0xE000)
    sql = "SELECT LOWER(CONVERT(CONVERT(%s USING ucs2) USING utf8mb3) COLLATE utf8mb3_general_ci)"
    with request.getfixturevalue(kind).connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET NAMES utf8mb4")
        cursor.execute(sql, (letters,))
        [[lowered]] = cursor.fetchall()
    assert lowered == small(letters)


def read(sql: str, **options: Any) -> str:
    return parse_ddl(sql, default_schema="Db", folds_names=True, **options).rename(lambda name: name)


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("ALTER TABLE T ADD C INT COMMENT 'T'", "ALTER TABLE `db`.`t` ADD C INT COMMENT 'T'"),
        ("RENAME TABLE T TO X.Üu", "RENAME TABLE `db`.`t` TO `x`.`üu`"),
        ("CREATE TABLE T (A INT REFERENCES P (A))", "CREATE TABLE `db`.`t` (A INT REFERENCES `db`.`p` (A))"),
        (
            "ALTER TABLE T EXCHANGE PARTITION P WITH TABLE X.T",
            "ALTER TABLE `db`.`t` EXCHANGE PARTITION P WITH TABLE `x`.`t`",
        ),
        ("CREATE DATABASE Ab", "CREATE DATABASE `ab`"),
        ("ALTER DATABASE CHARACTER SET latin1", "ALTER DATABASE `db` CHARACTER SET latin1"),
    ],
)
def test_statements_name_tables_in_small_letters(sql: str, text: str) -> None:
    assert read(sql) == text


def test_the_tracker_follows_whatever_the_case() -> None:
    tracker = SchemaTracker(case_sensitive=False)
    tracker.load(parse_create_table("CREATE TABLE `T` (a INT, b INT)", "Db"))
    sql = "ALTER TABLE t RENAME COLUMN A TO b, RENAME COLUMN B TO a"
    tracker.apply(parse_ddl(sql, default_schema="DB", folds_names=True))
    table = tracker.table("db", "t")
    assert table is not None
    assert [column.name for column in table.columns] == ["b", "a"]


@pytest.mark.parametrize("pair", ["ẞß", "Ⱥⱥ", "Აა", "Ꭰꭰ"])
def test_letters_of_later_versions_are_two_columns(pair: str) -> None:
    one, other = pair[0], pair[1]
    table = parse_create_table(
        f"CREATE TABLE t (id INT, `{one}` INT, `{other}` INT, KEY `{one}` (`{one}`), KEY `{other}` (`{other}`))",
        schema="d",
    )
    assert (table.ordinal(one), table.ordinal(other)) == (1, 2)
    tracker = SchemaTracker({"d": "utf8mb4_bin"})
    tracker.load(table)
    tracker.apply(parse_ddl(f"ALTER TABLE t DROP COLUMN `{other}`", default_schema="d"))
    left = tracker.table("d", "t")
    assert left is not None
    assert [column.name for column in left.columns] == ["id", one]
    assert [index.name for index in left.indexes] == [one]


@pytest.mark.parametrize("blank", ["\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u3000", "\ufeff"])
def test_blanks_of_unicode_are_letters_of_names(blank: str) -> None:
    for sql in (f"TRUNCATE TABLE t{blank}", f"DROP TABLE t{blank}", f"ALTER TABLE t{blank} ADD a INT"):
        ddl = parse_ddl(sql, default_schema="d")
        assert ddl.subject.table == f"t{blank}"
        assert f"`t{blank}`" in ddl.text
    renamed = parse_ddl(f"RENAME TABLE r TO {blank}r{blank}", default_schema="d")
    assert [new.table for _, new in renamed.renames] == [f"{blank}r{blank}"]
    (dropped,) = parse_ddl(f"ALTER TABLE t DROP COLUMN a{blank}", default_schema="d").alterations
    assert dropped == DropColumn(f"a{blank}")


@pytest.mark.parametrize("name", ["ſet", "chec\u212a", "\ufb01rst", "ﬂoat", "groß", "٣", "１x"])
def test_names_that_python_takes_for_words_or_numbers(name: str) -> None:
    ddl = parse_ddl(f"ALTER TABLE t ADD {name} INT, DROP {name}", default_schema="d")
    assert ddl.text == f"ALTER TABLE t ADD `{name}` INT, DROP `{name}`"


ROOT = Path(__file__).parents[3]
OF_NO_STRUCTURE = (
    "settings.py",
    "charset.py",
    "view_text.py",
    "foreign_keys.py",
    "layout.py",
    "listing.py",
    "letter_case.py",
)
"""Files where a ``name`` is a variable's, a character set's, a file's or an alias."""


def test_names_are_compared_as_servers_do() -> None:
    wrong = re.compile(r"\b(?<!table\.)(?:name|column|old|new)\.lower\(\)|map\(str\.lower")
    folders = ("pkg/schema", "pkg/shardddl", "pkg/compare", "pkg/rows", "dm_worker/syncer", "dm_worker/dumper")
    paths = [path for folder in folders for path in (ROOT / folder).glob("*.py") if path.name not in OF_NO_STRUCTURE]
    found = [
        f"{path}: {line.strip()}" for path in paths for line in path.read_text().splitlines() if wrong.search(line)
    ]
    assert not found, "use small() of pkg/schema/letter_case.py"
