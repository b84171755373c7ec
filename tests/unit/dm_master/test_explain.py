"""What explain-rules says of tables and statements."""

from __future__ import annotations

from typing import Any

from dm_master.explain import SourceRules
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table
from pkg.task import load_source, load_task, split_task

TASK = """
name: shop
task-mode: all
target-database: {host: h, port: 4000, user: root}
mysql-instances:
- source-id: one
  route-rules: [merge, rename]
  block-allow-list: shops
  filter-rules: [keep, strict, text]
  expression-filters: [no-tests]
block-allow-list: {shops: {do-dbs: ["shop_*"]}}
routes:
  rename: {schema-pattern: "shop_*", target-schema: shop}
  merge:
    schema-pattern: "shop_*"
    table-pattern: "orders_*"
    target-schema: shop
    target-table: orders
    extract-table: {table-regexp: "orders_(.*)", target-column: part}
filters:
  keep: {schema-pattern: "shop_*", table-pattern: "orders_*", events: [delete, drop table, add column], action: Ignore}
  strict: {schema-pattern: "shop_*", table-pattern: "orders_*", events: [drop column], action: Error}
  text: {schema-pattern: "shop_*", table-pattern: "orders_*", sql-pattern: ["ADD UNIQUE"], action: Ignore}
expression-filter:
  no-tests: {schema: shop_1, table: orders_9, insert-value-expr: "id < 0"}
"""
SOURCE = "source-id: one\nfrom: {host: h, port: 3306, user: root}\n"
ORDERS = "CREATE TABLE `orders_9` (`id` int NOT NULL, `note` text, PRIMARY KEY (`id`))"


def rules(text: str = TASK) -> SourceRules:
    task = load_task(text)
    [subtask] = split_task(task, {"one": load_source(SOURCE)})
    return SourceRules.of(subtask, "mysql")


def statement(sql: str) -> dict[str, Any]:
    def fetch(schema: str, table: str) -> Table | None:
        return parse_create_table(ORDERS, schema) if table == "orders_9" else None

    return rules().statement(sql, "shop_1", "orders_9", fetch)


def test_a_table_with_all_that_is_done_to_it() -> None:
    assert rules().table("shop_1", "orders_9") == {
        "source": "one",
        "schema": "shop_1",
        "table": "orders_9",
        "migrated": True,
        "targetSchema": "shop",
        "targetTable": "orders",
        "route": "merge",
        "columns": ["part = '9'"],
        "filters": [
            "keep: Ignore delete, drop table, add column",
            "strict: Error drop column",
            "text: also by the text of a DDL",
            "no-tests: by the values of rows",
        ],
    }


def test_a_table_with_a_plain_route() -> None:
    body = rules().table("shop_2", "customers")
    assert (body["targetSchema"], body["targetTable"], body["route"]) == ("shop", "customers", "rename")
    assert body["columns"] == body["filters"] == []


def test_a_table_that_is_not_migrated() -> None:
    assert rules().table("other", "t")["note"] == "left out by the block-allow-list"
    twice = TASK.replace("[merge, rename]", "[merge, rename, again]").replace(
        "routes:\n", 'routes:\n  again: {schema-pattern: "shop_*", table-pattern: "?rders_9", target-schema: x}\n'
    )
    assert "matches two routes" in rules(twice).table("shop_1", "orders_9")["note"]


def test_groups_of_types_are_shown_as_one() -> None:
    nothing = TASK.replace("events: [delete, drop table, add column], action: Ignore", "events: [none], action: Do")
    assert rules(nothing).table("shop_1", "orders_9")["filters"][0] == "keep: Ignore all dml, all ddl"


def test_a_statement_part_by_part() -> None:
    body = statement("ALTER TABLE orders_9 ADD COLUMN a INT, MODIFY note LONGTEXT")
    assert [(one["text"], one["type"], one["action"], one["rule"]) for one in body["parts"]] == [
        ("ADD COLUMN a INT", "alter table", "Ignore", "keep"),
        ("MODIFY note LONGTEXT", "alter table", "Do", ""),
    ]
    assert body["runs"] == ["ALTER TABLE `shop`.`orders` MODIFY note LONGTEXT"]
    assert body["outcome"] == "runs downstream"


def test_what_becomes_of_statements() -> None:
    def outcome(sql: str) -> str:
        return str(statement(sql)["outcome"])

    assert outcome("ALTER TABLE orders_9 DROP note") == "pauses the task: the filter strict has the action Error"
    assert outcome("DROP TABLE orders_9").startswith("left out; the structures")
    assert outcome("alter table orders_9 add unique (id)").startswith("left out; the structures")
    assert outcome("DELETE FROM orders_9") == "left out by the filter keep"
    assert outcome("INSERT INTO orders_9 VALUES (1)") == "goes to `shop`.`orders`"
    assert outcome("CREATE VIEW v AS SELECT 1") == "is never replicated (views)"
    assert outcome("ALTER TABLE other.t ADD a INT") == "left out by the block-allow-list"
    assert outcome("ALTER TABLE orders_9 FROBNICATE").startswith("pauses: ")
    assert outcome("TRUNCATE orders_9") == "runs downstream"
