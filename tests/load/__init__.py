"""Fifty drivers at work at once on a real server: `make load`. A measurement, not a test; nothing here is timed by
pytest.
"""
