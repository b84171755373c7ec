"""The least privileges that docs/privileges.md lists: each mode runs with just these, and `check-task` misses each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.e2e.job import binlog_position
from tests.cases.steering.steered import query, run_on
from tests.cluster import ROOT, Cluster
from tests.servers import RunningServer

pytestmark = pytest.mark.crossed("accounts")

SCHEMA, META, SOURCE = "least_shop", "least_meta", "one"
_GRANT = re.compile(r"GRANT (.+) ON (\S+) TO")
_LATER = {
    "DROP",
    "ALTER",
    "INDEX",
}  # of the target: a warning, and the meta tables need some of them in later versions only
PAIRS = [("mariadb", "tidb"), ("mysql", "mariadb"), ("mariadb", "mysql")]


def grants(heading: str, mode: str, kind: str = "") -> list[tuple[list[str], str]]:
    """(privileges, on what) by the documentation."""
    text = (ROOT / "docs" / "privileges.md").read_text().partition(f"## {heading}")[2]
    block = text.partition("```sql\n")[2].partition("```")[0]
    found: list[tuple[str, str]] = []
    for part in block.split("-- ")[1:]:
        modes, _, statements = part.partition("\n")
        listed, _, only = modes.partition(" into ")
        if mode in listed.split(", ") and only.lower() in ("", kind):
            found += _GRANT.findall(statements)
    return [(names.split(", "), on.replace("shop", SCHEMA).replace("dm_meta", META)) for names, on in found]


class Accounts:
    """One task after the other, with accounts that have just what is listed."""

    def __init__(self, cluster: Cluster, upstream: RunningServer, target: RunningServer) -> None:
        self.cluster, self.upstream, self.target = cluster, upstream, target

    def make(self, server: RunningServer, name: str, given: list[tuple[list[str], str]]) -> None:
        query(server, f"DROP USER IF EXISTS {name}")
        query(server, f"CREATE USER {name}")
        for names, on in given:
            query(server, f"GRANT {', '.join(names)} ON {on} TO {name}")

    def source_file(self) -> str:
        path = self.cluster.folder / "source.yaml"
        place = f"{{host: {self.upstream.host}, port: {self.upstream.port}, user: least_up}}"
        path.write_text(f"source-id: {SOURCE}\nfrom: {place}\n")
        return str(path)

    def task_file(self, mode: str, more: str = "") -> str:
        path = self.cluster.folder / f"{mode}.yaml"
        path.write_text(f"""name: least_{mode}
