"""The columns that a list may have, and their headings in the languages that people keep lists in."""

from __future__ import annotations

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from championship.archive.csv_reading import Column


def _words(*listed: str) -> frozenset[str]:
    """Return the headings in these comma-separated texts."""
    return frozenset(word.strip() for each in listed for word in each.split(","))


EMAIL = Column(
    "email",
    _("e-mail address"),
    _words(
        "email, e-mail, mail, e-mail address, email address, mail address",
        "adres e-mail, adres email, adres, poczta, e-mail-adresse, mailadresse, emailadresse",
    ),
    longest=254,
)
NAME = Column(
    "name",
    _("name"),
    _words(
        "name, member, driver, full name, imię i nazwisko, imię, nazwisko, kierowca, członek, zawodnik",
        "fahrer, fahrerin, mitglied, vorname und nachname",
    ),
    longest=60,
)
CREW = Column("crew", _("crew"), _words("crew, załoga, besatzung"))
CAR_CLASS = Column(
    "class",
    _("car class"),
    _words("class, car class, klasa, klasa auta, klasse, fahrzeugklasse, wagenklasse"),
    longest=20,
)
TEAM = Column("team", _("team"), _words("team, zespół, drużyna, mannschaft"), longest=60)
NUMBER = Column(
    "number",
    _("start number"),
    _words(
        "number, start number, no, start no, nr, numer, numer startowy, nr startowy",
        "nummer, startnummer, start-nr, startnr",
    ),
    longest=6,
)
RALLY = Column("rally", _("rally"), _words("rally, round, rajd, runda, rallye, lauf"))
DATE = Column("date", pgettext_lazy("of a rally", "date"), _words("date, day, data, dzień, datum, tag"))
STAGES = Column("stages", _("stages"), _words("stages, odcinki, etapy, prüfungen, etappen"), longest=400)
PLACE = Column(
    "place", _("place"), _words("place, position, pos, miejsce, pozycja, lokata, platz, platzierung"), longest=6
)

MOST_STAGES = 24
STAGE_WORDS = (
    *("time", "points", "result", "stage", "ss", "czas", "punkty", "wynik", "odcinek", "oes", "os"),
    *("zeit", "punkte", "ergebnis", "prüfung", "wp"),
)


def _time(number: int) -> Column:
    """Return the column of a stage's results, "time 2". The first one may also be called "time" alone."""
    words = {f"{word}{between}{number}" for word in STAGE_WORDS for between in ("", " ")}
    if number == 1:
        words |= _words("time, total, total time, czas, czas łączny, suma, zeit, gesamtzeit")
        words |= _words("points, result, punkty, wynik, punkte, ergebnis")
    return Column(f"time {number}", format_lazy(_("time {number}"), number=number), frozenset(words), longest=20)


TIMES = tuple(_time(number) for number in range(1, MOST_STAGES + 1))

ENTRIES = (EMAIL, NAME, CREW, CAR_CLASS, NUMBER)
REGISTRATIONS = (*ENTRIES, TEAM)
RESULTS = (RALLY, DATE, STAGES, *ENTRIES, PLACE, *TIMES)
