"""How the demo shows itself: a live view on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.syntax import Syntax
from rich.table import Table


class LiveView:
    """The statuses of all sources, drawn anew at each update; without a terminal only changes are printed."""

    def __init__(self, console: Console, title: str, live: Live | None) -> None:
        self._console = console
        self._title = title
        self._live = live
        self._printed = ""

    def update(self, statuses: dict[str, Any]) -> None:
        if self._live is not None:
            self._live.update(view(self._title, statuses))
            return
        text = "; ".join(f"{source}: {line_of(status)}" for source, status in sorted(statuses.items()))
        if text and text != self._printed:
            self._printed = text
            self._console.print(f"   {text}", highlight=False)


class Screen:
    """One console; steps are timed."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def title(self, text: str) -> None:
        self._console.rule(f"[bold]{text}")

    @contextlib.contextmanager
    def step(self, text: str) -> Iterator[None]:
        began = time.monotonic()
        if self._console.is_terminal:
            with self._console.status(text):
                yield
        else:
            yield
        self._console.print(f"[green]✓[/] {text} [dim]{time.monotonic() - began:.1f} s[/]", highlight=False)

    @contextlib.contextmanager
    def live(self, title: str) -> Iterator[LiveView]:
        began = time.monotonic()
        if self._console.is_terminal:
            with Live(view(title, {}), console=self._console, refresh_per_second=8) as live:
                yield LiveView(self._console, title, live)
        else:
            self._console.print(f"… {title}", highlight=False)
            yield LiveView(self._console, title, None)
        self._console.print(f"[green]✓[/] {title} [dim]{time.monotonic() - began:.1f} s[/]", highlight=False)

    def note(self, text: str, *, good: bool = True) -> None:
        self._console.print(f"  {text}", style="dim" if good else "bold red", highlight=False, markup=False)

    def text(self, text: str) -> None:
        """What a command printed."""
        self._console.print(text.rstrip(), highlight=False, markup=False, soft_wrap=True)

    def command(self, text: str) -> None:
        self._console.print(f"[bold cyan]$[/] [cyan]{text}[/]", highlight=False, soft_wrap=True)

    def file(self, path: Path) -> None:
        self._console.print(
            Panel(Syntax(path.read_text().rstrip(), "yaml", theme="ansi_dark"), title=path.name, title_align="left")
        )

    def table(self, rows: list[tuple[str, str]], *, good: bool) -> None:
        table = Table(title="Summary", show_header=False, border_style="green" if good else "red")
        for name, value in rows:
            table.add_row(name, value)
        self._console.print(table)


def view(title: str, statuses: dict[str, Any]) -> Panel:
    """A row per source: stage, progress or locations, rate, lag."""
    table = Table.grid(padding=(0, 2), expand=True)
    for source, status in sorted(statuses.items()):
        load = status.get("load") or status.get("dump")
        if load:
            share = float(str(load.get("progress") or "0 %").split()[0])
            bar: Any = ProgressBar(total=100, completed=share, width=30)
            table.add_row(f"[bold]{source}", status["stage"], bar, line_of(status))
        else:
            table.add_row(f"[bold]{source}", status["stage"], "", line_of(status))
    if not statuses:
        table.add_row("[dim]waiting for the first status")
    return Panel(table, title=title, title_align="left", border_style="cyan")


def line_of(status: dict[str, Any]) -> str:
    """One source in a few words."""
    if sync := status.get("sync"):
        place = "in step" if sync.get("synced") else f"lag {sync.get('lagSeconds', 0):.1f} s"
        return f"Sync  {place}, {int(sync.get('recentRps', 0)):,} rows/s, {int(sync.get('totalRows', 0)):,} rows"
    if load := status.get("load") or status.get("dump"):
        rate = int(load.get("rowsPerSecond", 0))
        return f"{status['unit']}  {load.get('progress') or '0 %'}, {rate:,} rows/s"
    errors = (status.get("result") or {}).get("errors", [])
    return f"{status['stage']} {errors[0]['Message'][:80] if errors else ''}".strip()
