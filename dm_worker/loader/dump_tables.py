"""What a folder of dump files says: tables with their structures, files of rows, where the dump stands."""

from __future__ import annotations

import gzip
import logging
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import zstandard

from dm_worker.dumper.chunks import TableSize
from dm_worker.dumper.dump_state import STATE_FILE, planned_files
from dm_worker.dumper.folder import Folder
from dm_worker.dumper.layout import METADATA, Compression
from dm_worker.dumper.listing import (
    MISSING_FILES,
    UNFINISHED_DUMP,
    DumpFile,
    DumpFolder,
    DumpTable,
    missing_structures_error,
    read_listing,
    shown,
)
from dm_worker.dumper.metadata import BadMetadata, Metadata, parse_metadata
from dm_worker.dumper.metadata import Place as DumpPlace
from dm_worker.dumper.source_tables import SYSTEM_SCHEMAS, ListedTable, SourceTable
from dm_worker.dumper.source_views import SourceView
from dm_worker.loader.dump_stream import DAMAGED
from dm_worker.loader.file_feed import RowFile
from pkg.binlog.gtid import parse_gtid_set
from pkg.binlog.position import Location, Position
from pkg.errors import DMError, ErrorKind, Level, Scope
from pkg.rows.insert_text import statements
from pkg.rules.block_allow_list import BlockAllowList
from pkg.schema.charset import default_collation
from pkg.schema.parse import parse_create_table

log = logging.getLogger(__name__)

BAD_FILE = ErrorKind(
    34215,
    "load-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the dump's file {file} cannot be used: {reason}",
    workaround="put the file right, or copy it again from where the dump was made; then resume-task",
)
NO_SQL = ErrorKind(
    34216,
    "load-unit",
    Scope.INTERNAL,
    Level.HIGH,
    "the dump has files of rows that are not SQL: {files}",
    workaround="make the dump with INSERT statements (Dumpling: --filetype sql; mydumper: without --csv and "
    "--load-data), or leave these tables out by the block-allow-list; then resume-task",
)

