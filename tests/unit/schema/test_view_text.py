"""Views by their texts, as MariaDB, MySQL and TiDB show them."""

from __future__ import annotations

import pytest

from pkg.schema.cursor import Unreadable
from pkg.schema.view_text import Account, Name, NotExact, read_view, rewritten

HEAD = "CREATE ALGORITHM=UNDEFINED DEFINER=`app`@`%` SQL SECURITY DEFINER VIEW "
TARGETS: dict[Name, Name] = {
    ("s", "a"): ("r", "a"), ("s", "b"): ("r", "b2"), ("s", "v"): ("r", "w"), ("o", "a"): ("o", "a"),
}  # fmt: skip

WHOLE = {  # query of `s`.`x`: what it names, and how it is written for the target
    "select 1 AS `one`": ("", "select 1 AS `one`"),
    "select `s`.`a`.`id` AS `id` from `s`.`a`": ("a", "select `r`.`a`.`id` AS `id` from `r`.`a`"),
    "select `s`.`b`.`id` AS `id` from `s`.`b` where (`s`.`b`.`n` > 0)": (
        "b", "select `r`.`b2`.`id` AS `id` from `r`.`b2` where (`r`.`b2`.`n` > 0)"),
    "select `x`.`id` AS `id` from (`s`.`b` `x` left join `s`.`a` on(`s`.`a`.`id` = `x`.`id`))": (
        "a b", "select `x`.`id` AS `id` from (`r`.`b2` `x` left join `r`.`a` on(`r`.`a`.`id` = `x`.`id`))"),
    # MariaDB writes columns of views without the schema.
    "select `v`.`id` AS `id` from `s`.`v` where `v`.`id` > 0": (
        "v", "select `v`.`id` AS `id` from `r`.`w` AS `v` where `v`.`id` > 0"),
    "with b as (select `s`.`b`.`id` AS `id` from `s`.`b`)select `b`.`id` AS `id` from `b`": (
        "b", "with b as (select `r`.`b2`.`id` AS `id` from `r`.`b2`)select `b`.`id` AS `id` from `b`"),
    "with recursive `n` as (select 1 AS `i` union all select (`n`.`i` + 1) AS `i+1` from `n`) select `n`.`i` from `n`": (
        "", "with recursive `n` as (select 1 AS `i` union all select (`n`.`i` + 1) AS `i+1` from `n`) select `n`.`i` from `n`"),
    "select extract(year from `s`.`a`.`d`) AS `y`,trim(leading 'from `s`.`b`' from `s`.`a`.`t`) AS `t` from `s`.`a`": (
        "a", "select extract(year from `r`.`a`.`d`) AS `y`,trim(leading 'from `s`.`b`' from `r`.`a`.`t`) AS `t` from `r`.`a`"),
    "select `d`.`c` AS `c` from ((select count(0) AS `c` from `s`.`b` group by `s`.`b`.`v`) `d` join `s`.`a`)": (
        "a b", "select `d`.`c` AS `c` from ((select count(0) AS `c` from `r`.`b2` group by `r`.`b2`.`v`) `d` join `r`.`a`)"),
    "(select `s`.`a`.`id` AS `id` from `s`.`a` limit 1) union select `s`.`b`.`id` AS `id` from `s`.`b`": (
        "a b", "(select `r`.`a`.`id` AS `id` from `r`.`a` limit 1) union select `r`.`b2`.`id` AS `id` from `r`.`b2`"),
    "select `s`.`a`.`id` AS `id` from `s`.`a` USE INDEX FOR JOIN (PRIMARY) where `s`.`a`.`id` in (select `s`.`b`.`id` "
    "from `s`.`b`) WITH CASCADED CHECK OPTION": (
        "a b", "select `r`.`a`.`id` AS `id` from `r`.`a` USE INDEX FOR JOIN (PRIMARY) where `r`.`a`.`id` in "
        "(select `r`.`b2`.`id` from `r`.`b2`) WITH CASCADED CHECK OPTION"),
    "select `j`.`x` AS `x` from (`s`.`b` join json_table(`s`.`b`.`s`, '$[*]' columns (`x` int path '$.x')) `j`)": (
        "b", "select `j`.`x` AS `x` from (`r`.`b2` join json_table(`r`.`b2`.`s`, '$[*]' columns (`x` int path '$.x')) `j`)"),
    "select `t`.`x` AS `x` from (values row(1,2),row(3,4)) `t` (`x`,`y`)": (
        "", "select `t`.`x` AS `x` from (values row(1,2),row(3,4)) `t` (`x`,`y`)"),
    "select `s`.`f`(`s`.`b`.`id`) AS `x`,`l`.`id` AS `from` from `s`.`b`,lateral (select `s`.`a`.`id` from `s`.`a`) `l`": (
        "a b", "select `s`.`f`(`r`.`b2`.`id`) AS `x`,`l`.`id` AS `from` from `r`.`b2`,lateral (select `r`.`a`.`id` from `r`.`a`) `l`"),
    "select nextval(`s`.`a`) AS `n`": ("a", "select nextval(`r`.`a`) AS `n`"),
    "select `s`.`b`.`x` AS `x` from `s`.`b` PARTITION (`p0`,`p1`) where 1": (
        "b", "select `r`.`b2`.`x` AS `x` from `r`.`b2` PARTITION (`p0`,`p1`) where 1"),
    "select 1 AS `1` from DUAL": ("", "select 1 AS `1` from DUAL"),
}  # fmt: skip
FROM_FILES = {  # as dumps have it, written while the schema was the current one
    "select `a`.`id` AS `id`,`b`.`v` AS `v` from (`a` join `b`)": (
        "select `a`.`id` AS `id`,`b`.`v` AS `v` from (`r`.`a` join `r`.`b2` AS `b`)"
    ),
    "select `s`.`a`.`id` AS `id`,`s`.`b`.`v` AS `v` from (`s`.`a` join `s`.`b`)": (
        "select `r`.`a`.`id` AS `id`,`r`.`b2`.`v` AS `v` from (`r`.`a` join `r`.`b2`)"
    ),
    # A name is a table's again where its common table expression cannot be seen.
    "with `b` as (select `b`.`id` AS `id` from `b`) select `q`.`id` AS `id` from (select `b`.`id` AS `id` from `b`) `q`": "",
    "with `a` as (select `a`.`id` AS `id` from `a`) select `a`.`id` AS `id` from `a`": (
        "with `a` as (select `a`.`id` AS `id` from `r`.`a`) select `a`.`id` AS `id` from `a`"
    ),
    # TiDB's.
    "SELECT `b`.`id` AS `id`,`s`.`b`.`v` AS `v` FROM (`s`.`b`) JOIN `o`.`a` AS `x`, `s`.`a` WHERE `v`>1": (
        "SELECT `b`.`id` AS `id`,`b`.`v` AS `v` FROM (`r`.`b2` AS `b`) JOIN `o`.`a` AS `x`, `r`.`a` WHERE `v`>1"
    ),
    "select `b`.`x` AS `x` from `b` PARTITION (`p0`)": "select `b`.`x` AS `x` from `r`.`b2` PARTITION (`p0`) AS `b`",
}


