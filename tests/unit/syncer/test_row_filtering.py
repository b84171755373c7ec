"""Rows that an expression filter leaves out of an event, and the places of those that stay."""

from __future__ import annotations

import pytest

from dm_worker.syncer.replicator import Replicator
from dm_worker.syncer.row_filtering import pieces
from pkg.binlog.events import RowsEvent, TableMap
from pkg.binlog.position import Location, Position
from pkg.errors import DMError
from pkg.rows.change import RowImage, plan_target
from pkg.rules.expression_filter import ExpressionFilters, ExpressionRule, RowFilter
from tests.unit.rows.tables import column, primary, table

STRUCTURE = table([column("id", nullable=False), column("a")], primary("id"))
PLAN = plan_target(STRUCTURE, STRUCTURE)


def row_filter(**expressions: str) -> RowFilter:
    found = ExpressionFilters([ExpressionRule("r", "s", "t", **expressions)], True, "mysql").of(STRUCTURE)
    assert found is not None
    return found


def event(kind: str, *images: RowImage) -> RowsEvent:
    return RowsEvent(TableMap("s", "t", b"\x03\x03", (0, 0)), kind, list(images), 1000, 2000, 1)


def images(*values: int) -> list[RowImage]:
    return [(b"%d" % number, b"%d" % value) for number, value in enumerate(values)]


def test_an_event_without_a_match_goes_on_as_it_is() -> None:
    whole = event("insert", *images(1, 2))
    assert list(pieces(row_filter(insert="a > 5"), whole, "f")) == [(True, whole)]


def test_pieces_end_where_the_event_does() -> None:
    found = list(pieces(row_filter(insert="a > 5"), event("insert", *images(1, 9, 9, 1)), "f"))
    assert [(stays, len(piece.rows)) for stays, piece in found] == [(True, 1), (False, 2), (True, 1)]
    assert {piece.end for _, piece in found} == {2000}
    assert sum(piece.end - piece.start for _, piece in found) == 1000


@pytest.mark.parametrize("kind", ["insert", "delete"])
def test_rows_that_stay_keep_the_places_that_they_had_without_a_filter(kind: str) -> None:
    whole = event(kind, *images(1, 9, 1, 9, 1))
    places = []
    for expression in ("FALSE", "a = 9", "a = 1"):
        replicator = Replicator(Location(Position("f", 4), None), 1)
        for stays, piece in pieces(row_filter(**{kind: expression}), whole, "f"):
            if stays:
                replicator.rows(PLAN, piece)
            else:
                replicator.leave_out(piece)
        [jobs] = replicator.take()
        places.append({job.key[0]: (job.event_end, job.row_index) for job in jobs})
    assert places[0] == places[1] | places[2]
    assert not places[1].keys() & places[2].keys()


def test_an_update_counts_once() -> None:
    replicator = Replicator(Location(Position("f", 4), None), 1)
    before, after = images(1), images(2)
    [(stays, piece)] = pieces(row_filter(update_new="a = 2"), event("update", *before, *after), "f")
    assert not stays
    replicator.leave_out(piece)
    replicator.rows(PLAN, event("insert", *images(7)))
    [[job]] = replicator.take()
    assert job.row_index == 2  # places count in steps of two


def test_a_row_without_a_value_says_where_it_is() -> None:
    with pytest.raises(DMError) as caught:
        list(pieces(row_filter(insert="a * 9223372036854775807 > 0"), event("insert", *images(3)), "binlog.000007"))
    assert caught.value.fields["place"] == str(Position("binlog.000007", 2000))
