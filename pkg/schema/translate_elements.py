"""The edits of a CREATE TABLE's columns, keys and options for a target."""

from __future__ import annotations

import re
from collections.abc import Collection

from pkg.schema.charset import Charset
from pkg.schema.collation import nearest, nearest_in_key, note_on
from pkg.schema.column_types import TEXT_TYPES
from pkg.schema.columns import ColumnSpec
from pkg.schema.create import Element, TableSpec
from pkg.schema.cursor import Clause
from pkg.schema.indexes import Constraint, IndexSpec
from pkg.schema.statement import Edit
from pkg.schema.table import Column, Table
from pkg.schema.targets import TargetRules, default_for, filled_by_tidb, rules_for

CHARSET_WORDS = frozenset({"CHARSET", "CHARACTER", "CHAR", "COLLATE"})
_TYPE_CHARSET_WORDS = CHARSET_WORDS | {"BINARY", "ASCII", "UNICODE", "BYTE"}
_NATIONAL = ("n", "json")  # nchar, nvarchar, national …; MariaDB's json: words that allow no character set
_SAME = TargetRules("", options=(), attributes=())


class Editor:
    """Collects edits of one statement's text and notes about them."""

    def __init__(self, text: str, flavor: str, collations: Collection[str]) -> None:
        self.text = text
        self.rules = rules_for(flavor) if flavor else _SAME
        self.edits: list[Edit] = []
        self.notes: list[str] = []
        self.key_columns: frozenset[str] = frozenset()  # of the table after the statement, in lower case
        self._collations = collations

    @property
    def unwanted_options(self) -> Collection[str]:
        return self.rules.options

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
        if text:
            self.notes.append(text)

    def charset(self, what: str, wanted: Charset) -> Charset:
        """The target's nearest to ``wanted``."""
        chosen = nearest(wanted.collation, self._collations)
        self.note(note_on(what, wanted.collation, chosen))
        return chosen

    def column_charset(self, column: Column) -> Charset:
        """The same for a text column, which may belong to a key."""
        wanted = Charset(column.charset or "", column.collation or "")
        what = f"column {column.name}"
        if column.name.lower() not in self.key_columns or column.base_type in ("enum", "set"):  # numbers in keys
            return self.charset(what, wanted)
        chosen = nearest_in_key(wanted.collation, self._collations, self.rules.flavor)
        self.note(note_on(what, wanted.collation, chosen, in_key=True))
        return chosen


def element_edits(editor: Editor, spec: TableSpec, table: Table) -> None:
    """Columns are edited in place; keys that the target does not take go, with the comma before them."""
    editor.key_columns = table.constrained_columns
    before: Element | None = None
    for element in spec.elements:
        item = element.item
        if isinstance(item, ColumnSpec):
            column = table.column(item.name)
            if column is not None:
                column_edits(editor, item, column)
        elif not takes_key(editor, item):
            assert before is not None, "a table begins with a column"
            editor.remove(before.clause.end, element.clause.end)
        elif isinstance(item, IndexSpec):
            visibility_edits(editor, item)
        before = element


def takes_key(editor: Editor, item: object) -> bool:
    """Whether the target takes a key or constraint; says so in a note where it does not."""
    if isinstance(item, Constraint):
        return editor.to_mariadb if item.columns else item.enforced or editor.rules.flavor != "mariadb"
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
    if reason:
        editor.note(f"key {item.name or ', '.join(parts)} is left out: {reason}")
    return not reason


def visibility_edits(editor: Editor, index: IndexSpec) -> None:
    for clause in index.visibility:
        if clause.key in editor.rules.key_visibility:
            editor.remove(clause.start, clause.end)


def column_edits(editor: Editor, spec: ColumnSpec, column: Column, *, added: bool = False) -> None:
    """One column: its type and character set, its default, its attributes; ``added``: to a table with rows."""
    _type_edits(editor, spec, column)
    for clause in spec.clauses:
        if clause.key == "DEFAULT" and column.default is not None:
            _default_edit(editor, spec, column, clause, added)
        elif clause.key in editor.rules.attributes:
            editor.remove(clause.start, clause.end)
            if clause.key == "INVISIBLE":
                editor.note(f"column {column.name} is visible in the target, which has no invisible columns")
        elif clause.key in ("GENERATED", "AS") and not editor.to_mariadb:
            _generated_edit(editor, spec, clause)
        elif (
            clause.key in ("CHECK", "CONSTRAINT")
            and editor.rules.flavor == "mariadb"
            and _is_not_enforced(editor, clause)
        ):
            editor.remove(clause.start, clause.end)


