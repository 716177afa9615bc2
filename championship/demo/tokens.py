"""One-click logins: a signed token that names one of the demo's persons, and no other account."""

from django.core import signing

from championship.demo.persons import PERSONS

SALT = "championship.demo.login"
BY_NAME = {person.email.partition("@")[0]: person.email for person in PERSONS}


def token_for(email: str) -> str:
    """Return the token that signs in as this person of the demo. It stays the same as long as the secret key does."""
    return _signer().sign(email.partition("@")[0])


def email_in(token: str) -> str | None:
    """Return the address of the person that a token signs in; None when the token is not valid or names no person of
    the demo.
    """
    try:
        return BY_NAME.get(_signer().unsign(token))
    except signing.BadSignature:
        return None


def _signer() -> signing.Signer:
    return signing.Signer(salt=SALT, sep=".")
