"""What a DDL's text leaves to the server that ran it: flavour, defaults, sql_mode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pkg.schema.charset import UTF8MB4, Charset, resolve


@dataclass(frozen=True, slots=True)
class DdlContext:
    """The session of one statement, from its query event's status variables.

    ``database`` is the default character set of the statement's database where the tracker does not
    know it, ``server`` that of a database created without one.  ``default_collations`` names the
    default collation of character sets that have another one than of old (MySQL 8: utf8mb4 →
    utf8mb4_0900_ai_ci).
    """

    flavor: str = "mysql"  # "mysql" or "mariadb"
    server: Charset = UTF8MB4
    database: Charset | None = None
    default_collations: Mapping[str, str] = field(default_factory=dict)
    sql_mode: frozenset[str] = frozenset()
    empty_is_null: bool = False
    """MariaDB's EMPTY_STRING_IS_NULL."""
    explicit_defaults_for_timestamp: bool = True
    connection: str = "utf8mb4"  # the character set that literals are converted to
    default_of_charset: bool = False  # COLLATE DEFAULT is the set's default collation, and not the inherited one
    zone: str = ""  # of the session, where the statement depended on it
    engine: str = ""  # of a table that is created without a word on it, in upper case, where it has no foreign keys
    is_shown: bool = False  # a server's SHOW CREATE TABLE, which says NOT NULL of every column that is

    def resolved(self, charset: str | None, collation: str | None, inherited: Charset) -> Charset:
        """What a CHARACTER SET and a COLLATE clause mean, either of which may be missing."""
        return resolve(charset, collation, inherited, self.default_collations, of_charset=self.default_of_charset)


DEFAULT_CONTEXT = DdlContext()
SHOWN_CONTEXT = DdlContext(is_shown=True)
