"""Reads lists as people keep them: bytes or pasted text in, people and results out (`championship/lists/found.py`).

Nothing here knows a club, a member or a request. Everything is bounded in bytes, cells and time.
"""
