"""Literals that name their character set (`_latin1'…'`), as text that every server reads alike.

- MySQL's SHOW CREATE TABLE prints the literals of expressions so, and their bytes in that set, in the middle of a text
  in UTF-8: `_latin1'\\xe9'`.  A client that asks for utf8mb4 gets a `?` for what is none there, and for characters of
  four bytes.
- MariaDB stores such a literal of a generated column, CHECK or DEFAULT as `'\\xC3\\xA9'` and reads `xC3xA9` back: what
  is no plain ASCII or is escaped is destroyed.  A plain literal, and one of hexadecimal digits, stay what they are.
- TiDB reads the bytes of such a literal as UTF-8, and knows few sets.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pkg.binlog.charset import decode, encode
from pkg.schema.binary_casts import with_collated_casts
from pkg.schema.charset import CHARSETS, WIDE_SETS, charset_name
from pkg.schema.lexer import Kind, Token, bytes_of_digits, digits_literal, quote_string, string_value, tokenize
from pkg.schema.statement import Edit, edited

_INTRODUCER = re.compile(r"_\w+\s*'", re.ASCII)
_SEVERAL = re.compile(r"(?:\b[Nn]|_\w+\s*)['\"].*['\"]\s*['\"]", re.ASCII | re.DOTALL)
_DIGITS = re.compile(r"\b[Xx]'", re.ASCII)
_PLAIN = re.compile(r"[ !#-&(-\[\]-~]*")  # ASCII without quotes, escapes and control characters
_KEPT = re.compile(rb"[ -&(-\[\]-~]*")  # the same in bytes: MariaDB prints a quotation mark as it is
_UTF8 = frozenset({"utf8mb4", "utf8mb3"})
_READ_BY_TIDB = _UTF8 | {"binary", "ascii"}
_WIDTHS = {"ucs2": 2, "utf16": 2, "utf32": 4}  # bytes, to which MySQL fills a literal up from the left


def may_be_mangled(shown: str) -> bool:
    """Whether what a server shows in utf8mb4 may hold literals whose bytes are in another set, or have become `?`."""
    return _INTRODUCER.search(shown) is not None and (not shown.isascii() or "?" in shown)


def with_bytes_as_digits(shown: bytes) -> str:
    """The text of SHOW CREATE TABLE in utf8mb4; MariaDB shows defaults of binary columns as the bytes that they are.

    Raises UnicodeDecodeError for bytes that are no text and in no literal.
    """
    try:
        return shown.decode()
    except UnicodeDecodeError:
        pass
    parts, position = [], 0
    for token in tokenize(shown.decode("latin-1")):  # a character for each byte
        if token.kind is not Kind.STRING or _is_text(shown[token.start : token.end]):
            continue
        digits = string_value(token.text).encode("latin-1").hex()
        before = shown[position : token.start].decode()
        parts += [before, " " if before[-1:].isalnum() else "", f"X'{digits}'"]
        position = token.end
    return "".join(parts) + shown[position:].decode()


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def decoded(shown: bytes) -> str:
    """The text of SHOW CREATE TABLE that was sent without conversion; its literals become those of utf8mb4.

    Raises UnicodeDecodeError for a text that is in no UTF-8 beside its literals.
    """
    text = shown.decode("latin-1")  # a character for each byte
    parts, position = [], 0
    for introducer, literals, charset in _introduced(tokenize(text)):
        raw = b"".join(string_value(one.text).encode("latin-1") for one in literals)
        if literals[0].kind is not Kind.STRING:
            continue
        parts += [shown[position : introducer.start].decode(), _shown_literal(raw, charset)]
        position = literals[-1].end
    return "".join(parts) + shown[position:].decode()


def _shown_literal(raw: bytes, charset: str) -> str:
    try:
        if charset != "binary":
            return f"_utf8mb4{quote_string(decode(raw, charset))}"
    except UnicodeDecodeError:
        pass  # bytes that are no text in the set
    return f"_{charset} X'{raw.hex()}'"


def as_read_by(flavor: str, sql: str, *, client: str = "utf8mb4", connection: str = "utf8mb4") -> str:
    """``sql`` written for a target of this flavour, where it would misread a literal or a cast of the upstream's."""
    return with_collated_casts(without_introducers(sql, flavor, client=client, connection=connection), flavor)


