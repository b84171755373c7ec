"""The edits of a CREATE TABLE's columns, keys and options for a target."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pkg.binlog.charset import decode
from pkg.schema.alter import AlterClause
from pkg.schema.charset import MAX_BYTES, Charset
from pkg.schema.checks_there import in_force, moved_for_mysql
from pkg.schema.collation import nearest, nearest_of_utf8mb4, note_on
from pkg.schema.column_types import BINARY_TYPES, TEXT_TYPES, is_bulky, too_long
from pkg.schema.columns import ColumnSpec
from pkg.schema.create import Element, TableSpec
from pkg.schema.cursor import Clause
from pkg.schema.defaults import text_of_double, without_set
from pkg.schema.indexes import Constraint, ForeignKeySpec, IndexSpec, foreign_name_there, makes_long_names
from pkg.schema.key_parts import TINY, key_bytes
from pkg.schema.key_text import key_text
from pkg.schema.letter_case import small
from pkg.schema.lexer import bytes_of_digits, quote_name, quote_string, string_value
from pkg.schema.mapping import is_rounded_again, larger_text, other_type, text_charset
from pkg.schema.statement import Edit
from pkg.schema.table import KEY_BYTES, STAND_IN_KEY, Column, Index, Table, has_foreign_keys
from pkg.schema.targets import (
    TargetRules,
    default_for,
    filled_by_tidb,
    is_day,
    is_now,
    precision,
    rules_for,
    takes_moment,
    uses_sequence,
)

WHOLE_TABLE = ""  # among the names of columns
CHARSET_WORDS = frozenset({"CHARSET", "CHARACTER", "CHAR", "COLLATE"})
_TYPE_CHARSET_WORDS = CHARSET_WORDS | {"BINARY", "ASCII", "UNICODE", "BYTE"}
_NATIONAL = ("n", "json")  # nchar, nvarchar, national …; MariaDB's json: words that allow no character set
_OVERLAPS = " WITHOUT OVERLAPS)"
_IS_NO_PRIMARY = f"the primary key is the unique key {STAND_IN_KEY}: MariaDB has none over generated columns"
_NO_END = "'2038-01-19 03:14:07'"
_NO_END_AS_NUMBER = 2**64 - 1  # of a transaction
_REFERENCE = re.compile(
    r"(?:CONSTRAINT\b(?:\s*`(?:[^`]|``)*`|\s+[\w$]+)?\s*)?\b(REFERENCES)\b", re.ASCII | re.IGNORECASE
)
_MADE_CHECK = re.compile(r"CONSTRAINT_\d+", re.ASCII | re.IGNORECASE)
_CHECK = re.compile(r"(?<=\s|`)CHECK\b", re.ASCII | re.IGNORECASE)
_TEXTS_OF_NUMBERS = ("char", "varchar", "binary", "varbinary")
HIDDEN_THERE = {"IGNORED": "INVISIBLE", "NOT": "VISIBLE"}  # by MariaDB's first word: NOT IGNORED
_SAME = TargetRules("", options=(), attributes=())


class Editor:
    """Collects edits of one statement's text and notes about them."""

    def __init__(self, text: str, flavor: str, collations: Collection[str], *, has_sequences: bool = False) -> None:
        self.text = text
        self.has_sequences = has_sequences  # whether the target has those that defaults name
        self.rules = rules_for(flavor) if flavor else _SAME
        self.edits: list[Edit] = []
        self.notes: list[str] = []
        self.key_columns: frozenset[str] = frozenset()  # of the table after the statement, in lower case
        self.table: Table | None = None  # after the statement, as far as it is known
        self.uncounted: frozenset[str] = frozenset()  # columns, in lower case, to which TiDB gives no AUTO_INCREMENT
        self.generated_there: Mapping[str, str] = {}  # how TiDB generates columns, in lower case, of an ALTER
        # Columns, in lower case, whose text TiDB takes to no other set than utf8mb4; WHOLE_TABLE: so is the default.
        self.stays_utf8mb4: frozenset[str] = frozenset()
        self.keys_there: frozenset[str] = frozenset()
        self._collations = collations

    @property
    def to_mariadb(self) -> bool:
        return self.rules.flavor in ("mariadb", "")

    def insert(self, place: int, text: str) -> None:
        glued = self.text[place : place + 1].strip(" \t\r\n,;)/")
        self.edits.append((place, place, f"{text} " if text and glued else text))

    def replace(self, clause: Clause, text: str) -> None:
        self.edits.append((clause.start, clause.end, text))

    def remove(self, start: int, end: int) -> None:
        self.edits.append((start, end, ""))

    def note(self, text: str) -> None:
        if text and text not in self.notes:
            self.notes.append(text)

    def charset(self, what: str, wanted: Charset) -> Charset:
        """The target's nearest to ``wanted``."""
        chosen = nearest(wanted.collation, self._collations)
        self.note(note_on(what, wanted.collation, chosen))
        return chosen

    def column_charset(self, column: Column) -> Charset:
        """The same for a text column, which may belong to a key."""
        chosen, note = self._text_charset(column)
        self.note(note)
        return chosen

    def _text_charset(self, column: Column) -> tuple[Charset, str]:
        in_key = small(column.name) in self.key_columns
        what = f"column {column.name}"
        chosen, note = text_charset(column, self._collations, self.rules.flavor, in_key=in_key, what=what)
        return self._staying(small(column.name), what, column.collation or "", in_key, chosen, note)

    def _staying(
        self, name: str, what: str, wanted: str, in_key: bool, chosen: Charset, note: str
    ) -> tuple[Charset, str]:
        if name not in self.stays_utf8mb4 or chosen.name in ("utf8mb4", "binary"):
            return chosen, note
        kept = nearest_of_utf8mb4(wanted, self._collations, in_key=in_key)
        return kept, f"{what} stays in utf8mb4, which the target changes to no other set: {kept.collation}"

    def charset_name(self, column: Column) -> str:
        """The set that the column's text is in there."""
        return self._text_charset(column)[0].name if column.collation else ""

    def table_charset(self, table: Table) -> Charset:
        """The target's nearest to the table's default."""
        what, chosen = f"table {table.name}", nearest(table.collation, self._collations)
        note = note_on(what, table.collation, chosen)
        chosen, note = self._staying(WHOLE_TABLE, what, table.collation, False, chosen, note)
        self.note(note)
        return chosen


