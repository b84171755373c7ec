"""What is selected for each column that is written: the column itself, a mapped value, a text of the route's.

Pure.  The upstream calculates, so no value of a chunk is touched here.  An id that does not fit ends the
statement with the server's error "out of range": nothing of the chunk is written then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pkg.adapters.meta_tables import quoted
from pkg.binlog.charset import has_aliases, is_lossless
from pkg.rules.column_mapping import MAX_ID, Affix, MappedColumn
from pkg.rules.column_rules import TableColumnRules, is_text
from pkg.schema.column_types import fixed_digits
from pkg.schema.letter_case import small
from pkg.schema.table import Column, Table

_NO_CHARACTER: Final = "CONVERT(X'EFBFBD' USING utf8mb4)"  # what some sets give for a code without one; others give ?
_NO_RULES: Final = TableColumnRules()


def selected(table: Table, rules: TableColumnRules = _NO_RULES) -> list[tuple[str, str]]:
    """(quoted column, expression) of all that is written; generated columns are left out, invisible ones are not."""
    mapped = {small(one.target): one for one in rules.mapped}
    pairs = []
    for column in table.columns:
        change = mapped.get(small(column.name))
        if not column.generated:
            pairs.append((quoted(column.name), _as_it_is(column) if change is None else _mapped(table, change)))
    return pairs + [(quoted(one.name), _text(one.value)) for one in rules.extracted]


def lossy_texts(table: Table, rules: TableColumnRules = _NO_RULES) -> dict[str, str]:
    """The expressions of ``selected`` that pass text of a set which does not go through Unicode whole, with the set."""
    mapped = {small(one.target) for one in rules.mapped}
    return {
        _as_it_is(column): column.charset
        for column in table.columns
        if _is_lossy(column) and not column.generated and small(column.name) not in mapped and column.charset
    }


def as_bytes(expression: str) -> str:
    """Of a text: its bytes, for a target's column of the same set."""
    return f"CAST({expression} AS BINARY)"


def as_characters(expression: str, charset: str, *, one_code: bool) -> str:
    """Of a text of ``charset``: the same, or an error for a value that cannot go through Unicode.

    ``one_code``: and could not come back as the same bytes.
    """
    return _or_overflow(_survives(expression, charset, one_code), expression)


def without_characters(table: Table, keys: frozenset[str]) -> Iterator[tuple[Column, str]]:
    """Each column whose text may not go through Unicode, and the condition that finds a row whose text does not."""
    for column in table.columns:
        if _is_lossy(column) and column.charset:
            one_code = small(column.name) in keys
            name = quoted(column.name)
            yield column, f"{name} IS NOT NULL AND NOT ({_survives(name, column.charset, one_code)})"


def documents(table: Table, rules: TableColumnRules = _NO_RULES) -> frozenset[str]:
    """The expressions of ``selected`` that are documents of MySQL, whose numbers may have more digits than a double."""
    mapped = {small(one.target) for one in rules.mapped}
    return frozenset(_as_it_is(one) for one in table.columns if _is_document(one) and small(one.name) not in mapped)


def as_document(expression: str) -> str:
    """Of a document: the same, or an error for one of which a server would lose digits of a number."""
    return _or_overflow(_keeps_digits(expression), expression)


def as_read_alike(expression: str, condition: str) -> str:
    """Of a document: the same, or an error for one of whose text something else is calculated."""
    return _or_overflow(condition, expression)


def with_more_digits(table: Table) -> Iterator[tuple[Column, str]]:
    """Each column of documents, and the condition that finds a row of which a server would lose digits of a number."""
    for column in table.columns:
        if _is_document(column):
            yield column, f"NOT ({_keeps_digits(quoted(column.name))})"


def _is_document(column: Column) -> bool:
    return column.base_type == "json" and not column.generated


def _keeps_digits(document: str) -> str:
    """MySQL itself makes doubles of a text's numbers: the document that it reads again is the same.

    Dates and such become texts then, so the two are compared as texts, too; few have so many digits at all.
    """
    text = f"CAST({document} AS CHAR)"
    again = f"CAST({text} AS JSON)"
    has_many = f"{text} REGEXP '[0-9]{{19}}|[0-9]+[.][0-9]{{8}}|[0-9]{{8}}[.][0-9]'"
    return f"{document} IS NULL OR NOT {has_many} OR {text} = CAST({again} AS CHAR) OR {document} = {again}"


def with_two_empty_values(table: Table) -> Iterator[tuple[Column, str]]:
    """Each ENUM with a label '', and the condition that finds a row with its other empty value, that of index 0.

    A text cannot tell the two apart: whoever writes '' gets the label.
    """
    for column in table.columns:
        if _has_two_empty_values(column) and not column.generated:
            yield column, _is_index_0(column)


def unnamed_labels(table: Table, rules: TableColumnRules = _NO_RULES) -> dict[str, tuple[str, ...]]:
    """The expressions of ``selected`` that are a SET with a label '', with its labels: texts do not say it."""
    mapped = {small(one.target) for one in rules.mapped}
    return {
        _as_it_is(column): column.labels
        for column in table.columns
        if _has_unnamed_label(column) and small(column.name) not in mapped
    }


def bits(table: Table, rules: TableColumnRules = _NO_RULES) -> frozenset[str]:
    """The expressions of ``selected`` that are a BIT: bytes, which a number's column reads as the digits of a text."""
    mapped = {small(one.target) for one in rules.mapped}
    return frozenset(
        _as_it_is(one)
        for one in table.columns
        if one.base_type == "bit" and not one.generated and small(one.name) not in mapped
    )


