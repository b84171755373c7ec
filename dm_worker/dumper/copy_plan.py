"""How the rows of one table are read and written: columns, expressions, key, kind of snapshot.

Pure: everything follows from the table's structure, so a restarted run copies as the first one did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dm_worker.dumper.chunks import Key, Range, best_key, condition
from dm_worker.dumper.copied_form import CopiedForm, copied_form
from dm_worker.dumper.expressions import (
    as_bytes,
    as_characters,
    as_document,
    as_named_labels,
    as_number,
    as_read_alike,
    bits,
    documents,
    lossy_texts,
    selected,
    unnamed_labels,
)
from dm_worker.dumper.read_documents import ReadDocument, read_documents
from pkg.adapters.meta_tables import quoted
from pkg.rows.tolerance import uncertain
from pkg.rules.column_rules import TableColumnRules
from pkg.schema.column_types import CHARACTER_TYPES
from pkg.schema.document_reads import expressions_of
from pkg.schema.letter_case import small
from pkg.schema.merged_keys import Part, unique_parts
from pkg.schema.table import Column, Table

NO_RULES = TableColumnRules()


@dataclass(frozen=True, slots=True)
class TableCopy:
    """One upstream table on its way to one downstream table."""

    schema: str
    name: str
    target_schema: str
    target_table: str
    columns: tuple[str, ...]  # quoted; generated columns are left out, invisible ones are not
    expressions: tuple[str, ...]
    key: Key | None
    is_pinned: bool  # no key: replication cannot repeat its rows harmlessly, so its snapshot has a location
    form: CopiedForm  # what the upstream's table has to be while a chunk is read
    lossy: Mapping[str, str] = field(default_factory=dict)  # expressions of text that Unicode may lack, and their sets
    uncertain: tuple[Column, ...] = ()  # upstream, with values that a strict target may refuse
    identity: tuple[str, ...] = ()  # the columns of the upstream's key that tells rows apart
    is_mapped: bool = False  # some of its values are the task's, as shards have them that are merged
    documents: frozenset[str] = frozenset()  # expressions of JSON whose numbers may have more digits than a double
    sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # those of SETs with a label '', and their labels
    bits: frozenset[str] = frozenset()  # those of BITs, which are bytes for a BIT, and numbers for all else
    unique: tuple[tuple[Part, ...], ...] = ()  # the parts of the upstream's unique keys
    reads: tuple[ReadDocument, ...] = ()  # what upstream is calculated of documents
    calculates: bool = False  # the upstream does so, in generated columns or unique keys
    is_narrowed: bool = False  # columns are left out that are gone upstream
    planned_text: str = ""  # digest of the text that ``form`` was read from; "" where that is not known any more

    def __str__(self) -> str:
        return self.upstream_name + (f" by its key {self.key}" if self.key is not None else "")

    @property
    def upstream_name(self) -> str:
        return f"{quoted(self.schema)}.{quoted(self.name)}"

    @property
    def downstream_name(self) -> str:
        return f"{quoted(self.target_schema)}.{quoted(self.target_table)}"

    def select(self, chunk: Range, expressions: Sequence[str] | None = None) -> str:
        """The chunk's rows; ``expressions``: what else than its columns is read of them.

        HIGH_PRIORITY counts where an engine locks whole tables: MariaDB would put the reader of a table that
        is kept locked behind the writers that wait for just this reader.
        """
        selected = self.expressions if expressions is None else expressions
        sql = f"SELECT HIGH_PRIORITY {', '.join(selected) or '1'} FROM {self.upstream_name}"
        if self.key is None or chunk == Range():
            return sql
        where = condition(tuple(quoted(name) for name in self.key.columns), chunk)
        return f"{sql} FORCE INDEX ({quoted(self.key.index)}) WHERE {where}"

    @property
    def names(self) -> list[str]:
        """Of the columns, in lower case."""
        return [small(column[1:-1].replace("``", "`")) for column in self.columns]

    def read_for(
        self,
        kept: Mapping[str, str],
        keys: frozenset[str],
        of_json: frozenset[str] = frozenset(),
        there: Mapping[str, Column] | None = None,
        *,
        takes_types: bool = True,
    ) -> TableCopy:
        """The same with text as the target's columns take it: as bytes, or as characters, where others are an error.

        ``kept`` has the target's columns that store bytes of a character set, with the set; ``keys`` are those of its
        unique keys, ``of_json`` those that take documents and keep no more digits of a number than a double,
        ``there`` all; all in lower case.  ``takes_types``: it calculates the same of a document and of its text.
        """
        if not self.is_read_for_target:
            return self
        pairs = list(zip(self.names, self.expressions, strict=True))
        labels = [self._unlike(one, (there or {}).get(name)) for name, one in pairs]
        texts = [
            label if label != one else self._text(one, kept.get(name), name in keys)
            for (name, one), label in zip(pairs, labels, strict=True)
        ]
        checked = [
            as_document(text) if name in of_json and one in self.documents else text
            for (name, one), text in zip(pairs, texts, strict=True)
        ]
        if not takes_types:
            for read in self.reads:
                self._refuse_unlike(read, checked, there or {})
        return replace(self, expressions=tuple(checked))

    def _refuse_unlike(self, read: ReadDocument, expressions: list[str], there: Mapping[str, Column]) -> None:
        """Make rows an error of whose text the target would calculate something else, where it does."""
        column = there.get(read.column)
        is_calculated = not read.column or (column is not None and bool(column.generated))
        if is_calculated and small(read.document) in self.names:
            place = self.names.index(small(read.document))
            expressions[place] = as_read_alike(expressions[place], read.condition)

    @property
    def is_read_for_target(self) -> bool:
        """Whether the target's columns say how some are read."""
        return bool(self.lossy or self.documents or self.sets or self.bits)

    def _unlike(self, expression: str, there: Column | None) -> str:
        """Of a value that a column of another type would take for something else: its number, or an error."""
        if expression in self.bits and there is not None and there.base_type != "bit":
            return as_number(expression)
        labels = self.sets.get(expression)
        if labels is None or (there is not None and there.base_type in CHARACTER_TYPES):
            return expression
        is_alike = there is not None and there.base_type == "set" and there.labels[: len(labels)] == labels
        return as_number(expression) if is_alike else as_named_labels(expression, labels)

    def _text(self, expression: str, kept: str | None, is_key: bool) -> str:
        charset = self.lossy.get(expression)
        if charset is None:
            return expression
        return as_bytes(expression) if charset == kept else as_characters(expression, charset, one_code=is_key)

    def written(self, statement: bytes, prefix: bytes, rows: int) -> bytes:
        """A statement of rows, as the target takes it: where all columns are generated, rows have no values."""
        return statement if self.columns else prefix + b",".join([b"()"] * rows)

    def insert_prefix(self, verb: str) -> str:
        return f"{verb} INTO {self.downstream_name} ({', '.join(self.columns)}) VALUES "


