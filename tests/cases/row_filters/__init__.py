"""Expression filters on real servers: which rows stay out, what pauses."""
