"""What is done with the events that carry no rows and no statement."""

from __future__ import annotations

from collections.abc import Mapping

PASSED_OVER = frozenset({1, 3, 5, 9, 11, 13, 14, 17, 28, 29, 36, 37, 160, 161})
"""They change nothing: comments of the server; variables and files for statements that are not replicated as such."""

_OF_5_1 = (
    "rows in the format of MySQL 5.1 betas cannot be read",
    "upgrade the upstream, and start the task with --remove-meta, so that its tables are copied anew",
)
REFUSED: Mapping[int, tuple[str, str]] = {
    20: _OF_5_1,
    21: _OF_5_1,
    22: _OF_5_1,
    26: (
        "the upstream lost events: what they changed is in no binlog",
        "look into the upstream's log for the reason; then start the task with --remove-meta, so that its tables are "
        "copied anew",
    ),
    164: ("the binlog is encrypted for its own server only", "read it from the server, not from a file"),
}
"""Why, and what to do."""

SAVEPOINT, ROLLBACK_TO = b"SAVEPOINT ", b"ROLLBACK TO "
TRANSACTION_STATEMENTS = (SAVEPOINT, b"ROLLBACK", b"XA ")
PARTLY_ROLLED_BACK = (
    "a transaction was rolled back of which some is downstream already: it is large, or ran a DDL",
    "start the task with --remove-meta, so that its tables are copied anew",
)


def savepoint_name(text: bytes) -> str:
    """The name behind SAVEPOINT or ROLLBACK TO as servers log them.

    The session's sql_mode says which quotes it has (ANSI_QUOTES), and sql_quote_show_create whether it has any.
    """
    quote = text[:1]
    if quote in (b"`", b'"'):
        text = text[1:-1].replace(quote * 2, quote)
    return text.decode("utf-8", "replace")
