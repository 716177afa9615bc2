"""What people are told: written as rows, sent as letters, pushes and posts."""

NOTICES_HEADER = "X-Notices"
"""Which notices a letter holds, by id, so that a letter in a mailbox can be told from its copy."""
