"""The edits of an ALTER TABLE or CREATE INDEX for a target."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pkg.schema.alter import (
    FIRST,
    AddColumn,
    AddForeignKey,
    AddIndex,
    AlterClause,
    ChangeColumn,
    ConvertCharset,
    PartitionChange,
    RenameColumn,
    SetDefault,
    SetNotNull,
    SetOptions,
    SetVersioning,
    SetVisibility,
)
from pkg.schema.charset import UTF8MB4, Charset
from pkg.schema.column_types import TEXT_TYPES, is_bulky
from pkg.schema.columns import ColumnSpec
from pkg.schema.context import DEFAULT_CONTEXT
from pkg.schema.counters import begun_counters
from pkg.schema.cursor import Clause
from pkg.schema.indexes import ForeignKeySpec, IndexSpec, foreign_name_there
from pkg.schema.key_text import key_text
from pkg.schema.letter_case import small
from pkg.schema.lexer import quote_name
from pkg.schema.mapping import other_type
from pkg.schema.statement import Ddl, DdlKind
from pkg.schema.table import GENERATED_KEY, Column, Index, Table, has_foreign_keys
from pkg.schema.targets import is_constant
from pkg.schema.translate_elements import (
    CHARSET_WORDS,
    HIDDEN_THERE,
    WHOLE_TABLE,
    Editor,
    check_edits,
    column_edits,
    default_text,
    generated_key_edit,
    key_length_edit,
    note_visible,
    own_generated_key_edit,
    reference_edits,
    removed,
    takes_key,
    visibility_edits,
    whole_unique_edit,
)
from pkg.schema.translate_options import note_listed_texts, option_edit, partition_edits, takes_option

_HEAD = re.compile(r"\s*(?:ALTER|CREATE|DROP)\s+((?:(?:ONLINE|OFFLINE)\s+)+)", re.ASCII | re.IGNORECASE)
_DROP_CHECK = re.compile(r"DROP\s+CHECK\b", re.ASCII | re.IGNORECASE)
_DROP_PERIOD = re.compile(r"DROP\s+PERIOD\s+(?:IF\s+EXISTS\s+)?FOR\s+(\S+)", re.ASCII | re.IGNORECASE)
_VALIDATION = re.compile(r"WITH(?:OUT)?\s+VALIDATION", re.ASCII | re.IGNORECASE)
_IGNORED = re.compile(r"ALTER\s+(INDEX|KEY)\s.*?\s((?:NOT\s+)?IGNORED)", re.ASCII | re.IGNORECASE | re.DOTALL)
_INVISIBLE = re.compile(r"ALTER\s+(?:INDEX|KEY)\s(.*)\sINVISIBLE", re.ASCII | re.IGNORECASE | re.DOTALL)
_SET_DEFAULT = re.compile(r"\bSET\s+DEFAULT\s+(.*\S)", re.ASCII | re.IGNORECASE | re.DOTALL)
UPKEEP = frozenset({"REBUILD", "OPTIMIZE", "ANALYZE", "CHECK", "REPAIR"})
_WAYS = re.compile(r"(?:\s+(?:ALGORITHM|LOCK)\s*=?\s*\w+)+\s*$", re.ASCII | re.IGNORECASE)
_COPIES = re.compile(r"ALGORITHM\s*=?\s*COPY", re.ASCII | re.IGNORECASE)


def alter_edits(
    editor: Editor,
    ddl: Ddl,
    structure: Table | None,
    present: Table | None = None,
    keys_there: Collection[str] = (),
) -> bool:
    """Edit each clause; False when the target takes none of them, so that nothing is to be run.

    ``structure``: the table after the statement; ``present``: the target's before it, where that matters;
    ``keys_there``: its keys, in lower case, where a foreign key is added that is without effect upstream.
    """
    editor.keys_there = frozenset(keys_there)
    editor.stays_utf8mb4 = frozenset(_staying(ddl, present)) if present is not None else frozenset()
    if editor.rules.flavor == "tidb":
        editor.uncounted = frozenset(small(name) for name in _uncounted(ddl, present))
        editor.generated_there = dict(_generated_there(ddl, present))
    if structure is not None:
        editor.key_columns, editor.table = structure.constrained_columns, structure
    if ddl.kind is DdlKind.CREATE_INDEX:
        ways_edit(editor)
    kept = [_takes(editor, clause, structure) and not _is_way(editor, ddl, clause) for clause in ddl.clauses]
    if ddl.clauses and not any(kept):
        return False
    head = _HEAD.match(ddl.text)
    if head is not None and editor.rules.flavor not in ("mariadb", ""):
        editor.remove(*head.span(1))
    for number, clause in enumerate(ddl.clauses):
        if kept[number]:
            _clause_edits(editor, ddl, clause, structure)
            _drop_check_edit(editor, clause)
            _hide_edit(editor, clause)
        else:
            editor.remove(*removed(ddl.clauses, kept, number))
    return True


def _uncounted(ddl: Ddl, present: Table | None) -> Iterator[str]:
    yield from (one.column.name for one in ddl.alterations if isinstance(one, AddColumn))
    yield from (new for _, new in begun_counters(ddl, present)) if present is not None else ()


def _generated_there(ddl: Ddl, present: Table | None) -> Iterator[tuple[str, str]]:
    """TiDB adds VIRTUAL columns alone, and keeps those that it has as they are."""
    for one in ddl.alterations:
        match one:
            case AddColumn(column) if column.generated:
                yield small(column.name), "VIRTUAL"
            case ChangeColumn(old, column) if present is not None and column.generated:
                there = present.column(old) or present.column(column.name)
                if there is not None and there.generated:
                    yield small(column.name), there.generated


def changes_charset(ddl: Ddl) -> bool:
    """Whether a text column, or the table's default, may get another character set."""
    return any(isinstance(one, ChangeColumn | ConvertCharset | SetOptions) for one in ddl.alterations)


