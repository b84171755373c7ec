"""New columns whose default is more than a literal: what the rows that are there already hold in them.

Upstream, ADD COLUMN gives each row the default's value, and the binlog does not say which.  The target
gives its rows the same where the value follows from the statement, its session and the row; TiDB takes few such
defaults, so there the values are written by an UPDATE behind the ALTER.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from pkg.schema.alter import AddColumn
from pkg.schema.fractions import as_stored
from pkg.schema.lexer import Kind, Token, tokenize
from pkg.schema.plain_moments import Unlike
from pkg.schema.statement import Ddl
from pkg.schema.stored_defaults import cuts_for, stored
from pkg.schema.table import Column, Table
from pkg.schema.targets import filled_by_tidb


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Values of these follow from their arguments, and those of the time from the session's timestamp and zone.
_REPEATABLE = _words(
    """
    ABS ACOS ASCII ASIN ATAN ATAN2 BIN BIN_TO_UUID BIT_COUNT BIT_LENGTH CAST CEIL CEILING CHAR CHARACTER_LENGTH
    CHAR_LENGTH CHR COALESCE CONCAT CONCAT_WS CONV CONVERT CONVERT_TZ COS COT CRC32 CURDATE CURRENT_DATE CURRENT_TIME
    CURRENT_TIMESTAMP CURTIME DATE DATEDIFF DATE_ADD DATE_FORMAT DATE_SUB DAY DAYOFMONTH DAYOFWEEK DAYOFYEAR DEGREES
    ELT EXP EXTRACT FIELD FIND_IN_SET FLOOR FORMAT FROM_BASE64 FROM_DAYS FROM_UNIXTIME GREATEST HEX HOUR IF IFNULL
    INET6_ATON INET6_NTOA INET_ATON INET_NTOA INSERT INSTR INTERVAL ISNULL JSON_ARRAY JSON_EXTRACT JSON_OBJECT
    JSON_QUOTE JSON_UNQUOTE JSON_VALUE LAST_DAY LCASE LEAST LEFT LENGTH LN LOCALTIME LOCALTIMESTAMP LOCATE LOG LOG10
    LOG2 LOWER LPAD LTRIM MAKEDATE MAKETIME MD5 MICROSECOND MID MINUTE MOD MONTH NOW NULLIF OCT OCTET_LENGTH ORD
    PERIOD_ADD PERIOD_DIFF PI POSITION POW POWER QUARTER QUOTE RADIANS REPEAT REPLACE REVERSE RIGHT ROUND RPAD RTRIM
    SECOND SEC_TO_TIME SHA SHA1 SHA2 SIGN SIN SPACE SQRT STR_TO_DATE SUBDATE SUBSTR SUBSTRING SUBSTRING_INDEX SUBTIME
    TAN TIME TIMEDIFF TIMESTAMP TIMESTAMPADD TIMESTAMPDIFF TIME_FORMAT TIME_TO_SEC TO_BASE64 TO_DAYS TO_SECONDS TRIM
    TRUNCATE UCASE UNHEX UNIX_TIMESTAMP UPPER UTC_DATE UTC_TIME UTC_TIMESTAMP UUID_TO_BIN VEC_FROMTEXT WEEK WEEKDAY
    WEEKOFYEAR YEAR YEARWEEK
    """
)
# Words of expressions and types that stand before a parenthesis without being functions.
_BEFORE_PARENTHESIS = _words(
    """
    AND AS BETWEEN BINARY CASE CHARACTER COLLATE DATE DATETIME DECIMAL DIV ELSE IN INTERVAL IS LIKE MOD NCHAR NOT
    OR REGEXP RLIKE THEN TIME VARCHAR WHEN XOR
    """
)
_OF_THE_SESSION = _words(
    "CURRENT_USER SESSION_USER SYSTEM_USER CURRENT_ROLE SYSDATE NEXT NEXTVAL LASTVAL PREVIOUS SELECT"
)


@dataclass(frozen=True, slots=True)
class Fill:
    """A new column whose default is no plain literal.

    ``value`` is the default as an expression over the row; ``unrepeatable`` the word in it that gives
    something else at each call, to each session or on the target.  ``by_update``: the target takes no such default.
    """

    column: str
    value: str
    if_not_exists: bool
    unrepeatable: str
    by_update: bool


def fills(
    ddl: Ddl,
    structure: Table | None,
    flavor: str,
    *,
    divides_alike: bool = True,
    upstream: str = "",
    cuts: bool = False,
) -> tuple[Fill, ...]:
    """The columns of ``ddl`` that a target of this flavour does not fill, or not with the upstream's values.

    ``divides_alike``: whether a quotient has the upstream's digits there; ``cuts``: whether the session of the
    ``upstream`` cuts fractions of seconds.
    """
    found = _all_fills(ddl, structure, flavor, divides_alike, upstream, cuts)
    return tuple(fill for fill in found if fill.unrepeatable or fill.by_update)


def divides_alike(upstream: str, target: str, increment: str) -> bool:
    """Whether ``/`` gives the same digits on servers of both flavours; ``increment``: div_precision_increment upstream.

    MySQL rounds a quotient to so many digits more than the dividend has.  MariaDB and TiDB keep as many groups of nine
    digits as hold these, TiDB at least one.
    """
    return upstream == target or ({upstream, target} == {"mariadb", "tidb"} and increment != "0")


def _all_fills(
    ddl: Ddl, structure: Table | None, flavor: str, divides_alike: bool, upstream: str, cuts: bool
) -> Iterator[Fill]:
    for one in ddl.alterations:
        if isinstance(one, AddColumn) and one.column.default not in (None, "NULL") and not one.column.generated:
            spec, default = one.column, one.column.default or ""
            column = structure.column(spec.name) if structure is not None else None
            base = column.base_type if column is not None else spec.type.base
            by_update = flavor == "tidb" and not filled_by_tidb(base, default)
            unlike, value = "", default
            if column is not None and structure is not None and upstream != flavor:
                cuts_here = cuts_for(column, upstream, cuts=cuts)
                unlike = _unlike(column, default, cuts_here)
                value = as_stored(default, column, structure, cuts=cuts_here) if by_update else default
            yield Fill(
                column=spec.name,
                value=value,
                if_not_exists=one.if_not_exists,
                unrepeatable=unrepeatable_word(default, divides_alike=divides_alike) or unlike,
                by_update=by_update,
            )


def _unlike(column: Column, default: str, cuts: bool) -> str:
    """The default, where servers may store it in different ways."""
    try:
        stored(column, default, cuts=cuts)
    except Unlike:
        return default
    return ""


def unrepeatable_word(expression: str, *, divides_alike: bool = True) -> str:
    """What gives another value at each call, to each session or on the target; "" when there is nothing of the kind."""
    tokens = tokenize(expression)
    free = ("@", ":=") if divides_alike else ("@", ":=", "/")
    return next((token.text for token, behind in pairwise(tokens) if _is_free(token, behind, free)), "")


def _is_free(token: Token, behind: Token, free: tuple[str, ...]) -> bool:
    if token.key in free:
        return True
    if token.kind is not Kind.WORD:
        return token.kind is Kind.QUOTED and behind.key == "("  # a stored function
    if token.key in _OF_THE_SESSION:
        return True
    return behind.key == "(" and token.key not in _REPEATABLE and token.key not in _BEFORE_PARENTHESIS
