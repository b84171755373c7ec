"""Names of the files of a dump, as mydumper and Dumpling call them, both ways.

==============================  =====================================================
``metadata``                    where the dump stands in the binary log
``db-schema-create.sql``        CREATE DATABASE
``db.table-schema.sql``         CREATE TABLE (for a view: a table that stands in for it)
``db.view-schema-view.sql``     CREATE VIEW
``db.table.000000003.sql``      rows; the number is missing, short, long or in two parts
``….sql.zst``, ``….sql.gz``     any of them, compressed
==============================  =====================================================

Dumpling writes special characters of names as ``%`` and two hexadecimal digits, mydumper writes them as
they are or puts ``mydumper_7`` in place of the name (the metadata says which name that is).  A name with
dots that nobody encoded is cut by the databases that the folder has (``listing.read_listing``).
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import unquote

METADATA: Final = "metadata"
PARTIAL_METADATA: Final = "metadata.partial"  # mydumper's name for it until the dump is complete
CHUNK_DIGITS: Final = 9

_SPECIAL = re.compile(r'[\x00-\x1f%"*./:<>?\\|]|-(?=schema)', re.IGNORECASE)
_NUMBERS = re.compile(r"(?:\.\d+){0,2}$")
_COMPRESSED: Final = {".zst": "zstd", ".zstd": "zstd", ".gz": "gzip"}
_FORMATS: Final = ("sql", "csv", "tsv", "dat", "txt", "parquet")


class FileKind(StrEnum):
    """What a file of a dump holds."""

    METADATA = "metadata"
    DATABASE = "CREATE DATABASE"
    TABLE = "CREATE TABLE"
    VIEW = "CREATE VIEW"
    SEQUENCE = "CREATE SEQUENCE"
    ROWS = "rows"
    OTHER = "other objects"  # triggers, routines, events, placement policies, checksums


class Compression(StrEnum):
    """How the bytes of a file are packed."""

    NONE = "none"
    ZSTD = "zstd"
    GZIP = "gzip"


@dataclass(frozen=True, slots=True)
class FileName:
    """What a name says; ``schema`` and ``table`` are real names, ``numbers`` those of a file of rows."""

    kind: FileKind
    name: str
    schema: str = ""
    table: str = ""
    numbers: tuple[int, ...] = ()
    format: str = "sql"
    compression: Compression = Compression.NONE


# The ends of names that say what is in a file, longest first; "t" has a table's name before it.
_ENDS: Final = (
    ("-schema-placement-policy-create", FileKind.OTHER, False),
    ("-placement-policy-create", FileKind.OTHER, False),
    ("-schema-create", FileKind.DATABASE, False),
    ("-schema-post", FileKind.OTHER, False),
    ("-schema-triggers", FileKind.OTHER, False),
    ("-schema-sequence", FileKind.SEQUENCE, True),
    ("-schema-view", FileKind.VIEW, True),
    ("-schema", FileKind.TABLE, True),
)
_NO_SQL_ENDS: Final = ("-schema-create-checksum", "-schema-checksum", "-checksum", "-metadata")


def encoded(name: str) -> str:
    """``name`` as Dumpling writes it in file names."""
    return _SPECIAL.sub(lambda found: f"%{ord(found[0]):02X}", name)


def decoded(text: str) -> str:
    """The name that ``text`` stands for; text that nobody encoded stays."""
    return unquote(text)


def database_file(schema: str) -> str:
    return f"{encoded(schema)}-schema-create.sql"


def table_file(schema: str, table: str) -> str:
    return f"{encoded(schema)}.{encoded(table)}-schema.sql"


def view_file(schema: str, view: str) -> str:
    return f"{encoded(schema)}.{encoded(view)}-schema-view.sql"


def sequence_file(schema: str, sequence: str) -> str:
    return f"{encoded(schema)}.{encoded(sequence)}-schema-sequence.sql"


def chunk_file(schema: str, table: str, number: int, compression: Compression = Compression.NONE) -> str:
    """The name of a file of rows."""
    end = {Compression.NONE: "", Compression.ZSTD: ".zst", Compression.GZIP: ".gz"}[compression]
    return f"{encoded(schema)}.{encoded(table)}.{number:0{CHUNK_DIGITS}d}.sql{end}"


def parse_name(name: str, schemas: Container[str] = ()) -> FileName | None:
    """What a file is by its name; None for one that no dump has.

    ``schemas`` are databases known from elsewhere, by their names in file names: a name with several
    dots is cut behind the longest of them.
    """
    if name in (METADATA, PARTIAL_METADATA):
        return FileName(FileKind.METADATA, name)
    stem, compression = _uncompressed(name)
    base, _, form = stem.rpartition(".")
    if form.lower() not in _FORMATS or not base:
        return FileName(FileKind.OTHER, name) if stem.endswith(_NO_SQL_ENDS) else None
    if form.lower() == "sql":
        for end, kind, has_table in _ENDS:
            if base.lower().endswith(end) and len(base) > len(end):
                return _schema_file(name, base[: -len(end)], kind, has_table, compression, schemas)
    found = _rows_file(base, schemas)
    return None if found is None else FileName(FileKind.ROWS, name, *found, form.lower(), compression)


def _rows_file(base: str, schemas: Container[str]) -> tuple[str, str, tuple[int, ...]] | None:
    """Schema, table and numbers; a table's name may be a number, too."""
    numbers = _NUMBERS.search(base)
    parts = numbers[0].split(".")[1:] if numbers else []
    while True:
        stem = base.removesuffix("".join(f".{part}" for part in parts))
        names = _cut(stem, schemas)
        if names is not None:
            return *names, tuple(map(int, parts))
        if not parts:
            return None
        del parts[0]


def _uncompressed(name: str) -> tuple[str, Compression]:
    for end, compression in _COMPRESSED.items():
        if name.lower().endswith(end):
            return name[: -len(end)], Compression(compression)
    return name, Compression.NONE


def _schema_file(
    name: str, base: str, kind: FileKind, has_table: bool, compression: Compression, schemas: Container[str]
) -> FileName | None:
    if not has_table:
        return FileName(kind, name, decoded(base), compression=compression)
    names = _cut(base, schemas)
    return None if names is None else FileName(kind, name, *names, compression=compression)


def _cut(text: str, schemas: Container[str]) -> tuple[str, str] | None:
    """Schema and table of ``schema.table``."""
    dots = [at for at, letter in enumerate(text) if letter == "." and 0 < at < len(text) - 1]
    if not dots:
        return None
    at = next((at for at in reversed(dots) if text[:at] in schemas), dots[0])
    return decoded(text[:at]), decoded(text[at + 1 :])
