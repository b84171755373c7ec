"""Expressions that have the same values on MariaDB, MySQL and TiDB: those of which it is known.

Every function and operator is listed (``portable_functions.py``) with the kinds of arguments for which the servers
were seen to agree; what is not listed is not known to be the same.  ``./dev soak expressions`` makes expressions over
columns of all types, has the servers calculate them, and finds what is listed and differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pkg.schema.column_types import BINARY_TYPES, INTEGER_TYPES, LABEL_TYPES, TEXT_TYPES
from pkg.schema.document_names import BY_PATH, is_plain_path
from pkg.schema.expression_tree import Call, Case, Literal, Name, Node, UnreadExpression, bare_expression, tree_of
from pkg.schema.lexer import Token
from pkg.schema.portable_functions import (
    BY_CODE_POINTS,
    BY_COLLATION,
    BY_ORDER,
    CHARS,
    FAIL_WHOLE,
    KEEPS_NUMERALS,
    NOW,
    RULES,
    WITHOUT_COLLATION,
    casts_to_bytes,
)
from pkg.schema.portable_values import (
    MOMENTS,
    NUMBERS,
    TEXTS,
    Kind,
    NotKnown,
    Value,
    by_code_points,
    common,
    compares_by_rows,
    is_comparable,
    is_condition,
    is_numeral,
    is_text,
    made_of,
    mixes_signs,
    named,
    of_column,
    of_literal,
)
from pkg.schema.table import Column, Table

_FORMAT_OF_NUMBERS = re.compile(r"(?:%[YymdHiSs]|[-:./])*")
_OF_ALL_NAMES = re.compile(r"\.\s*\*|\*\s*\*", re.ASCII)  # in a path of JSON


def unknown_reason(
    tokens: Sequence[Token], table: Table, result: Column, flavors: tuple[str, str], *, is_rounded: bool = False
) -> str:
    """Why the values of an expression over ``table`` that fills ``result`` may differ; "" where they do not.

    ``flavors``: the upstream's and the target's; ``is_rounded``: what takes a second's fraction from the value stands
    in the target's statement (``fractions.py``).
    """
    try:
        tree = tree_of(bare_expression(tokens))
        if isinstance(tree, Name) and (column := table.column(tree.text)) is not None and column.type == result.type:
            return ""
        if is_rounded and isinstance(tree, Call) and tree.name == "CAST":  # which fractions.py has written
            tree = tree.arguments[0]
        value = _Judge(table, flavors).value(tree)
        is_plain = isinstance(tree, Name) or (isinstance(tree, Call) and tree.name in NOW)
        is_known = isinstance(tree, Literal)  # of which fractions.py and stored_defaults.py know
        if not is_known and not _is_stored(value, result, flavors, is_plain=is_plain, is_rounded=is_rounded):
            raise NotKnown(f"{named(value)} becomes {result.type}")
    except UnreadExpression as exc:
        return f"the expression could not be read ({exc}), so that it is not known to have the same values"
    except NotKnown as exc:
        return f"{exc}, which is not known to have the same values everywhere"
    return ""


def _is_stored(value: Value, result: Column, flavors: tuple[str, str], *, is_plain: bool, is_rounded: bool) -> bool:
    """Whether servers make the same value of the column's type of it.

    ``is_plain``: it is a column or the present moment, and nothing is done to it.
    """
    base, kind = result.base_type, value.kind
    is_number = kind in NUMBERS or value.is_of_document or (kind is Kind.JSON and "mariadb" not in flavors)
    has_digits = is_rounded or value.digits <= result.fsp
    if kind is Kind.NULL:
        return True
    if base in INTEGER_TYPES:
        is_whole = is_plain and kind in MOMENTS | {Kind.TIME} and not value.digits
        return is_number or kind in (Kind.YEAR, Kind.BIT) or is_whole
    if base in ("decimal", "float", "double"):
        return is_number
    if base in BINARY_TYPES or (base in TEXT_TYPES and result.charset == "binary"):
        return kind is Kind.BYTES or is_text(value)
    if base in LABEL_TYPES:  # MySQL takes blanks at a text's end away, TiDB does not
        return kind is Kind.LABEL or (is_text(value) and "tidb" not in flavors)
    if base in TEXT_TYPES:
        is_document = kind is Kind.JSON and ("mariadb" not in flavors or base == "longtext")  # MariaDB's JSON
        return is_text(value) or is_document
    if base in ("date", "datetime", "timestamp"):
        return kind in MOMENTS and has_digits
    if base == "time":
        return kind in (Kind.TIME, Kind.DATETIME) and has_digits
    return kind is {"year": Kind.YEAR, "json": Kind.JSON, "bit": Kind.INTEGER}.get(base)


def _refuse_cut(words: Sequence[str], value: Value) -> None:
    """Raise NotKnown for a CAST whose text or bytes TiDB cuts, since it counts too few of them."""
    if casts_to_bytes(words):
        if value.kind is Kind.TEXT and value.literal is None:
            raise NotKnown("CAST of a text to BINARY, which TiDB cuts at as many bytes as the text may have characters")
    elif words[0] in CHARS and value.kind is Kind.DECIMAL and not value.is_roomy:
        raise NotKnown(
            "CAST to CHAR of a DECIMAL without a digit before the point, or that is calculated: TiDB cuts it"
        )


def _is_plain(path: Node) -> bool:
    return not isinstance(path, Literal) or is_plain_path(path.text)


def _negates_pattern(node: Node) -> bool:
    """Whether it is such as ``(v LIKE 'a') NOT IN (…)``, which MariaDB keeps as ``v LIKE ('a' NOT IN (…))``."""
    if not isinstance(node, Call) or node.name != "NOT":
        return False
    tested = node.arguments[0]
    if not isinstance(tested, Call) or tested.name not in ("IN", "BETWEEN", "LIKE"):
        return False
    first = tested.arguments[0]
    if isinstance(first, Call) and first.name == "NOT":
        first = first.arguments[0]
    return isinstance(first, Call) and first.name in ("LIKE", "REGEXP")


def _calls(node: Node) -> Iterator[str]:
    """The functions and operators in it, itself the first."""
    if isinstance(node, Call):
        yield node.name
        for one in node.arguments:
            yield from _calls(one)
    elif isinstance(node, Case):
        for one in (*([node.tested] if node.tested is not None else []), *node.whens, *node.values):
            yield from _calls(one)


def _is_numeral(node: Call, values: Sequence[Value]) -> bool:
    if node.name == "DATE_FORMAT":
        return _FORMAT_OF_NUMBERS.fullmatch(values[1].literal or "%") is not None
    return node.name in KEEPS_NUMERALS and all(map(is_numeral, values))


class _Judge:
    """Of one table's columns."""

    def __init__(self, table: Table, flavors: tuple[str, str]) -> None:
        self._table = table
        self._flavors = flavors

    def value(self, node: Node) -> Value:
        """Raises NotKnown."""
        if isinstance(node, Literal):
            return of_literal(node)
        if isinstance(node, Name):
            column = self._table.column(node.text)
            if column is None:
                raise NotKnown(node.text)
            return of_column(column)
        if isinstance(node, Case):
            return self._case(node)
        self._refuse_form(node)
        values = [self.value(one) for one in node.arguments]
        self._refuse_minus_zero(values, node.name)
        if node.name in BY_COLLATION and not compares_by_rows(values):
            raise NotKnown(f"{node.name} of texts without the collation of a column, or with several")
        if node.name in BY_ORDER and sum(one.kind in TEXTS for one in values) > 1:
            raise NotKnown(f"{node.name} of texts, which servers order otherwise where they have control characters")
        if "tidb" in self._flavors and node.name == "CAST":
            _refuse_cut(node.words, values[0])
        if node.name in BY_CODE_POINTS and not by_code_points(values):
            raise NotKnown(f"{node.name} of texts that do not compare by code points")
        rule = RULES.get(node.name)
        found = rule(values, node.words) if rule is not None else None
        if found is None:
            kinds = ", ".join(map(named, values))
            raise NotKnown(f"{' '.join((node.name, *node.words))}({kinds})")
        if node.name in ("%", "MOD") and found.kind is Kind.DECIMAL:
            found = replace(found, may_be_minus_zero=True)
        if found.kind is Kind.TEXT and _is_numeral(node, values):
            found = replace(found, is_numeral=True)
        own = node.words[0].lower() if node.name == "COLLATE" else "" if node.name in WITHOUT_COLLATION else None
        return made_of(found, values, own)

    def _refuse_minus_zero(self, values: Sequence[Value], name: str) -> None:
        if "mariadb" in self._flavors and any(one.may_be_minus_zero for one in values):
            raise NotKnown(f"{name} of a remainder of DECIMALs, which MariaDB may have as -0.0, and that is not its 0")

    def _refuse_form(self, node: Call) -> None:
        """Raise NotKnown for what a call's own words and those of its arguments' calls make different."""
        first = node.arguments[0] if node.arguments else None
        if "mariadb" in self._flavors and _negates_pattern(node):
            raise NotKnown("NOT IN, NOT BETWEEN or NOT LIKE of a LIKE or REGEXP, whose parentheses MariaDB moves")
        if node.name == "CAST" and isinstance(first, Call) and first.name == "DAYNAME":
            raise NotKnown("CAST of DAYNAME, which is the weekday's number in TiDB")
        if self._fails_whole(node.arguments):
            raise NotKnown(f"{node.name} of INET_ATON")
        if node.name in ("JSON_EXTRACT", "->", "->>"):
            self._refuse_paths(node.arguments[1:])
        if "mariadb" in self._flavors and node.name in BY_PATH and not all(map(_is_plain, node.arguments[1:])):
            raise NotKnown("a path with an escape that its name needs not, which MariaDB does not find")
        if node.name == "JSON_VALUE" and node.words:
            raise NotKnown("JSON_VALUE with RETURNING, which MySQL adds to each, and no other server has")
        if node.name == "SHA2" and (compares := next((one for one in _calls(node) if one in BY_COLLATION), "")):
            raise NotKnown(f"SHA2 of {compares}, which compares bytes inside of it in MySQL")

    def _refuse_paths(self, paths: Sequence[Node]) -> None:
        """Raise NotKnown for values that come in an order of the server's own."""
        if "mariadb" in self._flavors and len(paths) > 1:
            raise NotKnown("JSON_EXTRACT of several paths, whose values MariaDB has in the document's order")
        if any(isinstance(one, Literal) and _OF_ALL_NAMES.search(one.text) for one in paths):
            raise NotKnown("JSON_EXTRACT of all names, which each server has in an order of its own")

    def _fails_whole(self, inner: Sequence[Node]) -> bool:
        return "tidb" in self._flavors and any(isinstance(one, Call) and one.name in FAIL_WHOLE for one in inner)

    def _case(self, node: Case) -> Value:
        if self._fails_whole([*node.whens, *node.values, *([node.tested] if node.tested is not None else [])]):
            raise NotKnown("CASE with INET_ATON")
        tested = None if node.tested is None else self.value(node.tested)
        whens, values = [*map(self.value, node.whens)], [*map(self.value, node.values)]
        self._refuse_minus_zero([*([tested] if tested is not None else []), *whens, *values], "CASE")
        for when in whens:
            if not (is_condition(when) if tested is None else is_comparable(tested, when)):
                raise NotKnown(f"CASE with {named(when)}")
        compared = [] if tested is None else [tested, *whens]
        if not compares_by_rows(compared):
            raise NotKnown("CASE of texts without the collation of a column, or with several")
        if mixes_signs(compared):
            raise NotKnown("CASE of integers beyond 64 bits with a sign, and of such as may be negative")
        found = common(values)
        if found is None:
            raise NotKnown("CASE with values of several types")
        return made_of(found, values, None)
