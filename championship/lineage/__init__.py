"""Identifies the database, and detects whether it was set back in time since the service last knew it."""
