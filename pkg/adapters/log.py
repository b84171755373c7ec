"""Log lines in PingCAP's unified format, or as JSON; to standard error, or to a file that is rotated.

    log = logging.getLogger(__name__)
    log.info("source bound", extra=fields(source="mysql-01", worker="w1"))
    # [2026/01/31 08:00:00.123 +00:00] [INFO] [coordinator.py:88] ["source bound"] [source=mysql-01] [worker=w1]

Secrets need no filter: their type does not print itself.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Literal

from pkg.errors import DMError, ErrorKind, Level, Scope

_FILE_BYTES = 512 << 20
_FILES_KEPT = 7
_LEVELS = {"debug": "DEBUG", "info": "INFO", "warn": "WARNING", "error": "ERROR", "fatal": "CRITICAL"}
_NAMES = {"WARNING": "WARN", "CRITICAL": "FATAL"}
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,:/@*+%()")

_STRING_LITERAL = re.compile(r"""'(?:[^'\\]|\\.|'')*'""")

LogFormat = Literal["text", "json"]

LOG_FILE_UNUSABLE = ErrorKind(
    11201,
    "functional",
    Scope.INTERNAL,
    Level.HIGH,
    "the log file {path} cannot be written: {reason}",
    workaround="correct `log-file`, or the rights on its folder; without `log-file` the log goes to standard error",
)


def fields(**values: Any) -> dict[str, Any]:
    """``extra=`` of a log call: the values shown after the message."""
    return {"fields": values}


def setup_logging(level: str = "info", file: str = "", style: LogFormat = "text", *, redact: bool = False) -> None:
    """Send the root logger to ``file`` (rotated) or to standard error; replaces what was set up before.

    ``redact`` writes ``?`` for each string literal in SQL and in the messages of servers, which quote row values.
    """
    handler = _file_handler(Path(file)) if file else logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if style == "json" else TextFormatter())
    if redact:
        handler.addFilter(_redact)
    logging.raiseExceptions = False  # a full disk under the log must not fill standard error instead
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(_LEVELS.get(level.lower(), "INFO"))
    for chatty in ("alembic", "py4j", "pyspark"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, root.level))


def _file_handler(path: Path) -> logging.Handler:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=_FILE_BYTES, backupCount=_FILES_KEPT, encoding="utf-8")
        os.chmod(path, 0o640)
    except OSError as exc:
        raise LOG_FILE_UNUSABLE.error(path=path, reason=exc.strerror or exc) from exc
    return handler


class TextFormatter(logging.Formatter):
    """``[time] [LEVEL] [file:line] [message] [key=value]…``, always one line."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).astimezone()
        offset = moment.strftime("%z")
        parts = [
            f"{moment:%Y/%m/%d %H:%M:%S}.{int(record.msecs):03d} {offset[:3]}:{offset[3:5]}",
            _level(record),
            f"{record.filename}:{record.lineno}",
            json.dumps(record.getMessage(), ensure_ascii=False),
            *(f"{name}={_shown(value)}" for name, value in _values(record).items()),
        ]
        return " ".join(f"[{part}]" for part in parts)


class JsonFormatter(logging.Formatter):
    """The same as one JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        head = {
            "level": _level(record),
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "caller": f"{record.filename}:{record.lineno}",
            "message": record.getMessage(),
        }
        return json.dumps({**head, **_values(record)}, ensure_ascii=False, default=str)


def _redact(record: logging.LogRecord) -> bool:
    """Takes string literals out of what will be formatted; a filter that lets all records through."""
    record.msg, record.args = _STRING_LITERAL.sub("?", record.getMessage()), None
    record.fields = {name: _STRING_LITERAL.sub("?", str(value)) for name, value in _values(record).items()}
    record.exc_info = None
    return True


def _level(record: logging.LogRecord) -> str:
    return _NAMES.get(record.levelname, record.levelname)


def _values(record: logging.LogRecord) -> Mapping[str, Any]:
    values: dict[str, Any] = dict(getattr(record, "fields", {}))
    if record.exc_info and record.exc_info[1] is not None:
        exc = record.exc_info[1]
        values["error"] = str(exc)
        if not isinstance(exc, DMError):  # ours say what is wrong; a stack is for defects
            values["stack"] = logging.Formatter().formatException(record.exc_info)
    return values


def _shown(value: Any) -> str:
    text = str(value)
    return text if text and _SAFE.issuperset(text) else json.dumps(text, ensure_ascii=False)
