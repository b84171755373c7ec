"""The metastore's tables.  Every key has one writer: the dm-master that leads."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Column, Float, Integer, MetaData, String, Table, Text
from sqlalchemy.dialects.mysql import MEDIUMTEXT

METADATA = MetaData()

# Names compare by bytes on every database, as they do in the files that name them.
_OPTIONS: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in ("mysql", "mariadb")
    for option, value in (("charset", "utf8mb4"), ("collate", "utf8mb4_bin"), ("engine", "InnoDB"))
}
_LONG = Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")


def _name(column: str, *, key: bool = False) -> Column[str]:
    return Column(column, String(191), primary_key=key, nullable=False)


def _text(column: str) -> Column[str]:
    return Column(column, _LONG, nullable=False)


def _number(column: str) -> Column[int]:
    return Column(column, BigInteger(), nullable=False)


SOURCES = Table("sparkdm_sources", METADATA, _name("source", key=True), _text("text"), _text("wire"), **_OPTIONS)
TASKS = Table("sparkdm_tasks", METADATA, _name("task", key=True), _text("text"), **_OPTIONS)
SUBTASKS = Table(
    "sparkdm_subtasks",
    METADATA,
    _name("task", key=True),
    _name("source", key=True),
    _name("stage"),
    _number("revision"),
    _text("wire"),
    **_OPTIONS,
)
WORKERS = Table("sparkdm_workers", METADATA, _name("worker", key=True), _name("address"), _text("config"), **_OPTIONS)
BOUNDS = Table(
    "sparkdm_bounds",
    METADATA,
    _name("source", key=True),
    _name("worker"),
    _number("bind_epoch"),
    _name("last_worker"),
    **_OPTIONS,
)
RELAYS = Table(
    "sparkdm_relays",
    METADATA,
    _name("source", key=True),
    _name("stage"),
    _number("revision"),
    _number("purge_number"),  # 0: no order to purge is open
    Column("purge_file", String(512), nullable=False),
    Column("purge_sub_dir", String(512), nullable=False),
    **_OPTIONS,
)
SHARDS = Table("sparkdm_shards", METADATA, _name("task", key=True), _text("document"), **_OPTIONS)
REVISION = Table(
    "sparkdm_revision",
    METADATA,
    Column("id", Integer(), primary_key=True, autoincrement=False),
    _number("revision"),
    **_OPTIONS,
)
LEADER = Table(
    "sparkdm_leader",
    METADATA,
    Column("id", Integer(), primary_key=True, autoincrement=False),
    _name("name"),
    _name("address"),
    _number("epoch"),
    Column("expires_at", Float(53), nullable=False),  # Unix time, by the leader's clock
    _number("writes"),
    **_OPTIONS,
)
