"""Fixtures that every test may name: database servers, shared for the session or made for one test."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import pytest
from hypothesis import settings

from tests.crossing import left_out_of_crossings
from tests.servers import RunningServer, ServerError, Unavailable, start
from tests.servers.running import is_strict

# No deadlines, since these machines are noisy.  The same examples in each run, so that nobody's change fails by a case
# that it has nothing to do with; `pytest tests/property --hypothesis-profile search` looks for new ones.
settings.register_profile("usual", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile("usual")

# Else pytest rewrites every test file anew, and each of the thousands of processes that the tests start compiles all
# modules anew, where somebody has told Python to write no bytecode.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

_SERVER_FIXTURES = frozenset({"mariadb", "mariadb2", "mysql", "tidb", "server_factory"})
_QUICK = ("tests/unit/", "tests/property/")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all", action="store_true", help="crossed tests in full, every case on all its servers, and thorough ones"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks what needs servers and what `./dev check` runs, and leaves out combinations of crossed tests."""
    for item in items:
        if _SERVER_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.servers)
        if item.nodeid.startswith(_QUICK) and not any(map(item.get_closest_marker, ("servers", "slow"))):
            item.add_marker(pytest.mark.quick)
    if not (config.getoption("--all") or any("::" in word for word in config.args)):
        left_out = {item for item in items if item.get_closest_marker("thorough")}
        left_out |= left_out_of_crossings(item for item in items if item not in left_out)
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


_runs_quick = False  # whether the test that runs now is marked `quick`


_shared: list[RunningServer] = []


def pytest_runtest_setup(item: pytest.Item) -> None:
    global _runs_quick
    _runs_quick = item.get_closest_marker("quick") is not None
    for server in _shared:  # one that died in a test fails that test alone
        if server.has_died:
            server.restart()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure shows the end of the log of a shared server that has died in it."""
    report = yield
    if report.failed:
        report.sections += [(f"{one.kind} has died", one.log_tail()) for one in _shared if one.has_died]
    return report


def start_or_report(kind: str, **keywords: Any) -> RunningServer:
    """Starts a server; where this machine cannot, the test is reported as not run, and in CI it fails."""
    if _runs_quick:
        pytest.fail(f"a test that asks for {kind} by name lacks @pytest.mark.servers", pytrace=False)
    try:
        return start(kind, **keywords)
    except Unavailable as reason:
        text = f"no {kind} on this machine: {reason}"
        if is_strict():
            pytest.fail(text, pytrace=False)
        pytest.skip(text)
    except ServerError as failure:
        pytest.fail(str(failure), pytrace=False)


@contextmanager
def shared(kind: str) -> Iterator[RunningServer]:
    with start_or_report(kind) as server:
        _shared.append(server)
        try:
            yield server
        finally:
            _shared.remove(server)


@pytest.fixture(scope="session")
def mariadb() -> Iterator[RunningServer]:
    """A MariaDB that all tests share: each makes schemas under names of its own."""
    with shared("mariadb") as server:
        yield server


@pytest.fixture(scope="session")
def mariadb2() -> Iterator[RunningServer]:
    """A second MariaDB, for two sources that merge."""
    with shared("mariadb") as server:
        yield server


@pytest.fixture(scope="session")
def mysql() -> Iterator[RunningServer]:
    """A MySQL 9 with GTIDs on, shared like `mariadb`."""
    with shared("mysql") as server:
        yield server


@pytest.fixture(scope="session")
def mysql2() -> Iterator[RunningServer]:
    """A second MySQL, for what MySQL does as the target of another."""
    with shared("mysql") as server:
        yield server


@pytest.fixture(scope="session")
def tidb() -> Iterator[RunningServer]:
    """A TiDB, shared like `mariadb`."""
    with shared("tidb") as server:
        yield server


@pytest.fixture
def server_factory() -> Iterator[Callable[..., RunningServer]]:
    """`server_factory(kind, **options)` starts servers that this test alone may stop, kill and reconfigure."""
    with ExitStack() as started:  # one that does not close keeps no other from closing
        yield lambda kind, **keywords: started.enter_context(start_or_report(kind, **keywords))


def _execute(server: RunningServer, statement: str) -> None:
    with closing(server.connect()) as connection, connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.fixture
def fresh_schema() -> Iterator[Callable[[RunningServer], str]]:
    """`fresh_schema(server)` makes a schema there that no other test knows, and drops it after the test."""
    with ExitStack() as made:

        def make(server: RunningServer) -> str:
            name = f"test_{uuid.uuid4().hex[:12]}"
            _execute(server, f"CREATE DATABASE {name}")
            made.callback(_execute, server, f"DROP DATABASE {name}")
            return name

        yield make
