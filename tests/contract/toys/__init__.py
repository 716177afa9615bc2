"""Toy games. `dash`, and `hush`, its sealed variant, offer no capability. `laps` has courses. `vectors` has its own
unit, nouns and pages.
"""
