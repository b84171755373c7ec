"""Tables of online DDL by their names, and what their renames mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkg.errors import DMError
from pkg.rules.block_allow_list import BlockAllowList, BlockAllowRules
from pkg.rules.online_ddl import Exchange, OnlineTables, Renaming, Rules, TableRole, compile_rule, read_renames
from pkg.schema.statement import TableName
from pkg.task.task import DEFAULT_SHADOW_RULES, DEFAULT_TRASH_RULES

TABLES = OnlineTables(Rules(tuple(DEFAULT_SHADOW_RULES), tuple(DEFAULT_TRASH_RULES)))
SHADOW, TRASH, REAL = TableRole.SHADOW, TableRole.TRASH, TableRole.REAL


def name(table: str) -> TableName:
    return TableName("db", table)


def renaming(*pairs: str) -> Renaming:
    """``old>new`` each."""
    return read_renames(TABLES, [(name(old), name(new)) for old, new in (pair.split(">") for pair in pairs)], "here")


@pytest.mark.parametrize(
    ("table", "role", "real"),
    [
        ("_t_gho", SHADOW, "t"), ("_t_new", SHADOW, "t"), ("__t_new", SHADOW, "_t"), ("_t_ghc", TRASH, "t"),
        ("_t_del", TRASH, "t"), ("_t_old", TRASH, "t"), ("_a_b_del", TRASH, "a_b"), ("_t_old_new", SHADOW, "t_old"),
        ("t", REAL, "t"), ("t_new", REAL, "t_new"), ("_t", REAL, "_t"), ("_new", REAL, "_new"), ("__new", REAL, "__new"),
        ("_t_gho2", REAL, "_t_gho2"), ("x_t_gho", REAL, "x_t_gho"), ("_t_GHO", REAL, "_t_GHO"),
        ("_t\n_gho\n", REAL, "_t\n_gho\n"),
    ],
)  # fmt: skip
def test_default_rules(table: str, role: TableRole, real: str) -> None:
    assert TABLES.classify(name(table)) == (role, name(real))
    assert TABLES.is_ghost(table) == (role is not REAL)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("_(.+)_new$", "begin with"), ("^_(.+)_new", "end with"), ("^_.+_new$", "0 groups"),
        ("^_(.+)_(new)$", "2 groups"), ("^_(.+_new$", "missing"), ("", "begin with"),
    ],
)  # fmt: skip
def test_a_rule_that_cannot_be_is_told(rule: str, reason: str) -> None:
    with pytest.raises(DMError, match=reason):
        compile_rule(rule)


@pytest.mark.slow
@given(st.text(min_size=1, max_size=30).filter(lambda text: not TABLES.is_ghost(text)))
def test_what_the_tools_make_of_a_name_is_recognised(table: str) -> None:
    if "\n" in table:  # as `.` in DM's rules has it
        return
    for suffix, role in (("gho", SHADOW), ("new", SHADOW), ("ghc", TRASH), ("del", TRASH), ("old", TRASH)):
        ghost = name(f"_{table}_{suffix}")
        assert TABLES.classify(ghost) == (role, name(table))
        assert TABLES.belongs(ghost, name(table))


def test_exchanges() -> None:
    exchange = Exchange(name("_t_gho"), name("t"))
    assert renaming("t>_t_del", "_t_gho>t") == Renaming((exchange,))
    assert renaming("_t_gho>t") == Renaming((exchange,))
    assert renaming("t>__t_old", "__t_new>t").exchanges == (Exchange(name("__t_new"), name("t")),)
    assert renaming("t>_t_del") == Renaming(moved_away={name("t"): name("_t_del")})
    assert renaming("_t_del>t") == Renaming(moved_back={name("t"): name("_t_del")})
    assert renaming("a>b", "_t_new>_t_old", "_x_old>_x_del") == Renaming()


def test_names_that_the_tools_had_to_change() -> None:
    assert renaming("t>_t_20260102030405_del", "_t_gho>t").exchanges
    long = "orders_of_a_shop_with_a_name_that_is_nearly_too_long_for_a_table"
    cut = long[:59]
    assert len(f"_{cut}_gho") == 64
    assert renaming(f"{long}>_{cut}_del", f"_{cut}_gho>{long}") == Renaming(
        (Exchange(name(f"_{cut}_gho"), name(long)),)
    )
    with pytest.raises(DMError):
        renaming("_ord_gho>orders")


@pytest.mark.parametrize(
    ("pairs", "code"),
    [
        (["t>_t_gho"], 36044), (["t>_u_old"], 36044), (["_t_gho>_u_gho"], 36045), (["_t_gho>u"], 36045),
        (["_t_old>_t_new"], 36045), (["_t_old>u"], 36045), (["t>backup", "_t_new>t"], 20050),
        (["t>_t_old", "other>t"], 20050), (["t>bad", "_t_old>t"], 20050), (["t>_t_new", "_t_old>t"], 36044),
    ],
)  # fmt: skip
def test_renames_that_are_none_of_the_tools(pairs: list[str], code: int) -> None:
    with pytest.raises(DMError) as caught:
        renaming(*pairs)
    assert caught.value.code == code
    assert "here" in caught.value.message
    assert "dmctl binlog" in caught.value.workaround


def test_a_ghost_of_another_schema_belongs_to_nobody() -> None:
    with pytest.raises(DMError) as caught:
        read_renames(TABLES, [(TableName("x", "_t_gho"), name("t"))], "here")
    assert caught.value.code == 36045


def test_the_allow_list_leaves_them_out_of_every_schema() -> None:
    allowed = BlockAllowList(BlockAllowRules(do_tables=(("db", "*"),)), False, leaves_out=TABLES.is_ghost)
    assert allowed.allows("db", "t")
    assert allowed.allows("db")
    assert not allowed.allows("db", "_t_gho")
    assert not allowed.allows("db", "_t_del")
