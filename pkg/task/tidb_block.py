"""The block `tidb-tables` of a task file."""

from __future__ import annotations

from typing import Literal

from pkg.rules.tidb_tables import MOST_BITS
from pkg.task import problems
from pkg.task.option import Model, option
from pkg.task.values import Pattern


class TidbTable(Model):
    """How TiDB lays out tables that the full migration creates (not in DM; docs/loading.md)."""

    schema_pattern: Pattern = option(
        ..., "upstream schemas, as in routes", sample="shop", kind=problems.BAD_TIDB_TABLE, min_length=1
    )
    table_pattern: Pattern = option(
        "", "upstream tables; empty: all of the schemas", sample="events_*", kind=problems.BAD_TIDB_TABLE
    )
    shard_row_id_bits: int = option(
        0,
        "SHARD_ROW_ID_BITS of tables without a clustered key: spreads rows that come one after another",
        kind=problems.BAD_TIDB_TABLE,
        ge=0,
        le=MOST_BITS,
    )
    pre_split_regions: int = option(
        0,
        "PRE_SPLIT_REGIONS: 2 to the power of it regions from the start; not more than the bits of shard-row-id-bits "
        "or auto-random",
        sample=3,
        kind=problems.BAD_TIDB_TABLE,
        ge=0,
        le=MOST_BITS,
    )
    auto_random: int = option(
        0,
        "bits of AUTO_RANDOM in place of AUTO_INCREMENT, for primary keys that are one BIGINT",
        sample=5,
        kind=problems.BAD_TIDB_TABLE,
        ge=0,
        le=MOST_BITS,
    )
    primary_key: Literal["", "clustered", "nonclustered"] = option(
        "", "whether rows are stored by the primary key; empty: as the server does it", kind=problems.BAD_TIDB_TABLE
    )
