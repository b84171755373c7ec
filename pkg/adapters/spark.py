"""Spark as a place to run functions: starts beside other work, gives results back one by one, ends with its user.

``SparkEngine`` starts its JVM in a thread, so that seconds of start-up pass while there is other work.
A function is named by text (``module:function``) and called in executors as ``function(payload, items)``
with bytes in and bytes out.  The payload travels inside the job's closure: it is in no property, no
description and no event log.  One engine per process at a time (Spark's own rule).
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from pkg.adapters import spark_daemon
from pkg.adapters.spark_archive import package_root, write_archive
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.unit import StopSignal

log = logging.getLogger(__name__)

NO_JAVA = ErrorKind(
    32110,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the full migration runs on Spark, which needs Java 17 or newer, and there is none: {text}",
    workaround="install it on the dm-worker's host (Debian, Ubuntu: apt-get install openjdk-17-jre-headless), or set "
    "JAVA_HOME; then resume-task",
)
SPARK_DID_NOT_START = ErrorKind(
    32111,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "Spark did not start at {master}: {text}",
    workaround="check `spark.master` and `spark.conf` in the task file, and that the cluster answers; it tries again "
    "by itself",
    resumable=True,  # its JVM may have been killed, or the cluster be down for a moment
)
SPARK_FAILED = ErrorKind(
    32112,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the Spark job failed at {master}: {text}",
    workaround="what was copied stays; it goes on with the rest by itself. Look into the log for the executor's error",
    resumable=True,
)

_POLL_SECONDS: Final = 0.1
_SHUTDOWN_SECONDS: Final = 10
_REMEMBERED_LINES: Final = 20
_MOST_PARTITIONS: Final = 10_000
_LOCAL = re.compile(r"local(?:\[(\*|\d+)(?:,\s*\d+)?\])?")
_STANDALONE = re.compile(r"spark://(.+)")
_CONNECT_SECONDS: Final = 5
_ATTEMPTS: Final = 4  # of a task whose Python process died
_DEFAULTS: Final[Mapping[str, str]] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "512m",
    # A short-lived JVM that only hands out work: quick to start, little memory.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.python.task.killTimeout": "500ms",
    "spark.python.worker.faulthandler.enabled": "true",
    "spark.scheduler.mode": "FIFO",
    "spark.speculation": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}
_ONLY_LOCAL: Final = frozenset(("spark.driver.bindAddress", "spark.driver.host"))


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """Where to run, and how many tasks at a time, whatever the cluster's size."""

    master: str
    lanes: int
    name: str
    conf: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_local(self) -> bool:
        return _LOCAL.fullmatch(self.master.strip()) is not None

    def resolved_master(self) -> str:
        """``local[*]`` means as many tasks as lanes: they wait for databases, not for cores."""
        found = _LOCAL.fullmatch(self.master.strip())
        if found is None:
            return self.master
        threads = self.lanes if found[1] == "*" else min(int(found[1] or 1), self.lanes)
        return f"local[{max(threads, 1)},{_ATTEMPTS}]"

    def properties(self) -> dict[str, str]:
        defaults = dict(_DEFAULTS) if self.is_local else {k: v for k, v in _DEFAULTS.items() if k not in _ONLY_LOCAL}
        if not self.is_local:
            defaults["spark.cores.max"] = str(self.lanes)
        else:
            defaults["spark.executorEnv.PYTHONPATH"] = str(package_root())
            defaults["spark.python.daemon.module"] = spark_daemon.MODULE
        fixed = {"spark.master": self.resolved_master(), "spark.app.name": self.name}
        return {**defaults, **self.conf, **fixed}


def find_java() -> str:
    """The ``java`` that Spark will run; raises NO_JAVA."""
    home = os.environ.get("JAVA_HOME")
    if home:
        java = str(Path(home, "bin", "java"))
        if not os.access(java, os.X_OK):
            raise NO_JAVA.error(text=f"JAVA_HOME is {home}, and {java} is no program")
        return java
    found = shutil.which("java")
    if found is None:
        raise NO_JAVA.error(text="no `java` in PATH, and JAVA_HOME is not set")
    return found


