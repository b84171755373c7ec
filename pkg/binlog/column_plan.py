"""How each column of a row image is read: decided once per table from the tracked structure and the table map.

What the server logs about a column (sign, collation, names, labels) is preferred to what the tracker
knows, and a difference that would change values is an error that shows both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Protocol, cast

from pkg.binlog.charset import (
    UTF8,
    charset_of,
    decode,
    decode_with_marks,
    has_aliases,
    is_known,
    is_lossless,
    single_byte_table,
)
from pkg.binlog.document_texts import unlike_text
from pkg.binlog.doubtful_labels import doubtful_reader
from pkg.binlog.errors import (
    COLUMN_MISMATCH,
    INEXACT_NUMBER,
    NO_CHARACTER,
    TOO_LONG,
    UNLIKE_READ,
    UNNAMED_LABEL,
    UNSUPPORTED_TYPE,
)
from pkg.binlog.events import TableMap
from pkg.binlog.json_binary import Node, inexact_number
from pkg.binlog.old_times import SIZES as OLD_SIZES
from pkg.binlog.rare_values import (
    DocumentReader,
    JsonReader,
    Reader,
    SetReader,
    checked_reader,
    compressed_reader,
    inet4_literal,
    inet6_literal,
    introduced_reader,
    json_literal,
    quote_text,
    strict_reader,
    text_reader,
    uuid_literal,
)
from pkg.binlog.read_documents import unlike_read
from pkg.binlog.vector import vector_literal
from pkg.schema.column_types import BINARY_TYPES, CHARACTER_TYPES, GEOMETRY_TYPES, INTEGER_TYPES
from pkg.schema.document_reads import DocumentRead
from pkg.schema.letter_case import small
from pkg.schema.named_documents import NamedPart


class ColumnLike(Protocol):
    """What of a tracked column the codec needs."""

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> str: ...

    @property
    def base_type(self) -> str: ...

    @property
    def unsigned(self) -> bool: ...

    @property
    def charset(self) -> str | None: ...

    @property
    def generated(self) -> str: ...

    @property
    def labels(self) -> tuple[str, ...]: ...

    @property
    def length(self) -> int | None: ...

    @property
    def fsp(self) -> int: ...

    @property
    def doubtful(self) -> bool: ...


class Kind(IntEnum):
    """What a column's bytes are; from `UTF8_TEXT` on a length stands before them."""

    INT = 1  # meta: 1 when unsigned
    DATETIME = 2  # meta: fractional digits, also of the next two
    TIMESTAMP = 3
    TIME = 4
    DECIMAL = 5  # meta: precision << 8 | scale
    DATE = 6
    DOUBLE = 7
    FLOAT = 8
    YEAR = 9
    ENUM = 10  # extra: by index, as literals: the empty value and the labels
    SET = 11  # extra: the function that makes the literal of its number
    BIT = 12
    OLD_DATETIME = 13  # meta: fractional digits, also of the next two, which only MariaDB has
    OLD_TIMESTAMP = 14
    OLD_TIME = 15
    UTF8_TEXT = 20
    SINGLE_BYTE_TEXT = 21  # extra: the UTF-8 of each byte
    BINARY = 22  # meta: the width to which zeros were cut off, or 0
    OTHER = 23  # extra: the function that makes the literal


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """One column; `size` is that of the value, or of the length before it."""

    kind: Kind
    size: int
    meta: int = 0
    extra: object = None
    strict: Reader | None = None  # of SINGLE_BYTE_TEXT: refuses text without a character, which is bytes else


@dataclass(frozen=True, slots=True)
class TextTarget:
    """Where a value goes: ``keeps`` is the character set whose bytes the target's column stores, None for no known one.

    ``one_code``: the value must come back from Unicode as the same bytes, since it is compared or calculated with.
    ``is_text``: the target's column takes any text, so that the empty value of an ENUM is no number there;
    ``by_number``: it takes labels by their numbers; ``is_json``: it takes documents, in which all numbers with a point
    are doubles; ``is_double``: it takes all digits of the number that a FLOAT is, and not only those that tell it from
    the next FLOAT; ``most``: so many characters, of a VARCHAR; ``reads``: what the target calculates of a document;
    ``named``: what it calculates of one that is a text of MariaDB.
    """

    keeps: str | None = None
    one_code: bool = False
    is_text: bool = False
    by_number: bool = False
    is_json: bool = False
    is_double: bool = False
    most: int | None = None
    reads: tuple[DocumentRead, ...] = ()
    named: tuple[NamedPart, ...] = ()


