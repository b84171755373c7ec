"""dm-master as a process: configuration, log, start in order, stop in reverse."""

from __future__ import annotations

import logging
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc

from dm_master.coordinator import Coordinator
from dm_master.members import Myself
from dm_master.precheck.run import run_checks
from dm_master.relays import RelayVerbs
from dm_master.server import MasterServer
from dm_master.sessions import WorkerSessions
from dm_master.sources import SourceVerbs
from dm_master.steering import SteeringVerbs
from dm_master.structures import StructureVerbs
from dm_master.tasks import TaskVerbs
from pkg.adapters.clock import Clock
from pkg.adapters.files import read_text
from pkg.adapters.log import fields
from pkg.adapters.metastore.store import MetaStore
from pkg.adapters.rpc import dm_pb2_grpc
from pkg.adapters.rpc.channel import open_server
from pkg.adapters.signals import on_signals
from pkg.adapters.systemd import notify
from pkg.errors import ErrorKind, Level, Scope
from pkg.task import MasterConfig, parse_key
from pkg.version import VERSION

# Each connected worker keeps a thread, and a verb one more; threads are made when they are needed.
_MOST_THREADS = 512
_STOP_SECONDS = 5.0

DATA_DIR_UNUSABLE = ErrorKind(
    38071,
    "dm-master",
    Scope.INTERNAL,
    Level.HIGH,
    "the data directory {path} cannot be used: {reason}",
    workaround="correct `data-dir`, the rights on it, or make space",
)

log = logging.getLogger(__name__)


def run(config: MasterConfig) -> None:
    """Serve until SIGTERM or SIGINT; raises DMError when it cannot start."""
    stop = threading.Event()
    on_signals((signal.SIGTERM, signal.SIGINT), stop.set)
    key = parse_key(read_text(config.secret_key_path)) if config.secret_key_path else None
    host, port = config.bind_address
    me = Myself(config.name, config.advertise_addr)
    pool = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="rpc")
    # The port first: two dm-masters on one data directory must not get as far as the metastore.
    tls = (config.ssl_ca, config.ssl_cert, config.ssl_key)
    server = open_server(_address(host, port), pool, *tls, allowed_names=config.cert_allowed_cn)
    if not config.metastore_url:
        _prepare_data_dir(Path(config.data_dir))
    store = MetaStore(config.store_url, key)
    coordinator = Coordinator(store, Clock(), me.name, me.address)
    coordinator.start()
    _serve(server, coordinator, me, config, key)
    log.info("dm-master serves", extra=fields(name=me.name, address=_address(host, port), version=VERSION))
    notify("READY=1")
    stop.wait()
    log.info("dm-master stops", extra=fields(name=me.name))
    notify("STOPPING=1")
    coordinator.request_stop()
    coordinator.join(_STOP_SECONDS)
    server.stop(grace=1.0).wait(_STOP_SECONDS)
    store.close()


def _serve(server: grpc.Server, coordinator: Coordinator, me: Myself, config: MasterConfig, key: bytes | None) -> None:
    tasks = TaskVerbs(coordinator, key, run_checks)
    sources, relays = SourceVerbs(coordinator, key), RelayVerbs(coordinator)
    steering, structures = SteeringVerbs(coordinator), StructureVerbs(coordinator)
    verbs = MasterServer(coordinator, me, config.to_json(), key, tasks, sources, relays, steering, structures)
    dm_pb2_grpc.add_MasterServicer_to_server(verbs, server)
    dm_pb2_grpc.add_WorkerSessionServicer_to_server(WorkerSessions(coordinator), server)
    server.start()


def _prepare_data_dir(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, "it is not writable")
    except OSError as exc:
        raise DATA_DIR_UNUSABLE.error(path=folder, reason=exc.strerror or exc) from exc


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
