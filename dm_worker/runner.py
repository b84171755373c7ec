"""A subtask's own process: ``python -m dm_worker.runner FD PARENT TASK SOURCE``.

1. It takes Start from the pipe, runs the units one after the other, and says Working while they work.
2. Stop on the pipe (or SIGTERM) becomes the units' stop signal; Steer is told to the unit at work.
3. It dies with the daemon: the kernel kills it (PDEATHSIG), and the end of the pipe ends it as well.

It may be killed at any line: what counts is downstream, in the task's meta tables.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from dm_worker.messages import Down, Failed, Finished, Look, Orders, Start, Steer, Stop, Stopped, Up, Working
from dm_worker.subtask import LOADED, units_for
from pkg.adapters.dm_meta import sources_with_checkpoint
from pkg.adapters.log import LogFormat, fields, setup_logging
from pkg.adapters.meta_tables import MetaTables
from pkg.adapters.mysql.connection import ConnectionOptions, connect
from pkg.adapters.mysql.errors import UNKNOWN_DATABASE, UNKNOWN_TABLE
from pkg.adapters.signals import on_signals
from pkg.errors import DMError, as_dm_error
from pkg.shardddl.lock import Order
from pkg.task.live import LiveSettings, with_live
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from pkg.unit import Unit, UnitName

_PR_SET_PDEATHSIG = 1
_REPORT_SECONDS = 1.0
_FIRST_REPORT_SECONDS = 0.5  # a unit that fails in its first moment was never running

log = logging.getLogger(__name__)


class Reporter:
    """Says Working on the pipe from its own thread, until it is closed."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()  # guards the pipe's writing end and the order of what is said
        self._closed = threading.Event()
        self._news = threading.Event()
        self._unit: Unit | None = None
        self._began = False  # whether Working was said of any unit
        threading.Thread(target=self._run, name="reporter", daemon=True).start()

    def watch(self, unit: Unit) -> None:
        self._unit = unit

    def tell(self) -> None:
        """The unit has news: say Working at once."""
        self._news.set()

    @property
    def unit_name(self) -> str:
        return str(self._unit.name) if self._unit is not None else ""

    def close(self, outcome: Up) -> None:
        """The last words: what the unit has come to, and how it ended."""
        with self._lock:
            self._closed.set()
            self._news.set()
            if self._unit is not None and (self._began or isinstance(outcome, Finished)):
                self._say_working(self._unit)
            self._send(outcome)

    def _run(self) -> None:
        pause = _FIRST_REPORT_SECONDS
        while not self._closed.is_set():
            self._news.wait(pause)
            self._news.clear()
            with self._lock:
                if self._unit is not None and not self._closed.is_set():
                    pause = _REPORT_SECONDS
                    self._say_working(self._unit)
                    self._began = True

    def _say_working(self, unit: Unit) -> None:
        try:
            self._send(Working(str(unit.name), dict(unit.status())))
        except Exception:
            log.exception("the unit's status could not be read")

    def _send(self, message: Up) -> None:
        try:
            self._pipe.send(message)
        except OSError:
            os._exit(3)  # nobody is there any more


class Steering:
    """What was ordered and asked last, for the unit at work and those to come."""

    def __init__(self, live: LiveSettings | None) -> None:
        self._lock = threading.Lock()  # guards both: a unit that begins misses no order
        self._live = live
        self._orders: tuple[Order, ...] = ()
        self._look = 0
        self._unit: Unit | None = None

    def watch(self, unit: Unit) -> None:
        with self._lock:
            self._unit = unit
            unit.order(self._orders)
            unit.look(self._look)
            if self._live is not None:
                unit.steer(self._live)

    def order(self, orders: tuple[Order, ...]) -> None:
        with self._lock:
            self._orders = orders
            if self._unit is not None:
                self._unit.order(orders)

    def look(self, number: int) -> None:
        with self._lock:
            self._look = number
            if self._unit is not None:
                self._unit.look(number)

    def take(self, live: LiveSettings) -> None:
        log.info("steered: %s", live.as_dict())
        with self._lock:
            self._live = live
            if self._unit is not None:
                self._unit.steer(live)


