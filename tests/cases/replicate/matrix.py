"""Crosses types, key forms and statement forms: each type in a table of each key form, the forms one after the other.

A cell is (column, key, form) on a pair of servers.  Its tables have the columns ``n`` (the row's number, which no
statement changes), ``w`` (a number) and ``v``, which is of the type.  Values are chosen to hurt.  ``Matrix`` replicates
the tables of one run together: each form is written upstream as one transaction a table, replicated, and compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pymysql

from pkg.task.blocks import BlockAllowListConfig
from pkg.task.stage import TaskMode
from pkg.task.subtask import SubtaskConfig
from tests.cases.full.migration import outcome, start
from tests.cases.replicate.arena import BOTH_COLLATIONS, Pair, new_schema, subtask
from tests.cases.replicate.comparing import connected, contents, structures
from tests.cases.replicate.matrix_types import Typed
from tests.cases.replicate.replication import Replication, present_position

NOT_NULL = ("single", "composite", "prefix")  # keys whose column takes none
FORMS = ("insert", "update", "key update", "mixed", "copy", "delete")


@dataclass(slots=True)
class Tabled:
    """One type with one key form; what was run for it, by the row's number (0: the table)."""

    number: int
    typed: Typed
    key: str
    run: list[tuple[int, str]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"m_{self.number:04d}"

    @property
    def title(self) -> str:
        return f"{self.typed.type} / {self.key}"

    def create(self) -> str:
        type_, name = self.typed.type, self.name
        v = f"v {type_}" + (" NOT NULL" if self.key in NOT_NULL else "")
        key = {
            "none": "",
            "single": ", PRIMARY KEY (v)",
            "composite": ", PRIMARY KEY (v, n)",
            "prefix": ", PRIMARY KEY (v(2))",
            "unique prefix": ", PRIMARY KEY (n), UNIQUE KEY (v(2))",
            "generated": f", g {type_.removesuffix(' NULL')} AS (v) STORED, PRIMARY KEY (n), UNIQUE KEY (g)",
            "virtual": f", g {type_.removesuffix(' NULL')} AS (v) VIRTUAL, UNIQUE KEY (g)",
            "nullable": ", UNIQUE KEY (v)",
            "nullable composite": ", UNIQUE KEY (v, w)",
            "expression": ", PRIMARY KEY (n), UNIQUE KEY ((REVERSE(v)))",
        }[self.key]
        return f"CREATE TABLE {name} (n INT NOT NULL, w INT, {v.replace('NULL NOT NULL', 'NOT NULL')}{key})"

    def statements(self, form: str) -> Iterator[tuple[int, str]]:
        """(row, statement): rows begin with every other value; the rest of them is what a key update writes."""
        null = [] if self.key in NOT_NULL else ["NULL"]
        first = [*self.typed.values[::2], *null]
        spare = [*self.typed.values[1::2], *null]
        for n, value in enumerate(first, 1):
            if form == "insert":
                yield n, f"INSERT INTO {self.name} (n, w, v) VALUES ({n}, {n}, {value})"
            elif form == "update":
                yield n, f"UPDATE {self.name} SET w = w + 100 WHERE n = {n}"
            elif form == "key update" and n <= len(spare):
                yield n, f"UPDATE {self.name} SET v = {spare[-n]} WHERE n = {n}"
            elif form == "mixed" and n % 2:
                yield n, f"DELETE FROM {self.name} WHERE n = {n}"
                yield n, f"INSERT INTO {self.name} (n, w, v) VALUES ({n}, {n + 1}, {value})"
            elif form == "mixed":
                yield n, f"REPLACE INTO {self.name} (n, w, v) VALUES ({n}, {n + 1}, {value})"
            elif form == "delete" and n % 3:
                yield n, f"DELETE FROM {self.name} WHERE n = {n}"

    def reduced(self, rows: set[int]) -> str:
        """What was run for these rows alone."""
        return ";\n".join(sql for n, sql in self.run if n == 0 or n in rows)


@dataclass(frozen=True, slots=True)
class Finding:
    """A cell that does not hold: the target differs, or replication pauses."""

    title: str
    form: str
    verdict: str  # "differs" or "pauses"
    what: str
    sql: str

    def __str__(self) -> str:
        return f"{self.title} / {self.form}: {self.verdict}: {self.what}\n{self.sql};"


def tables(chosen: Sequence[tuple[Typed, str]]) -> list[Tabled]:
    return [Tabled(number, one, key) for number, (one, key) in enumerate(chosen, 1)]


# Pauses that docs/exactness.md names: text that does not go through Unicode, the two empty values of an ENUM, types that TiDB or MariaDB lacks,
# labels that are equal (1291), generated columns of a DOUBLE(M,D), moments of the first second of 1970, bytes above
# 127 in MySQL's ascii.
DOCUMENTED = re.compile(
    r"code=(36118|34130|34131|36180):|code=36108:.*'VECTOR'.*error 4161|code=(36108|34103):.*\(error 1291\)"
    r"|code=(36197|34195):.*servers round a double\(20,2\)|code=10216:.*'1970-01-01 00:00:00\.0"
    r"|code=10216:.*Incorrect string value: '\\\\?x[89A-F][0-9A-F]' for column"
    r"|code=(36108|34103):.* `?v`? (MULTI)?(POINT|GEOMETRY|GEOMETRYCOLLECTION|LINESTRING|POLYGON)\b.*error 1064",
    re.DOTALL,
)


class Matrix:
    """One run: some tables on one pair of servers, in a schema of their own."""

    def __init__(self, pair: Pair, schema: str, log: Path, forms: Sequence[str] = FORMS) -> None:
        self._pair, self._schema, self._log, self._forms = pair, schema, log, forms
        self.cells = 0
        self.refused = 0  # cells, by a documented pause
        self.findings: list[Finding] = []

    def play(self, wanted: Sequence[Tabled]) -> None:
        for server in (self._pair.upstream, self._pair.target):
            new_schema(server, self._schema, BOTH_COLLATIONS)
        left = list(wanted)
        with ExitStack() as stack:
            replication = Replication(self._log)
            stack.callback(replication.close)
            replication.start(self._task())
            replication.stop()
            left = self._write(left, "create")
            for form in self._forms:
                if form == "copy":
                    self._copy(left, wanted)
                else:
                    left = self._write(left, form)
                    self._replicate(replication, left, wanted, form)
                self._compare(left, form)

    def _write(self, left: list[Tabled], form: str) -> list[Tabled]:
        """Each table's statements as one transaction; what the upstream refuses is left out."""
        kept = []
        with self._pair.upstream.connect(self._schema, ssl_disabled=True) as link, link.cursor() as cursor:
            cursor.execute("SET sql_mode = 'ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO', time_zone = '+00:00'")
            for table in left:
                statements = [(0, table.create())] if form == "create" else list(table.statements(form))
                cursor.execute("BEGIN")
                done = [(n, sql) for n, sql in statements if _runs(cursor, sql)]
                cursor.execute("COMMIT")
                table.run += done
                if done or form != "create":
                    kept.append(table)
        return kept

    def _replicate(self, replication: Replication, left: list[Tabled], wanted: Sequence[Tabled], form: str) -> None:
        end = present_position(self._pair.upstream)
        while True:
            replication.start(self._task(wanted, left))
            pause = replication.until(end)
            replication.stop()
            if pause is None:
                return
            self._paused(left, form, pause.text)
            if not left:
                return

    def _copy(self, left: list[Tabled], wanted: Sequence[Tabled]) -> None:
        """The target's tables anew, by a full migration; replication goes on with them."""
        with connected(self._pair.target) as there:
            there.query(f"DROP DATABASE {self._schema}")
        while True:
            mode = {"task_mode": TaskMode.FULL, "meta_schema": f"{self._schema}_copied"}
            if not left:
                return
            said = outcome(start(self._task(wanted, left).model_copy(update=mode)))
            if said["exit"] == 0:
                return
            self._paused(left, "copy", str(said.get("text", said["log"][-900:])))

    def _paused(self, left: list[Tabled], form: str, text: str) -> None:
        """Leave the table out that the error names."""
        named = re.search(r"\bm_\d{4}", text)
        guilty = next((table for table in left if named is not None and table.name == named[0]), None)
        if guilty is None:  # nothing can be left out to go on
            self.findings.append(Finding("a table that is not named", form, "pauses", text[:900], ""))
            left.clear()
            return
        left.remove(guilty)
        self.cells += 1
        if DOCUMENTED.search(text):
            self.refused += 1
        else:
            self.findings.append(Finding(guilty.title, form, "pauses", text[:600], guilty.reduced(set(range(99)))))

    def _task(self, wanted: Sequence[Tabled] = (), left: Sequence[Tabled] = ()) -> SubtaskConfig:
        """Of the ``wanted`` tables those that are ``left``."""
        config = subtask(self._pair, self._schema, [self._schema])
        ignored = [{"db-name": self._schema, "tbl-name": table.name} for table in wanted if table not in left]
        rules = {"do-dbs": [self._schema], "ignore-tables": ignored}
        return config.model_copy(update={"block_allow_list": BlockAllowListConfig.model_validate(rules)})

    def _compare(self, left: list[Tabled], form: str) -> None:
        """A table that differs is a finding, and is left out from there on."""
        with connected(self._pair.upstream) as here, connected(self._pair.target) as there:
            known = structures(here, self._schema)
            for table in list(left):
                self.cells += 1
                name = (self._schema, table.name)
                ours, theirs = contents(here, name, known[name]), contents(there, name, known[name])
                if ours != theirs:
                    left.remove(table)
                    missing, extra = list((ours - theirs).elements()), list((theirs - ours).elements())
                    rows = {int(row[0]) for row in (*missing, *extra)}
                    what = f"upstream {missing[:3]}, target {extra[:3]}"
                    self.findings.append(Finding(table.title, form, "differs", what, table.reduced(rows)))


def _runs(cursor: pymysql.cursors.Cursor, sql: str) -> bool:
    try:
        cursor.execute(sql)
    except pymysql.err.MySQLError:
        return False
    return True
