"""Writers: how an answer is printed.  One interface; JSON and YAML for scripts, tables for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol, TextIO

from dmctl.answer import Answer, View
from dmctl.settings import Format

Show = Callable[[Answer], None]


class Writer(Protocol):
    """Where a verb's output goes."""

    def answer(self, answer: Answer) -> None:
        """Print the result of a verb."""

    def notice(self, text: str) -> None:
        """Say something that is not part of the result (on stderr)."""

    def watching(self) -> AbstractContextManager[Show]:
        """While a verb waits: a function that shows the latest state, where somebody is looking."""


def writer_for(output: Format | None, stdout: TextIO, stderr: TextIO) -> Writer:
    """The writer asked for; without a wish, tables where a person looks and JSON everywhere else."""
    chosen = output or (Format.TABLE if stdout.isatty() else Format.JSON)
    if chosen is Format.TABLE:
        from dmctl.terminal import TableWriter  # rich is slow to import and scripts do not need it

        return TableWriter(stdout, stderr)
    return TextWriter(stdout, stderr, as_json if chosen is Format.JSON else as_yaml, raw_text=output is None)


def as_json(body: dict[str, Any]) -> str:
    """DM's form: four spaces, keys in the order of the protocol."""
    return json.dumps(body, indent=4, ensure_ascii=False) + "\n"


def as_yaml(body: dict[str, Any]) -> str:
    import yaml

    return str(yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=1000))


class TextWriter:
    """Answers as documents, one per verb."""

    def __init__(
        self, stdout: TextIO, stderr: TextIO, dump: Callable[[dict[str, Any]], str], *, raw_text: bool
    ) -> None:
        self._stdout, self._stderr, self._dump = stdout, stderr, dump
        self._raw_text = raw_text  # a sample goes into a file by `>`: plain, unless a format was asked for by name

    def answer(self, answer: Answer) -> None:
        if answer.view is View.SHOWN:
            return
        if self._raw_text and answer.view is View.TEXT:
            write_text(self._stdout, answer.text)
        else:
            self._stdout.write(self._dump(answer.body))
        self._stdout.flush()

    def notice(self, text: str) -> None:
        print(text, file=self._stderr, flush=True)

    @contextmanager
    def watching(self) -> Iterator[Show]:
        yield lambda answer: None


def write_text(stream: TextIO, text: str) -> None:
    """``text`` and a line end, once."""
    stream.write(text if text.endswith("\n") else f"{text}\n")
