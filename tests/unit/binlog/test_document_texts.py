"""Documents of MariaDB, of which MySQL and TiDB calculate something otherwise."""

from __future__ import annotations

import json

import pytest

from pkg.binlog.document_texts import unlike_in_tidb, unlike_text
from pkg.schema.named_documents import NamedPart, Taken

DEEP = 25
TWICE, ESCAPED = 'the name "{}" twice', 'the name "{}" with an escape'


def found_in(text: str, *path: str | int) -> str | None:
    unlike = unlike_text(text, [NamedPart("g", path)])
    return None if unlike is None else unlike.found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"a": 1, "a": 2}', "a"),
        ('{"a":1,"b":[{"x":1,"x":3}],"a":2}', "a"),
        ('{"a":1,"b":[{"x":1,"x":3}]}', "x"),
        ('[[{"": 0}, {"": 0, "b": 1, "": 0}]]', ""),
        ('{"\\u0061": 1, "a": 2}', "a"),
        ('{"\\ud83d\\ude00": 1, "😀": 2}', "😀"),
        ('{"a\\/b": 1, "a/b": 2}', "a/b"),
        ('{"a":' * DEEP + '{"x": 1, "x": 2}' + "}" * DEEP, "x"),
        ('{"n": ' + "9" * 5000 + ', "n": 1}', "n"),
    ],
)
def test_names_that_stand_twice(text: str, name: str) -> None:
    assert (found_in(text) or "").startswith(TWICE.format(name))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('{"\\u0061": 9}', "\\u0061"),
        ('{"a": [{"stra\\u00dfe": 1}]}', "stra\\u00dfe"),
        ('{"a\\/b": 1}', "a\\/b"),
        ('{"a\\u0022b": 1}', "a\\u0022b"),
        ('{"\\u000a": 1}', "\\u000a"),
        ('{"\\u001F": 1}', "\\u001F"),
        ('{"\\ud83d\\ude00": 1}', "\\ud83d\\ude00"),
        ('{"x": "\\"", "\\u0061": "}"}', "\\u0061"),
    ],
)
def test_names_with_escapes_that_they_need_not(text: str, written: str) -> None:
    assert (found_in(text) or "").startswith(ESCAPED.format(written))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "A": 2, "á": 3, "a ": 4}',
        '{"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 1}]}',
        '{"a": "\\"b\\": 1, \\"b\\": 2", "b": 1.50}',
        '{"a": "{\\"\\u0062\\": 1}", "b": "\\/"}',
        '{"a\\"b": 1, "\\\\": 2, "\\b\\f\\n\\r\\t": 3, "\\u001f": 4, "\\\\u0061": 5, "c:\\\\/": 6}',
        '{"n": ' + "9" * 5000 + ', "m": 1e400}',
        '["a: b: c", null, true]',
        "a: b: c",
        '{"a": 1, "a": 2',
        '{"\\u00": 1}',
        "",
        "[" * 100_000 + '{"a":1,"b":2}',
        '"a\0b"',
    ],
)
def test_documents_that_are_read_alike(text: str) -> None:
    assert found_in(text) is None


@pytest.mark.parametrize(
    ("path", "text", "what"),
    [
        (("id",), '{"id": 1, "b": 2, "b": 3, "stra\\u00dfe": 4}', ""),
        (("id",), '{"id": 1, "\\u0069d": 3}', "twice"),
        (("id",), '{"\\u0069d": 3}', "escape"),
        (("id",), '{"id": {"b": 2, "b": 3}}', "twice"),
        (("id", "b"), '{"id": {"b": 2, "\\u0061": 3}, "a": {"c": 1, "c": 2}}', ""),
        (("id", "b"), '{"id": [{"b": 2, "b": 3}]}', ""),
        (("id", 0, "b"), '{"id": [{"b": 2, "b": 3}]}', "twice"),
        (("id", 1, "b"), '{"id": [{"b": 2, "b": 3}, {"b": 1}]}', ""),
        (("id", 2, "b"), '{"id": [{"b": 2, "b": 3}, {"b": 1}]}', ""),
        ((0, 0, "b"), '{"b": 2, "b": 3}', "twice"),
        ((1, "b"), '{"b": 2, "b": 3}', ""),
        (("a/b",), '{"a\\/b": 1}', "escape"),
        (('a"b',), '{"a\\"b": 1}', ""),
        (("no",), '{"a": 1, "a": 2}', ""),
        (("a",), '"a"', ""),
    ],
)
def test_only_what_a_path_meets_counts(path: tuple[str | int, ...], text: str, what: str) -> None:
    found = found_in(text, *path)
    assert what in (found or "")
    assert bool(found) is bool(what)


def test_documents_that_mariadb_does_not_read() -> None:
    assert found_in("[" * 31 + '"[["' + "]" * 31) is None
    assert found_in('[{"a": 1}, ' * 16 + "1" + "]" * 16) is None
    assert "31 levels" in (found_in("[" * 32 + "]" * 32) or "")
    assert "31 levels" in (found_in('{"a": 1, "b": ' * 32 + "1" + "}" * 32, "a") or "")
    assert "surrogate" in (found_in('{"a": 1, "b": "\\ud83d"}', "a") or "")
    assert found_in('{"a": "\\\\ud83d", "b": "\\uD83D\\uDE00"}') is None
    assert "code 0" in (found_in('{"a": 1}\0x', "a") or "")


