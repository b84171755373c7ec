"""Every DDL sequence gives the tracker the structures that the server itself shows afterwards."""

from __future__ import annotations

from typing import Any

import pymysql
import pytest

from tests.cases.schema.sequences import Case, load_cases, run_case

CASES = load_cases()


def _cases(flavor: str) -> list[Any]:
    return [pytest.param(case, id=case.name) for case in CASES if case.only in ("", flavor)]


def _compare(server: Any, case: Case, flavor: str) -> None:
    connection = pymysql.connect(host=server.host, port=server.port, user="root", autocommit=True, ssl_disabled=True)
    try:
        with connection.cursor() as cursor:
            tracked, shown = run_case(cursor, case, flavor)
    finally:
        connection.close()
    assert tracked == shown


@pytest.mark.servers
@pytest.mark.parametrize("case", _cases("mariadb"))
def test_tracker_agrees_with_mariadb(mariadb: Any, case: Case) -> None:
    _compare(mariadb, case, "mariadb")


@pytest.mark.servers
@pytest.mark.parametrize("case", _cases("mysql"))
def test_tracker_agrees_with_mysql(mysql: Any, case: Case) -> None:
    _compare(mysql, case, "mysql")
