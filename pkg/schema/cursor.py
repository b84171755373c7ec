"""A place in a statement's tokens, and the small readings that every clause is made of."""

from __future__ import annotations

from dataclasses import dataclass

from pkg.schema.lexer import Kind, Token


class Unreadable(ValueError):
    """The text is not what the grammar expects here; the message says what stands there instead."""


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A table name as written: where it stands, and its parts (``schema`` None when it is not named).

    A name without a schema means the session's database, but a parent table (``is_parent``) is looked
    for in the database of the table that refers to it.
    """

    schema: str | None
    name: str
    start: int
    end: int
    is_parent: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a statement's text, known by its first word."""

    key: str
    start: int
    end: int


NO_CLAUSE = Clause("", 0, 0)


class Cursor:
    """Reads tokens from left to right; nothing is read twice unless ``position`` is set back."""

    __slots__ = ("expressions", "names", "position", "sql", "tokens", "words")

    def __init__(self, sql: str, tokens: list[Token], position: int = 0) -> None:
        self.sql = sql
        self.tokens = tokens
        self.position = position
        self.names: list[NameSpan] = []  # every table name read, in the order of the text
        self.words: set[int] = set()  # which tokens are names of anything
        self.expressions: list[tuple[int, int]] = []  # from where to where tokens may name columns, mostly in ( )

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    @property
    def key(self) -> str:
        return self.tokens[self.position].key

    def key_after(self, count: int) -> str:
        """The key ``count`` tokens further on, '' behind the end."""
        ahead = self.position + count
        return self.tokens[ahead].key if ahead < len(self.tokens) else ""

    @property
    def at_end(self) -> bool:
        return self.token.kind is Kind.END or (self.key == ";" and self.tokens[self.position + 1].kind is Kind.END)

    @property
    def at_partitioning(self) -> bool:
        """PARTITION BY and REMOVE PARTITIONING follow the last element of a list without a comma."""
        return self.key == "PARTITION" or (self.key == "REMOVE" and self.key_after(1) == "PARTITIONING")

    @property
    def at_item_end(self) -> bool:
        """Whether the current element of a list is over."""
        return self.key in (",", ")") or self.at_end

    def next(self) -> Token:
        token = self.tokens[self.position]
        if token.kind is Kind.END:
            raise self.unreadable("more text")
        self.position += 1
        return token

    def at(self, *keys: str) -> bool:
        """Whether the next token is one of ``keys``."""
        return self.tokens[self.position].key in keys

    def accept(self, *keys: str) -> bool:
        """Read ``keys`` if exactly they come next."""
        for offset, key in enumerate(keys):
            if self.key_after(offset) != key:
                return False
        self.position += len(keys)
        return True

    def accept_any(self, *keys: str) -> str:
        """Read the next token if it is one of ``keys``; which one it was, else ''."""
        key = self.key
        if key not in keys:
            return ""
        self.position += 1
        return key

    def expect(self, *keys: str) -> None:
        if not self.accept(*keys):
            raise self.unreadable(" ".join(keys))

    def unreadable(self, expected: str) -> Unreadable:
        token = self.token
        found = "the end" if token.kind is Kind.END else repr(self.sql[token.start : token.start + 40])
        return Unreadable(f"expected {expected} at character {token.start + 1}, found {found}")

    def name(self, what: str = "a name") -> str:
        token = self.token
        if not token.is_name and not (token.kind is Kind.STRING and token.text[0] == '"'):
            raise self.unreadable(what)
        self.words.add(self.position)
        self.position += 1
        return token.value

    def word_value(self) -> str:
        """A name that some clauses also take as a string (character sets, engines)."""
        token = self.token
        if token.kind not in (Kind.WORD, Kind.QUOTED, Kind.STRING):
            raise self.unreadable("a name")
        self.position += 1
        return token.value

    def string(self) -> str:
        """A string literal, with those that directly follow joined to it."""
        if self.token.kind is not Kind.STRING:
            raise self.unreadable("a string")
        parts = []
        while self.token.kind is Kind.STRING:
            parts.append(self.next().value)
        return "".join(parts)

    def table_name(self, *, is_parent: bool = False) -> NameSpan:
        """``table`` or ``schema.table``; also remembered in ``names``."""
        span = self._name_span(is_parent)
        self.names.append(span)
        return span

    def sequence_name(self) -> None:
        """The name of a sequence, which is no table of the statement."""
        self._name_span(False)

    def _name_span(self, is_parent: bool) -> NameSpan:
        start = self.token.start
        self.accept(".")  # `.t`: a table of the default schema, from the days of ODBC
        first = self.name("a table name")
        if not self.accept("."):
            return NameSpan(None, first, start, self._last_end, is_parent)
        token = self.next()
        if not token.is_name and token.kind is not Kind.NUMBER:
            self.position -= 1
            raise self.unreadable("a table name")
        return NameSpan(first, token.value, start, token.end, is_parent)

    def column_name(self) -> str:
        """A column's name, which may be written with its table."""
        name = self.name("a column name")
        while self.accept("."):
            name = self.name("a column name")
        return name

    @property
    def _last_end(self) -> int:
        return self.tokens[self.position - 1].end

    def parenthesized(self) -> str:
        """Read a balanced (…) and give its text with the parentheses."""
        if self.key != "(":
            raise self.unreadable("(")
        start = self.position
        depth = 0
        while True:
            key = self.next().key
            depth += (key == "(") - (key == ")")
            if depth == 0:
                self.expressions.append((start, self.position))
                return self.text_since(start)

    def expression_to_end(self) -> None:
        """Read all that is left of a list of columns."""
        start = self.position
        while not (self.at_end or self.at_partitioning):
            self.next()
        self.expressions.append((start, self.position))

    def skip_item(self) -> None:
        """Pass over the rest of the current list element."""
        while not (self.at_item_end or self.at_partitioning):
            if self.key == "(":
                self.parenthesized()
            else:
                self.next()

    def clause_since(self, position: int) -> Clause:
        """What was read since token ``position``, as a place in the text."""
        first = self.tokens[position]
        return Clause(first.key or first.text.upper(), first.start, self._last_end)

    def text_since(self, position: int) -> str:
        """The text from token ``position`` up to the last token read."""
        return self.sql[self.tokens[position].start : self._last_end]
