"""Transactions and their rows for people."""

from __future__ import annotations

from dm_binlog.items import (
    Begin,
    Ended,
    Group,
    Gtid,
    Head,
    Image,
    Item,
    Original,
    Placed,
    Remark,
    Rotate,
    Rows,
    Started,
    Statement,
    Step,
    Unreadable,
)
from dm_binlog.values import shown
from dm_binlog.words import clock, plural, size_text
from dm_binlog.writer import Segment, Writer
from pkg.binlog.column_plan import Kind

COLOURS = {"insert": "green", "update": "yellow", "delete": "red"}
_SIGNS = {"insert": "+", "update": "~", "delete": "-"}
_OUTCOMES = {"commit": "commit", "rollback": "rolled back", "prepare": "prepared, not yet committed"}
_DIM, _PLACE = "bright_black", "cyan"
_LONGEST_VALUE, _LONGEST_LINE, _MOST_NULLS = 80, 300, 3
_CHECKPOINT = 161  # MariaDB's marks for its own crash recovery


class TextView:
    """Draws what is shown of one file after the other."""

    def __init__(self, writer: Writer, *, full: bool) -> None:
        self._writer = writer
        self._full = full
        self._open: Group | None = None
        self._has_head = False

    def show(self, step: Step) -> None:
        match step:
            case Started(group):
                self.end_file()
                self._open, self._has_head = group, False
            case Placed(item, None):
                self._outside(item)
            case Placed(item, group) if group is not None:
                self._inside(item, group)
            case Ended(group):
                self._foot(group)
                self._open = None

    def end_file(self) -> None:
        """A transaction may be open whose end is not shown."""
        if self._open is not None:
            self._head(self._open)
            self._writer.line(("└ …", _DIM))
        self._open = None

    # ---- the file

    def _outside(self, item: Item) -> None:
        place = (f"{item.frame.start}  ", _PLACE)
        match item.meaning:
            case Head(version, checksum, is_in_use):
                facts = [version, "with checksums" if checksum else "without checksums"]
                if item.frame.timestamp:
                    facts.append(f"begun {clock(item.frame.timestamp)}")
                facts += ["not closed by its server"] if is_in_use else []
                self._writer.line((item.frame.file, "bold"), ("  " + " · ".join(facts), _DIM))
            case Rotate(text):
                self._writer.line(("  ", ""), place, (text, _DIM))
            case Unreadable(_, kind, reason):
                self._writer.line(("  ", ""), place, (f"{kind}: not readable: {reason}", "red"))
            case Remark(text) if text and item.frame.code != _CHECKPOINT:
                self._writer.line(("  ", ""), place, (text, _DIM))

    # ---- transactions

    def _inside(self, item: Item, group: Group) -> None:
        meaning = item.meaning
        if isinstance(meaning, Gtid):
            return
        if isinstance(meaning, Statement) and (meaning.ends or not group.has_begun):
            self._alone(meaning, group)
            return
        self._head(group)
        match meaning:
            case Begin(sql) if sql != "BEGIN":
                self._sql(sql, "│ ", _DIM)
            case Rows():
                self._rows(item, meaning)
            case Original(sql):
                self._sql(sql if self._full else _cut(sql), "│ ", f"italic {_DIM}")
            case Statement():
                self._bar(item, ("statement", "bold magenta"), (_context(meaning), _DIM))
                self._sql(meaning.sql, "│   ", "")
            case Unreadable(table, kind, reason):
                self._bar(item, (f"{kind} {table}".rstrip(), "bold"), (f"  not readable: {reason}", "red"))
            case Remark(text):
                self._bar(item, (text, _DIM))

    def _head(self, group: Group) -> None:
        if not self._has_head:
            self._writer.line()
            self._writer.line(("┌ ", _DIM), *_title(group), (f"  server {group.server_id}", _DIM))
        self._has_head = True

    def _alone(self, statement: Statement, group: Group) -> None:
        self._has_head = True
        self._writer.line()
        self._writer.line(
            ("• ", _DIM), *_title(group), ("  statement", "bold magenta"), (_context(statement), _DIM)
        )  # fmt: skip
        self._sql(statement.sql, "    ", "")

    def _foot(self, group: Group) -> None:
        if group.outcome == "statement" or not self._has_head:
            return
        if not group.outcome:
            self._writer.line(("└ …", _DIM))
            return
        facts = [f"ends at {group.end}", plural(group.rows, "row"), size_text(group.size)]
        facts += [plural(group.seconds, "second")] if group.seconds else []
        facts += [group.ending] if group.ending else []
        self._writer.line(("└ ", _DIM), (_OUTCOMES[group.outcome], "bold"), (" · " + " · ".join(facts), _DIM))

    def _bar(self, item: Item, *segments: Segment) -> None:
        self._writer.line(("│ ", _DIM), (f"{item.frame.start}  ", _PLACE), *segments)

    def _sql(self, sql: str, lead: str, style: str) -> None:
        for line in sql.strip().splitlines():
            self._writer.line((lead, _DIM), (line, style))

    # ---- rows

    def _rows(self, item: Item, rows: Rows) -> None:
        colour = COLOURS[rows.kind]
        facts = f"  {plural(rows.count, 'row')}, {size_text(item.frame.size)}"
        self._bar(item, (rows.kind, f"bold {colour}"), (f" {rows.layout.full_name}", "bold"), (facts, _DIM))
        lead = [("│   ", _DIM), (f"{_SIGNS[rows.kind]} ", colour)]
        hanging = [("│     ", _DIM)]
        if rows.kind == "update":
            pairs = zip(rows.images[::2], rows.images[1::2], strict=True)
            for before, after in pairs:
                self._writer.fields(lead, hanging, self._changes(rows, before, after))
            return
        for image in rows.images:
            self._writer.fields(lead, hanging, self._row(rows, image, colour))

    def _row(self, rows: Rows, image: Image, colour: str) -> list[list[Segment]]:
        """All columns; many that are NULL are counted."""
        nulls = image.count(b"NULL")
        if self._full or nulls <= _MOST_NULLS:
            return self._values(rows, image, range(len(image)), colour)
        places = tuple(n for n, literal in enumerate(image) if literal != b"NULL")
        return [*self._values(rows, image, places, colour), [(f"and {nulls} columns NULL", _DIM)]]

    def _values(self, rows: Rows, image: Image, places: range | tuple[int, ...], colour: str) -> list[list[Segment]]:
        return [
            [(f"{rows.layout.names[place]}=", _DIM), (self._text(rows, place, literal), colour)]
            for place in places
            if (literal := image[place]) is not None
        ]

    def _changes(self, rows: Rows, before: Image, after: Image) -> list[list[Segment]]:
        """What names the row, then what changed."""
        changed = [n for n, new in enumerate(after) if new is not None and new != before[n]]
        key = rows.layout.key or tuple(n for n, old in enumerate(before) if old is not None)[: _key_size(before)]
        fields = self._values(rows, before, key, "bold")
        for place in changed:
            old, new = before[place], after[place]
            field: list[Segment] = [(f"{rows.layout.names[place]} ", _DIM)]
            field += [(self._text(rows, place, old), "red")] if old is not None else []
            field += [(" → ", _DIM), (self._text(rows, place, new or b""), "green")]
            fields.append(field)
        return fields if changed else [*fields, [("nothing changed", _DIM)]]

    def _text(self, rows: Rows, place: int, literal: bytes) -> str:
        text = shown(literal, None if self._full else _LONGEST_VALUE)
        if text[0] == "-" and not rows.layout.signs_known and rows.layout.plans[place].kind is Kind.INT:
            size = rows.layout.plans[place].size
            text += f" (or {int(text) + (1 << 8 * size)})"
        return text


def _title(group: Group) -> list[Segment]:
    title = [(f"{group.start}", f"bold {_PLACE}"), (f"  {clock(group.timestamp)}", "")]
    return [*title, (f"  {group.gtid}", "blue")] if group.gtid else title


def _key_size(before: Image) -> int:
    """Of a row that no key is known of: its first column; of one that was logged in part, all that was."""
    return 1 if None not in before else len(before)


def _context(statement: Statement) -> str:
    return (f" in {statement.schema}" if statement.schema else "") + (f"  ({statement.note})" if statement.note else "")


def _cut(sql: str) -> str:
    """A statement whose rows follow is shown by its beginning."""
    sql = " ".join(sql.split())
    return sql if len(sql) <= _LONGEST_LINE else f"{sql[:_LONGEST_LINE]}… ({len(sql):,} characters)"
