"""Models of a season's clock. `seasons.models` imports them."""

from __future__ import annotations

from datetime import time

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from championship.platform import clock
from championship.seasons.clock.timetable import ASK, CLOSE, DRAW, OPEN, START, Timetable

LONGEST_DAYS = 90
LONGEST_HOURS = 24 * 14


class SeasonClock(models.Model):
    """How a season runs by itself. `running`: whether it acts. `next_at`: when it looks at the season next.

    `start_time` is a time of day in `zone`. `opens_days`, `asks_hours` and `closes_hours` count back from the start of
    a round; 0 hours for asking: drivers are not asked. `waits`: a round starts only when the round before is over.
    `version` counts the changes.
    """

    class Draws(models.TextChoices):
        RANDOM = "random", _("drawn by lot")
        STANDING = "standing", _("by the standings, the leader first")
        REVERSED = "reversed", _("by the standings, the leader last")

    class Silent(models.TextChoices):
        STAYS = "stays", _("keeps the place")
        LEAVES = "leaves", _("gives the place to the next on the waiting list")

    championship = models.OneToOneField("seasons.Championship", on_delete=models.CASCADE, related_name="clock")
    running = models.BooleanField(_("the season runs by itself"), default=False)
    zone = models.CharField(_("time zone"), max_length=64, default="UTC")
    start_time = models.TimeField(_("start at"), default=time(20, 0))
    opens_days = models.PositiveSmallIntegerField(
        _("entries open, days before"), default=14, validators=[MaxValueValidator(LONGEST_DAYS)]
    )
    asks_hours = models.PositiveSmallIntegerField(
        _("drivers are asked, hours before"), default=48, validators=[MaxValueValidator(LONGEST_HOURS)]
    )
    closes_hours = models.PositiveSmallIntegerField(
        _("entries close, hours before"), default=24, validators=[MaxValueValidator(LONGEST_HOURS)]
    )
    draws = models.CharField(_("start list"), max_length=10, choices=Draws.choices, default=Draws.RANDOM)
    silent = models.CharField(
        _("a driver who does not answer"), max_length=10, choices=Silent.choices, default=Silent.STAYS
    )
    waits = models.BooleanField(_("a round waits until the round before is over"), default=True)
    next_at = models.DateTimeField(_("looks next"), null=True, blank=True, db_index=True, editable=False)
    version = models.PositiveIntegerField(_("version"), default=0, editable=False)

    class Meta:
        verbose_name = _("clock of a season")
        verbose_name_plural = _("clocks of seasons")
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    opens_days__lte=LONGEST_DAYS, asks_hours__lte=LONGEST_HOURS, closes_hours__lte=LONGEST_HOURS
                ),
                name="seasons_clock_looks_not_too_far",
            ),
        ]

    def __str__(self) -> str:
        return str(self.championship)

    @property
    def timetable(self) -> Timetable:
        """The times of its rounds."""
        return Timetable(self.zone, self.start_time, self.opens_days, self.asks_hours, self.closes_hours)


class RoundAct(models.Model):
    """What became of an act of the clock in a round. `by`: None for the clock. `reason`: why it has stopped."""

    class Act(models.TextChoices):
        OPEN = OPEN, _("Entries open, registered drivers are entered")
        ASK = ASK, _("Drivers are asked whether they come")
        CLOSE = CLOSE, _("Entries close, the waiting list moves up")
        DRAW = DRAW, _("The start list is written")
        START = START, _("The start")

    class State(models.TextChoices):
        DONE = "done", _("done")
        HELD = "held", _("held")
        STOPPED = "stopped", _("stopped")
        SKIPPED = "skipped", _("left out")

    round = models.ForeignKey("seasons.Round", on_delete=models.CASCADE, related_name="acts")
    act = models.CharField(_("act"), max_length=8, choices=Act.choices)
    state = models.CharField(_("state"), max_length=8, choices=State.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    at = models.DateTimeField(_("at"), default=clock.now)
    reason = models.CharField(_("reason"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("act in a round")
        verbose_name_plural = _("acts in rounds")
        constraints = [models.UniqueConstraint(fields=["round", "act"], name="seasons_act_once_a_round")]

    def __str__(self) -> str:
        return f"{self.round}: {self.get_act_display()}"


class CheckIn(models.Model):
    """Whether a driver comes to a round. `coming` is None until the driver answers."""

    entry = models.OneToOneField("rallies.Entry", on_delete=models.CASCADE, related_name="check_in")
    asked_at = models.DateTimeField(_("asked"), default=clock.now)
    coming = models.BooleanField(_("comes"), null=True, blank=True)
    answered_at = models.DateTimeField(_("answered"), null=True, blank=True)

    class Meta:
        verbose_name = _("answer of a driver")
        verbose_name_plural = _("answers of drivers")
        constraints = [
            models.CheckConstraint(
                condition=Q(coming__isnull=True, answered_at__isnull=True)
                | Q(coming__isnull=False, answered_at__isnull=False),
                name="seasons_answered_at_a_moment",
            ),
        ]

    def __str__(self) -> str:
        return str(self.entry)
