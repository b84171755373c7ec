"""A folder of dump files, from its names."""

from __future__ import annotations

import pytest

from dm_worker.dumper.listing import (
    MISSING_FILES,
    NO_DUMP,
    UNFINISHED_DUMP,
    UNKNOWN_FILES,
    DumpFolder,
    missing_structures_error,
    read_listing,
)
from pkg.errors import DMError, ErrorKind

_DUMP = (
    "metadata",
    "shop-schema-create.sql",
    "shop.order-schema.sql",
    "shop.order.000000001.sql",
    "shop.order.000000000.sql",
    "shop.v-schema.sql",
    "shop.v-schema-view.sql",
)


def _read(*names: str) -> DumpFolder:
    return read_listing(((name, 10) for name in names), "/dump")


def test_tables_have_their_files_in_order() -> None:
    dump = _read(*_DUMP, ".spark-dm.json", "shop.order-schema-triggers.sql")
    order, view = dump.tables["shop", "order"], dump.tables["shop", "v"]
    assert [file.what.numbers for file in order.rows] == [(0,), (1,)]
    assert not order.is_view
    assert view.is_view
    assert order.structure is not None
    assert order.structure.name == "shop.order-schema.sql"
    assert list(dump.databases) == ["shop"]
    assert dump.left_out == ["shop.order-schema-triggers.sql"]
    assert missing_structures_error(dump, "/dump") is None


def test_a_database_without_its_file_is_known_by_its_tables() -> None:
    assert _read("metadata", "shop.order-schema.sql").databases == {"shop": None}


def test_numbers_sort_as_numbers() -> None:
    dump = _read("d.t-schema.sql", "d.t.9.sql", "d.t.10.sql", "d.t.9.1.sql")
    assert [file.name for file in dump.tables["d", "t"].rows] == ["d.t.9.sql", "d.t.9.1.sql", "d.t.10.sql"]


def test_metadata_tells_names_that_mydumper_replaced() -> None:
    files = (("metadata", 1), ("d.mydumper_3-schema.sql", 1), ("d.mydumper_3.00000.sql", 1))
    dump = read_listing(files, "/dump", {("d", "mydumper_3"): "a/b"})
    assert [name for _, name in dump.tables] == ["a/b"]


@pytest.mark.parametrize(
    ("names", "kind", "words"),
    [
        ((), NO_DUMP, "it is empty"),
        (("notes.md",), NO_DUMP, "only notes.md"),
        (("@.json", "@.done.json", "shop@order@@0.tsv.zst"), NO_DUMP, "MySQL Shell"),
        ((*_DUMP, "notes.md"), UNKNOWN_FILES, "notes.md"),
        ((*_DUMP[1:], "metadata.partial"), UNFINISHED_DUMP, "no metadata"),
        ((*_DUMP, "shop.order.000000002.sql.partial"), UNFINISHED_DUMP, "000000002.sql.partial"),
        (("d.mydumper_3-schema.sql",), MISSING_FILES, "mydumper_3"),
    ],
)
def test_other_folders_are_refused_by_name(names: tuple[str, ...], kind: ErrorKind, words: str) -> None:
    with pytest.raises(DMError) as refused:
        _read(*names)
    assert refused.value.is_a(kind)
    assert words in refused.value.message
    assert "/dump" in refused.value.message


def test_rows_without_a_structure_are_missing_a_file() -> None:
    error = missing_structures_error(_read("shop-schema-create.sql", "shop.order.00000.sql"), "/dump")
    assert error is not None
    assert error.is_a(MISSING_FILES)
    assert "shop.order-schema.sql" in error.message
