"""The collation of a target that comes nearest to one of the upstream.

What a collation tells apart matters in this order: whether case counts, then how trailing spaces and
accents are compared, then the order of letters.  A set that the target lacks becomes utf8mb4.

In a key the target may hold nothing equal that the upstream holds different, or a row would be lost: there the
collation is the same, one that is known to tell apart as much (tests/folding/finer.py shows it on the servers), or
the one that compares code points.
"""

from __future__ import annotations

from collections.abc import Collection

from pkg.schema.charset import UNICODE_SETS, Charset, charset_of_collation, collation_name

_UCA1400 = "uca1400_"
_CASELESS = {
    "0900": ("utf8mb4_0900_ai_ci", "utf8mb4_uca1400_nopad_ai_ci", "utf8mb4_unicode_520_ci", "utf8mb4_unicode_ci"),
    "unicode": ("utf8mb4_unicode_520_ci", "utf8mb4_unicode_ci", "utf8mb4_uca1400_ai_ci", "utf8mb4_0900_ai_ci"),
    "general": ("utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci"),
}
_EXACT_NO_PAD = ("utf8mb4_0900_bin", "utf8mb4_nopad_bin", "utf8mb4_bin")
_EXACT = ("utf8mb4_bin", "utf8mb4_0900_bin")
_IN_KEYS = dict.fromkeys(("ascii_general_ci", "greek_general_ci", "hebrew_general_ci"), "utf8mb4_general_ci")
# What tells apart all that the first one does, beside the collations of one name that all Unicode sets have.
# Of the same name, but '[' and a backslash are equal in TiDB (gbk), and 'I' and 'ı' (gb18030); 'ǆ', 'ǉ', 'ǌ' and their
# two letters are in MySQL, and not in MariaDB.  All others that MariaDB and MySQL share hold the same equal
# (test_collations_on_servers.py).  MySQL's weights of 'I' and 'ı' are equal, too; its keys tell them apart.
_COARSER_THERE = frozenset({("tidb", "gbk_chinese_ci"), ("tidb", "gb18030_chinese_ci")}) | {
    ("mysql", f"{charset}_croatian_ci") for charset in UNICODE_SETS
}


def nearest(collation: str, available: Collection[str]) -> Charset:
    """What to write for ``collation`` on a server that has the ``available`` ones, in that server's names.

    A server that lists nothing that would do gets utf8mb4_bin, which all have.
    """
    name = collation_name(collation)
    own = _known_as(name, available)
    if own is not None:
        return own
    for candidate in _candidates(name):
        found = _known_as(candidate, available)
        if found is not None:
            return found
    return Charset("utf8mb4", "utf8mb4_bin")


def nearest_in_key(collation: str, available: Collection[str], flavor: str) -> Charset:
    """The same for a column of a key: nothing is equal in the chosen one that is not in ``collation``."""
    name = collation_name(collation)
    same = None if (flavor, name) in _COARSER_THERE or _is_imitated(name, available) else _known_as(name, available)
    if same is not None:
        return same
    for candidate in (_as_utf8mb4(name), *_code_points(name, flavor)):
        is_finer = candidate != name and (flavor, candidate) not in _COARSER_THERE
        found = _known_as(candidate, available) if is_finer else None
        if found is not None:
            return found
    return Charset("utf8mb4", "utf8mb4_bin")


def nearest_of_utf8mb4(collation: str, available: Collection[str], *, in_key: bool) -> Charset:
    """The same where the target's column stays in utf8mb4, whatever sets the target has."""
    name = collation_name(collation)
    wanted = _as_utf8mb4(name)
    if not wanted.startswith("utf8mb4_"):
        wanted = "utf8mb4_bin" if in_key or is_exact(name) else "utf8mb4_general_ci"
    return _known_as(wanted, available) or Charset("utf8mb4", "utf8mb4_bin")


def may_join(collation: str, there: str, flavor: str) -> bool:
    """Whether ``there``, on a server of this flavour, may hold equal what ``collation`` upstream holds different."""
    name, below = collation_name(collation), collation_name(there)
    if (flavor, below) in _COARSER_THERE:
        return True
    if name == below or below == "binary" or _as_utf8mb4(below) == _as_utf8mb4(name):
        return False
    return not below.endswith("_bin") or (is_no_pad(name) and not is_no_pad(below))


def is_no_pad(collation: str) -> bool:
    """Whether trailing spaces count."""
    return "_0900_" in collation or "nopad" in collation or collation == "binary"


def _as_utf8mb4(collation: str) -> str:
    """The collation of utf8mb4 that tells apart what this one does; itself where there is none."""
    charset, _, rest = collation.partition("_")
    return f"utf8mb4_{rest}" if charset in UNICODE_SETS else _IN_KEYS.get(collation, collation)


def _code_points(collation: str, flavor: str) -> tuple[str, ...]:
    """Collations that compare code points; TiDB's of other sets than utf8mb4 cannot be changed when keys have them."""
    own = charset_of_collation(collation) or "utf8mb4"
    of_own, of_all = (f"{own}_nopad_bin", _EXACT_NO_PAD) if is_no_pad(collation) else (f"{own}_bin", _EXACT)
    return (*of_all, of_own) if flavor == "tidb" else (of_own, *of_all)


def _is_imitated(collation: str, available: Collection[str]) -> bool:
    """MariaDB takes MySQL's names of the UCA 9.0.0 for collations of its own, of the UCA 14.0.0."""
    return "_0900_" in collation and not collation.endswith("_bin") and "uca1400_ai_ci" in available


def _known_as(collation: str, available: Collection[str]) -> Charset | None:
    """The server's own name of a collation, if it has it."""
    charset = charset_of_collation(collation) or "utf8mb4"
    if collation in available:
        return Charset(charset, collation)
    if charset == "utf8mb3" and (old := collation.replace("utf8mb3_", "utf8_", 1)) in available:
        return Charset("utf8", old)
    # MariaDB lists the collations that all Unicode sets share under their short names.
    short = collation.removeprefix(f"{charset}_")
    shared = charset in UNICODE_SETS and short.startswith(_UCA1400) and short in available
    return Charset(charset, collation) if shared else None


def is_exact(collation: str) -> bool:
    """Whether case counts."""
    return collation == "binary" or collation.endswith(("_bin", "_cs"))


def _candidates(collation: str) -> tuple[str, ...]:
    charset = charset_of_collation(collation) or "utf8mb4"
    no_pad = is_no_pad(collation)
    if is_exact(collation):
        own = () if charset == "utf8mb4" else (f"{charset}_bin",)
        return own + (_EXACT_NO_PAD if no_pad else _EXACT)
    if no_pad or _UCA1400 in collation:
        return _CASELESS["0900"]
    return _CASELESS["unicode" if "_unicode" in collation else "general"]


def note_on(what: str, collation: str, chosen: Charset, *, in_key: bool = False) -> str:
    """The sentence for a log about a collation that became another one; '' when it did not."""
    if collation_name(chosen.collation) == collation_name(collation):
        return ""
    what = f"{what}: " if what else ""
    if in_key:
        now = "" if is_exact(collation) or not is_exact(chosen.collation) else ": case and accents count in it there"
        return f"{what}the key's {collation} becomes {chosen.collation}, so that no two rows are one{now}"
    lost = "" if is_exact(collation) == is_exact(chosen.collation) else "; whether case counts is another matter there"
    return f"{what}the target lacks {collation}, {chosen.collation} is used instead{lost}"
