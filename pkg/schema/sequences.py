"""MariaDB's sequences, as their rows come by in the binlog: one row of eight columns, written anew each time."""

from __future__ import annotations

from pkg.binlog.table_layout import TableMap

_NAMES = (
    "next_not_cached_value", "minimum_value", "maximum_value", "start_value", "increment", "cache_size",
    "cycle_option", "cycle_count",
)  # fmt: skip
_TINY, _BIG = 1, 8
_INTEGERS = frozenset({1, 2, 3, 8, 9})
_BEHIND_VALUES = bytes((_BIG, _BIG, _TINY, _BIG))  # increment, cache size, cycle option, cycle count


def may_be_sequence(table_map: TableMap) -> bool:
    """Whether the rows have a sequence's columns; their names count where the binlog has them."""
    if table_map.column_names is not None:
        return tuple(table_map.column_names) == _NAMES
    if len(table_map.types) != len(_NAMES) or (table_map.unsigned is not None and not table_map.unsigned[5]):
        return False
    values, others = table_map.types[:4], table_map.types[4:]  # the values are of any integer type from 11.5 on
    return others == _BEHIND_VALUES and len(set(values)) == 1 and values[0] in _INTEGERS
