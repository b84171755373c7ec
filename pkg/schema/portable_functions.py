"""The functions and operators that MariaDB, MySQL and TiDB are known to calculate alike, with the kinds of arguments.

A rule gives the value for its arguments, or None where it is not known to be the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from pkg.schema.portable_values import (
    BYTES,
    DATE,
    DOUBLE,
    EXACT,
    FLAG,
    INTEGER,
    MADE_TEXT,
    MOMENTS,
    NUMBERS,
    TEXT,
    TEXTS,
    Kind,
    Value,
    common,
    is_comparable,
    is_condition,
    is_text,
    mixes_signs,
)

_SAFE_FORMAT = re.compile(r"(?:%[YymcdeHkisSTjMWab%]|[^%])*", re.ASCII)
Rule = Callable[[Sequence[Value], Sequence[str]], Value | None]


def _arithmetic(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    kinds = {one.kind for one in values}
    if Kind.INTERVAL in kinds:
        return _moved(values)
    if any(map(_is_of_label, values)):
        fits = all(_is_of_label(one) or (one.kind is Kind.INTEGER and one.literal) for one in values)
        return replace(INTEGER, has_text=False, is_of_label=True) if fits else None
    if kinds <= {Kind.INTEGER, Kind.YEAR, Kind.BIT}:
        return replace(INTEGER, is_huge=any(one.is_huge for one in values))
    if kinds <= EXACT:
        return Value(Kind.DECIMAL, sum(one.digits for one in values), has_text=False)
    return DOUBLE if kinds <= NUMBERS else None


def _is_of_label(value: Value) -> bool:
    return value.kind is Kind.LABEL or value.is_of_label


def _quotient(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    """other_expressions.py looks at its digits."""
    kinds = {one.kind for one in values}
    return Value(Kind.DECIMAL, has_text=False) if kinds <= EXACT else DOUBLE if kinds <= NUMBERS else None


def _divided(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    is_huge = values[0].is_huge or any(one.kind is Kind.DECIMAL for one in values)
    return replace(INTEGER, is_huge=is_huge) if all(one.kind in EXACT | {Kind.NULL} for one in values) else None


def _moved(values: Sequence[Value]) -> Value | None:
    """A moment and an interval, whose ``digits`` are those that it adds; ``has_text``: it is of whole days."""
    moment = next((one for one in values if one.kind in MOMENTS), None)
    interval = next(one for one in values if one.kind is Kind.INTERVAL)
    if moment is not None and moment.kind is Kind.DATE and not interval.has_text:
        return Value(Kind.DATETIME, has_text=False)
    return None if moment is None else replace(moment, literal=None)


def _date_moved(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    if len(values) != 2 or values[0].kind not in MOMENTS:
        return None
    is_days = values[1].kind is Kind.INTEGER and not values[1].is_huge
    return _moved(values) if values[1].kind is Kind.INTERVAL else values[0] if is_days else None


def _interval(values: Sequence[Value], words: Sequence[str]) -> Value | None:
    if values[0].kind is not Kind.INTEGER or values[0].is_huge or words[0] not in _UNITS:
        return None  # MySQL takes what is larger than 64 bits with a sign for a negative number
    return Value(Kind.INTERVAL, has_text=words[0] in _DAY_UNITS)


def _compared(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    return FLAG if all(is_comparable(values[0], one) for one in values[1:]) else None


def _field(values: Sequence[Value], words: Sequence[str]) -> Value | None:
    """TiDB compares a DECIMAL as a double."""
    return None if any(one.kind is Kind.DECIMAL for one in values) else _compared(values, words)


def _is_among_them(values: Sequence[Value], words: Sequence[str]) -> Value | None:
    return None if mixes_signs(values) else _compared(values, words)


def _conditions(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    return FLAG if all(map(is_condition, values)) else None


def _any_to_flag(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    return FLAG


def _texts(result: Value, least: int = 1, most: int = 99) -> Rule:
    def rule(values: Sequence[Value], _: Sequence[str]) -> Value | None:
        return result if least <= len(values) <= most and all(map(is_text, values)) else None

    return rule


def _of(result: Value, *kinds: frozenset[Kind] | Kind, optional: int = 0) -> Rule:
    """Arguments of these kinds, of which the last ``optional`` ones may lack."""
    wanted = [frozenset({one}) if isinstance(one, Kind) else one for one in kinds]  # `_COUNT` itself stays

    def rule(values: Sequence[Value], _: Sequence[str]) -> Value | None:
        if not len(wanted) - optional <= len(values) <= len(wanted):
            return None
        fits = all(
            one.kind in kind | {Kind.NULL} and not (one.is_huge and kind is _COUNT)
            for one, kind in zip(values, wanted, strict=False)
        )
        return result if fits else None

    return rule


def _text_and(result: Value, *kinds: frozenset[Kind] | Kind, optional: int = 0) -> Rule:
    """A text, and arguments of these kinds."""
    others = _of(result, *kinds, optional=optional)

    def rule(values: Sequence[Value], words: Sequence[str]) -> Value | None:
        return others(values[1:], words) if values and is_text(values[0]) else None

    return rule


def _bytes_and(result: Value, *kinds: frozenset[Kind] | Kind) -> Rule:
    """What has the same bytes everywhere, and arguments of these kinds."""
    others = _of(result, *kinds)

    def rule(values: Sequence[Value], words: Sequence[str]) -> Value | None:
        fits = bool(values) and (values[0].kind is Kind.BYTES or is_text(values[0]))
        return others(values[1:], words) if fits else None

    return rule


def _chosen(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    return common(values)


def _least(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    """Of texts that are equal, servers take one or the other; TiDB takes 18446744073709551615 for -1."""
    found = common(values)
    return found if found is not None and found.kind in EXACT | MOMENTS and not found.is_huge else None


def _if(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    return common(values[1:]) if len(values) == 3 and is_condition(values[0]) else None


def _null_if(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    is_same = len(values) == 2 and is_comparable(*values)
    return replace(values[0], literal=None) if is_same and values[0].kind is not Kind.YEAR else None


def _rounded(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    if not all(one.kind is Kind.INTEGER and one.literal for one in values[1:]):
        return None
    digits = int(values[1].literal or 0) if len(values) > 1 else 0
    if values[0].kind is Kind.DECIMAL:  # MySQL adds no digits to it
        return Value(Kind.DECIMAL, digits, has_text=digits <= values[0].digits)
    return values[0] if values[0].kind is Kind.INTEGER and len(values) == 1 else None


def _whole(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    """FLOOR, CEIL: of a DECIMAL one that may have more digits than an integer."""
    if len(values) != 1 or values[0].kind not in NUMBERS:
        return None
    by_kind = {Kind.DOUBLE: DOUBLE, Kind.DECIMAL: Value(Kind.DECIMAL)}
    return by_kind.get(values[0].kind, replace(INTEGER, is_huge=values[0].is_huge))


def _number_text(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    """FORMAT, whose zeros servers write with or without a sign."""
    fits = len(values) == 2 and all(one.kind is Kind.INTEGER for one in values) and _is_among(values[1], range(31))
    return TEXT if fits else None


def _is_among(value: Value, numbers: Collection[int]) -> bool:
    """Whether it is one of these, written there."""
    return value.kind is Kind.INTEGER and (value.literal or "").isdecimal() and int(value.literal or 0) in numbers


def _week(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    fits = values and values[0].kind in MOMENTS and all(_is_among(mode, range(8)) for mode in values[1:])
    return INTEGER if fits and len(values) <= len(("date", "mode")) else None


def _sha2(values: Sequence[Value], words: Sequence[str]) -> Value | None:
    fits = len(values) == len(("text", "bits")) and _is_among(values[1], (0, 224, 256, 384, 512))
    return _bytes_and(MADE_TEXT)(values[:1], words) if fits else None


def _has_bits(value: Value) -> bool:
    return value.kind in _FLAGS or (value.kind is Kind.DECIMAL and value.is_small)


def _bits(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    """MariaDB and MySQL cut a DECIMAL beyond 64 bits in their own ways."""
    fits = all(_has_bits(one) or one.kind is Kind.NULL for one in values)
    return replace(INTEGER, is_huge=True) if fits else None


def _shifted(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    """By more than 64 bits, servers do not agree."""
    fits = _has_bits(values[0]) and _is_among(values[1], range(65))
    return replace(INTEGER, is_huge=True) if fits else None


def _padded(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    """By nothing, servers make an empty text of it or NULL."""
    if len(values) != len(("text", "length", "filling")) or values[1].kind is not Kind.INTEGER or values[1].is_huge:
        return None
    return _joined(values[:1], ()) if values[2].literal and is_text(values[2]) else None


def _joined(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    if any(one.kind is Kind.BYTES for one in values):
        return BYTES if all(one.kind is Kind.BYTES for one in values) else None
    return TEXT if all(map(is_text, values)) else None


def _part(*kinds: frozenset[Kind] | Kind, optional: int = 0) -> Rule:
    """A part of a text, or of bytes; ``kinds``: of the other arguments."""

    def rule(values: Sequence[Value], words: Sequence[str]) -> Value | None:
        if not values or not (values[0].kind is Kind.BYTES or is_text(values[0])):
            return None
        return _of(BYTES if values[0].kind is Kind.BYTES else TEXT, *kinds, optional=optional)(values[1:], words)

    return rule


def _picked(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    """ELT."""
    is_place = values[0].kind is Kind.INTEGER and not values[0].is_huge
    return TEXT if is_place and all(map(is_text, values[1:])) else None


def _now(kind: Kind) -> Rule:
    """The statement's moment, which is that of the session."""

    def rule(values: Sequence[Value], _: Sequence[str]) -> Value | None:
        return Value(kind, int(values[0].literal or 0) if values else 0)

    return rule


