"""Django's PostgreSQL backend, with a time limit for a server that accepts connections or statements and is silent."""
