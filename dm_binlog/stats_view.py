"""--stats for people: tables, transactions, and rows over time as bars."""

from __future__ import annotations

from dm_binlog.items import Group
from dm_binlog.stats import Stats, TableCounts
from dm_binlog.words import clock, plural, size_text, span_text
from dm_binlog.writer import Writer

_DIM = "bright_black"
_MOST_TABLES, _MOST_BARS, _BAR = 40, 24, 40
_BLOCKS = " ▏▎▍▌▋▊▉█"


def draw_stats(stats: Stats, writer: Writer) -> None:
    _head(stats, writer)
    if stats.tables:
        _tables(stats, writer)
    if stats.biggest:
        _transactions(stats, writer)
    if stats.tables:
        _rate(stats, writer)


def _head(stats: Stats, writer: Writer) -> None:
    writer.line((", ".join(stats.files), "bold"), (f"  {' and '.join(stats.servers)}", _DIM))
    if stats.first_second is not None and stats.last_second is not None:
        span = span_text(stats.last_second - stats.first_second)
        writer.line(
            ("time         ", _DIM), (f"{clock(stats.first_second)} to {clock(stats.last_second)} UTC ({span})", "")
        )
    writer.line(("events       ", _DIM), (f"{stats.events:,}, {size_text(stats.size)}", ""))
    endings = {"commit": "", "rollback": "rolled back", "prepare": "prepared", "": "without their end"}
    others = [f"{count:,} {endings[outcome]}" for outcome, count in stats.outcomes.items() if endings[outcome]]
    text = f"{stats.transactions:,}" + (f" ({', '.join(others)})" if others else "")
    writer.line(("transactions ", _DIM), (text, ""))
    writer.line(
        ("statements   ", _DIM), (f"{stats.statements:,}", ""), ("  DDL, and changes that are logged as text", _DIM)
    )


def _tables(stats: Stats, writer: Writer) -> None:
    tables = sorted(stats.tables.items(), key=lambda entry: (-entry[1].rows, entry[0]))
    width = max(20, *(len(name) for name, _ in tables[:_MOST_TABLES]))
    writer.line()
    writer.line((f"{'table':{width}} {'inserts':>12} {'updates':>12} {'deletes':>12} {'size':>14}", "bold"))
    for name, table in tables[:_MOST_TABLES]:
        _table(name, table, width, writer)
    if len(tables) > _MOST_TABLES:
        writer.line((f"… and {plural(len(tables) - _MOST_TABLES, 'table')} with fewer rows (--json has all)", _DIM))
    total = TableCounts(*(sum(getattr(table, kind) for _, table in tables) for kind in TableCounts.__slots__))
    if len(tables) > 1:
        _table("all", total, width, writer)


def _table(name: str, table: TableCounts, width: int, writer: Writer) -> None:
    note = f"  and {plural(table.unreadable, 'event')} that cannot be read" if table.unreadable else ""
    writer.line(
        (f"{name:{width}} ", ""),
        (f"{table.insert:>12,} ", "green"),
        (f"{table.update:>12,} ", "yellow"),
        (f"{table.delete:>12,} ", "red"),
        (f"{size_text(table.size):>14}", ""),
        (note, "red"),
    )


def _transactions(stats: Stats, writer: Writer) -> None:
    writer.line()
    writer.line(("biggest transactions", "bold"))
    width = max(len(_place(group)) for group in stats.biggest)
    for group in stats.biggest:
        facts = f"{size_text(group.size):>14}  {plural(group.rows, 'row'):>14}"
        writer.line((f"  {_place(group):{width}}", "cyan"), (facts, ""), (f"  {group.gtid or ''}", "blue"))
    longest = stats.longest
    if longest is not None and longest.seconds:
        writer.line(
            ("longest      ", _DIM), (span_text(longest.seconds), ""), (f"  {_place(longest)}", "cyan"),
            (f"  {longest.gtid or ''}", "blue"),
        )  # fmt: skip
    elif longest is not None:
        writer.line(("longest      ", _DIM), ("all took less than a second", ""))


def _place(group: Group) -> str:
    return f"{group.file}:{group.start}"


def _rate(stats: Stats, writer: Writer) -> None:
    bucket, chart = stats.rate.chart(_MOST_BARS)
    highest = max((amount for _, amount in chart), default=0)
    if not highest:
        return
    writer.line()
    writer.line(("rows changed over time", "bold"), (f"  each line is {span_text(bucket)}", _DIM))
    for at, amount in chart:
        writer.line((f"  {clock(at)} ", _DIM), (f"{_bar(amount, highest):{_BAR}}", "green"), (f" {amount:>10,}", ""))


def _bar(amount: int, highest: int) -> str:
    """In eighths of a character; anything above nothing is seen."""
    eighths = max(1, round(amount * _BAR * 8 / highest)) if amount else 0
    return _BLOCKS[8] * (eighths // 8) + (_BLOCKS[eighths % 8] if eighths % 8 else "")
