"""The syncer's pure core against a model target, under a seeded scheduler: `python -m tests.simulation SEED`."""