def _staying(ddl: Ddl, present: Table) -> Iterator[str]:
    """Columns, by their new names in lower case, whose text is in utf8mb4; WHOLE_TABLE for what CONVERT names."""
    for one in ddl.alterations:
        match one:
            case ChangeColumn(old, column):
                there = present.column(old)
                if there is not None and there.charset == "utf8mb4":
                    yield small(column.name)
            case ConvertCharset():
                names = [small(column.name) for column in present.columns if column.charset == "utf8mb4"]
                yield from (*names, WHOLE_TABLE) if names or present.charset == "utf8mb4" else ()
            case SetOptions() if present.charset == "utf8mb4":
                yield WHOLE_TABLE


def _takes(editor: Editor, clause: AlterClause, structure: Table | None) -> bool:
    """Whether anything of the clause is for the target."""
    if len(clause.alterations) == 1 and isinstance(clause.alterations[0], AddForeignKey):
        return (
            not _ignores_parents(editor, structure)
            or _key_left(editor, clause.alterations[0].key, structure) is not None
        )
    if not clause.alterations:
        is_known = clause.clause.key in editor.rules.clauses
        if editor.to_mariadb and (hidden := _INVISIBLE.fullmatch(editor.text, clause.clause.start, clause.clause.end)):
            note_visible(editor, hidden[1])
        if editor.to_mariadb and _IGNORED.fullmatch(editor.text, clause.clause.start, clause.clause.end):
            return True
        return not (is_known or _drops_period(editor, clause))
    return all(_takes_alteration(editor, alteration) for alteration in clause.alterations)


def _drop_check_edit(editor: Editor, clause: AlterClause) -> None:
    """MariaDB has one word for constraints of all kinds."""
    place = clause.clause.start
    words = _DROP_CHECK.match(editor.text, place, clause.clause.end)
    if words is not None and editor.rules.flavor == "mariadb":
        editor.edits.append((*words.span(), "DROP CONSTRAINT"))


def _ignores_parents(editor: Editor, structure: Table | None) -> bool:
    """Whether the table's engine upstream reads foreign keys and forgets them."""
    return bool(editor.rules.flavor) and structure is not None and not has_foreign_keys(structure.engine)


def _key_left(editor: Editor, spec: ForeignKeySpec, structure: Table | None) -> Index | None:
    """The key that the server has made for a foreign key that it has forgotten, and the target has not yet."""
    made = spec.name or spec.index_name or spec.columns[0]
    index = structure.index(made) if structure is not None else None
    if index is None or small(index.name) in editor.keys_there:
        return None
    return index if list(index.columns) == spec.columns else None


def _hide_edit(editor: Editor, clause: AlterClause) -> None:
    """ALTER INDEX … [NOT] IGNORED, which MariaDB alone has, as [IN]VISIBLE."""
    found = _IGNORED.fullmatch(editor.text, clause.clause.start, clause.clause.end)
    if found is not None and not editor.to_mariadb:
        editor.edits += [(*found.span(1), "INDEX"), (*found.span(2), HIDDEN_THERE[found[2].split()[0].upper()])]


def _drops_period(editor: Editor, clause: AlterClause) -> bool:
    """Whether it drops a period, of which the target has no more than a CHECK."""
    found = _DROP_PERIOD.match(editor.text, clause.clause.start, clause.clause.end)
    if found is None or editor.to_mariadb:
        return False
    editor.note(f"the target has no periods: if it has a CHECK for the period {found[1]}, that stays")
    return True


