"""The writer for people: tables with colours on a terminal, and a live view while a verb waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live

from dmctl.answer import Answer, View
from dmctl.output import Show, write_text
from dmctl.views.check import check_view, problems_view
from dmctl.views.estimate import estimate_view
from dmctl.views.explained import explained_view
from dmctl.views.locks import locks_view
from dmctl.views.members import members_view
from dmctl.views.operators import operators_view
from dmctl.views.results import result_view, waited_view
from dmctl.views.settings import settings_view
from dmctl.views.status import status_view
from dmctl.views.summary import summary_view
from dmctl.views.watched import watched_view

_VIEWS: Mapping[View, Callable[[Answer], list[RenderableType]]] = {
    View.RESULT: result_view,
    View.STATUS: status_view,
    View.MEMBERS: members_view,
    View.WAITED: waited_view,
    View.CHECK: check_view,
    View.OPERATORS: operators_view,
    View.SETTINGS: settings_view,
    View.PROBLEMS: problems_view,
    View.LOCKS: locks_view,
    View.EXPLAINED: explained_view,
    View.WATCHED: watched_view,
    View.SUMMARY: summary_view,
    View.ESTIMATE: estimate_view,
}


class TableWriter:
    """Draws answers with rich; without colours where stdout is no terminal (``--output table`` into a file)."""

    def __init__(self, stdout: TextIO, stderr: TextIO) -> None:
        self._stdout = stdout
        self._console = Console(file=stdout, highlight=False)
        self._errors = Console(file=stderr, highlight=False)
        self._live: Live | None = None  # notices stand above what it draws

    def answer(self, answer: Answer) -> None:
        if answer.view is View.SHOWN:
            return
        if answer.view in (View.TEXT, View.CONFIG):
            write_text(self._stdout, answer.text)
            self._stdout.flush()
            return
        for part in _VIEWS[answer.view](answer):
            self._console.print(part)

    def notice(self, text: str) -> None:
        console = self._live.console if self._live is not None else self._errors
        console.print(text, style="yellow", markup=False)

    @contextmanager
    def watching(self) -> Iterator[Show]:
        if not self._console.is_terminal:
            yield lambda answer: None
            return
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            self._live = live
            try:
                yield lambda answer: live.update(Group(*_VIEWS[answer.view](answer)), refresh=True)
            finally:
                self._live = None
