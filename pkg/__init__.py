"""What the three programs share; pure except pkg.adapters."""
