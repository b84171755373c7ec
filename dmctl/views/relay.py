"""The relay logs of the sources in a status: one line each, under the tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from dmctl.views.texts import error_panel, plain_table, stage_text

Fields = Mapping[str, Any]


def relay_tables(sources: Sequence[Fields]) -> Iterator[RenderableType]:
    """Nothing where no source has a relay log."""
    places = [source.get("sourceStatus") or {} for source in sources]
    with_relay = [place for place in places if place.get("relayStatus")]
    if not with_relay:
        return
    table = plain_table("Relay log", "Stage", "Received", "Upstream")
    for place in with_relay:
        relay = place["relayStatus"]
        table.add_row(
            Text.assemble(str(place.get("source") or "-"), (f"\n{place.get('worker') or 'no worker'}", "dim")),
            stage_text(str(relay.get("stage", "")), failed=bool(_errors(relay))),
            _received(relay),
            _upstream(relay),
        )
    yield table


def relay_notices(place: Fields) -> Iterator[RenderableType]:
    """What keeps a relay log from going on."""
    relay = place.get("relayStatus") or {}
    for error in _errors(relay):
        yield error_panel(error, f"relay log · {place.get('source') or 'source'}", str(relay.get("nextTry") or ""))


def _received(relay: Fields) -> Text:
    sub_dir = str(relay.get("relaySubDir") or "")
    return Text.assemble(str(relay.get("relayBinlog") or "-"), (f"\n{sub_dir}" if sub_dir else "", "dim"))


def _upstream(relay: Fields) -> Text:
    if relay.get("stage") != "Running":
        return Text(str(relay.get("masterBinlog") or "-"))
    in_step = bool(relay.get("relayCatchUpMaster"))
    state = ("✓ in step", "green") if in_step else ("→ catching up", "yellow")
    return Text.assemble(str(relay.get("masterBinlog") or "-"), "\n", state)


def _errors(relay: Fields) -> list[Fields]:
    return list((relay.get("result") or {}).get("errors") or ())
