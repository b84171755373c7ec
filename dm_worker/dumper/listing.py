"""What a folder of dump files holds, from the names in it: databases, tables, views, files of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from dm_worker.dumper.layout import METADATA, PARTIAL_METADATA, FileKind, FileName, parse_name
from pkg.errors import DMError, ErrorKind, Level, Scope

NO_DUMP = ErrorKind(
    34201,
    "load-unit",
    Scope.NOT_SET,
    Level.HIGH,
    "{folder} is no dump in mydumper's layout: {reason}",
    workaround="`dir` in `loaders` names the folder with `metadata` and `*-schema-create.sql` in it; then resume-task",
)
UNFINISHED_DUMP = ErrorKind(
    34202,
    "load-unit",
    Scope.NOT_SET,
    Level.HIGH,
    "the dump in {folder} is not complete: {reason}",
    workaround="let the dump end, or make it again, then resume-task; only where you know that all of its files are "
    "there, and metadata alone was left behind, make a file `metadata` with the line `Started dump at: 2026-01-02 "
    "03:04:05` (its date)",
)
UNKNOWN_FILES = ErrorKind(
    34203,
    "load-unit",
    Scope.NOT_SET,
    Level.HIGH,
    "{folder} has files that belong to no dump in mydumper's layout: {files}",
    workaround="take them out of the folder, then resume-task",
)
MISSING_FILES = ErrorKind(
    34204,
    "load-unit",
    Scope.NOT_SET,
    Level.HIGH,
    "the dump in {folder} lacks files: {files}",
    workaround="copy them from where the dump was made, then resume-task; tables that you leave out on purpose are for "
    "the block-allow-list",
)

# Names with this start are ours or the system's, and no part of the dump.
HIDDEN: Final = "."
PARTIAL_END: Final = ".partial"  # a file that is being written; it gets its name when it is whole
_SHOWN: Final = 5
_MYDUMPER_NAME: Final = "mydumper_"


@dataclass(frozen=True, slots=True)
class DumpFile:
    """One file of the folder."""

    what: FileName
    size: int

    @property
    def name(self) -> str:
        return self.what.name


@dataclass(slots=True)
class DumpTable:
    """One table: the file with its structure and those with its rows, in their order."""

    schema: str
    name: str
    structure: DumpFile | None = None
    view: DumpFile | None = None  # what is there is a view, and ``structure`` only stands in for it
    rows: list[DumpFile] = field(default_factory=list)

    @property
    def is_view(self) -> bool:
        return self.view is not None


@dataclass(slots=True)
class DumpFolder:
    """A whole dump, by names."""

    metadata: DumpFile | None = None
    databases: dict[str, DumpFile | None] = field(default_factory=dict)
    tables: dict[tuple[str, str], DumpTable] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)  # sequences, triggers, routines: files that nobody loads

    def missing_structures(self) -> list[str]:
        """Tables that have rows and no CREATE TABLE."""
        lacking = [one for one in self.tables.values() if one.structure is None and not one.is_view]
        return [f"{one.schema}.{one.name}-schema.sql" for one in lacking]


RealNames = Mapping[tuple[str, str], str]


def read_listing(files: Iterable[tuple[str, int]], folder: str, real_names: RealNames | None = None) -> DumpFolder:
    """The dump that ``files`` (name and size) are; DMError for what is none.

    ``real_names`` is what the metadata says of tables that mydumper calls ``mydumper_7``.
    """
    listed = {name: size for name, size in sorted(files) if not name.startswith(HIDDEN)}
    _refuse_unfinished(listed, folder)
    schemas = _schemas(listed)
    found, unknown = DumpFolder(), []
    for name, size in listed.items():
        what = parse_name(name, schemas)
        if what is None:
            unknown.append(name)
        else:
            _add(found, DumpFile(what, size), real_names or {})
    if not (found.databases or found.tables):
        raise NO_DUMP.error(folder=folder, reason=_what_is_there(unknown))
    if unknown:
        raise UNKNOWN_FILES.error(folder=folder, files=shown(unknown))
    _refuse_nameless(found, folder)
    for table in found.tables.values():
        table.rows.sort(key=lambda file: (file.what.numbers, file.name))
        found.databases.setdefault(table.schema, None)
    return found


def missing_structures_error(dump: DumpFolder, folder: str) -> DMError | None:
    """What is missing that a load cannot do without."""
    missing = dump.missing_structures()
    return MISSING_FILES.error(folder=folder, files=shown(missing)) if missing else None


def shown(names: list[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _schemas(names: Iterable[str]) -> set[str]:
    """Databases as file names write them."""
    ends = [name.lower().find("-schema-create.sql") for name in names]
    return {name[:end] for name, end in zip(names, ends, strict=True) if end > 0}


def _refuse_unfinished(listed: Mapping[str, int], folder: str) -> None:
    if PARTIAL_METADATA in listed and METADATA not in listed:
        raise UNFINISHED_DUMP.error(folder=folder, reason=f"there is {PARTIAL_METADATA} and no {METADATA}")
    partial = [name for name in listed if name.endswith(PARTIAL_END) and name != PARTIAL_METADATA]
    if partial:
        raise UNFINISHED_DUMP.error(folder=folder, reason=f"these files are being written: {shown(partial)}")


def _what_is_there(unknown: list[str]) -> str:
    if not unknown:
        return "it is empty"
    if "@.json" in unknown or "@.done.json" in unknown:
        return "it is a dump of MySQL Shell, which has a layout of its own"
    return f"there are only {shown(unknown)}"


def _add(found: DumpFolder, file: DumpFile, real_names: RealNames) -> None:
    what = file.what
    if what.kind is FileKind.METADATA:
        found.metadata = file
    elif what.kind is FileKind.DATABASE:
        found.databases[what.schema] = file
    elif what.kind in (FileKind.OTHER, FileKind.SEQUENCE):
        found.left_out.append(file.name)
    else:
        name = real_names.get((what.schema, what.table), what.table)
        table = found.tables.setdefault((what.schema, name), DumpTable(what.schema, name))
        if what.kind is FileKind.TABLE:
            table.structure = file
        elif what.kind is FileKind.VIEW:
            table.view = file
        else:
            table.rows.append(file)


def _refuse_nameless(found: DumpFolder, folder: str) -> None:
    """mydumper's stand-ins for names that only a metadata file could tell."""
    nameless = sorted(name for _, name in found.tables if name.removeprefix(_MYDUMPER_NAME).isdigit())
    nameless = [name for name in nameless if name.startswith(_MYDUMPER_NAME)]
    if nameless and found.metadata is None:
        raise MISSING_FILES.error(
            folder=folder, files=f"{METADATA}, which tells the names of the tables {shown(nameless)}"
        )
