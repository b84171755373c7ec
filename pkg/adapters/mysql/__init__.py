"""MySQL protocol servers: connections, errors by number, and what each flavour says differently."""
