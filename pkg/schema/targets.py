"""What a server does not take from another server's DDL, as tables."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from pkg.schema.column_types import BINARY_TYPES, GEOMETRY_TYPES, INTEGER_TYPES, LABEL_TYPES, TEXT_TYPES, is_bulky
from pkg.schema.defaults import is_no_text, without_introducer

_OPTIONS = frozenset({"ENGINE", "TYPE", "AUTO_INCREMENT", "COMMENT", "ROW_FORMAT"})
_INNODB_OPTIONS = _OPTIONS | {
    "AVG_ROW_LENGTH", "CHECKSUM", "DELAY_KEY_WRITE", "KEY_BLOCK_SIZE", "MAX_ROWS", "MIN_ROWS", "PACK_KEYS",
    "STATS_AUTO_RECALC", "STATS_PERSISTENT", "STATS_SAMPLE_PAGES",
}  # fmt: skip
_MARIADB_OPTIONS = _INNODB_OPTIONS | {
    "ENCRYPTED", "ENCRYPTION_KEY_ID", "PAGE_CHECKSUM", "PAGE_COMPRESSED", "PAGE_COMPRESSION_LEVEL", "SEQUENCE",
    "TABLE_CHECKSUM", "TRANSACTIONAL", "WITH",
}  # fmt: skip
_MYSQL_OPTIONS = _INNODB_OPTIONS | {
    "AUTOEXTEND_SIZE", "COMPRESSION", "ENGINE_ATTRIBUTE", "SECONDARY_ENGINE", "SECONDARY_ENGINE_ATTRIBUTE",
}  # fmt: skip
_MARIADB_COLUMN = frozenset({"COMPRESSED", "WITH", "WITHOUT"})
_MYSQL_COLUMN = frozenset({"SRID", "ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE", "COLUMN_FORMAT", "STORAGE"})
_HELPERS = frozenset({"WAIT", "NOWAIT", "ONLINE"})


@dataclass(frozen=True, slots=True)
class TargetRules:
    """One flavour as a target."""

    flavor: str
    options: Collection[str]  # table options that it takes and that mean something there
    attributes: Collection[str]  # column attributes
    key_kinds: Collection[str] = ()
    key_visibility: Collection[str] = ()
    clauses: Collection[str] = ()  # of ALTER TABLE
    types: tuple[tuple[str, str], ...] = ()  # type → what is written for it


_FOREIGN_TYPES = {"uuid": "char(36)", "inet6": "varchar(39)", "inet4": "varchar(15)"}


def _foreign_types(collation: str) -> tuple[tuple[str, str], ...]:
    charset = collation.partition("_")[0]
    return tuple((one, f"{text} CHARACTER SET {charset} COLLATE {collation}") for one, text in _FOREIGN_TYPES.items())


_ZEROS_OF_MARIADB = {"uuid": "'00000000-0000-0000-0000-000000000000'", "inet6": "'::'", "inet4": "'0.0.0.0'"}
_RULES = {
    "tidb": TargetRules(
        "tidb",
        options=_OPTIONS,  # it parses more in CREATE, without effect, and refuses these in ALTER
        attributes=_MARIADB_COLUMN | _MYSQL_COLUMN | {"INVISIBLE", "VISIBLE", "REF_SYSTEM_ID"},
        key_kinds=("FULLTEXT", "SPATIAL", "VECTOR"),
        key_visibility=("IGNORED", "NOT"),
        clauses=_HELPERS | {"FORCE", "ALGORITHM", "LOCK", "WITH", "WITHOUT"},
        # TiDB takes a text in ascii to no other set.  MySQL's VECTOR has the largest length, TiDB's the only one.
        types=(*_foreign_types("utf8mb4_bin"), ("vector", "vector")),
    ),
    "mysql": TargetRules(
        "mysql",
        options=_MYSQL_OPTIONS,
        attributes=_MARIADB_COLUMN | {"REF_SYSTEM_ID"},
        key_visibility=("IGNORED", "NOT"),
        clauses=_HELPERS,
        types=_foreign_types("ascii_bin"),
    ),
    "mariadb": TargetRules(
        "mariadb",
        options=_MARIADB_OPTIONS,
        attributes=_MYSQL_COLUMN | {"VISIBLE"},
        key_visibility=("INVISIBLE", "VISIBLE", "WITH"),  # its parsers are other ones
        clauses=("ALTER",),  # INDEX … INVISIBLE; CHECK … NOT ENFORCED, which checks_there.py has made what it is
        types=(("geomcollection", "geometrycollection"),),
    ),
}


def implicit_value(target: str, base_type: str) -> str:
    """What a NOT NULL column without a default holds in rows that are there, where the target's type says another.

    "" where the target's type, which may stand for the upstream's, says the same.
    """
    if target == "mariadb":
        return "'null'" if base_type == "json" else ""
    return _ZEROS_OF_MARIADB.get(base_type, "") if target else ""


def rules_for(flavor: str) -> TargetRules:
    return _RULES[flavor]


_TIDB_DEFAULTS = re.compile(
    r"\(*(uuid|rand|curdate|current_date|json_array|json_object)(\(\))?\)*", re.ASCII | re.IGNORECASE
)
_SEQUENCE = re.compile(r"\b(nextval|lastval|setval)\s*\(|\b(next|previous)\s+value\s+for\b", re.ASCII | re.IGNORECASE)
_TYPES_OF_DAYS = ("date", "datetime", "char", "varchar")  # for which TiDB takes it
_DATE = re.compile(r"\(*(curdate|current_date)(\(\))?\)*", re.ASCII | re.IGNORECASE)
_LITERAL = re.compile(
    r"(_\w+\s*)?([xb]?'.*'|0[xb]\w+)|NULL|current_timestamp\(\d*\)", re.ASCII | re.IGNORECASE | re.DOTALL
)
_TYPED = re.compile(r"(DATE|TIME|TIMESTAMP)\s*('[^'.\\]*')", re.ASCII | re.IGNORECASE)
_TYPES_OF_LITERALS = {
    "DATE": ("date", "datetime", "timestamp"),
    "TIME": ("time",),
    "TIMESTAMP": ("datetime", "timestamp"),
}
_WRAPPED = re.compile(r"\(\s*('(?:[^'\\]|''|\\.)*')\s*\)", re.ASCII | re.DOTALL)
_NUMBER = re.compile(r"\(\s*([+-]?\d+(?:\.\d+)?)\s*\)", re.ASCII)
_WHOLE = re.compile(r"0|-?[1-9]\d*", re.ASCII)
_NUMBERS = INTEGER_TYPES | {"decimal", "float", "double"}
_WITHOUT_LITERALS = GEOMETRY_TYPES | {"json", "vector"}


def takes_moment(base_type: str) -> bool:
    """Whether CURRENT_TIMESTAMP needs no parentheses as the type's default."""
    return base_type in ("datetime", "timestamp")


