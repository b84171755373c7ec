"""Generated columns, and defaults that fill rows, whose expression has other values on another server.

Three causes: a text column that it reads has another character set or collation there, so that bytes and comparisons
are others; servers that make texts of numbers, quotients and JSON in different ways; and what they convert without
being told to (pkg.schema.implicit_conversions).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from pkg.schema.alter import ChangeColumn
from pkg.schema.calculated import as_made, calculated_anew, columns_then, retyped_columns
from pkg.schema.charset import charset_name, collation_rules
from pkg.schema.column_forms import reads_alike
from pkg.schema.column_types import BINARY_TYPES, TEXT_TYPES
from pkg.schema.columns import ColumnSpec
from pkg.schema.ddl import defined_columns
from pkg.schema.fill import divides_alike
from pkg.schema.held_literals import UNLIKE_ASCII
from pkg.schema.introducers import unplain_literal
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token, tokenize
from pkg.schema.mapping import is_rounded_again
from pkg.schema.portable import unknown_reason
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table
from pkg.schema.targets import is_literal, is_now, takes_moment


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OF_BYTES = _names(
    "LENGTH OCTET_LENGTH BIT_LENGTH HEX MD5 SHA SHA1 SHA2 CRC32 ORD ASCII TO_BASE64 AES_ENCRYPT COMPRESS BINARY "
    "UNCOMPRESSED_LENGTH WEIGHT_STRING"
)
_COMPARING = _names(
    "LIKE IN BETWEEN CASE STRCMP LOCATE POSITION INSTR REPLACE NULLIF FIELD FIND_IN_SET GREATEST LEAST REGEXP RLIKE "
    "REGEXP_LIKE REGEXP_INSTR REGEXP_REPLACE REGEXP_SUBSTR SUBSTRING_INDEX"
)
_SIGNS = frozenset({"=", "<", ">", "<=", ">=", "<>", "!=", "<=>"})
_OPENS = frozenset({"(", ",", "AND", "OR", "WHEN"})
_CLOSES = frozenset({")", ",", "AND", "OR", "THEN"})
_ROUNDING = frozenset({"ROUND", "TRUNCATE", "FLOOR", "CEIL", "CEILING", "FORMAT"})
_OF_PATTERNS = _names("REGEXP RLIKE REGEXP_LIKE REGEXP_INSTR REGEXP_REPLACE REGEXP_SUBSTR")
# What PCRE, ICU and RE2 read alike: no classes, no ends of lines, nothing that a backslash or a question mark begins.
_PLAIN_PATTERN = re.compile(r"(?:(?!\[[:.=]|\(\?)[\x20-\x7e])*", re.ASCII)
_SPECIAL = frozenset(".$\\")
_UNICODE = frozenset({"utf8mb3", "utf8mb4", "ascii"})
_FLOATS = frozenset({"float", "double"})
_USUAL_INCREMENT = "4"  # of div_precision_increment
_OF_ZONES = frozenset({"UNIX_TIMESTAMP", "FROM_UNIXTIME"})
_TEXTS = TEXT_TYPES | BINARY_TYPES
# The same rules but for what Unicode has added since 9.0.
_OF_UNICODE_9 = re.compile(r"utf8mb4_(?:0900|uca1400_nopad)_(a[is]_c[is])")


@dataclass(frozen=True, slots=True)
class OtherExpression:
    """A column with such an expression; ``fills`` says that only rows which are there are concerned."""

    column: str
    reason: str
    fills: bool


def other_expressions(
    ddl: Ddl,
    after: Table,
    present: Table | None,
    flavors: tuple[str, str],
    collations: Collection[str],
    before: Table | None = None,
) -> Iterator[OtherExpression]:
    """Of a CREATE or ALTER TABLE.

    ``after`` is the table upstream behind it and ``before`` the one before it, where that is known, ``present`` the
    target's before it, ``flavors`` the upstream's and the target's, ``collations`` the target's.
    """
    then, changed = present, retyped_columns(ddl, before, after)
    if present is not None:
        found = columns_then(ddl, before, after, present, flavors[1], collations)
        then = replace(present, columns=tuple(column for _, column in found))
    for anew in calculated_anew(ddl, before, after):
        there = then.column(anew.name) if then is not None else None
        if there is not None and not there.generated:
            yield OtherExpression(anew.name, "it is a plain column there, and keeps the values that it has", True)
        elif reason := _Reader(anew.expression, after, then, flavors, collations, changed).differs(anew):
            yield OtherExpression(anew.name, reason, False)
    for spec, is_new in defined_columns(ddl):
        column = after.column(spec.name)
        below = present.column(spec.name) if present is not None else None
        if ddl.create is not None and below is not None and not below.generated:
            continue  # made by hand as a plain column, which replication fills
        if column is None:
            continue
        for text, fills in _expressions(ddl, spec, is_new):
            read = _Reader(text, after, then, flavors, collations, changed)
            is_virtual_there = is_new and spec.generated == "STORED" and flavors[1] == "tidb"
            is_rounded = fills and flavors[1] != "mysql"
            reason = read.differs(column, is_rounded=is_rounded) or is_virtual_there * read.in_which_zone()
            if reason:
                yield OtherExpression(spec.name, reason, fills)


def changes_generated(ddl: Ddl, present: Table | None) -> bool:
    """Whether it is an ALTER TABLE that defines generated columns anew; ``present`` is the target's table before it."""
    generated = {small(column.name) for column in present.columns if column.generated} if present is not None else set()
    changes = [one for one in ddl.alterations if isinstance(one, ChangeColumn)]
    return any(one.column.generated or small(one.old) in generated for one in changes)


