"""Fifty drivers at once on a real server: `make load`. A measurement, not a test; pytest times nothing here."""
