"""IF [NOT] EXISTS of MariaDB's DDL in targets that do not know these words there: what they come to is known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from pkg.schema.alter import (
    AddColumn,
    AddForeignKey,
    AddIndex,
    Alteration,
    AlterClause,
    ChangeColumn,
    DropColumn,
    DropConstraint,
    DropIndex,
    PartitionChange,
)
from pkg.schema.ddl import parse_ddl
from pkg.schema.effective import effective
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, quote_name, tokenize
from pkg.schema.statement import Ddl, DdlKind, Edit, edited
from pkg.schema.table import Table
from pkg.schema.translate_elements import removed

_KINDS = frozenset({DdlKind.ALTER_TABLE, DdlKind.CREATE_INDEX, DdlKind.DROP_INDEX, DdlKind.RENAME_TABLE})
_WORDS = re.compile(r"\b(?:IF|REPLACE)\b", re.ASCII | re.IGNORECASE)
_IF = re.compile(r"\A\w+\s+PARTITION\s+IF\b", re.ASCII | re.IGNORECASE)
_ADDED_CHECK = re.compile(r"ADD\s+CONSTRAINT\s+IF\s+NOT\s+EXISTS\s+(`(?:[^`]|``)+`|[\w$]+)", re.ASCII | re.IGNORECASE)


def may_be_conditional(ddl: Ddl) -> bool:
    return ddl.kind in _KINDS and bool(_WORDS.search(ddl.text))


def without_conditions(ddl: Ddl, before: Table | None, shown: str, flavor: str) -> Ddl | None:
    """The statement for a target of this flavour; None where it has no effect.

    ``before``: the upstream's table before it, if it is known; ``shown``: the target's SHOW CREATE TABLE, or "".
    """
    places = list(_places(ddl.text))
    if not places:
        return ddl
    if _is_of_table(ddl, places[0]) and before is None and not shown:
        return None
    clauses = [one for one in ddl.clauses if not _takes_words(one, flavor)]
    has_effect = [one not in clauses or _has_effect(ddl, one, before, shown) for one in ddl.clauses]
    if ddl.clauses and not any(has_effect):
        return None
    heads = [(start, end) for start, end in places if _is_of_table(ddl, (start, end))]
    inside = [(s, e) for s, e in places for one in clauses if one.clause.start <= s and e <= one.clause.end]
    gone = [removed(ddl.clauses, has_effect, number) for number, stays in enumerate(has_effect) if not stays]
    words = [one for one in {*heads, *inside} if not any(start <= one[0] and one[1] <= end for start, end in gone)]
    edits: list[Edit] = [(start, end, "") for start, end in (*words, *gone)]
    edits += [edit for one in clauses for edit in _dropped_partitions(ddl, one, shown)]
    if not edits:
        return ddl
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor="mariadb")


def replaced_index(ddl: Ddl) -> tuple[str, Ddl] | None:
    """The key that CREATE OR REPLACE INDEX drops, and the statement without these words; None for another one."""
    tokens = tokenize(ddl.text)
    if ddl.kind is not DdlKind.CREATE_INDEX or tokens[1].key != "OR":
        return None
    plain = edited(ddl.text, [(tokens[1].start, tokens[2].end, "")])
    (one,) = ddl.alterations
    assert isinstance(one, AddIndex), "a CREATE INDEX does nothing else"
    return one.index.name, parse_ddl(plain, default_schema=ddl.default_schema, flavor="mariadb")


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Where IF EXISTS or IF NOT EXISTS stands outside of parentheses."""
    depth = 0
    tokens = [token for token in tokenize(text) if token.text]
    for number, (token, behind) in enumerate(pairwise(tokens)):
        depth += (token.key == "(") - (token.key == ")")
        if depth or token.kind is not Kind.WORD or token.key != "IF" or behind.kind is not Kind.WORD:
            continue
        last = number + 1 + (behind.key == "NOT")
        if last < len(tokens) and tokens[last].key == "EXISTS":
            yield token.start, tokens[last].end


def _is_of_table(ddl: Ddl, place: tuple[int, int]) -> bool:
    """Whether the words are about the table itself."""
    return ddl.kind in (DdlKind.ALTER_TABLE, DdlKind.RENAME_TABLE) and place[1] <= ddl.spans[0].start


def _takes_words(clause: AlterClause, flavor: str) -> bool:
    """Whether the target knows the words in such a clause."""
    return flavor == "tidb" and bool(clause.alterations) and all(_known_to_tidb(one) for one in clause.alterations)


def _known_to_tidb(one: Alteration) -> bool:
    match one:
        case AddIndex(index):
            return not index.unique
        case AddColumn() | ChangeColumn() | DropColumn() | DropIndex() | AddForeignKey():
            return True
    return False


def _has_effect(ddl: Ddl, clause: AlterClause, before: Table | None, shown: str) -> bool:
    text = ddl.text[clause.clause.start : clause.clause.end]
    match clause.alterations:
        case () if found := _ADDED_CHECK.match(text):
            return small(f"CONSTRAINT {quote_name(tokenize(found[1])[0].value)} ") not in small(shown)
        case (PartitionChange("ADD"),) if _IF.search(text):
            return not set(_partitions(text)) & set(_partitions(shown))
        case (PartitionChange("DROP"),) if _IF.search(text):
            return any(name in _partitions(shown) for _, name in _listed(text))
        case (DropConstraint(name, True),) if small(f"CONSTRAINT {quote_name(name)} ") in small(shown):
            return True
    return before is None or not clause.alterations or bool(effective(before, clause.alterations))


def _partitions(text: str) -> list[str]:
    """The names, in lower case, of the partitions that are defined in parentheses."""
    tokens = tokenize(text)
    places = range(1, len(tokens) - 1)
    return [
        small(tokens[number + 1].value)
        for number in places
        if tokens[number].key == "PARTITION" and tokens[number - 1].key in ("(", ",")
    ]


def _listed(text: str) -> list[tuple[str, str]]:
    """The partitions that DROP PARTITION IF EXISTS names: as they are written, and in lower case."""
    return [(quote_name(token.value), small(token.value)) for token in tokenize(text)[4:] if token.is_name]


def _dropped_partitions(ddl: Ddl, clause: AlterClause, shown: str) -> Iterator[Edit]:
    """Of those only the ones that are there."""
    start, end = clause.clause.start, clause.clause.end
    text = ddl.text[start:end]
    match clause.alterations:
        case (PartitionChange("DROP"),) if _IF.search(text):
            there = _partitions(shown)
            names = [name for name, folded in _listed(text) if folded in there]
            yield start + tokenize(text)[4].start, end, ", ".join(names)
