"""Toy games. `dash`, and `hush`, its sealed variant, offer no capability. `haul` has a career, `laps` has courses.
`vectors` has its own unit, nouns and pages.
"""
