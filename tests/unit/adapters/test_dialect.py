"""What follows from a server's version text."""

from __future__ import annotations

import pytest

from pkg.adapters.mysql.dialect import Server


@pytest.mark.parametrize(
    ("text", "flavor", "version"),
    [
        ("8.0.11-TiDB-v8.5.1", "tidb", (8, 5, 1)),
        ("5.7.25-TiDB-v4.0.0-alpha-12-gabc", "tidb", (4, 0, 0)),
        ("10.11.19-MariaDB-0+deb12u1-log", "mariadb", (10, 11, 19)),
        ("5.5.5-10.6.12-MariaDB", "mariadb", (10, 6, 12)),
        ("9.7.4-2", "mysql", (9, 7, 4)),
        ("5.7.44-log", "mysql", (5, 7, 44)),
        ("8.0.36-28 Percona", "mysql", (8, 0, 36)),
    ],
)
def test_flavour_and_version(text: str, flavor: str, version: tuple[int, int, int]) -> None:
    server = Server.from_version_text(text)
    assert (server.flavor, server.version) == (flavor, version)


@pytest.mark.parametrize(
    ("text", "status", "replicas"),
    [
        ("5.7.44", "SHOW MASTER STATUS", "SHOW SLAVE HOSTS"),
        ("8.0.36", "SHOW MASTER STATUS", "SHOW REPLICAS"),
        ("8.4.0", "SHOW BINARY LOG STATUS", "SHOW REPLICAS"),
        ("9.7.4", "SHOW BINARY LOG STATUS", "SHOW REPLICAS"),
        ("10.11.6-MariaDB", "SHOW MASTER STATUS", "SHOW SLAVE HOSTS"),
    ],
)
def test_statements_by_version(text: str, status: str, replicas: str) -> None:
    server = Server.from_version_text(text)
    assert (server.binlog_status_sql, server.replicas_sql) == (status, replicas)


def test_a_sql_mode_loses_what_the_target_does_not_know() -> None:
    modes = "STRICT_TRANS_TABLES,NO_AUTO_CREATE_USER,EMPTY_STRING_IS_NULL,ansi_quotes"
    assert Server.from_version_text("9.1.0").known_sql_mode(modes) == "STRICT_TRANS_TABLES,ANSI_QUOTES"
    assert "NO_AUTO_CREATE_USER" in Server.from_version_text("8.0.11-TiDB-v8.5.0").known_sql_mode(modes)
    assert "EMPTY_STRING_IS_NULL" in Server.from_version_text("10.11.6-MariaDB").known_sql_mode(modes)


def test_the_task_may_set_what_does_not_change_values() -> None:
    asked = {"sql_mode": "", "time_zone": "SYSTEM", "foreign_key_checks": "1", "tidb_txn_mode": "pessimistic"}
    session = Server.from_version_text("8.0.11-TiDB-v8.5.0").copy_session(asked)
    assert session["time_zone"] == "+00:00"
    assert "STRICT_TRANS_TABLES" in session["sql_mode"]
    assert "NO_ZERO_DATE" not in session["sql_mode"]
    assert (session["foreign_key_checks"], session["tidb_txn_mode"]) == ("0", "pessimistic")


@pytest.mark.parametrize(("asked", "checks"), [("1", "1"), ("on", "1"), ("True", "1"), ("OFF", "0"), ("0", "0")])
def test_foreign_keys_are_checked_by_replication_alone(asked: str, checks: str) -> None:
    server = Server.from_version_text("10.11.6-MariaDB")
    assert server.downstream_session({"FOREIGN_KEY_CHECKS": asked})["foreign_key_checks"] == checks
    assert server.copy_session({"FOREIGN_KEY_CHECKS": asked})["foreign_key_checks"] == "0"


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ("10.11.6-MariaDB", "tx_isolation"),
        ("5.7.19", "tx_isolation"),
        ("5.7.44", "transaction_isolation"),
        ("9.7.4", "transaction_isolation"),
        ("8.0.11-TiDB-v8.5.0", None),
    ],
)
def test_channels_lock_no_gaps_between_rows(text: str, variable: str | None) -> None:
    session = Server.from_version_text(text).downstream_session()
    assert [name for name in session if "isolation" in name] == ([variable] if variable else [])


@pytest.mark.parametrize(
    ("text", "is_forbidden"),
    [("5.7.25-TiDB-v6.5.3", True), ("8.0.11-TiDB-v7.5.1", True), ("8.0.11-TiDB-v8.5.0", False), ("9.7.0", False)],
)
def test_an_older_tidb_runs_no_transaction_again_by_itself(text: str, is_forbidden: bool) -> None:
    """It would apply it twice where its COMMIT had come too late."""
    session = Server.from_version_text(text).downstream_session()
    assert (session.get("tidb_disable_txn_auto_retry") == "1") is is_forbidden