def load_status(config: SubtaskConfig) -> str:
    """How far the full migration is, by the target's meta tables, also DM's; "" when there is none."""
    tables = MetaTables(config.meta_schema, config.task_name)
    connection = connect(ConnectionOptions.from_config(config.target, side="downstream"), side="downstream")
    try:
        status = _own_load_status(connection, tables, config.source_id)
        if not status and config.task_mode is not TaskMode.FULL:
            return LOADED if config.source_id in sources_with_checkpoint(connection, tables) else ""
        return status
    finally:
        connection.close()


def _own_load_status(connection: Any, tables: MetaTables, source_id: str) -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT load_status FROM {tables.source} WHERE source_id = %s", (source_id,))
            row = cursor.fetchone()
        return str(row[0]) if row else ""
    except DMError as exc:
        if UNKNOWN_TABLE.matches(exc) or UNKNOWN_DATABASE.matches(exc):
            return ""
        raise


def make_unit(name: UnitName, config: SubtaskConfig, bind_epoch: int, relay_folder: str) -> Unit:
    """The unit, imported only now: a process that replicates carries no Spark."""
    if name is UnitName.DUMP:
        from dm_worker.dumper.unit import DumpToFiles

        return DumpToFiles(config)
    if name is UnitName.LOAD and config.task_mode is TaskMode.LOAD:
        from dm_worker.loader.files_unit import LoadFromFiles

        return LoadFromFiles(config, bind_epoch)
    if name is UnitName.LOAD:
        from dm_worker.loader.unit import FullMigration

        return FullMigration(config, bind_epoch)
    from dm_worker.syncer.unit import Syncer

    return Syncer(config, bind_epoch, relay_folder)


def run_units(
    config: SubtaskConfig, bind_epoch: int, relay_folder: str, stop: threading.Event, watch: Callable[[Unit], None]
) -> Finished | Stopped:
    """All units in order; raises what a unit raises."""
    status = load_status(config) if config.task_mode.has_target else ""
    for name in units_for(config.task_mode, status):
        log.info("unit starts", extra=fields(unit=name, task=config.task_name, source=config.source_id))
        unit = make_unit(name, config, bind_epoch, relay_folder)
        watch(unit)
        unit.run(stop)
        if stop.is_set():
            return Stopped()
        log.info("unit has finished", extra=fields(unit=name, task=config.task_name, source=config.source_id))
    return Finished()


def run_subtask(start: Start, stop: threading.Event, reporter: Reporter, steering: Steering) -> Up:
    """The outcome, whatever happens."""

    def watch(unit: Unit) -> None:
        unit.on_news(reporter.tell)
        steering.watch(unit)
        reporter.watch(unit)

    try:
        config = SubtaskConfig.from_wire(start.wire)
        if start.live is not None:
            config = with_live(config, start.live)
        return run_units(config, start.bind_epoch, start.relay_folder, stop, watch)
    except Exception as exc:
        if stop.is_set() and not isinstance(exc, DMError):
            log.exception("an error while stopping")
        error = as_dm_error(exc)
        log.error("the subtask has failed", exc_info=exc, extra=fields(task=start.task))
        return Failed(error.as_dict() | {"resumable": error.resumable}, reporter.unit_name)


def _follow_orders(pipe: Connection, stop: threading.Event, steering: Steering) -> None:
    try:
        while True:
            order: Down = pipe.recv()
            match order:
                case Stop():
                    stop.set()
                case Steer(live):
                    steering.take(live)
                case Orders(orders):
                    steering.order(orders)
                case Look(number):
                    steering.look(number)
    except (EOFError, OSError):
        os._exit(3)  # the daemon is gone; so are its claims


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when the daemon dies; it may have died just before."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(3)


def main(argv: list[str]) -> None:
    """Run until finished, stopped or failed; never returns."""
    descriptor, parent = int(argv[1]), int(argv[2])
    _die_with(parent)
    stop = threading.Event()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the daemon tells us what to do
    on_signals((signal.SIGTERM,), stop.set)
    pipe: Connection = Connection(descriptor)
    start: Start = pipe.recv()
    style: LogFormat = "json" if start.log_format == "json" else "text"
    setup_logging(start.log_level, start.log_file, style, redact=start.log_redact)
    steering = Steering(start.live)
    threading.Thread(target=_follow_orders, args=(pipe, stop, steering), name="orders", daemon=True).start()
    reporter = Reporter(pipe)
    outcome = run_subtask(start, stop, reporter, steering)
    reporter.close(outcome)
    logging.shutdown()
    # No exit handler and no forgotten thread may keep a process alive whose work is done.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv)
