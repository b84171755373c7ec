"""What is left out of a CREATE TABLE until its rows are there."""

from __future__ import annotations

from pkg.schema.later import LaterIndex, add_indexes, cut_create, foreign_key_clause, orphans
from pkg.schema.table import ForeignKey

WHOLE = """CREATE TABLE `s`.`c` (
  `id` int NOT NULL AUTO_INCREMENT,
  `n` int,
  `v` text,
  KEY `counted` (`id`),
  KEY `n` (`n`),
  UNIQUE KEY `u` (`n`,`id`),
  KEY `v` (`v`(10) DESC) COMMENT 'a, b',
  KEY `hidden` (`n`) /*!80000 INVISIBLE */,
  KEY `upper` ((upper(`v`))),
  FULLTEXT KEY `words` (`v`),
  CONSTRAINT `f` FOREIGN KEY (`n`) REFERENCES `s`.`p` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB PARTITION BY HASH (`id`) PARTITIONS 2"""
KEY = ForeignKey("f", ("a", "b`"), "s", "p", ("x", "y"), "CASCADE", "SET NULL")


def test_foreign_keys_always_wait() -> None:
    cut = cut_create(WHOLE, indexes=False)
    assert cut.indexes == ()
    assert cut.sql == WHOLE.replace("/*!80000 INVISIBLE */", "         INVISIBLE   ").replace(
        ",\n  CONSTRAINT `f` FOREIGN KEY (`n`) REFERENCES `s`.`p` (`id`) ON DELETE CASCADE", ""
    )


def test_plain_indexes_wait_where_they_shall() -> None:
    cut = cut_create(WHOLE, indexes=True)
    assert cut.indexes == (
        LaterIndex("n", "KEY `n` (`n`)"),
        LaterIndex("v", "KEY `v` (`v`(10) DESC) COMMENT 'a, b'"),
        LaterIndex("hidden", "KEY `hidden` (`n`)          INVISIBLE"),
        LaterIndex("upper", "KEY `upper` ((upper(`v`)))"),
    )
    kept = [line.strip().rstrip(",") for line in cut.sql.splitlines()[4:-1]]
    assert [line.split("`")[1] for line in kept] == ["counted", "u", "words"]
    assert cut.sql.endswith("(`v`)\n) ENGINE=InnoDB PARTITION BY HASH (`id`) PARTITIONS 2")


def test_a_table_without_any_stays_as_it_is() -> None:
    plain = "CREATE TABLE `s`.`t` (`id` int PRIMARY KEY, `v` int UNIQUE)"
    assert cut_create(plain, indexes=True).sql == plain


def test_the_only_index_of_a_counter_stays() -> None:
    sql = "CREATE TABLE `s`.`t` (`a` int, `id` int AUTO_INCREMENT, KEY `k` (`id`, `a`), KEY `o` (`a`))"
    assert [one.name for one in cut_create(sql, indexes=True).indexes] == ["o"]


def test_statements() -> None:
    indexes = [LaterIndex("n", "KEY `n` (`n`)"), LaterIndex("m", "KEY `m` (`m`)")]
    assert add_indexes("`s`.`t`", indexes) == "ALTER TABLE `s`.`t` ADD KEY `n` (`n`), ADD KEY `m` (`m`)"
    assert foreign_key_clause(KEY) == (
        "CONSTRAINT `f` FOREIGN KEY (`a`, `b```) REFERENCES `s`.`p` (`x`, `y`) ON DELETE CASCADE ON UPDATE SET NULL"
    )
    assert orphans("`s`.`c`", KEY, 3) == (
        "SELECT c.`a`, c.`b``` FROM `s`.`c` c WHERE c.`a` IS NOT NULL AND c.`b``` IS NOT NULL AND NOT EXISTS "
        "(SELECT 1 FROM `s`.`p` p WHERE c.`a` = p.`x` AND c.`b``` = p.`y`) LIMIT 3"
    )
