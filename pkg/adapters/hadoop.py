"""Files at ``hdfs://``, ``s3a://``, ``file://`` …, by Hadoop's client in a JVM of the Spark package.

One JVM per process, started at first use, without a SparkContext; it ends with its process.  Bytes go by
local files, which the JVM copies itself: nothing large passes between Python and Java.
"""

from __future__ import annotations

import atexit
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, cast
from urllib.parse import urlsplit

from pkg.adapters.piecewise import PiecewiseFile
from pkg.adapters.spark import find_java
from pkg.errors import DMError, ErrorKind, Level, Scope

NO_CLIENT = ErrorKind(
    32220,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "there is no client for {scheme}:// in Spark's class path: {reason}",
    workaround="name its package in the task file, `spark: {{conf: {{spark.jars.packages: {package}}}}}` (it is "
    "fetched from Maven Central), or its jar files in spark.jars; then resume-task",
)
HADOOP_FAILED = ErrorKind(
    32221,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "{url}: {reason}",
    workaround="check the URL, and the file system's options (`spark.hadoop.…` in spark.conf: addresses, keys); then "
    "resume-task",
)
JVM_DID_NOT_START = ErrorKind(
    32222,
    "dump-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the JVM for {url} did not start: {reason}",
    workaround="check `spark.conf` in the task file (spark.jars.packages, spark.jars) and the memory of the host; then "
    "resume-task",
)

_AZURE: Final = "org.apache.hadoop:hadoop-azure:{version}"
_PACKAGES: Final = {
    "s3a": "org.apache.hadoop:hadoop-aws:{version}",
    "abfs": _AZURE,
    "abfss": _AZURE,
    "wasb": _AZURE,
    "gs": "com.google.cloud.bigdataoss:gcs-connector:VERSION",
}
_HADOOP: Final = "spark.hadoop."
_DEFAULTS: Final[Mapping[str, str]] = {
    "spark.driver.memory": "256m",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.master": "local[1]",
}
_SHOWN: Final = 300


def is_url(folder: str) -> bool:
    """Whether a folder is no path."""
    return len(urlsplit(folder).scheme) > 1


class _Jvm:
    """This process's JVM."""

    def __init__(self, url: str, conf: Mapping[str, str]) -> None:
        find_java()
        from pyspark import SparkConf
        from pyspark.java_gateway import launch_gateway

        # Hadoop's own options may hold keys; a command line is for everybody to see.
        options = {**_DEFAULTS, **{name: value for name, value in conf.items() if not name.startswith(_HADOOP)}}
        start: Any = launch_gateway
        with tempfile.TemporaryFile() as said:
            try:
                streams = {"stdout": said, "stderr": said, "stdin": subprocess.PIPE}
                self._gateway = start(SparkConf(loadDefaults=False).setAll(list(options.items())), streams)
            except Exception as exc:
                said.seek(0)
                lines = said.read().decode(errors="replace").strip().splitlines()
                text = next((line for line in reversed(lines) if "rror" in line or "xception" in line), str(exc))
                raise JVM_DID_NOT_START.error(url=url, reason=text[:_SHOWN], cause=exc) from exc
        self.api: Any = self._gateway.jvm
        self.conf: Any = self.api.org.apache.hadoop.conf.Configuration()
        for name, value in conf.items():
            if name.startswith(_HADOOP):
                self.conf.set(name.removeprefix(_HADOOP), value)
        atexit.register(self.close)

    def close(self) -> None:
        process: subprocess.Popen[bytes] = self._gateway.proc
        with suppress(Exception):
            self._gateway.shutdown()
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()  # the JVM ends when its input does
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)


_jvms: dict[tuple[tuple[str, str], ...], _Jvm] = {}
_starting = threading.Lock()  # guards _jvms


def _jvm(url: str, conf: Mapping[str, str]) -> _Jvm:
    key = tuple(sorted(conf.items()))
    with _starting:
        if key not in _jvms:
            _jvms[key] = _Jvm(url, conf)
        return _jvms[key]


