"""The settings that a shard's DDL depends on: two shards that had it under others did not have the same DDL.  No I/O.

A setting that the statement does not depend on is left out.  So is one that its server did not ask for: rows that
were none, or had no such values, come out the same under any.  Who executes the DDL knows the most of them.

===========================  ==========================================================================================
``time_zone``                local times become TIMESTAMPs, or the other way round, or new rows get the local time
``expressions``              modes that change what operators and texts of an expression mean
``zeros``                    whether rows with a 0 get numbers from a column that begins to count
``padded``                   whether a CHAR's blanks count where it becomes something else
``fractions``                digits of seconds that a column does not take: cut, or rounded
``cut``                      what does not fit is cut (else it was an error), dates by these modes
``character_set_connection`` of a CAST to CHAR
``lc_time_names``            and ``default_week_format``, ``div_precision_increment``: what functions and ``/`` look at
===========================  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from dm_worker.syncer.ddl_session import DATES, StatementSession, asks_for_moments
from pkg.binlog.charset import charset_of
from pkg.schema.alter import AddColumn, AddIndex, ChangeColumn, ConvertCharset
from pkg.schema.columns import ColumnSpec
from pkg.schema.counters import begun_counters
from pkg.schema.fractions import TIMES, may_have_fraction
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token, tokenize
from pkg.schema.local_times import asks_for_now
from pkg.schema.mode_types import specs_of
from pkg.schema.statement import Ddl
from pkg.schema.table import Column, Table

_MOMENTS = frozenset({"UNIX_TIMESTAMP", "FROM_UNIXTIME"})
_DAYS_AND_TIMES = TIMES | {"date"}


def depended_on(
    ddl: Ddl, session: StatementSession, before: Table, after: Table, zone: str
) -> Iterator[tuple[str, str]]:
    """Names and values of what the statement depended on; ``zone``: that of its session, "" where it asked for none."""
    tokens = [token for token in tokenize(ddl.text) if token.kind not in (Kind.STRING, Kind.END)]
    if zone and looks_at_zone(ddl, before):
        yield "time_zone", zone
    if _has_expression(tokens):
        yield "expressions", ",".join(sorted(_modes_of_expressions(session, tokens, before)))
    if list(begun_counters(ddl, before)):
        yield "zeros", "counted" if session.counts_zeros else "kept"
    if _reads_chars(ddl, before, tokens):
        yield "padded", "yes" if "PAD_CHAR_TO_FULL_LENGTH" in session.modes else "no"
    if any(_loses_fraction(one, before, after) for one in ddl.alterations):
        yield "fractions", "cut" if session.cuts_fractions else "rounded"
    if not session.is_strict and any(
        isinstance(one, ChangeColumn | ConvertCharset | AddIndex) for one in ddl.alterations
    ):
        makes_dates = any(spec.type.base in _DAYS_AND_TIMES for spec in _changed(ddl))
        yield "cut", ",".join(sorted(session.modes & DATES)) if makes_dates else ""
    if session.casts:
        number = session.status.connection_collation
        yield "character_set_connection", "utf8mb4" if number is None else charset_of(number)
    if session.needs_locale:
        yield "lc_time_names", str(session.status.locale)
    variables = dict(session.expressions)
    for word, name in (("WEEK(", "default_week_format"), ("/", "div_precision_increment")):
        if word in session.words and name in variables:
            yield name, variables[name]


def looks_at_zone(ddl: Ddl, before: Table | None) -> bool:
    """Whether values of rows, or defaults, depend on the time zone; ``before``: the table that it alters."""
    if asks_for_moments(ddl, before):
        return True
    added = [one.column for one in ddl.alterations if isinstance(one, AddColumn)]
    if any(spec.type.base != "timestamp" and asks_for_now(spec.default or "") for spec in added):
        return True
    if not any(_is_calculated(spec) for spec in specs_of(ddl)):
        return False
    moments = {small(one.name) for one in (before.columns if before else ()) if one.base_type == "timestamp"}
    return any(token.key in _MOMENTS or small(token.value) in moments for token in tokenize(ddl.text))


def _is_calculated(spec: ColumnSpec) -> bool:
    return bool(spec.generated) or (spec.default or "").startswith("(")


def _changed(ddl: Ddl) -> list[ColumnSpec]:
    return [one.column for one in ddl.alterations if isinstance(one, ChangeColumn)]


def _has_expression(tokens: list[Token]) -> bool:
    """Of a generated column, a default, a CHECK, or a key over an expression."""
    keys = [token.key for token in tokens]
    pairs = set(pairwise(keys))
    return bool({"AS", "CHECK"} & set(keys)) or bool({("DEFAULT", "("), ("(", "(")} & pairs)


def _modes_of_expressions(session: StatementSession, tokens: list[Token], before: Table) -> Iterator[str]:
    keys = [token.key for token in tokens]
    modes = session.modes
    if "||" in keys and "PIPES_AS_CONCAT" in modes:
        yield "PIPES_AS_CONCAT"
    if "HIGH_NOT_PRECEDENCE" in modes and any(one == "NOT" and two != "NULL" for one, two in pairwise(keys)):
        yield "HIGH_NOT_PRECEDENCE"
    if "-" in keys and "NO_UNSIGNED_SUBTRACTION" in modes and any(column.unsigned for column in before.columns):
        yield "NO_UNSIGNED_SUBTRACTION"
    yield from session.own_modes


def _reads_chars(ddl: Ddl, before: Table, tokens: list[Token]) -> bool:
    """Whether a CHAR becomes something else, or is read by an expression."""
    chars = {small(column.name) for column in before.columns if column.base_type == "char"}
    changed = [one for one in ddl.alterations if isinstance(one, ChangeColumn) and small(one.old) in chars]
    if any(one.column.type.base != "char" for one in changed):
        return True
    return _has_expression(tokens) and any(token.is_name and small(token.value) in chars for token in tokens)


def _loses_fraction(one: object, before: Table, after: Table) -> bool:
    """Whether values may have more digits of a second than the clause's column takes."""
    if not isinstance(one, AddColumn | ChangeColumn):
        return False
    column = after.column(one.column.name)
    if column is None or column.base_type not in _DAYS_AND_TIMES:
        return False
    if isinstance(one, ChangeColumn) and _is_shortened(before.column(one.old), column):
        return True
    said = column.expression if column.generated else one.column.default or ""
    return bool(said) and may_have_fraction(said, column, after)


def _is_shortened(old: Column | None, new: Column) -> bool:
    if old is None or old.base_type in _DAYS_AND_TIMES | {"year"}:
        return old is None or old.fsp > new.fsp or (new.base_type == "date" and old.base_type != "date")
    return not old.base_type.endswith("int")
