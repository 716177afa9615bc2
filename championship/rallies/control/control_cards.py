"""Time-control cards: those that are in, and those that time control waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from championship.accounts.models import User
from championship.deadlines.models import Allowance, Awaited
from championship.platform import sealed
from championship.rallies.clock.policy import Timekeeping

if TYPE_CHECKING:
    from championship.rallies.models import Rally

CLOSED = Q(special_stage__status="done")
"""Matches cards whose time control is closed."""


class Cards(models.QuerySet["TimeControlCard"]):
    """Queries for cards that a reader may read. Time control is a phase: it closes when all cards are in."""

    def readable_by(self, reader: User | None) -> Cards:
        """The cards that the reader may read now: their own, and those of closed time controls. `reader` is None for
        somebody without a car.
        """
        own = None if reader is None else Q(entry__driver=reader)
        return self.filter(sealed.readable(own=own, closed=CLOSED))

    def opened(self) -> Cards:
        """The cards that everybody may read."""
        return self.readable_by(None)


class TimeControlCard(models.Model):
    """The decision of one entry at time control (F3, F4), and the amount by which it worsens the result.

    A card is sealed: only its driver may read it before all cards are in. Pages use `opened` or `readable_by`.
    """

    special_stage = models.ForeignKey("rallies.SpecialStage", on_delete=models.CASCADE, related_name="cards")
    entry = models.ForeignKey("rallies.Entry", on_delete=models.CASCADE, related_name="cards")
    decision = models.JSONField(_("decision"), default=dict)
    amount = models.IntegerField(_("what it cost"), default=0)
    car_after: models.JSONField[Any, Any] = models.JSONField(_("car as it goes into the next stage"), null=True)
    submitted_at = models.DateTimeField(_("handed in"), auto_now_add=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    objects = Cards.as_manager()

    class Meta:
        app_label = "rallies"
        verbose_name = _("time-control card")
        verbose_name_plural = _("time-control cards")
        constraints = [
            models.UniqueConstraint(fields=["special_stage", "entry"], name="rallies_one_card_per_stage"),
        ]

    def __str__(self) -> str:
        return str(self.entry)


class AwaitedCard(Awaited):
    """A card that time control waits for.

    Each driver's time is counted by their own terms. Time control closes for all when the last driver's time is over,
    so all open rows of a stage have the same deadline. `ended_at`: when the card came in.
    """

    special_stage = models.ForeignKey("rallies.SpecialStage", on_delete=models.CASCADE, related_name="awaited_cards")
    entry = models.ForeignKey("rallies.Entry", on_delete=models.CASCADE, related_name="awaited_cards")

    class Meta:
        app_label = "rallies"
        verbose_name = _("card that is waited for")
        verbose_name_plural = _("cards that are waited for")
        ordering = ["special_stage", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["special_stage", "entry"], name="rallies_card_awaited_once"),
            models.CheckConstraint(condition=Q(deadline__gte=F("since")), name="rallies_card_due_after_its_start"),
        ]
        indexes = [
            models.Index(fields=["deadline"], condition=Q(ended_at__isnull=True), name="rallies_cards_due"),
            models.Index(
                fields=["remind_at"],
                condition=Q(ended_at__isnull=True, remind_at__isnull=False),
                name="rallies_cards_to_remind",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.special_stage}: {self.entry}"

    @property
    def policy(self) -> Timekeeping:
        """The rally, which holds the timekeeping settings."""
        return self._rally

    @property
    def person(self) -> User:
        """The car's present driver."""
        return self.entry.driver

    @property
    def codriver_drives(self) -> bool:
        """Never: a card that is waited for is the driver's until its time is over, even when the codriver drives."""
        return False

    @property
    def allowance(self) -> Allowance:
        """The time of a turn, for every pace; in an evening a minute at least.

        Holidays do not count when the run waits for drivers on holiday and the rally has no closing times. Otherwise
        they count, and a missing card takes nothing at the deadline.
        """
        rally = self._rally
        waits = rally.holidays == rally.Holidays.WAIT and not rally.closes_for_all and not rally.keeps_seconds
        return Allowance(rally.card_seconds, holidays="wait" if waits else "count")

    @property
    def _rally(self) -> Rally:
        return self.special_stage.rally
