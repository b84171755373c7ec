"""What a table map tells about its columns."""

from __future__ import annotations

from pkg.binlog.table_map import parse_table_map

BINARY, LATIN1 = 63, 8
VECTOR, CHAR = 242, 254


def test_a_vector_is_counted_among_the_columns_with_a_collation() -> None:
    types, metadata = bytes((VECTOR, CHAR)), b"\x04\xfe\x0a"
    collations = bytes((BINARY, 1, LATIN1))  # the default, and that of the second column
    body = b"\x01s\0\x01t\0\x02" + types + b"\x03" + metadata + b"\0" + b"\x02\x03" + collations
    assert parse_table_map(body, "mysql").collations == (BINARY, LATIN1)