def element_edits(editor: Editor, spec: TableSpec, table: Table) -> None:
    """Columns are edited in place; keys that the target does not take go, with a comma beside them."""
    editor.key_columns, editor.table = table.constrained_columns, table
    has_parents = has_foreign_keys(table.engine)
    periods = {} if editor.to_mariadb else dict(_periods(spec))
    never_null = {small(name) for columns in periods.values() for name in columns}
    never_null |= set(_without_null(editor, spec, table))
    kept = [
        period_edit(editor, element, periods) or _takes_element(editor, element, has_parents)
        for element in spec.elements
    ]
    for number, element in enumerate(spec.elements):
        item = element.item
        if not kept[number]:
            editor.remove(*removed(spec.elements, kept, number))
        elif isinstance(item, ColumnSpec):
            column = table.column(item.name)
            if column is not None:
                if small(item.name) in never_null and item.nullable is None and not item.generated:
                    editor.insert(item.type_clause.end, " NOT NULL ")
                column_edits(editor, item, column)
                check_edits(editor, item, table, element.clause.end, ", ")
                own_generated_key_edit(editor, item, element.clause.end, ", ")
                if not whole_unique_edit(editor, item, table, element.clause.end, ""):
                    _said_unique_edit(editor, item, spec, table, element.clause.end)
                reference_edits(editor, item, has_parents)
        elif isinstance(item, Constraint):
            _force_edits(editor, item, element.clause)
            _unname_check(editor, item, element.clause)
        elif (
            isinstance(item, IndexSpec)
            and not _over_period(item)
            and not key_length_edit(editor, item, element.clause, table)
            and not generated_key_edit(editor, item, element.clause, table)
        ):
            visibility_edits(editor, item)
    _name_foreign_keys(editor, spec, table, has_parents)
    made = _made_keys(editor, spec, table, has_parents)
    if made and spec.elements:
        text = "".join(f", {key_text(index, editor.rules.flavor)}" for index in made)
        editor.insert(spec.elements[-1].clause.end, text)