def without_introducers(sql: str, flavor: str, *, client: str = "utf8mb4", connection: str = "utf8mb4") -> str:
    """``sql`` with the literals that a target of this flavour would misread written otherwise; it reads without modes.

    ``client`` is the set that the literals' bytes were sent in, ``connection`` that of the target's session.
    """
    if flavor not in ("mariadb", "tidb") or not re.search(r"_\w+\s*(['\"]|0x|x'|0b|b')", sql, re.ASCII | re.IGNORECASE):
        return sql
    edits: list[Edit] = []
    tokens = tokenize(sql)
    for introducer, literals, charset in _introduced(tokens):
        is_kept = flavor == "tidb" and charset in _READ_BY_TIDB
        if is_kept or (charset not in WIDE_SETS and all(_is_plain(one) for one in literals)):
            continue
        raw = b"".join(_bytes(one, client) for one in literals)
        end = literals[-1].end
        has_collation = next((one.key for one in tokens if one.start >= end), "") == "COLLATE"
        before = next((one.key for one in reversed(tokens) if one.end <= introducer.start), "")
        if flavor == "mariadb" and before == "DEFAULT":  # an expression would stay one, and be shown as such
            edits.append((introducer.start, end, f"_{charset} X'{raw.hex()}'"))
            continue
        edits.append((introducer.start, end, _rewritten(raw, charset, connection, flavor, has_collation)))
    return edited(sql, edits)


def literals_in_a_row(sql: str) -> Iterator[Edit]:
    """One literal for several behind a character set or `N`: TiDB reads `_utf8mb4'a' 'b'` as `a' 'b`.

    ``sql`` is a text as it reads without sql_modes.
    """
    if _SEVERAL.search(sql) is None:
        return
    tokens = tokenize(sql)
    for place, token in enumerate(tokens):
        if _named_set(token) or (token.key == "N" and token.end == tokens[place + 1].start):
            chain = _literals(tokens, place + 1)
            if len(chain) > 1:
                yield chain[0].start, chain[-1].end, quote_string("".join(one.value for one in chain))


def with_hybrid_digits(sql: str) -> str:
    """MySQL's text for MariaDB, where X'31' is a text at every place, and 0x31 a number where one is wanted."""
    if _DIGITS.search(sql) is None:
        return sql
    edits: list[Edit] = []
    for before, word, digits in zip(tokens := tokenize(sql), tokens[1:], tokens[2:], strict=False):
        is_literal = word.key == "X" and digits.kind is Kind.STRING and word.end == digits.start and digits.value
        if is_literal and not _named_set(before):
            edits.append((word.start, digits.end, f" 0x{digits.value}"))
    return edited(sql, edits)


def unplain_literal(expression: str) -> str:
    """The first literal that names its set and is more than plain ASCII; "" for none.

    MariaDB keeps it as another text in a stored expression, and as bytes it is other ones in another set.
    """
    for introducer, literals, charset in _introduced(tokenize(expression)):
        raw = b"".join(_bytes(one, "utf8mb4") for one in literals)
        if charset in WIDE_SETS or _KEPT.fullmatch(raw) is None:
            return expression[introducer.start : literals[-1].end]
    return ""


def _rewritten(raw: bytes, charset: str, connection: str, flavor: str, has_collation: bool) -> str:
    if charset == "binary":
        return f"X'{raw.hex()}'"
    raw = b"\0" * (-len(raw) % _WIDTHS.get(charset, 1)) + raw
    try:
        literal = quote_string(text := decode(raw, charset))
    except UnicodeDecodeError:
        return f"CONVERT(X'{raw.hex()}' USING {charset})"
    if charset in _UTF8 or not has_collation:
        if _holds(connection, text):
            return literal
        if flavor == "tidb":
            return f"_utf8mb4{literal}"
    elif flavor == "tidb" and charset == "latin1":
        return f"_latin1{literal}"  # of its own kind, whose bytes are UTF-8
    return f"CONVERT(X'{raw.hex()}' USING {charset})"


def _holds(connection: str, text: str) -> bool:
    """Whether a literal may go through the character set of the connection."""
    return text.isascii() or connection == "utf8mb4" or (connection == "utf8mb3" and max(text) <= "\uffff")


def _is_plain(literal: Token) -> bool:
    return literal.kind is Kind.STRING and _PLAIN.fullmatch(literal.text[1:-1]) is not None


def _bytes(literal: Token, client: str) -> bytes:
    raw = bytes_of_digits(literal.text)
    return encode(literal.value, client) if raw is None else raw


def _introduced(tokens: Sequence[Token]) -> Iterator[tuple[Token, list[Token], str]]:
    """Each introducer with its literals, of which several may follow one another, and the set."""
    for place, token in enumerate(tokens):
        name = _named_set(token)
        found = _literals(tokens, place + 1) if name else []
        if found:
            yield token, found, name


def _named_set(token: Token) -> str:
    """The character set that an introducer names; "" for another token."""
    name = charset_name(token.text[1:]) if token.kind is Kind.WORD and token.text.startswith("_") else ""
    return name if name in CHARSETS else ""


def _literals(tokens: Sequence[Token], place: int) -> list[Token]:
    if (digits := digits_literal(tokens[place : place + 2])) is not None:
        parts = tokens[place : place + digits[1]]
        text = "".join(part.text for part in parts)
        return [Token(Kind.NUMBER, "", text, parts[0].start, parts[-1].end, parts[0].executable)]
    found = []
    while tokens[place].kind is Kind.STRING:
        found.append(tokens[place])
        place += 1
    return found
