"""Reads files in the test language of MariaDB's regression suite (mysqltest) into commands.  No I/O.

Text is latin1: one character for each byte of the file, whose statements may be in any character set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# Words that begin a command of the language; everything else is SQL.  Of most of them nothing is needed: they are
# about what is printed, or reach out of the server.
COMMANDS = re.compile(
    r"(dis|en)able_\w+|replace_(column|numeric_round|regex|result)|query(_vertical|_horizontal|_get_value)?|"
    r"(append|cat|copy|list|move|remove|write)_file\w*|(diff|list|remove)_files\w*|copy_files_wildcard|file_exists|"
    r"(vertical|horizontal)_results|(lowercase|sorted)_result|(real_)?sleep|send(_eval|_quit)?|eval|evalp|"
    r"(start|end)_timer|sync_\w*with_master|save_master_pos|wait_for_slave_to_stop|force-\w+|exec(_in_background)?|"
    r"change_user|character_set|chmod|connect|connection|dec|delimiter|die|dirty_close|disconnect|echo|end|error|exit|"
    r"if|inc|let|mkdir|optimizer_trace|output|perl|ping|reap|require|reset_connection|result|rmdir|shutdown_server|skip|"
    r"source|system|while",
    re.IGNORECASE,
)
_INLINE_TEXT = frozenset(("perl", "write_file", "append_file"))  # lines follow up to one that ends them
_WORD = re.compile(r"[A-Za-z_][\w-]*")


@dataclass(frozen=True, slots=True)
class Command:
    """A command's word ("sql": a statement), what follows it, and for `if` and `while` the block."""

    word: str
    text: str
    line: int
    block: tuple[Command, ...] = ()


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0
    line: int = 1
    delimiter: str = ";"
    parsing: bool = True
    _marks: list[int] = field(default_factory=list)

    def commands(self, depth: int = 0) -> Iterator[Command]:
        while (raw := self._next()) is not None:
            line, text, closed = raw
            if text == "}":
                if depth:
                    return
                continue
            command = self._command(line, text, closed, depth)
            if command is not None:
                yield command

    def _command(self, line: int, text: str, by_dashes: bool, depth: int) -> Command | None:
        found = _WORD.match(text)
        word = found[0].lower() if found else ""
        rest = text[len(word) :].strip()
        if word == "elseif" or (word == "else" and "{" in text):
            raise ValueError(f"line {line}: {word} is not known")
        if not COMMANDS.fullmatch(word) or (word == "end" and not by_dashes):
            return None if by_dashes or not self.parsing else Command("sql", text, line)
        if word in ("enable_parsing", "disable_parsing"):
            self.parsing = word == "enable_parsing"
        if not self.parsing:
            return None
        if word == "delimiter":
            self.delimiter = rest or ";"
            return None
        if word in _INLINE_TEXT:
            words = rest.rstrip(";").split()[word != "perl" :]  # behind the file's name, the line that ends the text
            self._skip_inline(words[0] if words else "EOF")
            return None
        if word in ("if", "while"):
            return Command(word, rest.rstrip("{").strip(), line, tuple(self._block(depth, rest.endswith("{"))))
        return Command(word, rest, line)

    def _block(self, depth: int, is_open: bool) -> Iterator[Command]:
        if not is_open:
            opening = self.text.find("{", self.at)
            self._move(opening + 1 if opening >= 0 else len(self.text))
        return self.commands(depth + 1)

    def _skip_inline(self, end: str) -> None:
        while self.at < len(self.text):
            stop = self.text.find("\n", self.at)
            stop = len(self.text) if stop < 0 else stop
            said = self.text[self.at : stop]
            self._move(stop + 1)
            if said.startswith(end):
                return

    def _move(self, at: int) -> None:
        self.line += self.text.count("\n", self.at, at)
        self.at = min(at, len(self.text))

    def _next(self) -> tuple[int, str, bool] | None:
        """(line, text, whether a line with dashes) of the next command or statement."""
        while True:
            blank = re.compile(r"\s*").match(self.text, self.at)
            self._move(blank.end() if blank else self.at)
            if self.at >= len(self.text):
                return None
            if self.text.startswith(("#", "--"), self.at):
                line, text = self.line, self._rest_of_line()
                if text.startswith("--"):
                    return line, text.lstrip("-").strip(), True
                continue
            if self.text.startswith(self.delimiter, self.at):
                self._move(self.at + len(self.delimiter))
                continue
            if self.text[self.at] == "}":
                self._move(self.at + 1)
                return self.line, "}", False
            line, text = self.line, self._statement()
            return line, text, False

    def _rest_of_line(self) -> str:
        stop = self.text.find("\n", self.at)
        stop = len(self.text) if stop < 0 else stop
        text = self.text[self.at : stop]
        self._move(stop)
        return text

    def _statement(self) -> str:
        """Up to the delimiter outside of quotes, or the brace that opens a block."""
        begin, at, quote = self.at, self.at, ""
        is_block = re.compile(r"(if|while)\b", re.IGNORECASE).match(self.text, begin) is not None
        while at < len(self.text):
            one = self.text[at]
            if quote:
                if one == "\\":
                    at += 1
                elif one == quote:
                    quote = ""
            elif self.text.startswith(self.delimiter, at):
                self._move(at + len(self.delimiter))
                return self.text[begin:at].strip()
            elif one == "{" and is_block:
                self._move(at + 1)
                return self.text[begin : at + 1]
            elif one in "'\"`" and self.text[at - 1] != "\\":
                quote = one
            at += 1
        self._move(len(self.text))
        return self.text[begin:].strip()


def parsed(text: str) -> tuple[Command, ...]:
    """The commands of a file, in their order."""
    return tuple(_Reader(text).commands())
