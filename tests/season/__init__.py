"""A whole season made and driven by codrivers through the services, its tables computed again from raw rows.

`python -m tests.season` (make season) drives a large one; the test suite a small one.
"""
