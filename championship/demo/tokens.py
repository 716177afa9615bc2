"""One-click logins: a signed token that names one of the demo's persons, and nobody else."""

from django.core import signing

from championship.demo.persons import PERSONS

SALT = "championship.demo.login"
ADDRESSES = frozenset(person.email for person in PERSONS)


def token_for(email: str) -> str:
    """The token that signs in as this person of the demo."""
    return signing.dumps(email, salt=SALT)


def email_in(token: str) -> str | None:
    """Whom a token signs in; None when it was not made here or names nobody of the demo."""
    try:
        email = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        return None
    return email if email in ADDRESSES else None
