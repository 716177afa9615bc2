"""Rehearses a season: months of turns, deadlines and mail in minutes, while the machines fail.

`python -m tests.chaos` (make chaos) runs it with separate processes; the test suite runs a short form of it.
"""