def test_the_first_part_that_is_unlike() -> None:
    parts = [NamedPart("g", ("a",)), NamedPart("h", ("b",)), NamedPart("i", ())]
    unlike = unlike_text('{"a": 1, "b": 2, "b": 3}', parts)
    assert unlike is not None
    assert unlike.part.of == "h"


def test_large_documents() -> None:
    members = [f'"k{number}": {{"x": {json.dumps("y" * 20)}, "z": [{number}, 1.5]}}' for number in range(20_000)]
    assert found_in(f"{{{', '.join(members)}}}") is None
    assert (found_in(f"{{{', '.join([*members, members[7]])}}}") or "").startswith(TWICE.format("k7"))
    assert found_in('"' + "\\" * 1_000_000) is None


@pytest.mark.parametrize(
    ("value", "taken", "said"),
    [
        ("1.50", Taken.TEXT, "the number 1.50"),
        ("1e3", Taken.TEXT, "the number 1e3"),
        ("-0", Taken.TEXT, "the number -0"),
        ("18446744073709551616", Taken.TEXT, "the number 18446744073709551616"),
        ("1234567890123456.5", Taken.SCALAR_TEXT, "the number 1234567890123456.5"),
        ("9" * 5000, Taken.TEXT, "the number 999"),
        ("18446744073709551616.5", Taken.NUMBER, "the number 18446744073709551616.5, of which"),
        ("0.12345678901234567", Taken.SCALAR, "the number 0.12345678901234567, of which"),
        ("9" * 5000, Taken.NUMBER, "the number 999"),
        ("true", Taken.SCALAR, "true or false"),
        ("[]", Taken.SCALAR, "an object or array, for which"),
        ('{"a": 1}', Taken.SCALAR_TEXT, "an object or array, for which"),
        ('{"b": 1, "a": 2}', Taken.TEXT, "an object or array that"),
        ('{"bb": 1, "c": 2}', Taken.TEXT, "an object or array that"),
        ('["a\\/b"]', Taken.TEXT, "an object or array that"),
        ('["\\u00e9"]', Taken.TEXT, "an object or array that"),
        ("[[1.50]]", Taken.TEXT, "an object or array that"),
        ('{"a":1}', Taken.WHOLE, "a text that"),
        ("[1 , 2]", Taken.WHOLE, "a text that"),
        (' "a"', Taken.WHOLE, "a text that"),
        ('"\\/"', Taken.WHOLE, "a text that"),
    ],
)
def test_values_that_servers_write_otherwise(value: str, taken: Taken, said: str) -> None:
    path = () if taken is Taken.WHOLE else ("v",)
    text = value if taken is Taken.WHOLE else f'{{"x": 1.50, "v": {value}}}'
    unlike = unlike_text(text, [NamedPart("g", path, taken)])
    assert unlike is not None
    assert unlike.found.startswith(said)


@pytest.mark.parametrize(
    ("value", "taken"),
    [
        *((value, Taken.TEXT) for value in ("1", "-7", "0", "1.5", "100.0", "0.0", "-0.0", "0.1", "0.0001", "null")),
        *(
            (value, Taken.TEXT)
            for value in ("true", '"a\\/b"', '"1.50"', "[]", "{}", "[1,2]", '{"a":1, "b" : {"c": []}}')
        ),
        *((value, Taken.SCALAR) for value in ("1.50", "1e3", "null", '"x"')),
        *((value, Taken.NUMBER) for value in ("1.50", "1e3", "-0", "18446744073709551615", "0.1", "true", "[1.50]")),
        *((value, Taken.SCALAR_TEXT) for value in ("1.5", "18446744073709551615", "null", '"{}"')),
        *((value, Taken.NOTHING) for value in ("1.50", "true", '{"b": 1, "a": 2}')),
        *((value, Taken.WHOLE) for value in ('{"a": 1, "b": [1, "x:y, z"]}', "1.5", '""', "[true, null]")),
    ],
)
def test_values_that_servers_write_alike(value: str, taken: Taken) -> None:
    text = value if taken is Taken.WHOLE else f'{{"x": 1.50, "v": {value}}}'
    assert unlike_text(text, [NamedPart("g", () if taken is Taken.WHOLE else ("v",), taken)]) is None


@pytest.mark.parametrize(
    ("text", "taken", "is_unlike"),
    [
        ('{"a": {"bb": 1, "c": 2}}', Taken.TEXT, True),
        ('{"a": [{"x": {"c": 1, "bb": 2}}]}', Taken.TEXT, True),
        ('{"a": {"b": 1, "c": 2}, "c": 1, "bb": 2}', Taken.TEXT, False),
        ('{"a": {"b": 1, "c": 2}, "c": 1, "bb": 2}', Taken.WHOLE, True),
        ('{"a": {"bb": 1, "c": 2}}', Taken.NUMBER, False),
        ('{"a": [1e20, 2.0, 1.5e-12, 0.00001, 18446744073709551615]}', Taken.TEXT, False),
        ('{"a": 1674323406157258.5}', Taken.TEXT, True),
        ('{"a": "x\\\\\\"\\n", "b": [1.5]}', Taken.WHOLE, False),
        ("[" * 40 + "]" * 40, Taken.WHOLE, False),
    ],
)
def test_objects_that_tidb_writes_otherwise(text: str, taken: Taken, is_unlike: bool) -> None:
    path = () if taken is Taken.WHOLE else ("a",)
    assert (unlike_in_tidb(text, [NamedPart("g", path, taken)]) is not None) == is_unlike
