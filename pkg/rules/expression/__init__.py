"""Expression filters: SQL conditions on the values of a row, evaluated here as MySQL would."""
