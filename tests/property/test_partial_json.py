"""MySQL with binlog_row_value_options = PARTIAL_JSON: an update's image has the document that the table has."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pkg.binlog.rare_values import quote_text
from tests.property.test_binlog_round_trip import PHASES, Mirror
from tests.servers import RunningServer

NAMES = ("a", "bb", "Ü", "a b", 'q"\\', "last", "€")
_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=300)
)
_documents = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=15,
)
_roots = st.lists(_documents, max_size=5) | st.dictionaries(st.sampled_from(NAMES), _documents, max_size=5)


def _json(document: object) -> str:
    return f"CAST(CONVERT(x'{json.dumps(document).encode().hex()}' USING utf8mb4) AS JSON)"


_values = st.one_of(
    _documents.map(_json),
    st.sampled_from(("CAST(1.50 AS DECIMAL(9,2))", "CAST('2024-02-29 01:02:03.5' AS DATETIME(3))", "CURRENT_DATE")),
    st.sampled_from(("CAST('-12:00:01' AS TIME)", "18446744073709551615", "1e300", "NULL", "x'00ff'", "'x''y'")),
)
_legs = st.one_of(
    st.sampled_from(NAMES).map(lambda name: "." + json.dumps(name, ensure_ascii=False)),
    st.integers(0, 6).map("[{}]".format),
    st.integers(0, 2).map(lambda number: f"[last-{number}]" if number else "[last]"),
)
_paths = st.lists(_legs, min_size=1, max_size=3).map(lambda legs: "$" + "".join(legs))


def _text(path: str) -> str:
    return "'" + path.replace("\\", "\\\\").replace("'", "''") + "'"


@st.composite
def _assignments(draw: st.DrawFn, column: str) -> str:
    """A chain of changes of one column, as only they are logged in part."""
    expression = column
    for _ in range(draw(st.integers(1, 3))):
        function = draw(st.sampled_from(("JSON_SET", "JSON_SET", "JSON_REPLACE", "JSON_REMOVE")))
        arguments = _text(draw(_paths))
        if function != "JSON_REMOVE":
            arguments += f", {draw(_values)}"
        expression = f"{function}({expression}, {arguments})"
    return f"{column} = {expression}"


_changes = st.one_of(
    _assignments("j"),
    st.tuples(_assignments("j"), _assignments("k")).map(", ".join),
    st.sampled_from(("n = n + 1", "k = NULL", "k = '[]'", "j = JSON_ARRAY(1, 'x')", "k = JSON_OBJECT('a', n)")),
)


@pytest.fixture
def partial(mysql: RunningServer) -> Iterator[Mirror]:
    made = Mirror(mysql)
    made.cursor.execute("SET binlog_row_value_options = 'PARTIAL_JSON'")
    yield made
    made.connection.close()


def _kinds(mirror: Mirror, name: str, offset: int) -> list[str]:
    mirror.cursor.execute(f"SHOW BINLOG EVENTS IN '{name}' FROM {offset}")
    return [row[2] for row in mirror.cursor.fetchall()]


@pytest.mark.servers
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck), phases=PHASES)
@given(root=_roots, other=_roots, changes=st.lists(_changes, min_size=1, max_size=8))
def test_images_after_updates_are_what_the_table_holds(
    partial: Mirror, root: object, other: object, changes: list[str]
) -> None:
    cursor = partial.cursor
    cursor.execute("DROP TABLE IF EXISTS mirror.source")
    # The filler makes documents of which logging a difference pays off.
    cursor.execute("CREATE TABLE mirror.source (id INT PRIMARY KEY, j JSON, n INT, k JSON, filler JSON)")
    filler = "JSON_ARRAY(REPEAT('x', 500))"
    cursor.execute(f"INSERT INTO mirror.source VALUES (1, {_json(root)}, 0, {_json(other)}, {filler})")
    start = partial.location()
    stored = [_stored(partial)]
    for change in changes:
        cursor.execute(f"UPDATE mirror.source SET {change}, n = n + 1")
        stored.append(_stored(partial))
    cursor.execute("DELETE FROM mirror.source")
    images = partial.decoded("source", start, 2 * len(changes) + 1)
    assert len(images) == 2 * len(changes) + 1
    # The image before the next change always has the whole document.
    assert images[1::2] == images[2::2]
    for image, texts in zip(images[::2], stored, strict=True):
        cursor.execute(b"SELECT " + b", ".join(b"CAST(%s AS JSON)" % image[place] for place in (1, 3, 4)))
        assert cursor.fetchone() == texts
    assert "Update_rows_partial" in _kinds(partial, start.position.name, start.position.offset)


def _stored(mirror: Mirror) -> tuple[str, ...]:
    """The row's documents as a client that sends them back as text would have them."""
    mirror.cursor.execute(
        "SELECT CAST(CAST(j AS CHAR) AS JSON), CAST(CAST(k AS CHAR) AS JSON), filler FROM mirror.source"
    )
    row: tuple[str, ...] = mirror.cursor.fetchone()
    return row


@pytest.mark.servers
def test_a_change_at_each_depth_of_a_document(partial: Mirror) -> None:
    partial.cursor.execute("CREATE TABLE mirror.deep (id INT PRIMARY KEY, j JSON)")
    partial.cursor.execute(f"INSERT INTO mirror.deep VALUES (1, '{'[' * 98}1, 2{']' * 98}')")
    start = partial.location()
    for depth in (98, 50, 1):
        partial.cursor.execute(f"UPDATE mirror.deep SET j = JSON_SET(j, '${'[0]' * depth}', {depth})")
        partial.cursor.execute("SELECT CAST(j AS CHAR) FROM mirror.deep")
        [text] = partial.cursor.fetchone()
        images = partial.decoded("deep", start, 2)
        assert images[1] == (b"1", quote_text(text.encode()))
        start = partial.location()