task-mode: {mode}
meta-schema: {META}
target-database: {{host: {self.target.host}, port: {self.target.port}, user: least_down}}
mysql-instances:
- source-id: {SOURCE}
  block-allow-list: mine
{more}
block-allow-list: {{mine: {{do-dbs: [{SCHEMA}]}}}}
""")
        return str(path)

    def checked_without(
        self, server: RunningServer, account: str, given: list[tuple[list[str], str]], file: str
    ) -> None:
        """check-task names each privilege that is taken away, and nothing else."""
        for names, on in given:
            for name in names:
                self.make(server, account, [([one for one in listed if one != name or where != on] or ["USAGE"], where)
                                            for listed, where in given])  # fmt: skip
                asked = self.cluster.ask("check-task", file)
                assert f"lacks {name} on" in asked.out, (name, on, asked.out)
                assert asked.code == (0 if account == "least_down" and name in _LATER else 1)
        self.make(server, account, given)

    def rows(self, server: RunningServer) -> list[object]:
        return [query(server, f"SELECT * FROM {SCHEMA}.{table} ORDER BY 1") for table in ("keyed", "log")]

    def is_equal(self) -> bool:
        return self.rows(self.upstream) == self.rows(self.target)


@pytest.fixture(params=PAIRS, ids="-".join)
def accounts(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Accounts]:
    upstream, target = (request.getfixturevalue(kind) for kind in request.param)
    with Cluster(tmp_path) as cluster:
        query(upstream, f"DROP DATABASE IF EXISTS {SCHEMA}")
        query(upstream, f"CREATE DATABASE {SCHEMA} DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_bin")
        run_on(
            upstream, SCHEMA, "CREATE TABLE keyed (id INT PRIMARY KEY, n INT, KEY n (n))", "CREATE TABLE log (a INT)",
            "INSERT INTO keyed VALUES (1, 1), (2, 2)", "INSERT INTO log VALUES (1), (1)",
        )  # fmt: skip
        for name in (SCHEMA, META):
            query(target, f"DROP DATABASE IF EXISTS {name}")
        cluster.start_master()
        cluster.start_worker("worker")
        cluster.wait(lambda: '"free"' in cluster.ask("list-member", "--worker").out, "the worker is there")
        yield Accounts(cluster, upstream, target)


@pytest.mark.parametrize("mode", ["full", "all", "incremental"])
def test_the_listed_privileges_are_enough_and_each_is_asked_for(accounts: Accounts, mode: str) -> None:
    of_source, of_target = grants("Upstream", mode), grants("Target", mode, accounts.target.kind)
    accounts.make(accounts.upstream, "least_up", of_source)
    accounts.make(accounts.target, "least_down", of_target)
    more = ""
    if mode == "incremental":
        begin = binlog_position(accounts.upstream)
        more = f"  meta: {{binlog-name: {begin.name}, binlog-pos: {begin.offset}}}"
        for server in (accounts.target,):
            query(server, f"CREATE DATABASE {SCHEMA}")
            run_on(server, SCHEMA, "CREATE TABLE keyed (id INT PRIMARY KEY, n INT, KEY n (n))",
                   "CREATE TABLE log (a INT)", "INSERT INTO keyed VALUES (1, 1), (2, 2)",
                   "INSERT INTO log VALUES (1), (1)")  # fmt: skip
    file = accounts.task_file(mode, more)
    accounts.cluster.expect("operate-source", "create", accounts.source_file(), "--wait")
    accounts.checked_without(accounts.upstream, "least_up", of_source, file)
    accounts.checked_without(accounts.target, "least_down", of_target, file)
    accounts.cluster.expect("start-task", file, "--until", "finished" if mode == "full" else "synced")
    if mode != "full":
        run_on(accounts.upstream, SCHEMA, "UPDATE keyed SET n = n + 1", "INSERT INTO log VALUES (2)",
               "ALTER TABLE keyed ADD KEY both_of_them (id, n)", "CREATE TABLE more (id INT PRIMARY KEY)",
               "DROP TABLE more")  # fmt: skip
        accounts.cluster.wait(accounts.is_equal, "what changes is there")
        accounts.cluster.wait(lambda: accounts.cluster.in_step(f"least_{mode}", 1), "the DDL, too")
        accounts.cluster.expect("pause-task", f"least_{mode}", "--wait")
        accounts.cluster.expect("resume-task", f"least_{mode}", "--wait")
    assert accounts.is_equal()


def test_a_dump_and_its_load_with_the_listed_privileges(accounts: Accounts) -> None:
    accounts.make(accounts.upstream, "least_up", grants("Upstream", "dump"))
    accounts.make(accounts.target, "least_down", grants("Target", "load", accounts.target.kind))
    folder = accounts.cluster.folder / "files"
    accounts.cluster.expect("operate-source", "create", accounts.source_file(), "--wait")
    dump = accounts.task_file("dump", f"  loader: {{dir: {folder}}}")
    accounts.checked_without(accounts.upstream, "least_up", grants("Upstream", "dump"), dump)
    accounts.cluster.expect("start-task", dump, "--until", "finished")
    query(accounts.upstream, "DROP USER least_up")
    accounts.cluster.expect(
        "start-task", accounts.task_file("load", f"  loader: {{dir: {folder}}}"), "--until", "finished"
    )
    assert accounts.is_equal()


def test_an_account_that_sees_no_table_copies_nothing_and_says_so(accounts: Accounts) -> None:
    accounts.make(accounts.upstream, "least_up", [(["REPLICATION SLAVE", "REPLICATION CLIENT", "RELOAD"], "*.*")])
    accounts.make(accounts.target, "least_down", grants("Target", "full", accounts.target.kind))
    accounts.cluster.expect("operate-source", "create", accounts.source_file(), "--wait")
    file = Path(accounts.task_file("full"))
    file.write_text(re.sub(r"(?m)^  block-allow-list: mine$|^block-allow-list: .*$", "", file.read_text()))
    refused = accounts.cluster.ask("start-task", str(file), "--until", "finished")
    assert refused.code == 1
    assert "sees nothing, and may not see all" in refused.out
