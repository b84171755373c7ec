"""What the tools run on an upstream, statement after statement, as their logs show it.

``columns`` are those that the table has before and after the change; rows that a test writes to the table
while a tool is at work are written to the shadow table by the statements that copy, which run last.
"""

from __future__ import annotations

from collections.abc import Sequence


def gh_ost(schema: str, table: str, alter: str, columns: str) -> list[str]:
    """One run of gh-ost v1.1 with the atomic cut-over, up to it."""
    real, shadow, log, trash = (f"`{schema}`.`{name}`" for name in (table, *_names(table)))
    return [
        f"drop /* gh-ost */ table if exists {shadow}",
        f"create /* gh-ost */ table {log} (id bigint unsigned auto_increment, last_update timestamp not null DEFAULT "
        "CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, hint varchar(64) charset ascii not null, value varchar(4096) "
        "charset ascii not null, primary key(id), unique key hint_uidx(hint)) auto_increment=256",
        f"create /* gh-ost */ table {shadow} like {real}",
        f"alter /* gh-ost */ table {shadow} {alter}",
        f"insert /* gh-ost */ into {log} (id, hint, value) values (NULLIF(2, 0), 'state', 'GhostTableMigrated') "
        "on duplicate key update last_update=NOW(), value=VALUES(value)",
        f"insert /* gh-ost */ ignore into {shadow} ({columns}) (select {columns} from {real} lock in share mode)",
        f"create /* gh-ost */ table {trash} (id int auto_increment primary key) engine=InnoDB "
        "comment='ghost-cut-over-sentry'",
        f"drop /* gh-ost */ table if exists {log}",
        f"replace /* gh-ost */ into {shadow} ({columns}) select {columns} from {real}",
        f"drop /* gh-ost */ table if exists {trash}",
        f"rename /* gh-ost */ table {real} to {trash}, {shadow} to {real}",
    ]


def gh_ost_two_step(schema: str, table: str, alter: str, columns: str) -> list[str]:
    """The same with `--cut-over=two-step`."""
    real, shadow, trash = (f"`{schema}`.`{name}`" for name in (table, f"_{table}_gho", f"_{table}_del"))
    before = gh_ost(schema, table, alter, columns)[:-1]
    return [
        *before,
        f"alter /* gh-ost */ table {real} rename {trash}",
        f"alter /* gh-ost */ table {shadow} rename {real}",
    ]


def pt(schema: str, table: str, create: Sequence[str], alter: str, columns: str) -> list[str]:
    """One run of pt-online-schema-change 3.5, with the RENAME; ``create`` are the table's columns and keys."""
    real, shadow, trash = (f"`{schema}`.`{name}`" for name in (table, f"_{table}_new", f"_{table}_old"))
    trigger = f"pt_osc_{schema}_{table}_ins"
    ours, news = columns.split(", "), ", ".join(f"NEW.{column}" for column in columns.split(", "))
    return [
        f"CREATE TABLE {shadow} (\n  " + ",\n  ".join(create) + "\n) ENGINE=InnoDB",
        f"ALTER TABLE {shadow} {alter}",
        f"CREATE TRIGGER `{trigger}` AFTER INSERT ON {real} FOR EACH ROW BEGIN DECLARE CONTINUE HANDLER FOR 1146 begin "
        f"end; REPLACE INTO {shadow} ({', '.join(ours)}) VALUES ({news});END",
        f"INSERT LOW_PRIORITY IGNORE INTO {shadow} ({columns}) SELECT {columns} FROM {real} LOCK IN SHARE MODE "
        "/*pt-online-schema-change 4242 copy table*/",
        f"ANALYZE TABLE {shadow} /* pt-online-schema-change */",
        f"RENAME TABLE {real} TO {trash}, {shadow} TO {real}",
        f"DROP TABLE IF EXISTS {trash}",
        f"DROP TRIGGER IF EXISTS `{schema}`.`{trigger}`",
    ]


def swept(schema: str, table: str) -> str:
    """What gh-ost does last, with --ok-to-drop-table."""
    return f"drop /* gh-ost */ table if exists `{schema}`.`_{table}_del`"


def _names(table: str) -> tuple[str, str, str]:
    return f"_{table}_gho", f"_{table}_ghc", f"_{table}_del"
