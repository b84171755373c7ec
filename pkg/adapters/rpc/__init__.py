"""The messages between dmctl, dm-master and dm-worker: dm.proto and what is generated from it."""
