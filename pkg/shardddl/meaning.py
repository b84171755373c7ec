"""What a shard's ALTER TABLE does to its table, said in one way however the statement was written.  No I/O.

Two statements that say the same are one DDL, although their texts differ.  What the tracker knows counts as it is in
the table behind the statement (types, defaults, character sets, places of columns), all else by its words (comments,
conditions, expressions, options).  Left out are

* clauses that change nothing: IF [NOT] EXISTS of what is there or not, the engine, comment or character set that the
  table has, hints, FORCE, ENABLE KEYS, upkeep of partitions, AUTO_INCREMENT, which counts each shard's own rows;
* names that tables of one database cannot share: of foreign keys and of CHECKs that are added, and the shard's own
  name within others.

Clauses see the table before the statement and the names behind it, so their order does not count.  It does between
those that the server numbers, and those that are not understood.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence

from pkg.errors import DMError
from pkg.schema.alter import (
    AddColumn,
    AddForeignKey,
    AddIndex,
    Alteration,
    AlterClause,
    ChangeColumn,
    ConvertCharset,
    DropColumn,
    DropConstraint,
    DropForeignKey,
    DropIndex,
    PartitionChange,
    RenameColumn,
    RenameIndex,
    SetDefault,
    SetOptions,
    SetVisibility,
)
from pkg.schema.apply_alter import alter_table
from pkg.schema.charset import Charset
from pkg.schema.context import DEFAULT_CONTEXT
from pkg.schema.cursor import Clause
from pkg.schema.ddl import parse_ddl
from pkg.schema.effective import effective_in
from pkg.schema.ignoring import ignores_errors
from pkg.schema.indexes import ForeignKeySpec, IndexSpec
from pkg.schema.letter_case import small
from pkg.schema.lexer import Kind, Token, quote_name, tokenize
from pkg.schema.statement import Ddl, DdlKind
from pkg.schema.table import ForeignKey, Table
from pkg.schema.translate_alter import UPKEEP
from pkg.schema.translate_elements import CHARSET_WORDS
from pkg.shardddl.column_meaning import Unsaid, column_form, is_number, set_default
from pkg.shardddl.words import common_name, key_words, words

UNKNOWN = ""
"""Only the text says what it does."""
NOTHING = "[]"

Form = list[object]
_KINDS = frozenset({DdlKind.ALTER_TABLE, DdlKind.CREATE_INDEX, DdlKind.DROP_INDEX})
_HINTS = frozenset(
    {"ALGORITHM", "LOCK", "WAIT", "NOWAIT", "WITH", "WITHOUT", "ONLINE", "FORCE", "ENABLE", "DISABLE"}
)  # fmt: skip
_ENGINE = "INNODB"  # of a table for which none was named
_SIZE = re.compile("tiny(?=text|blob)|medium(?=text|blob)|long(?=text|blob)")  # by the character set
_SEQUENCES = frozenset({"NEXT", "NEXTVAL", "PREVIOUS", "LASTVAL", "SETVAL"})  # named by the letters' case


def meaning(ddls: Sequence[str], before: Table | None, after: Table | None) -> str:
    """Equal for statements that do the same to tables like these; NOTHING, or UNKNOWN.

    ``ddls`` say it with the target's names; ``before``, ``after``: the shard's table, by its own name.  What an
    operator gave in place of the shard's own statement, or a filter left of it, has only its text.
    """
    if before is None or after is None or len(ddls) != 1:
        return UNKNOWN
    try:
        ddl = parse_ddl(ddls[0], default_schema=after.schema)
        if ddl.kind not in _KINDS or ignores_errors(ddl) or not _leads_there(ddl, before, after):
            return UNKNOWN
        forms = list(_Statement(ddl, before, after).forms())
    except (DMError, ValueError):
        return UNKNOWN
    once = [form for number, form in enumerate(forms) if form[0] not in _OF_TABLE or form not in forms[:number]]
    return json.dumps(sorted(once, key=_order), ensure_ascii=False)


def _leads_there(ddl: Ddl, before: Table, after: Table) -> bool:
    """Whether the statement makes ``after`` of ``before``, as far as the session's settings have no part in it."""
    made = alter_table(before, ddl.alterations, Charset(before.charset, before.collation), DEFAULT_CONTEXT)
    return _outline(made) == _outline(after)


def _outline(table: Table) -> list[object]:
    columns = [
        (small(one.name), _SIZE.sub("", one.base_type), one.unsigned, one.generated, one.length, _said(one.default))
        for one in table.columns
    ]
    keys = sorted((small(one.name), one.unique) for one in table.indexes)
    return [columns, keys, len(table.foreign_keys), table.charset, table.comment, table.engine]


def _said(default: str | None) -> str:
    """A session may have said that what names no default has NULL."""
    return default or "NULL"


def _order(form: Form) -> list[str]:
    """Those of one name, and of what has none, stay in the order of the text."""
    return [str(part) for part in form[: 2 if form[0] in _NAMED else 1]]


