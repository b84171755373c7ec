"""What every verb gets: the settings, the way to the master, the place for output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TextIO

from dmctl.answer import Body
from dmctl.arguments import split_sources
from dmctl.errors import NO_MASTER_ADDR
from dmctl.output import Writer, writer_for
from dmctl.settings import Settings


class Master(Protocol):
    """The requests that dm-master answers; every answer has ``result`` and ``msg``."""

    def start_task(self, task: str, sources: Iterable[str], *, remove_meta: bool, start_time: str) -> Body: ...

    def show_locks(self, task: str, sources: Iterable[str], *, explain: bool) -> Body: ...

    def unlock(self, lock_id: str, *, owner: str, action: str, remove: bool) -> Body: ...

    def check_task(self, task: str, *, errors: int, warnings: int, start_time: str) -> Body: ...

    def explain_rules(self, task: str, sources: Iterable[str], table: str, sql: str) -> Body: ...

    def estimate_task(self, task: str, sources: Iterable[str], *, sample_seconds: int, read_only: bool) -> Body: ...

    def show_summary(self, name: str, task: str, sources: Iterable[str]) -> Body: ...

    def operate_task(self, op: str, name: str, sources: Iterable[str]) -> Body: ...

    def set_task(self, name: str, sources: Iterable[str], settings: Sequence[str]) -> Body: ...

    def query_status(self, name: str, sources: Iterable[str], *, more: bool = False) -> Body: ...

    def operate_source(self, op: str, configs: Iterable[str], sources: Iterable[str], worker: str = "") -> Body: ...

    def operate_relay(self, op: str, source: str, workers: Iterable[str]) -> Body: ...

    def operate_worker_relay(self, op: str, sources: Iterable[str]) -> Body: ...

    def purge_relay(self, sources: Iterable[str], filename: str, sub_dir: str) -> Body: ...

    def operate_binlog(
        self, op: str, task: str, sources: Iterable[str], binlog_pos: str, sqls: Iterable[str] = ()
    ) -> Body: ...

    def operate_schema(
        self,
        op: str,
        task: str,
        sources: Iterable[str],
        database: str,
        table: str,
        *,
        schema: str = "",
        from_source: bool = False,
        from_target: bool = False,
    ) -> Body: ...

    def list_member(self, *, leader: bool, master: bool, worker: bool, names: Iterable[str]) -> Body: ...

    def get_config(self, kind: str, name: str) -> Body: ...

    def encrypt(self, plaintext: str) -> Body: ...

    def close(self) -> None: ...


Connect = Callable[[Settings], Master]


@dataclass(slots=True)
class Session:
    """One run of dmctl, or one line of its prompt; lines share the connection."""

    settings: Settings
    connect: Connect
    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    writer: Writer
    interactive: bool = False
    _connections: dict[tuple[object, ...], Master] = field(default_factory=dict)

    @property
    def master(self) -> Master:
        """The connection, opened when a verb first needs it."""
        settings = self.settings
        if not settings.addresses:
            raise NO_MASTER_ADDR.error()
        key = (settings.addresses, settings.tls, settings.rpc_timeout)
        if key not in self._connections:
            self._connections[key] = self.connect(settings)
        return self._connections[key]

    def sources(self, named: Iterable[str]) -> tuple[str, ...]:
        """The sources named at the verb, else those named before it."""
        return split_sources(named) or self.settings.sources

    def warn(self, warnings: Iterable[str]) -> None:
        """Say on stderr what is accepted and still worth knowing."""
        for warning in warnings:
            self.writer.notice(f"warning: {warning}")

    def with_settings(self, settings: Settings) -> Session:
        """The same session for one verb with other settings."""
        return replace(self, settings=settings, writer=writer_for(settings.output, self.stdout, self.stderr))

    def close(self) -> None:
        for master in self._connections.values():
            master.close()
        self._connections.clear()


def open_session(settings: Settings, connect: Connect, stdin: TextIO, stdout: TextIO, stderr: TextIO) -> Session:
    """A session on these streams."""
    return Session(settings, connect, stdin, stdout, stderr, writer_for(settings.output, stdout, stderr))
