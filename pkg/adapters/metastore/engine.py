"""Opens the metastore's database: the right settings for each kind, and the tables brought up to date."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from pkg.adapters.metastore.models import METADATA
from pkg.errors import ErrorKind, Level, Scope

TABLES_BUSY = ErrorKind(
    38105,
    "dm-master",
    Scope.INTERNAL,
    Level.HIGH,
    "another dm-master has been making or changing the tables of the metastore {url} for {seconds} s",
    workaround=(
        "find it by SHOW PROCESSLIST on the metastore's server (it holds the lock {lock}) and see what it waits for, "
        "or end it; then start this dm-master again"
    ),
)

NEWEST = "0003"
"""The version of the tables that this build makes: the last one in migrations/versions."""
_VERSION = sa.Table("sparkdm_schema_version", sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))
_SQLITE_BUSY_SECONDS = 5
_LOCK_SECONDS = 60
_POSTGRES_LOCK = 0x5350_4152_4B44_4D


def open_engine(url: str) -> sa.Engine:
    """An engine for any URL that SQLAlchemy knows; ``mysql://`` means PyMySQL."""
    parsed = sa.make_url(url)
    if parsed.drivername in ("mysql", "mariadb"):
        parsed = parsed.set(drivername=f"{parsed.drivername}+pymysql")
    if parsed.get_backend_name() == "sqlite":
        return _open_sqlite(parsed)
    if parsed.get_backend_name() in ("mysql", "mariadb"):
        parsed = parsed.update_query_dict({"charset": "utf8mb4"})
        return sa.create_engine(parsed, pool_pre_ping=True, isolation_level="READ COMMITTED", hide_parameters=True)
    return sa.create_engine(parsed, pool_pre_ping=True, hide_parameters=True)


def sqlite_url(path: Path) -> str:
    return sa.URL.create("sqlite", database=str(path)).render_as_string(hide_password=False)


def migrate(engine: sa.Engine) -> None:
    """Create the tables, or bring them to this version's form: one dm-master does, others that start wait for it."""
    with engine.connect() as connection, _alone(connection):
        version = _version(connection)
        if not version:
            _create(connection)
        elif version != NEWEST:
            _upgrade(connection)
        connection.commit()


@contextmanager
def _alone(connection: sa.Connection) -> Iterator[None]:
    """Whoever comes meanwhile waits.  SQLite's transactions, and those of PostgreSQL with a lock, hold DDL, too;
    the others' end with it, so there the session holds the lock."""
    backend = connection.dialect.name
    if backend == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_POSTGRES_LOCK)))
    if backend not in ("mysql", "mariadb"):
        yield
        return
    lock = connection.scalar(sa.text("SELECT CONCAT('sparkdm_', SHA1(IFNULL(DATABASE(), '')))"))
    if connection.scalar(sa.text("SELECT GET_LOCK(:lock, :seconds)"), {"lock": lock, "seconds": _LOCK_SECONDS}) != 1:
        url = connection.engine.url.render_as_string(hide_password=True)
        raise TABLES_BUSY.error(url=url, seconds=_LOCK_SECONDS, lock=lock)
    connection.commit()  # TiDB shows a transaction the tables of its beginning, which was before the wait
    try:
        yield
    finally:
        connection.invalidate()  # ends the session, and the lock with it, whatever state an error left it in


def _version(connection: sa.Connection) -> str:
    """ "" where none was stored: the tables were never made, or whoever made them died before the end."""
    if not sa.inspect(connection).has_table(_VERSION.name):
        return ""
    return connection.scalar(sa.select(_VERSION.c.version_num)) or ""


def _create(connection: sa.Connection) -> None:
    """Safe to repeat."""
    METADATA.create_all(connection)
    _VERSION.create(connection, checkfirst=True)
    connection.execute(sa.insert(_VERSION).values(version_num=NEWEST))


def _upgrade(connection: sa.Connection) -> None:
    """From any earlier version.  Alembic takes a third of dm-master's start to load, so only who needs it does."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _open_sqlite(url: sa.URL) -> sa.Engine:
    if url.database:
        _create_private(Path(url.database))
    engine = sa.create_engine(url, hide_parameters=True)

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        # Else the driver begins a transaction only at its first write, and two readers could both go on to write.
        connection.isolation_level = None
        for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={_SQLITE_BUSY_SECONDS * 1000}"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _create_private(path: Path) -> None:
    """The file holds passwords: only its owner may read it; SQLite gives its side files the same mode."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    path.chmod(0o600)