_NAMED = frozenset(
    {"add column", "change column", "drop column", "rename column", "default", "visibility", "add index", "drop index"}
)
_OF_TABLE = frozenset({"charset", "comment", "engine"})  # each clause says what the table has behind all of them


class _Statement:
    def __init__(self, ddl: Ddl, before: Table, after: Table) -> None:
        self.ddl = ddl
        self.before = before
        self.after = after
        self.tokens = [token for token in tokenize(ddl.text) if token.kind is not Kind.END]
        self.columns = frozenset(small(column.name) for table in (before, after) for column in table.columns)
        if ddl.kind is DdlKind.CREATE_INDEX and self.tokens[1].key == "OR":
            raise Unsaid

    def forms(self) -> Iterator[Form]:
        if any(token.key in _SEQUENCES for token in self.tokens):
            raise Unsaid
        for clause, kept in zip(self.ddl.clauses, effective_in(self.before, self.ddl.clauses), strict=True):
            yield from self._clause(clause, kept)
        if self._moves_columns():
            yield ["order", [small(column.name) for column in self.after.columns]]

    def _clause(self, clause: AlterClause, kept: Collection[Alteration]) -> Iterator[Form]:
        """``kept``: what of it has an effect."""
        if not clause.alterations:
            yield from self._constraint(clause.clause)
        elif _is_list(tokens := self._tokens(clause.clause)) and any(_is_unread(token) for token in tokens):
            raise Unsaid
        for one in clause.alterations:
            if one in kept or isinstance(one, DropConstraint):  # of a CHECK, which nobody knows
                yield from self._alteration(one, clause)

    def _alteration(self, one: Alteration, clause: AlterClause) -> Iterator[Form]:
        match one:
            case AddColumn(column):
                yield ["add column", *self._column(column.name, one), self._place(column.name)]
            case ChangeColumn(old, column):
                yield ["change column", small(old), *self._column(column.name, one)]
            case DropColumn(name):
                yield ["drop column", small(name)]
            case RenameColumn(old, new):
                yield ["rename column", small(old), small(new)]
            case SetDefault(name):
                yield from self._default(name, one, clause.clause)
            case SetVisibility(name, invisible):
                shown = self.before.column(name)
                if shown is None or shown.invisible != invisible:
                    yield ["visibility", small(name), invisible]
            case AddIndex(index):
                yield ["add index", *self._index(index, clause)]
            case DropIndex(name):
                yield self._dropped_index(name)
            case RenameIndex(old, new):
                yield ["rename index", *self._dropped_index(old)[1:], self._common(new)]
            case AddForeignKey(key):
                yield ["add foreign key", *self._reference(key)]
            case DropForeignKey(name) | DropConstraint(name):
                yield self._dropped_constraint(name)
            case SetOptions():
                yield from self._options(one, clause.clause)
            case ConvertCharset():
                yield from self._converted()
            case PartitionChange(action) if action in UPKEEP:
                pass
            case PartitionChange() if one.moves_rows:
                raise Unsaid
            case _:
                yield ["words", words(self._tokens(clause.clause), self.columns)]

    def _tokens(self, clause: Clause) -> list[Token]:
        return [token for token in self.tokens if clause.start <= token.start and token.end <= clause.end]

    def _common(self, name: str) -> str:
        return common_name(name, self.before.name, self.columns)

    def _column(self, name: str, one: AddColumn | ChangeColumn) -> Form:
        settled = self.after.column(name)
        if settled is None:
            raise Unsaid
        return column_form(one.column, settled, self._tokens, self.columns)

    def _place(self, name: str) -> Form:
        """Where a new column stands: how many new ones are behind it at the table's end, or what is before it."""
        added = {small(one.column.name) for one in self.ddl.alterations if isinstance(one, AddColumn)}
        names = [small(column.name) for column in self.after.columns]
        place = names.index(small(name))
        if added.issuperset(names[place + 1 :]):
            return ["last", len(names) - place - 1]
        return ["behind", names[place - 1] if place else ""]

    def _moves_columns(self) -> bool:
        """Whether columns that stay stand in another order."""
        new = {small(one.old): small(one.column.name) for one in self.ddl.alterations if isinstance(one, ChangeColumn)}
        new |= {small(one.old): small(one.new) for one in self.ddl.alterations if isinstance(one, RenameColumn)}
        old = [new.get(name, name) for name in (small(column.name) for column in self.before.columns)]
        now = [small(column.name) for column in self.after.columns]
        return [name for name in old if name in now] != [name for name in now if name in old]

    def _default(self, name: str, one: SetDefault, clause: Clause) -> Iterator[Form]:
        old, new = self.before.column(name), self.after.column(name)
        if old is None or new is None:
            raise Unsaid
        if one.default is None or not (is_number(new) and is_number(old) and old.default == new.default):
            yield ["default", small(name), set_default(one.default, new, self._tokens(clause), self.columns)]

    def _index(self, index: IndexSpec, clause: AlterClause) -> Form:
        kind = "PRIMARY" if index.primary else "UNIQUE" if index.unique else index.kind
        tokens = self._tokens(clause.clause)
        if len(clause.alterations) == 1:
            parts = key_words(tokens, self.columns)
        elif len(index.parts) == 1 and not _is_list(tokens):  # UNIQUE behind a column
            parts = ["(", quote_name(small(index.parts[0][0])), ")"]
        else:
            raise Unsaid
        return [self._common(self._name_of(index)), kind, parts]

    def _name_of(self, index: IndexSpec) -> str:
        """Its name, which the server has given where the text has none."""
        if index.name or index.primary:
            return index.name or "PRIMARY"
        parts = [small(name) for name, _ in index.parts]
        made = [
            one.name
            for one in self.after.indexes
            if self.before.index(one.name) is None and [small(name) for name in one.columns] == parts
        ]
        if len(made) != 1:
            raise Unsaid
        return made[0]

    def _dropped_index(self, name: str) -> Form:
        """A key that the server has made for a foreign key has that one's name."""
        key = next((one for one in self.before.foreign_keys if small(one.name) == small(name)), None)
        index = self.before.index(name)
        over = None if index is None else [small(part) for part in index.columns]
        return ["drop index", "" if key else self._common(name), over]

    def _dropped_constraint(self, name: str) -> Form:
        key = next((one for one in self.before.foreign_keys if small(one.name) == small(name)), None)
        if key is not None:
            return ["drop foreign key", *_reference_form(key, (self.before.schema, self.before.name))]
        if self.before.index(name) is not None:
            return self._dropped_index(name)
        return ["drop check", self._common(name)]

    def _reference(self, spec: ForeignKeySpec) -> Form:
        subject = self.ddl.subject
        schema = spec.ref_schema or subject.schema
        actions = spec.on_delete, spec.on_update
        key = ForeignKey("", tuple(spec.columns), schema, spec.ref_table, tuple(spec.ref_columns), *actions)
        return _reference_form(key, (subject.schema, subject.table))

    def _constraint(self, clause: Clause) -> Iterator[Form]:
        """CHECKs, which the tracker does not know, and what else changes neither columns nor keys."""
        tokens = self._tokens(clause)
        keys = [token.key for token in tokens]
        match keys:
            case [first, *_] if first in _HINTS:
                return
            case ["ADD", "CONSTRAINT", "IF", *_]:
                raise Unsaid
            case ["ADD", "CHECK", *_] | ["ADD", "CONSTRAINT", "CHECK", *_] | ["ADD", "CONSTRAINT", _, "CHECK", *_]:
                yield ["add check", words(tokens[keys.index("CHECK") :], self.columns)]
            case ["DROP", "CHECK" | "CONSTRAINT", *_]:
                yield ["drop check", self._common(tokens[-1].value)]
            case ["ALTER", "INDEX" | "KEY" | "CHECK" | "CONSTRAINT" as kind, _, *_] if keys[2] != "IF":
                kind = "INDEX" if kind == "KEY" else kind
                yield ["alter", kind, self._common(tokens[2].value), words(tokens[3:], ())]
            case _:
                yield ["words", words(tokens, self.columns)]

    def _options(self, one: SetOptions, clause: Clause) -> Iterator[Form]:
        before, after = self.before, self.after
        tokens = [token for token in self._tokens(clause) if token.key not in ("=", "DEFAULT")]
        key = tokens[0].key
        if key == "UNION":
            raise Unsaid
        if key in CHARSET_WORDS:
            if any(isinstance(other, ConvertCharset) for other in self.ddl.alterations):
                raise Unsaid
            if (before.charset, before.collation) != (after.charset, after.collation):
                yield ["charset", after.charset, after.collation]
        elif one.options.engine:
            if (before.engine or _ENGINE) != after.engine:
                yield ["engine", after.engine]
        elif key == "COMMENT":
            if before.comment != after.comment:
                yield ["comment", after.comment]
        elif key != "AUTO_INCREMENT":
            yield ["option", words(tokens, ())]

    def _converted(self) -> Iterator[Form]:
        before, after = self.before, self.after
        if len(self.ddl.alterations) > 1:
            raise Unsaid
        if (before.charset, before.collation, before.columns) != (after.charset, after.collation, after.columns):
            yield ["convert", after.charset, after.collation]


def _reference_form(key: ForeignKey, own: tuple[str, str]) -> Form:
    parent = (key.ref_schema, key.ref_table)
    return [
        [small(name) for name in key.columns],
        "itself" if parent == own else list(parent),
        [small(name) for name in key.ref_columns],
        key.on_delete,
        key.on_update,
    ]


def _is_list(tokens: Sequence[Token]) -> bool:
    """Whether it is ADD (a INT, b INT)."""
    keys = [token.key for token in tokens[:3]]
    return keys[:2] == ["ADD", "("] or keys == ["ADD", "COLUMN", "("]


def _is_unread(token: Token) -> bool:
    """Whether a list may have a condition in it, which no alteration says."""
    return token.key in ("CHECK", "CONSTRAINT", "PERIOD")
