"""dm-worker as a process: the session to dm-master, the supervisor of subtasks, start and stop."""

from __future__ import annotations

import logging
import signal
import threading

from dm_worker.session import Session
from dm_worker.supervisor import LogSettings, Supervisor
from pkg.adapters.clock import Clock
from pkg.adapters.log import fields
from pkg.adapters.signals import on_signals
from pkg.adapters.systemd import notify
from pkg.task import WorkerConfig
from pkg.version import VERSION

_STOP_SECONDS = 25.0  # more than a subtask may take before it is killed
_GOODBYE_SECONDS = 2.0

log = logging.getLogger(__name__)


def run(config: WorkerConfig) -> None:
    """Work until SIGTERM or SIGINT.  This thread makes the subtasks' processes, which live as long as it does."""
    stop = threading.Event()
    session = Session(config, lambda desired: supervisor.want(desired), lambda number: supervisor.look(number))
    supervisor = Supervisor(Clock(), LogSettings.of(config), session.publish, config.relay_dir)

    def request_stop() -> None:
        stop.set()
        supervisor.wake()

    on_signals((signal.SIGTERM, signal.SIGINT), request_stop)
    session.start()
    log.info("dm-worker works", extra=fields(name=config.name, masters=config.join, version=VERSION))
    notify("READY=1")
    while not stop.is_set():
        supervisor.turn()
    log.info("dm-worker stops", extra=fields(name=config.name))
    notify("STOPPING=1")
    supervisor.shut_down(_STOP_SECONDS)
    session.say_goodbye(_GOODBYE_SECONDS)
