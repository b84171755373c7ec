"""A sequence as MariaDB keeps it, and the statements that make it on a target and let it go on there.  Pure."""

from __future__ import annotations

from dataclasses import dataclass

from pkg.schema.lexer import LexicalError, quote_name, tokenize

# Of the one row that a sequence has.
COLUMNS = "next_not_cached_value, start_value, minimum_value, maximum_value, increment, cache_size, cycle_option"


@dataclass(frozen=True, slots=True)
class SequenceState:
    """In the order of COLUMNS; no value from ``following`` on has been given to anybody."""

    following: int
    start: int
    minimum: int
    maximum: int
    increment: int
    cache: int
    cycles: bool

    def create(self, name: str) -> str:
        """``name`` is quoted.  Values that the session gives to ``INCREMENT BY 0`` exist in MariaDB only."""
        cache = f"CACHE {self.cache}" if self.cache else "NOCACHE"
        return (
            f"CREATE SEQUENCE IF NOT EXISTS {name} START WITH {self.start} MINVALUE {self.minimum} "
            f"MAXVALUE {self.maximum} INCREMENT BY {self.increment} {cache} {'CYCLE' if self.cycles else 'NOCYCLE'}"
        )

    def go_on(self, name: str, flavor: str) -> str:
        """What makes ``following`` the next value, or a later one; '' where none was ever given.

        Servers pass over what would set a sequence back.
        """
        if self.following == self.start:
            return ""
        if flavor == "mariadb" and self.minimum <= self.following <= self.maximum:
            return f"SELECT SETVAL({name}, {self.following}, 0)"
        last = self.following + (1 if self.increment < 0 else -1)  # the next one is behind it, by the sequence's steps
        return f"SELECT SETVAL({name}, {min(max(last, self.minimum), self.maximum)})"


def renamed_sequences(create_sql: str, schema: str, target_schema: str) -> str:
    """A CREATE TABLE whose defaults take values of the sequences that its own schema has in the target."""
    if schema == target_schema or "nextval" not in create_sql.lower():
        return create_sql
    try:
        tokens = tokenize(create_sql)
    except LexicalError:
        return create_sql  # the server says what it thinks of it
    sql = create_sql
    for word, opening, name, dot in reversed(list(zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False))):
        if word.key == "NEXTVAL" and opening.key == "(" and dot.key == "." and name.value == schema:
            sql = sql[: name.start] + quote_name(target_schema) + sql[name.end :]
    return sql