def _periods(spec: TableSpec) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The periods of an application, by name in lower case, with their columns."""
    for element in spec.elements:
        if isinstance(element.item, Constraint) and element.item.period.upper() not in ("", "SYSTEM_TIME"):
            yield small(element.item.period), element.item.columns


def _over_period(item: IndexSpec) -> str:
    """The period, in lower case, whose rows the key keeps apart."""
    last = item.parts[-1][0]
    return small(last[1:].removesuffix(_OVERLAPS)) if last.endswith(_OVERLAPS) else ""


def period_edit(editor: Editor, element: Element, periods: Mapping[str, tuple[str, ...]]) -> bool:
    """Write a period as the CHECK that it implies, a key without overlaps as one over its columns; whether it was."""
    item, text = element.item, ""
    if isinstance(item, Constraint) and small(item.period) in periods:
        start, end = map(quote_name, item.columns)
        text = f"CHECK ({start} < {end})"
        editor.note(f"the period {item.period} is a CHECK in the target, which has no periods")
    elif isinstance(item, IndexSpec) and _over_period(item) in periods:
        start, end = periods[_over_period(item)]
        columns = [*(name for name, _ in item.parts[:-1]), end, start]  # as MariaDB has it
        kind = "PRIMARY KEY" if item.primary else f"UNIQUE KEY {quote_name(item.name)}"
        text = f"{kind} ({', '.join(map(quote_name, columns))})"
        editor.note(f"key {item.name or kind} is over {', '.join(columns)} in the target, which takes overlaps")
    if text:
        editor.replace(element.clause, text)
    return bool(text)


def _name_foreign_keys(editor: Editor, spec: TableSpec, table: Table, has_parents: bool) -> None:
    """TiDB names foreign keys in its own way, and passes over REFERENCES behind a column; MySQL's have short names.

    MariaDB counts those without a name from 1, whatever names are said: it is told all, or none.
    """
    takes_key_names = any(one.takes_key_name for one in spec.foreign_keys)
    long_names = makes_long_names(table.name)
    is_other = _names_references(spec) or long_names or takes_key_names
    is_told = editor.rules.flavor == "tidb" or (editor.rules.flavor == "mysql" and is_other)
    is_told = is_told or (editor.to_mariadb and _names_keys_alone(spec))
    if not is_told or not has_parents or len(spec.foreign_keys) != len(table.foreign_keys):
        return
    names = {
        id(one): foreign_name_there(key.name) for one, key in zip(spec.foreign_keys, table.foreign_keys, strict=True)
    }
    for item, start in ((element.item, element.clause.start) for element in spec.elements):
        if isinstance(item, ForeignKeySpec) and (not item.name or item.takes_key_name):
            if editor.rules.flavor == "mysql" and not (item.takes_key_name or long_names):
                continue  # MySQL names it, and its key, as MariaDB does
            editor.insert(start, f"CONSTRAINT {quote_name(names[id(item)])}")
        elif isinstance(item, ColumnSpec) and item.reference is not None:
            found = _reference(editor, item.clauses[-1])
            if found is not None and editor.to_mariadb:
                name = f"CONSTRAINT {quote_name(names[id(item.reference)])} "
                editor.edits.append((found.start(), found.start(1), name))
            elif found is not None:
                is_named_there = editor.rules.flavor == "mysql" and not item.reference.name and not long_names
                name = "" if is_named_there else f"CONSTRAINT {quote_name(names[id(item.reference)])} "
                head = f", {name}FOREIGN KEY ({quote_name(item.name)}) "
                editor.edits.append((found.start(), found.start(1), head))
            else:
                editor.note(f"column {item.name} has no foreign key in the target, which passes over its REFERENCES")


def _names_keys_alone(spec: TableSpec) -> bool:
    """Whether MySQL gives a name that is said to a key alone, which MariaDB gives to the foreign key."""
    return any(one.names_key_alone for one in spec.foreign_keys)


def _names_references(spec: TableSpec) -> bool:
    """Whether CONSTRAINT name REFERENCES stands behind a column, which MariaDB alone takes."""
    return any(column.reference is not None and column.reference.name for column in spec.columns)


def _made_keys(editor: Editor, spec: TableSpec, table: Table, has_parents: bool) -> list[Index]:
    """Keys that the upstream made, and the target does not make by itself or not under these names."""
    flavor, made = editor.rules.flavor, list(table.indexes[len(spec.keys) :])
    if not flavor or (has_parents and flavor != "tidb"):
        is_told = flavor == "mariadb" and _names_keys_alone(spec)
        own = {small(one.name) for one in spec.foreign_keys}  # MariaDB names keys by the foreign keys' names
        made = [one for one in made if is_told and small(one.name) not in own]
    if not has_parents and spec.foreign_keys and flavor:
        editor.note(f"table {table.name} has no foreign keys in the target: those of {table.engine} are without effect")
    counters = [column.name for column in table.columns if column.auto_increment]
    first = {small(index.columns[0]) for index in (*table.indexes, *made)}
    if counters and small(counters[0]) not in first and flavor in ("mysql", "mariadb"):
        made.append(Index(f"{counters[0]}_counter", (counters[0],), (None,), unique=False, primary=False))
        editor.note(f"table {table.name} has the key {made[-1].name} in the target, as InnoDB needs for AUTO_INCREMENT")
    return made


def _takes_element(editor: Editor, element: Element, has_parents: bool) -> bool:
    if isinstance(element.item, ForeignKeySpec):
        return has_parents or not editor.rules.flavor
    return takes_key(editor, element.item)


def reference_edits(editor: Editor, spec: ColumnSpec, has_parents: bool) -> None:
    """REFERENCES behind a column."""
    for clause in spec.clauses:
        if _reference(editor, clause) is not None and not has_parents and editor.rules.flavor:
            editor.remove(clause.start, clause.end)


def _reference(editor: Editor, clause: Clause) -> re.Match[str] | None:
    """Up to the word REFERENCES, which is its group; None where the clause is another one."""
    return _REFERENCE.match(editor.text, clause.start, clause.end)


def removed(parts: Sequence[Element | AlterClause], kept: Sequence[bool], number: int) -> tuple[int, int]:
    """From where to where one part of a list goes: with the comma before it, else with the one behind it."""
    if any(kept[:number]):
        return parts[number - 1].clause.end, parts[number].clause.end
    return parts[number].clause.start, parts[number + 1].clause.start


def key_length_edit(editor: Editor, item: IndexSpec, clause: Clause, table: Table, head: str = "") -> bool:
    """Write a key with lengths where it has none and the target asks for them; whether it was such a key.

    MariaDB alone takes whole texts, and it shortens a plain key that is too long; more bytes for a character may make
    one too long in the target.
    """
    columns = {name: table.column(name) for name, _ in item.parts}
    if editor.to_mariadb or item.kind or item.primary or any(name.startswith("(") for name in columns):
        return False
    room = KEY_BYTES // len(item.parts)
    sizes = {name: _bytes_of_part(editor, columns[name], prefix) for name, prefix in item.parts}
    whole = [name for name, size in sizes.items() if size > room and sum(sizes.values()) > KEY_BYTES]
    if not whole:
        return False
    named = item.index(item.name or item.parts[0][0])
    lengths = [_prefix(columns[name], room) if name in whole else prefix for name, prefix in item.parts]
    plain = replace(named, prefixes=tuple(lengths), unique=False)
    editor.replace(clause, head + key_text(plain, editor.rules.flavor))
    _announce_length(editor, named.name, item.unique, whole)
    return True


def generated_key_edit(editor: Editor, item: IndexSpec, clause: Clause, table: Table, head: str = "") -> bool:
    """Write a primary key over generated columns, which MariaDB lacks, as a unique one; whether it was such a key."""
    if editor.rules.flavor != "mariadb" or not item.primary or not _is_over_generated(item, table):
        return False
    editor.replace(clause, head + _unique_text(item))
    editor.note(_IS_NO_PRIMARY)
    return True


def _is_over_generated(item: IndexSpec, table: Table) -> bool:
    columns = [table.column(name) for name, _ in item.parts]
    return any(one is not None and one.generated for one in columns)


def _without_null(editor: Editor, spec: TableSpec, table: Table) -> Collection[str]:
    """Columns, in lower case, to which the upstream's primary key alone gives NOT NULL: the target has no such key."""
    if editor.rules.flavor != "mariadb":
        return ()
    keys = (one for one in spec.keys if one.primary and _is_over_generated(one, table))
    return {small(name) for key in keys for name, _ in key.parts}


