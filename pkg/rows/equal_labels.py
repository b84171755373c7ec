"""Labels that no text names: of those that a collation holds equal, `'a'` and `'ä'`, the second; a SET's label `''`.

Servers make a column of equal labels in a session that is not strict, and read the second of them as the first one.  A
SET with nothing but the label `''` is shown as the SET without labels is, and `''` before others is not shown at all.
Only the number of a label says which one a row has.
"""

from __future__ import annotations

from collections.abc import Iterable

from pkg.binlog.rare_values import quote_text
from pkg.errors import ErrorKind, Level, Scope
from pkg.rows.folding import NothingKnown, folding_of
from pkg.schema.column_types import LABEL_TYPES
from pkg.schema.table import Column

EQUAL_LABELS = ErrorKind(
    36180,
    "sync-unit",
    Scope.DOWNSTREAM,
    Level.HIGH,
    "the labels {labels} of the column {column} are equal in {collation}, its collation in {target}, and cannot be "
    "told apart by their numbers: {reason}",
    workaround="give the target's column a collation that tells them apart, such as the character set's `_bin`, then "
    "resume-task",
)


def written_by_number(above: Column, below: Column, target: str, why_not: str = "") -> bool:
    """Whether labels of the upstream's column ``above`` go to the target's as numbers.

    ``why_not``: what needs their texts.  Raises EQUAL_LABELS where equal labels cannot.
    """
    if not {above.base_type, below.base_type} <= LABEL_TYPES or above.base_type != below.base_type:
        return False
    equal = equal_labels(below.labels, below.collation)
    reason = why_not if above.labels == below.labels else "the target's labels are others"
    if equal and reason and not isinstance(folding_of(below.collation), NothingKnown):
        labels = " and ".join(map(repr, equal))
        raise EQUAL_LABELS.error(
            labels=labels, column=below.name, collation=below.collation, target=target, reason=reason
        )
    if above.base_type == "set" and "" in above.labels and not why_not:
        return below.labels[: len(above.labels)] == above.labels  # more of them behind these change no number
    return bool(equal) and not reason


def equal_labels(labels: Iterable[str], collation: str | None) -> tuple[str, ...]:
    """Two labels that are equal in the collation, or may be; () where there are none."""
    folding = folding_of(collation)
    seen: dict[bytes, str] = {}
    for label in labels:
        literal = quote_text(label.encode())
        folded = literal if folding is None else folding.fold(literal)
        if folded in seen:
            return seen[folded], label
        seen[folded] = label
    return ()
