"""A season rehearsed: months of turns, deadlines and mail in minutes, with the machines failing under it.

`python -m tests.chaos` (make chaos) runs it on processes of its own; the test suite runs a short form of it.
"""
