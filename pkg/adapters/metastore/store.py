"""The metastore: facts loaded at once, changes carried out in one transaction that the leader's epoch fences.

A dm-master leads while it renews the lease row.  Whoever takes the lease over raises the epoch, and
every write first touches the lease row ``WHERE epoch = mine``: a former leader that does not know yet
changes no row there, and its whole transaction is rolled back.

Configurations hold passwords.  With a key they are stored encrypted, otherwise as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from pkg.adapters.metastore import models
from pkg.adapters.metastore.engine import migrate, open_engine
from pkg.errors import ErrorKind, Level, Scope
from pkg.facts import (
    BoundFact,
    Change,
    Fact,
    Leader,
    PurgeOrder,
    Put,
    RelayFact,
    RevisionFact,
    ShardFact,
    SourceFact,
    SubtaskFact,
    TaskFact,
    WorkerFact,
)
from pkg.task.secret import PREFIX, decrypt, encrypt
from pkg.task.stage import Stage

STORE_FAILED = ErrorKind(
    38060,
    "dm-master",
    Scope.INTERNAL,
    Level.HIGH,
    "the metastore {url} failed: {text}",
    workaround="check that the database is there, writable and has space; dm-master goes on by itself then",
    resumable=True,
)
LEADERSHIP_LOST = ErrorKind(
    38061,
    "dm-master",
    Scope.INTERNAL,
    Level.HIGH,
    "this dm-master does not lead any more: another one has taken over",
    workaround="send the request again; the new leader answers it",
    resumable=True,
)

_TABLES: Mapping[type[Fact], sa.Table] = {
    SourceFact: models.SOURCES,
    TaskFact: models.TASKS,
    SubtaskFact: models.SUBTASKS,
    WorkerFact: models.WORKERS,
    BoundFact: models.BOUNDS,
    RelayFact: models.RELAYS,
    ShardFact: models.SHARDS,
    RevisionFact: models.REVISION,
}
_SEALED = ("text", "wire")
_ONLY_ROW = 1


class MetaStore:
    """The facts in a SQL database; not to be used by two threads at once."""

    def __init__(self, url: str, key: bytes | None = None) -> None:
        self._engine = open_engine(url)
        self._key = key
        with self._errors():
            migrate(self._engine)

    def close(self) -> None:
        self._engine.dispose()

    def load(self) -> list[Fact]:
        """Everything that is stored."""
        with self._errors(), self._engine.connect() as connection:
            return [
                self._fact(kind, dict(row._mapping))
                for kind, table in _TABLES.items()
                for row in connection.execute(sa.select(table))
            ]

    def apply(self, epoch: int, changes: Sequence[Change]) -> None:
        """Carry out ``changes`` as one; raises LEADERSHIP_LOST when ``epoch`` is not the leader's."""
        with self._errors(), self._engine.begin() as connection:
            lease = models.LEADER
            touched = connection.execute(
                sa.update(lease).where(lease.c.epoch == epoch).values(writes=lease.c.writes + 1)
            )
            if touched.rowcount != 1:
                raise LEADERSHIP_LOST.error()
            for change in changes:
                self._apply_one(connection, change)

    def leader(self) -> Leader | None:
        with self._errors(), self._engine.connect() as connection:
            row = connection.execute(sa.select(models.LEADER)).mappings().first()
            return None if row is None else Leader(row["name"], row["address"], row["epoch"], row["expires_at"])

    def campaign(self, name: str, address: str, now: float, lease_seconds: float) -> int | None:
        """Lead from now on: the new epoch, or None while another dm-master leads.

        A dm-master that restarts takes its own lease over without waiting for its end.
        """
        wanted = {"name": name, "address": address, "expires_at": now + lease_seconds}
        lease = models.LEADER
        with self._errors(), self._engine.begin() as connection:
            row = connection.execute(sa.select(lease).with_for_update()).mappings().first()
            if row is None:
                try:
                    connection.execute(sa.insert(lease).values(id=_ONLY_ROW, epoch=1, writes=0, **wanted))
                except IntegrityError:
                    return None  # another dm-master was first
                return 1
            if row["name"] != name and row["expires_at"] > now:
                return None
            taken = connection.execute(
                sa.update(lease).where(lease.c.epoch == row["epoch"]).values(epoch=row["epoch"] + 1, **wanted)
            )
            return int(row["epoch"]) + 1 if taken.rowcount == 1 else None

    def renew(self, epoch: int, now: float, lease_seconds: float) -> None:
        """Go on leading; raises LEADERSHIP_LOST when another dm-master has taken over."""
        self._set_expiry(epoch, now + lease_seconds)

    def resign(self, epoch: int) -> None:
        """Let another dm-master lead at once."""
        self._set_expiry(epoch, 0.0)

    def _set_expiry(self, epoch: int, expires_at: float) -> None:
        lease = models.LEADER
        with self._errors(), self._engine.begin() as connection:
            done = connection.execute(sa.update(lease).where(lease.c.epoch == epoch).values(expires_at=expires_at))
            if done.rowcount != 1:
                raise LEADERSHIP_LOST.error()

    def _apply_one(self, connection: sa.Connection, change: Change) -> None:
        if isinstance(change, Put):
            table, row = _TABLES[type(change.fact)], self._row(change.fact)
            # Portable, and safe: the lease row is locked, so nobody inserts between the two.
            updated = connection.execute(sa.update(table).where(*_is_key(table, change.fact.key)).values(row))
            if updated.rowcount == 0:
                connection.execute(sa.insert(table).values(row))
        else:
            table = _TABLES[change.kind]
            connection.execute(sa.delete(table).where(*_is_key(table, change.key)))

    def _row(self, fact: Fact) -> dict[str, Any]:
        row = {field.name: getattr(fact, field.name) for field in fields(fact)}
        if isinstance(fact, RevisionFact):
            row["id"] = _ONLY_ROW
        if isinstance(fact, RelayFact):
            row |= _purge_columns(row.pop("purge"))
        return {name: self._sealed(name, value) for name, value in row.items()}

    def _sealed(self, name: str, value: Any) -> Any:
        if isinstance(value, Stage):
            return str(value)
        return encrypt(value, self._key) if self._key and name in _SEALED else value

    def _fact(self, kind: type[Fact], row: Mapping[str, Any]) -> Fact:
        if kind is RelayFact:
            return RelayFact(row["source"], Stage(row["stage"]), row["revision"], _purge_order(row))
        values = {field.name: row[field.name] for field in fields(kind)}
        for name in _SEALED:
            if name in values and values[name].startswith(PREFIX):
                values[name] = decrypt(values[name], self._key, f"a configuration in the metastore ({kind.__name__})")
        fact = kind(**values)
        return replace(fact, stage=Stage(fact.stage)) if isinstance(fact, SubtaskFact) else fact

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as exc:
            text = str(getattr(exc, "orig", None) or exc)
            url = self._engine.url.render_as_string(hide_password=True)
            raise STORE_FAILED.error(url=url, text=text) from exc


def _purge_columns(order: PurgeOrder | None) -> dict[str, Any]:
    order = order or PurgeOrder(0, "")
    return {"purge_number": order.number, "purge_file": order.filename, "purge_sub_dir": order.sub_dir}


def _purge_order(row: Mapping[str, Any]) -> PurgeOrder | None:
    number = row["purge_number"]
    return PurgeOrder(number, row["purge_file"], row["purge_sub_dir"]) if number else None


def _is_key(table: sa.Table, key: tuple[str, ...]) -> list[sa.ColumnElement[bool]]:
    columns = list(table.primary_key.columns)
    values: tuple[str | int, ...] = (_ONLY_ROW,) if table is models.REVISION else key
    return [column == value for column, value in zip(columns, values, strict=True)]
