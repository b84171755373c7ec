"""The structure of tables: its model, the meaning of DDL text, and how DDL changes it."""
