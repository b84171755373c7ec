"""Small tables to build row changes from."""

from __future__ import annotations

from pkg.rows.change import RowImage, TargetTable, plan_target
from pkg.schema.table import Column, Index, Table

TYPES = {"int": (None, None), "varchar": ("utf8mb4", "utf8mb4_general_ci"), "float": (None, None)}


def column(name: str, base_type: str = "int", *, nullable: bool = True, generated: str = "") -> Column:
    charset, collation = TYPES.get(base_type, (None, None))
    return Column(
        name, base_type, base_type, False, nullable, charset, collation, None, generated, False, False, (), None, 0
    )


def table(columns: list[Column], *keys: Index, name: str = "t") -> Table:
    return Table("s", name, tuple(columns), keys, "utf8mb4", "utf8mb4_general_ci")


def primary(*columns: str) -> Index:
    return Index("PRIMARY", columns, (None,) * len(columns), True, True)


def unique(*columns: str, name: str = "u", prefix: int | None = None) -> Index:
    return Index(name, columns, (prefix,) * len(columns), True, False)


def keyed() -> TargetTable:
    """id (primary key), code (unique), note."""
    columns = [column("id", nullable=False), column("code", "varchar"), column("note", "varchar")]
    structure = table(columns, primary("id"), unique("code"))
    return plan_target(structure, structure)


def with_own_column() -> TargetTable:
    """The same, in a target that has a column of its own."""
    columns = [column("id", nullable=False), column("code", "varchar"), column("note", "varchar")]
    keys = primary("id"), unique("code")
    return plan_target(table(columns, *keys), table([*columns, column("mark")], *keys))


def keyless() -> TargetTable:
    structure = table([column("a"), column("b", "varchar"), column("c", "float")], name="log")
    return plan_target(structure, structure)


def as_event(before: RowImage | None, after: RowImage | None) -> tuple[str, list[RowImage]]:
    """Kind and images of a rows event that has one change."""
    images = [image for image in (before, after) if image is not None]
    return ("update" if len(images) == 2 else "insert" if before is None else "delete"), images
