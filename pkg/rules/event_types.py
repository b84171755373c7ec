"""The words of a binlog event filter: types of events, and groups of them.

Each change has one type by which the groups know it, and may have further ones that match only where a
rule names them: ``ADD COLUMN`` is an ``alter table`` that ``add column`` finds as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Group(Enum):
    DML = "dml"
    DDL = "ddl"
    INCOMPATIBLE = "incompatible ddl"  # may lose data downstream


ROW_KINDS = ("insert", "update", "delete")
ALTER_TABLE = "alter table"
INCOMPATIBLE_WORD = "incompatible ddl changes"
_DDL_TYPES = (
    "create database", "alter database", "create table", "create index", "create view", "drop view", ALTER_TABLE,
    "add table partition",
)  # fmt: skip
_INCOMPATIBLE_TYPES = (
    "drop database", "drop table", "drop index", "rename table", "truncate table",
    "value range decrease", "precision decrease", "modify column", "rename column", "rename index", "drop column",
    "drop primary key", "drop unique key", "modify default value", "modify constraint", "modify columns order",
    "modify charset", "modify collation", "remove auto increment", "modify storage engine",
    "drop table partition", "truncate table partition", "reorganize table partition", "rebuild table partition",
    "coalesce table partition", "split table partition", "exchange table partition",
    "add foreign key", "drop foreign key",
    "modify schema charset and collate", "modify table charset and collate", "modify table comment", "recover table",
    "alter table partitioning", "remove table partitioning", "add column", "set default value", "rebase auto id",
    "add primary key", "alter index visibility", "alter ttl info", "alter ttl remove", "multi schema change",
)  # fmt: skip
GROUP_OF = {
    **dict.fromkeys(ROW_KINDS, Group.DML),
    **dict.fromkeys(_DDL_TYPES, Group.DDL),
    **dict.fromkeys(_INCOMPATIBLE_TYPES, Group.INCOMPATIBLE),
}
_ALIASES = {
    "create schema": "create database",
    "alter schema": "alter database",
    "drop schema": "drop database",
}
_SAYS = {  # a word for groups: which ones it speaks of, and what it says of them
    "all": (frozenset(Group), True),
    "none": (frozenset(Group), False),
    "all ddl": (frozenset({Group.DDL, Group.INCOMPATIBLE}), True),
    "none ddl": (frozenset({Group.DDL, Group.INCOMPATIBLE}), False),
    "all dml": (frozenset({Group.DML}), True),
    "none dml": (frozenset({Group.DML}), False),
    INCOMPATIBLE_WORD: (frozenset({Group.INCOMPATIBLE}), True),
}
GROUP_WORDS = frozenset(_SAYS)
EVENT_WORDS = frozenset(GROUP_OF) | frozenset(_ALIASES) | GROUP_WORDS
NEVER_SEEN = frozenset(
    {"create view", "drop view", "recover table", "alter ttl info", "alter ttl remove", "multi schema change",
     "split table partition"}
)  # fmt: skip
"""Words that DM takes and that no statement which is replicated from MySQL or MariaDB bears."""


FURTHER = {
    "add column": ALTER_TABLE, "add table partition": ALTER_TABLE, "alter table partitioning": ALTER_TABLE,
    "remove table partitioning": ALTER_TABLE, "drop foreign key": ALTER_TABLE, "alter index visibility": ALTER_TABLE,
    "modify table comment": ALTER_TABLE, "rebase auto id": ALTER_TABLE,
    "set default value": "modify default value",
    "add primary key": "modify constraint", "add foreign key": "modify constraint",
    "modify table charset and collate": "modify charset", "modify schema charset and collate": "alter database",
}  # fmt: skip
"""Words that count only where a rule names them, each with a type that such changes have for the groups."""


@dataclass(frozen=True, slots=True)
class EventType:
    """What a change is: ``name`` for the groups, ``also`` for rules that name it."""

    name: str
    also: frozenset[str] = frozenset()

    @property
    def group(self) -> Group:
        return GROUP_OF[self.name]

    def __str__(self) -> str:
        return self.name


def canonical(word: str) -> str:
    """The word as rules compare it; ValueError when there is none such."""
    folded = word.lower()
    if folded not in EVENT_WORDS:
        raise ValueError(f"{word!r} is not a type of event")
    return _ALIASES.get(folded, folded)


def names_it(words: Sequence[str], event: EventType) -> bool:
    """Whether a rule's ``events``, read from left to right, mean ``event``."""
    group = event.group
    for word in words:
        if word in _SAYS:
            groups, says = _SAYS[word]
            if group in groups:
                return says
        elif word == event.name or word in event.also:
            return True
    return False
