"""Notices to people and clubs: stored as rows, sent as letters, pushes and posts."""

NOTICES_HEADER = "X-Notices"
"""The header with the ids of the notices in a letter, so that a copy of a letter in a mailbox can be recognised."""
