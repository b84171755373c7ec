"""The metadata file of a dump, in all its forms."""

from __future__ import annotations

import pytest

from dm_worker.dumper.metadata import BadMetadata, Metadata, Place, parse_metadata, print_metadata

_OLD_MYSQL = """Started dump at: 2018-03-15 10:11:12
SHOW MASTER STATUS:
\tLog: mysql-bin.000003
\tPos: 3295817
\tGTID:53ea0ed1-9bf8-11e6-8bea-64006a897c73:1-22,
53ea0ed1-9bf8-11e6-8bea-64006a897c74:1-3

SHOW SLAVE STATUS:
\tHost: 10.0.0.1
\tLog: mysql-bin.000001
\tPos: 4
\tGTID:

Finished dump at: 2018-03-15 10:11:14
"""
_SECTIONS = """# Started dump at: 2024-05-06 07:08:09
[config]
quote_character = BACKTICK

[source]
# Channel_Name = ''
File = binlog.000002
Position = 157
Executed_Gtid_Set = "a:1-5,
b:1"

[`shop`.`order`]
rows = 12

[`shop`.`mydumper_0`]
real_table_name=a/b
rows = 3
# Finished dump at: 2024-05-06 07:08:10
"""


def test_old_form_with_gtids_over_two_lines() -> None:
    found = parse_metadata(_OLD_MYSQL)
    gtids = "53ea0ed1-9bf8-11e6-8bea-64006a897c73:1-22,53ea0ed1-9bf8-11e6-8bea-64006a897c74:1-3"
    assert found.start == Place("mysql-bin.000003", 3295817, gtids)
    assert (found.started_at, found.finished_at) == ("2018-03-15 10:11:12", "2018-03-15 10:11:14")
    assert found.end is None


def test_form_with_sections() -> None:
    found = parse_metadata(_SECTIONS)
    assert found.start == Place("binlog.000002", 157, "a:1-5,b:1")
    assert found.real_names == {("shop", "mydumper_0"): "a/b"}
    assert found.rows == {("shop", "order"): 12, ("shop", "a/b"): 3}
    assert (found.started_at, found.finished_at) == ("2024-05-06 07:08:09", "2024-05-06 07:08:10")


def test_place_in_comments_as_new_mydumper_has_it() -> None:
    text = '[source]\n# SOURCE_LOG_FILE = "b.000009"\n# SOURCE_LOG_POS = 8\n#executed_gtid_set = "0-1-2"\n'
    assert parse_metadata(text).start == Place("b.000009", 8, "0-1-2")


@pytest.mark.parametrize(
    "metadata",
    [
        Metadata(None, None, "2026-01-02 03:04:05", "2026-01-02 03:04:06"),
        Metadata(Place("b.000001", 4), None, "2026-01-02 03:04:05", "2026-01-02 03:04:06"),
        Metadata(Place("b.000001", 4, "0-1-2"), Place("b.000002", 9, "0-1-7,3-3-3"), "x", "y"),
    ],
)
def test_what_is_printed_is_read_again(metadata: Metadata) -> None:
    assert parse_metadata(print_metadata(metadata)) == metadata


@pytest.mark.parametrize("text", ["", "hello\n", "[config]\nquote_character = BACKTICK\n", "\0\0\0"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(BadMetadata):
        parse_metadata(text)


def test_a_position_that_is_no_number_is_refused() -> None:
    with pytest.raises(BadMetadata, match="no number"):
        parse_metadata("SHOW MASTER STATUS:\n\tLog: b.000001\n\tPos: many\n")