def _is_way(editor: Editor, ddl: Ddl, clause: AlterClause) -> bool:
    """Whether the clause says how the upstream's server shall work, or fail: another takes the best that it has.

    A foreign key is checked or not by the way.
    """
    if editor.to_mariadb and _VALIDATION.fullmatch(editor.text, clause.clause.start, clause.clause.end):
        return True
    if not editor.rules.flavor or clause.clause.key not in ("ALGORITHM", "LOCK"):
        return False
    copies = _COPIES.match(editor.text, clause.clause.start, clause.clause.end) is not None
    return not copies and not any(isinstance(one, AddForeignKey) for one in ddl.alterations)


def ways_edit(editor: Editor) -> None:
    """CREATE INDEX and DROP INDEX without what stands at their end of how the upstream's server shall work."""
    found = _WAYS.search(editor.text) if editor.rules.flavor else None
    if found is not None:
        editor.remove(*found.span())


def _takes_alteration(editor: Editor, alteration: object) -> bool:
    match alteration:
        case AddIndex(index):
            return takes_key(editor, index)
        case SetNotNull(columns) if not editor.to_mariadb:
            editor.note(f"a period is left out, which the target lacks: {', '.join(columns)} may be NULL there")
            return False
        case PartitionChange(action) if action in UPKEEP and editor.rules.flavor == "tidb":
            editor.note(f"{action} PARTITION is left out, which changes no rows")
            return False
        case SetVersioning():
            return editor.to_mariadb
        case SetVisibility():
            return editor.rules.flavor != "tidb"  # for MariaDB the clause is written anew (columns_there.py)
        case SetOptions(options):
            return all(takes_option(editor, clause) for clause in options.clauses if clause.key not in CHARSET_WORDS)
    return True


def _clause_edits(editor: Editor, ddl: Ddl, clause: AlterClause, structure: Table | None) -> None:
    for alteration in clause.alterations:
        match alteration:
            case AddColumn(column) | ChangeColumn(_, column):
                settled = _settled(column, structure)
                _first_edit(editor, ddl, clause, alteration, structure)
                if settled is not None:
                    column_edits(editor, column, settled, added=isinstance(alteration, AddColumn))
                    own_generated_key_edit(editor, column, clause.clause.end, ", ADD ")
                    if structure is not None:
                        check_edits(editor, column, structure, clause.clause.end, ", ADD ")
                        whole_unique_edit(editor, column, structure, clause.clause.end, "ADD ")
                    reference_edits(editor, column, not _ignores_parents(editor, structure))
            case RenameColumn(old, new) if small(old) == small(new) and editor.rules.flavor == "tidb":
                editor.note(f"column {old} keeps its letters in the target, which gives none the name that it has")
            case SetDefault(name, default):
                _set_default_edit(editor, clause, structure.column(name) if structure is not None else None, default)
            case AddForeignKey(key) if len(clause.alterations) == 1 and _ignores_parents(editor, structure):
                left = _key_left(editor, key, structure)
                assert left is not None, "else the clause is not for the target"
                editor.replace(clause.clause, f"ADD {key_text(left, editor.rules.flavor)}")
                editor.note("a foreign key is left out, as it is upstream by the table's engine")
            case AddForeignKey(key) if len(clause.alterations) == 1 and editor.rules.flavor == "tidb":
                _name_foreign_key(editor, clause, key, structure)
            case AddIndex(index):
                is_alone = structure is not None and clause.clause.key == "ADD" and len(clause.alterations) == 1
                if not (is_alone and structure and _key_edit(editor, index, clause.clause, structure)):
                    visibility_edits(editor, index)
            case PartitionChange():
                partition_edits(editor, clause.clause, structure)
                if structure is not None:
                    note_listed_texts(editor, structure)
            case SetOptions(options):
                for option in options.clauses:
                    if option.key not in CHARSET_WORDS:
                        option_edit(editor, option, structure)
                if structure is not None and any(option.key in CHARSET_WORDS for option in options.clauses):
                    chosen = editor.table_charset(structure)
                    text = f"DEFAULT CHARACTER SET {chosen.name} COLLATE {chosen.collation}"
                    editor.replace(clause.clause, text)
            case ConvertCharset() if structure is not None:
                chosen = _converted_charset(editor, ddl, structure)
                words = "DEFAULT" if _keeps_collations(editor, structure) else "CONVERT TO"
                editor.replace(clause.clause, f"{words} CHARACTER SET {chosen.name} COLLATE {chosen.collation}")


