"""Proof that a chunk was read of the table that was planned.

A transaction keeps the table as it is from its first SELECT to its end: a server lets no DDL finish before.  So the
structure that it shows behind the rows is the one that they were read of.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from hashlib import blake2b
from typing import Final

from dm_worker.dumper.copied_form import CopiedForm
from dm_worker.dumper.copy_plan import TableCopy
from pkg.adapters.mysql.connection import Connection
from pkg.adapters.structures import shown_create
from pkg.schema.parse import parse_create_table

_COUNTER: Final = re.compile(r"\bAUTO_INCREMENT=\d+ ?", re.ASCII | re.IGNORECASE)
ProvenTexts = MutableMapping[tuple[str, CopiedForm], str]


def digest(create_sql: str) -> str:
    """Of a table's text without its counter, which rows move."""
    return blake2b(_COUNTER.sub("", create_sql).encode(), digest_size=16).hexdigest()


def begin(reader: Connection) -> None:
    """From its next SELECT on ``reader`` keeps the tables that it reads as they are, until it is rolled back."""
    reader.query("START TRANSACTION")


def other_structure(reader: Connection, table: TableCopy, proven: ProvenTexts) -> str:
    """In what the table that ``reader`` has just read differs from what was planned; "" where its rows are as planned.

    ``proven`` has the digest of each table's text that was found alike: reading a text takes milliseconds.
    """
    shown = shown_create(reader, f"TABLE {table.upstream_name}")
    name, text = (table.upstream_name, table.form), digest(shown)
    if text in (table.planned_text, proven.get(name)):
        return ""
    found = table.form.differences(parse_create_table(shown, table.schema))
    differences = "; ".join(f"{what}: {', '.join(names)}" for what, names in found)
    if not differences:
        proven[name] = text
    return differences
