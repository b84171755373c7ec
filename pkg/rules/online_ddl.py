"""Online DDL by gh-ost and pt-online-schema-change: which table is a tool's own, and what a rename of it means.

Both copy a *real* table into a *shadow* table, alter that one, and let it take the real one's place by a
RENAME; what is left, and gh-ost's change log, are *trash*.  Names are told apart by anchored regular
expressions with one group, the real table's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from pkg.errors import ErrorKind, Level, Scope
from pkg.rules.pattern import BAD_PATTERN
from pkg.schema.statement import TableName

RENAMED_TO_GHOST = ErrorKind(
    36044,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{old} is renamed to {new} at {place}, the name of a shadow table, or of another table's trash, of gh-ost or "
    "pt-online-schema-change",
    workaround="`dmctl binlog skip <task>` passes over it: the rows of {new} are left out then; if {new} is a table of "
    "yours, set online-ddl: false or change shadow-table-rules and trash-table-rules (stop-task, start-task)",
)
GHOST_RENAMED = ErrorKind(
    36045,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{old}, a table of gh-ost or pt-online-schema-change, is renamed to {new} at {place}, whose place it does not take",
    workaround="`dmctl binlog skip <task>` passes over it, `dmctl binlog replace <task> <sql>` runs what shall happen "
    "downstream; rows of {old} were not migrated: where {new} needs them, copy it anew (start-task --remove-meta)",
)
UNRECORDED = ErrorKind(
    36046,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{old} takes the place of {new} at {place}, and the DDL that made it differ is not known: it was created before "
    "the task began, or got its name by a statement that was passed over",
    workaround='`dmctl binlog replace <task> "ALTER TABLE …"` runs the change that was made, on {new}; '
    "`dmctl binlog skip <task>` none, where the target has it already",
)
MOVED_AWAY = ErrorKind(
    36286,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{real} becomes {trash} at {place}, the name of what gh-ost or pt-online-schema-change leave behind, and no shadow "
    "table that would take its place is followed: the target would keep the table and its rows",
    workaround='if it is a table of yours, `dmctl binlog replace <task> "RENAME TABLE {real} TO {trash}"` renames the '
    "target's, too, where its rows are left out from then on, as upstream's are (or DROP TABLE {real}); where such a "
    "tool renames a shadow table that was there before the task began, `dmctl binlog skip <task>`. Tables of your own "
    "that have such names need online-ddl: false, or other trash-table-rules (stop-task, start-task)",
)
DROPPED_BEFORE = ErrorKind(
    36047,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{real} is dropped at {place} while {shadow} is there, which is made to take its place",
    workaround="if pt-online-schema-change does it (--alter-foreign-keys-method drop_swap) `dmctl binlog skip <task>`: "
    'its RENAME brings the change; if the table is to be dropped, `dmctl binlog replace <task> "DROP TABLE …"`',
)
TRASH_BACK = ErrorKind(
    36244,
    "sync-unit",
    Scope.UPSTREAM,
    Level.HIGH,
    "{old}, which gh-ost or pt-online-schema-change left behind, becomes {new} at {place}: its structure and rows are "
    "not in the target, which has those of the table before it",
    workaround="give the target's table the structure and the rows that {new} had upstream right behind this statement "
    "(or those of now, and set safe-mode: true until the task is in step), then `dmctl binlog skip <task>`; or copy it "
    "anew (start-task --remove-meta). Where it was only renamed away and back, and nobody wrote to it meanwhile: "
    "`dmctl binlog skip <task>`",
)
RULE_MISTAKE = ErrorKind(
    20050,
    "config",
    Scope.UPSTREAM,
    Level.HIGH,
    "at {place} {odd} is renamed beside a table of gh-ost or pt-online-schema-change, as if for the other half of the "
    "exchange of {real}, but its name matches none of {rules}",
    workaround="correct {rules} in the task file (stop-task, start-task); or `dmctl binlog replace <task> <sql>` runs "
    "what shall happen downstream",
)


_TIME = re.compile(r"_\d{14}\Z")
_LONGEST = 64  # of a table's name


class TableRole(Enum):
    REAL = "real"
    SHADOW = "shadow"
    TRASH = "trash"


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns that recognise the tools' tables."""

    shadow: tuple[str, ...]
    trash: tuple[str, ...]


