"""The persons of the demo. Their addresses end in .example, a domain that nobody can own."""

from dataclasses import dataclass

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
