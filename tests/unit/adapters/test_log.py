"""Log lines as operators and their tools read them."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from pkg.adapters.log import JsonFormatter, TextFormatter, fields, setup_logging
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.task.secret import Secret


@pytest.fixture(autouse=True)
def root_logger() -> Iterator[None]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    root.handlers.clear()
    yield
    for handler in root.handlers:
        handler.close()
    root.handlers[:] = before
    root.setLevel(level)


def record(message: str, **values: object) -> logging.LogRecord:
    found = logging.LogRecord("x", logging.WARNING, "/a/b/coordinator.py", 88, message, (), None)
    found.fields = values
    return found


@pytest.mark.parametrize("style", ["text", "json"])
def test_a_redacted_log_has_no_row_values(style: Literal["text", "json"], tmp_path: Path) -> None:
    path = tmp_path / "dm.log"
    setup_logging("info", str(path), style, redact=True)
    statement = r"INSERT INTO t VALUES (1,'it\'s ''secret''')"
    logging.getLogger("x").info(statement, extra=fields(cause="entry 'bob' for key 'k'"))
    written = path.read_text()
    assert "secret" not in written
    assert "bob" not in written
    assert "INSERT INTO t VALUES (1,?)" in written
    assert "entry ? for key ?" in written


def test_a_text_line_has_time_level_place_message_and_fields() -> None:
    line = TextFormatter().format(record("source bound", source="mysql-01", note="two\nlines", empty=""))
    assert line.split("] [", 1)[1] == (
        'WARN] [coordinator.py:88] ["source bound"] [source=mysql-01] [note="two\\nlines"] [empty=""]'
    )
    assert line[0] == "["
    assert line[1:11].count("/") == 2


def test_a_json_line_has_the_same() -> None:
    body = json.loads(JsonFormatter().format(record("source bound", source="mysql-01")))
    assert (body["level"], body["message"], body["source"]) == ("WARN", "source bound", "mysql-01")


def test_secrets_do_not_print() -> None:
    assert "pw" not in TextFormatter().format(record("login", password=Secret("pw"), both=[Secret("pw")]))


def test_an_error_of_ours_is_told_without_a_stack_and_others_with_one(tmp_path: Path) -> None:
    setup_logging("info", str(tmp_path / "logs" / "dm.log"))
    kind = ErrorKind(11298, "functional", Scope.INTERNAL, Level.LOW, "known trouble")
    for error in (kind.error(), ValueError("defect")):
        try:
            raise error
        except (DMError, ValueError):
            logging.getLogger("x").exception("it failed", extra=fields(task="t"))
    ours, defect = (tmp_path / "logs" / "dm.log").read_text().splitlines()
    assert "known trouble" in ours
    assert "stack=" not in ours
    assert "[task=t]" in ours
    assert "Traceback" in defect


def test_a_log_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DMError, match="cannot be written"):
        setup_logging("info", str(tmp_path / "file" / "dm.log"))