def is_literal(default: str) -> bool:
    """Whether a default, as columns keep it, is a constant or the present moment."""
    return _LITERAL.fullmatch(default) is not None


def is_now(default: str) -> bool:
    """Whether a default, as columns keep it, is the present moment."""
    return default.startswith("current_timestamp")


def precision(default: str) -> int:
    """The digits of the present moment."""
    digits = default.removeprefix("current_timestamp").strip("() ")
    return int(digits) if digits.isdecimal() else 0


def is_constant(default: str) -> bool:
    return is_literal(default) and not is_now(default)


def uses_sequence(default: str) -> bool:
    return _SEQUENCE.search(default) is not None


def _plain(target: str, base_type: str, default: str) -> str:
    """A default that is a literal in other words (DATE'2024-01-02'; ('y') and (33) in TiDB) as that literal."""
    typed, wrapped = _TYPED.fullmatch(default), _WRAPPED.fullmatch(default)
    if typed is not None and base_type in _TYPES_OF_LITERALS[typed[1].upper()]:
        return typed[2]
    if target != "tidb":
        return default
    if wrapped is not None:
        return wrapped[1]
    number = _NUMBER.fullmatch(default)
    return default if number is None else _literal_of(number[1], base_type) or default


def _literal_of(number: str, base_type: str) -> str:
    """The literal by which a column of this type has a number as its default; "" where that is not known."""
    is_whole = _WHOLE.fullmatch(number) is not None
    if base_type == "bit":
        return f"b'{int(number):b}'" if is_whole and int(number) >= 0 else ""
    if base_type in TEXT_TYPES and base_type not in LABEL_TYPES:
        return f"'{number}'" * is_whole
    is_year = base_type == "year" and len(number) == 4 and is_whole
    return f"'{number}'" if base_type in _NUMBERS or is_year else ""


def default_for(target: str, base_type: str, default: str, written: str) -> str | None:
    """What to write after DEFAULT on ``target``; None: it takes no such default for this type."""
    if target == "mariadb" or default == "NULL":
        return written
    plain = _plain(target, base_type, default)
    if plain != default:
        default = written = plain
    literal = is_literal(default)
    bulky = is_bulky(base_type) or base_type in _WITHOUT_LITERALS
    if target == "mysql":
        if uses_sequence(default):
            return None  # it has none
        return written if written.startswith("(") or (literal and not bulky) else f"({written})"
    if literal:
        if base_type in BINARY_TYPES and is_no_text(default):
            return None  # it would be U+FFFD
        if base_type in TEXT_TYPES and default.startswith("_"):  # it has few sets, and takes digits for UTF-8
            written = without_introducer(default)
        return None if bulky else written
    allowed = _TIDB_DEFAULTS.fullmatch(default) is not None and not is_bulky(base_type)
    return written if allowed and (not is_day(default) or base_type in _TYPES_OF_DAYS) else None


def is_day(default: str) -> bool:
    """Whether a default is the present day alone."""
    return _DATE.fullmatch(default) is not None


def filled_by_tidb(base_type: str, default: str) -> bool:
    """Whether ADD COLUMN with this default gives the rows that TiDB has already its value.

    For the present day they have that of each reader, until they are written.
    """
    if default_for("tidb", base_type, default, default) is None:
        return False
    if is_now(default):
        return takes_moment(base_type)
    return is_literal(_plain("tidb", base_type, default))
