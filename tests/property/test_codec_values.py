"""Single values of the codec against an obvious reading of them."""

from __future__ import annotations

import struct
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from pkg.binlog.column_plan import quote_text
from pkg.binlog.events import TableMap
from pkg.binlog.json_binary import decimal_text
from pkg.binlog.rows import RowPlan
from tests.unit.rows.tables import column

INTEGERS = [("tinyint", 1, 1), ("smallint", 2, 2), ("mediumint", 9, 3), ("int", 3, 4), ("bigint", 8, 8)]


def pack_decimal(text: str, precision: int, scale: int) -> bytes:
    """DECIMAL(precision, scale) as servers pack it: groups of nine digits from the point outwards."""
    negative = text.startswith("-")
    whole, _, fraction = text.lstrip("-").partition(".")
    whole = whole.zfill(precision - scale)[-(precision - scale) :] if precision > scale else ""
    fraction = fraction.ljust(scale, "0")
    sizes = (0, 1, 1, 2, 2, 3, 3, 4, 4)
    head = len(whole) % 9
    groups = [whole[:head]] if head else []
    groups += [whole[at : at + 9] for at in range(head, len(whole), 9)]
    groups += [fraction[at : at + 9] for at in range(0, len(fraction), 9)]
    packed = bytearray()
    for group in groups:
        packed += int(group).to_bytes(4 if len(group) == 9 else sizes[len(group)], "big")
    if negative:
        packed = bytearray(byte ^ 0xFF for byte in packed)
    packed[0] ^= 0x80
    return bytes(packed)


@st.composite
def decimals(draw: st.DrawFn) -> tuple[str, int, int]:
    precision = draw(st.integers(1, 65))
    scale = draw(st.integers(0, min(30, precision)))
    digits = draw(st.text("0123456789", min_size=precision, max_size=precision))
    whole, fraction = digits[: precision - scale].lstrip("0") or "0", digits[precision - scale :]
    sign = "-" if draw(st.booleans()) and digits.strip("0") else ""
    return sign + whole + ("." + fraction if scale else ""), precision, scale


@given(decimals())
def test_decimals_of_any_precision_come_back(value: tuple[str, int, int]) -> None:
    text, precision, scale = value
    packed = pack_decimal(text, precision, scale)
    assert decimal_text(packed, precision, scale) == text
    plan = RowPlan.build([column("n", "decimal")], TableMap("s", "t", bytes((246,)), (precision | scale << 8,)))
    [(literal,)] = plan.decode(b"\0" + packed, 0, 1 + len(packed))
    assert Decimal(literal.decode()) == Decimal(text)
    assert literal.decode() == text


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_floats_come_back_with_the_same_bits(value: float) -> None:
    raw = struct.pack("<f", value)
    plan = RowPlan.build([column("n", "float")], TableMap("s", "t", b"\x04", (4,)))
    [(literal,)] = plan.decode(b"\0" + raw, 0, 5)
    assert struct.pack("<f", float(literal)) == raw


def test_the_largest_float_is_not_rounded_out_of_its_range() -> None:
    plan = RowPlan.build([column("n", "float")], TableMap("s", "t", b"\x04", (4,)))
    for raw in (b"\xff\xff\x7f\x7f", b"\xff\xff\x7f\xff"):
        [(literal,)] = plan.decode(b"\0" + raw, 0, 5)
        assert abs(float(literal)) == struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_doubles_come_back_with_the_same_bits(value: float) -> None:
    raw = struct.pack("<d", value)
    plan = RowPlan.build([column("n", "double")], TableMap("s", "t", b"\x05", (8,)))
    [(literal,)] = plan.decode(b"\0" + raw, 0, 9)
    assert struct.pack("<d", float(literal)) == raw


@given(st.integers(-(2**63), 2**64 - 1), st.sampled_from(INTEGERS))
def test_integers_of_all_widths(value: int, kind: tuple[str, int, int]) -> None:
    name, code, size = kind
    raw = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    for unsigned in (False, True):
        plan = RowPlan.build([column("n", name)], TableMap("s", "t", bytes((code,)), (0,), unsigned=(unsigned,)))
        [(literal,)] = plan.decode(b"\0" + raw, 0, 1 + size)
        assert int(literal) == int.from_bytes(raw, "little", signed=not unsigned)


@given(st.text())
def test_text_literals_hold_no_unescaped_quote(text: str) -> None:
    literal = quote_text(text.encode("utf-8", "replace"))
    inner = literal[1:-1].replace(b"\\\\", b"").replace(b"\\'", b"")
    assert b"'" not in inner
    assert b"\\" not in inner.replace(b"\\0", b"")
