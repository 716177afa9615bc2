"""Creates a whole season, lets codrivers drive it through the services, and computes its tables again from raw rows.

`python -m tests.season` (make season) drives a large season; the test suite drives a small one.
"""
