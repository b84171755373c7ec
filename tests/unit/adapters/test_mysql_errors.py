"""A server's error number decides what its error means; its text only fills in names."""

from __future__ import annotations

import pickle

import pymysql
import pytest

from pkg.adapters.mysql import errors
from pkg.adapters.mysql.errors import KindPair, Side, errno_of, naming, translated
from pkg.errors import DMError


def error(number: int, text: str, side: Side = "upstream", database: str | None = None) -> DMError:
    raised = pymysql.err.OperationalError(number, text)
    return translated(raised, side=side, address="db1:3306", user="dm", database=database)


@pytest.mark.parametrize(
    ("number", "pair", "resumable"),
    [
        (1045, errors.WRONG_PASSWORD, False),
        (2003, errors.UNREACHABLE, True),
        (1049, errors.UNKNOWN_DATABASE, False),
        (2013, errors.LOST_CONNECTION, True),
        (2006, errors.LOST_CONNECTION, True),
        (1213, errors.LOCK_CONFLICT, True),
        (1205, errors.LOCK_CONFLICT, True),
        (9007, errors.LOCK_CONFLICT, True),
        (1114, errors.NO_SPACE, True),
        (1021, errors.NO_SPACE, True),
        (1153, errors.PACKET_TOO_BIG, False),
        (1062, errors.DUPLICATE, False),
        (1146, errors.UNKNOWN_TABLE, False),
        (1040, errors.SERVER_BUSY, True),
        (1406, errors.VALUE_REFUSED, False),
        (1452, errors.FOREIGN_KEY, False),
        (1290, errors.READ_ONLY, True),
        (1064, errors.STATEMENT_FAILED, False),
    ],
)
@pytest.mark.parametrize("side", ["upstream", "downstream"])
def test_a_number_has_one_meaning_on_each_side(number: int, pair: KindPair, resumable: bool, side: Side) -> None:
    found = error(number, "whatever it says", side)
    assert found.is_a(pair.of(side))
    assert pair.matches(found)
    assert (found.resumable, errno_of(found), str(found.kind.scope)) == (resumable, number, side)
    assert f"{side} db1:3306" in found.message


def test_a_statement_that_tidb_leaves_when_it_ends_is_as_one_whose_connection_was_lost() -> None:
    """Whether a DDL was done nobody has said: it is no refusal."""
    found = error(1105, "context canceled", "downstream")
    assert errors.LOST_CONNECTION.matches(found)
    assert found.resumable
    assert not error(1105, "whatever else has no number", "downstream").resumable


@pytest.mark.parametrize(
    ("number", "text", "database", "grant"),
    [
        (
            1227,
            "Access denied; you need (at least one of) the SUPER, BINLOG MONITOR privilege(s) for this operation",
            None,
            "GRANT BINLOG MONITOR ON *.* TO 'dm'@'%'",
        ),
        (
            1227,
            "Access denied; you need (at least one of) the SUPER, REPLICATION CLIENT privilege(s) for this operation",
            None,
            "GRANT REPLICATION CLIENT ON *.* TO 'dm'@'%'",
        ),
        (
            1142,
            "SELECT command denied to user 'dm'@'10.0.0.1' for table `shop`.`orders`",
            None,
            "GRANT SELECT ON `shop`.`orders` TO 'dm'@'10.0.0.1'",
        ),
        (
            1142,
            "INSERT command denied to user 'dm'@'%' for table 'orders'",
            "shop",
            "GRANT INSERT ON `shop`.`orders` TO 'dm'@'%'",
        ),
        (
            1044,
            "Access denied for user 'dm'@'%' to database 'shop'",
            None,
            "GRANT ALL PRIVILEGES ON `shop`.* TO 'dm'@'%'",
        ),
    ],
)
def test_a_missing_privilege_comes_with_the_grant_to_run(
    number: int, text: str, database: str | None, grant: str
) -> None:
    assert grant in error(number, text, database=database).workaround


def test_a_closed_connection_and_a_broken_stream_are_lost_connections() -> None:
    for raised in (pymysql.err.InterfaceError(0, ""), pymysql.err.InternalError("Packet sequence number wrong")):
        assert errors.LOST_CONNECTION.matches(translated(raised, side="upstream", address="a:1", user="dm"))


def test_an_error_keeps_its_number_on_its_way_to_another_process() -> None:
    assert errno_of(pickle.loads(pickle.dumps(error(1213, "Deadlock found")))) == 1213


def test_an_error_says_what_was_done_unless_it_passes_by_itself() -> None:
    found = naming(error(1176, "Key 'k' doesn't exist in table 't'"), "cutting `a`.`t` into chunks by its key k (a)")
    assert found.is_a(errors.STATEMENT_FAILED.upstream)
    assert "doesn't exist in table 't'; cutting `a`.`t` into chunks by its key k (a) (error 1176)" in found.message
    assert errno_of(found) == 1176
    passing = error(2013, "gone")
    assert naming(passing, "reading `a`.`t`") is passing