def own_generated_key_edit(editor: Editor, spec: ColumnSpec, end: int, head: str) -> None:
    """The same where PRIMARY KEY stands behind the column; ``end``, ``head``: see check_edits."""
    primary = next((key for key in spec.keys if key.primary), None)
    word = next((one for one in spec.clauses if one.key in ("PRIMARY", "KEY")), None)
    if editor.rules.flavor == "mariadb" and spec.generated and primary is not None and word is not None:
        editor.remove(word.start, word.end)
        editor.insert(end, head + _unique_text(primary))
        editor.note(_IS_NO_PRIMARY)


def _unique_text(primary: IndexSpec) -> str:
    return key_text(replace(primary.index(STAND_IN_KEY), primary=False), "mariadb")


def _announce_length(editor: Editor, name: str, unique: bool, columns: Sequence[str]) -> None:
    if unique:
        editor.note(f"key {name} is not unique in the target, which has no unique keys over texts that long")
    else:
        editor.note(f"key {name} is over the beginning of {', '.join(columns)} in the target, which has no longer keys")


def _bytes_of_part(editor: Editor, column: Column | None, prefix: int | None) -> float:
    if column is None:
        return 0
    return key_bytes(column, prefix, MAX_BYTES.get(editor.charset_name(column), 1), editor.rules.flavor)


