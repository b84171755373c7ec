"""Which rows an exchange in TiDB may change, as its history of DDL jobs tells it."""

from __future__ import annotations

from typing import Any

import pytest

from dm_worker.syncer.origin_defaults import Origins, doubts, origins_in
from pkg.schema.statement import TableName

_A = TableName("db", "a")
_EXCHANGE = 42


def _info(number: int, name: str, **origins: str | None) -> dict[str, Any]:
    cols = [{"name": {"L": one}, "origin_default": value, "origin_default_bit": None} for one, value in origins.items()]
    return {"id": number, "name": {"L": name}, "cols": cols}


def _job(kind: int, number: int, name: str, info: Any = None, several: Any = None) -> dict[str, Any]:
    told = {"TableInfo": info, "MultipleTableInfos": several}
    return {"type": kind, "table_id": number, "schema_name": "DB", "table_name": name, "binlog": told}


_MADE = _job(3, 5, "A", _info(5, "a", id=None, st="1"))
_OF_T = _info(3, "t", id=None, st=None)


@pytest.mark.parametrize(
    ("jobs", "number", "origin"),
    [
        ([_MADE], 5, "1"),
        ([_job(5, 5, "a", _info(5, "a", st="2")), _MADE], 5, "2"),
        ([_job(47, 9, "b", _info(9, "b"), [_info(9, "b"), _info(5, "a", st="3")]), _MADE], 5, "3"),
        ([_job(_EXCHANGE, 5, "a", _OF_T), _MADE], 4, "1"),
        ([_job(_EXCHANGE, 4, "a", _OF_T), _job(_EXCHANGE, 5, "a", _OF_T), _MADE], 7, "1"),
        ([_job(_EXCHANGE, 5, "other", _OF_T), _MADE], 5, None),
        ([_job(3, 8, "a", _info(8, "a", st="9"))], 5, None),
        ([], 5, None),
    ],
    ids=["made", "added", "renamed with others", "exchanged", "exchanged twice", "given away", "another", "nothing"],
)
def test_the_last_job_that_speaks_of_a_table_has_its_origin_defaults(jobs: Any, number: int, origin: Any) -> None:
    found = origins_in(jobs, number, _A)
    assert (found and found["st"][0]) == origin


@pytest.mark.parametrize(
    ("own", "taking", "conditions"),
    [
        ({"a": (None, None)}, {"a": (None, None)}, []),
        ({"a": ("1", None)}, {"a": ("1", None)}, []),
        ({"a": ("1", None)}, {"a": ("2", None)}, [""]),
        ({"a": ("1", None)}, {"a": (None, None)}, [""]),
        ({"a": (None, None)}, {"a": ("1", None)}, ["`a` IS NULL"]),
        ({"a": ("\x05", "BQ==")}, {"a": ("\x05", "BA==")}, [""]),
        ({"a": (None, None)}, None, [""]),
        (None, {"a": (None, None)}, [""]),
    ],
)
def test_which_rows_an_exchange_may_change(own: Origins | None, taking: Origins | None, conditions: list[str]) -> None:
    assert [where for where, _ in doubts(own, taking)] == conditions
