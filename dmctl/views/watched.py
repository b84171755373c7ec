"""``watch``: the live picture of a task, and the same as plain lines where no terminal is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from dmctl.answer import Answer
from dmctl.views.copying import eta_text
from dmctl.views.status import lag_seconds, status_view
from dmctl.views.texts import human_bytes, human_number, human_seconds, integer, plain_table

Fields = Mapping[str, Any]
_MOST_TABLES = 10


def watched_view(answer: Answer) -> list[RenderableType]:
    """The status, the tables under way, and at the end how it came out."""
    body = answer.body
    status = body.get("status") or body
    parts: list[RenderableType] = [_head(answer)]
    if status.get("sources") is not None and status.get("result", True):
        parts += status_view(Answer(status))
        tables = _tables(status)
        if tables.row_count:
            parts += [Text(""), Text("tables under way", style="dim"), tables]
    elif not body.get("msg"):
        parts += status_view(Answer(status))
    if body.get("msg"):
        good = bool(body.get("result", True))
        parts.append(Text(f"{'✓' if good else '✗'} {body['msg']}", style="green" if good else "red"))
    return parts


def _head(answer: Answer) -> Text:
    return Text.assemble((answer.subject, "bold"), (f"   {answer.body.get('time', '')}", "dim"))


def _tables(status: Fields) -> Table:
    """Those that are under way, of all sources."""
    view = plain_table("Source", "Table", "Progress", "Rows", "Bytes", "Rate", "ETA")
    rows = [
        (str((source.get("sourceStatus") or {}).get("source", "")), table)
        for source in status.get("sources") or ()
        for subtask in source.get("subTaskStatus") or ()
        for table in (subtask.get("load") or subtask.get("dump") or {}).get("tables") or ()
        if subtask.get("stage") == "Running" and integer(table.get("bps")) > 0
    ]
    for source, table in rows[:_MOST_TABLES]:
        view.add_row(
            Text(source),
            Text(f"{table.get('schema')}.{table.get('table')}"),
            Text(str(table.get("progress"))),
            _of(human_number, table, "finishedRows", "estimateTotalRows"),
            _of(human_bytes, table, "finishedBytes", "totalBytes"),
            Text(f"{human_bytes(integer(table.get('bps')))}/s"),
            eta_text(table.get("etaSeconds")),
        )
    return view


def _of(shown: Any, table: Fields, done: str, total: str) -> Text:
    whole = integer(table.get(total))
    return Text(f"{shown(integer(table.get(done)))} of {shown(whole)}" if whole else shown(integer(table.get(done))))


def watched_lines(status: Fields, task: str, at: str) -> Iterator[str]:
    """One line for each source."""
    if not status.get("result", True):
        yield f"{at} {task} {status.get('msg')}"
        return
    for source in status.get("sources") or ():
        place = source.get("sourceStatus") or {}
        name = str(place.get("source") or "-")
        subtasks = [one for one in source.get("subTaskStatus") or () if one.get("name") == task]
        if not subtasks:
            yield f"{at} {task} {name} - {source.get('msg') or 'no subtask'}"
        for subtask in subtasks:
            words = [at, task, name, str(subtask.get("stage") or "-"), str(subtask.get("unit") or "-")]
            yield " ".join([*words, *_words(subtask)])


def _words(subtask: Fields) -> Iterator[str]:
    copy = subtask.get("load") or subtask.get("dump")
    if subtask.get("sync"):
        yield from _sync_words(subtask["sync"], str(subtask.get("stage")))
    elif copy:
        yield from _copy_words(copy)
    elif subtask.get("msg"):
        yield str(subtask["msg"])
    for error in (subtask.get("result") or {}).get("errors") or ():
        yield f"error {error.get('ErrCode')}: {error.get('Message')}"
    if subtask.get("nextTry"):
        yield f"(tried again at {subtask['nextTry']})"


def _copy_words(copy: Fields) -> Iterator[str]:
    yield str(copy.get("phase") or "copying")
    yield str(copy.get("progress") or "-").replace(" %", "%")
    yield f"{human_number(float(copy.get('finishedRows') or 0))} rows"
    yield human_bytes(float(copy.get("finishedBytes") or 0))
    yield f"{human_bytes(integer(copy.get('bps')))}/s"
    seconds = copy.get("etaSeconds")
    yield "ETA unknown" if seconds is None else f"ETA {human_seconds(float(seconds))}"
    if copy.get("waitsFor"):
        yield f"waits: {copy['waitsFor']}"


def _sync_words(sync: Fields, stage: str) -> Iterator[str]:
    unknown = str(sync.get("unknown") or "")
    if stage == "Running":
        yield f"not known ({unknown})" if unknown else "in step" if sync.get("synced") else "catching up"
    yield f"{human_number(integer(sync.get('totalRows')))} rows"
    yield f"{human_number(integer(sync.get('recentRps')))} rows/s"
    lag = lag_seconds(sync)
    yield "lag unknown" if lag is None else f"lag {human_seconds(lag)}"
    yield str(sync.get("syncerBinlog") or "-")
    if stage == "Running" and not (sync.get("synced") or unknown) and sync.get("waitsFor"):
        yield f"waits for {sync['waitsFor']}"