_BIGINT = 8
_HASH = ColumnPlan(Kind.INT, 8)
ENUM, SET, STRING = 247, 248, 254
_VARCHAR, _VAR_STRING, _BLOBS, _GEOMETRY = 15, 253, (249, 250, 251, 252), 255
_BLOB_COMPRESSED, _VARCHAR_COMPRESSED, _VECTOR = 140, 141, 242
_ADDRESSES: dict[str, Reader] = {"uuid": uuid_literal, "inet4": inet4_literal, "inet6": inet6_literal}
_INTEGERS = {1: ("tinyint", 1), 2: ("smallint", 2), 9: ("mediumint", 3), 3: ("int", 4), 8: ("bigint", 8)}
_SHOWN_BYTES = 200
_FRACTION_BYTES = (0, 1, 1, 2, 2, 3, 3)
_DIGIT_BYTES = (0, 1, 1, 2, 2, 3, 3, 4, 4)
_PLAIN: dict[tuple[int, str], tuple[Kind, int]] = {
    (5, "double"): (Kind.DOUBLE, 8),
    (4, "float"): (Kind.FLOAT, 4),
    (10, "date"): (Kind.DATE, 3),
    (14, "date"): (Kind.DATE, 3),
    (13, "year"): (Kind.YEAR, 1),
    (12, "datetime"): (Kind.OLD_DATETIME, 8),
    (7, "timestamp"): (Kind.OLD_TIMESTAMP, 4),
    (11, "time"): (Kind.OLD_TIME, 3),
}
_WITH_FRACTION = {
    (18, "datetime"): (Kind.DATETIME, 5),
    (17, "timestamp"): (Kind.TIMESTAMP, 4),
    (19, "time"): (Kind.TIME, 3),
}
_KNOWN_CODES = frozenset(
    {*_INTEGERS, 4, 5, 7, 10, 11, 12, 13, 14, 16, 17, 18, 19, 245, 246, ENUM, SET, STRING, _VARCHAR, _VAR_STRING}
    | {*_BLOBS, _GEOMETRY, _BLOB_COMPRESSED, _VARCHAR_COMPRESSED, _VECTOR}
)
_KNOWN_BASES = (
    CHARACTER_TYPES | BINARY_TYPES | GEOMETRY_TYPES | INTEGER_TYPES | {base for _, base in _PLAIN}
    | {"decimal", "enum", "set", "bit", "json", "vector", *_ADDRESSES}
)  # fmt: skip


def plan_columns(
    columns: Sequence[ColumnLike],
    table_map: TableMap,
    targets: Sequence[TextTarget | None] | None = None,
    most_hidden: int = 0,
) -> list[ColumnPlan]:
    """A plan for each column, and behind them for up to ``most_hidden`` that are logged and have no definition.

    Without ``targets``, text without characters is shown as bytes.  Raises COLUMN_MISMATCH and UNSUPPORTED_TYPE.
    """
    hidden = len(table_map.types) - len(columns)
    if not 0 <= hidden <= most_hidden or not all(_is_hash(place, table_map) for place in _last(hidden, table_map)):
        raise _mismatch(columns, table_map)
    plans = []
    for place, column in enumerate(columns):
        _check_name(place, columns, table_map)
        plan = _plan(place, column, table_map)
        target = None if targets is None else targets[place]
        if plan is not None and target is not None:
            plan = _in_doubt(_for_target(plan, place, column, table_map, target), place, column, table_map)
            if target.named and column.base_type in CHARACTER_TYPES:
                plan = _for_document_texts(plan, place, column, table_map, target.named)
        if plan is None:
            code, _ = real_type(table_map.types[place], table_map.metadata[place])
            if code in _KNOWN_CODES and column.base_type in _KNOWN_BASES:
                raise _mismatch(columns, table_map)
            raise _unsupported(column, table_map)
        plans.append(plan)
    return plans + [_HASH] * hidden


def _last(count: int, table_map: TableMap) -> range:
    return range(len(table_map.types) - count, len(table_map.types))


def _is_hash(place: int, table_map: TableMap) -> bool:
    """Whether a column may be one that MariaDB has made for a unique key by hash."""
    names = table_map.column_names
    return table_map.types[place] == _BIGINT and (names is None or names[place].upper().startswith("DB_ROW_HASH_"))


def real_type(code: int, meta: int) -> tuple[int, int]:
    """ENUM and SET travel as STRING, with the real type in the metadata's high byte."""
    return (meta >> 8, meta & 255) if code == STRING and meta >> 8 in (ENUM, SET) else (code, meta)


