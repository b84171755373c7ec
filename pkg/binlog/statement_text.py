"""The text of a statement, which the binlog has in the bytes of its client.

A server splits the bytes into words, names and literals, and reads characters in each of these later.  So a byte that
is a letter there may be a quotation mark or a backslash as a character (sjis 81 5F, armscii8 FF), and the reverse in
swe7, whose `\\` and backtick are letters as characters.  The text that comes out has the same words, names and values
for whoever reads characters first.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from pkg.binlog.charset import UTF8, characters, decode, decode_with_marks, is_known, is_mark
from pkg.schema.charset import CHARSETS, charset_name
from pkg.schema.cursor import Cursor
from pkg.schema.lexer import ESCAPED, Kind, LexicalError, Token, comments, quote_name, quote_string, tokenize
from pkg.schema.not_replicated import TEXTS_OF_UPSTREAM, not_replicated
from pkg.schema.statement import Edit, edited

_INTRODUCED: Final = re.compile(rb"_[A-Za-z0-9]+\s*['\"]|\b[Nn]'")
_SPLIT_APART: Final = frozenset({"armscii8", "sjis", "swe7", "ujis"})  # all of which both servers say so
_LARGEST: Final = 1 << 20  # in bytes; what is larger holds rows, of which nothing is read here
_LETTER: Final = "\u0100"  # for a character that is no letter, of bytes that are letters

Read = Sequence[tuple[str, bytes]]
"""Characters, each with its bytes."""


def statement_text(text: bytes, client: str, connection: str | None, modes: Collection[str]) -> tuple[str, bool]:
    """The statement of a client in this character set; ``connection``: the set that its literals are converted to.

    Bytes that are no text come as digits where they stand in a literal, and are left out in comments.  Others, in names
    and comments of tables, are `?`, and the statement is no text (False); so are all of a very large one.  Raises
    ValueError where it is no SQL.
    """
    charset = client if client != "binary" and is_known(client) else "utf8mb4"
    is_split_apart = charset in _SPLIT_APART and not (text.isascii() and charset != "swe7")
    if not is_split_apart and (text.isascii() or _INTRODUCED.search(text) is None):
        with contextlib.suppress(UnicodeDecodeError):
            return decode(text, charset), True
    if len(text) > _LARGEST:
        return _shown(decode_with_marks(text, charset)), False
    read = characters(text, charset)
    found = "".join([character for character, _ in read])
    has_marks = any(map(is_mark, found))
    if has_marks and _stays_upstream(found, modes):
        return _shown(found), True
    split = "".join([_as_split(character, raw) for character, raw in read])
    try:
        tokens, places = tokenize(split, modes), list(comments(split, modes))
    except LexicalError as exc:
        if has_marks:
            raise ValueError(f"a statement is no text in {charset}: {exc}") from exc
        return found, True
    introducer = f"_{connection} " if client == "binary" and connection not in (None, "binary") else ""
    edits = list(_edits(read, split, tokens, charset, introducer, "NO_BACKSLASH_ESCAPES" not in modes))
    edits += [(start, end, " " * (end - start)) for start, end in _unread(split, places)]
    found = edited(split, sorted(edits))
    is_text = not any(map(is_mark, found))
    if _LETTER in found:  # a name without quotation marks
        is_text = is_text and not any(_LETTER in one.text for one in tokenize(found, modes) if one.kind is Kind.WORD)
    return _shown(found), is_text


def _shown(text: str) -> str:
    return "".join(["?" if is_mark(character) else character for character in text])


def _as_split(character: str, raw: bytes) -> str:
    """What a server takes a character for when it looks for words, names and literals."""
    if raw[0] < 0x80 and len(raw) == 1:
        return chr(raw[0])
    return _LETTER if character.isascii() else character


def _unread(split: str, places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Comments with bytes that are no text."""
    return ((start, end) for start, end in places if any(map(is_mark, split[start:end])))


def _edits(
    read: Read, split: str, tokens: Sequence[Token], charset: str, introducer: str, backslash: bool
) -> Iterator[Edit]:
    """Literals and names that have to be written in another way."""
    done = 0
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        if token.start < done:
            continue
        literals = _literals_behind(tokens, place) if token.kind is Kind.WORD and token.key[0] in "_N" else []
        if literals and _introduces(token, literals, charset):
            raw = b"".join(raw for one in literals for _, raw in _inside(read, split, one, backslash))
            is_national = token.key == "N"
            start, done = token.start if is_national else literals[0].start, literals[-1].end
            yield start, done, _national(raw, backslash) if is_national else f" 0x{raw.hex()}"
        elif token.kind is Kind.STRING:
            characters_ = list(_inside(read, split, token, backslash))
            value = "".join([character for character, _ in characters_])
            if any(map(is_mark, value)) and before is not None and before.key not in ("COMMENT", "="):
                yield token.start, token.end, f" {introducer}0x{b''.join([raw for _, raw in characters_]).hex()}"
            elif _is_other(read, split, token):
                yield token.start, token.end, quote_string(value, escapes=backslash)
        elif token.kind is Kind.QUOTED and _is_other(read, split, token):
            inner = (character for character, _ in _inside(read, split, token, backslash=False))
            yield token.start, token.end, quote_name("".join(inner))


def _national(raw: bytes, backslash: bool) -> str:
    """A literal behind N, which MariaDB keeps in a generated column as no other with the name of a set."""
    try:
        return f"N{quote_string(raw.decode(), escapes=backslash)}"
    except UnicodeDecodeError:
        return f"_utf8 0x{raw.hex()}"


def _literals_behind(tokens: Sequence[Token], place: int) -> list[Token]:
    end = place + 1
    while tokens[end].kind is Kind.STRING:
        end += 1
    return list(tokens[place + 1 : end])


def _is_other(read: Read, split: str, token: Token) -> bool:
    return any(read[place][0] != split[place] for place in range(token.start, token.end))


def _inside(read: Read, split: str, token: Token, backslash: bool) -> Iterator[tuple[str, bytes]]:
    """What stands between quotation marks, without its escapes."""
    quote = token.text[-1]
    places = iter(range(token.start + 1, token.end - 1))
    for place in places:
        if split[place] == "\\" and backslash:
            place = next(places)
            escaped = ESCAPED.get(split[place])
            yield read[place] if escaped is None else (escaped, escaped.encode())
        else:
            yield read[next(places) if split[place] == quote else place]


def _introduces(word: Token, literals: Sequence[Token], charset: str) -> bool:
    """Whether the word says another set of the literals than the statement's."""
    is_national = word.key == "N" and word.end == literals[0].start
    named = "utf8mb3" if is_national else charset_name(word.text[1:]) if word.text[0] == "_" else ""
    if named not in CHARSETS:
        return False
    texts = [one.text for one in literals if not one.text.isascii()]
    return bool(texts) and (charset not in UTF8 or named not in UTF8 or any(map(is_mark, "".join(texts))))


def _stays_upstream(sql: str, modes: Collection[str]) -> bool:
    """Whether the statement is about a routine, trigger, event, account or privilege, whose text nobody reads."""
    with contextlib.suppress(LexicalError):
        return not_replicated(Cursor(sql, tokenize(sql, modes))) in TEXTS_OF_UPSTREAM
    return False
