from __future__ import annotations

import pytest

from pkg.schema.unfit_tables import Trigger, unfit_reason


@pytest.mark.parametrize("engine", ["", "InnoDB", "INNODB", "ROCKSDB"])
def test_engines_with_transactions(engine: str) -> None:
    assert unfit_reason(engine, (), ["v"]) == ""


@pytest.mark.parametrize("engine", ["MyISAM", "ARIA", "MEMORY", "BLACKHOLE", "CSV", "SPIDER"])
def test_engines_that_are_not_known_to_have_them(engine: str) -> None:
    assert f"its engine {engine} has no transactions" in unfit_reason(engine, (), ["v"])


@pytest.mark.parametrize(
    ("timing", "body", "sets"),
    [
        ("BEFORE", "SET NEW.v = 1", True),
        ("BEFORE", "SET new.`V` := LOWER(NEW.v)", True),
        ("BEFORE", "SET @a = 1, NEW.v = 2", True),
        ("BEFORE", "BEGIN IF NEW.v = 'x' THEN SET NEW.own = 1, NEW.v = NULL; END IF; END", True),
        ("BEFORE", "SELECT 1, 2 INTO @a, NEW.v", True),
        ("BEFORE", "SELECT 1, 2 INTO NEW.own, NEW.v", True),
        ("BEFORE", "CALL change(1, NEW.v)", True),
        ("BEFORE", "GET DIAGNOSTICS CONDITION 1 NEW.v = MESSAGE_TEXT", True),
        ("BEFORE", "SET NEW.own = CONCAT(NEW.v, 'x')", False),
        ("BEFORE", "IF NEW.v = 'x' THEN SIGNAL SQLSTATE '45000'; END IF", False),
        ("BEFORE", "INSERT INTO audit VALUES (NEW.own, NEW.v)", False),
        ("AFTER", "UPDATE sums SET v = v + NEW.v", False),
    ],
)
def test_triggers_that_set_columns_that_are_written(timing: str, body: str, sets: bool) -> None:
    reason = unfit_reason("InnoDB", [Trigger("b", timing, "INSERT", body)], ["id", "v"])
    assert bool(reason) is sets
    assert not sets or "b (BEFORE INSERT)" in reason
