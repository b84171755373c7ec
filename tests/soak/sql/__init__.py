"""Random SQL of a grammar through the real programs, under every fault: see `campaign.py`."""

from tests.soak.sql.campaign import main

__all__ = ["main"]