class HadoopFiles:
    """One folder; a value that travels, each process has its own JVM."""

    def __init__(self, url: str, conf: Mapping[str, str]) -> None:
        self.url = url.rstrip("/")
        self._conf = dict(conf)

    def make(self) -> None:
        with self._files() as (files, path):
            files.mkdirs(path(""))

    def sizes(self) -> dict[str, int]:
        """Files by name."""
        with self._files() as (files, path):
            found = files.listStatus(path(""))
            return {str(one.getPath().getName()): int(one.getLen()) for one in found if one.isFile()}

    def folders(self) -> list[str]:
        """Names of the folders in it."""
        with self._files() as (files, path):
            return [str(one.getPath().getName()) for one in files.listStatus(path("")) if one.isDirectory()]

    def upload(self, local: Path, name: str) -> None:
        """Copy a local file; a part of it may be there after an error."""
        with self._files() as (files, path):
            files.copyFromLocalFile(False, True, self._path(local.as_uri()), path(name))

    def rename(self, former: str, name: str) -> None:
        """A file, which is whole under both names; ``former`` may be in a folder beside this one (``../x/file``)."""
        with self._files() as (files, path):
            files.delete(path(name), False)  # a rename onto a file that is there fails on some file systems
            if not files.rename(path(former), path(name)):
                raise HADOOP_FAILED.error(url=self.url, reason=f"{former} cannot be renamed to {name}")

    def copy(self, former: str, name: str) -> None:
        """A file, as ``rename`` names it; a part of the copy may be there after an error."""
        with self._files() as (files, path):
            jvm = _jvm(self.url, self._conf)
            whole = jvm.api.org.apache.hadoop.fs.FileUtil.copy(files, path(former), files, path(name), False, jvm.conf)
            if not whole:
                raise HADOOP_FAILED.error(url=self.url, reason=f"{former} cannot be copied to {name}")

    def read(self, name: str) -> bytes:
        """A small file."""
        with self._files() as (files, path):
            stream = files.open(path(name))
            try:
                return bytes(_jvm(self.url, self._conf).api.org.apache.commons.io.IOUtils.toByteArray(stream))
            finally:
                stream.close()

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        """A file of any size."""
        with self._files() as (files, path), tempfile.NamedTemporaryFile(prefix="spark-dm-piece-") as spool:
            size = int(files.getFileStatus(path(name)).getLen())
            stream = files.open(path(name))
            java = _jvm(self.url, self._conf).api

            def fetch(offset: int, count: int) -> bytes:
                stream.seek(offset)
                local = java.java.io.FileOutputStream(spool.name)
                try:
                    java.org.apache.commons.io.IOUtils.copyLarge(stream, local, 0, count)
                finally:
                    local.close()
                spool.seek(0)
                return spool.read()

            try:
                yield cast(BinaryIO, PiecewiseFile(size, fetch))
            finally:
                stream.close()

    def remove(self, name: str, *, whole: bool = False) -> None:
        """A file, or with ``whole`` a folder and all in it."""
        with self._files() as (files, path):
            files.delete(path(name), whole)

    @contextmanager
    def _files(self) -> Iterator[tuple[Any, Callable[[str], Any]]]:
        from py4j.protocol import Py4JError, Py4JJavaError

        try:
            files = self._path(self.url).getFileSystem(_jvm(self.url, self._conf).conf)
            files.setWriteChecksum(False)  # file:// would put a hidden file beside each
            yield files, lambda name: self._path(f"{self.url}/{name}" if name else self.url)
        except Py4JJavaError as exc:
            raise self._translated(exc) from exc
        except Py4JError as exc:
            raise HADOOP_FAILED.error(url=self.url, reason=_first_line(str(exc)), cause=exc) from exc

    def _path(self, text: str) -> Any:
        return _jvm(self.url, self._conf).api.org.apache.hadoop.fs.Path(text)

    def _translated(self, error: Any) -> DMError:
        """Its own text is the whole stack of the JVM."""
        reason = _first_line(str(error.java_exception))
        if "ClassNotFoundException" in reason or "No FileSystem for scheme" in reason:
            scheme = urlsplit(self.url).scheme
            version = str(_jvm(self.url, self._conf).api.org.apache.hadoop.util.VersionInfo.getVersion())
            package = _PACKAGES.get(scheme, "GROUP:ARTIFACT:VERSION").format(version=version)
            return NO_CLIENT.error(scheme=scheme, reason=reason, package=package)
        return HADOOP_FAILED.error(url=self.url, reason=reason)


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or ["?"])[0][:_SHOWN]
