"""SQL text to tokens with their exact places, as MySQL and MariaDB read it.

sqlglot's tokenizer takes executable comments (``/*!50100 … */``, ``/*M! … */``) for comments and knows
no sql_mode, both of which change what a DDL means; so this reader is our own: one regular expression.

Servers blank the mark of a version comment (``/*!``; MariaDB's ``/*M!``) that they did not execute before they log a
statement, so each mark that a server knows is code.  What it does not know is a comment: ``/*M!`` for MySQL,
``/*T!`` for both.  ``logged_by`` names that server; "" is text of another kind (SHOW CREATE, an operator's), in
which ``/*!`` and ``/*M!`` are code and ``/*T!`` is left to TiDB.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from functools import cache
from typing import NamedTuple

from pkg.schema.letter_case import small


class Kind(Enum):
    WORD = "word"  # keyword, or an identifier without quotes
    QUOTED = "quoted"  # `identifier`, "identifier" of ANSI_QUOTES, [identifier] of MariaDB's MSSQL
    STRING = "string"
    NUMBER = "number"
    SIGN = "sign"
    END = "end"


class Token(NamedTuple):
    """One token; ``key`` is what grammar compares: the upper-case word, the sign, else ''."""

    kind: Kind
    key: str
    text: str
    start: int
    end: int
    executable: bool  # it stands inside an executable comment

    @property
    def is_name(self) -> bool:
        return self.kind is Kind.WORD or self.kind is Kind.QUOTED

    @property
    def value(self) -> str:
        """A name without its quotes, a string's characters, other tokens as they stand."""
        if self.kind is Kind.QUOTED:
            quote = self.text[-1]
            return self.text[1:-1].replace(quote * 2, quote)
        return string_value(self.text) if self.kind is Kind.STRING else self.text


class LexicalError(ValueError):
    """Text that is no SQL: an unfinished string, name or comment."""


_PATTERN = r"""
    (?P<space>[ \t\n\r\v\f]+)
  | (?P<comment>\#[^\n]* | --(?=[\x00-\x20]|\Z)[^\n]* | (?!{mark})/\*.*?\*/)
  | (?P<open>{mark}(?:{version})?)
  | (?P<close>\*/)
  | (?P<unfinished>/\*)
  | (?P<number>(?:0[xX][0-9a-fA-F]+ | 0b[01]+
      | (?:[0-9]+\.[0-9]* | (?<!`)(?<!{letter})\.[0-9]+ | [0-9]+)(?:[eE][+-]?[0-9]+)?)(?!{letter}))
  | (?P<word>\\N | {letter}+)
  | (?P<quoted>{quoted})
  | (?P<string>{string})
  | (?P<sign><=> | := | \|\| | && | <= | >= | <> | != | << | >> | ->> | -> | [-+*/%.,;()=<>!&|^~@?:{{}}\[\]])
"""
_LETTER = r"[\w$\u0080-\U0010ffff]"  # of a name without quotes
_BACKTICK = r"`(?:[^`]++|``)*+`"
_DOUBLE_NAME = r'"(?:[^"]++|"")*+"'
_BRACKETS = r"\[(?:[^\]]++|\]\])*+\]"
# What makes a comment code, and the version that may follow: MySQL takes six digits only where no seventh follows.
_MARKS = {"": (r"/\*M?!", r"\d{5,6}"), "mysql": (r"/\*!", r"\d{6}(?!\d)|\d{5}"), "mariadb": (r"/\*M?!", r"\d{5,6}")}
_KINDS = {"word": Kind.WORD, "quoted": Kind.QUOTED, "string": Kind.STRING, "number": Kind.NUMBER, "sign": Kind.SIGN}


@cache
def _pattern(ansi_quotes: bool, brackets: bool, backslash: bool, logged_by: str) -> re.Pattern[str]:
    inside = r"(?:[^{q}\\]++|\\.|{q}{q})*+" if backslash else r"(?:[^{q}]++|{q}{q})*+"
    single = "'" + inside.format(q="'") + "'"
    double = '"' + inside.format(q='"') + '"'
    quoted = f"{_BACKTICK} | {_DOUBLE_NAME}" if ansi_quotes else _BACKTICK
    quoted = f"{quoted} | {_BRACKETS}" if brackets else quoted
    string = single if ansi_quotes else f"{single} | {double}"
    mark, version = _MARKS[logged_by]
    pattern = _PATTERN.format(quoted=quoted, string=string, mark=mark, version=version, letter=_LETTER)
    return re.compile(pattern, re.VERBOSE | re.DOTALL)


def _pattern_by(modes: Collection[str], logged_by: str) -> re.Pattern[str]:
    return _pattern("ANSI_QUOTES" in modes, "MSSQL" in modes, "NO_BACKSLASH_ESCAPES" not in modes, logged_by)