class SparkEngine:
    """A SparkContext that starts in the background.

    Owned by one thread; the starting thread touches only ``_context`` and ``_error`` and is joined
    before they are read.
    """

    def __init__(self, settings: SparkSettings, module: str) -> None:
        """Start; ``module`` is what the functions to run are in, and executors import it beforehand."""
        find_java()
        self._settings = settings
        self._module = module
        self._archives: tuple[str, ...] = ()
        self._shipped: TemporaryDirectory[str] | None = None
        self._context: Any = None
        self._error: BaseException | None = None
        self._jvm = _Jvm()
        self._started_at = time.monotonic()
        self.start_seconds = 0.0
        self._starting = threading.Thread(target=self._start, name="spark-start", daemon=True)
        self._starting.start()

    @property
    def is_starting(self) -> bool:
        return self._starting.is_alive()

    def run(self, function: str, payload: bytes, items: Sequence[bytes], stop: StopSignal) -> Iterator[bytes]:
        """Results of ``function`` as they come; ends early when stopped.

        Closing the iterator cancels the job at once.  Raises SPARK_DID_NOT_START or SPARK_FAILED.
        """
        context = self._ready(stop)
        if context is None:
            return
        # Plain lists: an accumulator's parameter class must be known to executors before our code is.
        from pyspark.accumulators import AddingAccumulatorParam

        results = context.accumulator([], AddingAccumulatorParam([]))
        rdd = context.parallelize(items, max(1, min(len(items), _MOST_PARTITIONS)))
        job = _Job(lambda: rdd.foreachPartition(_partition_task(function, payload, results, self._archives)))
        given = 0
        try:
            while not stop.is_set():
                running = job.is_running
                arrived = results.value[given:]
                given += len(arrived)
                yield from arrived
                if not running:
                    break
                job.wait(_POLL_SECONDS)
        finally:
            self._end(job, context)
        if job.error is not None and not stop.is_set():
            log.error("the Spark job failed", exc_info=job.error)
            raise SPARK_FAILED.error(master=self._settings.master, text=_first_line(job.error))

    def close(self) -> None:
        """End the context and the JVM at once; one that is still starting is killed, since nobody needs it any more."""
        if self._starting.is_alive() and not self._jvm.kill():
            return  # the starting thread ends what it has just begun to launch
        self._starting.join()
        if self._context is not None:
            with suppress(Exception):
                self._context.stop()
            self._context = None
        self._jvm.close()
        if self._shipped is not None:
            self._shipped.cleanup()
            self._shipped = None

    def _ready(self, stop: StopSignal) -> Any:
        while self._starting.is_alive():
            if stop.wait(_POLL_SECONDS):
                return None
        if self._error is not None:
            error = self._error
            if isinstance(error, DMError):
                raise error
            text = self._jvm.last_lines() or _first_line(error)
            raise SPARK_DID_NOT_START.error(master=self._settings.master, text=text)
        return self._context

    def _end(self, job: _Job, context: Any) -> None:
        if job.is_running:
            with suppress(Exception):
                context.cancelAllJobs()
            job.wait(_SHUTDOWN_SECONDS)

    def _start(self) -> None:
        try:
            from pyspark import SparkConf, SparkContext

            # The driver's interpreter, unless the task names the executors' own.
            os.environ["PYSPARK_PYTHON"] = self._settings.conf.get("spark.pyspark.python", sys.executable)
            conf = SparkConf().setAll(list(self._settings.properties().items()))
            conf.setExecutorEnv(spark_daemon.IMPORTED, self._module)
            _check_master(self._settings.master)
            gateway = self._jvm.launch(conf)
            if gateway is None:
                return
            context = SparkContext(conf=conf, gateway=gateway)
            context.setLogLevel("WARN")
            self._context = context
            if not self._settings.is_local:
                self._ship(context)
            # Python processes of the executors start and import while others still work.
            lanes = self._settings.lanes
            context.parallelize(range(lanes), lanes).foreachPartition(_import_task(self._module, self._archives))
            self.start_seconds = time.monotonic() - self._started_at
            log.info("Spark is up: master=%s seconds=%.1f", context.master, self.start_seconds)
        except BaseException as exc:
            if not self._jvm.is_killed:
                log.info("Spark did not start", exc_info=exc)
            self._error = exc

    def _ship(self, context: Any) -> None:
        """Give executors on other machines this project and what it imports."""
        # The driver serves the file for as long as the context lives.
        self._shipped = TemporaryDirectory(prefix="spark-dm-")
        archive = write_archive(Path(self._shipped.name))
        context.addArchive(f"{archive}#{archive.stem}")
        self._archives = (archive.stem,)