def _time(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    fits = len(values) == 1 and values[0].kind in (Kind.DATETIME, Kind.TIME)
    return Value(Kind.TIME, values[0].digits, has_text=not values[0].digits) if fits else None


def _moment(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    """TIMESTAMP."""
    kinds = [one.kind for one in values]
    fits = kinds[0] in MOMENTS and kinds[1:] in ([], [Kind.TIME]) and not any(one.digits for one in values)
    return Value(Kind.DATETIME) if fits else None


def _document(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    """JSON_OBJECT, JSON_ARRAY: of texts and integers, which servers write alike."""
    return Value(Kind.JSON) if all(one.kind in (Kind.TEXT, Kind.INTEGER, Kind.NULL) for one in values) else None


def _formatted(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    is_plain = len(values) == 2 and _SAFE_FORMAT.fullmatch(values[1].literal or "%%%") is not None
    return TEXT if is_plain and values[0].kind in MOMENTS else None


CHARS = frozenset({"CHAR", "NCHAR", "VARCHAR"})


def casts_to_bytes(words: Sequence[str]) -> bool:
    """Whether a CAST makes bytes: AS BINARY, which MySQL shows as CHAR CHARSET binary."""
    return (
        words[0] == "BINARY"
        or "BYTE" in words
        or (words[-1].strip("`") == "BINARY" and words[-2] in ("CHARSET", "SET"))
    )


def _cast(values: Sequence[Value], words: Sequence[str]) -> Value | None:
    value, word = values[0], words[0]
    if word in ("SIGNED", "UNSIGNED", "INTEGER", "INT"):
        taken = EXACT | {Kind.TEXT} if word != "UNSIGNED" else _COUNT
        is_huge = word == "UNSIGNED" and value.kind is Kind.INTEGER
        return replace(INTEGER, is_huge=is_huge) if value.kind in taken | {Kind.YEAR} else None
    if casts_to_bytes(words):
        return BYTES if value.kind in (Kind.BYTES, Kind.TEXT) and "(" not in words else None
    if word in CHARS:
        return TEXT if is_text(value) else None
    if word == "DATE":
        return _day(values, words)
    if word == "TIME":
        return _time(values, words) if len(words) == 1 and not value.digits else None
    if word == "DATETIME":
        digits = next((int(one) for one in words if one.isdigit()), 0)
        return Value(Kind.DATETIME, digits) if value.kind in MOMENTS and value.digits <= digits else None
    if word == "DECIMAL" and value.kind in EXACT | {Kind.TEXT}:
        size, digits = [*(int(one) for one in words if one.isdigit()), 0, 0][:2]
        return Value(Kind.DECIMAL, digits, is_roomy=size > digits or not size)
    return None


def _day(values: Sequence[Value], _: Sequence[str]) -> Value | None:
    return DATE if len(values) == 1 and values[0].kind in MOMENTS else None


def _extracted(values: Sequence[Value], words: Sequence[str]) -> Value | None:
    if values[0].kind is Kind.DATE:
        return INTEGER if words[0] in ("YEAR", "QUARTER", "MONTH", "DAY", "YEAR_MONTH") else None
    return INTEGER if values[0].kind is Kind.DATETIME and words[0] in _UNITS | {"YEAR_MONTH", "MICROSECOND"} else None


def _in_set(values: Sequence[Value], words: Sequence[str]) -> Value | None:
    """CONVERT … USING: TiDB keeps characters that the set lacks."""
    charset, collations = words[0].lower(), values[0].collations
    holds = charset == "utf8mb4" or (collations and all(name.startswith(f"{charset}_") for name in collations))
    return TEXT if values[0].kind in TEXTS and holds else None


def _of_document(result: Value) -> Rule:
    """JSON, or a column of MariaDB's, and a path that is written there."""

    def rule(values: Sequence[Value], _: Sequence[str]) -> Value | None:
        fits = values[0].kind is Kind.JSON or values[0].is_column
        return result if fits and all(one.literal is not None for one in values[1:]) else None

    return rule


_UNITS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"})
BY_COLLATION = frozenset(
    {"=", "<>", "<", ">", "<=", ">=", "<=>", "IN", "BETWEEN", "LIKE", "REGEXP", "LOCATE", "INSTR", "POSITION", "STRCMP"}
    | {"FIELD", "REPLACE", "SUBSTRING_INDEX", "TRIM", "NULLIF"}
)
BY_ORDER = frozenset({"<", ">", "<=", ">=", "BETWEEN", "STRCMP"})  # blanks are added to texts, or not
BY_CODE_POINTS = frozenset({"LOCATE", "INSTR", "POSITION"})  # TiDB knows no letters that are equal there
FAIL_WHOLE = frozenset({"INET_ATON"})  # no result inside is NULL for all of the expression in TiDB
KEEPS_NUMERALS = frozenset({
    "CONCAT", "CONCAT_WS", "LPAD", "LEFT", "RIGHT", "SUBSTRING", "SUBSTR", "MID", "REVERSE", "CAST", "IFNULL",
    "COALESCE",
})  # fmt: skip
WITHOUT_COLLATION = frozenset({"CAST", "CONVERT USING"})  # of their argument
_MOMENT_NOW = ("NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP", "UTC_TIMESTAMP")
_DAY_NOW = ("CURDATE", "CURRENT_DATE", "UTC_DATE")
_TIME_NOW = ("CURTIME", "CURRENT_TIME", "UTC_TIME")
NOW = frozenset({*_MOMENT_NOW, *_DAY_NOW, *_TIME_NOW})
_DAY_UNITS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY"})
_COUNT = frozenset({Kind.INTEGER})
_FLAGS = frozenset({Kind.INTEGER, Kind.BIT, Kind.LABEL})

RULES: dict[str, Rule] = {
    **dict.fromkeys(("+", "-", "*", "%", "MOD"), _arithmetic),
    "/": _quotient,
    "DIV": _divided,
    "NEGATIVE": lambda values, _: (
        replace(values[0], literal=None, has_text=values[0].kind is Kind.INTEGER) if values[0].kind in NUMBERS else None
    ),
    **dict.fromkeys(("<<", ">>"), _shifted),
    **dict.fromkeys(("&", "|", "^"), _bits),
    **dict.fromkeys(("=", "<>", "<", ">", "<=", ">=", "<=>", "BETWEEN"), _compared),
    "IN": _is_among_them,
    **dict.fromkeys(("AND", "OR", "XOR", "NOT"), _conditions),
    "||": lambda values, _: FLAG if all(map(is_condition, values)) else TEXT if all(map(is_text, values)) else None,
    **dict.fromkeys(("IS NULL", "ISNULL"), _any_to_flag),
    **dict.fromkeys(("IS TRUE", "IS FALSE", "IS UNKNOWN"), _conditions),
    "LIKE": _texts(FLAG, 2, 3),
    "REGEXP": _texts(FLAG, 2, 2),  # other_expressions.py looks at the pattern
    "COLLATE": lambda values, _: values[0] if values[0].kind in TEXTS else None,
    "CONVERT USING": _in_set,
    "INTERVAL": _interval,
    "CAST": _cast,
    **dict.fromkeys(("COALESCE", "IFNULL"), _chosen),
    "IF": _if,
    "NULLIF": _null_if,
    **dict.fromkeys(("GREATEST", "LEAST"), _least),
    "BINARY": lambda values, _: BYTES if values[0].kind in (Kind.TEXT, Kind.BYTES) else None,
    "CONCAT": _joined,
    "CONCAT_WS": _texts(TEXT),
    **dict.fromkeys(("LOWER", "LCASE", "UPPER", "UCASE"), _of(TEXT, TEXTS)),
    "REVERSE": _part(),
    "ELT": _picked,
    "INSERT": _text_and(TEXT, _COUNT, _COUNT, TEXTS),
    "QUOTE": _texts(TEXT, 1, 1),
    **dict.fromkeys(("LTRIM", "RTRIM"), _texts(TEXT, 1, 1)),
    "TRIM": _texts(TEXT, 1, 2),
    "REPLACE": _texts(TEXT, 3, 3),
    **dict.fromkeys(("LEFT", "RIGHT", "REPEAT"), _part(_COUNT)),
    **dict.fromkeys(("SUBSTRING", "SUBSTR", "MID"), _part(_COUNT, _COUNT, optional=1)),
    "SUBSTRING_INDEX": _text_and(TEXT, TEXTS, _COUNT),
    **dict.fromkeys(("LPAD", "RPAD"), _padded),
    "FORMAT": _number_text,
    "SPACE": _of(TEXT, _COUNT),
    **dict.fromkeys(("LENGTH", "OCTET_LENGTH", "BIT_LENGTH", "CRC32"), _bytes_and(INTEGER)),
    **dict.fromkeys(("CHAR_LENGTH", "CHARACTER_LENGTH", "ASCII"), _texts(INTEGER, 1, 1)),
    **dict.fromkeys(("MD5", "SHA", "SHA1", "TO_BASE64"), _bytes_and(MADE_TEXT)),
    "HEX": _of(MADE_TEXT, TEXTS | _COUNT | {Kind.BYTES}),
    "SHA2": _sha2,
    **dict.fromkeys(("AES_ENCRYPT", "AES_DECRYPT"), _bytes_and(BYTES, TEXTS)),
    "UNHEX": _of(BYTES, Kind.TEXT),
    **dict.fromkeys(("BIN", "OCT"), _of(TEXT, _COUNT)),
    **dict.fromkeys(("LOCATE", "INSTR", "POSITION"), _texts(INTEGER, 2, 2)),
    "STRCMP": _of(INTEGER, TEXTS, TEXTS),
    "ORD": _of(INTEGER, TEXTS),
    "FROM_BASE64": _of(BYTES, Kind.TEXT),
    "FIELD": _field,
    "ABS": lambda values, _: (
        replace(values[0], literal=None, has_text=values[0].kind is Kind.INTEGER) if values[0].kind in EXACT else None
    ),
    "SIGN": _of(INTEGER, NUMBERS),
    "SQRT": _of(DOUBLE, NUMBERS),
    **dict.fromkeys(("FLOOR", "CEIL", "CEILING"), _whole),
    **dict.fromkeys(("ROUND", "TRUNCATE"), _rounded),
    "BIT_COUNT": _of(INTEGER, _COUNT),
    **dict.fromkeys(
        ("MONTH", "QUARTER", "DAY", "DAYOFMONTH", "DAYOFWEEK", "WEEKDAY", "DAYOFYEAR", "TO_DAYS", "TO_SECONDS"),
        _of(INTEGER, MOMENTS),
    ),
    "YEAR": _of(INTEGER, MOMENTS | {Kind.YEAR}),
    **dict.fromkeys(("HOUR", "MINUTE", "SECOND", "MICROSECOND"), _of(INTEGER, frozenset({Kind.DATETIME, Kind.TIME}))),
    "TIME_TO_SEC": lambda values, _: INTEGER if values[0].kind is Kind.TIME and not values[0].digits else None,
    "SEC_TO_TIME": _of(Value(Kind.TIME), _COUNT),
    "MAKEDATE": _of(DATE, _COUNT | {Kind.YEAR}, _COUNT),
    "MAKETIME": _of(Value(Kind.TIME), _COUNT, _COUNT, _COUNT),
    "TIME": _time,
    "TIMESTAMP": _moment,
    "FROM_UNIXTIME": _of(Value(Kind.DATETIME), _COUNT),
    **dict.fromkeys(("WEEK", "YEARWEEK"), _week),
    **dict.fromkeys(("DAYNAME", "MONTHNAME"), _of(TEXT, MOMENTS)),
    "WEEKOFYEAR": _of(INTEGER, MOMENTS),
    **dict.fromkeys(("DATE", "LAST_DAY"), _day),
    "DATEDIFF": _of(INTEGER, MOMENTS, MOMENTS),
    "DATE_FORMAT": _formatted,
    **dict.fromkeys(("DATE_ADD", "DATE_SUB", "ADDDATE", "SUBDATE"), _date_moved),
    "TIMESTAMPDIFF": lambda values, words: (
        INTEGER if words[0] in _UNITS and all(one.kind in MOMENTS for one in values) else None
    ),
    "UNIX_TIMESTAMP": lambda values, _: (
        INTEGER if len(values) == 1 and values[0].kind in MOMENTS and not values[0].digits else None
    ),
    "EXTRACT": _extracted,
    **dict.fromkeys(_MOMENT_NOW, _now(Kind.DATETIME)),
    **dict.fromkeys(_DAY_NOW, _now(Kind.DATE)),
    **dict.fromkeys(_TIME_NOW, _now(Kind.TIME)),
    **dict.fromkeys(("JSON_EXTRACT", "->"), _of_document(Value(Kind.JSON))),
    **dict.fromkeys(("JSON_UNQUOTE", "->>", "JSON_VALUE"), _of_document(replace(TEXT, is_of_document=True))),
    **dict.fromkeys(("JSON_OBJECT", "JSON_ARRAY"), _document),
    **dict.fromkeys(("JSON_LENGTH", "JSON_DEPTH"), _of_document(INTEGER)),
    "INET_ATON": _of(INTEGER, Kind.TEXT),
    "INET_NTOA": _of(TEXT, _COUNT),
    "INET6_NTOA": _of(TEXT, Kind.BYTES),
}
