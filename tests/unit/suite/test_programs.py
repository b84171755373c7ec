"""Programs that tests call come from the list of `./dev`."""

from __future__ import annotations

import pytest

from tests.programs import listed, program


def test_the_list_is_read() -> None:
    assert listed()["mydumper"] == "mydumper"
    assert listed()["mariadb-binlog"] == "mariadb-client"
    assert "recent_java" not in listed()


def test_a_program_that_dev_does_not_install_is_refused_though_it_is_here() -> None:
    with pytest.raises(AssertionError, match="a newcomer's machine would not have it"):
        program("sh")
