"""The common columns of rows that wait for somebody, and the time of the last sweep."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from django.db import models
from django.utils.translation import gettext_lazy as _

from championship.accounts.models import User
from championship.deadlines.counted_time import Away, Counting


class Policy(Protocol):
    """How time is kept where a row waits. The rally's settings follow it (rallies/clock/policy.py)."""

    pk: Any
    club_id: int
    reminder_hours: int

    @property
    def keeps_seconds(self) -> bool:
        """Whether time is kept in seconds now, as in an evening: then nobody is reminded."""

    def absences_since(self, moment: datetime) -> Sequence[Away]:
        """Times that count for nobody, such as pauses, and that were not over at a moment: one query."""

    def counted_until(self, now: datetime) -> datetime:
        """The moment until which time has counted: now, or the start of a pause."""

    def counting_in(self, zone: str) -> Counting:
        """How time counts for a person in this zone, without absences."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How long a driver has: `seconds` that count, or until everything `closes`. `bank`: unused time goes back to the
    bank. `holidays`: the effect of the driver's holidays: "wait" (they do not count), "stand in" (the codriver acts as
    soon as one begins), "count".
    """

    seconds: int
    closes: datetime | None = None
    bank: bool = False
    holidays: str = "wait"


class Awaited(models.Model):
    """A row that waits for somebody: since when, until when, and how that is counted. Turns and cards are such rows.

    The deadline comes when `left_seconds` have passed since `counted_from`, counted by `terms` (terms.py); `reasons`
    say why time was not counted. `stands_in`: the codriver's act at the deadline is no miss. `claimed_at`: when a sweep
    last gave it to a worker. `reminded_of`: the deadline of which the driver was last reminded. `given`: how often the
    driver got a deadline that is announced: the first one, one after a hand-over, one that moved after its reminder.

    A row that has no terms and is not driven by the codriver was written without them, or began while the codriver
    had the car: it must follow the current facts before it counts.
    """

    since = models.DateTimeField(_("waiting since"))
    deadline = models.DateTimeField(_("deadline"))
    remind_at = models.DateTimeField(_("reminder"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    counted_from = models.DateTimeField(_("counted from"), null=True, blank=True)
    left_seconds = models.PositiveIntegerField(_("seconds left then"), null=True, blank=True)
    terms: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("how time is counted"), default=dict)
    reasons: models.JSONField[list[str], list[str]] = models.JSONField(_("not counted"), default=list)
    stands_in = models.BooleanField(_("the codriver stands in"), default=False)
    claimed_at = models.DateTimeField(_("given to a worker"), null=True, blank=True)
    reminded_of = models.DateTimeField(_("reminded of the deadline"), null=True, blank=True)
    given = models.PositiveIntegerField(_("deadlines given"), default=1)

    class Meta:
        abstract = True

    @property
    @abstractmethod
    def policy(self) -> Policy:
        """How the rally keeps time."""

    @property
    @abstractmethod
    def person(self) -> User:
        """The person for whom the row waits."""

    @property
    @abstractmethod
    def codriver_drives(self) -> bool:
        """Whether the codriver acts, so that the row waits for nobody."""

    @property
    @abstractmethod
    def allowance(self) -> Allowance:
        """How long the driver has, by the rally's current rules."""

    def codriver_from(self, now: datetime) -> datetime:
        """When the codriver acts for the driver."""
        return now

    def overdue(self, now: datetime) -> bool:
        """Whether the row is still open at its deadline."""
        return self.ended_at is None and self.deadline <= now


class Sweep(models.Model):
    """The time of the last sweep over all deadlines: one row. It shows an outage, and a beat that has stopped.

    `at` never goes back, not even when the machine's clock does. `heard_at` is the machine's time at the last sweep.
    """

    name = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField(_("last at"))
    heard_at = models.DateTimeField(_("last heard at"), null=True)

    class Meta:
        verbose_name = _("sweep")
        verbose_name_plural = _("sweeps")

    def __str__(self) -> str:
        return self.name


class UnexcusedOutage(models.Model):
    """An outage whose time has not been given back yet to one unit of a customer: a run, or a rally.

    The sweep writes one row with the unit WHOLE for each customer, then one for each unit that the outage affects. It
    deletes a row in the transaction that gives the time back. As long as there is a row, nobody acts on the unit's
    deadlines, and its time does not count: the outage lasts for it from `since` until the time is given back.
    """

    WHOLE = 0
    """Stands for all units of a customer, before those that the outage affects are known."""

    customer = models.CharField(_("customer"), max_length=40)
    unit = models.BigIntegerField(_("unit"))
    since = models.DateTimeField(_("since"))

    class Meta:
        verbose_name = _("outage that is not excused yet")
        verbose_name_plural = _("outages that are not excused yet")
        constraints = [
            models.UniqueConstraint(fields=["customer", "unit"], name="deadlines_each_unit_is_excused_once"),
        ]

    def __str__(self) -> str:
        return f"{self.customer} {self.unit}"
