"""Every write of the API's own: tokens, and answers kept for a request that is sent twice.

What other apps call is named here; the modules beside this one import each other by their own names.
"""

from championship.api.services.tokens import (
    LONGEST_LIFE,
    MARK,
    MOST_TOKENS,
    become_bot,
    digest_of,
    make_token,
    note_use,
    revoke_token,
)

__all__ = [
    "LONGEST_LIFE",
    "MARK",
    "MOST_TOKENS",
    "become_bot",
    "digest_of",
    "make_token",
    "note_use",
    "revoke_token",
]
