"""The words of Vectors: its nouns in three languages, its unit, its sentences."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy, pgettext_lazy

from championship.catalogue import Noun, Nouns, Unit, Words
from championship.catalogue.nouns import english, german, polish

NOUNS = Nouns(
    event=Noun(
        english("meeting", "meetings"),
        german("n", "Treffen", "Treffen", gen="Treffens"),
        polish("m", "zlot", "zlotu", "zlot", "zlocie", "zloty", "zlotów"),
    ),
    stage=Noun(
        english("heat", "heats"),
        german("m", "Lauf", "Läufe", gen="Laufs", many_dat="Läufen"),
        polish("m", "bieg", "biegu", "bieg", "biegu", "biegi", "biegów"),
    ),
    crew=Noun(
        english("racer", "racers"),
        german("m", "Pilot", "Piloten", weak="Piloten"),
        polish("m", "zawodnik", "zawodnika", "zawodnika", "zawodniku", "zawodnicy", "zawodników"),
    ),
)
TURNS = Unit(counted=ngettext_lazy("%(n)d turn", "%(n)d turns", "n"), several=pgettext_lazy("vectors", "turns"))
WORDS = Words.of(
    NOUNS,
    units={"turns": TURNS},
    border=_("Gate %(number)d"),
    at_border=_("at gate"),
    no_splits=_("No car has reached the first gate yet."),
    splits=_("The turn in which each car passed a gate, and the gap to the first there."),
)
TELLS = {
    "moved": _("%(seat)s drives to column %(x)s, row %(y)s."),
    "resigned": _("%(seat)s gives up."),
}
