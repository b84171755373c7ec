"""``query-status``: all tasks in one table, or one line per subtask with its progress, speed and lag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dmctl.answer import Answer
from dmctl.views.relay import relay_notices, relay_tables
from dmctl.views.texts import (
    error_panel,
    human_bytes,
    human_number,
    human_seconds,
    integer,
    message_panel,
    plain_table,
    stage_text,
)

Fields = Mapping[str, Any]
_BAR_WIDTH = 16


def status_view(answer: Answer) -> list[RenderableType]:
    """The summary has ``tasks``, the detail has ``sources``."""
    body = answer.body
    if not body.get("result", True):
        return [message_panel(str(body.get("msg") or "refused"))]
    if body.get("tasks") is not None and not body.get("sources"):
        return [_summary(body["tasks"])]
    sources = body.get("sources") or ()
    if not sources:
        return [Text(str(body.get("msg") or "nothing to show"), style="yellow")]
    notices = (panel for source in sources for panel in _notices(source))
    return [_detail(sources), *relay_tables(sources), *notices]


def _summary(tasks: list[Fields]) -> RenderableType:
    if not tasks:
        return Text("no task runs: start one with  start-task FILE", style="yellow")
    table = plain_table("Task", "Status", "Sources")
    for task in tasks:
        status = str(task.get("taskStatus", ""))
        failed = status.startswith("Error")
        text = Text(f"● {status}", style="red") if failed else stage_text(status)
        table.add_row(Text(str(task.get("taskName", ""))), text, Text(", ".join(task.get("sources") or ())))
    return table


def _detail(sources: list[Fields]) -> Table:
    nothing: list[Fields] = [{}]  # a source without a subtask still has its line
    rows = [(source, subtask) for source in sources for subtask in source.get("subTaskStatus") or nothing]
    with_task = len({subtask["name"] for _, subtask in rows if subtask}) > 1
    table = plain_table(*(["Task"] if with_task else []), "Source", "Stage", "Unit", "Progress", "Rate", "Lag / ETA")
    for source, subtask in rows:
        place = source.get("sourceStatus") or {}
        cells: list[RenderableType] = [Text(str(subtask.get("name", "")))] if with_task else []
        cells.append(Text.assemble(str(place.get("source") or "-"), (f"\n{place.get('worker') or 'no worker'}", "dim")))
        cells.append(stage_text(str(subtask.get("stage", "")), failed=bool(_errors(subtask.get("result")))))
        cells += [Text(str(subtask.get("unit") or "-")), *_unit_cells(subtask)]
        table.add_row(*cells)
    return table


def _unit_cells(subtask: Fields) -> tuple[RenderableType, RenderableType, RenderableType]:
    """Progress, rate, lag or time to go, of whichever unit is at work."""
    if subtask.get("sync"):
        return _sync_cells(subtask["sync"], str(subtask.get("stage", "")))
    if subtask.get("load"):
        return _load_cells(subtask["load"])
    if subtask.get("dump"):
        return _dump_cells(subtask["dump"])
    return Text(str(subtask.get("msg") or "-")), Text("-"), Text("-")


def _dump_cells(dump: Fields) -> tuple[RenderableType, RenderableType, RenderableType]:
    total, done = float(dump.get("estimateTotalRows") or 0), float(dump.get("finishedRows") or 0)
    size, speed = float(dump.get("finishedBytes") or 0), integer(dump.get("bps"))
    caption = f"{_tables(dump)}{human_number(done)} rows, {human_bytes(size)}"
    to_go = size / done * (total - done) if done and total > done else 0.0
    return _bar(str(dump.get("progress", "")), caption), _copy_rate(dump), _eta(to_go, speed)


def _load_cells(load: Fields) -> tuple[RenderableType, RenderableType, RenderableType]:
    total, done, speed = integer(load.get("totalBytes")), integer(load.get("finishedBytes")), integer(load.get("bps"))
    caption = f"{_tables(load)}{human_bytes(done)} of {human_bytes(total)}"
    return _bar(str(load.get("progress", "")), caption), _copy_rate(load), _eta(float(total - done), speed)


def _tables(unit: Fields) -> str:
    total = integer(unit.get("totalTables"))
    return f"{integer(unit.get('completedTables'))}/{total} tables, " if total else ""


def _copy_rate(unit: Fields) -> Text:
    rows = float(unit.get("rowsPerSecond") or 0)
    return Text(f"{human_number(rows)} rows/s\n{human_bytes(integer(unit.get('bps')))}/s")


def _sync_cells(sync: Fields, stage: str) -> tuple[RenderableType, RenderableType, RenderableType]:
    synced = bool(sync.get("synced"))
    applied, upstream = str(sync.get("syncerBinlog") or "-"), str(sync.get("masterBinlog") or "-")
    place = applied if synced or applied == upstream else f"{applied}\nof {upstream}"
    lines: list[RenderableType] = [_sync_state(stage, synced), Text(place, style="dim")]
    if stage == "Running" and not synced and sync.get("bottleneck"):
        waits = sync.get("waitsFor")
        lines.append(Text(f"waits for {waits}" if waits else f"busiest with: {sync['bottleneck']}", style="dim"))
    if sync.get("safeMode"):
        lines.append(Text(f"safe mode {sync.get('safeModeReason') or ''}".rstrip(), style="dim"))
    rate = Text(
        f"{human_number(integer(sync.get('recentRps')))} rows/s\n{human_number(integer(sync.get('totalRows')))} rows"
    )
    lag = max(float(sync.get("lagSeconds") or 0), float(integer(sync.get("secondsBehindMaster"))))
    return Group(*lines), rate, Text(human_seconds(lag), style="red" if lag > 60 else "")


def _sync_state(stage: str, synced: bool) -> Text:
    if stage != "Running":
        return Text("■ stands still", style="yellow")
    return Text("✓ in step", style="green") if synced else Text("→ catching up", style="yellow")


def _bar(progress: str, caption: str) -> RenderableType:
    """``progress`` as DM writes it: ``30.52 %``."""
    try:
        percent = min(100.0, float(progress.strip().rstrip("%")))
    except ValueError:
        return Group(Text(progress or "-"), Text(caption, style="dim"))
    line = Table.grid(padding=(0, 1))
    line.add_row(ProgressBar(total=100, completed=percent, width=_BAR_WIDTH), Text(f"{percent:.1f} %"))
    return Group(line, Text(caption, style="dim"))


def _eta(to_go: float, speed: float) -> Text:
    return Text(f"ETA {human_seconds(to_go / speed)}") if speed > 0 and to_go > 0 else Text("-")


def _errors(result: Fields | None) -> list[Fields]:
    return list((result or {}).get("errors") or ())


def _notices(source: Fields) -> Iterator[RenderableType]:
    """Everything that wants an operator's eye, under the table."""
    place = source.get("sourceStatus") or {}
    where = str(place.get("source") or "source")
    if not source.get("result", True) or (source.get("msg") and not source.get("subTaskStatus")):
        yield message_panel(str(source.get("msg") or "no answer from the worker"), where)
    for error in _errors(place.get("result")):
        yield error_panel(error, where)
    yield from relay_notices(place)
    for subtask in source.get("subTaskStatus") or ():
        for error in _errors(subtask.get("result")):
            yield error_panel(error, f"{subtask.get('name')} · {where}", str(subtask.get("nextTry") or ""))
        yield from _ddl_notices(subtask.get("sync") or {}, f"{subtask.get('name')} · {where}")


def _ddl_notices(sync: Fields, where: str) -> Iterator[RenderableType]:
    lines = [f"waits for: {ddl}" for ddl in sync.get("blockingDDLs") or ()]
    for group in sync.get("unresolvedGroups") or ():
        lines += [f"{group.get('target')}: {'; '.join(group.get('DDLs') or ())}"]
        lines += [
            f"  has it: {', '.join(group.get('synced') or ()) or '-'}",
            f"  lacks it: {', '.join(group.get('unsynced') or ()) or '-'}",
        ]
    if sync.get("conflictMsg"):
        lines.append(str(sync["conflictMsg"]))
    if lines:
        yield Panel(
            Text("\n".join(lines)),
            title=Text(f"shard DDL · {where}"),
            title_align="left",
            border_style="yellow",
            padding=(0, 1),
        )
