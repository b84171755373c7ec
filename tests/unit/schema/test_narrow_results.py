"""Generated columns whose character set lacks characters of what they read."""

from __future__ import annotations

import pytest

from pkg.schema.narrow_results import NarrowRead, narrow_reads
from pkg.schema.parse import parse_create_table


@pytest.mark.parametrize(
    ("generated", "there", "found"),
    [
        ("g varchar(9) CHARACTER SET latin1 AS (v)", "utf8mb4", ["v"]),
        ("g varchar(9) CHARACTER SET latin1 AS (concat(v,w,n))", "utf8mb4", ["v"]),
        ("g varchar(9) CHARACTER SET latin1 AS (b)", "utf8mb4", ["v"]),
        ("g varchar(9) CHARACTER SET latin1 AS (v)", "latin1", []),
        ("g varchar(9) CHARACTER SET latin1 AS (w)", "utf8mb4", []),
        ("g varchar(9) CHARACTER SET latin1 AS (a)", "utf8mb4", []),
        ("g varchar(9) CHARACTER SET utf8mb4 AS (v)", "utf8mb4", []),
        ("g varchar(9) CHARACTER SET utf8mb3 AS (v)", "utf8mb4", ["v"]),
        ("g varchar(9) CHARACTER SET latin1 AS (json_unquote(j))", "utf8mb4", ["j"]),
        ("g int AS (char_length(v))", "utf8mb4", []),
    ],
)
def test_what_is_read(generated: str, there: str, found: list[str]) -> None:
    columns = (
        "v varchar(9) CHARACTER SET utf8mb4, w varchar(9) CHARACTER SET latin1, a varchar(9) CHARACTER SET ascii, n int, "
        "j json, b varchar(9) CHARACTER SET utf8mb4 AS (v)"
    )
    above = parse_create_table(f"CREATE TABLE t ({columns}, {generated})", "s")
    kind = generated.split(" AS ")[0].replace("latin1", there).replace("utf8mb3", there)
    below = parse_create_table(f"CREATE TABLE t ({columns}, {kind} AS {generated.split(' AS ')[1]})", "s")
    charset = "utf8mb3" if "utf8mb3" in generated else "latin1"
    assert narrow_reads(above, below) == [NarrowRead(name, "g", charset) for name in found]
