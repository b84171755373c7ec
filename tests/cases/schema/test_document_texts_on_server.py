"""What is taken for the same of MariaDB's documents is the same in MySQL and TiDB: texts and numbers that are made of values."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pkg.binlog.document_texts import unlike_text
from pkg.schema.lexer import quote_string
from pkg.schema.named_documents import NamedPart, Taken
from tests.cases.full.migration import connection, execute
from tests.servers import RunningServer

SCHEMA = "document_texts"
VALUES = 600
NEEDLESS = 0.15  # of what is the same
NUMBERS = (
    "0", "-0", "7", "1.5", "1.50", "100.0", "100.00", "1e3", "1E5", "1e30", "0.0001", "0.00001", "1e-7", "-0.0", "0e0",
    "18446744073709551615", "18446744073709551616", "-9223372036854775809", "9007199254740993", "1234567890123456.5",
    "0.30000000000000004", "0.12345678901234567", "123456789012345678901234567890", "99.5", "-12345.678",
)  # fmt: skip
LETTERS = (*"ab é😀,:]}/", "\\u00e9", "\\/", "\\n", '\\"', "\\\\", "\\u001f", "\\u001F", "\\ud83d\\ude00", "\\b")
EXPRESSIONS = {
    Taken.TEXT: "JSON_UNQUOTE(JSON_EXTRACT({}, '$.v'))",
    Taken.NUMBER: "CAST(JSON_UNQUOTE(JSON_EXTRACT({}, '$.v')) AS DECIMAL(30,6))",
    Taken.SCALAR_TEXT: "JSON_VALUE({}, '$.v')",
    Taken.SCALAR: "CAST(JSON_VALUE({}, '$.v') AS DECIMAL(30,6))",
    Taken.WHOLE: "{}",
}


def _document(chance: random.Random, depth: int = 0) -> str:
    kind = chance.randrange(10 if depth < 3 else 6)
    if kind < 3:
        return chance.choice(NUMBERS)
    if kind < 5:
        return '"' + "".join(chance.choice(LETTERS) for _ in range(chance.randrange(4))) + '"'
    if kind == 5:
        return chance.choice(("true", "false", "null"))
    comma, colon = (", ", ": ") if chance.random() < 0.6 else (chance.choice((",", " , ", ",\n")), ":")
    if kind < 8:
        return "[" + comma.join(_document(chance, depth + 1) for _ in range(chance.randrange(3))) + "]"
    names = chance.sample(('""', '"a"', '"aa"', '"b"', '"c"', '"é"'), chance.randrange(4))
    names = sorted(names) if chance.random() < 0.6 else names
    return "{" + comma.join(name + colon + _document(chance, depth + 1) for name in names) + "}"


def _made(server: RunningServer, documents: Sequence[str]) -> Iterator[dict[Taken, Any]]:
    whole = {Taken.WHOLE: "{}" if server.kind == "mariadb" else "CAST(CAST({} AS JSON) AS CHAR)"}
    taken = {
        one: form for one, form in (EXPRESSIONS | whole).items() if server.kind != "tidb" or "JSON_VALUE" not in form
    }
    with connection(server, SCHEMA) as link, link.cursor() as cursor:
        for document in documents:
            quoted = quote_string(document)
            cursor.execute("SELECT " + ", ".join(form.format(quoted) for form in taken.values()))
            yield dict(zip(taken, cursor.fetchone(), strict=True))


def test_values(mariadb: RunningServer, tidb: RunningServer, server_factory: Callable[..., RunningServer]) -> None:
    chance, same, needless = random.Random(22), 0, 0
    documents = [f'{{"v": {_document(chance)}}}' for _ in range(VALUES)]
    servers = (mariadb, server_factory("mysql"), tidb)
    for server in servers:
        execute(server, f"DROP DATABASE IF EXISTS {SCHEMA}", f"CREATE DATABASE {SCHEMA} CHARACTER SET utf8mb4")
    for document, here, *targets in zip(documents, *(_made(server, documents) for server in servers), strict=True):
        for taken, value in here.items():
            part = NamedPart("g", () if taken is Taken.WHOLE else ("v",), taken)
            is_same = all(there.get(taken, value) == value for there in targets)
            is_taken = unlike_text(document, [part]) is None
            assert is_same or not is_taken, (document, taken, value, [there.get(taken) for there in targets])
            same, needless = same + is_same, needless + (is_same and not is_taken)
    assert needless < NEEDLESS * same