def _prefix(column: Column | None, room: int) -> int:
    """Characters that fit into so many bytes of a key, where each may take four."""
    room = min(room, TINY if column is not None and column.base_type.startswith("tiny") else room)
    return room if column is None or column.base_type.endswith(("blob", "binary")) else room // 4


def whole_unique_edit(editor: Editor, spec: ColumnSpec, table: Table, end: int, head: str) -> bool:
    """UNIQUE behind a long text, which MariaDB alone takes, as a plain key ``head`` behind the place ``end``.

    Whether it was such a text.
    """
    word, made, column = *_own_unique(spec, table), table.column(spec.name)
    if editor.to_mariadb or word is None or made is None or column is None:
        return False
    if not is_bulky(column.base_type) and _bytes_of_part(editor, column, None) <= KEY_BYTES:
        return False
    editor.remove(word.start, word.end)
    plain = replace(made, prefixes=(_prefix(column, KEY_BYTES),), unique=False)
    editor.insert(end, f", {head}{key_text(plain, editor.rules.flavor)}")
    _announce_length(editor, made.name, True, ())
    return True


def _said_unique_edit(editor: Editor, column: ColumnSpec, spec: TableSpec, table: Table, end: int) -> None:
    """UNIQUE behind a column that another key begins with, by its name: TiDB gives it another one then."""
    word, made = _own_unique(column, table)
    others = [key for key in spec.keys if key not in column.keys and small(key.parts[0][0]) == small(column.name)]
    if editor.rules.flavor != "tidb" or not others or word is None or made is None or any(made.prefixes):
        return
    editor.remove(word.start, word.end)
    editor.insert(end, f", {key_text(made, editor.rules.flavor)}")


def _own_unique(column: ColumnSpec, table: Table) -> tuple[Clause | None, Index | None]:
    """The word UNIQUE behind a column, and the key that it makes."""
    keys = (one for one in table.indexes if one.unique and not one.primary and one.columns == (column.name,))
    return next((one for one in column.clauses if one.key == "UNIQUE"), None), next(keys, None)


def takes_key(editor: Editor, item: object) -> bool:
    """Whether the target takes a key or constraint; says so in a note where it does not."""
    if isinstance(item, Constraint):
        return editor.to_mariadb or not item.columns
    if not isinstance(item, IndexSpec):
        return True
    reason = ""
    parts = [name for name, _ in item.parts]
    if item.kind in editor.rules.key_kinds:
        reason = f"{item.kind.lower()} keys are not supported by the target"
    elif not editor.to_mariadb and any(name.endswith(" WITHOUT OVERLAPS)") for name in parts):
        reason = "the target has no periods"
    elif editor.rules.flavor == "mariadb" and any(name.startswith("(") and "OVERLAPS" not in name for name in parts):
        reason = "MariaDB has no keys over expressions"
    elif item.kind == "FULLTEXT" and editor.rules.flavor == "mariadb" and len(set(_collations(editor, parts))) > 1:
        reason = "MariaDB has no FULLTEXT key over columns of several collations"
    if reason:
        editor.note(f"key {item.name or ', '.join(parts)} is left out: {reason}")
    return not reason


def _collations(editor: Editor, names: Iterable[str]) -> Iterator[str]:
    """Of the target's columns of these names."""
    for column in map(editor.table.column, names) if editor.table is not None else ():
        if column is not None and column.base_type in TEXT_TYPES:
            yield editor.column_charset(column).collation


def engine_option_edits(editor: Editor, spec: ColumnSpec | IndexSpec, what: str) -> None:
    """Options that an engine defines, or IGNORE_BAD_TABLE_OPTIONS passed over: InnoDB has none of columns and keys."""
    for clause in spec.engine_options if editor.rules.flavor else ():
        editor.remove(clause.start, clause.end)
        editor.note(f"{what} has no {editor.text[clause.start : clause.end]} in the target, whose engine is InnoDB")


def note_visible(editor: Editor, key: str) -> None:
    editor.note(f"key {key} is not IGNORED in the target, as it is INVISIBLE upstream")