def as_number(expression: str) -> str:
    """Of labels and bits: their number."""
    return f"CAST({expression} AS UNSIGNED)"


def as_named_labels(expression: str, labels: Sequence[str]) -> str:
    """Of a SET: the same, or an error for a value whose text does not say that it begins with the label ''."""
    return _or_overflow(f"{expression} IS NULL OR NOT ({_begins_unnamed(expression, labels)})", expression)


def beginning_unnamed(table: Table) -> Iterator[tuple[Column, str]]:
    """Each SET with a label '', and the condition that finds a row whose value begins with it."""
    for column in table.columns:
        if _has_unnamed_label(column):
            yield column, _begins_unnamed(quoted(column.name), column.labels)


def _has_unnamed_label(column: Column) -> bool:
    return column.base_type == "set" and "" in column.labels and not column.generated


def _begins_unnamed(expression: str, labels: Sequence[str]) -> str:
    label = 1 << labels.index("")
    return f"{as_number(expression)} & {2 * label - 1} = {label}"


def _has_two_empty_values(column: Column) -> bool:
    return column.base_type == "enum" and "" in column.labels


def _is_index_0(column: Column) -> str:
    return f"{quoted(column.name)} + 0 = 0"


def with_other_labels(table: Table) -> Iterator[tuple[Column, str]]:
    """Each ENUM and SET of doubtful labels, and the condition that finds a row with one that servers do not show."""
    for column in table.columns:
        if _may_have_other_label(column) and not column.generated:
            yield column, _has_other_label(column)


def _may_have_other_label(column: Column) -> bool:
    """A SET with a label '' is read as a number."""
    return column.doubtful and not _has_unnamed_label(column)


def _has_other_label(column: Column) -> str:
    return f"HEX(CONVERT({quoted(column.name)} USING utf8mb4)) REGEXP '^(..)*F[0-4]'"


def _is_lossy(column: Column) -> bool:
    return is_text(column) and not is_lossless(column.charset or "utf8mb4")


def _survives(expression: str, charset: str, one_code: bool) -> str:
    text = f"CONVERT({expression} USING utf8mb4)"
    if one_code and has_aliases(charset):
        back = as_bytes(f"CONVERT({text} USING {charset})")
        return f"{expression} IS NULL OR {back} = {as_bytes(expression)}"
    marks = f"REPLACE(REPLACE({text}, '?', ''), {_NO_CHARACTER}, '')"
    may_lack = f"LOCATE('?', {text}) + LOCATE({_NO_CHARACTER}, {text})"
    return f"COALESCE({may_lack}, 0) = 0 OR CHAR_LENGTH({marks}) = CHAR_LENGTH(REPLACE({expression}, '?', ''))"


def _or_overflow(condition: str, expression: str) -> str:
    """``expression`` where the condition holds, else an error.

    The number of the error stands in a condition: as a value beside a text in a set without ASCII (swe7) it is refused.
    """
    return f"CASE WHEN {condition} THEN {expression} WHEN {_overflow(expression)} = 1 THEN {expression} END"


def _overflow(expression: str) -> str:
    """More than 64 bits, whatever the value is: an error for rows that come so far, and for no others."""
    return f"(CHAR_LENGTH({expression}) + 2) * 18446744073709551615"


def misfits(table: Table, rules: TableColumnRules) -> Iterator[tuple[MappedColumn, str]]:
    """Each column mapping that not every value fits, and the condition that finds a row that does not."""
    for one in rules.mapped:
        if not isinstance(one.change, Affix):
            name = quoted(one.source)
            yield one, f"{name} IS NOT NULL AND NOT ({_is_id(table.columns[table.ordinal(one.source)])})"


def _as_it_is(column: Column) -> str:
    name = quoted(column.name)
    if column.base_type == "float" or fixed_digits(column.type)[0]:
        # As text it has some digits, as DOUBLE all; multiplying keeps the sign of -0.
        return f"{name} * 1e0"
    doubts = [_is_index_0(column)] if _has_two_empty_values(column) else []
    doubts += [_has_other_label(column)] if _may_have_other_label(column) else []
    return _or_overflow(f"{name} IS NULL OR NOT ({' OR '.join(doubts)})", name) if doubts else name


def _mapped(table: Table, one: MappedColumn) -> str:
    name = quoted(one.source)
    if isinstance(one.change, Affix):
        parts = [_text(one.change.prefix)] if one.change.prefix else []
        parts += [name] + ([_text(one.change.suffix)] if one.change.suffix else [])
        return f"CONCAT({', '.join(parts)})"
    source, target = table.columns[table.ordinal(one.source)], table.columns[table.ordinal(one.target)]
    number = f"CAST({name} AS UNSIGNED) + {one.change.base}"
    value = f"CAST({number} AS CHAR)" if is_text(target) else number
    return f"CASE WHEN {name} IS NULL THEN NULL WHEN {_is_id(source)} THEN {value} ELSE {_overflow(name)} END"


def _is_id(column: Column) -> str:
    """A condition: the value is a number that a partition id has room for, and written as such."""
    name = quoted(column.name)
    if not is_text(column):
        return f"{name} BETWEEN 0 AND {MAX_ID}"
    number = f"CAST({name} AS UNSIGNED)"
    as_written = f"CAST(CONVERT({name} USING utf8mb4) AS BINARY)"
    return f"{number} <= {MAX_ID} AND {as_written} = CAST({number} AS BINARY)"


def _text(value: str) -> str:
    """A literal that means the same in every sql_mode."""
    return f"CONVERT(X'{value.encode().hex()}' USING utf8mb4)"
