"""Which parts of documents generated columns and unique keys name."""

from __future__ import annotations

from typing import Any

import pytest

from pkg.schema.named_documents import NamedPart, Taken, named_documents
from pkg.schema.parse import parse_create_table

G, U = "the generated column g", "the unique key u"
UNIQUE = "`u` ((cast(json_extract(`j`,_utf8mb4'$.a') as char(20) charset utf8mb4)))"


def generated(expression: str, kind: str = "int") -> str:
    return f"`g` {kind} GENERATED ALWAYS AS ({expression}) VIRTUAL"


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ("`j` json, " + generated("json_length(`j`)"), {"j": [(G, ())]}),
        ("`j` json, " + generated("json_length(`j`,_utf8mb4'$.a.b')"), {"j": [(G, ("a", "b"))]}),
        ("`j` json, " + generated("json_extract(`j`,_utf8mb4'$.a[1].*')", "json"), {"j": [(G, ("a", 1))]}),
        ("`j` json, " + generated("json_unquote(json_extract(`J`,_utf8mb4'$.a'))"), {"j": [(G, ("a",), Taken.NUMBER)]}),
        ("`j` json, " + generated("json_extract(`j`,'$.a','$.b')", "json"), {"j": [(G, ("a",)), (G, ("b",))]}),
        ("`j` json, " + generated("json_extract(`j`,'$**.b')", "json"), {"j": [(G, ())]}),
        ("`j` json, " + generated("json_keys(json_extract(`j`,'$.a'))", "json"), {"j": [(G, ("a",))]}),
        ("`j` json, " + generated("json_extract(`j`,concat('$.',`v`))", "json") + ", `v` text", {"j": [(G, ())]}),
        ("`j` json, " + generated("case when json_valid(`j`) then 1 else 0 end"), {"j": [(G, ())]}),
        ("`j` json, `k` json, " + generated("length(`J`)"), {"j": [(G, (), Taken.WHOLE)]}),
        ("`j` json, " + generated("json_length(`j`) no such words"), {"j": [(G, ())]}),
        ("`v` text, " + generated("json_length(`v`) no such words"), {"v": [(G, ())]}),
        ("`j` json, `v` varchar(9), " + generated("length(`v`)"), {}),
        ("`v` longtext, " + generated("json_length(`v`)"), {"v": [(G, ())]}),
        ("`v` longtext, `w` text, " + generated("concat(`w`,json_length(`v`))", "text"), {"v": [(G, ())]}),
        ("`v` longtext, " + generated("json_valid(`v`)"), {}),
        ("`v` longtext, " + generated("json_object('a',`v`)", "json"), {}),
        ("`n` int, " + generated("json_length(`n`)"), {}),
        (
            "`v` longtext, `b` longtext GENERATED ALWAYS AS (concat(`v`,'')) VIRTUAL, "
            + generated("concat(`b`,json_length(`b`))", "text"),
            {"v": [(G, ())]},
        ),
        (f"`j` json, UNIQUE KEY {UNIQUE}", {"j": [(U, ("a",), Taken.TEXT)]}),
        ("`j` json, " + generated("json_unquote(json_extract(`j`,'$.a'))", "text"), {"j": [(G, ("a",), Taken.TEXT)]}),
        ("`j` json, " + generated("length(json_unquote(json_extract(`j`,'$.a')))"), {"j": [(G, ("a",), Taken.TEXT)]}),
        ("`j` json, " + generated("`j` ->> '$.a'", "text"), {"j": [(G, ("a",), Taken.TEXT)]}),
        (
            "`j` json, " + generated("json_unquote(json_extract(`j`,'$.a')) + 1", "text"),
            {"j": [(G, ("a",), Taken.NUMBER)]},
        ),
        ("`j` json, " + generated("json_unquote(json_extract(`j`,'$.a')) = 1"), {"j": [(G, ("a",), Taken.NUMBER)]}),
        ("`j` json, " + generated("json_unquote(json_extract(`j`,'$.a')) = 'x'"), {"j": [(G, ("a",), Taken.TEXT)]}),
        ("`j` json, " + generated("if(json_extract(`j`,'$.a'),1,2)", "text"), {"j": [(G, ("a",), Taken.NUMBER)]}),
        ("`j` json, " + generated("json_value(`j`,'$.a')", "text"), {"j": [(G, ("a",), Taken.SCALAR_TEXT)]}),
        ("`j` json, " + generated("ifnull(json_value(`j`,'$.a'),0)"), {"j": [(G, ("a",), Taken.SCALAR)]}),
        (
            "`j` json, " + generated("cast(json_value(`j`,'$.a') as decimal(9,2))", "text"),
            {"j": [(G, ("a",), Taken.SCALAR)]},
        ),
        ("`j` json, " + generated("concat(`j`,'')", "text"), {"j": [(G, (), Taken.WHOLE)]}),
        ("`j` json, " + generated("`j`", "json"), {"j": [(G, ())]}),
        (f"`j` json, KEY {UNIQUE}", {}),
    ],
)
def test_documents_that_are_named(columns: str, found: dict[str, list[Any]]) -> None:
    table = parse_create_table(f"CREATE TABLE `t` (`id` int NOT NULL, {columns}, PRIMARY KEY (`id`))", "s")
    assert named_documents(table) == {
        column: tuple(NamedPart(*part) for part in parts) for column, parts in found.items()
    }
