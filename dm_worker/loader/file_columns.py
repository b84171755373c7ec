"""How the values of a dump's file reach the columns of the target.  Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dm_worker.dumper.chunks import best_key
from dm_worker.dumper.copied_form import copied_form
from dm_worker.dumper.copy_plan import TableCopy
from pkg.adapters.meta_tables import quoted
from pkg.rows import row_writer, text_protocol
from pkg.rows.insert_text import BadValue
from pkg.rows.row_writer import VECTOR_TEXT, Layout
from pkg.rows.tolerance import uncertain
from pkg.rules.extract import ExtractedColumn
from pkg.schema.table import Column, Table

_AS_THEY_ARE: Final = frozenset(("binary", "utf8mb4", "utf8mb3", "utf8", "ascii"))
_UTF8: Final = frozenset(("utf8mb4", "utf8mb3", "utf8"))
_SPATIAL: Final = frozenset((
    "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon",
    "geometrycollection", "geomcollection",
))  # fmt: skip
_LINE_ESCAPES: Final = {0: b"\\0", 9: b"\\t", 10: b"\\n", 13: b"\\r", 92: b"\\\\"}
_SQL_ESCAPES: Final = {0: b"\\0", 39: b"\\'", 92: b"\\\\"}


@dataclass(frozen=True, slots=True)
class FileTable:
    """One table of a dump on its way to one target table."""

    structure: Table  # as the dump has it
    target_schema: str
    target_table: str
    flavor: str  # of the target
    extracted: tuple[ExtractedColumn, ...] = ()

    def copy(self, columns: Sequence[str]) -> TableCopy:
        """What a writer must know of the table when these columns are written."""
        structure, key = self.structure, best_key(self.structure)
        return TableCopy(
            structure.schema, structure.name, self.target_schema, self.target_table, tuple(map(quoted, columns)), (),
            key, False, copied_form(structure, key), uncertain=uncertain(structure.columns),
            identity=tuple(structure.columns[place].name for place in structure.identity_key),
            is_mapped=bool(self.extracted),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """How rows of one statement are read and written."""

    layout: Layout
    copy: TableCopy  # what the writer must know: names and columns
    modes: tuple[int, ...]  # of its columns, in the words of the load path


def plan_rows(table: FileTable, columns: Sequence[str] | None, names: str, verb: str = "") -> Plan:
    """``columns`` are those that the file's statement lists; ``names`` the character set that it is written in.

    With a ``verb`` rows become INSERT statements.  Raises BadValue for columns that the table does not have.
    """
    found = _columns(table.structure, columns)
    loaded = [column for column in found if not column.generated]
    values = [one.value.encode() for one in table.extracted]
    written = [column.name for column in loaded] + [one.name for one in table.extracted]
    kinds = tuple([_kind(column) for column in loaded] + [text_protocol.TEXT] * len(values))
    copy = table.copy(written)
    layout = Layout(
        bytes([_mode(column) for column in found]),
        tuple(_charset(column, names, table.flavor) for column in found),
        copy.insert_prefix(verb).encode() if verb else b"",
        b"".join(_literal(value) if verb else b"\t" + _escaped(value, _LINE_ESCAPES) for value in values),
    )
    return Plan(layout, copy, kinds)


def check_table_name(table: FileTable, name: str) -> None:
    """Raises BadValue where a statement writes to another table than its file is named for."""
    if name.lower() != table.structure.name.lower():
        raise BadValue(f"rows of the table {name} in a file of {table.structure.name}")


def _columns(structure: Table, names: Sequence[str] | None) -> list[Column]:
    if names is None:
        return [column for column in structure.columns if not column.invisible]
    found = [(name, structure.column(name)) for name in names]
    unknown = [name for name, column in found if column is None]
    if unknown:
        raise BadValue(f"the columns {', '.join(unknown)} are not in the table's structure")
    return [column for _, column in found if column is not None]


def _mode(column: Column) -> int:
    if column.generated:
        return row_writer.LEFT_OUT
    if column.base_type == "bit":
        return row_writer.BITS
    return row_writer.BINARY if _is_bytes(column) else row_writer.TEXT


def _is_bytes(column: Column) -> bool:
    return column.charset == "binary" or column.base_type in _SPATIAL or column.base_type == "vector"


def _kind(column: Column) -> int:
    """The same in the words of the load path."""
    if column.base_type == "vector":
        return text_protocol.VECTOR
    if column.base_type == "bit":
        return text_protocol.BITS
    return text_protocol.BINARY if _is_bytes(column) else text_protocol.TEXT


def _charset(column: Column, names: str, flavor: str) -> str:
    """What the values of a column are to be converted from."""
    if column.base_type == "vector":
        return VECTOR_TEXT if flavor == "tidb" else ""
    if column.charset is None or _is_bytes(column) or names in _UTF8:
        return ""
    written = column.charset if names == "binary" else names
    return "" if written in _AS_THEY_ARE else written


def _literal(value: bytes) -> bytes:
    return b",'" + _escaped(value, _SQL_ESCAPES) + b"'"


def _escaped(value: bytes, escapes: Mapping[int, bytes]) -> bytes:
    return b"".join(escapes.get(byte, bytes((byte,))) for byte in value)
