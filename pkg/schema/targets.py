"""What a server does not take from another server's DDL, as tables."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_MARIADB_OPTIONS = frozenset(
    {"PAGE_CHECKSUM", "TRANSACTIONAL", "PAGE_COMPRESSED", "PAGE_COMPRESSION_LEVEL", "ENCRYPTED", "ENCRYPTION_KEY_ID",
     "IETF_QUOTES", "SEQUENCE", "TABLE_CHECKSUM", "WITH"}
)  # fmt: skip
_MYSQL_OPTIONS = frozenset(
    {"ENCRYPTION", "COMPRESSION", "ENGINE_ATTRIBUTE", "SECONDARY_ENGINE", "SECONDARY_ENGINE_ATTRIBUTE",
     "AUTOEXTEND_SIZE", "READ"}
)  # fmt: skip
# Places on the upstream's host, other tables of MERGE and FEDERATED, and the mark of CREATE TABLE … SELECT.
_NOWHERE = frozenset(
    {"DATA", "INDEX", "TABLESPACE", "STORAGE", "UNION", "INSERT_METHOD", "CONNECTION", "PASSWORD", "START"}
)
_MARIADB_COLUMN = frozenset({"COMPRESSED", "WITH", "WITHOUT"})
_MYSQL_COLUMN = frozenset({"SRID", "ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE", "COLUMN_FORMAT", "STORAGE"})
_HELPERS = frozenset({"WAIT", "NOWAIT", "ONLINE"})


@dataclass(frozen=True, slots=True)
class TargetRules:
    """One flavour as a target."""

    flavor: str
    options: Collection[str]  # table and database options that it does not take
    attributes: Collection[str]  # column attributes
    key_kinds: Collection[str] = ()
    key_visibility: Collection[str] = ()
    clauses: Collection[str] = ()  # of ALTER TABLE
    types: tuple[tuple[str, str], ...] = ()  # type → what is written for it


_FOREIGN_TYPES = (
    ("uuid", "char(36) CHARACTER SET ascii COLLATE ascii_bin"),
    ("inet6", "varchar(39) CHARACTER SET ascii COLLATE ascii_bin"),
    ("inet4", "varchar(15) CHARACTER SET ascii COLLATE ascii_bin"),
)
_RULES = {
    "tidb": TargetRules(
        "tidb",
        options=_MARIADB_OPTIONS | _MYSQL_OPTIONS | _NOWHERE,
        attributes=_MARIADB_COLUMN | _MYSQL_COLUMN | {"INVISIBLE", "VISIBLE", "REF_SYSTEM_ID"},
        key_kinds=("FULLTEXT", "SPATIAL", "VECTOR"),
        key_visibility=("IGNORED", "NOT"),
        clauses=_HELPERS | {"FORCE", "ALGORITHM", "LOCK", "WITH", "WITHOUT"},
        types=(*_FOREIGN_TYPES, ("vector", "vector")),  # MySQL's length is the largest, TiDB's the only one
    ),
    "mysql": TargetRules(
        "mysql",
        options=_MARIADB_OPTIONS | _NOWHERE | {"ENCRYPTION"},
        attributes=_MARIADB_COLUMN | {"REF_SYSTEM_ID"},
        key_visibility=("IGNORED", "NOT"),
        clauses=_HELPERS,
        types=_FOREIGN_TYPES,
    ),
    "mariadb": TargetRules(
        "mariadb",
        options=_MYSQL_OPTIONS | _NOWHERE,
        attributes=_MYSQL_COLUMN | {"VISIBLE"},
        key_visibility=("INVISIBLE", "VISIBLE"),
        clauses=("ALTER",),  # ALTER INDEX … INVISIBLE, ALTER CHECK … NOT ENFORCED
        types=(("geomcollection", "geometrycollection"),),
    ),
}


def rules_for(flavor: str) -> TargetRules:
    return _RULES[flavor]


_TIDB_DEFAULTS = re.compile(r"\(*(uuid|rand|curdate|current_date|json_array|json_object)(\(\))?\)*", re.IGNORECASE)
_SEQUENCE = re.compile(r"\(*(nextval|lastval|setval)\b", re.IGNORECASE)
_DATE = re.compile(r"\(*(curdate|current_date)(\(\))?\)*", re.IGNORECASE)
_LITERAL = re.compile(r"(_\w+\s*)?[xb]?'.*'|0[xb]\w+|NULL|current_timestamp\(\d*\)", re.IGNORECASE | re.DOTALL)
_WITHOUT_LITERALS = frozenset({"json", "geometry", "point", "polygon", "linestring", "geomcollection", "vector"})


def is_literal(default: str) -> bool:
    """Whether a default, as columns keep it, is a constant or the present moment."""
    return _LITERAL.fullmatch(default) is not None


def default_for(target: str, base_type: str, default: str, written: str) -> str | None:
    """What to write after DEFAULT on ``target``; None: it takes no such default for this type."""
    literal = is_literal(default)
    if target == "mariadb" or default == "NULL":
        return written
    bulky = base_type.endswith(("text", "blob")) or base_type in _WITHOUT_LITERALS
    if target == "mysql":
        if _SEQUENCE.match(default):
            return None  # it has none
        return written if written.startswith("(") or (literal and not bulky) else f"({written})"
    if literal:
        return None if bulky else written
    allowed = _TIDB_DEFAULTS.fullmatch(default) is not None and not base_type.endswith(("text", "blob"))
    return written if allowed else None


def filled_by_tidb(base_type: str, default: str) -> bool:
    """Whether ADD COLUMN with this default gives the rows that TiDB has already its value."""
    if default_for("tidb", base_type, default, default) is None:
        return False
    return is_literal(default) or _DATE.fullmatch(default) is not None
