"""Every verb against a gRPC server with recorded answers: what is asked, what is printed, how it ends."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from dmctl.answer import Exit
from pkg.adapters.rpc import dm_pb2