def _plan(place: int, column: ColumnLike, table_map: TableMap) -> ColumnPlan | None:
    code, meta = real_type(table_map.types[place], table_map.metadata[place])
    base = column.base_type
    if code in _INTEGERS:
        name, size = _INTEGERS[code]
        unsigned = column.unsigned if table_map.unsigned is None else table_map.unsigned[place]
        return ColumnPlan(Kind.INT, size, int(unsigned)) if base == name else None
    if (code, base) in _PLAIN:
        kind, size = _PLAIN[code, base]
        fsp = column.fsp if base in OLD_SIZES else 0
        return ColumnPlan(kind, OLD_SIZES[base][fsp] if fsp else size, fsp)
    if (code, base) in _WITH_FRACTION:
        kind, size = _WITH_FRACTION[code, base]
        return ColumnPlan(kind, size + _FRACTION_BYTES[meta], meta)
    if code == 246 and base == "decimal":
        precision, scale = meta & 255, meta >> 8
        return ColumnPlan(Kind.DECIMAL, decimal_size(precision, scale), precision << 8 | scale)
    if code == 16 and base == "bit":
        return ColumnPlan(Kind.BIT, (meta >> 8) + (1 if meta & 255 else 0))
    if code in (ENUM, SET) and base == ("enum" if code == ENUM else "set"):
        labels = _labels(place, column, table_map)
        if code == SET:
            return ColumnPlan(Kind.SET, meta, 0, SetReader(labels))
        return ColumnPlan(Kind.ENUM, meta, 0, (b"0", *map(quote_text, labels)))
    if code == 245 and base == "json":
        return ColumnPlan(Kind.OTHER, meta, 0, json_literal)
    if code == STRING and base in _ADDRESSES:
        return ColumnPlan(Kind.OTHER, 1, 0, _ADDRESSES[base])
    return _string_plan(place, column, code, meta, table_map)


def _string_plan(place: int, column: ColumnLike, code: int, meta: int, table_map: TableMap) -> ColumnPlan | None:
    prefix = _length_prefix(code, meta)
    base = column.base_type
    if not prefix:
        return None
    if base in GEOMETRY_TYPES:
        return ColumnPlan(Kind.BINARY, prefix)
    if base == "vector":
        return ColumnPlan(Kind.OTHER, prefix, 0, vector_literal)
    charset = "binary" if base in BINARY_TYPES else logged_charset(place, column, table_map)
    if base not in CHARACTER_TYPES | BINARY_TYPES or not (charset is None or is_known(charset)):
        return None
    if code in (_VARCHAR_COMPRESSED, _BLOB_COMPRESSED):
        return ColumnPlan(Kind.OTHER, prefix, 0, compressed_reader(text_reader(charset)))
    if charset == "binary":
        return ColumnPlan(Kind.BINARY, prefix, string_length(meta) if code == STRING else 0)
    if charset is None or charset in UTF8:
        return ColumnPlan(Kind.UTF8_TEXT, prefix)
    table = single_byte_table(charset)
    if table is not None:
        return ColumnPlan(Kind.SINGLE_BYTE_TEXT, prefix, 0, table)
    return ColumnPlan(Kind.OTHER, prefix, 0, text_reader(charset))


def _for_target(
    plan: ColumnPlan, place: int, column: ColumnLike, table_map: TableMap, target: TextTarget
) -> ColumnPlan:
    """``plan`` for text of a set that does not go through Unicode whole: as bytes to its like, else characters only.

    And for an ENUM whose labels go into a text, labels that go by their numbers, and a FLOAT that becomes a DOUBLE.
    """
    if target.is_double and plan.kind is Kind.FLOAT:
        return replace(plan, meta=1)
    if target.by_number and plan.kind is Kind.SET:
        return ColumnPlan(Kind.INT, plan.size, 1)
    if isinstance(plan.extra, SetReader) and b"" in plan.extra.labels and not target.is_text:
        return replace(plan, extra=replace(plan.extra, refuse=_label_refusal(column, table_map, target.one_code)))
    if target.by_number and isinstance(plan.extra, tuple):
        return replace(plan, extra=tuple(str(number).encode() for number in range(len(plan.extra))))
    if plan.kind is Kind.ENUM and target.is_text:
        assert isinstance(plan.extra, tuple), "labels by index"
        return replace(plan, extra=(b"''", *plan.extra[1:]))
    charset = logged_charset(place, column, table_map) if column.base_type in CHARACTER_TYPES else None
    if target.is_json or (target.reads and column.base_type == "json"):
        return _for_documents(plan, charset, column, table_map, target)
    code, _ = real_type(table_map.types[place], table_map.metadata[place])
    is_compressed = code in (_VARCHAR_COMPRESSED, _BLOB_COMPRESSED)
    check = None
    if code == _VARCHAR_COMPRESSED and charset is not None and charset != "binary" and target.most is not None:
        check = _length_check(target.most, charset, column, table_map)
    if charset is None or charset == "binary" or is_lossless(charset):
        return plan if check is None else replace(plan, extra=compressed_reader(text_reader(charset), check))
    if target.keeps == charset:
        reader = introduced_reader(charset)
    else:
        one_code = target.one_code and has_aliases(charset)
        reader = strict_reader(charset, _refusal(charset, column, table_map), one_code=one_code)
        if plan.kind is Kind.SINGLE_BYTE_TEXT and not one_code:
            return replace(plan, strict=reader)
    return ColumnPlan(Kind.OTHER, plan.size, 0, compressed_reader(reader, check) if is_compressed else reader)


