"""Which documents generated columns and unique keys name."""

from __future__ import annotations

import pytest

from pkg.schema.named_documents import named_documents
from pkg.schema.parse import parse_create_table

G, U = "the generated column g", "the unique key u"


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ("`j` json, `g` int GENERATED ALWAYS AS (json_length(`j`)) STORED", {"j": G}),
        ("`j` json, `g` json GENERATED ALWAYS AS (json_extract(`j`,_utf8mb4'$.a')) VIRTUAL", {"j": G}),
        ("`j` json, `k` json, `g` int GENERATED ALWAYS AS (length(`J`)) VIRTUAL", {"j": G}),
        ("`j` json, `v` varchar(9), `g` int GENERATED ALWAYS AS (length(`v`)) VIRTUAL", {}),
        ("`v` longtext, `g` int GENERATED ALWAYS AS (json_length(`v`)) VIRTUAL", {"v": G}),
        ("`v` longtext, `g` int GENERATED ALWAYS AS (json_valid(`v`)) VIRTUAL", {}),
        ("`v` longtext, `g` json GENERATED ALWAYS AS (json_object('a',`v`)) VIRTUAL", {}),
        ("`n` int, `g` int GENERATED ALWAYS AS (json_length(`n`)) VIRTUAL", {}),
        (
            "`v` longtext, `b` longtext GENERATED ALWAYS AS (concat(`v`,'')) VIRTUAL, `g` int GENERATED ALWAYS AS "
            "(json_length(`b`)) VIRTUAL",
            {"v": G},
        ),
        ("`j` json, UNIQUE KEY `u` ((cast(json_extract(`j`,_utf8mb4'$.a') as char(20) charset utf8mb4)))", {"j": U}),
        ("`j` json, KEY `u` ((cast(json_extract(`j`,_utf8mb4'$.a') as char(20) charset utf8mb4)))", {}),
    ],
)
def test_documents_that_are_named(columns: str, found: dict[str, str]) -> None:
    table = parse_create_table(f"CREATE TABLE `t` (`id` int NOT NULL, {columns}, PRIMARY KEY (`id`))", "s")
    assert named_documents(table) == found