def _is_not_enforced(editor: Editor, check: Clause) -> bool:
    return re.search(r"NOT\s+ENFORCED$", editor.text[check.start : check.end], re.IGNORECASE) is not None


def _type_edits(editor: Editor, spec: ColumnSpec, column: Column) -> None:
    foreign = dict(editor.rules.types).get(spec.type.base)
    if foreign is not None:
        editor.replace(spec.type_clause, foreign)
        if not foreign.startswith(spec.type.base) and not spec.type.base.startswith("geo"):
            editor.note(f"column {column.name} is a {foreign.split()[0]}: the target has no type {spec.type.base}")
        return
    if spec.type.base not in TEXT_TYPES:
        if spec.type.base == "varbinary" != column.base_type:  # too long for one; TiDB's ALTER makes no blob of it
            editor.replace(spec.type_clause, column.type)
        return
    for clause in spec.clauses:
        if clause.key in _TYPE_CHARSET_WORDS:
            editor.remove(clause.start, clause.end)
    written = editor.text[spec.type_clause.start : spec.type_clause.end].lower()
    text = f" CHARACTER SET {_named(editor, column)}" if column.base_type in TEXT_TYPES else ""
    is_too_long = spec.type.base == "varchar" != column.base_type
    if column.base_type not in TEXT_TYPES or is_too_long or written.startswith(_NATIONAL):
        editor.replace(spec.type_clause, column.type + text)
    else:
        editor.insert(spec.type_clause.end, text)


def _named(editor: Editor, column: Column) -> str:
    chosen = editor.column_charset(column)
    return f"{chosen.name} COLLATE {chosen.collation}"


def _default_edit(editor: Editor, spec: ColumnSpec, column: Column, clause: Clause, added: bool) -> None:
    if not editor.rules.flavor:
        return
    written = editor.text[clause.start : clause.end][len("DEFAULT") :].strip()
    default = spec.default or "NULL"
    wanted = default_for(editor.rules.flavor, column.base_type, default, written)
    if added and editor.rules.flavor == "tidb" and not filled_by_tidb(column.base_type, default):
        wanted = None
    if wanted is None:
        editor.remove(clause.start, clause.end)
        editor.note(f"column {column.name} has no default in the target, which does not take DEFAULT {written}")
    elif wanted != written:
        editor.replace(clause, f"DEFAULT {wanted}")


def _generated_edit(editor: Editor, spec: ColumnSpec, clause: Clause) -> None:
    if spec.row_period:
        editor.replace(clause, "NULL")
    elif editor.text[clause.start : clause.end].upper().endswith("PERSISTENT"):
        editor.edits.append((clause.end - len("PERSISTENT"), clause.end, "STORED"))


def option_edits(editor: Editor, spec: TableSpec, table: Table) -> None:
    """The options: the character set is written anew, the engine is InnoDB, the target's unknown ones go."""
    chosen = editor.charset(f"table {table.name}", Charset(table.charset, table.collation))
    editor.insert(spec.elements_end, f" DEFAULT CHARSET={chosen.name} COLLATE={chosen.collation}")
    for clause in spec.options.clauses:
        if clause.key in CHARSET_WORDS:
            editor.remove(clause.start, clause.end)
        else:
            option_edit(editor, clause)
    if table.system_versioned and not editor.to_mariadb:
        editor.note(f"table {table.name} keeps no history in the target, which has no system versioning")


def option_edit(editor: Editor, clause: Clause) -> bool:
    """Edit one option; False when it is left out whole."""
    text = editor.text[clause.start : clause.end]
    if clause.key in editor.unwanted_options or (clause.key == "PARTITION" and _by_system_time(editor, text)):
        editor.remove(clause.start, clause.end)
        return False
    if clause.key in ("ENGINE", "TYPE") and editor.rules.flavor and not text.upper().endswith("INNODB"):
        # Exactly-once rests on transactions, so a table of another engine becomes one of InnoDB.
        editor.replace(clause, "ENGINE=InnoDB")
        editor.note(f"the table's engine is InnoDB in the target, not {text.split('=')[-1].split()[-1]}")
    return True


def _by_system_time(editor: Editor, text: str) -> bool:
    return not editor.to_mariadb and re.search(r"\bSYSTEM_TIME\b", text, re.IGNORECASE) is not None
