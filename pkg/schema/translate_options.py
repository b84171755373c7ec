"""Table options of a CREATE or ALTER TABLE for a target: what it takes of them, and what stands in the way there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pkg.schema.bound_literals import bounds_as_moments, bounds_as_texts, typed_bounds
from pkg.schema.charset import collation_rules
from pkg.schema.create import TableSpec
from pkg.schema.cursor import Clause
from pkg.schema.lexer import Kind, Token, tokenize
from pkg.schema.partitions import listed_texts
from pkg.schema.statement import Edit
from pkg.schema.table import PRIMARY, Table
from pkg.schema.translate_elements import CHARSET_WORDS, Editor

_ENGINES = ("ENGINE", "TYPE")
_INNODB = "INNODB"
# InnoDB has neither the other formats nor other sizes of a page, and says so instead of taking its own.
_ROW_FORMATS = ("DEFAULT", "DYNAMIC", "COMPACT", "REDUNDANT", "COMPRESSED")
_PAGE_SIZES = ("0", "1", "2", "4", "8", "16")
_VALIDATION = re.compile(r"\bWITH(?:OUT)?\s+VALIDATION\s*$", re.ASCII | re.IGNORECASE)
_PLACES = ("DATA", "INDEX", "TABLESPACE")


def option_edits(editor: Editor, spec: TableSpec, table: Table) -> None:
    """The options: the character set is written anew, the engine is InnoDB, the target's unknown ones go."""
    chosen = editor.table_charset(table)
    editor.insert(spec.elements_end, f" DEFAULT CHARSET={chosen.name} COLLATE={chosen.collation}")
    for comma in spec.options.commas:
        is_alone = editor.text[comma + 1 : comma + 2].isspace()
        editor.edits.append((comma, comma + 1, "" if is_alone else " "))  # `0,engine` is not `0engine`
    for clause in spec.options.clauses:
        if clause.key in CHARSET_WORDS or not takes_option(editor, clause, spec.options.engine):
            editor.remove(clause.start, clause.end)
            _announce(editor, clause)
        else:
            option_edit(editor, clause, table)
    if editor.rules.flavor == "tidb" and _shares_row_ids(table):
        editor.insert(spec.elements_end, " AUTO_ID_CACHE=1 ")
    note_listed_texts(editor, table)
    if table.system_versioned and not editor.to_mariadb:
        editor.note(f"table {table.name} keeps no history in the target, which has no system versioning")


def _shares_row_ids(table: Table) -> bool:
    """Whether TiDB would number the rows of the table and its counter together.

    It numbers the rows of a table without a primary key by itself, and goes on behind the largest value of the
    counter: behind that of a BIGINT there are no numbers left.  Of its own (AUTO_ID_CACHE=1) there are.
    """
    counting = [one for one in table.columns if one.auto_increment and one.base_type == "bigint" and not one.nullable]
    return bool(counting) and table.index(PRIMARY) is None


def note_listed_texts(editor: Editor, table: Table) -> None:
    """Say of a table behind a PARTITION BY which of its rows may have no partition in the target."""
    for column in listed_texts(table.partitioning, table) if editor.rules.flavor else ():
        collation = editor.column_charset(column).collation
        if collation_rules(collation) != collation_rules(column.collation):
            editor.note(
                f"table {table.name} has no partition in the target for rows whose {column.name} equals a value of "
                f"VALUES IN by {column.collation} and not by {collation}: name such values there, too"
            )


def takes_option(editor: Editor, clause: Clause, engine: str = "") -> bool:
    """Whether the target takes an option; ``engine``: the one that the statement names, in upper case."""
    if not editor.rules.flavor:
        return True
    if clause.key == "PARTITION":
        text = editor.text[clause.start : clause.end]
        return editor.to_mariadb or re.search(r"\bSYSTEM_TIME\b", text, re.ASCII | re.IGNORECASE) is None
    if clause.key not in editor.rules.options:
        return False
    if clause.key == "ROW_FORMAT":
        return _value(editor, clause) in _ROW_FORMATS
    return clause.key != "KEY_BLOCK_SIZE" or (engine in ("", _INNODB) and _value(editor, clause) in _PAGE_SIZES)


