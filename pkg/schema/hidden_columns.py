"""Columns that rows have and no statement shows: MariaDB's hashes of unique keys that are too long for an index."""

from __future__ import annotations

from pkg.schema.table import Index, Table

_LONGEST_KEY_BYTES = 3072  # of InnoDB
_BULKY = ("text", "blob")
_CHARACTER_BYTES = {
    "utf8mb4": 4, "utf16": 4, "utf16le": 4, "utf32": 4, "gb18030": 4, "utf8mb3": 3, "utf8": 3, "ujis": 3, "eucjpms": 3,
    "ucs2": 2, "gbk": 2, "gb2312": 2, "big5": 2, "sjis": 2, "cp932": 2, "euckr": 2,
}  # fmt: skip


def most_hidden_columns(table: Table) -> int:
    """How many hidden columns MariaDB may log behind the table's own: a BIGINT for each unique key by hash."""
    return sum(index.unique and not index.primary and _may_be_hashed(index, table) for index in table.indexes)


def _may_be_hashed(index: Index, table: Table) -> bool:
    if index.hashed:
        return True
    size = 0
    for name, prefix in zip(index.columns, index.prefixes, strict=True):
        column = table.column(name)
        if column is None:
            continue
        if prefix is None and column.base_type.endswith(_BULKY):
            return True
        size += (prefix or column.length or 0) * _CHARACTER_BYTES.get(column.charset or "", 1)
    return size > _LONGEST_KEY_BYTES
