"""Loading dumps, made by us and by other tools."""
