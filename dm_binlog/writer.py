"""Lines of styled text: in colour and wrapped on a terminal, plain and one line each elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

Segment = tuple[str, str]
"""Text and its style."""

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}


def harmless(text: str) -> str:
    """On one line, and without what would steer a terminal."""
    return _UNSAFE.sub(_visible, text) if _UNSAFE.search(text) else text


def _visible(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


class Writer:
    """Where lines go."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._console = Console(file=stream, highlight=False, markup=False, emoji=False)
        self.is_terminal = self._console.is_terminal
        self.width = self._console.width if self.is_terminal else 100

    def line(self, *segments: Segment) -> None:
        safe = [(harmless(text), style) for text, style in segments]
        if not self.is_terminal:
            self._stream.write("".join(text for text, _ in safe).rstrip() + "\n")
            return
        self._console.print(Text.assemble(*safe), soft_wrap=True)

    def fields(self, lead: Sequence[Segment], hanging: Sequence[Segment], fields: Sequence[Sequence[Segment]]) -> None:
        """Fields behind `lead`; on a terminal those that do not fit follow on lines that begin with `hanging`."""
        line, used = list(lead), 0
        width = self.width - sum(cell_len(text) for text, _ in lead)
        for field in fields:
            size = sum(cell_len(harmless(text)) for text, _ in field) + 2
            if self.is_terminal and used and used + size > width:
                self.line(*line)
                line, used = list(hanging), 0
            line += [("  ", "")] if used else []
            line += field
            used += size
        self.line(*line)
