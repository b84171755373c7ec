"""``query-status``: all tasks in one table, or one line per subtask with its progress, speed and lag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from dmctl.answer import Answer
from dmctl.views.copying import Cells, dump_cells, load_cells, while_running
from dmctl.views.relay import relay_notices, relay_tables
from dmctl.views.texts import (
    error_panel,
    human_number,
    human_seconds,
    integer,
    message_panel,
    plain_table,
    stage_text,
)

Fields = Mapping[str, Any]


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


def _unit_cells(subtask: Fields) -> Cells:
    """Progress, rate, lag or time to go, of whichever unit is at work."""
    if subtask.get("sync"):
        return _sync_cells(subtask["sync"], str(subtask.get("stage", "")))
    if subtask.get("load"):
        return while_running(subtask, load_cells(subtask["load"]))
    if subtask.get("dump"):
        return while_running(subtask, dump_cells(subtask["dump"]))
    return Text(str(subtask.get("msg") or "-")), Text("-"), Text("-")


def _sync_cells(sync: Fields, stage: str) -> Cells:
    synced, unknown = bool(sync.get("synced")), str(sync.get("unknown") or "")
    applied, upstream = str(sync.get("syncerBinlog") or "-"), str(sync.get("masterBinlog") or "-")
    place = applied if synced or applied == upstream else f"{applied}\nof {upstream}"
    lines: list[RenderableType] = [_sync_state(stage, synced, unknown), Text(place, style="dim")]
    if stage == "Running" and not synced and not unknown and sync.get("bottleneck"):
        waits = sync.get("waitsFor")
        lines.append(Text(f"waits for {waits}" if waits else f"busiest with: {sync['bottleneck']}", style="dim"))
    if sync.get("relayDamage"):
        lines.append(Text(str(sync["relayDamage"]), style="red"))
    if unlike := list(sync.get("unlikeUpstream") or ()):
        more = f"\nand {len(unlike) - 1} more: query-status TASK" if len(unlike) > 1 else ""
        lines.append(Text(f"{unlike[0]}{more}", style="red"))
    if sync.get("safeMode"):
        lines.append(Text(f"safe mode {sync.get('safeModeReason') or ''}".rstrip(), style="dim"))
    rate = Text(
        f"{human_number(integer(sync.get('recentRps')))} rows/s\n{human_number(integer(sync.get('totalRows')))} rows"
    )
    lag = lag_seconds(sync)
    shown = Text("unknown" if stage == "Running" else "-", style="dim")
    if lag is not None:
        shown = Text(human_seconds(lag), style="red" if lag > 60 else "")
    return Group(*lines), rate, shown


def lag_seconds(sync: Fields) -> float | None:
    """None when it is not known."""
    lags = [float(sync[name]) for name in ("lagSeconds", "secondsBehindMaster") if sync.get(name) is not None]
    return max(lags, default=None)


def _sync_state(stage: str, synced: bool, unknown: str) -> Text:
    if stage == "Finished":
        return Text("✓ done", style="cyan")
    if stage != "Running":
        return Text("■ stands still", style="yellow")
    if unknown:
        return Text(f"? not known: {unknown}", style="yellow")
    return Text("✓ in step", style="green") if synced else Text("→ catching up", style="yellow")


def _errors(result: Fields | None) -> list[Fields]:
    return list((result or {}).get("errors") or ())


def _notices(source: Fields) -> Iterator[RenderableType]:
    """Everything that wants an operator's eye, under the table."""
    place = source.get("sourceStatus") or {}
    where = str(place.get("source") or "source")
    if not source.get("result", True) or source.get("msg"):
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
