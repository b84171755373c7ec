"""A standalone Spark cluster on this machine: a master and workers, as the PySpark package brings them."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

from tests.servers.ports import free_port

QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # to start with, as the product's own
_START_SECONDS = 180
_END_SECONDS = 90


@contextmanager
def standalone(folder: Path, workers: int = 1, cores: int = 2) -> Iterator[str]:
    """The URL of a master with ``workers`` of ``cores`` each; their files are in ``folder``."""
    home = Path(pyspark.__file__).parent
    url = f"spark://127.0.0.1:{free_port()}"
    start = [str(home / "bin" / "spark-class")]
    address = ["--host", "127.0.0.1", "--webui-port", "0"]
    master = [*start, "org.apache.spark.deploy.master.Master", *address, "--port", url.rpartition(":")[2]]
    worker = [*start, "org.apache.spark.deploy.worker.Worker", *address, "-c", str(cores), "-d", str(folder), url]
    environment = {
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "SPARK_HOME": str(home),
        "SPARK_DAEMON_JAVA_OPTS": QUICK_JVM,
    }
    with (folder / "cluster.log").open("w") as log:
        processes = [
            subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
            for command in (master, *[worker] * workers)
        ]
        try:
            _wait_for(folder / "cluster.log", workers)
            yield url
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(_END_SECONDS)


def _wait_for(log: Path, workers: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while (text := log.read_text()).count("uccessfully registered with master") < workers:
        assert time.monotonic() < deadline, text
        threading.Event().wait(0.2)
