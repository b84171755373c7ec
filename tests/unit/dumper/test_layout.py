"""Names of dump files: Dumpling's and mydumper's, old and new."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dm_worker.dumper.layout import (
    Compression,
    FileKind,
    FileName,
    chunk_file,
    database_file,
    encoded,
    parse_name,
    table_file,
    view_file,
)

_NAMES = st.text(min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("name", "kind", "schema", "table", "numbers"),
    [
        ("metadata", FileKind.METADATA, "", "", ()),
        ("shop-schema-create.sql", FileKind.DATABASE, "shop", "", ()),
        ("shop-schema-create.sql.gz", FileKind.DATABASE, "shop", "", ()),
        ("shop.order-schema.sql", FileKind.TABLE, "shop", "order", ()),
        ("shop.v-schema-view.sql", FileKind.VIEW, "shop", "v", ()),
        ("shop.s-schema-sequence.sql", FileKind.SEQUENCE, "shop", "s", ()),
        ("shop.order-schema-triggers.sql", FileKind.OTHER, "shop.order", "", ()),
        ("shop-schema-post.sql", FileKind.OTHER, "shop", "", ()),
        ("shop.order-metadata", FileKind.OTHER, "", "", ()),
        ("shop.order.sql", FileKind.ROWS, "shop", "order", ()),
        ("shop.order.00000.sql", FileKind.ROWS, "shop", "order", (0,)),
        ("shop.order.00001.00002.sql.zst", FileKind.ROWS, "shop", "order", (1, 2)),
        ("shop.order.000000003.sql", FileKind.ROWS, "shop", "order", (3,)),
        ("shop.2024.000000003.sql", FileKind.ROWS, "shop", "2024", (3,)),
        ("shop.2024.sql", FileKind.ROWS, "shop", "2024", ()),
        ("a%2Eb.c%2Dschema-schema.sql", FileKind.TABLE, "a.b", "c-schema", ()),
        ("100%.t.00000.sql", FileKind.ROWS, "100%", "t", (0,)),
    ],
)
def test_a_name_says_what_is_in_the_file(
    name: str, kind: FileKind, schema: str, table: str, numbers: tuple[int, ...]
) -> None:
    found = parse_name(name)
    assert found is not None
    assert (found.kind, found.schema, found.table, found.numbers) == (kind, schema, table, numbers)


@pytest.mark.parametrize("name", ["notes.md", "t.sql", "shop@order@@0.tsv.zst", "lost+found", "-schema.sql", ".sql"])
def test_other_names_are_no_dump_files(name: str) -> None:
    assert parse_name(name) is None


def test_known_databases_cut_names_that_nobody_encoded() -> None:
    found = parse_name("my.shop.order.00000.sql", {"my.shop"})
    assert found is not None
    assert (found.schema, found.table) == ("my.shop", "order")


def test_format_and_compression_are_in_the_name() -> None:
    found = parse_name("shop.order.000000000.csv.gz")
    assert found is not None
    assert (found.format, found.compression) == ("csv", Compression.GZIP)


def test_names_are_encoded_as_dumpling_does() -> None:
    assert encoded('a/b.c%d-schema"') == "a%2Fb%2Ec%25d%2Dschema%22"
    assert encoded("ä b_c-d") == "ä b_c-d"


@given(_NAMES, _NAMES, st.integers(0, 10**9 - 1), st.sampled_from(list(Compression)))
def test_what_is_written_is_read_again(schema: str, table: str, number: int, compression: Compression) -> None:
    rows = chunk_file(schema, table, number, compression)
    assert "/" not in rows
    assert parse_name(rows) == FileName(FileKind.ROWS, rows, schema, table, (number,), "sql", compression)
    for name, kind in ((table_file(schema, table), FileKind.TABLE), (view_file(schema, table), FileKind.VIEW)):
        assert parse_name(name) == FileName(kind, name, schema, table)
    database = database_file(schema)
    assert parse_name(database) == FileName(FileKind.DATABASE, database, schema)
