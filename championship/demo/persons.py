"""The persons of the demo. Their addresses end in .example, a domain that nobody can own. One-click logins: a signed
token names one of them, and no other account.
"""

from dataclasses import dataclass

from django.core import signing
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop


@dataclass(frozen=True, slots=True)
class Person:
    """A person of the demo: the account, the person's role in the demo, and the name of the crew."""

    email: str
    name: str
    role: str  # an English sentence that goes through gettext where it is shown
    crew: str = ""
    codriver_drives: bool = False

    @property
    def role_text(self) -> str:
        return str(_(self.role))


ORGANISER = Person("olga@demo.example", "Olga Bieler", gettext_noop("Organises the club's championship."))
DRIVER = Person(
    "nico@demo.example",
    "Nico Hartwig",
    gettext_noop("Drives Rally 1; the next turn is yours."),
    crew="Hartwig / Lenz",
)
CODRIVEN = (
    Person(
        "ada@demo.example",
        "Ada Morawska",
        gettext_noop("Driven by the codriver."),
        crew="Morawska / Duda",
        codriver_drives=True,
    ),
    Person(
        "remi@demo.example",
        "Rémi Castel",
        gettext_noop("Driven by the codriver."),
        crew="Castel / Brun",
        codriver_drives=True,
    ),
    Person(
        "tuula@demo.example",
        "Tuula Salmi",
        gettext_noop("Driven by the codriver."),
        crew="Salmi / Aho",
        codriver_drives=True,
    ),
)
PERSONS = (ORGANISER, DRIVER, *CODRIVEN)


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