_CREATE_TABLE: Final = re.compile(r"CREATE\s+(?:TEMPORARY\s+)?TABLE\b", re.ASCII | re.IGNORECASE)
_CREATE_DATABASE: Final = re.compile(r"CREATE\s+(?:DATABASE|SCHEMA)\b", re.ASCII | re.IGNORECASE)
_CREATE: Final = re.compile(r"(?:/\*!\d*\s*)?CREATE\b", re.ASCII | re.IGNORECASE)
_CONNECTION: Final = re.compile(rb"\bSET\s+(?:SESSION\s+)?collation_connection\s*=\s*'?(\w+)", re.IGNORECASE)
_NOT_UTF8: Final = re.compile("[\udc80-\udcff]")
_COLLATE: Final = re.compile(r"\bCOLLATE\s*=?\s*'?(\w+)", re.ASCII | re.IGNORECASE)
_CHARSET: Final = re.compile(r"\b(?:CHARACTER\s+SET|CHARSET)\s*=?\s*'?(\w+)", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TableFiles:
    """One table of the dump that the task takes."""

    source: SourceTable
    files: tuple[RowFile, ...]


@dataclass(slots=True)
class Dump:
    """What is loaded."""

    tables: list[TableFiles] = field(default_factory=list)
    collations: dict[str, str] = field(default_factory=dict)  # of the databases
    start: Location | None = None
    end: Location | None = None
    left_out: list[str] = field(default_factory=list)
    views: list[SourceView] = field(default_factory=list)


def read_dump(folder: Folder, allowed: BlockAllowList, run: str = "") -> Dump:
    """The whole dump by its small files; those of rows are named with ``run``, whose folder it is.

    Raises DMError for what cannot be loaded.
    """
    sizes = folder.sizes()
    metadata = _metadata(folder) if METADATA in sizes else Metadata()
    listing = read_listing(sizes.items(), folder.name, metadata.real_names)
    wanted = _chosen(listing, allowed)
    if error := missing_structures_error(wanted, folder.name):
        raise error
    _refuse_other_formats(wanted)
    if METADATA not in sizes:  # which mydumper, Dumpling and our own dumps write last
        raise UNFINISHED_DUMP.error(folder=folder.name, reason=f"there is no {METADATA}")
    _refuse_lost_rows(folder, sizes, wanted, metadata)
    dump = Dump(start=_location(metadata.start), end=_location(metadata.end))
    dump.left_out = list(listing.left_out)
    for table in wanted.tables.values():
        if table.view is not None:
            dump.views.append(_view(folder, table, table.view))
        else:
            rows = metadata.rows.get((table.schema, table.name), 0)
            dump.tables.append(TableFiles(_source(folder, table, rows), tuple(_row_files(table, run))))
    for schema, file in wanted.databases.items():
        if file is not None and (collation := _collation(folder, file)):
            dump.collations[schema] = collation
    dump.views = [replace(view, schema_collation=dump.collations.get(view.schema, "")) for view in dump.views]
    return dump


def _refuse_lost_rows(folder: Folder, sizes: Mapping[str, int], dump: DumpFolder, metadata: Metadata) -> None:
    """Raise MISSING_FILES for files of rows that are not there, as far as the dump says which it has."""
    planned = planned_files(folder) if STATE_FILE in sizes else {}
    lost = [name for table in dump.tables for name in planned.get(table, ()) if name not in sizes]
    for (schema, name), table in dump.tables.items():
        if not (table.rows or table.is_view) and (count := metadata.rows.get((schema, name), 0)):
            lost.append(f"all of the {count} rows of {schema}.{name}")
    if lost:
        raise MISSING_FILES.error(folder=folder.name, files=shown(lost))


def read_start(folder: Folder) -> Location | None:
    """Where the dump in the folder stands, by its metadata."""
    return _location(_metadata(folder).start)


def _chosen(listing: DumpFolder, allowed: BlockAllowList) -> DumpFolder:
    tables = {
        name: table
        for name, table in listing.tables.items()
        if name[0].lower() not in SYSTEM_SCHEMAS and allowed.allows(*name)
    }
    schemas = {schema for schema, _ in tables}
    return DumpFolder(
        listing.metadata, {name: file for name, file in listing.databases.items() if name in schemas}, tables
    )


def _refuse_other_formats(dump: DumpFolder) -> None:
    others = [file.name for table in dump.tables.values() for file in table.rows if file.what.format != "sql"]
    if others:
        raise NO_SQL.error(files=shown(others))


def _row_files(table: DumpTable, run: str) -> Iterator[RowFile]:
    for file in table.rows:
        yield RowFile(f"{run}/{file.name}" if run else file.name, file.size, file.what.compression)


def _source(folder: Folder, table: DumpTable, rows: int) -> SourceTable:
    file = table.structure
    assert file is not None, "missing structures are refused before"
    sql = _statement(folder, file, _CREATE_TABLE)
    try:
        structure = parse_create_table(sql, table.schema)
    except DMError as exc:
        raise BAD_FILE.error(file=file.name, reason=exc.fields.get("reason", exc.message), cause=exc) from exc
    if structure.name != table.name:
        raise BAD_FILE.error(file=file.name, reason=f"it creates the table {structure.name}")
    size = sum(one.size for one in table.rows)
    listed = ListedTable(table.schema, table.name, TableSize(rows, size // rows if rows else 0))
    return SourceTable(listed, sql, structure)


def _view(folder: Folder, table: DumpTable, file: DumpFile) -> SourceView:
    """Without a text where there is none that can be used; the table that stands in for it is not looked at."""
    unpacked = _unpacked(folder, file)
    made = [one for one in statements(unpacked) if _CREATE.match(one)]
    sql = made[0] if len(made) == 1 and not _NOT_UTF8.search(made[0]) else ""
    collation = _CONNECTION.search(unpacked)
    return SourceView(table.schema, table.name, sql, collation[1].decode().lower() if collation else "")


def _collation(folder: Folder, file: DumpFile) -> str:
    sql = _statement(folder, file, _CREATE_DATABASE)
    if found := _COLLATE.search(sql):
        return found[1].lower()
    return default_collation(found[1].lower()) if (found := _CHARSET.search(sql)) else ""


def _statement(folder: Folder, file: DumpFile, wanted: re.Pattern[str]) -> str:
    """The one statement of a file with a structure that matters."""
    found = [one for one in statements(_unpacked(folder, file)) if wanted.match(one)]
    if len(found) != 1:
        raise BAD_FILE.error(file=file.name, reason=f"it has {len(found) or 'no'} {file.what.kind} statements")
    try:
        return found[0].encode("utf-8", "surrogateescape").decode()
    except UnicodeDecodeError as exc:
        raise BAD_FILE.error(file=file.name, reason="it is no text in UTF-8", cause=exc) from exc


def _unpacked(folder: Folder, file: DumpFile) -> bytes:
    data = folder.read(file.name)
    try:
        if file.what.compression is Compression.ZSTD:
            return zstandard.ZstdDecompressor().decompressobj().decompress(data)
        return gzip.decompress(data) if file.what.compression is Compression.GZIP else data
    except (zstandard.ZstdError, zlib.error, OSError, EOFError) as exc:
        raise DAMAGED.error(file=file.name, offset=0, reason=str(exc), cause=exc) from exc


def _metadata(folder: Folder) -> Metadata:
    try:
        return parse_metadata(folder.read(METADATA).decode())
    except (BadMetadata, UnicodeDecodeError) as exc:
        raise BAD_FILE.error(file=METADATA, reason=str(exc), cause=exc) from exc


def _location(place: DumpPlace | None) -> Location | None:
    if place is None:
        return None
    try:
        gtids = parse_gtid_set(place.gtid, "") if place.gtid else None
    except DMError as exc:
        log.warning("the dump's set of GTIDs cannot be read: %s", exc)
        gtids = None
    return Location(Position(place.file, place.offset), gtids)
