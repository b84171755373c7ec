"""A CREATE VIEW as a server shows it: its head, the tables that it names, and the text with other names for them.

Only names are replaced; every other character of the query stays as it is.  Which names are tables follows
from where they stand: behind FROM and JOIN, or with a schema before columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pkg.schema.cursor import Cursor, NameSpan, Unreadable
from pkg.schema.lexer import Kind, LexicalError, quote_name, tokenize

Name = tuple[str, str]
"""Schema and name of a table or view."""


@dataclass(frozen=True, slots=True)
class Account:
    """A user of a server, or a role (without a host)."""

    user: str
    host: str

    def __str__(self) -> str:
        return f"{quote_name(self.user)}@{quote_name(self.host)}" if self.host else quote_name(self.user)


@dataclass(frozen=True, slots=True)
class TableUse:
    """A table or view behind FROM."""

    span: NameSpan
    has_alias: bool
    end: int  # where an alias would stand


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """A column with a table before it; ``start`` and ``end`` are the table's, with its schema."""

    schema: str | None
    table: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ViewText:
    """What a CREATE VIEW says."""

    sql: str
    schema: str | None
    name: str
    algorithm: str
    definer: Account | None
    security: str
    columns: str  # the list behind the name, as it stands
    start: int  # of the query
    end: int
    tables: tuple[TableUse, ...]
    column_uses: tuple[ColumnUse, ...]
    own_names: frozenset[str]  # aliases and common table expressions, in lower case

    def used(self, schema: str) -> frozenset[Name]:
        """The tables and views that it names; those without a schema are in ``schema``."""
        return frozenset((one.span.schema or schema, one.span.name) for one in self.tables)


class NotExact(ValueError):
    """The names cannot be replaced so that the text surely means the same."""


def read_view(sql: str) -> ViewText:
    """Raises Unreadable for what is no CREATE VIEW."""
    try:
        reader = _Reader(sql, tokenize(sql))
    except LexicalError as exc:
        raise Unreadable(str(exc)) from exc
    return reader.view()


def rewritten(view: ViewText, schema: str, to: Name, targets: Mapping[Name, Name], definer: Account | None) -> str:
    """The CREATE VIEW of ``to`` for the target; names without a schema are of ``schema``.

    Tables that ``targets`` does not have keep their names.  Raises NotExact.
    """
    query, offset = view.sql[view.start : view.end], view.start
    for start, end, text in sorted(_edits(view, schema, targets), reverse=True):
        query = query[: start - offset] + text + query[end - offset :]
    head = f"CREATE ALGORITHM={view.algorithm or 'UNDEFINED'} "
    head += f"DEFINER={definer} " if definer is not None else ""
    head += f"SQL SECURITY {view.security or 'DEFINER'} VIEW {_full(to)}"
    return f"{head}{' ' + view.columns if view.columns else ''} AS {query}"


def _edits(view: ViewText, schema: str, targets: Mapping[Name, Name]) -> list[tuple[int, int, str]]:
    edits = []
    by_alias: set[Name] = set()  # tables that keep their old name as an alias
    for one in view.tables:
        name = one.span.schema or schema, one.span.name
        target = targets.get(name, name)
        edits.append((one.span.start, one.span.end, _full(target)))
        if not one.has_alias and target[1] != name[1] and _keeps_its_name(view, name, target):
            by_alias.add(name)
            edits.append((one.end, one.end, f" AS {quote_name(name[1])}"))
    for column in view.column_uses:
        if column.schema is not None:
            name = column.schema, column.table
            text = quote_name(column.table) if name in by_alias else _full(targets.get(name, name))
            edits.append((column.start, column.end, text))
    return edits


def _keeps_its_name(view: ViewText, name: Name, target: Name) -> bool:
    """Whether columns of a renamed table go by its old name alone, which then has to be an alias.

    (MariaDB writes columns of views that way, and all servers those of tables in the current database.)
    The old name must not be another one's alias then, nor must the new one be in the other case.
    """
    uses = {one.schema for one in view.column_uses if one.table.lower() == name[1].lower()}
    is_alias_too = name[1].lower() in view.own_names
    if None in uses and not (is_alias_too and name[0] in uses):
        refused = name[1] if is_alias_too else ""
    else:
        refused = target[1] if target[1].lower() in view.own_names else ""
    if refused:
        raise NotExact(f"{name[0]}.{name[1]} goes to {target[0]}.{target[1]}, and {refused} is an alias in it, too")
    return None in uses and not is_alias_too


def _full(name: Name) -> str:
    return f"{quote_name(name[0])}.{quote_name(name[1])}"


_BEHIND_FROM: Final = frozenset(
    {"WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "UNION", "EXCEPT", "INTERSECT", "MINUS", "PROCEDURE",
     "INTO", "LOCK", "FETCH", "OFFSET", "SELECT"}
)  # fmt: skip
_JOINS: Final = frozenset({",", "JOIN", "STRAIGHT_JOIN"})
_ABOUT_SEQUENCES: Final = frozenset({"NEXTVAL", "LASTVAL", "SETVAL"})


