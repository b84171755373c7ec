"""The command line."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from dm_binlog.bounds import Bound, Place, parse_bound
from dm_binlog.json_view import JsonView, RawJsonView, write_json
from dm_binlog.raw_view import RawView
from dm_binlog.schema_files import known_names
from dm_binlog.show import Request, Show, View
from dm_binlog.sources import labels
from dm_binlog.stats import Stats
from dm_binlog.stats_view import draw_stats
from dm_binlog.text_view import TextView
from dm_binlog.where import Where
from dm_binlog.words import plural
from dm_binlog.writer import Writer, harmless
from pkg.errors import DMError
from pkg.version import VERSION

T = TypeVar("T")
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Bound(click.ParamType[Bound]):
    """A place, a time or a GTID."""

    name = "bound"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Bound:
        try:
            return parse_bound(value) if isinstance(value, str) else value
        except ValueError as exc:
            self.fail(str(exc), param, ctx)


@click.command(context_settings=_SETTINGS)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--where", multiple=True, metavar="DB.TABLE", help="Only these tables, also 'shop.*'; repeat it.")
@click.option(
    "--from", "first", type=_Bound(), metavar="POS|TIME|GTID", help="Begin at this place, time or transaction."
)
@click.option(
    "--to", "last", type=_Bound(), metavar="POS|TIME|GTID", help="End before the place or time, after the transaction."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only N transactions, or raw events.")
@click.option("--stats", is_flag=True, help="Count: rows of each table, biggest transactions, rows over time.")
@click.option("--raw-events", is_flag=True, help="List all events with their sizes, as they lie in the file.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line; also of --stats and --raw-events.")
@click.option("--columns", multiple=True, metavar="DB.TABLE=A,B,C", help="Names of a table's columns; repeat it.")
@click.option(
    "--schema",
    multiple=True,
    metavar="FILE.sql",
    type=click.Path(path_type=Path),
    help="CREATE TABLEs to take column names from; repeat it.",
)
@click.option("--full", is_flag=True, help="Do not shorten long values and statements, nor count NULLs.")
@click.version_option(VERSION, "-V", "--version", prog_name="dm-binlog")
def command(
    files: tuple[str, ...], where: tuple[str, ...], first: Bound | None, last: Bound | None, limit: int | None,
    stats: bool, raw_events: bool, as_json: bool, columns: tuple[str, ...], schema: tuple[Path, ...], full: bool,
) -> None:  # fmt: skip
    """Show what is in binlog and relay files of MySQL and MariaDB.

    Transactions stand together, with place, time (UTC), GTID and the rows that they changed; of an updated row
    the changed columns are shown, as before → after. A file that is still being written, or was cut off, is
    shown as far as it is whole. - reads from a pipe.

    \b
    What happened to one table this morning?
      dm-binlog mysql-bin.000042 --where shop.orders --from '2026-03-01 08:00' --to '2026-03-01 09:00'
    What is at the place that an error message names, and who wrote it?
      dm-binlog mysql-bin.000042 --from 98213 --limit 1 --full
    What did this transaction do?
      dm-binlog mysql-bin.000042 --from 0-1-5317 --to 0-1-5317
    Which tables are written most, which transactions are large, when was it busy?
      dm-binlog mysql-bin.0000* --stats
    Columns show as @1, @2 …: name them (or set binlog_row_metadata = FULL on the server).
      mysqldump --no-data shop > shop.sql; dm-binlog mysql-bin.000042 --schema shop.sql
    Every row that was deleted, for a script
      dm-binlog mysql-bin.000042 --json | jq -c 'select(.type == "delete") | .before'
    A file that was packed
      zstd -dc mysql-bin.000042.zst | dm-binlog - --stats

    \b
    A place is an offset, or FILE:OFFSET; a time is 2026-03-01 or '2026-03-01 08:00:00', in UTC or with +02:00.
    Exit codes: 0 shown · 1 something could not be read (all that can be is shown first) · 2 wrong usage
    """
    if stats and raw_events:
        raise click.UsageError("--stats and --raw-events are two views: take one of them")
    for bound in (first, last):
        _check_file(bound, labels(files))
    request = Request(
        files, first, last, _usage(lambda: Where(where), "--where"), limit, raw_events,
        _usage(lambda: known_names(columns, schema), "--columns or --schema"),
    )  # fmt: skip
    sys.exit(_run(request, stats=stats, raw=raw_events, as_json=as_json, full=full))


def _run(request: Request, *, stats: bool, raw: bool, as_json: bool, full: bool) -> int:
    stdout = sys.stdout
    if isinstance(stdout, io.TextIOWrapper):
        stdout.reconfigure(errors="replace")  # a terminal without UTF-8
    if stats:
        return _count(request, stdout, as_json=as_json)
    view: View
    if as_json:
        view = RawJsonView(stdout) if raw else JsonView(stdout)
    else:
        view = RawView(Writer(stdout)) if raw else TextView(Writer(stdout), full=full)
    show = Show(request, view, lambda error: _tell(stdout, error), _warn)
    is_well = show.run()
    stdout.flush()
    if show.unreadable:
        _warn(f'{plural(show.unreadable, "event")} could not be read; look for "not readable" above')
    return 0 if is_well else 1


def _count(request: Request, stdout: TextIO, *, as_json: bool) -> int:
    stats = Stats()
    told: list[DMError] = []
    show = Show(request, stats, told.append, _warn)
    is_well = show.run()
    if as_json:
        write_json(stdout, stats.as_json())
    elif stats.events:
        draw_stats(stats, Writer(stdout))
    stdout.flush()
    for error in told:
        _tell(stdout, error)
    if show.unreadable:
        _warn(f"{plural(show.unreadable, 'event')} could not be read")
    return 0 if is_well else 1


def _tell(stdout: TextIO, error: DMError) -> None:
    stdout.flush()  # what is whole comes first
    click.secho(f"dm-binlog: {harmless(error.message)}", fg="red", err=True)
    if error.workaround:
        click.echo(f"  → {harmless(error.workaround)}", err=True)


def _warn(text: str) -> None:
    click.secho(f"dm-binlog: {harmless(text)}", fg="yellow", err=True)


def _usage(make: Callable[[], T], option: str) -> T:
    try:
        return make()
    except ValueError as exc:
        raise click.BadParameter(str(exc), param_hint=option) from exc


def _check_file(bound: Bound | None, files: Sequence[str]) -> None:
    if isinstance(bound, Place) and bound.file and bound.file not in files:
        raise click.BadParameter(
            f"no FILE is called {bound.file!r}; given: {', '.join(files)}", param_hint="--from or --to"
        )
