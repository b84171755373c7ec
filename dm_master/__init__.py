"""The control plane: what should run where, and who does it."""
