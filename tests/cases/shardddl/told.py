"""A told case (tests/unit/shardddl/cases) on servers, among others: its names there, its rows, its facts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.unit.shardddl.text_case import Case
from tests.unit.shardddl.text_world import Way, World

SOURCES = ("s1", "s2")
_DATABASE = re.compile(r"(?<![\w`.])(d|e|all|other)(?=\.\w)|(?<=DATABASE )(d|e)\b")
_COLLATION = re.compile(r"( DEFAULT)? (CHARACTER SET|CHARSET|COLLATE)[= ]\w+")
_LOCK = re.compile(r"lock of (\w+): .*, (executing|skipping)")
_GENERATED = re.compile("(VIRTUAL|STORED) GENERATED")


@dataclass
class Placed:
    """The case, with ``mark`` behind the names of its databases, in the task's sources ``by_name``.

    ``model`` goes through it at the same time and tells what is to be there after each step.
    """

    case: Case
    mark: str
    by_name: dict[str, str]
    failure: BaseException | None = None
    written: dict[str, set[int]] = field(default_factory=dict)  # by table of the target
    model: World = field(init=False)
    _ids: int = 0

    def __post_init__(self) -> None:
        others = {name: list[str]() for name in SOURCES if name not in self.case.tables}
        self.model = World(replace(self.case, tables={**self.case.tables, **others}), Way("in turn"))
        self.model.settle()

    # Names.

    @property
    def database(self) -> str:
        return f"d_{self.mark}"

    @property
    def leads_elsewhere(self) -> bool:
        """Whether a table gets a name in a database that the task leaves out."""
        return any("other." in step.what for step in self.case.steps)

    def there(self, sql: str) -> str:
        """A statement of the case with the names it has on the servers."""
        return _DATABASE.sub(lambda found: f"`{found[0]}_{self.mark}`", sql)

    def told(self, text: str) -> str:
        """The other way round."""
        return text.replace(f"_{self.mark}", "")

    def routes(self) -> Iterator[tuple[str, str]]:
        for target in ("t", "u"):
            pattern = f'schema-pattern: "{self.database}", table-pattern: "{target}*"'
            yield f"{target}_{self.mark}", f'{{{pattern}, target-schema: "all_{self.mark}", target-table: {target}}}'

    def filter_rule(self) -> str:
        """ "" where the case has none."""
        events = ", ".join(self.case.filters)
        pattern = f'schema-pattern: "{self.database}", table-pattern: "t*"'
        return f"{{{pattern}, events: [{events}], action: Ignore}}" if events else ""

    def target_of(self, schema: str, table: str) -> str:
        """`schema.table` there; "" of what nobody migrates."""
        if not schema.startswith("d"):
            return ""
        return f"all_{self.mark}.{table[0]}" if table[0] in "tu" else f"{schema}.{table}"

    # What is written.

    def row(self, target: str, columns: Iterable[tuple[Any, ...]]) -> tuple[str, list[Any], int]:
        """Names, values and the id of a row; as DESCRIBE shows ``columns``."""
        self._ids += 1
        values = {
            name: value_of(kind, self._ids)
            for name, kind, null, _, default, extra in columns
            if not _GENERATED.search(extra) and not self._is_left_out(name, null, default)
        }
        values["id"] = self._ids
        self.written.setdefault(target, set()).add(self._ids)
        return ", ".join(f"`{name}`" for name in values), list(values.values()), self._ids

    def _is_left_out(self, column: str, null: str, default: Any) -> bool:
        """Every other row takes the defaults, every fourth one NULLs; `a` becomes NOT NULL in some of the cases."""
        if default is not None:
            return self._ids % 2 == 0
        return self._ids % 4 == 0 and null == "YES" and column != "a"

    # Facts.

    def expected(self) -> set[str]:
        return {fact for fact in map(_comparable, self.model.facts()) if fact}

    def found(
        self, statuses: Mapping[str, Any], locks: Iterable[Any], columns: Iterable[tuple[str, str, str]]
    ) -> set[str]:
        """The same from what dmctl says, and from (schema, table, column) of the target."""
        facts: set[str] = set()
        for name in SOURCES:
            facts |= self._of_source(name, statuses.get(self.by_name[name], {}))
        ours = [lock for lock in locks if f"_{self.mark}`" in lock["target"]]
        facts |= {self._of_lock(lock) for lock in ours} or {"no lock"}
        facts.add(f"{len(ours)} locks")
        tables: dict[str, list[str]] = {}
        for schema, table, column in columns:
            if schema.endswith(f"_{self.mark}"):
                tables.setdefault(table, []).append(column)
        return facts | {f"target {table}: {' '.join(names)}" for table, names in tables.items()}

    def _of_source(self, name: str, status: Mapping[str, Any]) -> set[str]:
        if status.get("stage") == "Paused":
            errors = (status.get("result") or {}).get("errors") or [{}]
            return {f"{name} paused {errors[0].get('ErrCode')}"}
        groups = status.get("sync", {}).get("unresolvedGroups") or []
        ours = [group for group in groups if f"_{self.mark}`" in group["target"]]
        return {f"{name} waits {self._names(one, 'synced')} for {self._names(one, 'unsynced')}" for one in ours} or {
            f"{name} is free"
        }

    def _names(self, group: Mapping[str, Any], key: str) -> str:
        names = (self.told(name.replace("`", "")).removeprefix("d.") for name in group.get(key) or ())
        return " ".join(sorted(names)) or "nobody"

    def _of_lock(self, lock: Mapping[str, Any]) -> str:
        back = {real: name for name, real in self.by_name.items()}
        there, missing = [sorted(back[one] for one in lock.get(key) or ()) for key in ("synced", "unsynced")]
        all_of_them = " ".join(sorted({*there, *missing}))
        return _comparable(f"lock of {back[lock['owner']]}: {' '.join(there)} of {all_of_them}, {lock['stage']}")


def _comparable(fact: str) -> str:
    """Without what only the model says; whom a lock is for is shown while it waits."""
    lock = _LOCK.fullmatch(fact)
    if lock:
        return f"lock of {lock[1]}, {lock[2]}"
    return "" if " says " in fact else fact


def comparable_ddl(sql: str) -> str:
    """Without what servers imply of character sets, which the structures show; MariaDB's JSON is a text."""
    return " ".join(_COLLATION.sub("", sql).replace(" JSON", " longtext").split())


def value_of(kind: str, number: int) -> Any:
    """One that fits a column's type and, where it can, is told from others."""
    word = kind.split("(")[0].split()[0].lower()
    if word in ("enum", "set"):
        return kind.split("'")[1]
    if word in ("json", "longtext"):
        return json.dumps({"n": number})
    if word in ("varchar", "char", "text"):
        return f"v{number}"
    return number
