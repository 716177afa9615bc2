"""How a rally keeps time: how long a driver has, which hours count, what happens at a missed deadline, and on which
dates the sweep acts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from datetime import datetime, time
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from championship.deadlines.counted_time import Away, Counting, quiet_minutes
from championship.rallies.clock.evening_pace import EveningPace
from championship.rallies.clock.evening_rules import EveningRules

LONGEST_TURN = 30 * 24
"""Hours."""
LONGEST_BANK = 90 * 24
"""Hours."""
LONGEST_PENALTY = 3600
"""The highest penalty for one missed deadline, in the rally's unit."""
MOST_QUIET = 16 * 60
"""Minutes of a day that may be quiet; the rest is for driving."""


def _hours(label: Any, default: int, most: int = LONGEST_BANK, least: int = 1) -> Any:
    return models.PositiveSmallIntegerField(
        label, default=default, validators=[MinValueValidator(least), MaxValueValidator(most)]
    )


class Timekeeping(models.Model):
    """The part of a rally that says how time is kept.

    A driver has, in hours that count: `turn_hours` for each turn; or a bank of `bank_hours` for a stage or the rally,
    to which each turn adds `increment_hours`; or only until the stage closes, `stage_hours` after it opened.
    Quiet hours and weekends are those of each driver's own zone, as it was when the deadline began.
    While `paused_at` is set, no time counts.
    `rounds_together`: the time of every car of a round begins with the round, so that all have one deadline.
    `table_size`: the most cars at a table; 0 for as many as the game takes. A smaller table waits for fewer drivers.
    A driver who has not chosen another time is reminded `reminder_hours` before a deadline.
    `evening_since`: since when the rally is driven at the pace of an evening, in seconds; None while it is driven in
    hours. `evening`: that pace (evening_pace.py), empty where nobody has chosen one. `evening_rules`: what its evenings
    do with drivers who are absent, late or gone (evening_rules.py).
    """

    club_id: int

    class Pace(models.TextChoices):
        TURN = "turn", _("So many hours for every turn")
        BANK = "bank", _("A bank of hours, and some more with every turn")
        CLOSING = "closing", _("Only until the stage closes")

    class BankPer(models.TextChoices):
        STAGE = "stage", _("for each stage anew")
        RALLY = "rally", _("for the whole rally")

    class Holidays(models.TextChoices):
        WAIT = "wait", _("the run waits")
        CODRIVER = "codriver", _("the codriver drives")

    class AfterMiss(models.TextChoices):
        TURN = "turn", _("only this turn")
        STAGE = "stage", _("the rest of the stage, until the driver takes it back")

    turn_hours = models.PositiveSmallIntegerField(
        _("hours per turn"), default=24, validators=[MinValueValidator(1), MaxValueValidator(720)]
    )
    reminder_hours = models.PositiveSmallIntegerField(_("reminder, hours before"), default=4)
    pace = models.CharField(_("pace"), max_length=8, choices=Pace.choices, default=Pace.TURN)
    bank_hours = _hours(_("hours in the bank"), 72)
    bank_per = models.CharField(_("the bank is"), max_length=8, choices=BankPer.choices, default=BankPer.STAGE)
    increment_hours = _hours(_("hours that every turn adds"), 12, 720)
    stage_hours = _hours(_("hours that a stage is open"), 168)
    rounds_together = models.BooleanField(_("rounds together"), default=False, db_default=False)
    table_size = models.PositiveSmallIntegerField(_("cars at a table"), default=0, db_default=0)
    quiet_from = models.TimeField(_("quiet hours from"), null=True, blank=True)
    quiet_to = models.TimeField(_("quiet hours to"), null=True, blank=True)
    weekends_count = models.BooleanField(_("weekends count"), default=True)
    holidays = models.CharField(_("during holidays"), max_length=8, choices=Holidays.choices, default=Holidays.WAIT)
    miss_penalty = models.PositiveSmallIntegerField(
        _("penalty for a missed deadline"), default=0, validators=[MaxValueValidator(LONGEST_PENALTY)]
    )
    retire_after = models.PositiveSmallIntegerField(_("retirement after missed deadlines"), default=0)
    after_miss = models.CharField(
        _("after a missed deadline the codriver drives"),
        max_length=8,
        choices=AfterMiss.choices,
        default=AfterMiss.TURN,
    )
    hand_back_hours = _hours(_("hours to take the wheel back"), 12, 168)
    paused_at = models.DateTimeField(_("paused"), null=True, blank=True)
    pause_reason = models.CharField(_("reason of the pause"), max_length=200, blank=True)
    evening_since = models.DateTimeField(_("at the pace of an evening since"), null=True, blank=True, editable=False)
    evening: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(
        _("pace of an evening"), default=dict, db_default=models.Value({}, models.JSONField()), blank=True
    )
    evening_rules: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(
        _("rules of an evening"), default=dict, db_default=models.Value({}, models.JSONField()), blank=True
    )

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(quiet_from__isnull=True, quiet_to__isnull=True)
                | Q(quiet_from__isnull=False, quiet_to__isnull=False),
                name="rallies_quiet_hours_have_both_ends",
            ),
            models.CheckConstraint(condition=~Q(retire_after=1), name="rallies_nobody_retires_at_the_first_miss"),
            models.CheckConstraint(
                condition=Q(increment_hours__gte=1, bank_hours__gte=1, stage_hours__gte=1),
                name="rallies_every_turn_has_an_hour",
            ),
            models.CheckConstraint(
                condition=Q(paused_at__isnull=True) | ~Q(pause_reason=""), name="rallies_paused_for_a_reason"
            ),
        ]

    @abstractmethod
    def absences_since(self, moment: datetime) -> Sequence[Away]:
        """Times that count for nobody, such as pauses, and that were not over at a moment: one query."""

    def counted_until(self, now: datetime) -> datetime:
        """The moment until which time has counted: now, or the start of the rally's pause."""
        return now if self.paused_at is None else min(now, self.paused_at)

    @property
    def keeps_seconds(self) -> bool:
        """Whether the rally is driven at the pace of an evening now."""
        return self.evening_since is not None

    @property
    def evening_pace(self) -> EveningPace:
        """The pace of its evenings."""
        return EveningPace.read(self.evening)

    @property
    def rules_of_evening(self) -> EveningRules:
        """The rules of its evenings."""
        return EveningRules.read(self.evening_rules)

    @property
    def pace_now(self) -> str:
        """The pace that applies now: in an evening, a bank or a time for every turn."""
        if not self.keeps_seconds:
            return self.pace
        return self.Pace.BANK if self.evening_pace.has_bank else self.Pace.TURN

    @property
    def closes_for_all(self) -> bool:
        """Whether turns have no time of their own now, since the stage closes for all at one moment."""
        return self.pace_now == self.Pace.CLOSING

    def in_bank(self, left: int | None) -> int:
        """Seconds that a turn that begins now has with `left` in the driver's bank; None for all of it."""
        if self.keeps_seconds:
            return self.evening_pace.allowed(left)
        whole: int = self.bank_hours * 3600
        added: int = self.increment_hours * 3600
        return (whole if left is None else left) + added

    def banked(self, left: int) -> int:
        """Seconds in the bank after a turn that has left so many."""
        return self.evening_pace.banked(left) if self.keeps_seconds else left

    @property
    def turn_seconds(self) -> int:
        """The time of a turn without a bank."""
        return self.evening_pace.turn if self.keeps_seconds else self.turn_hours * 3600

    @property
    def card_seconds(self) -> int:
        """The time to hand in a card at time control."""
        return self.evening_pace.card if self.keeps_seconds else self.turn_hours * 3600

    @property
    def quiet(self) -> tuple[int, int] | None:
        """The quiet hours in minutes from midnight; None if there are none."""
        if self.quiet_from is None or self.quiet_to is None:
            return None
        hours = minute_of_day(self.quiet_from), minute_of_day(self.quiet_to)
        return hours if quiet_minutes(hours) else None

    def counting_in(self, zone: str) -> Counting:
        """How time counts for a driver in this zone, without absences."""
        if self.keeps_seconds or self.pace == self.Pace.CLOSING:
            return Counting(zone=zone)
        return Counting(zone=zone, quiet=self.quiet, weekends=self.weekends_count)


