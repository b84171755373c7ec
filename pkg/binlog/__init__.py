"""Binary logs: positions, GTID sets, events, and the compiled row codec."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec

_spec = find_spec("pkg.binlog.rows")
COMPILED = _spec is not None and (_spec.origin or "").endswith(tuple(EXTENSION_SUFFIXES))
"""Whether the codec runs as machine code; as plain Python it decodes some fifty times slower."""

del _spec