def visibility_edits(editor: Editor, index: IndexSpec) -> None:
    engine_option_edits(editor, index, f"key {index.name}")
    for clause in index.hashed if editor.rules.flavor == "mariadb" else ():  # InnoDB of MySQL passes it over
        editor.remove(clause.start, clause.end)
    for clause in index.visibility:
        if clause.key in editor.rules.key_visibility:
            editor.replace(clause, "" if editor.to_mariadb else HIDDEN_THERE[clause.key])
            if clause.key == "INVISIBLE":
                note_visible(editor, index.name)
            if clause.key == "WITH":
                parser = editor.text[clause.start : clause.end].split()[-1]
                editor.note(f"key {index.name} has the usual full-text parser in the target, which lacks {parser}")


def column_edits(editor: Editor, spec: ColumnSpec, column: Column, *, added: bool = False) -> None:
    """One column: its type and character set, its default, its attributes; ``added``: to a table with rows."""
    column = _fitted(editor, column)
    _type_edits(editor, spec, column)
    engine_option_edits(editor, spec, f"column {column.name}")
    if added and (value := spec.implicit_value(editor.rules.flavor)):
        editor.edits.append((spec.type_clause.end, spec.type_clause.end, f" DEFAULT {value}"))  # until the rows have it
    for clause in spec.clauses:
        if clause.key == "DEFAULT" and column.default is not None:
            _default_edit(editor, spec, column, clause, added)
        elif _is_denied(editor, clause, column):
            editor.remove(clause.start, clause.end)
        elif clause.key == "ON" and editor.rules.flavor not in ("", "mariadb"):
            _on_update_edit(editor, clause, column)
        elif clause.key in editor.rules.attributes or (clause.key == "INVISIBLE" and _must_show(editor, column)):
            editor.remove(clause.start, clause.end)
            if clause.key == "INVISIBLE":
                lacks = " without a default" * editor.to_mariadb
                editor.note(f"column {column.name} is visible in the target, which has no invisible columns{lacks}")
        elif clause.key == "AUTO_INCREMENT":
            _counter_edit(editor, spec, column, clause)
        elif clause.key in ("NOT", "NULL") and spec.generated and editor.rules.flavor == "mariadb":
            editor.remove(clause.start, clause.end)
            if clause.key == "NOT":
                editor.note(
                    f"column {column.name} may be NULL in the target: generated columns of MariaDB have no NOT NULL"
                )
        elif clause.key in ("GENERATED", "AS") and not editor.to_mariadb:
            _generated_edit(editor, spec, clause)
        elif (
            clause.key in ("CHECK", "CONSTRAINT")
            and editor.rules.flavor == "mariadb"
            and _is_not_enforced(editor, clause)
        ):
            editor.remove(clause.start, clause.end)


def check_edits(editor: Editor, spec: ColumnSpec, table: Table, end: int, head: str) -> None:
    """A CHECK that MySQL takes of no column; ``end``: of what says the column, ``head``: what stands before a CHECK."""
    if editor.rules.flavor == "mysql":
        columns = [small(column.name) for column in table.columns]
        editor.edits += moved_for_mysql(editor.text, spec, end, head, columns)


def _must_show(editor: Editor, column: Column) -> bool:
    """Whether MariaDB takes no INVISIBLE of the column, which a statement that does not name it could not fill."""
    fills_itself = column.nullable or column.default is not None or column.auto_increment or bool(column.generated)
    return editor.rules.flavor == "mariadb" and not fills_itself


def _counter_edit(editor: Editor, spec: ColumnSpec, column: Column, clause: Clause) -> None:
    """AUTO_INCREMENT, which TiDB gives to no column that takes NULL, and to none that it has already.

    SHOW CREATE TABLE leaves the NULL of such a column out.
    """
    if editor.rules.flavor == "tidb" and column.nullable:
        editor.remove(clause.start, clause.end)
        editor.note(f"column {spec.name} counts by itself no more in TiDB, whose AUTO_INCREMENT columns take no NULL")
    elif column.nullable and not spec.nullable:
        editor.insert(clause.end, " NULL")
    elif small(spec.name) in editor.uncounted:
        editor.replace(clause, "NOT NULL" if spec.nullable is None else "")
        editor.note(f"column {spec.name} has no AUTO_INCREMENT in TiDB, which gives it to columns of new tables only")


def _fitted(editor: Editor, column: Column) -> Column:
    """The column as it fits into a row of the target, whose character set may need more bytes for a character."""
    charset = editor.charset_name(column)
    if not editor.rules.flavor or not charset:
        return column
    if larger := larger_text(column, charset):
        editor.note(
            f"column {column.name} is a {larger} in the target, since its characters take more bytes in {charset}"
        )
        return replace(column, type=larger, base_type=larger)
    if not too_long(column.base_type, column.length, charset):
        return column
    editor.note(f"column {column.name} is a mediumtext in the target, where a {column.type} fits no row")
    return replace(column, type="mediumtext", base_type="mediumtext", length=None)


