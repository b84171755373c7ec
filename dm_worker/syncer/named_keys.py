"""DROP and RENAME of a key or a CHECK by a name: it is the upstream's, whatever the target calls it."""

from __future__ import annotations

from dm_worker.syncer.downstream import Downstream
from pkg.errors import ErrorKind, Level, Scope
from pkg.schema.alter import AddForeignKey, DropForeignKey, DropIndex, RenameIndex
from pkg.schema.ddl import parse_ddl
from pkg.schema.effective import effective
from pkg.schema.errors import shortened
from pkg.schema.names_there import (
    OtherKey,
    changes_columns,
    left_out,
    names_keys,
    stays_unique,
    with_certain_names_there,
    with_names_there,
)
from pkg.schema.references import adds_references, by_copying, counts_otherwise, names_keys_alone, with_references_said
from pkg.schema.statement import Ddl, DdlKind, TableName, edited
from pkg.schema.table import Table
from pkg.schema.translate_elements import removed
from pkg.shardddl.check_names import names_checks, with_check_names

OTHER_KEY = ErrorKind(
    36200,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "a key is dropped or renamed at {place}, and {target} has no such key or another one of that name: {reason}; "
    "the statement: {sql}",
    workaround="drop or rename by hand the key of {target} that the upstream's statement meant, then "
    "`dmctl binlog skip <task>`",
)


def named_there(
    downstream: Downstream,
    piece: Ddl,
    whole: Ddl,
    before: Table | None,
    target: TableName,
    place: str,
    *,
    repeated: bool,
) -> Ddl:
    """``piece`` of the statement ``whole`` with the target's names of the keys.  Raises OTHER_KEY.

    ``repeated``: an earlier run may have done it, and keys of the target be those of behind it.
    """
    if piece.subject.table != target.table and names_checks(piece, before):
        piece = with_check_names(piece, before, downstream.shown_table(target))
    if before is None or not names_keys(piece):
        return piece
    there = downstream.table(target.schema, target.table)
    if there is None or not effective(before, piece.alterations):
        return piece
    try:
        if repeated or changes_columns(whole):
            return with_certain_names_there(piece, whole, before, there, repeated=repeated)
        named = with_names_there(piece, before, there)
    except OtherKey as exc:
        raise _other_key(piece, target, place, str(exc)) from exc
    dropped = _one_dropped(whole)
    if named is piece and dropped and there.index(dropped) is None and stays_unique(before, there, dropped):
        raise _other_key(piece, target, place, f"{dropped} is not there, and a unique key that the upstream lacks is")
    return named


def without_keys_left_out(
    downstream: Downstream, piece: Ddl, before: Table | None, target: TableName, upstream: str
) -> Ddl | None:
    """An ALTER without what it does to keys that the target was not given; None where nothing else is left of it.

    It is read anew, so that further clauses can be left out of it.
    """
    is_about_keys = any(isinstance(one, (DropIndex, RenameIndex, DropForeignKey)) for one in piece.alterations)
    if before is None or piece.kind is not DdlKind.ALTER_TABLE or not is_about_keys:
        return piece
    there = downstream.table(target.schema, target.table)
    kept = [there is None or not left_out(clause, before, there) for clause in piece.clauses]
    if not any(kept):
        return None
    if all(kept):
        return piece
    cuts = [(*removed(piece.clauses, kept, number), "") for number, stays in enumerate(kept) if not stays]
    left = edited(piece.text, [*piece.edits, *cuts])
    return parse_ddl(left, default_schema=piece.default_schema, flavor=upstream)


def references_said(downstream: Downstream, piece: Ddl, before: Table | None, target: TableName, upstream: str) -> Ddl:
    """The statement with its foreign keys as the target takes them; ``before``: its table upstream."""
    flavor = downstream.server.flavor
    if not adds_references(piece, flavor):
        is_open = any(isinstance(one, AddForeignKey) and not one.key.name for one in piece.alterations)
        there = downstream.table(target.schema, target.table) if is_open and before is not None else None
        if there is None or before is None or not counts_otherwise(piece, before, there):
            return piece
    elif flavor == "mariadb" and (before is None or not names_keys_alone(piece)):
        return by_copying(piece)
    if before is None:
        return piece
    named = target.table if downstream.has_foreign_names_by_database else ""
    return with_references_said(piece, before, upstream, named)


def drops_one_index(piece: Ddl) -> bool:
    """Whether nothing is left to do where the target lacks what is dropped, such as a FULLTEXT key on TiDB."""
    return bool(_one_dropped(piece))


def _one_dropped(piece: Ddl) -> str:
    alterations = piece.alterations
    return alterations[0].name if len(alterations) == 1 and isinstance(alterations[0], DropIndex) else ""


def _other_key(piece: Ddl, target: TableName, place: str, reason: str) -> Exception:
    return OTHER_KEY.error(
        place=place, target=f"{target.schema}.{target.table}", reason=reason, sql=shortened(piece.text, 400)
    )
