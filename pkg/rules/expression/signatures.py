"""Which functions are taken of which types: those that `./dev soak filters` has shown to be the servers'.

What is not here is refused when the task is checked.  A new function or type comes in once a campaign has judged it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pkg.rules.expression.node import Kind, Node
from pkg.rules.expression.problem import BadExpression

_INT = frozenset({Kind.INT})
_NUMBERS = frozenset({Kind.INT, Kind.DECIMAL, Kind.REAL})
_EXACT = frozenset({Kind.INT, Kind.DECIMAL})
_TEXT = frozenset({Kind.TEXT})
_SHOWN = frozenset({Kind.TEXT, Kind.INT, Kind.DATE, Kind.DATETIME})  # what has one text on every server
_STRINGS = frozenset({Kind.TEXT, Kind.BYTES})
_DAYS = frozenset({Kind.DATE, Kind.DATETIME})
_CLOCKS = frozenset({Kind.TIME, Kind.DATETIME})
_DOCUMENT = frozenset({Kind.JSON, Kind.TEXT})
_ANY = frozenset(Kind)

_Kinds = tuple[frozenset[Kind], ...]
SIGNATURES: dict[str, _Kinds] = {
    **dict.fromkeys(("LOWER", "LCASE", "UPPER", "UCASE", "REVERSE", "LTRIM", "RTRIM", "TRIM"), (_TEXT,)),
    **dict.fromkeys(("CHAR_LENGTH", "CHARACTER_LENGTH"), (_SHOWN | {Kind.BYTES},)),
    **dict.fromkeys(("LENGTH", "OCTET_LENGTH"), (_SHOWN | {Kind.BYTES},)),
    **dict.fromkeys(("ASCII", "CRC32"), (_STRINGS,)),
    **dict.fromkeys(("HEX",), (_STRINGS | _INT,)),
    **dict.fromkeys(("CONCAT", "CONCAT_WS"), (_SHOWN,)),
    **dict.fromkeys(("SUBSTRING", "SUBSTR", "MID", "LEFT", "RIGHT"), (_SHOWN | {Kind.BYTES}, _INT)),
    "REPEAT": (_TEXT, _INT),
    "REPLACE": (_TEXT,),
    **dict.fromkeys(("INSTR", "STRCMP"), (_TEXT,)),
    "LOCATE": (_TEXT, _TEXT, _INT),
    "SUBSTRING_INDEX": (_TEXT, _TEXT, _INT),
    "REGEXP_LIKE": (_TEXT,),
    **dict.fromkeys(("ABS", "SIGN", "FLOOR", "CEIL", "CEILING"), (_NUMBERS,)),
    **dict.fromkeys(("ROUND", "TRUNCATE"), (_EXACT, _INT)),
    **dict.fromkeys(("MOD", "POW", "POWER", "SQRT"), (_NUMBERS,)),
    **dict.fromkeys(("YEAR", "MONTH", "DAY", "DAYOFMONTH", "QUARTER", "DAYOFWEEK", "WEEKDAY", "DAYOFYEAR"), (_DAYS,)),
    **dict.fromkeys(("TO_DAYS", "LAST_DAY", "DATE", "DATEDIFF"), (_DAYS,)),
    **dict.fromkeys(("HOUR", "MINUTE", "SECOND", "MICROSECOND", "TIME"), (_CLOCKS,)),
    "JSON_EXTRACT": (_DOCUMENT, _TEXT),
    "JSON_LENGTH": (_DOCUMENT, _TEXT),
    "JSON_UNQUOTE": (frozenset({Kind.JSON}),),
    "JSON_VALID": (_DOCUMENT,),
    "JSON_CONTAINS_PATH": (_DOCUMENT, _TEXT),
    **dict.fromkeys(("GREATEST", "LEAST"), (_EXACT | _TEXT | _DAYS | {Kind.TIME},)),
    **dict.fromkeys(("IF", "IFNULL", "COALESCE", "NULLIF", "ISNULL"), (_ANY,)),
}
_SETS = frozenset({"utf8mb4", "utf8mb3", "utf8", "latin1", "ascii"})
_CHOICES = frozenset({"IF", "IFNULL", "COALESCE", "NULLIF", "ISNULL"})


def check_arguments(name: str, arguments: Sequence[Node], at: int) -> None:
    """Raise BadExpression for a type that the function is not known to be exact of."""
    kinds = SIGNATURES[name]
    for place, node in enumerate(arguments):
        wanted = kinds[min(place, len(kinds) - 1)]
        is_odd = name not in _CHOICES and (node.type.oddity != "" or (node.number is not None and not node.constant))
        charset = node.type.collation.partition("_")[0]
        if name not in _CHOICES and charset and charset not in _SETS:
            raise BadExpression(f"{name} of a text in {charset} is not known here", node.at or at)
        if name not in _CHOICES and node.type.is_temporal and node.type.is_choice:
            raise BadExpression(f"{name} of a date that is chosen: calculate inside of the choice", node.at or at)
        if wanted is _DAYS and node.kind is Kind.TEXT and node.constant:
            continue  # a date, as it is written
        if node.kind is not Kind.NULL and (is_odd or node.kind not in wanted):
            what = node.type.oddity or ("ENUM or SET" if node.number is not None else node.kind.name)
            raise BadExpression(f"{name} of {what} is not known to be the same on servers: use CAST", node.at or at)