class OnlineTables:
    """Compiled once per task."""

    def __init__(self, rules: Rules) -> None:
        """Raises BAD_PATTERN."""
        self._rules = [
            *((TableRole.SHADOW, compile_rule(text)) for text in rules.shadow),
            *((TableRole.TRASH, compile_rule(text)) for text in rules.trash),
        ]

    def classify(self, name: TableName) -> tuple[TableRole, TableName]:
        """What a table is, and the real table that it belongs to."""
        for role, rule in self._rules:
            found = rule.fullmatch(name.table)
            if found is not None and found[1]:
                return role, TableName(name.schema, found[1])
        return TableRole.REAL, name

    def is_ghost(self, table: str) -> bool:
        """Whether a table is a tool's own."""
        return self.classify(TableName("", table))[0] is not TableRole.REAL

    def belongs(self, ghost: TableName, real: TableName) -> bool:
        """Whether a ghost's name is made of the real one's.

        pt puts more `_` before a name that is there already; gh-ost cuts a name that gets too long, and puts the
        time into the trash's with --timestamp-old-table.
        """
        of, name = (_TIME.sub("", self.classify(ghost)[1].table).lstrip("_"), real.table.lstrip("_"))
        is_same = of == name or (len(ghost.table.encode()) >= _LONGEST and name.startswith(of))
        return ghost.schema == real.schema and is_same


def compile_rule(text: str) -> re.Pattern[str]:
    """Raises BAD_PATTERN unless ``text`` is an anchored expression with exactly one group."""
    try:
        rule = re.compile(text)
    except re.error as exc:
        raise BAD_PATTERN.error(pattern=text, reason=str(exc)) from exc
    if not (text.startswith("^") and text.endswith("$")):
        raise BAD_PATTERN.error(pattern=text, reason="it must begin with `^` and end with `$`")
    if rule.groups != 1:
        raise BAD_PATTERN.error(
            pattern=text, reason=f"it has {rule.groups} groups `(…)`; the real table's name is the one that it needs"
        )
    return rule


@dataclass(frozen=True, slots=True)
class Exchange:
    """A shadow table takes the place of a real one."""

    shadow: TableName
    real: TableName


@dataclass(frozen=True, slots=True)
class Renaming:
    """What a statement's renames mean to online DDL."""

    exchanges: tuple[Exchange, ...] = ()
    moved_away: Mapping[TableName, TableName] = field(default_factory=dict)  # real → trash, without an exchange
    moved_back: Mapping[TableName, TableName] = field(default_factory=dict)  # real tables that come back from trash


def read_renames(tables: OnlineTables, renames: Sequence[tuple[TableName, TableName]], place: str) -> Renaming:
    """What the (old, new) names of one statement mean.  Raises the errors above."""
    exchanges: list[Exchange] = []
    moved: dict[TableName, TableName] = {}
    back: dict[TableName, TableName] = {}
    for old, new in renames:
        match tables.classify(old)[0], tables.classify(new)[0]:
            case TableRole.SHADOW, TableRole.REAL if tables.belongs(old, new):
                exchanges.append(Exchange(old, new))
            case TableRole.SHADOW | TableRole.TRASH, TableRole.TRASH:
                pass  # a shadow that is given up
            case TableRole.TRASH, TableRole.REAL if tables.belongs(old, new):
                back[new] = old
            case TableRole.REAL, TableRole.TRASH if tables.belongs(new, old):
                moved[old] = new
            case TableRole.REAL, TableRole.REAL:
                pass
            case TableRole.REAL, _:
                raise RENAMED_TO_GHOST.error(old=old.quoted(), new=new.quoted(), place=place)
            case _:
                raise GHOST_RENAMED.error(old=old.quoted(), new=new.quoted(), place=place)
    _check_halves(tables, renames, exchanges, moved, back, place)
    for exchange in exchanges:
        moved.pop(exchange.real, None)
    return Renaming(tuple(exchanges), moved, back)


def _check_halves(
    tables: OnlineTables,
    renames: Iterable[tuple[TableName, TableName]],
    exchanges: Sequence[Exchange],
    moved: Mapping[TableName, TableName],
    back: Mapping[TableName, TableName],
    place: str,
) -> None:
    """One half of an exchange that the rules recognise and another that they do not is a mistake in the rules."""
    taken = {exchange.real for exchange in exchanges}
    for old, new in renames:
        if tables.classify(old)[0] is not TableRole.REAL or tables.classify(new)[0] is not TableRole.REAL:
            continue
        if old in taken or old in back:
            raise RULE_MISTAKE.error(odd=new.quoted(), real=old.quoted(), place=place, rules="trash-table-rules")
        if new in moved:
            raise RULE_MISTAKE.error(odd=old.quoted(), real=new.quoted(), place=place, rules="shadow-table-rules")
