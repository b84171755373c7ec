"""The types of the matrix, with literals that are chosen to hurt: bounds, blanks, -0, codes without a character, zero dates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.cases.replicate.comparing import Server

KEYS = (
    "none", "single", "composite", "generated", "virtual", "nullable", "nullable composite", "prefix", "unique prefix", "expression",
)  # fmt: skip
_PREFIXES = ("prefix", "unique prefix")
_NUMBERS = {
    "TINYINT": "-128 -1 0 1 127", "SMALLINT UNSIGNED": "0 65535 1 32768", "MEDIUMINT": "-8388608 8388607 0 -1", "INT": "-2147483648 0 2147483647 1",
    "BOOL": "0 1 -1", "BIGINT UNSIGNED": "0 1 9223372036854775808 18446744073709551615 7",
    "BIGINT": "-9223372036854775808 -1 0 9223372036854775807 1", "INT(5) ZEROFILL": "0 1 99999 4294967295 42",
    "DECIMAL(65,30)": "0 -1.5 0.000000000000000000000000000001 99999999999999999999999999999999999.9 1",
    "DECIMAL(65,0)": f"0 -{'9' * 65} 1 {'9' * 65}", "DECIMAL(8,3) UNSIGNED ZEROFILL": "0 1.5 99999.999 0.001",
    "DECIMAL(5,2)": "-0.00 0.1 999.99 -999.99 1.10", "BIT(1)": "0 1", "BIT(9)": "0 1 511 256", "BIT(64)": "0 1 18446744073709551615 255",
    "FLOAT": "0 -0e0 0.1 3.4028234663852886e38 1.17549435e-38 16777217", "FLOAT UNSIGNED": "0 1e-45 0.1 16777217",
    "FLOAT(10,2)": "0 1.1 -99999.5 0.01 -0.004 16777217.3", "FLOAT(24,3)": "0 0.0005 1e20 123456.789",
    "DOUBLE": "0 -0e0 0.1 1.7976931348623157e308 5e-324 1e16 0.1e0+0.2e0", "DOUBLE(20,2)": "0 0.1 1e30 -1e30 123456789.12",
}  # fmt: skip
_TIMES = {
    "YEAR": "0 1901 2155 2000", "DATE": "0000-00-00 2024-02-31 9999-12-31 2024-00-00 0001-01-01",
    "TIME": "-838:59:59 838:59:59 00:00:00 -00:00:01", "TIME(6)": "-00:00:00.000001 838:59:58.999999 00:00:00 12:00:00.5",
    "TIME(1)": "-00:00:00.1 838:59:58.9 00:00:00 12:00:00.5", "DATETIME(2)": "1000-01-01_00:00:00.01 9999-12-31_23:59:59.99 0000-00-00_00:00:00",
    "DATETIME": "0000-00-00_00:00:00 2024-02-31_01:02:03 9999-12-31_23:59:59 1000-01-01_00:00:00",
    "DATETIME(6)": "0000-00-00_00:00:00 9999-12-31_23:59:59.999999 2024-01-01_00:00:00.000001",
    "TIMESTAMP NULL": "0000-00-00_00:00:00 1970-01-01_00:00:01 2038-01-19_03:14:07 2024-03-31_02:30:00",
    "TIMESTAMP(3) NULL": "0000-00-00_00:00:00 1970-01-01_00:00:01 2038-01-19_03:14:07.999 2024-03-31_02:30:00.5",
    "TIMESTAMP(6) NULL": "1970-01-01_00:00:00.000001 1970-01-01_00:00:01 2038-01-19_03:14:07.999999 2024-10-27_02:30:00.5",
}  # fmt: skip
_BYTES = ("''", "x'00'", "x'0000'", "x'FF'", "'a'", "'a '", "x'27'", "x'5C'", "x'5C30'", "x'0A0D1A'")
_SHAPES = {
    "POINT": ("POINT(0 0)", "POINT(1.5 -2)", "POINT(1e300 1)"), "LINESTRING": ("LINESTRING(0 0,1 1)", "LINESTRING(0 0,-1 2,0 0)"),
    "POLYGON": ("POLYGON((0 0,0 1,1 1,0 0))", "POLYGON((0 0,0 9,9 9,0 0),(1 2,1 3,2 3,1 2))"), "MULTIPOINT": ("MULTIPOINT(0 0,1 1)", "MULTIPOINT(2 2)"),
    "MULTILINESTRING": ("MULTILINESTRING((0 0,1 1),(2 2,3 3))",), "MULTIPOLYGON": ("MULTIPOLYGON(((0 0,0 1,1 1,0 0)))",),
    "GEOMETRYCOLLECTION": ("GEOMETRYCOLLECTION(POINT(1 1),LINESTRING(0 0,1 1))", "GEOMETRYCOLLECTION(POINT(1 2))"),
    "GEOMETRY": ("POINT(1 1)", "LINESTRING(0 0,1 1)", "POLYGON((0 0,0 1,1 1,0 0))"),
}  # fmt: skip
_OTHERS = {
    "ENUM('0','1','b','')": ("'0'", "'1'", "'b'", "''", "'no label'"),
    "ENUM('a','A ','ä') COLLATE utf8mb4_bin": ("'a'", "'A '", "'ä'", "0"),
    "ENUM(" + ",".join(f"'e{number}'" for number in range(300)) + ")": ("'e0'", "'e255'", "'e299'", "'e254'", "0"),
    "SET('x','y','0')": ("'x'", "'x,y'", "''", "'0'", "'no label'", "7"),
    "SET(" + ",".join(f"'s{number}'" for number in range(64)) + ")": ("'s0'", "'s63'", "18446744073709551615", "''"),
    "BINARY(4)": ("''", "x'00'", "x'0000'", "x'FF00'", "'a'", "'a '"), "BINARY(255)": ("''", "x'00'", "REPEAT('a ', 127)", "'a'"),
    "VARBINARY(9)": _BYTES, "TINYBLOB": _BYTES, "BLOB": _BYTES, "MEDIUMBLOB": (*_BYTES, "REPEAT(x'00', 70000)"),
    "LONGBLOB": (*_BYTES, "REPEAT(x'FF27', 70000)"), "TINYTEXT": ("''", "'a '", "REPEAT('ä', 127)"), "LONGTEXT": ("''", "'a '", "REPEAT('😀', 20000)"),
    "JSON": (
        "'{}'", "'[1, 2.50, null]'", '\'{"b": 1, "a": "\\\\u00e4"}\'', "'-0.0'", "'18446744073709551615'", "'\"a\"'", "'1e400'", "'[]'",
        '\'{"a": 1, "A": 1.0, "": {"": [true, false]}}\'', "'1e20'", "'0.1'", "'\"\\\\u0000\\\\ud83d\\\\ude00\"'",
    ),
    "UUID": ("'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-fffffffffffe'", "'123e4567-e89b-12d3-a456-426655440000'"),
    "INET4": ("'0.0.0.0'", "'255.255.255.255'", "'10.0.0.32'"),
    "INET6": ("'::'", "'::ffff:1.2.3.4'", "'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'", "'2001:db8::20'"),
    "VECTOR(3)": ("x'000000000000000000000000'", "x'0000803F0000004000004040'", "x'00000080CDCCCC3DFFFF7F7F'"),
}  # fmt: skip
_BULKY = ("BLOB", "TEXT", "JSON", "VECTOR", *_SHAPES)
_TEXT = (
    *("", "a", "A", "ä", "ß", "ss", "a ", " ", "a\t", "0", "00", "'", "\\", "%_", "\0", "a\0", "é", "e\u0301", "İ", "я", "中", "ソ", "😀"),
    *("ch", "ll", "ǆ", "dž", "ẞ", "ı", "i", "I", "\u00ad", "a\u00ad", "は", "ば", "ハ", "ﾊ", "１", "1", "²", "ﬁ", "fi", "Å", "\u212b", "ø", "o"),
    *("ð", "d", "Þ", "th", "\u200d", "\uffff", "🍣", "Ω", "\u2126", "nj", "ǌ", "l·", "ŀ", "ё", "е", "각", "\u1100\u1161\u11a8", "ش"),
)  # fmt: skip
# Codes that are no character, that share one with another code, or that hold a backslash; of sets with one byte: all above 127.
_CODES = {
    "sjis": "815C 8160 817C 815F 8191 81CA FA54 835C", "cp932": "815C 8160 8790 81E0 FA54 EEF9 815F 835C", "big5": "A145 A14E A15A C94A F9D6 A44C",
    "gbk": "A1A4 A1AA A2A1 80 FE50 815C", "gb2312": "A1A4 A1AA A2A1 F8A1", "gb18030": "80 A2A1 8130A431 FE59 E3329A35 815C",
    "ujis": "A1C1 A1C0 8FA2B7 ADE2 F4A8 A1DD", "eucjpms": "A1C1 ADE2 F4A8 8FF3F3 FCF9", "euckr": "A1AA A2E6 8141 FEFE A1AD",
}  # fmt: skip
_UNICODE = ("utf8mb4", "utf8mb3", "ucs2", "utf16", "utf16le", "utf32")
_SINGLE_BYTE = (
    "armscii8", "ascii", "cp1250", "cp1251", "cp1256", "cp1257", "cp850", "cp852", "cp866", "dec8", "geostd8", "greek", "hebrew", "hp8", "keybcs2",
    "koi8r", "koi8u", "latin1", "latin2", "latin5", "latin7", "macce", "macroman", "swe7", "tis620",
)  # fmt: skip
CHARSETS = (*_UNICODE, *_CODES, *_SINGLE_BYTE)
_IN_ALL_KEYS = ("utf8mb4", "latin1", "gbk", "sjis", "cp1251")
_IN_KEYS = ("none", "single", "nullable", "expression")
_SOME = {
    "utf8mb4": ("utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_unicode_ci"),
    "latin1": ("latin1_swedish_ci", "latin1_bin"),
}


@dataclass(frozen=True, slots=True)
class Typed:
    """A column's type, literals of it, and the key forms that it can have."""

    type: str
    values: tuple[str, ...]
    keys: tuple[str, ...] = KEYS[:7]


