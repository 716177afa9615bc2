"""Toy games. `dash`, and `hush`, its sealed variant, offer no capability. `laps` has courses."""
