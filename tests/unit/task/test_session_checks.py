"""Session variables of a task or source file: what has no effect is said, what would change rows is refused."""

from __future__ import annotations

import pytest

from pkg.errors import DMError
from pkg.task import check_config, sample


def with_session(kind: str, variable: str) -> str:
    text = sample(kind)
    assert "# session: {}" in text
    return text.replace("# session: {}", f"session: {{{variable}}}", 1)


@pytest.mark.parametrize("variable", ["sql_mode: ''", "SQL_MODE: ANSI", "time_zone: '+08:00'"])
def test_what_is_ours_has_no_effect(variable: str) -> None:
    loaded = check_config(with_session("task", variable), "task.yaml")
    assert any("has no effect" in str(warning) for warning in loaded.warnings)


@pytest.mark.parametrize("kind", ["task", "source"])
@pytest.mark.parametrize("variable", ["sql_select_limit: 10", "AUTOCOMMIT: 0", "character_set_client: latin1"])
def test_what_would_change_rows_is_refused(kind: str, variable: str) -> None:
    with pytest.raises(DMError, match="cannot be set here"):
        check_config(with_session(kind, variable), f"{kind}.yaml")


def test_a_target_has_to_look_for_duplicates() -> None:
    with pytest.raises(DMError, match="duplicates"):
        check_config(with_session("task", "unique_checks: 0"), "task.yaml")
    assert check_config(with_session("task", "innodb_lock_wait_timeout: 60"), "task.yaml").warnings == ()