def _is_denied(editor: Editor, clause: Clause, column: Column) -> bool:
    """Whether the target refuses it: NULL of a primary key's column is MariaDB's alone, NOT SECONDARY MySQL's."""
    if not editor.rules.flavor:
        return False
    words = editor.text[clause.start : clause.end].upper().split()
    if words == ["NOT", "SECONDARY"]:
        return editor.rules.flavor != "mysql"
    return not column.nullable and words in (["NULL"], ["DEFAULT", "NULL"])


def _now(column: Column) -> str:
    """The present moment in the column's precision: MariaDB takes it so, and the others insist on these words."""
    return f"CURRENT_TIMESTAMP({column.fsp})" if column.fsp else "CURRENT_TIMESTAMP"


def _on_update_edit(editor: Editor, clause: Clause, column: Column) -> None:
    digits = "".join(re.findall(r"\d", editor.text[clause.start : clause.end], re.ASCII))
    if int(digits or 0) != column.fsp:
        editor.replace(clause, f"ON UPDATE {_now(column)}")


def _unname_check(editor: Editor, item: Constraint, clause: Clause) -> None:
    """MariaDB's own name of a CHECK is one in each table; in MySQL a name is one in the whole schema."""
    if editor.rules.flavor == "mysql" and _MADE_CHECK.fullmatch(item.name):
        check = _CHECK.search(editor.text, clause.start, clause.end)
        if check is not None:
            editor.remove(clause.start, check.start())


def _force_edits(editor: Editor, item: Constraint, check: Clause) -> None:
    """MariaDB enforces all."""
    if editor.rules.flavor == "mariadb" and not item.enforced:
        editor.edits += in_force(editor.text, check.start, check.end)


def _is_not_enforced(editor: Editor, check: Clause) -> bool:
    return re.search(r"NOT\s+ENFORCED$", editor.text[check.start : check.end], re.ASCII | re.IGNORECASE) is not None


def _type_edits(editor: Editor, spec: ColumnSpec, column: Column) -> None:
    foreign = other_type(editor.rules.flavor, spec.type.base)
    if foreign:
        editor.replace(spec.type_clause, foreign)
        if not foreign.startswith(spec.type.base) and not spec.type.base.startswith("geo"):
            editor.note(f"column {column.name} is a {foreign.split()[0]}: the target has no type {spec.type.base}")
        return
    if spec.type.base not in TEXT_TYPES:
        if spec.type.base == "bit" and editor.rules.flavor:
            editor.replace(spec.type_clause, column.type)
        elif spec.type.base == "varbinary" != column.base_type:
            editor.replace(spec.type_clause, re.sub(r"( unsigned)?( zerofill)?$", "", column.type))
        elif is_rounded_again(editor.rules.flavor, column.type) and not spec.generated:
            editor.replace(spec.type_clause, "double")
            editor.note(f"column {column.name} is a double: the target would change the last digits of a {column.type}")
        return
    written = editor.text[spec.type_clause.start : spec.type_clause.end].lower()
    if written.startswith("json") and editor.to_mariadb:
        return  # a text with a CHECK, which is made there as well
    for clause in spec.clauses:
        if clause.key in _TYPE_CHARSET_WORDS:
            editor.remove(clause.start, clause.end)
    text = f" CHARACTER SET {_named(editor, column)}" if column.base_type in TEXT_TYPES else ""
    if (
        spec.type.labels
        and column.labels != spec.type.labels
        and column.charset != "binary"
        and not any(isinstance(one, bytes) for one in spec.type.labels)
    ):
        editor.note(
            f"column {column.name}: labels with characters that {column.charset} lacks have ? for them, as upstream"
        )
    if _is_written_anew(spec, column, written):
        editor.replace(spec.type_clause, _type_text(column) + text)
    else:
        editor.insert(spec.type_clause.end, text)


def _type_text(column: Column) -> str:
    """The type; labels in binary as digits, which no connection converts."""
    if column.labels and column.charset == "binary":
        return f"{column.base_type}({','.join('0x' + label.encode().hex() for label in column.labels)})"
    return column.type


