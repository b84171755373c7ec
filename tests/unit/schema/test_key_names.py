"""Keys without names, as MySQL 9 and MariaDB 10.11 named them (SHOW CREATE TABLE)."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.key_names import leaves_names, with_key_names
from pkg.schema.statement import Ddl
from pkg.schema.tracker import SchemaTracker

_LONG = "a23456789012345678901234567890123456789012345678901234567890123"
_WIDE = "a" + 31 * "é"  # 63 bytes, of which MySQL takes 61
_CREATED = {
    "a INT UNIQUE, b INT, KEY (a, b)": {"a": "a", "a_2": "a b"},
    "a INT, b INT, KEY(a, b), UNIQUE (a), KEY x (b), INDEX (b, a)": {"a": "a b", "a_2": "a", "x": "b", "b": "b a"},
    "a INT, CONSTRAINT c UNIQUE KEY k (a)": {"k": "a"},
    "a INT, CONSTRAINT c UNIQUE (a), CONSTRAINT UNIQUE (a, id)": {"c": "a", "a": "a id"},
    "a INT, b INT, UNIQUE ((a*2)), KEY ((a+1)), KEY (b, (a+b)), KEY (b)": {
        "functional_index": "(a*2)",
        "functional_index_2": "(a+1)",
        "functional_index_3": "b (a+b)",
        "b": "b",
    },
    "a INT, b INT, FOREIGN KEY (a) REFERENCES p (id), KEY (a, b)": {"a": "a b"},
    "a INT, b INT, FOREIGN KEY (a, b) REFERENCES p (x, y), KEY (a), KEY (b)": {"a": "a b", "a_2": "a", "b": "b"},
    "a INT, b INT, FOREIGN KEY (b) REFERENCES p (x), FOREIGN KEY (b, a) REFERENCES q (x, y)": {"b": "b a"},
    "a INT REFERENCES p (id), b INT REFERENCES p (id), KEY (a, b)": {"a": "a b", "b": "b"},
    "n SERIAL, KEY (n, id), UNIQUE (n)": {"n": "n", "n_2": "n id", "n_3": "n"},
    "`PRIMARY` INT, KEY(`PRIMARY`)": {"PRIMARY_2": "PRIMARY"},
    "a CHAR(9), FULLTEXT (a), KEY (a)": {"a": "a", "a_2": "a"},
    f"{_LONG} INT, KEY ({_LONG}), UNIQUE ({_LONG}, id)": {_LONG: _LONG, f"{_LONG[:61]}_2": f"{_LONG} id"},
    f"{_WIDE} INT, KEY ({_WIDE}), UNIQUE ({_WIDE}, id)": {_WIDE: _WIDE, f"{_WIDE[:-1]}_2": f"{_WIDE} id"},
}
_ALTERED = {
    "ADD KEY (a), ADD UNIQUE KEY a_2 (a, id), ADD CONSTRAINT d UNIQUE k (id, a)": {
        "c": "b",
        "a": "a",
        "a_2": "a id",
        "k": "id a",
    },
    "DROP KEY c, ADD UNIQUE (c)": {"c": "c"},
    "ADD d INT UNIQUE, CHANGE a e INT UNIQUE, MODIFY c INT UNIQUE": {"c": "b", "d": "d", "e": "e", "c_2": "c"},
    "ADD FOREIGN KEY (b) REFERENCES p (id), ADD KEY (b, a)": {"c": "b", "b": "b a"},
    "RENAME KEY c TO a, ADD KEY (a)": {"a": "b", "a_2": "a"},
}


def _named(tracker: SchemaTracker, sql: str) -> Ddl:
    ddl = parse_ddl(sql, default_schema="s")
    named = with_key_names(ddl, tracker.table("s", "t"), "mysql") if leaves_names(ddl) else ddl
    tracker.apply(named)
    return named


def _keys(tracker: SchemaTracker) -> dict[str, str]:
    table = tracker.table("s", "t")
    assert table is not None
    return {index.name: " ".join(index.columns) for index in table.indexes if not index.primary}


@pytest.mark.parametrize(("elements", "keys"), _CREATED.items())
def test_a_new_table_has_the_upstreams_names(elements: str, keys: dict[str, str]) -> None:
    tracker = SchemaTracker()
    named = _named(tracker, f"CREATE TABLE t (id INT PRIMARY KEY, {elements})")
    assert _keys(tracker) == keys
    again = parse_ddl(named.text, default_schema="s")
    assert again.create is not None
    assert all(key.primary or key.name or not key.name_at for key in again.create.keys)


@pytest.mark.parametrize(("clauses", "keys"), _ALTERED.items())
def test_keys_that_are_added_have_the_upstreams_names(clauses: str, keys: dict[str, str]) -> None:
    tracker = SchemaTracker()
    _named(tracker, "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT, KEY c (b))")
    _named(tracker, f"ALTER TABLE t {clauses}")
    assert _keys(tracker) == keys


def test_a_key_takes_the_place_and_the_name_of_a_foreign_keys_own() -> None:
    tracker = SchemaTracker()
    _named(tracker, "CREATE TABLE t (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id))")
    assert _named(tracker, "ALTER TABLE t ADD UNIQUE (a)").text == "ALTER TABLE t ADD UNIQUE `a` (a)"


def test_mariadb_does_not_cut_a_columns_name_for_a_keys_number() -> None:
    sql = f"CREATE TABLE t ({_WIDE} INT, KEY ({_WIDE}), UNIQUE ({_WIDE}, b))"
    ddl = parse_ddl(sql, default_schema="s", flavor="mariadb")
    assert f"UNIQUE `{_WIDE}_2` (`{_WIDE}`, b)" in with_key_names(ddl, None, "mariadb").text
