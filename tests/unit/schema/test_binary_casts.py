"""CAST AS CHAR … BINARY as TiDB reads it."""

from __future__ import annotations

import pytest

from pkg.schema.binary_casts import with_collated_casts


@pytest.mark.parametrize(
    ("sql", "there"),
    [
        ("(cast(`v` as char charset utf8mb4 binary))", "((cast(`v` as char charset utf8mb4 ) COLLATE utf8mb4_bin))"),
        ("CAST(v AS CHAR(3) BINARY) = 'a'", "(CAST(v AS CHAR(3) ) COLLATE utf8mb4_bin) = 'a'"),
        ("CONVERT(f(v, 1), CHAR BINARY CHARSET latin1)", "(CONVERT(f(v, 1), CHAR  CHARSET latin1) COLLATE latin1_bin)"),
        (
            "CAST(CAST(v AS CHAR CHARACTER SET utf8mb3 BINARY) AS CHAR BINARY)",
            "(CAST((CAST(v AS CHAR CHARACTER SET utf8mb3 ) COLLATE utf8_bin) AS CHAR ) COLLATE utf8mb4_bin)",
        ),
        ("CAST(v AS BINARY)", ""),
        ("CAST(v AS CHAR CHARACTER SET BINARY)", ""),
        ("CAST(v AS CHAR CHARSET `binary`)", ""),
        ("CONVERT(BINARY v USING utf8mb4)", ""),
        ("cast char(3) binary, b VARCHAR(3) BINARY", ""),
        ("CONCAT('CAST(v AS CHAR BINARY)')", ""),
        ("CAST(v AS CHAR", ""),
    ],
)
def test_casts_in_tidb(sql: str, there: str) -> None:
    assert with_collated_casts(sql, "tidb") == (there or sql)
    assert with_collated_casts(sql, "mysql") == sql
