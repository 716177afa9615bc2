"""The reasons for which a car retires from a stage, in words for every game.

The code of runs records the reason with the result. It is one of these, or a game's own word.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import pgettext, pgettext_lazy

from championship.catalogue.words import Words


class Why(models.TextChoices):
    """Reasons to retire."""

    WRECKED = "wrecked", pgettext_lazy("retired", "wrecked")
    STUCK = "stuck", pgettext_lazy("retired", "no way on")
    GAVE_UP = "gave_up", pgettext_lazy("retired", "gave up")
    MISSED = "missed", pgettext_lazy("retired", "missed deadlines")
    NOT_STARTED = "not_started", pgettext_lazy("retired", "could not start")


RESIGNED = "resigned"
"""A synonym of GAVE_UP, for games whose drivers resign."""


@dataclass(frozen=True, slots=True)
class Retirement:
    """The number of a stage from which an entry retired, and the reason, if known. `words`: the game's words."""

    stage: int
    why: str = ""
    words: Words = field(default=Words(), compare=False, repr=False)

    @property
    def reason(self) -> str:
        """The reason in the reader's language; "" when it is unknown."""
        why = Why.GAVE_UP if self.why == RESIGNED else self.why
        if why in Why.values:
            return str(Why(why).label)
        return pgettext("retired", self.why.replace("_", " ")) if self.why else ""

    @property
    def here(self) -> str:
        """ "retired: gave up", for a page about one stage."""
        return _("retired: %(reason)s") % {"reason": self.reason} if self.reason else _("retired")

    def __str__(self) -> str:
        """ "retired on stage 2: gave up"."""
        told = self.words.retired_why if self.reason else self.words.retired_on
        return str(told) % {"stage": self.stage, "reason": self.reason}
