"""Tables whose last chunk was read are told a few at a time."""

from __future__ import annotations

from collections.abc import Sequence

from dm_worker.loader.ended_tables import EndedTables


def test_a_table_is_told_once_all_of_its_chunks_are_read() -> None:
    told: list[Sequence[tuple[str, str]]] = []
    ended, t, u = EndedTables(told.append), ("s", "t"), ("s", "u")
    ended.begin([t, t, u])
    ended.done(t, 100.0)
    assert told == []
    ended.done(t, 100.5)
    assert told == [[t]]
    ended.done(u, 101.0)
    assert told == [[t]]  # soon
    ended.store(101.5)
    ended.store(102.0)
    assert told == [[t], [u]]