def _is_written_anew(spec: ColumnSpec, column: Column, written: str) -> bool:
    """Whether the type's words do not mean at the target what they mean upstream."""
    has_other_labels = bool(spec.type.labels) and column.labels != spec.type.labels
    is_other = column.base_type not in TEXT_TYPES or column.base_type == "mediumtext"
    is_other |= column.base_type.endswith("text") and column.base_type != spec.type.base
    is_other |= spec.type.base == "text" and bool(spec.type.arguments)  # its size depends on the character set
    return has_other_labels or is_other or written.startswith(_NATIONAL)


def _named(editor: Editor, column: Column) -> str:
    chosen = editor.column_charset(column)
    return f"{chosen.name} COLLATE {chosen.collation}"


def _default_edit(editor: Editor, spec: ColumnSpec, column: Column, clause: Clause, added: bool) -> None:
    if not editor.rules.flavor:
        return
    written = editor.text[clause.start : clause.end][len("DEFAULT") :].strip()
    default = spec.default or "NULL"
    wanted = default_text(editor, column, default, written)
    if added and editor.rules.flavor == "tidb" and not filled_by_tidb(column.base_type, default):
        if wanted is not None and is_day(default):  # it gets it when the rows have their values
            editor.remove(clause.start, clause.end)
            return
        wanted = None
    if wanted is None:
        editor.remove(clause.start, clause.end)
        reason = "replication leaves sequences out" if uses_sequence(default) else "which does not take"
        editor.note(f"column {column.name} has no default in the target, {reason}: DEFAULT {written}")
    elif wanted != written:
        editor.replace(clause, f"DEFAULT {wanted}")


def default_text(editor: Editor, column: Column, default: str, written: str) -> str | None:
    """What to write after DEFAULT for a default that columns keep as ``default``; None: the target takes none such."""
    flavor, is_moment = editor.rules.flavor, takes_moment(column.base_type)
    written = _without_excess(column, _text_of_bytes(column, written))
    if flavor == "tidb" and column.base_type in _TEXTS_OF_NUMBERS:
        written = text_of_double(written, column.length)
    if uses_sequence(default) and not editor.has_sequences:
        return None
    if flavor == "mariadb" or not is_now(default) or (is_moment and precision(default) == column.fsp):
        return default_for(flavor, column.base_type, default, written)
    if flavor == "tidb":
        return _now(column) if is_moment else None
    return _now(column) if is_moment else f"({default})"


def _text_of_bytes(column: Column, written: str) -> str:
    """A default that is the bytes of a text in the column's set, as that text: the target's set may be another one.

    MySQL shows characters beyond the basic plane so.  And what is the bytes of a column of bytes, as no text.
    """
    if column.base_type in BINARY_TYPES:
        return without_set(written)
    if column.base_type not in TEXT_TYPES or column.charset in (None, "binary"):
        return written
    raw = bytes_of_digits(written)
    try:
        return quote_string(decode(raw, column.charset)) if raw is not None else written
    except (UnicodeDecodeError, ValueError):
        return written


def _without_excess(column: Column, written: str) -> str:
    """A default that MySQL cuts: MariaDB refuses blanks that its column has no room for, and TiDB keeps them."""
    if not written.startswith("'") or column.base_type not in ("char", "varchar") or column.length is None:
        return written
    value = string_value(written)
    excess = value[column.length :]
    return quote_string(value[: column.length]) if excess and not excess.strip(" ") else written


def _of_current_rows(editor: Editor, spec: ColumnSpec) -> str:
    """What stands for ROW START and ROW END: a key takes no NULL, and only rows without an end go to the target."""
    if spec.row_period != "END" or small(spec.name) not in editor.key_columns:
        return "NULL"
    return f"NOT NULL DEFAULT {_NO_END_AS_NUMBER if spec.type.base == 'bigint' else _NO_END}"


def _generated_edit(editor: Editor, spec: ColumnSpec, clause: Clause) -> None:
    if spec.row_period:
        editor.replace(clause, _of_current_rows(editor, spec))
        return
    word = re.search(
        r"(?<=\))\s*(VIRTUAL|STORED|PERSISTENT)?$", editor.text[clause.start : clause.end], re.ASCII | re.IGNORECASE
    )
    wanted = editor.generated_there.get(small(spec.name), spec.generated)
    if wanted != spec.generated:
        editor.note(f"column {spec.name} is {wanted} in TiDB, which adds no STORED columns, and makes no others STORED")
    if word is not None and (wanted != spec.generated or (word[1] or "").upper() == "PERSISTENT"):
        editor.edits.append((clause.start + word.start(), clause.end, f" {wanted}"))
