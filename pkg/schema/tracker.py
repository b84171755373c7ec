"""The schema tracker: what every upstream table looks like at the stream's location.

It is fed with structures (`load`) and with each DDL of the stream (`apply`), also those that are not
run downstream.  An ALTER of a table that was never loaded changes nothing: whoever loads the table
later loads it as it is then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from pkg.schema.alter import PartitionChange
from pkg.schema.apply_alter import alter_table
from pkg.schema.charset import Charset, charset_of_collation, collation_name, is_default
from pkg.schema.checks import altered_checks, created_checks, like_checks, renamed_checks
from pkg.schema.clause_steps import renamed_columns
from pkg.schema.context import DEFAULT_CONTEXT, DdlContext
from pkg.schema.create import build_table
from pkg.schema.cursor import Unreadable
from pkg.schema.errors import DDL_DOES_NOT_FIT, shortened
from pkg.schema.indexes import named_after
from pkg.schema.letter_case import small
from pkg.schema.statement import Ddl, DdlKind, TableName
from pkg.schema.table import ForeignKey, Table

Key = tuple[str, str]
Changes = dict[Key, Table | None]
"""(schema, table) → its structure now; None: there is no such table any more."""


class SchemaTracker:
    """Owned by the thread that reads the stream.

    ``default_collations`` gives the default collation of each database of the upstream at the stream's location,
    ``present`` today's, for those that no statement of the stream makes; ``case_sensitive`` whether names of databases
    and tables there differ by case; where they do not, statements come with small ones.
    """

    def __init__(
        self,
        default_collations: Mapping[str, str] | None = None,
        *,
        present: Mapping[str, str] | None = None,
        case_sensitive: bool = True,
    ) -> None:
        self._case_sensitive = case_sensitive
        self._tables: dict[Key, Table] = {}
        self._databases = self._charsets(default_collations)
        self._present = self._charsets(present)
        self._has_changed_databases = False
        self._changed: Changes = {}

    def _charsets(self, collations: Mapping[str, str] | None) -> dict[str, Charset]:
        return {self._folded(schema): charset_of(collation) for schema, collation in (collations or {}).items()}

    def copy(self) -> SchemaTracker:
        """Another one that knows the same."""
        made = SchemaTracker(case_sensitive=self._case_sensitive)
        made._tables, made._databases, made._present = dict(self._tables), dict(self._databases), dict(self._present)
        return made

    def load(self, table: Table) -> None:
        """Set a table's structure, as read from a server or a checkpoint."""
        self._tables[self._key(table.schema, table.name)] = table

    def forget(self, names: Iterable[Key]) -> None:
        """Know nothing of these tables."""
        for schema, name in names:
            self._tables.pop(self._key(schema, name), None)

    def table(self, schema: str, name: str) -> Table | None:
        return self._tables.get(self._key(schema, name))

    def tables(self) -> list[Table]:
        return list(self._tables.values())

    def database(self, schema: str) -> Charset | None:
        """The default character set of a database, if it is known."""
        name = self._folded(schema)
        return self._databases.get(name) or self._present.get(name)

    def take_databases(self) -> dict[str, str] | None:
        """The default collation of each database; None where no statement has changed one since the last call."""
        if not self._has_changed_databases:
            return None
        self._has_changed_databases = False
        return self._collations()

    def _collations(self) -> dict[str, str]:
        return {schema: charset.collation for schema, charset in self._databases.items()}

    def apply(self, ddl: Ddl, context: DdlContext = DEFAULT_CONTEXT) -> Changes:
        """Follow one statement; which structures it changed.  Nothing changes when it raises."""
        try:
            changes = self._effect(ddl, context)
        except ValueError as exc:  # Unreadable, or a length that is no number
            subject = ddl.subject
            raise DDL_DOES_NOT_FIT.error(
                schema=subject.schema, table=subject.table, reason=str(exc), sql=shortened(ddl.text)
            ) from exc
        for (schema, name), table in changes.items():
            if table is None:
                self._tables.pop(self._key(schema, name), None)
            else:
                self.load(table)
        self._changed.update(changes)
        return changes

    def mark(self) -> None:
        """Count changes from here."""
        self._changed = {}

    def changes(self) -> Changes:
        """All that DDL changed since the last mark."""
        return dict(self._changed)

    def snapshot(self) -> dict[str, Any]:
        """Everything, as JSON."""
        return {
            "databases": self._collations(),
            "tables": [table.to_json() for table in self._tables.values()],
        }

    def restore(self, document: Mapping[str, Any]) -> None:
        """Become what ``snapshot`` gave."""
        self._databases = self._charsets(document["databases"])
        self._tables = {}
        for table in document["tables"]:
            self.load(Table.from_json(table))
        self.mark()

    def _folded(self, name: str) -> str:
        return name if self._case_sensitive else small(name)

    def _key(self, schema: str, table: str) -> Key:
        return self._folded(schema), self._folded(table)

    def _named(self, name: TableName) -> Table | None:
        return self.table(name.schema, name.table)

    def _has_table(self, name: TableName) -> bool:
        """Whether it is there; a sequence is not followed to its end, and a table is created behind that alone."""
        table = self._named(name)
        return table is not None and table.kind != "sequence"

    def _default(self, schema: str, context: DdlContext) -> Charset:
        return self.database(schema) or context.database or context.server

    def _effect(self, ddl: Ddl, context: DdlContext) -> Changes:
        match ddl.kind:
            case DdlKind.CREATE_TABLE:
                return self._create_table(ddl, context)
            case DdlKind.CREATE_TABLE_LIKE:
                return self._create_like(ddl)
            case DdlKind.CREATE_TABLE_SELECT:
                raise Unreadable("its columns come from a SELECT")
            case DdlKind.ALTER_TABLE | DdlKind.CREATE_INDEX | DdlKind.DROP_INDEX:
                return self._alter_table(ddl, context)
            case DdlKind.DROP_TABLE:
                return self._drop(ddl.tables)
            case DdlKind.RENAME_TABLE:
                return self._rename(ddl)
            case DdlKind.CREATE_DATABASE | DdlKind.ALTER_DATABASE:
                gone = self._drop_database(ddl.subject.schema) if ddl.or_replace else {}
                self._set_database(ddl, context)
                return gone
            case DdlKind.DROP_DATABASE:
                return self._drop_database(ddl.subject.schema)
        return {}

    def _create_table(self, ddl: Ddl, context: DdlContext) -> Changes:
        name = ddl.subject
        if ddl.if_exists and self._has_table(name):
            return {}
        assert ddl.create is not None
        table = build_table(ddl.create, name.schema, name.table, self._default(name.schema, context), context)
        said = tuple(replace(one, said=not one.made) for one in table.indexes)
        checks = created_checks(ddl.text, ddl.create, name.table) if context.flavor == "mysql" else None
        return {(name.schema, name.table): replace(table, indexes=said, checks=checks)}

    def _create_like(self, ddl: Ddl) -> Changes:
        name, template_name = ddl.tables
        if ddl.if_exists and self._has_table(name):
            return {}
        template = self._named(template_name)
        if template is None:
            return self._drop([name])  # to be loaded when it is needed, as its template is
        checks = None if template.checks is None else like_checks(template.checks, name.table)
        made = replace(template, schema=name.schema, name=name.table, foreign_keys=(), checks=checks)
        return {(name.schema, name.table): made}

    def _alter_table(self, ddl: Ddl, context: DdlContext) -> Changes:
        name = ddl.subject
        table = self._named(name)
        changes: Changes = {}
        if table is not None:
            altered = alter_table(table, ddl.alterations, self._default(name.schema, context), context)
            if table.checks is not None:
                columns = frozenset(small(column.name) for column in altered.columns)
                altered = replace(altered, checks=altered_checks(ddl, table.checks, columns))
            changes = {(table.schema, table.name): altered} if altered.to_json() != table.to_json() else {}
            self._rename_referred(name, ddl, changes)
        for old, new in ddl.renames:
            self._move(old, new, changes)
        for one in ddl.alterations:
            if isinstance(one, PartitionChange) and one.converts:
                changes |= self._convert(one, table, ddl.tables[-1])
        return changes

    def _rename_referred(self, parent: TableName, ddl: Ddl, changes: Changes) -> None:
        new_names = renamed_columns(ddl.alterations)

        def renew(key: ForeignKey) -> ForeignKey:
            return replace(key, ref_columns=tuple(new_names.get(small(name), name) for name in key.ref_columns))

        if new_names:
            self._renew_references(parent, renew, changes)

    def _renew_references(self, parent: TableName, renew: Callable[[ForeignKey], ForeignKey], changes: Changes) -> None:
        """Foreign keys to the parent, of whatever table, become what ``renew`` makes of them."""
        for child in {**self._tables, **changes}.values():
            if child is not None and any(_refers_to(key, parent) for key in child.foreign_keys):
                keys = tuple(renew(key) if _refers_to(key, parent) else key for key in child.foreign_keys)
                changes[child.schema, child.name] = replace(child, foreign_keys=keys)

    def _convert(self, change: PartitionChange, table: Table | None, other: TableName) -> Changes:
        """MariaDB's way from a partition to a table of its own, and back."""
        if change.action == "CONVERT TABLE" or table is None:
            return self._drop([other])
        alone = replace(table, schema=other.schema, name=other.table, partitioning="", partitions=())
        return {(other.schema, other.table): alone}

    def _rename(self, ddl: Ddl) -> Changes:
        changes: Changes = {}
        for old, new in ddl.renames:
            self._move(old, new, changes)
        return changes

    def _move(self, old: TableName, new: TableName, changes: Changes) -> None:
        """One rename, on top of the ``changes`` of those before it in the statement."""
        table = self._now(old, changes)
        if table is None:
            return
        self._renew_references(old, lambda key: replace(key, ref_schema=new.schema, ref_table=new.table), changes)
        table = self._now(old, changes) or table
        changes[table.schema, table.name] = None
        changes[new.schema, new.table] = _renamed(table, new)

    def _now(self, name: TableName, changes: Changes) -> Table | None:
        wanted = self._key(name.schema, name.table)
        for (schema, table), structure in changes.items():
            if self._key(schema, table) == wanted:
                return structure
        return self._tables.get(wanted)

    def _drop(self, names: tuple[TableName, ...] | list[TableName]) -> Changes:
        return {(name.schema, name.table): None for name in names if self._named(name) is not None}

    def _set_database(self, ddl: Ddl, context: DdlContext) -> None:
        schema = ddl.subject.schema
        if ddl.kind is DdlKind.CREATE_DATABASE and ddl.if_exists and self._folded(schema) in self._databases:
            return
        known = self.database(schema)
        options = ddl.options
        inherited = known if known is not None and ddl.kind is DdlKind.ALTER_DATABASE else context.server
        if options is not None:
            inherited = context.server if is_default(options.charset) else inherited
            charset = context.resolved(options.charset, options.collation, inherited)
            self._databases[self._folded(schema)] = charset
            self._has_changed_databases = True

    def _drop_database(self, schema: str) -> Changes:
        wanted = self._folded(schema)
        self._databases.pop(wanted, None)
        self._present.pop(wanted, None)
        self._has_changed_databases = True
        return {(table.schema, table.name): None for (owner, _), table in self._tables.items() if owner == wanted}


def charset_of(collation: str) -> Charset:
    """A database's default from the name of its collation, as information_schema gives it."""
    name = collation_name(collation)
    return Charset(charset_of_collation(name) or "utf8mb4", name)


def _refers_to(key: ForeignKey, name: TableName) -> bool:
    return (key.ref_schema, key.ref_table) == (name.schema, name.table)


def _renamed(table: Table, new: TableName) -> Table:
    """The table under its new name; foreign keys that the server named after it follow."""
    keys = named_after(table.foreign_keys, table.name, new.table)
    checks = None if table.checks is None else renamed_checks(table.checks, table.name, new.table)
    return replace(table, schema=new.schema, name=new.table, foreign_keys=keys, checks=checks)