SETTINGS = (
    *("pace", "bank_hours", "bank_per", "increment_hours", "stage_hours", "rounds_together", "table_size"),
    *("quiet_from", "quiet_to", "weekends_count", "holidays"),
    *("miss_penalty", "retire_after", "after_miss", "hand_back_hours"),
)
"""The fields that organisers set."""


def minute_of_day(moment: time) -> int:
    """Minutes from midnight."""
    return moment.hour * 60 + moment.minute


def settings_of(rally: Timekeeping) -> dict[str, Any]:
    """The timekeeping settings of a rally, by field."""
    return {name: getattr(rally, name) for name in SETTINGS}


class ActingDates(models.Model):
    """The part of a rally with its automatic dates.

    `entries_open_at`: the moment from which drivers may enter, where a season's clock opens the entries.
    `entries_opened`: that moment has come, or there is none. `entries_close_at`: drivers cannot enter from this moment.
    `entries_closed`: the sweep has closed the entries and logged it. `starts_at`: the rally starts at this moment, with
    the confirmed entries.
    """

    entries_open_at = models.DateTimeField(_("entries open"), null=True, blank=True)
    entries_opened = models.BooleanField(_("entries are open"), default=True, db_default=True)

    entries_close_at = models.DateTimeField(_("entries close"), null=True, blank=True)
    entries_closed = models.BooleanField(_("entries are closed"), default=False, db_default=False)
    starts_at = models.DateTimeField(_("starts at"), null=True, blank=True)

    class Meta:
        abstract = True

    def takes_entries(self, now: datetime) -> bool:
        """Whether the deadline still allows drivers to enter."""
        return (
            self.entries_opened
            and not self.entries_closed
            and (self.entries_close_at is None or now < self.entries_close_at)
        )
