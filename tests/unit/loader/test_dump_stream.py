"""Packed files are read from any place on, and one without its end is refused."""

from __future__ import annotations

import gzip
import io

import pytest
import zstandard

from dm_worker.dumper.layout import Compression
from dm_worker.loader.dump_stream import DAMAGED, blocks
from pkg.errors import DMError

TEXT = b"".join(b"row %d;\n" % number for number in range(200_000))
HALF = len(TEXT) // 2
_ZSTD = zstandard.ZstdCompressor(write_checksum=True)
FORMS = {
    Compression.NONE: TEXT,
    Compression.GZIP: gzip.compress(TEXT[:HALF]) + gzip.compress(TEXT[HALF:]),
    Compression.ZSTD: _ZSTD.compress(TEXT[:HALF]) + _ZSTD.compress(TEXT[HALF:]),
}


@pytest.mark.parametrize("compression", FORMS)
@pytest.mark.parametrize("offset", [0, 1, HALF - 1, HALF, len(TEXT) - 1, len(TEXT)])
def test_from_any_place(compression: Compression, offset: int) -> None:
    read = b"".join(blocks(io.BytesIO(FORMS[compression]), "f", compression, offset))
    assert read == TEXT[offset:]


@pytest.mark.parametrize("compression", [Compression.GZIP, Compression.ZSTD])
@pytest.mark.parametrize("packed", ["cut", "broken"])
def test_damage_is_named(compression: Compression, packed: str) -> None:
    whole = FORMS[compression]
    damaged = whole[:-5] if packed == "cut" else whole[:1000] + b"\xff" * 200 + whole[1200:]
    with pytest.raises(DMError) as error:
        list(blocks(io.BytesIO(damaged), "shop.t.00000.sql", compression, 0))
    assert error.value.is_a(DAMAGED)
    assert "shop.t.00000.sql" in error.value.message
