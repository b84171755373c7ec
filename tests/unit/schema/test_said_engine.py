"""The engine that a table gets where its statement names another one."""

from __future__ import annotations

import pytest

from pkg.schema.ddl import parse_ddl
from pkg.schema.parse import parse_create_table
from pkg.schema.said_engine import Engines, engine_matters, made_engine, said_engine, with_engine
from pkg.schema.statement import Ddl

KEY = "FOREIGN KEY (a) REFERENCES p (id)"
CHILD = f"CREATE TABLE c (id INT, a INT, {KEY}) ENGINE={{}}"
HAS, LACKS = Engines(True, "", "InnoDB"), Engines(False, "", "InnoDB")
ENFORCED = Engines(True, "InnoDB", "MyISAM")


def ddl_of(sql: str) -> Ddl:
    return parse_ddl(sql, default_schema="s", flavor="mariadb")


@pytest.mark.parametrize(
    ("sql", "engine", "matters"),
    [
        ("CREATE TABLE c (id INT) ENGINE=MyISAM", "MYISAM", False),
        ("CREATE TABLE c (id INT)", "", False),
        ("CREATE TABLE c (id INT) ENGINE=BLACKHOLE", "BLACKHOLE", True),
        ("CREATE TABLE c (id INT) ENGINE=MERGE UNION=(d)", "MRG_MYISAM", True),
        (CHILD.format("Aria"), "ARIA", True),
        ("ALTER TABLE c ENGINE=MyISAM, ENGINE=HEAP", "MEMORY", False),
        (f"ALTER TABLE c ADD {KEY}, ENGINE=InnoDB", "INNODB", True),
        ("CREATE TABLE c LIKE d", "", False),
    ],
)
def test_what_is_said(sql: str, engine: str, matters: bool) -> None:
    ddl = ddl_of(sql)
    assert (said_engine(ddl), engine_matters(ddl, None)) == (engine, matters)


@pytest.mark.parametrize(
    ("said", "now", "engines", "made"),
    [
        ("MyISAM", None, HAS, "MYISAM"),
        ("MyISAM", "MyISAM", HAS, "MYISAM"),
        ("MyISAM", "InnoDB", HAS, "InnoDB"),  # it has the foreign key: the session enforced it
        ("InnoDB", "MyISAM", HAS, None),
        ("InnoDB", "InnoDB", HAS, "INNODB"),
        ("MyISAM", None, ENFORCED, "InnoDB"),
        ("FEDERATED", None, LACKS, "InnoDB"),
        ("FEDERATED", "MyISAM", LACKS, "MyISAM"),
    ],
)
def test_what_a_new_table_gets(said: str, now: str | None, engines: Engines, made: str | None) -> None:
    there = parse_create_table(CHILD.format(now), schema="s") if now else None
    engine = made_engine(ddl_of(CHILD.format(said)), None, there, engines)
    assert (engine or "").upper() == (made or "").upper()


def test_what_a_table_keeps() -> None:
    child = parse_create_table(CHILD.format("InnoDB"), schema="s")
    plain = parse_create_table("CREATE TABLE c (id INT)", schema="s")
    assert made_engine(ddl_of("ALTER TABLE c ENGINE=Aria"), child, None, HAS) == "INNODB"
    assert made_engine(ddl_of("ALTER TABLE c DROP FOREIGN KEY c_ibfk_1, ENGINE=Aria"), child, None, HAS) == "ARIA"
    assert made_engine(ddl_of("ALTER TABLE c ENGINE=BLACKHOLE"), plain, None, LACKS) == "InnoDB"
    assert made_engine(ddl_of("ALTER TABLE c ENGINE=BLACKHOLE"), plain, None, HAS) == "BLACKHOLE"


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        (
            "CREATE TABLE c (engine INT) COMMENT='x' ENGINE = Aria",
            "CREATE TABLE c (engine INT) COMMENT='x' ENGINE=InnoDB",
        ),
        ("ALTER TABLE c ADD engine INT, ENGINE=Aria", "ALTER TABLE c ADD engine INT, ENGINE=InnoDB"),
    ],
)
def test_its_place(sql: str, wanted: str) -> None:
    assert with_engine(ddl_of(sql), "InnoDB", "mariadb").text == wanted