def tokenize(sql: str, modes: Collection[str] = (), *, logged_by: str = "") -> list[Token]:
    """All tokens of ``sql``, written under the ``modes`` of a sql_mode; the last has Kind.END.  Raises LexicalError."""
    tokens: list[Token] = []
    executable = False
    for group, match in _parts(sql, _pattern_by(modes, logged_by)):
        if group in _KINDS:
            text = match.group()
            is_ascii_word = group == "word" and text.isascii()  # what is more is a name: "ſet".upper() is SET
            key = text.upper() if is_ascii_word else text if group in ("word", "sign") else ""
            tokens.append(Token(_KINDS[group], key, text, *match.span(), executable))
        elif group != "comment":
            executable = group == "open"
    tokens.append(Token(Kind.END, "", "", len(sql), len(sql), False))
    return tokens


def names_in(text: str) -> set[str]:
    """Words and quoted names of a text, in lower case: columns that an expression reads are among them."""
    return {small(token.value) for token in tokenize(text) if token.is_name}


def comments(sql: str, modes: Collection[str] = (), *, logged_by: str = "") -> Iterator[tuple[int, int]]:
    """Where in ``sql`` comments stand, and the marks around what is code.  Raises LexicalError."""
    for group, match in _parts(sql, _pattern_by(modes, logged_by)):
        if group not in _KINDS and (logged_by or not match.group().startswith("/*T!")):
            yield match.span()


def blanked(text: str, places: Iterable[tuple[int, int]]) -> str:
    """Spaces in these places of ``text``; all others stay where they are."""
    parts, position = [], 0
    for start, end in places:
        parts += [text[position:start], " " * (end - start)]
        position = end
    return "".join(parts) + text[position:]


def _parts(sql: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, re.Match[str]]]:
    """All that is no blank, by the name of its group."""
    executable = False
    position = 0
    for match in pattern.finditer(sql):
        if match.start() != position:
            break
        position = match.end()
        group = match.lastgroup or ""
        if group == "space":
            continue
        if group in ("open", "close"):
            if executable == (group == "open"):
                raise LexicalError(f"a comment that does not belong at character {match.start() + 1}")
            executable = not executable
        elif group == "unfinished":
            raise LexicalError(f"a comment that does not end at character {match.start() + 1}")
        yield group, match
    if position != len(sql):
        raise LexicalError(f"cannot read on at character {position + 1}: {sql[position : position + 30]!r}")
    if executable:
        raise LexicalError("an executable comment that does not end")


_ESCAPE = re.compile(r"\\(.)|''|\"\"", re.DOTALL)
ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def string_value(literal: str) -> str:
    """The characters that a string literal stands for."""
    quote = literal[0]
    inner = literal[1:-1]
    if "\\" not in inner and quote not in inner:
        return inner
    return "".join(_unescaped(inner, quote))


def _unescaped(inner: str, quote: str) -> Iterator[str]:
    position = 0
    for match in _ESCAPE.finditer(inner):
        escaped = match.group(1)
        if escaped is None and match.group()[0] != quote:
            continue  # the other kind of quote needs no escape, two of it are two
        yield inner[position : match.start()]
        yield quote if escaped is None else ESCAPED.get(escaped, escaped)
        position = match.end()
    yield inner[position:]


_DIGITS = re.compile(r"0x([0-9a-f]+)|x'((?:[0-9a-f]{2})*)'|0b([01]+)|b'([01]*)'", re.IGNORECASE)


def bytes_of_digits(literal: str) -> bytes | None:
    """Those that a literal of hexadecimal digits or bits stands for; None for another literal."""
    found = _DIGITS.fullmatch(literal)
    if found is None:
        return None
    digits, bits = found[1] or found[2] or "", found[3] or found[4] or ""
    if bits:
        return int(bits, 2).to_bytes((len(bits) + 7) // 8, "big")
    return bytes.fromhex("0" * (len(digits) % 2) + digits)


def digits_literal(tokens: Sequence[Token]) -> tuple[bytes, int] | None:
    """The bytes of such a literal that the tokens begin with, and the number of its tokens."""
    if tokens and tokens[0].kind is Kind.NUMBER:
        size = 1
    elif len(tokens) > 1 and tokens[0].key in ("X", "B") and tokens[0].end == tokens[1].start:
        size = 2
    else:
        return None
    raw = bytes_of_digits("".join(token.text for token in tokens[:size]))
    return None if raw is None else (raw, size)


def closing_of(tokens: Sequence[Token], opening: int, opens: str = "(", closes: str = ")") -> int | None:
    """Where the end of what begins at ``opening`` stands; None where there is none."""
    depth = 0
    for place in range(opening, len(tokens)):
        depth += (tokens[place].key == opens) - (tokens[place].key == closes)
        if not depth:
            return place
    return None


def in_parentheses(tokens: Sequence[Token]) -> Sequence[Token]:
    """Of tokens that begin with a parenthesis, those between it and its end."""
    return tokens[1 : closing_of(tokens, 0)]


def integer(text: str) -> int:
    """A length or precision, which may be written in hexadecimal digits."""
    return int(text, 16) if text[:2].lower() == "0x" else int(text)


def quote_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def quote_string(value: str, *, escapes: bool = True) -> str:
    """``escapes``: whether a backslash is one, as it is not under NO_BACKSLASH_ESCAPES."""
    return "'" + (value.replace("\\", "\\\\") if escapes else value).replace("'", "''") + "'"
