"""Documents of MariaDB in which a name stands twice in one object."""

from __future__ import annotations

import json

import pytest

from pkg.binlog.doubled_names import doubled_name

DEEP = 90


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"a": 1, "a": 2}', "a"),
        ('{"a":1,"b":[{"x":1,"x":3}],"a":2}', "x"),
        ('[[{"": 0}, {"": 0, "b": 1, "": 0}]]', ""),
        ('{"\\u0061": 1, "a": 2}', "a"),
        ('{"\\ud83d\\ude00": 1, "😀": 2}', "😀"),
        ('{"a\\/b": 1, "a/b": 2}', "a/b"),
        ('{"a":' * DEEP + '{"x": 1, "x": 2}' + "}" * DEEP, "x"),
        ('{"n": ' + "9" * 5000 + ', "n": 1}', "n"),
        ('{"a": 1, "A": 2, "á": 3, "a ": 4}', None),
        ('{"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 1}]}', None),
        ('{"a": "\\"b\\": 1, \\"b\\": 2", "b": 1.50}', None),
        ('{"n": ' + "9" * 5000 + ', "m": 1e400}', None),
        ('["a: b: c"]', None),
        ("a: b: c", None),
        ("", None),
        ("[" * 100_000 + '{"a":1,"b":2}', None),
    ],
)
def test_names_that_stand_twice(text: str, name: str | None) -> None:
    assert doubled_name(text) == name


def test_large_documents() -> None:
    members = [f'"k{number}": {{"x": {json.dumps("y" * 20)}, "z": [{number}, 1.5]}}' for number in range(20_000)]
    assert doubled_name(f"{{{', '.join(members)}}}") is None
    assert doubled_name(f"{{{', '.join([*members, members[7]])}}}") == "k7"