def _in_doubt(plan: ColumnPlan, place: int, column: ColumnLike, table_map: TableMap) -> ColumnPlan:
    """``plan``, which refuses labels whose true text is not known; those that the binlog says are known."""
    if not column.doubtful or (table_map.labels is not None and table_map.labels[place] is not None):
        return plan
    table = f"{table_map.schema}.{table_map.table}"
    is_set = column.base_type == "set"
    reader = doubtful_reader(plan.extra, column.labels, column.name, table, is_set=is_set)
    return ColumnPlan(Kind.SET, plan.size, 0, reader)


def _for_documents(
    plan: ColumnPlan, charset: str | None, column: ColumnLike, table_map: TableMap, target: TextTarget
) -> ColumnPlan:
    """``plan`` for documents that must lose no digits of a number, and no type that the target calculates with."""
    table = f"{table_map.schema}.{table_map.table}"

    def check(text: str) -> None:
        number = inexact_number(text)
        if number:
            raise INEXACT_NUMBER.error(column=column.name, table=table, number=number[:_SHOWN_BYTES])

    def check_types(tree: Node) -> None:
        found = unlike_read(tree, target.reads)
        if found is not None:
            read, scalar = found
            said = f"the {scalar.sql_type} {scalar[:_SHOWN_BYTES]}{read.shown_path}, whose type its text does not say"
            raise UNLIKE_READ.error(column=column.name, table=table, found=said, reader=read.of)

    if column.base_type == "json":
        return replace(plan, extra=JsonReader(check if target.is_json else None, check_types if target.reads else None))
    return ColumnPlan(Kind.OTHER, plan.size, 0, checked_reader(charset, check)) if plan.kind is Kind.UTF8_TEXT else plan


def _for_document_texts(
    plan: ColumnPlan, place: int, column: ColumnLike, table_map: TableMap, named: Sequence[NamedPart]
) -> ColumnPlan:
    """``plan`` for documents of MariaDB of which the target calculates something: ``named``."""
    charset, table = logged_charset(place, column, table_map), f"{table_map.schema}.{table_map.table}"

    def check(text: str) -> None:
        unlike = unlike_text(text, named)
        if unlike is not None:
            raise UNLIKE_READ.error(column=column.name, table=table, found=unlike.found, reader=unlike.part.of)

    if plan.kind is Kind.BINARY or charset == "binary":
        return plan
    inner = cast("Reader", plan.extra) if plan.kind is Kind.OTHER else plan.strict or text_reader(charset)
    code, _ = real_type(table_map.types[place], table_map.metadata[place])
    unpacks = code in (_VARCHAR_COMPRESSED, _BLOB_COMPRESSED)
    return ColumnPlan(Kind.OTHER, plan.size, 0, DocumentReader(charset, inner, check, unpacks=unpacks))


def _length_check(most: int, charset: str, column: ColumnLike, table_map: TableMap) -> Callable[[bytes], None]:
    table = f"{table_map.schema}.{table_map.table}"

    def check(raw: bytes) -> None:
        if len(raw) > most and (found := len(decode_with_marks(raw, charset))) > most:
            raise TOO_LONG.error(column=column.name, table=table, found=found, most=most)

    return check


def _refusal(charset: str, column: ColumnLike, table_map: TableMap) -> Callable[[bytes, str], Exception]:
    table = f"{table_map.schema}.{table_map.table}"

    def refuse(raw: bytes, reason: str) -> Exception:
        shown = raw[:_SHOWN_BYTES].hex() + ("…" if len(raw) > _SHOWN_BYTES else "")
        return NO_CHARACTER.error(column=column.name, table=table, charset=charset, bytes=shown, reason=reason)

    return refuse