def _first_edit(
    editor: Editor, ddl: Ddl, clause: AlterClause, alteration: AddColumn | ChangeColumn, structure: Table | None
) -> None:
    """FIRST is behind the primary key that MySQL has made, also where the statement makes it visible."""
    if alteration.place != FIRST or not editor.rules.flavor or structure is None:
        return
    first = structure.columns[0].name
    placed = {one.column.name for one in ddl.alterations if isinstance(one, AddColumn | ChangeColumn) and one.place}
    if first == GENERATED_KEY and first not in placed:
        end = clause.clause.end
        editor.edits.append((end - len(FIRST), end, f"AFTER {quote_name(first)}"))


def _set_default_edit(editor: Editor, clause: AlterClause, column: Column | None, default: str | None) -> None:
    """ALTER COLUMN … SET DEFAULT, for which others than MariaDB want parentheses around what is no literal."""
    if column is None or default is None or not editor.rules.flavor:
        return
    found = _SET_DEFAULT.search(editor.text, clause.clause.start, clause.clause.end)
    written = found[1] if found is not None and is_constant(default) else default
    text = default_text(editor, column, default, written)
    if text is None or (is_bulky(column.base_type) and default != "NULL" and editor.rules.flavor == "tidb"):
        editor.note(f"column {column.name} has no default in the target, which does not take {default}")
        left = "SET DEFAULT NULL" if column.nullable else "DROP DEFAULT"
        editor.replace(clause.clause, f"ALTER COLUMN {quote_name(column.name)} {left}")
    elif text != written and (is_constant(default) or (default.startswith("(") and is_constant(text))):
        editor.replace(clause.clause, f"ALTER COLUMN {quote_name(column.name)} SET DEFAULT {text}")
    elif not (default.startswith("(") or is_constant(default) or editor.to_mariadb):
        value = text if text.startswith("(") else f"({text})"
        editor.replace(clause.clause, f"ALTER COLUMN {quote_name(column.name)} SET DEFAULT {value}")


def _name_foreign_key(editor: Editor, clause: AlterClause, spec: ForeignKeySpec, structure: Table | None) -> None:
    """TiDB chooses other names than the upstream, by which a later statement drops the key."""
    made = [one for one in structure.foreign_keys if list(one.columns) == spec.columns] if structure else []
    place = re.compile(r"\bFOREIGN\s+KEY\b", re.ASCII | re.IGNORECASE).search(editor.text, clause.clause.start)
    if made and not spec.name and place is not None:
        editor.insert(place.start(), f"CONSTRAINT {quote_name(foreign_name_there(made[-1].name))}")


def _keeps_collations(editor: Editor, structure: Table) -> bool:
    """Whether TiDB would refuse to convert the table since a key has a text that stands for a UUID or an address.

    Its texts, all of them in utf8mb4, then keep their collations: no key has one, and no value depends on one.
    """
    names = {small(name) for index in structure.indexes for name in index.columns}
    in_keys = [column for column in structure.columns if small(column.name) in names]
    stands_in = any(other_type("tidb", column.base_type).endswith("_bin") for column in in_keys)
    has_texts = any(column.base_type in TEXT_TYPES for column in in_keys)
    if editor.rules.flavor != "tidb" or not stands_in or has_texts or any(one.generated for one in structure.columns):
        return False
    editor.note(
        f"texts of table {structure.name} keep their collations in the target, which converts none with such a key"
    )
    return True


def _converted_charset(editor: Editor, ddl: Ddl, structure: Table) -> Charset:
    """Of a statement that converts all columns: the one for keys where a text column belongs to one."""
    texts = [column for column in structure.columns if column.base_type in TEXT_TYPES and column.charset != "binary"]
    for column in texts:
        if small(column.name) in editor.key_columns:
            return editor.column_charset(column)
    names_default = any(
        isinstance(one, SetOptions) and (one.options.charset or one.options.collation) for one in ddl.alterations
    )
    return editor.column_charset(texts[0]) if names_default and texts else editor.table_charset(structure)


def _key_edit(editor: Editor, index: IndexSpec, clause: Clause, structure: Table) -> bool:
    """Write ADD of a key that the target has only otherwise; whether it is one."""
    return key_length_edit(editor, index, clause, structure, "ADD ") or generated_key_edit(
        editor, index, clause, structure, "ADD "
    )


def _settled(spec: ColumnSpec, structure: Table | None) -> Column | None:
    """The column as it is after the statement; for an unknown table only when it names its character set.

    A column of another type in ``structure`` is none that this statement made: an operator runs it in another's place.
    """
    if structure is not None:
        own = spec.column(Charset(structure.charset, structure.collation), DEFAULT_CONTEXT)
        tracked = structure.column(spec.name)
        return own if tracked is not None and tracked.base_type != own.base_type else tracked
    return None if spec.type.inherits_charset() else spec.column(UTF8MB4, DEFAULT_CONTEXT)