def typed() -> list[Typed]:
    """Every type, and every character set with the usual collations of it."""
    found = [Typed(name, tuple(values.split())) for name, values in _NUMBERS.items()]
    found += [
        Typed(name, tuple(f"'{one.replace('_', ' ')}'" for one in values.split())) for name, values in _TIMES.items()
    ]
    shapes = {name: tuple(f"ST_GeomFromText('{text}')" for text in texts) for name, texts in _SHAPES.items()}
    found += [Typed(name, values, _keys(name)) for name, values in (_OTHERS | shapes).items()]
    for charset in CHARSETS:
        keys = KEYS if charset in _IN_ALL_KEYS else _IN_KEYS
        found += [text("VARCHAR(9)", charset, collation, keys) for collation in _SOME.get(charset, ("",))]
    for charset in ("utf8mb4", "latin1", "gbk"):
        found += [text("CHAR(9)", charset, ""), text("TEXT", charset, "", _keys("TEXT"))]
    return found


def _keys(name: str) -> tuple[str, ...]:
    if name.endswith(("BLOB", "TEXT")):
        return ("none", *_PREFIXES)
    if name.startswith(_BULKY):
        return ("none",)
    return KEYS[:9] if "BINARY" in name else KEYS[:7]


def text(name: str, charset: str, collation: str, keys: tuple[str, ...] = KEYS) -> Typed:
    """A text's type; ``collation`` "": the server's for the set."""
    said = f"{name} CHARACTER SET {charset}" + (collation and f" COLLATE {collation}")
    values = (f"_utf8mb4 x'{one.encode().hex()}'" if one else "''" for one in _TEXT)
    return Typed(said, tuple(values), keys)


