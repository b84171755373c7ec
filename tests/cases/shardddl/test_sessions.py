"""Two shards of one source that have the same statement under other settings: these matter, or they do not."""

from __future__ import annotations

import pytest

from tests.cases.replicate.replication import Replication
from tests.cases.shardddl.test_meanings import Case, is_about, play

PAIRS = ("mariadb-tidb", "mysql-tidb", "mysql-mariadb", "mariadb-mariadb2", "mariadb-mysql")
OTHER = "36241"
TARGETS = "tidb mariadb mariadb2 mysql"
NOT_TIDB = "mariadb mariadb2 mysql"  # to which TiDB refuses the like before
MODES = "SET sql_mode = '%s'"
ZONES = "SET time_zone = '+05:00'", "SET time_zone = '+00:00'"
PLAIN = "id INT PRIMARY KEY, a VARCHAR(20)", "(1, 'x')", "(2, 'y')"
MOMENTS = "id INT PRIMARY KEY, a DATETIME(6)", "(1, '2020-01-01 10:00:00.6')", "(2, '2020-01-01 10:00:00.6')"
EMPTY = MOMENTS[0], "", MOMENTS[2]


def case(
    name: str,
    settings: tuple[str, str],
    alter: str,
    pauses: str = "",
    tables: tuple[str, str, str] = PLAIN,
    upstream: str = "mariadb mysql",
    target: str = TARGETS,
    other: str = "",
) -> Case:
    """``other``: the second shard's ALTER, where it is written otherwise."""
    columns, *rows = tables
    made = [f"CREATE TABLE t{number} ({columns})" for number in (1, 2)]
    filled = [f"INSERT INTO t{number} VALUES {row}" for number, row in enumerate(rows, 1) if row]
    altered = settings[0], f"ALTER TABLE t1 {alter}", settings[1], f"ALTER TABLE t2 {other or alter}"
    then = () if pauses else ("INSERT INTO t2 (id) VALUES (99)",)  # which comes when the two have met it
    return Case(name, (*made, *filled, *altered, *then), upstream, target, pauses=pauses)


def modes(one: str, other: str = "") -> tuple[str, str]:
    return MODES % one, MODES % other


DEFAULT = "ADD ts TIMESTAMP NOT NULL DEFAULT '2020-01-01 10:00:00'"
CASES = [
    case("a default in another zone", ZONES, DEFAULT, OTHER),
    case("written otherwise", ZONES, DEFAULT, OTHER, other=DEFAULT.lower().replace("ts", "`ts`")),
    case("a zone that counts for nothing", ZONES, "ADD c INT DEFAULT 3, ADD d DATETIME DEFAULT '2020-01-01'"),
    case("a copied table", ZONES, "ADD c INT, MODIFY a VARCHAR(30)"),
    case("the present moment", ZONES, "ADD d DATETIME DEFAULT CURRENT_TIMESTAMP", OTHER),
    case("local times", ZONES, "MODIFY a TIMESTAMP(6) NULL", OTHER, MOMENTS),
    case("local times of one shard", ZONES, "MODIFY a TIMESTAMP(6) NULL", "", EMPTY),
    case("local times of the last", ZONES[::-1], "MODIFY a TIMESTAMP(6) NULL", "", (EMPTY[0], EMPTY[2], "")),
    case("what || is", modes("PIPES_AS_CONCAT"), "ADD g VARCHAR(30) AS (a || 'z') VIRTUAL", "36008"),
    case("a mode that is not asked for", modes("PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE"), "ADD g INT DEFAULT 5"),
    case("NOT", modes("HIGH_NOT_PRECEDENCE"), "ADD g INT AS (NOT id BETWEEN -5 AND 5) VIRTUAL", "36008"),
    case("REAL", modes("REAL_AS_FLOAT"), "ADD r REAL DEFAULT 1.5", "36008"),
    case("quotes", modes("ANSI_QUOTES"), 'ADD g VARCHAR(30) AS (CONCAT("a", \'z\')) VIRTUAL', "36008"),
    case(
        "what is cut", modes("", "STRICT_ALL_TABLES"), "MODIFY a VARCHAR(3)", tables=(PLAIN[0], "(1, 'long')", "(2, 'y')")
    ),
    case(
        "fractions",
        modes("TIME_ROUND_FRACTIONAL", "STRICT_ALL_TABLES"),
        "MODIFY a DATETIME(0)",
        OTHER,
        MOMENTS,
        upstream="mariadb",
    ),
    case("no fractions", modes("TIME_ROUND_FRACTIONAL"), "MODIFY id BIGINT", tables=MOMENTS, upstream="mariadb"),
    case(
        "names of days",
        ("SET lc_time_names = 'de_DE'", "SET lc_time_names = 'en_US'"),
        "ADD g VARCHAR(30) DEFAULT (DAYNAME(a))",
        OTHER,
        MOMENTS,
        target=NOT_TIDB,
    ),
    case(
        "a TIMESTAMP that leaves open what it is",
        ("SET explicit_defaults_for_timestamp = 0", "SET explicit_defaults_for_timestamp = 1"),
        "ADD ts TIMESTAMP",
        "36008",
    ),
    case("a new counter", ("SELECT 1", "SELECT 1"), "ADD n INT NOT NULL AUTO_INCREMENT, ADD KEY n (n)", "36198", target=NOT_TIDB),
    case(
        "a counter that begins",
        ("SELECT 1", "SELECT 1"),
        "MODIFY n INT NOT NULL AUTO_INCREMENT",
        "36198",
        ("id INT PRIMARY KEY, n INT NOT NULL, KEY n (n)", "(1, 0), (2, 7)", "(3, 0)"),
        target=NOT_TIDB,
    ),
    case(
        "a counter that begins without zeros",
        ("SELECT 1", "SELECT 1"),
        "MODIFY n INT NOT NULL AUTO_INCREMENT",
        "",
        ("id INT PRIMARY KEY, n INT NOT NULL, KEY n (n)", "(1, 1), (2, 7)", "(3, 2)"),
        target=NOT_TIDB,
    ),
    case(
        "zeros that one shard keeps",
        modes("NO_AUTO_VALUE_ON_ZERO"),
        "MODIFY n INT NOT NULL AUTO_INCREMENT",
        OTHER,
        ("id INT PRIMARY KEY, n INT NOT NULL, KEY n (n)", "(1, 1), (2, 7)", "(3, 0)"),
    ),
]  # fmt: skip


@pytest.mark.crossed("pair")
@pytest.mark.parametrize(
    ("pair", "one"),
    [pytest.param(pair, one, id=f"{pair}-{one.name}") for pair in PAIRS for one in CASES if is_about(one, pair)],
)
def test_two_shards(one: Case, pair: str, request: pytest.FixtureRequest, replication: Replication) -> None:
    play(one, f"sess{CASES.index(one)}", pair, request, replication)
