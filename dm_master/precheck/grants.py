"""What ``SHOW GRANTS`` says a user may do.  Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_NAME = r"(?:`(?:[^`]|``)+`|\"[^\"]+\"|[^\s.`\"]+)"
_GRANT = re.compile(rf"^GRANT\s+(.+?)\s+ON\s+(?:TABLE\s+)?({_NAME})\.({_NAME})\s+TO\s", re.IGNORECASE | re.DOTALL)
_ALL = frozenset(("ALL", "ALL PRIVILEGES"))

# A wider or renamed privilege that serves as well.
_SAME: dict[str, frozenset[str]] = {
    "REPLICATION CLIENT": frozenset(("REPLICATION CLIENT", "BINLOG MONITOR", "SUPER")),
    "SESSION_VARIABLES_ADMIN": frozenset(("SESSION_VARIABLES_ADMIN", "SYSTEM_VARIABLES_ADMIN", "SUPER")),
    "REPLICATION SLAVE": frozenset(("REPLICATION SLAVE", "REPLICATION REPLICA")),
}


@dataclass(frozen=True, slots=True)
class Grant:
    """Privileges on a schema pattern and a table; ``*`` is everything."""

    privileges: frozenset[str]
    schema: str
    table: str

    def covers(self, privilege: str, schema: str, table: str) -> bool:
        names = _SAME.get(privilege, frozenset((privilege,)))
        return (
            bool(self.privileges & (names | _ALL))
            and (self.schema == "*" or _is_like(schema, self.schema))
            and (self.table == "*" or (table != "*" and self.table.lower() == table.lower()))
        )


@dataclass(frozen=True, slots=True)
class Grants:
    """All grants of one account."""

    account: str  # 'user'@'host', as a GRANT statement takes it
    grants: tuple[Grant, ...]

    def allows(self, privilege: str, schema: str = "*", table: str = "*") -> bool:
        """Whether ``privilege`` is there for the table, the whole schema (no table) or everything (no schema)."""
        return any(grant.covers(privilege, schema, table) for grant in self.grants)

    def missing(self, privileges: Iterable[str], schema: str = "*", table: str = "*") -> list[str]:
        return [privilege for privilege in privileges if not self.allows(privilege, schema, table)]

    def statement(self, privileges: Iterable[str], schema: str = "*", table: str = "*") -> str:
        """The GRANT that gives what is missing."""
        return f"GRANT {', '.join(privileges)} ON {quoted(schema)}.{quoted(table)} TO {self.account};"


def parse_grants(current_user: str, lines: Iterable[str]) -> Grants:
    """``current_user`` is what CURRENT_USER() gives: ``user@host``."""
    user, _, host = current_user.rpartition("@")
    grants = [grant for line in lines if (grant := _parse(line)) is not None]
    return Grants(f"'{user}'@'{host}'", tuple(grants))


def quoted(name: str) -> str:
    return name if name == "*" else "`" + name.replace("`", "``") + "`"


def _parse(line: str) -> Grant | None:
    """None for roles, proxies and routines, which give nothing that is asked for here."""
    found = _GRANT.match(line)
    if found is None:
        return None
    # A privilege on some columns only is not one on the table.
    whole = [part.strip().upper() for part in _split(found[1]) if "(" not in part]
    return Grant(frozenset(whole), _unquoted(found[2]), _unquoted(found[3]))


def _split(listed: str) -> list[str]:
    return re.split(r",(?![^(]*\))", listed)


def _unquoted(name: str) -> str:
    return name[1:-1].replace("``", "`") if name[0] in '`"' else name


def _is_like(schema: str, pattern: str) -> bool:
    """Schema names in grants are LIKE patterns; a backslash makes the next character plain."""
    if schema == "*":
        return False
    parts = re.split(r"(\\.|[%_])", pattern)
    expression = "".join(
        ".*" if part == "%" else "." if part == "_" else re.escape(part[1:] if part[:1] == "\\" else part)
        for part in parts
    )
    return re.fullmatch(expression, schema, re.IGNORECASE | re.DOTALL) is not None or schema == pattern
