"""Keys for addresses: everybody with the link may read the page, so nobody may guess it."""

import secrets

KEY_BYTES = 9
KEY_LENGTH = 12  # characters that KEY_BYTES take in URL-safe base 64


def new_key() -> str:
    """A fresh key of KEY_LENGTH characters, safe in a URL, of 72 random bits; no hyphen begins it, which a command
    line would take for an option.
    """
    while (key := secrets.token_urlsafe(KEY_BYTES)).startswith("-"):
        pass
    return key
