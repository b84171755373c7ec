"""The engine that a statement names, and the one that its table gets.

A server that lacks an engine gives a new table its default one, and leaves a table that is there what it has, unless
sql_mode has NO_ENGINE_SUBSTITUTION.  MariaDB's enforce_storage_engine takes the place of whatever is named, in sessions
without that mode.  It decides about foreign keys, and whether there are rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from pkg.schema.alter import DropConstraint, DropForeignKey, SetOptions
from pkg.schema.ddl import parse_ddl
from pkg.schema.references import says_foreign_keys
from pkg.schema.statement import Ddl, edited
from pkg.schema.table import EMPTY_ENGINE, Table, has_foreign_keys, kind_of

NO_SUBSTITUTION = "NO_ENGINE_SUBSTITUTION"  # in whose sessions no engine takes another one's place
_NAMES = {"MERGE": "MRG_MYISAM", "HEAP": "MEMORY", "INNOBASE": "INNODB", "NDB": "NDBCLUSTER"}
_OPTIONS = ("ENGINE", "TYPE")


@dataclass(frozen=True, slots=True)
class Engines:
    """What an upstream tells of its engines.

    ``has``: whether it has the one that is named; ``enforced``: the one that all new tables get, "" for none;
    ``usual``: of tables that are made without a word on it.
    """

    has: bool
    enforced: str
    usual: str


def said_engine(ddl: Ddl) -> str:
    """In upper case, as servers list it; "" where none is named."""
    said = [one.options.engine for one in ddl.alterations if isinstance(one, SetOptions) and one.options.engine]
    engine = ddl.create.options.engine if ddl.create is not None else (said[-1] if said else "")
    return _NAMES.get(engine, engine)


def engine_matters(ddl: Ddl, before: Table | None) -> bool:
    """Whether what the statement does depends on the engine that it names; ``before``: its table until then."""
    engine = said_engine(ddl)
    if not engine:
        return False
    has_keys = says_foreign_keys(ddl) or (before is not None and bool(before.foreign_keys))
    return has_keys or engine == EMPTY_ENGINE or kind_of(engine) == "merge"


def made_engine(ddl: Ddl, before: Table | None, now: Table | None, engines: Engines) -> str | None:
    """The engine of the statement's table behind it; None where that cannot be said.

    ``before``: the table upstream until then; ``now``: as it is today, None where that is another one.
    """
    said = said_engine(ddl)
    drops_keys = any(isinstance(one, DropForeignKey | DropConstraint) for one in ddl.alterations)
    if before is not None and before.foreign_keys and not drops_keys and not has_foreign_keys(said):
        return before.engine or "INNODB"  # no server takes the foreign keys of a table away by its engine
    if engines.enforced:
        return engines.enforced
    if not engines.has:
        known = before if before is not None and before.engine else now
        return known.engine if known is not None and known.engine else engines.usual
    if ddl.create is None or now is None or not says_foreign_keys(ddl) or not now.engine:
        return said
    if has_foreign_keys(said) and not has_foreign_keys(now.engine):
        return None
    return now.engine if now.foreign_keys and not has_foreign_keys(said) else said


def with_engine(ddl: Ddl, engine: str, flavor: str) -> Ddl:
    """The statement with this engine in place of the one that it names."""
    named = [one.options for one in ddl.alterations if isinstance(one, SetOptions)]
    options = [ddl.create.options] if ddl.create is not None else named
    clauses = [clause for one in options for clause in one.clauses if clause.key in _OPTIONS]
    edits = [(clause.start, clause.end, f"ENGINE={engine}") for clause in clauses]
    return parse_ddl(edited(ddl.text, edits), default_schema=ddl.default_schema, flavor=flavor)