@pytest.mark.parametrize("query", WHOLE)
def test_only_names_of_tables_are_replaced(query: str) -> None:
    sql = f"{HEAD}`s`.`x` AS {query}"
    view = read_view(sql)
    named, expected = WHOLE[query]
    assert view.used("other") == {("s", name) for name in named.split()}
    assert rewritten(view, "other", ("r", "x"), TARGETS, view.definer) == f"{HEAD}`r`.`x` AS {expected}"
    assert rewritten(view, "other", ("s", "x"), {}, view.definer) == sql


@pytest.mark.parametrize("query", FROM_FILES)
def test_names_without_a_schema(query: str) -> None:
    view = read_view(f"{HEAD}`x` AS {query}")
    if expected := FROM_FILES[query]:
        assert rewritten(view, "s", ("r", "x"), TARGETS, view.definer) == f"{HEAD}`r`.`x` AS {expected}"
    else:
        with pytest.raises(NotExact, match=r"s\.b goes to r\.b2, and b is an alias in it, too"):
            rewritten(view, "s", ("r", "x"), TARGETS, view.definer)


def test_a_table_renamed_to_an_alias_is_refused() -> None:
    view = read_view(f"{HEAD}`s`.`x` AS select `b2`.`id` AS `id` from (`s`.`a` `b2` join `s`.`b`)")
    with pytest.raises(NotExact, match="b2 is an alias in it, too"):
        rewritten(view, "s", ("r", "x"), TARGETS, None)


@pytest.mark.parametrize(
    ("head", "definer", "written"),
    [
        ("CREATE VIEW ", None, "CREATE ALGORITHM=UNDEFINED SQL SECURITY DEFINER VIEW "),
        ("create or replace definer=CURRENT_USER() view if not exists ", None,
         "CREATE ALGORITHM=UNDEFINED SQL SECURITY DEFINER VIEW "),
        ("/*!50001 CREATE ALGORITHM=MERGE */ /*!50013 DEFINER=`a``b`@`10.%` SQL SECURITY INVOKER */ /*!50001 VIEW ",
         Account("a`b", "10.%"), "CREATE ALGORITHM=MERGE DEFINER=`a``b`@`10.%` SQL SECURITY INVOKER VIEW "),
        ("CREATE ALGORITHM=TEMPTABLE DEFINER=`role` SQL SECURITY DEFINER VIEW ", Account("role", ""),
         "CREATE ALGORITHM=TEMPTABLE DEFINER=`role` SQL SECURITY DEFINER VIEW "),
        ("CREATE DEFINER='u'@localhost VIEW ", Account("u", "localhost"),
         "CREATE ALGORITHM=UNDEFINED DEFINER=`u`@`localhost` SQL SECURITY DEFINER VIEW "),
    ],
)  # fmt: skip
def test_heads(head: str, definer: Account | None, written: str) -> None:
    end = " */" if head.startswith("/*") else ";"
    view = read_view(f"{head}`x` (`ä`, `b`) AS SELECT 1,'ä /*' AS `b`{end}")
    assert view.definer == definer
    expected = f"{written}`r`.`x` (`ä`, `b`) AS SELECT 1,'ä /*' AS `b`"
    assert rewritten(view, "s", ("r", "x"), TARGETS, definer) == expected


@pytest.mark.parametrize(
    "sql",
    ["", "CREATE TABLE t (id INT)", f"{HEAD}`x`", f"{HEAD}`x` AS select (1", f"{HEAD}`x` AS select 1) from `a`",
     f"{HEAD}`x` AS select 1 from", f"{HEAD}`x` AS select 'open", f"{HEAD}`x` AS select 1 from 'a'"],
)  # fmt: skip
def test_what_is_no_view(sql: str) -> None:
    with pytest.raises(Unreadable):
        read_view(sql)