def _label_refusal(column: ColumnLike, table_map: TableMap, is_read: bool) -> Callable[[int], Exception]:
    table = f"{table_map.schema}.{table_map.table}"
    reason = "expressions of the task read texts" if is_read else "its numbers are others in the target"

    def refuse(number: int) -> Exception:
        return UNNAMED_LABEL.error(column=column.name, table=table, number=number, reason=reason)

    return refuse


def logged_charset(place: int, column: ColumnLike, table_map: TableMap) -> str | None:
    """A column's character set: the server's word, or else the tracker's."""
    logged = table_map.collations[place] if table_map.collations is not None else None
    return column.charset if logged is None else charset_of(logged)


def string_length(meta: int) -> int:
    """The length of a STRING in bytes: its two highest bits hide, inverted, in the real type's byte."""
    return (((meta >> 4) & 0x300) ^ 0x300) + (meta & 255)


def _length_prefix(code: int, meta: int) -> int:
    """Bytes of a string's length prefix; 0 for a type that is no string."""
    if code in (_VARCHAR, _VAR_STRING, _VARCHAR_COMPRESSED):
        return 2 if meta > 255 else 1
    if code == STRING:
        return 2 if string_length(meta) > 255 else 1
    return meta if code in _BLOBS or code in (_BLOB_COMPRESSED, _GEOMETRY, _VECTOR) else 0


def decimal_size(precision: int, scale: int) -> int:
    """Bytes of a packed DECIMAL: nine digits are four bytes, and fewer take as few as they can."""
    integral = precision - scale
    return integral // 9 * 4 + _DIGIT_BYTES[integral % 9] + scale // 9 * 4 + _DIGIT_BYTES[scale % 9]


def _labels(place: int, column: ColumnLike, table_map: TableMap) -> tuple[bytes, ...]:
    """An ENUM's or SET's labels in UTF-8, as logged or else as tracked."""
    logged = table_map.labels[place] if table_map.labels is not None else None
    if logged is None:
        return tuple(label.encode() for label in column.labels)
    charset = logged_charset(place, column, table_map) or "utf8mb4"
    return tuple(_label(label, charset) for label in logged)


def _label(label: bytes, charset: str) -> bytes:
    try:
        return decode(label, charset).encode() if charset != "binary" and is_known(charset) else label
    except UnicodeDecodeError:
        return label


def _check_name(place: int, columns: Sequence[ColumnLike], table_map: TableMap) -> None:
    names = table_map.column_names
    if names is not None and small(names[place]) != small(columns[place].name):
        raise _mismatch(columns, table_map)


def _unsupported(column: ColumnLike, table_map: TableMap) -> Exception:
    name = f"{table_map.schema}.{table_map.table}"
    return UNSUPPORTED_TYPE.error(column=column.name, table=name, type=column.type)


def _mismatch(columns: Sequence[ColumnLike], table_map: TableMap) -> Exception:
    named = table_map.column_names or ("",) * len(table_map.types)
    kinds = [type_name(*real_type(code, meta)) for code, meta in zip(table_map.types, table_map.metadata, strict=True)]
    return COLUMN_MISMATCH.error(
        table=f"{table_map.schema}.{table_map.table}",
        found=len(table_map.types),
        types=", ".join(f"{name} {kind}".strip() for name, kind in zip(named, kinds, strict=True)),
        known=len(columns),
        columns=", ".join(f"{column.name} {column.type}" for column in columns),
    )


_TYPE_NAMES = {
    4: "float", 5: "double", 7: "timestamp", 10: "date", 11: "time", 12: "datetime", 13: "year", 14: "date", 16: "bit",
    17: "timestamp", 18: "datetime", 19: "time", _BLOB_COMPRESSED: "compressed blob",
    _VARCHAR_COMPRESSED: "compressed varchar", _VECTOR: "vector",
    245: "json", 246: "decimal", ENUM: "enum", SET: "set", _GEOMETRY: "geometry",
}  # fmt: skip
_STRING_NAMES: dict[int, Callable[[int], str]] = {
    _VARCHAR: lambda meta: f"varchar of {meta} bytes",
    _VAR_STRING: lambda meta: f"varchar of {meta} bytes",
    STRING: lambda meta: f"char of {string_length(meta)} bytes",
}


def type_name(code: int, meta: int) -> str:
    """A type code in words, for errors."""
    if code in _INTEGERS:
        return _INTEGERS[code][0]
    if code in _STRING_NAMES:
        return _STRING_NAMES[code](meta)
    if code in _BLOBS:
        return f"blob or text with {meta} length bytes"
    return _TYPE_NAMES.get(code, f"type {code}")
