"""The messages between dmctl, dm-master and dm-worker: dm.proto, what is generated from it, and its way from and to JSON."""
