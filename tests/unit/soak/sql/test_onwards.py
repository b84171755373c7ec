"""Which tables a pause is about, and of which nothing is said until the task begins anew."""

from __future__ import annotations

from typing import cast

from tests.soak.sql.onwards import Onwards, named
from tests.soak.sql.settings import GROUP, MERGED, MOVED, PLAIN, Settings
from tests.soak.sql.stage import Stage
from tests.soak.sql.verdicts import Pause


def settings(routes: str) -> Settings:
    return Settings("mariadb-tidb", 1, routes, "all", relay=False, gtid=True, statements=1, workers=1)


def test_the_tables_that_a_text_names() -> None:
    assert named("DDL ALTER TABLE `s1_a`.`t1` ADD c INT; s1_b.t2 (at mysql-bin.000001)", settings(PLAIN)) == {
        ("s1_a", "t1"), ("s1_b", "t2")
    }  # fmt: skip
    assert named("of `to_s1_a`.`t1`", settings(MOVED)) == {("s1_a", "t1")}
    assert named("of `all_`.`g`, s1_g.g2", settings(MERGED)) == {GROUP}
    assert named("server version 8.0.11, dm_meta.soak_sparkdm", settings(PLAIN)) == set()


def test_what_ddl_makes_of_a_table_that_is_given_up_is_given_up() -> None:
    ways = Onwards(cast(Stage, None), settings(PLAIN))
    for sql in (
        "RENAME TABLE s1_a.t2 TO s1_a.t3",
        "CREATE TABLE s1_a.t2 LIKE s1_b.t1",
        "CREATE TABLE s1_a.t4 (id INT)",
    ):
        ways.heard(sql)
    assert ways.unclear() == set()
    ways.given_up.add(("s1_b", "t1"))
    assert ways.unclear() == {("s1_b", "t1"), ("s1_a", "t2"), ("s1_a", "t3")}
    assert ways.is_about_given_up(Pause("36103", "rows of `s1_a`.`t3`", "s1"))
    assert not ways.is_about_given_up(Pause("36103", "rows of `s1_a`.`t4`", "s1"))
    assert not ways.is_about_given_up(Pause("36103", "something", "s1"))