def plan_copy(table: Table, target_schema: str, target_table: str, rules: TableColumnRules = NO_RULES) -> TableCopy:
    pairs = selected(table, rules)
    mapped = {small(one.target) for one in rules.mapped}
    key = best_key(table)
    return TableCopy(
        table.schema,
        table.name,
        target_schema,
        target_table,
        tuple(column for column, _ in pairs),
        tuple(expression for _, expression in pairs),
        key,
        not table.identity_key,
        copied_form(table, key),
        lossy_texts(table, rules),
        uncertain(column for column in table.columns if small(column.name) not in mapped),
        tuple(table.columns[place].name for place in table.identity_key),
        bool(rules.mapped or rules.extracted),
        documents(table, rules),
        unnamed_labels(table, rules),
        bits(table, rules),
        unique_parts(table),
        tuple(read_documents(table)),
        any(expressions_of(table)),
    )


def plan_filled_copy(
    table: Table, target_schema: str, target_table: str, there: Table, rules: TableColumnRules = NO_RULES
) -> TableCopy:
    """The same into a table that is ``there``: its plain columns take the values of generated ones.

    What rows are read by, and what of the table must stay as it is, is what was planned.
    """
    planned = plan_copy(table, target_schema, target_table, rules)
    filled = {small(column.name) for column in there.columns if not column.generated}
    columns = tuple(
        replace(one, generated="", expression="") if one.generated and small(one.name) in filled else one
        for one in table.columns
    )
    if columns == table.columns or table.system_versioned:
        return planned
    copy = plan_copy(replace(table, columns=columns), target_schema, target_table, rules)
    return replace(
        copy, key=planned.key, is_pinned=planned.is_pinned, form=planned.form, identity=planned.identity,
        unique=planned.unique,
    )  # fmt: skip
