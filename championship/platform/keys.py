"""Keys for URLs. Everybody with the link may read the page, so the key must not be guessable."""

import secrets

KEY_BYTES = 9
KEY_LENGTH = 12  # characters that KEY_BYTES take in URL-safe base 64


def new_key() -> str:
    """A new key of KEY_LENGTH characters, safe in a URL, with 72 random bits. It never begins with a hyphen, because a
    command line would take it for an option.
    """
    while (key := secrets.token_urlsafe(KEY_BYTES)).startswith("-"):
        pass
    return key