def codes(charset: str) -> Typed:
    """Texts of codes of the set, whether they are characters or not."""
    found = _CODES[charset].split() if charset in _CODES else [f"{code:02x}" for code in range(128, 256)]
    return Typed(
        f"VARCHAR(8) CHARACTER SET {charset}", tuple(f"_{charset} x'{one}'" for one in found), ("none", "single")
    )


def texts_of(upstream: Server) -> Iterator[Typed]:
    """Each text type in each character set, and each collation of the server in a key."""
    known = {str(row[0]) for row in upstream.query("SELECT CHARACTER_SET_NAME FROM information_schema.CHARACTER_SETS")}
    for charset in CHARSETS:
        if known & {charset, charset.replace("utf8mb3", "utf8")}:
            binary = f"{charset}_bin"
            yield text("VARCHAR(9)", charset, binary, ("nullable", "generated"))
            yield text("CHAR(9)", charset, "", ("none", "single", "unique prefix"))
            yield text("CHAR(9)", charset, binary, ("single",))
            yield text("TEXT", charset, "", ("none", "prefix"))
            labels = "'a','ä','ß','я'"
            yield Typed(f"ENUM({labels}) CHARACTER SET {charset}", ("1", "2", "3", "4", "0"), ("none", "nullable"))
            yield Typed(f"SET({labels}) CHARACTER SET {charset}", ("1", "2", "3", "12", "0"), ("single",))
            if charset not in _UNICODE:
                yield codes(charset)
    for charset, collation in sorted(collations(upstream)):
        yield text("VARCHAR(9)", charset, collation, ("single",))


def collations(server: Server) -> set[tuple[str, str]]:
    """(character set, collation) of all of them."""
    rows = server.query(
        "SELECT CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY"
    )
    full = {
        (str(charset), str(name) if str(name).startswith(str(charset)) else f"{charset}_{name}")
        for charset, name in rows
    }
    return {
        (charset, name)
        for charset, name in full
        if charset not in ("binary", "None")
        and ("uca1400" not in name or charset == "utf8mb4")  # the same in the others
    }
