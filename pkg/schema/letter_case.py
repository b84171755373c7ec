"""Names as servers compare them: in small letters, by their own table.

Columns, keys, constraints and partitions always; databases and tables with ``lower_case_table_names`` 1 or 2.  Python's
``lower()`` has later letters, too, so that it takes two columns for one (`ẞ` and `ß`, the Georgian `Ა` and `ა`).
"""

from __future__ import annotations

# MariaDB and MySQL have the letters of Unicode 3.0; capitals that came later have no small letter for them.
_LATER = (
    (0x220, 0x220), (0x23A, 0x37F), (0x3CF, 0x3D8), (0x3F4, 0x3FF), (0x48A, 0x48A), (0x4C0, 0x4C0), (0x4C5, 0x4C5),
    (0x4C9, 0x4C9), (0x4CD, 0x4CD), (0x4F6, 0x4F6), (0x4FA, 0x52E), (0x10A0, 0x1CBF), (0x1E9E, 0x1E9E),
    (0x1EFA, 0x1EFE), (0x2132, 0x2132), (0x2183, 0x2183), (0x2C00, 0xA7F5), (0x10000, 0x10FFFF),
)  # fmt: skip


def small(name: str) -> str:
    """``name`` in small letters, each letter for itself: ``İ`` is i, and a sigma knows no end of a word."""
    if name.isascii():
        return name.lower()
    return "".join(character if _is_later(character) else character.lower()[0] for character in name)


def _is_later(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _LATER)
