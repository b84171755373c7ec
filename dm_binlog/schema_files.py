"""--schema and --columns: column names that the binlog does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from dm_binlog.layouts import KnownNames
from dm_binlog.where import split_name
from pkg.errors import DMError
from pkg.schema.parse import parse_create_table
from pkg.schema.table import Table

_STRING = r"'(?:[^'\\]|\\.|'')*+'|\"(?:[^\"\\]|\\.|\"\")*+\"|`(?:[^`]|``)*+`"
_PIECE = re.compile(rf"{_STRING}|/\*.*?\*/|--[ \t\n][^\n]*|#[^\n]*|;|[^'\"`/\-#;]++|.", re.DOTALL)
_CREATE = re.compile(r"CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMPORARY\s+)?TABLE\b", re.IGNORECASE)
_USE = re.compile(r"USE\s+(`(?:[^`]|``)+`|\S+)", re.IGNORECASE)
_LIKE = re.compile(r"\bLIKE\b[^(]*$", re.IGNORECASE)
_MYDUMPER = re.compile(r"(.+?)\.(.+)-schema\.sql")


def known_names(columns: Sequence[str], files: Sequence[Path]) -> KnownNames:
    """ValueError, with all that is wrong about one of them."""
    tables: dict[tuple[str, str], Table] = {}
    for path in files:
        tables.update(_tables_of(path))
    return KnownNames(dict(_columns(text) for text in columns), tables)


def _columns(text: str) -> tuple[tuple[str, str], tuple[str, ...]]:
    name, equals, listed = text.partition("=")
    names = tuple(column.strip().strip("`") for column in listed.split(","))
    if not equals or not all(names):
        raise ValueError(f"{text!r} is not understood; write db.table=first_column,second_column,…")
    return split_name(name.strip()), names


def _tables_of(path: Path) -> Iterator[tuple[tuple[str, str], Table]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise ValueError(f"{path} cannot be read: {exc}") from exc
    mydumper = _MYDUMPER.fullmatch(path.name)
    schema = mydumper[1] if mydumper else ""
    found = 0
    for statement in _statements(text):
        use = _USE.fullmatch(statement)
        if use:
            schema = use[1].strip("`").replace("``", "`")
        elif _CREATE.match(statement) and not _LIKE.search(statement):
            table = _table(path, statement, schema)
            found += 1
            yield (table.schema, table.name), table
    if not found:
        raise ValueError(f"{path} holds no CREATE TABLE")


def _table(path: Path, statement: str, schema: str) -> Table:
    try:
        return parse_create_table(statement, schema)
    except DMError as exc:
        raise ValueError(f"{path}: {exc.message}") from exc


def _statements(text: str) -> Iterator[str]:
    """The statements of a dump, without comments before them; executable comments inside stay."""
    parts: list[str] = []
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece == ";":
            yield "".join(parts).strip()
            parts = []
        elif parts or not (piece.isspace() or piece.startswith(("--", "#", "/*"))):
            parts.append(piece)
    yield "".join(parts).strip()