def calculates_otherwise(
    column: Column, above: Table, below: Table, flavors: tuple[str, str], collations: Collection[str]
) -> str:
    """Why the upstream's expression of a column of ``above`` has other values in ``below``; "" where it has not."""
    return _Reader(column.expression, above, below, flavors, collations).differs(column)


def _expressions(ddl: Ddl, spec: ColumnSpec, is_new: bool) -> Iterator[tuple[str, bool]]:
    if spec.generated and not spec.row_period:
        yield from ((ddl.text[one.start : one.end], False) for one in spec.clauses if one.key in ("GENERATED", "AS"))
    elif is_new and spec.default is not None and not _is_alike(spec.default, spec.type.base):
        yield spec.default, True


def _is_alike(default: str, base_type: str) -> bool:
    """Whether it is a constant, or the present moment in a column that holds it."""
    return takes_moment(base_type) if is_now(default) else is_literal(default)


class _Reader:
    """One expression, and what the target makes of the columns that it reads."""

    def __init__(
        self,
        text: str,
        table: Table,
        present: Table | None,
        flavors: tuple[str, str],
        collations: Collection[str],
        changed: Collection[str] = (),
    ) -> None:
        """``changed``: columns that have their types by the statement, in small letters."""
        self._text = text
        self._tokens = tokenize(text)
        self._words = {token.key for token, behind in pairwise(self._tokens) if _means(token, behind)}
        self._flavors = flavors
        self._collations = collations
        self._table = table
        self._present = present
        self._changed = changed
        self._columns = list(self._read())
        self._signs = {
            self._tokens[at].key
            for at, token in enumerate(self._tokens)
            if token.key in _SIGNS and token.kind is not Kind.QUOTED and not self._compares_numbers(at)
        }

    def _compares_numbers(self, at: int) -> bool:
        """Whether the sign at this place stands between a column that is no text and a number, with nothing beside."""
        if at == 0 or self._tokens[at + 1].kind is not Kind.NUMBER:
            return False
        column, behind = self._tokens[at - 1], self._tokens[at + 2]  # at least the end
        is_alone = (at == 1 or self._tokens[at - 2].key in _OPENS) and (
            behind.kind is Kind.END or behind.key in _CLOSES
        )
        known = self._table.column(column.value) if column.is_name else None
        return is_alone and known is not None and not known.collation

    def _read(self) -> Iterator[Column]:
        for token, behind in pairwise(self._tokens):
            column = self._table.column(token.value) if token.is_name else None
            if column is not None and not _is_call(token, behind):
                yield column

    def differs(self, result: Column, *, is_rounded: bool = False) -> str:
        """Why the value is another one there; "" for the same.  ``is_rounded``: see converts_otherwise."""
        texts = [column for column in self._columns if column.collation and column.base_type in TEXT_TYPES]
        reason = self._of_types(result) or next((reason for column in texts if (reason := self._of_text(column))), "")
        if reason or self._flavors[0] == self._flavors[1]:
            return reason
        return self._of_literals(result) or self._of_numbers(result, is_rounded)

    def in_which_zone(self) -> str:
        """Why a value that is calculated when it is read depends on the reader's time zone; "" where it does not."""
        if self._words & _OF_ZONES or any(column.base_type == "timestamp" for column in self._columns):
            return "TiDB adds no STORED column, and a VIRTUAL one reads moments in the time zone of each session"
        return ""

    def _of_types(self, result: Column) -> str:
        """A column that somebody has made with another type, of which something else is calculated."""
        names = {small(column.name) for column in self._columns}
        for column in self._columns:
            below = self._present.column(column.name) if self._present is not None else None
            if below is None or small(column.name) in self._changed:
                continue
            if not reads_alike(column, below, self._tokens, result, names):
                return f"it reads {column.name}, which is a {column.type} upstream and a {below.type} there"
        return ""

    def _of_text(self, column: Column) -> str:
        charset, collation = self._there(column)
        above = charset_name(column.charset or "")
        of_bytes = next(iter(sorted(self._words & _OF_BYTES)), "")
        if of_bytes and above != charset and "USING" not in self._words and not {above, charset} <= _UNICODE:
            return f"{of_bytes} reads the bytes of {column.name}, which is {above} upstream and {charset} there"
        compares = next(iter(sorted(self._words & _COMPARING | self._signs)), "")
        if compares and "COLLATE" not in self._words and not _compares_alike(column, collation):
            return f"{compares} compares {column.name} by {column.collation} upstream and by {collation} there"
        return ""

    def _of_literals(self, result: Column) -> str:
        """A literal has the bytes of its connection's set, or in MariaDB of its table's; TiDB's are UTF-8."""
        named = unplain_literal(self._text)
        if named and self._flavors[0] == "mariadb":
            return f"MariaDB keeps {named} as another text, which SHOW CREATE TABLE prints there"
        of_bytes = next(iter(sorted(self._words & _OF_BYTES)), "")
        if not of_bytes and not any(one.base_type in BINARY_TYPES for one in (result, *self._columns)):
            return ""
        if named:
            return f"the bytes of the literal {named} are those of its character set ({of_bytes or 'bytes'})"
        for before, token in pairwise(self._tokens):
            if token.kind is Kind.STRING and (
                not token.value.isascii() or charset_name(before.text[1:]) in UNLIKE_ASCII
            ):
                return f"the bytes of the literal {token.text} are those of its character set ({of_bytes or 'bytes'})"
        return ""

    def _there(self, column: Column) -> tuple[str, str]:
        below = self._present.column(column.name) if self._present is not None else None
        if below is not None and below.collation:
            return charset_name(below.charset or ""), below.collation
        made = as_made(column, self._table, self._flavors[1], self._collations)
        return charset_name(made.charset or ""), made.collation or ""

    def _of_numbers(self, result: Column, is_rounded: bool) -> str:
        types = {column.base_type for column in self._columns}
        is_text = result.base_type in _TEXTS
        if is_text and "tidb" in self._flavors and types & _FLOATS and not self._words & _ROUNDING:
            return "TiDB writes numbers of FLOAT and DOUBLE in another way"
        if is_rounded_again(self._flavors[1], result.type):
            return f"servers round a {result.type} in different ways"
        if "/" in self._words and self._divides_otherwise(result, types):
            return "servers keep other digits of a quotient"
        if self._words & _OF_PATTERNS and not self._has_plain_pattern():
            return "servers read regular expressions in different ways"
        return unknown_reason(self._tokens, self._table, result, self._flavors, is_rounded=is_rounded)

    def _has_plain_pattern(self) -> bool:
        """Whether all its strings, of which one is the pattern, mean the same as regular expressions everywhere."""
        texts = [token.value for token in self._tokens if token.kind is Kind.STRING]
        return bool(texts) and all(_PLAIN_PATTERN.fullmatch(text) and not _SPECIAL & set(text) for text in texts)

    def _divides_otherwise(self, result: Column, types: set[str]) -> bool:
        """MySQL rounds a quotient before whatever is made of it, so rounding it again does not make it the same."""
        if types and types <= _FLOATS:
            return False
        if not divides_alike(*self._flavors, _USUAL_INCREMENT):
            return True
        return result.base_type in _TEXTS | _FLOATS and not self._words & _ROUNDING


def _means(token: Token, behind: Token) -> bool:
    """Whether a token says what is done: no name, and no CASE that compares nothing by itself."""
    return token.kind is not Kind.QUOTED and not (token.key == "CASE" and behind.key == "WHEN")


def _compares_alike(column: Column, collation: str) -> bool:
    above, below = _plain(column.collation or ""), _plain(collation)
    is_plain = bool(column.labels) and all(label.isascii() for label in column.labels)
    return above == below or (is_plain and above.endswith("_ci") and below.endswith("_ci"))


def _is_call(token: Token, behind: Token) -> bool:
    return token.kind is Kind.WORD and behind.key == "("


def _plain(collation: str) -> str:
    return _OF_UNICODE_9.sub(r"utf8mb4_0900_\1", collation_rules(collation))