class _Job:
    """A Spark action in a thread of its own, for it blocks without end."""

    def __init__(self, action: Callable[[], object]) -> None:
        self.error: BaseException | None = None
        self._action = action
        self._thread = threading.Thread(target=self._run, name="spark-job", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._action()
        except BaseException as exc:
            self.error = exc

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        self._thread.join(seconds)


class _Jvm:
    """Spark's JVM as a child process; what it writes goes to our log."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards _process and is_killed: who of launch and kill comes first
        self._process: subprocess.Popen[bytes] | None = None
        self.is_killed = False
        self._gateway: Any = None
        self._lines: deque[str] = deque(maxlen=_REMEMBERED_LINES)

    def launch(self, conf: Any) -> Any:
        """The gateway to a new JVM; None when it was killed meanwhile."""
        from pyspark.java_gateway import launch_gateway

        start: Any = launch_gateway
        reading, writing = os.pipe()
        threading.Thread(target=self._read, args=(reading,), name="spark-output", daemon=True).start()
        try:
            self._gateway = start(conf, {"stdout": writing, "stderr": writing})
        finally:
            os.close(writing)
        with self._lock:
            self._process = self._gateway.proc
            killed = self.is_killed
        if killed:
            self.close()
            return None
        return self._gateway

    def kill(self) -> bool:
        """Kill the process, or the one that is being launched as soon as it is known (then False)."""
        with self._lock:
            self.is_killed = True
            process = self._process
        if process is not None:
            process.kill()
        return process is not None

    def last_lines(self) -> str:
        """Errors that the JVM wrote last, in one line."""
        errors = [line for line in self._lines if "Exception" in line or "ERROR" in line]
        return "; ".join(errors[-3:])

    def close(self) -> None:
        from pyspark import SparkContext

        if self._gateway is not None:
            with suppress(Exception):
                self._gateway.shutdown()
            if SparkContext._gateway is self._gateway:  # a context that ends without its JVM forgets to clean up
                SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        if self._process is not None:
            _end_process(self._process)
        self._gateway = self._process = None

    def _read(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "r", errors="replace") as lines:
            for line in lines:
                self._lines.append(line.rstrip())
                log.debug("spark: %s", line.rstrip())


def _end_process(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()  # the gateway's JVM ends when its input does
    try:
        process.wait(_SHUTDOWN_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _import_task(module: str, archives: tuple[str, ...]) -> Callable[..., None]:
    """Makes an executor's Python process ready for the tasks that follow."""

    def run_partition(items: Iterable[int]) -> None:
        import importlib
        import sys

        from pyspark import SparkFiles

        sys.path[:0] = [SparkFiles.get(archive) for archive in archives]
        importlib.import_module(module)

    return run_partition


def _partition_task(function: str, payload: bytes, results: Any, archives: tuple[str, ...]) -> Callable[..., None]:
    """What an executor runs.  A nested function is pickled by value, so executors need nothing of ours beforehand."""

    def run_partition(items: Iterable[bytes]) -> None:
        import importlib
        import sys

        from pyspark import SparkFiles

        folders = [SparkFiles.get(archive) for archive in archives]
        sys.path[:0] = [folder for folder in folders if folder not in sys.path]
        module, _, name = function.partition(":")
        for outcome in getattr(importlib.import_module(module), name)(payload, items):
            results.add([outcome])

    return run_partition


def _check_master(master: str) -> None:
    """Spark itself waits a minute for a standalone master that is not there, and says so in a stack trace."""
    found = _STANDALONE.fullmatch(master)
    if found is None:
        return
    problems = []
    for address in found[1].split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_SECONDS).close()
            return
        except (OSError, ValueError) as exc:
            problems.append(f"{address}: {exc}")
    raise SPARK_DID_NOT_START.error(master=master, text="; ".join(problems))


def _first_line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:500]
