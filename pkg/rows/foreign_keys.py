"""Tables that foreign keys tie to each other, directly or by way of others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Name = tuple[str, str]  # schema, table


def tied_groups(references: Iterable[tuple[Name, Name]]) -> Mapping[Name, tuple[Name, ...]]:
    """For each table, in lower case, that has a foreign key or is referred to: all that it is tied to, itself too.

    ``references`` are (child, parent).  Names that differ by case alone are taken for one table, which
    may tie too many.
    """
    groups: dict[Name, set[Name]] = {}
    for pair in references:
        child, parent = ((schema.lower(), table.lower()) for schema, table in pair)
        joined = groups.get(child, {child}) | groups.get(parent, {parent})
        for member in joined:
            groups[member] = joined
    ordered = {id(group): tuple(sorted(group)) for group in groups.values()}
    return {name: ordered[id(group)] for name, group in groups.items()}


def group_name(group: Iterable[Name]) -> bytes:
    """What stands for a group: the same whatever the order in which its tables were met."""
    schema, table = min(group)
    return f"{schema}.{table}".encode()


def asks_for_key_checks(session: Mapping[str, str]) -> bool:
    """Whether a task's session variables ask the target to check foreign keys."""
    return _key_checks(session) not in ("", "0", "off", "false")


def leaves_key_checks_open(session: Mapping[str, str]) -> bool:
    """Whether they say nothing of it: foreign keys are not checked then."""
    return not _key_checks(session)


def _key_checks(session: Mapping[str, str]) -> str:
    said = {name.lower(): str(value).lower() for name, value in session.items()}
    return said.get("foreign_key_checks", "")
