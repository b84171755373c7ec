"""Column types: the words that servers take, and the one spelling that we keep of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from pkg.binlog.charset import as_bytes, as_held, decode
from pkg.schema.charset import BINARY, MAX_BYTES, Charset, binary_collation, is_default
from pkg.schema.context import DdlContext
from pkg.schema.cursor import Cursor
from pkg.schema.lexer import Kind, bytes_of_digits, integer, quote_string

CHARACTER_TYPES = frozenset({"char", "varchar", "tinytext", "text", "mediumtext", "longtext"})
LABEL_TYPES = frozenset({"enum", "set"})
TEXT_TYPES = CHARACTER_TYPES | LABEL_TYPES
GEOMETRY_TYPES = frozenset(
    {"geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon"}
    | {"geometrycollection", "geomcollection"}
)
BINARY_TYPES = frozenset({"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"})
FIXED_BYTES = {
    "tinyint": 1, "smallint": 2, "mediumint": 3, "int": 4, "bigint": 8, "float": 4, "double": 8, "year": 1, "date": 3,
    "time": 3, "timestamp": 4, "datetime": 5, "inet4": 4, "inet6": 16, "uuid": 16,
}  # fmt: skip
"""What a value takes in a key, without digits of seconds."""
INTEGER_TYPES = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint"})
_ALIASES = {
    "INTEGER": "int", "INT1": "tinyint", "INT2": "smallint", "INT3": "mediumint", "INT4": "int", "INT8": "bigint",
    "MIDDLEINT": "mediumint", "DEC": "decimal", "NUMERIC": "decimal", "FIXED": "decimal", "NUMBER": "decimal",
    "REAL": "double", "FLOAT4": "float", "FLOAT8": "double", "CHARACTER": "char", "NCHAR": "char",
    "NVARCHAR": "varchar", "VARCHARACTER": "varchar", "VARCHAR2": "varchar", "GEOMETRYCOLLECTION": "geomcollection",
    "CLOB": "longtext", "RAW": "varbinary", "SQL_TSI_YEAR": "year",
}  # fmt: skip
_MAX_ROW_BYTES = 65535
_MAX_VARCHAR_BYTES = 65532  # with its length in front it fills a row
BLOB_OF = {
    "char": "binary", "varchar": "varbinary", "tinytext": "tinyblob", "text": "blob", "mediumtext": "mediumblob",
    "longtext": "longblob",
}  # fmt: skip
_SIZES = ((1 << 8, "tiny"), (1 << 16, ""), (1 << 24, "medium"), (1 << 32, "long"))
DIGITS_OF_DOUBLE = 15  # that it keeps, whatever they are
_FIXED_DOUBLE = re.compile(r"double\((\d+),\s*(\d+)\)", re.ASCII)
_SCALE = re.compile(r"\(\d+,\s*(\d+)\)", re.ASCII)
_WITH_LENGTH = frozenset({"char", "varchar", "binary", "varbinary", "bit", "vector"})
TYPE_SCHEMAS = frozenset({"mariadb_schema", "oracle_schema", "maxdb_schema"})  # MariaDB's, whose types modes hide
_NO_TYPES = frozenset({"NOT", "NULL", "DEFAULT", "PRIMARY", "UNIQUE", "KEY", "AFTER", "FIRST", "AS", "CHECK"})
_ONE_BY_DEFAULT = frozenset({"char", "binary", "bit"})
_TEMPORAL = frozenset({"time", "datetime", "timestamp"})


@dataclass(slots=True)
class TypeSpec:
    """A type as written; character set and size of text are settled by ``settle``."""

    base: str
    arguments: tuple[str, ...] = ()
    labels: tuple[str | bytes, ...] = ()  # bytes, in the column's character set, where digits are written
    unsigned: bool = False
    zerofill: bool = False
    charset: str | None = None
    collation: str | None = None
    binary_attribute: bool = False
    serial: bool = False

    @property
    def is_text(self) -> bool:
        return self.base in TEXT_TYPES

    def inherits_charset(self) -> bool:
        """Whether the column's character set is the table's."""
        return self.is_text and not self.charset and (not self.collation or is_default(self.collation))


def read_type(cursor: Cursor, flavor: str) -> TypeSpec:
    """A data type with what stands in parentheses behind it."""
    spec = _read_word(cursor)
    if cursor.key == "(" and spec.base in ("enum", "set"):
        cursor.next()
        spec.labels = _labels(cursor)
    elif cursor.key == "(":
        inside = cursor.parenthesized()[1:-1]
        spec.arguments = tuple(part.strip() for part in inside.split(",") if part.strip())
    _normalize(spec, flavor)
    return spec


def _read_word(cursor: Cursor) -> TypeSpec:
    if cursor.token.is_name and cursor.token.value.lower() in TYPE_SCHEMAS and cursor.key_after(1) == ".":
        cursor.next()
        cursor.next()
    if cursor.token.kind is not Kind.WORD or cursor.key in _NO_TYPES:
        raise cursor.unreadable("a data type")
    word = cursor.next().key
    match word:
        case "DOUBLE":
            cursor.accept("PRECISION")
        case "LONG":
            if cursor.accept("VARBINARY"):
                return TypeSpec("mediumblob")
            cursor.accept_any("CHAR", "CHARACTER")
            _accept_varying(cursor)
            return TypeSpec("mediumtext")
        case "CHAR" | "CHARACTER" | "NCHAR":
            varying = _accept_varying(cursor)
            return TypeSpec("varchar" if varying else "char", charset="utf8mb3" if word == "NCHAR" else None)
        case "NATIONAL":
            varying = cursor.accept_any("VARCHAR", "VARCHARACTER") != ""
            if not varying:
                cursor.next()
                varying = _accept_varying(cursor)
            return TypeSpec("varchar" if varying else "char", charset="utf8mb3")
        case "NVARCHAR":
            return TypeSpec("varchar", charset="utf8mb3")
        case "BOOL" | "BOOLEAN":
            return TypeSpec("tinyint", ("1",))
        case "SERIAL":
            return TypeSpec("bigint", unsigned=True, serial=True)
    return TypeSpec(_ALIASES.get(word, word.lower()))


def _accept_varying(cursor: Cursor) -> bool:
    return cursor.accept_any("VARYING", "VARCHAR", "VARCHARACTER") != ""


def _labels(cursor: Cursor) -> tuple[str | bytes, ...]:
    labels: list[str | bytes] = []
    while not cursor.accept(")"):
        if cursor.token.kind is Kind.NUMBER:
            labels.append(_label_of_digits(cursor.next().text))
        elif cursor.token.kind is Kind.WORD:
            labels.append(_introduced(cursor))
        else:
            labels.append(cursor.string())
        cursor.accept(",")
    return tuple(labels)


def _introduced(cursor: Cursor) -> str | bytes:
    """A label after an introducer or as digits: _utf8mb4'a', x'61'."""
    word = cursor.next().key
    text = cursor.string()
    return _label_of_digits(f"{word}'{text}'") if word in ("X", "B") else text


def _label_of_digits(digits: str) -> bytes:
    """Raises ValueError for another number."""
    raw = bytes_of_digits(digits)
    if raw is None:
        raise ValueError(f"{digits} is no label")
    return raw


def read_type_attribute(cursor: Cursor, spec: TypeSpec) -> bool:
    """Read one attribute that belongs to the type; whether there was one."""
    match cursor.key:
        case "UNSIGNED":
            spec.unsigned = True
        case "SIGNED":
            pass
        case "ZEROFILL":
            spec.zerofill = spec.unsigned = True
        case "BINARY":
            spec.binary_attribute = True
        case "ASCII":
            spec.charset = "latin1"
        case "UNICODE":
            spec.charset = "ucs2"
        case "BYTE":
            spec.charset = "binary"
        case "CHARSET":
            cursor.next()
            spec.charset = cursor.word_value()
            return True
        case "CHARACTER" | "CHAR" if cursor.key_after(1) == "SET":
            cursor.accept(cursor.key, "SET")
            spec.charset = cursor.word_value()
            return True
        case "COLLATE":
            cursor.next()
            spec.collation = cursor.word_value()
            return True
        case _:
            return False
    cursor.next()
    return True


def _normalize(spec: TypeSpec, flavor: str) -> None:
    base = spec.base
    if base == "json" and flavor == "mariadb":
        spec.base, spec.charset, spec.collation = "longtext", "utf8mb4", "utf8mb4_bin"
    elif base == "float" and len(spec.arguments) == 1:
        spec.base = "float" if integer(spec.arguments[0]) <= 24 else "double"
        spec.arguments = ()
    elif base == "decimal":
        spec.arguments = (*spec.arguments, *("10", "0")[len(spec.arguments) :])
    elif base == "year" or (base in _TEMPORAL and spec.arguments == ("0",)):
        spec.arguments = ()
    elif base in _ONE_BY_DEFAULT and (not spec.arguments or (base == "bit" and integer(spec.arguments[0]) == 0)):
        spec.arguments = ("1",)  # BIT(0) of MariaDB is one, too


@dataclass(frozen=True, slots=True)
class SettledType:
    """The fields of a Column that follow from its type."""

    type: str
    base_type: str
    labels: tuple[str, ...]
    charset: str | None
    collation: str | None
    length: int | None
    fsp: int


def settle(spec: TypeSpec, table: Charset, context: DdlContext) -> SettledType:
    """The type in a table whose default character set is ``table``."""
    base, arguments = spec.base, spec.arguments
    charset: Charset | None = None
    if spec.is_text:
        charset = context.resolved(spec.charset, spec.collation, table)
        if spec.binary_attribute and not spec.collation:
            charset = Charset(charset.name, binary_collation(charset.name))
        if charset.name == "binary":
            base = BLOB_OF.get(base, base)
    elif base in BINARY_TYPES:
        charset = BINARY
    if base in ("text", "blob") and arguments:
        width = MAX_BYTES.get(charset.name, 1) if charset else 1
        size = integer(arguments[0]) * width
        base = next((prefix for limit, prefix in _SIZES if size < limit), "long") + base
        arguments = ()
    if base in ("varchar", "varbinary") and arguments:
        base = _grown(base, integer(arguments[0]) * MAX_BYTES.get(charset.name, 1) if charset else 0)
    if is_bulky(base):
        arguments = ()
    labels = tuple(_label(one, charset, context.connection) for one in spec.labels)
    return SettledType(
        type=_type_text(spec, base, labels or arguments),
        base_type=base,
        labels=labels,
        charset=charset.name if charset else None,
        collation=charset.collation if charset else None,
        length=integer(arguments[0]) if base in _WITH_LENGTH and arguments else None,
        fsp=integer(arguments[0]) if base in _TEMPORAL and arguments else 0,
    )


def _grown(base: str, size: int) -> str:
    """What servers that are not strict make of a type that is too long for a row."""
    if size <= _MAX_VARCHAR_BYTES:
        return base
    prefix = "" if size <= _MAX_ROW_BYTES else "medium" if size < 1 << 24 else "long"
    return prefix + ("text" if base == "varchar" else "blob")


def _label(label: str | bytes, charset: Charset | None, connection: str) -> str:
    """As a server keeps it: ``?`` for characters that the column's set lacks, in binary the literal's bytes.

    No spaces stay behind it, but in binary.
    """
    if charset == BINARY:
        raw = as_bytes(label, connection) if isinstance(label, str) else label
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise ValueError(f"the label 0x{raw.hex()} is no text") from None
    if isinstance(label, str):
        return as_held(label, charset.name if charset else "utf8mb4").rstrip(" ")
    if charset is None:
        raise ValueError(f"the label 0x{label.hex()} is no text")
    return decode(label, charset.name).rstrip(" ")


@lru_cache(maxsize=256)
def fixed_digits(column_type: str) -> tuple[int, int]:
    """M and D of a DOUBLE(M,D); (0, -1) for every other type."""
    found = _FIXED_DOUBLE.match(column_type)
    return (int(found[1]), int(found[2])) if found is not None else (0, -1)


@lru_cache(maxsize=256)
def decimal_scale(column_type: str) -> int:
    """Digits behind the point of a DECIMAL, FLOAT or DOUBLE, as far as the type names them; else 0."""
    found = _SCALE.search(column_type)
    return int(found[1]) if found is not None else 0


def is_bulky(base_type: str) -> bool:
    """Whether it is a TEXT or BLOB of any size, which keys take a part of and defaults mind."""
    return base_type.endswith(("text", "blob"))


def too_long(base: str, length: int | None, charset: str) -> bool:
    """Whether a text of so many characters fits no row in another character set."""
    return base in ("char", "varchar") and (length or 0) * MAX_BYTES.get(charset, 1) > _MAX_ROW_BYTES


def _type_text(spec: TypeSpec, base: str, arguments: tuple[str, ...]) -> str:
    parameters = [quote_string(label) for label in arguments] if spec.labels else arguments
    text = f"{base}({','.join(parameters)})" if parameters else base
    return text + " unsigned" * spec.unsigned + " zerofill" * spec.zerofill
