"""SHOW GRANTS of several servers, and what follows."""

from __future__ import annotations

from dm_master.precheck.grants import parse_grants


def test_all_privileges_on_everything() -> None:
    grants = parse_grants("root@%", ["GRANT ALL PRIVILEGES ON *.* TO 'root'@'%' WITH GRANT OPTION"])
    assert grants.allows("REPLICATION SLAVE")
    assert grants.allows("SELECT", "shop", "orders")


def test_global_privileges_by_mariadbs_names() -> None:
    line = "GRANT RELOAD, BINLOG MONITOR, REPLICATION SLAVE ON *.* TO `dm`@`%` IDENTIFIED BY PASSWORD '*X'"
    grants = parse_grants("dm@%", [line])
    assert not grants.missing(["REPLICATION SLAVE", "REPLICATION CLIENT", "RELOAD"])
    assert grants.missing(["SELECT"], "shop", "a") == ["SELECT"]


def test_schema_patterns_and_their_escapes() -> None:
    lines = ["GRANT SELECT ON `shop\\_%`.* TO `dm`@`10.0.0.%`", "GRANT SELECT ON `a``b`.* TO `dm`@`10.0.0.%`"]
    grants = parse_grants("dm@10.0.0.%", lines)
    assert grants.allows("SELECT", "shop_01", "orders")
    assert not grants.allows("SELECT", "shopX01", "orders")
    assert grants.allows("SELECT", "a`b", "t")
    assert grants.account == "'dm'@'10.0.0.%'"


def test_one_table_is_not_its_schema() -> None:
    grants = parse_grants("dm@%", ["GRANT SELECT, INSERT ON `shop`.`orders` TO `dm`@`%`"])
    assert grants.allows("SELECT", "shop", "orders")
    assert not grants.allows("SELECT", "shop", "items")
    assert not grants.allows("SELECT", "shop")


def test_some_columns_are_not_the_table() -> None:
    grants = parse_grants("dm@%", ["GRANT SELECT (`id`, `name`), INSERT ON `shop`.`orders` TO `dm`@`%`"])
    assert grants.missing(["SELECT", "INSERT"], "shop", "orders") == ["SELECT"]


def test_roles_proxies_and_routines_give_nothing() -> None:
    lines = [
        "GRANT `reader`@`%` TO `dm`@`%`",
        "GRANT PROXY ON ''@'' TO 'dm'@'%' WITH GRANT OPTION",
        "GRANT EXECUTE ON FUNCTION `shop`.`f` TO `dm`@`%`",
        "GRANT USAGE ON *.* TO `dm`@`%`",
    ]
    assert not parse_grants("dm@%", lines).allows("SELECT", "shop", "orders")


def test_tidbs_unquoted_names() -> None:
    grants = parse_grants("dm@%", ["GRANT SELECT,INSERT,CREATE ON shop.* TO 'dm'@'%'"])
    assert grants.missing(["CREATE", "SELECT", "DELETE"], "shop") == ["DELETE"]


def test_the_statement_to_run() -> None:
    grants = parse_grants("dm@%", [])
    assert grants.statement(["SELECT"], "my`db", "t") == "GRANT SELECT ON `my``db`.`t` TO 'dm'@'%';"
    assert grants.statement(["REPLICATION SLAVE"]) == "GRANT REPLICATION SLAVE ON *.* TO 'dm'@'%';"
