"""Dirt & Dust's words for the things that all games have."""

from django.utils.translation import gettext_lazy as _

from championship.catalogue import Words

OPTIONS = {
    "basic": _("the basic cards"),
    "advanced": _("the advanced cards"),
    "10": _("all ten"),
    "5": _("five: a short stage"),
    "none": _("no ghost"),
    "plain": _("the ghost of the rulebook"),
    "amateur": _("easier: amateur"),
    "novice": _("easier: novice"),
    "rookie": _("easiest: rookie"),
    "daredevil": _("harder: daredevil"),
    "veteran": _("harder: veteran"),
    "devil": _("hardest: devil"),
    "dealt": _("dealt in starting order"),
    "chosen": _("each driver chooses, in starting order"),
}
"""Labels of the values of the options."""

WORDS = Words(
    notice=_("Dirt & Dust is played with this service's own cards or with a club's."),
    order=_("Who is driving"),
    seats=_("Cockpits"),
    options=OPTIONS,
)
