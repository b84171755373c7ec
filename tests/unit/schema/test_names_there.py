"""DROP of a foreign key or a CHECK by the upstream's name, as the target has it."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.names_there import OtherKey, keys_behind, left_out, with_certain_names_there, with_names_there
from pkg.schema.parse import parse_create_table
from pkg.schema.statement import Ddl
from pkg.schema.table import Table
from pkg.shardddl.check_names import names_checks, with_check_names


def table(*keys: str) -> Table:
    columns = ", ".join(("id INT PRIMARY KEY, a INT, b INT", *keys))
    return parse_create_table(f"CREATE TABLE t1 ({columns})", schema="db")


def key(name: str, column: str) -> str:
    return f"CONSTRAINT {name} FOREIGN KEY ({column}) REFERENCES p (id)"


def ddl(clause: str) -> Ddl:
    return parse_ddl(f"ALTER TABLE t1 {clause}", default_schema="db")


def sent(statement: Ddl) -> str:
    return statement.rename(lambda name: name).removeprefix("ALTER TABLE `db`.`t1` ")


BEFORE = table(key("f1", "a"), key("f2", "b"))


@pytest.mark.parametrize(
    ("clause", "there", "wanted"),
    [
        ("DROP FOREIGN KEY f1", BEFORE, "DROP FOREIGN KEY f1"),
        ("DROP FOREIGN KEY f1", table(key("g", "a")), "DROP FOREIGN KEY `g`"),
        ("DROP CONSTRAINT f1", table(key("g", "a")), "DROP FOREIGN KEY `g`"),
        # another shard has called them the other way round
        ("DROP FOREIGN KEY f1", table(key("f1", "b"), key("f2", "a")), "DROP FOREIGN KEY `f2`"),
        ("DROP FOREIGN KEY f1", table(), "DROP FOREIGN KEY f1"),
    ],
)
def test_foreign_keys(clause: str, there: Table, wanted: str) -> None:
    assert sent(with_names_there(ddl(clause), BEFORE, there)) == wanted


def test_another_foreign_key_of_the_name() -> None:
    with pytest.raises(OtherKey, match="f1 is over a upstream; there f1 is over b"):
        with_names_there(ddl("DROP FOREIGN KEY f1"), BEFORE, table(key("f1", "b")))


def test_a_target_that_may_be_behind_the_statement() -> None:
    there = table(key("g", "a"), key("f2", "b"))
    dropping, other = ddl("DROP FOREIGN KEY f1"), ddl("DROP FOREIGN KEY f2")
    again = ddl("DROP FOREIGN KEY f1, ADD CONSTRAINT g FOREIGN KEY (a) REFERENCES p (id)")
    assert sent(with_certain_names_there(dropping, again, BEFORE, there, repeated=True)) == "DROP FOREIGN KEY f1"
    assert sent(with_certain_names_there(dropping, dropping, BEFORE, there)) == "DROP FOREIGN KEY `g`"
    assert sent(with_certain_names_there(other, other, BEFORE, there)) == "DROP FOREIGN KEY f2"


SHOWN = """CREATE TABLE `m` (
  `a` int DEFAULT NULL CHECK (`a` > 5),
  CONSTRAINT `ck_t9_a` CHECK ((`a` > 0)),
  CONSTRAINT `m_chk_1` CHECK ((`a` > 0)),
  CONSTRAINT `m_chk_2` CHECK ((`a` > 0)),
  CONSTRAINT `x_t9` CHECK ((`a` > 0)),
  CONSTRAINT `x_t8` CHECK ((`a` > 0)),
  CONSTRAINT `fk_t9` FOREIGN KEY (`a`) REFERENCES `p` (`id`)
)"""


@pytest.mark.parametrize(
    ("clause", "wanted"),
    [
        ("DROP CHECK t1_chk_1", "DROP CHECK `m_chk_1`"),
        ("DROP CONSTRAINT ck_t1_a", "DROP CONSTRAINT `ck_t9_a`"),
        ("DROP CONSTRAINT IF EXISTS `CK_T1_A`", "DROP CONSTRAINT IF EXISTS `ck_t9_a`"),
        ("ALTER CHECK ck_t1_a NOT ENFORCED", "ALTER CHECK `ck_t9_a` NOT ENFORCED"),
        ("DROP CONSTRAINT ck_t9_a", "DROP CONSTRAINT ck_t9_a"),
        ("DROP CONSTRAINT x_t1", "DROP CONSTRAINT x_t1"),  # there are two such
        ("DROP CONSTRAINT ck_t10_a", "DROP CONSTRAINT ck_t10_a"),
        ("DROP CONSTRAINT fk_t1", "DROP CONSTRAINT fk_t1"),
        ("DROP CONSTRAINT f1", "DROP CONSTRAINT f1"),
    ],
)
def test_checks(clause: str, wanted: str) -> None:
    assert sent(with_check_names(ddl(clause), BEFORE, SHOWN)) == wanted


def test_statements_about_checks() -> None:
    assert names_checks(ddl("DROP CONSTRAINT ck_t1_a"), BEFORE)
    assert not names_checks(ddl("DROP CONSTRAINT f1"), BEFORE)
    assert not names_checks(ddl("DROP a"), BEFORE)


_TWO = (
    "CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id), CONSTRAINT g FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE"
)


@pytest.mark.parametrize(
    ("clauses", "there", "sent"),
    [
        ("DROP FOREIGN KEY g", _TWO, "DROP FOREIGN KEY g"),
        ("DROP FOREIGN KEY g", _TWO.replace(" f ", " h ").replace(" g ", " f "), "DROP FOREIGN KEY `f`"),
        ("DROP FOREIGN KEY f", _TWO.replace(" f ", " h ").replace(" g ", " f "), "DROP FOREIGN KEY `h`"),
        ("DROP FOREIGN KEY f", _TWO.replace("CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id), ", ""), "DROP FOREIGN KEY f"),
        ("DROP FOREIGN KEY f, CHANGE a n INT", _TWO.replace("(a)", "(n)"), "DROP FOREIGN KEY f, CHANGE a n INT"),
        ("DROP FOREIGN KEY f, ADD n INT", "CONSTRAINT f FOREIGN KEY (b) REFERENCES p (id)", None),
    ],
)  # fmt: skip
def test_the_foreign_key_that_is_dropped_is_the_upstreams(clauses: str, there: str, sent: str | None) -> None:
    def table(keys: str) -> Table:
        return parse_create_table(f"CREATE TABLE c (id INT PRIMARY KEY, a INT, b INT, n INT, {keys})", schema="d")

    one = parse_ddl(f"ALTER TABLE c {clauses}", default_schema="d")
    if sent is None:
        with pytest.raises(OtherKey, match="f is over a upstream; there f is over b"):
            with_certain_names_there(one, one, table(_TWO), table(there))
        return
    found = with_certain_names_there(one, one, table(_TWO), table(there))
    assert found.rename(lambda name: name) == f"ALTER TABLE `d`.`c` {sent}"


_V_AND_FT = "CREATE TABLE t1 (id INT PRIMARY KEY, v VARCHAR(9), w INT, KEY v (v), KEY ft (v), KEY vw (v, w))"


@pytest.mark.parametrize(
    ("clauses", "keys"),
    [
        ("RENAME KEY v TO vv", "vv(v) ft(v) vw(v,w)"),
        ("DROP KEY FT", "v(v) vw(v,w)"),
        ("DROP KEY ft, ADD FULLTEXT KEY x (v)", "v(v) vw(v,w) x(v)"),
        ("DROP COLUMN v", "vw(w)"),
        ("CHANGE v u VARCHAR(9), ADD UNIQUE KEY v_2 (u)", "v(u) ft(u) vw(u,w) v_2(u)"),
        ("ADD COLUMN n INT", "v(v) ft(v) vw(v,w)"),
    ],
)
def test_keys_behind_other_parts(clauses: str, keys: str) -> None:
    before = parse_create_table(_V_AND_FT, schema="db")
    found = keys_behind(before, [ddl(clauses)])
    assert " ".join(f"{one.name}({','.join(one.columns)})" for one in found.indexes if not one.primary) == keys


def test_a_key_that_another_part_has_renamed_is_none_that_the_target_lacks() -> None:
    """It has v alone of v and ft, and that by the name vv."""
    before = parse_create_table(_V_AND_FT, schema="db")
    there = parse_create_table("CREATE TABLE t1 (id INT PRIMARY KEY, v VARCHAR(9), w INT, KEY vv (v))", schema="db")
    now, dropping = keys_behind(before, [ddl("RENAME KEY v TO vv")]), ddl("DROP KEY ft")
    assert sent(with_names_there(dropping, now, there)) == "DROP KEY ft"
    assert left_out(dropping.clauses[0], now, there)
    middle = ddl("RENAME KEY ft_2 TO v")
    now = keys_behind(before, [ddl("RENAME KEY ft TO ft_2"), ddl("RENAME KEY v TO vv")])
    assert left_out(middle.clauses[0], now, there)


def test_a_plain_key_whose_name_a_unique_one_has() -> None:
    before = table("UNIQUE KEY a_2 (a)", "KEY a_3 (a)", "KEY k (b)")
    assert (
        sent(with_names_there(ddl("DROP KEY a_3"), before, table("UNIQUE KEY a_3 (a)", "KEY a_4 (a)")))
        == "DROP KEY `a_4`"
    )
    with pytest.raises(OtherKey, match="a_3 is over a upstream, unique over a there"):
        with_names_there(ddl("DROP KEY a_3"), before, table("UNIQUE KEY a_3 (a)"))
    assert sent(with_names_there(ddl("DROP KEY k"), before, table("UNIQUE KEY k (b)"))) == "DROP KEY k"
