"""MariaDB's regression suite through replication: see `campaign.py`."""

from tests.soak.corpus.campaign import main

__all__ = ["main"]
