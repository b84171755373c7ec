"""Names without quotation marks that are words of the language to the target's server, and not to the upstream's.

Tried on MariaDB 10.11, MySQL 9.7 and TiDB 8.5 with each word of their languages as the name of a column.
"""

from __future__ import annotations

from pkg.schema.lexer import Kind, Token, quote_name, tokenize
from pkg.schema.statement import Edit, edited

_OF_MYSQL = frozenset(
    {"CUBE", "CUME_DIST", "DATABASE", "DENSE_RANK", "EMPTY", "EXTERNAL", "FIRST_VALUE", "FUNCTION", "GENERATED", "GET",
     "GROUPING", "GROUPS", "IO_AFTER_GTIDS", "IO_BEFORE_GTIDS", "JSON_TABLE", "LAG", "LAST_VALUE", "LATERAL", "LEAD",
     "LIBRARY", "NTH_VALUE", "NTILE", "OF", "OPTIMIZER_COSTS", "OPTION", "PERCENT_RANK", "QUALIFY", "RANK", "ROW",
     "SCHEMA", "STORED", "SYSTEM", "TABLESAMPLE", "VIRTUAL", "WINDOW"}
)  # fmt: skip
_RESERVED = {
    "mysql": _OF_MYSQL,
    "tidb": _OF_MYSQL | {"ARRAY", "CURRENT_ROLE", "ILIKE", "TIDB_CURRENT_TSO", "UNTIL"},
    "mariadb": frozenset(
        {"CURRENT_ROLE", "DELETE_DOMAIN_ID", "DO_DOMAIN_IDS", "IGNORE_DOMAIN_IDS", "MASTER_SSL_VERIFY_SERVER_CERT",
         "OFFSET", "PAGE_CHECKSUM", "PARSE_VCOL_EXPR", "PORTION", "REF_SYSTEM_ID", "RETURNING", "STATS_AUTO_RECALC",
         "STATS_PERSISTENT", "STATS_SAMPLE_PAGES"}
    ),
}  # fmt: skip
_OF_KEYS = frozenset({"KEY", "INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "CONSTRAINT"})
# Words behind which a name stands; so it does behind a sign.
_BEFORE_NAMES = _OF_KEYS | {
    "ADD", "AFTER", "ALTER", "AND", "BETWEEN", "CASE", "CHANGE", "COLUMN", "DIV", "DROP", "ELSE", "EXISTS", "IN",
    "LIKE", "MOD", "MODIFY", "NOT", "OR", "PARTITION", "PERIOD", "REGEXP", "RENAME", "RLIKE", "THEN", "TO", "WHEN",
    "XOR",
}  # fmt: skip
_CHANGES = frozenset({"CHANGE", "COLUMN", "EXISTS", "IF"})
_NO_NAMES = {"SYSTEM": "VERSIONING", "GENERATED": "ALWAYS"}  # a word, and the one behind it


def with_quoted_names(sql: str, flavor: str) -> str:
    """A CREATE TABLE, ALTER TABLE or CREATE INDEX for a server of this flavour, with such names in quotation marks."""
    reserved, tokens = _RESERVED.get(flavor, frozenset()), tokenize(sql)
    places = [number for number, token in enumerate(tokens) if token.kind is Kind.WORD and token.key in reserved]
    edits: list[Edit] = [
        (tokens[place].start, tokens[place].end, quote_name(tokens[place].text))
        for place in places
        if place and _is_name(tokens, place)
    ]
    return edited(sql, edits)


def _is_name(tokens: list[Token], place: int) -> bool:
    before, word, behind = tokens[place - 1], tokens[place], tokens[place + 1]
    if _NO_NAMES.get(word.key) == behind.key or before.key == "@":
        return False
    if behind.key == "(":
        return before.kind is Kind.WORD and before.key in _OF_KEYS
    if before.kind is Kind.WORD and before.key in _BEFORE_NAMES:
        return True
    if before.is_name:
        return _is_new_name(tokens, place)
    return before.kind is Kind.SIGN and before.key not in (")", ".")


def _is_new_name(tokens: list[Token], place: int) -> bool:
    """Whether it follows the old name of CHANGE [COLUMN] [IF EXISTS]."""
    at = place - 2
    while at > 0 and tokens[at].kind is Kind.WORD and tokens[at].key in _CHANGES - {"CHANGE"}:
        at -= 1
    return tokens[at].kind is Kind.WORD and tokens[at].key == "CHANGE"
