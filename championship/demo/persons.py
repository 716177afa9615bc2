"""The persons of the demo. Their addresses end in .example, a domain that nobody can own. One-click logins: a signed
token names one of them, and no other account.
"""

from dataclasses import dataclass

from django.core import signing
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop


@dataclass(frozen=True, slots=True)
class Person:
    """A person of the demo: the account, the person's role in the demo, and the crew, class and team of the season.

    `manner`: how the codriver drives for this person, by the place of the manner in what a game offers, the most
    careful first.
    """

    email: str
    name: str
    role: str  # an English sentence that goes through gettext where it is shown
    crew: str = ""
    codriver_drives: bool = False
    car_class: str = ""
    team: str = ""
    manner: int = 0

    @property
    def role_text(self) -> str:
        return str(_(self.role))


MODERN, HISTORIC = "Modern", "Historic"
CLASSES = (MODERN, HISTORIC)
QUARRY, LAKESIDE, HEATHER = "Quarry Racing", "Lakeside Motors", "Heather Ridge Works"
TEAMS = (QUARRY, LAKESIDE, HEATHER)
DRIVEN_BY_CODRIVER = gettext_noop("Driven by the codriver.")

ORGANISER = Person("olga@demo.example", "Olga Bieler", gettext_noop("Organises the club's championship."))
STEWARD = Person("henrik@demo.example", "Henrik Lund", gettext_noop("Steward: judges protests."))
DRIVER = Person(
    "nico@demo.example",
    "Nico Hartwig",
    gettext_noop("Fights for the championship; three turns wait for you."),
    crew="Hartwig / Lenz",
    car_class=MODERN,
    team=LAKESIDE,
    manner=1,
)
CODRIVEN = (
    Person("ada@demo.example", "Ada Morawska", DRIVEN_BY_CODRIVER, "Morawska / Duda", True, HISTORIC, LAKESIDE, 1),
    Person("remi@demo.example", "Rémi Castel", DRIVEN_BY_CODRIVER, "Castel / Brun", True, MODERN, QUARRY, 2),
    Person("tuula@demo.example", "Tuula Salmi", DRIVEN_BY_CODRIVER, "Salmi / Aho", True, HISTORIC, QUARRY, 1),
    Person("piet@demo.example", "Piet Vermeer", DRIVEN_BY_CODRIVER, "Vermeer / Bos", True, HISTORIC, HEATHER, 2),
    Person("zuzana@demo.example", "Zuzana Hladká", DRIVEN_BY_CODRIVER, "Hladká / Novák", True, MODERN, HEATHER, 0),
)
LEAGUE = (ORGANISER, STEWARD, DRIVER, *CODRIVEN)
"""The members of the demo's league."""

HOST = Person("hedda@demo.example", "Hedda Friis", gettext_noop("Organises rallies of a public club."))
GUEST = Person(
    "liv@demo.example",
    "Liv Sørensen",
    gettext_noop("Drives in a public club, which strangers may watch."),
    crew="Sørensen / Dahl",
    manner=1,
)
NEIGHBOURS = (
    Person("kaito@demo.example", "Kaito Mori", DRIVEN_BY_CODRIVER, "Mori / Abe", True, manner=2),
    Person("ines@demo.example", "Inês Prado", DRIVEN_BY_CODRIVER, "Prado / Reis", True, manner=1),
    Person("marek@demo.example", "Marek Zając", DRIVEN_BY_CODRIVER, "Zając / Lis", True, manner=0),
)
PUBLIC = (HOST, GUEST, *NEIGHBOURS)
"""The members of the demo's public club."""
PERSONS = (*LEAGUE, *PUBLIC)


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