def takes_database_option(editor: Editor, clause: Clause, schema: str) -> bool:
    """The same of a database's option; MariaDB alone has comments on databases.

    What MySQL forbids to its clients by READ ONLY, replication goes on doing.
    """
    if clause.key == "READ":
        editor.note(f"database {schema} is not READ ONLY in the target, nor stops being so: replication writes there")
        return False
    if clause.key == "COMMENT" and not editor.to_mariadb:
        editor.note(f"database {schema} has no comment in the target, which has none of databases")
    return not editor.rules.flavor or (clause.key == "COMMENT" and editor.to_mariadb)


def option_edit(editor: Editor, clause: Clause, table: Table | None) -> None:
    """Edit one option that the target takes."""
    if clause.key == "PARTITION":
        partition_edits(editor, clause, table)
    elif clause.key in _ENGINES and editor.rules.flavor and _value(editor, clause) != _INNODB:
        # Exactly-once rests on transactions, so a table of another engine becomes one of InnoDB.
        editor.replace(clause, "ENGINE=InnoDB")
        editor.note(f"the table's engine is InnoDB in the target, not {_value(editor, clause, upper=False)}")


def partition_edits(editor: Editor, clause: Clause, table: Table | None) -> None:
    """Engines and places that single partitions name, and bounds that TiDB would misread."""
    if editor.rules.flavor == "tidb" and table is not None:
        written = editor.text[clause.start : clause.end]
        edits = (*bounds_as_texts(written, table), *bounds_as_moments(written, table), *typed_bounds(written))
        for start, end, text in edits:
            editor.edits.append((clause.start + start, clause.start + end, text))
        if re.search(r"\bSUBPARTITION", written, re.ASCII | re.IGNORECASE):
            editor.note("subpartitions are left out, which TiDB does not have: rows stand in the partitions alone")
    if editor.rules.flavor:
        places = () if editor.to_mariadb else ("NODEGROUP",)
        for start, end, text in _partition_edits(tokenize(editor.text[clause.start : clause.end]), (*_PLACES, *places)):
            editor.edits.append((clause.start + start, clause.start + end, text))
    words = _VALIDATION.search(editor.text, clause.start, clause.end)
    # MariaDB reads them from 11.4 on; without them both validate.  TiDB does not move what stands where it should not.
    if words is not None and editor.rules.flavor in ("mariadb", "tidb"):
        editor.remove(*words.span())


def _partition_edits(tokens: list[Token], places: tuple[str, ...]) -> Iterator[Edit]:
    depth = 0
    for number, token in enumerate(tokens):
        depth += (token.key == "(") - (token.key == ")")
        if depth == 0 or token.kind is not Kind.WORD:
            continue
        behind = number + 1 + (token.key in ("DATA", "INDEX") and tokens[number + 1].key == "DIRECTORY")
        behind += tokens[behind].key == "="
        if token.key == "ENGINE" and tokens[behind].key != _INNODB:
            yield token.start, tokens[behind].end, "ENGINE = InnoDB"
        elif token.key in places and tokens[behind - 1].key in ("=", "DIRECTORY", "TABLESPACE", "NODEGROUP"):
            yield token.start, tokens[behind].end, ""


def _value(editor: Editor, clause: Clause, *, upper: bool = True) -> str:
    tokens = [token for token in tokenize(editor.text[clause.start : clause.end]) if token.kind is not Kind.END]
    return tokens[-1].value.upper() if upper else tokens[-1].value


def _announce(editor: Editor, clause: Clause) -> None:
    if clause.key in ("DATA", "INDEX"):
        editor.note(f"{clause.key} DIRECTORY is left out: the target keeps the table among its own")
    elif clause.key in ("CONNECTION", "UNION"):
        editor.note(f"{clause.key} is left out: the target has the table's rows itself")