class _Reader(Cursor):
    """Reads one statement; what it finds gathers in its lists."""

    __slots__ = ("columns", "own_names", "tables")

    def view(self) -> ViewText:
        self.tables: list[TableUse] = []
        self.columns: list[ColumnUse] = []
        self.own_names: set[str] = set()
        self.expect("CREATE")
        self.accept("OR", "REPLACE")
        algorithm = self.word_value() if self.accept("ALGORITHM", "=") else ""
        definer = self._account() if self.accept("DEFINER", "=") else None
        security = self.word_value() if self.accept("SQL", "SECURITY") else ""
        self.expect("VIEW")
        self.accept("IF", "NOT", "EXISTS")
        name = self._name_span(False)
        columns = self.parenthesized() if self.at("(") else ""
        self.expect("AS")
        start = self.token.start
        self._nested(frozenset())
        if not self.at_end:
            raise self.unreadable("the end of the query")
        return ViewText(
            self.sql, name.schema, name.name, algorithm.upper(), definer, security.upper(), columns, start,
            self._last_end, tuple(self.tables), tuple(self.columns), frozenset(self.own_names),
        )  # fmt: skip

    def _account(self) -> Account | None:
        """None: whoever carries the statement out."""
        if self.accept_any("CURRENT_USER", "CURRENT_ROLE"):
            self.accept("(", ")")
            return None
        user = self.word_value()
        return Account(user, self.word_value() if self.accept("@") else "")

    # -- queries; `known` are the common table expressions that can be seen

    def _nested(self, known: frozenset[str]) -> None:
        """Up to the closing parenthesis, or the end: a query or an expression."""
        if self.at("WITH"):
            known = self._common_tables(known)
        in_list = False  # of what a SELECT gives
        while not self.at_end and not self.at(")"):
            if self.at("("):
                self._parenthesis(known)
            elif self.accept("SELECT"):
                in_list = True
            elif in_list and self.at("FROM") and self.tokens[self.position - 1].key != "DISTINCT":
                self.next()
                in_list = False
                self._factors(known)
            else:
                self._any()

    def _parenthesis(self, known: frozenset[str]) -> None:
        self.expect("(")
        self._nested(known)
        self.expect(")")

    def _common_tables(self, known: frozenset[str]) -> frozenset[str]:
        self.expect("WITH")
        is_recursive = self.accept("RECURSIVE")
        while True:
            name = self.name("a common table expression").lower()
            self.own_names.add(name)
            if self.at("("):
                self.parenthesized()
            self.expect("AS")
            self._parenthesis(known | {name} if is_recursive else known)
            known |= {name}
            if self.accept("CYCLE"):
                while not self.accept("RESTRICT"):
                    self.next()
            if not self.accept(","):
                return known

    def _factors(self, known: frozenset[str]) -> None:
        """The tables behind FROM, with their conditions."""
        self._factor(known)
        while not self.at_end and not self.at(")") and self.key not in _BEHIND_FROM:
            if self.key in _JOINS:
                self.next()
                self._factor(known)
            elif self.at("FOR") and self.key_after(1) in ("JOIN", "ORDER", "GROUP"):
                self.position += 2  # of an index hint
            elif self.at("("):
                self._parenthesis(known)
            else:
                self._any()

    def _factor(self, known: frozenset[str]) -> None:
        self.accept("LATERAL")
        if self.accept("("):
            if not self.at("SELECT", "WITH", "VALUES"):
                self._factors(known)
            self._nested(known)
            self.expect(")")
            self._alias()
        elif self.token.is_name and self.key_after(1) == "(":
            self.next()  # JSON_TABLE
            self._parenthesis(known)
            self._alias()
        elif not self.accept("DUAL"):
            self._table(known)

    def _table(self, known: frozenset[str]) -> None:
        span = self._name_span(False)
        if self.accept("PARTITION"):
            self.parenthesized()
        end = self._last_end
        has_alias = self._alias()
        if span.schema is not None or span.name.lower() not in known:
            self.tables.append(TableUse(span, has_alias, end))

    def _alias(self) -> bool:
        if not self.accept("AS") and self.token.kind is not Kind.QUOTED:
            return False
        self.own_names.add(self.name("an alias").lower())
        return True

    def _any(self) -> None:
        """One token, or a column's whole name."""
        first = self.next()
        if not first.is_name:
            return
        if self.at("(") and first.key in _ABOUT_SEQUENCES:
            self.next()
            span = self._name_span(False)
            self.tables.append(TableUse(span, True, span.end))
            self._nested(frozenset())
            self.expect(")")
            return
        parts = [first]
        while self.at(".") and self.tokens[self.position + 1].is_name:
            self.next()
            parts.append(self.next())
        if len(parts) > 1 and not self.at("("):
            table = parts[-2]
            self.columns.append(
                ColumnUse(parts[0].value if len(parts) > 2 else None, table.value, first.start, table.end)
            )
