"""An evening at the table: its tables, who has signed on, what was entered on pads, and what phones have rolled."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from championship.platform import clock
from championship.platform.keys import new_key
from championship.rallies.models import Entry, Rally, SpecialStage

MOST_TABLES = 20


class Evening(models.Model):
    """What opens a rally to people at the table: until `ends_at` its links work. A rally has one.

    `wall_serial`: the number of the link on the wall; an older link works no longer. `closed_at`: an organiser has
    closed it before its end.
    """

    key = models.CharField(max_length=24, unique=True, default=new_key, editable=False)
    rally = models.OneToOneField(Rally, on_delete=models.CASCADE, related_name="table_evening")
    opened_at = models.DateTimeField(_("opened"), default=clock.now)
    ends_at = models.DateTimeField(_("its links work until"))
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True)
    wall_serial = models.PositiveSmallIntegerField(default=1)

    class Meta:
        verbose_name = _("evening at the table")
        verbose_name_plural = _("evenings at the table")
        constraints = [
            models.CheckConstraint(condition=Q(ends_at__gt=models.F("opened_at")), name="tabletop_ends_after_opening"),
        ]

    def __str__(self) -> str:
        return str(self.rally)

    @property
    def is_open(self) -> bool:
        """Whether its links work now."""
        return self.closed_at is None and clock.now() < self.ends_at


class Table(models.Model):
    """A table of an evening. `serial`: the number of its marshal's link; 0 when it has none."""

    evening = models.ForeignKey(Evening, on_delete=models.CASCADE, related_name="tables")
    number = models.PositiveSmallIntegerField(_("number"))
    serial = models.PositiveSmallIntegerField(default=1)

    class Meta:
        verbose_name = _("table")
        verbose_name_plural = _("tables")
        ordering = ["evening", "number"]
        constraints = [
            models.UniqueConstraint(fields=["evening", "number"], name="tabletop_table_numbers_once"),
            models.CheckConstraint(
                condition=Q(number__gte=1, number__lte=MOST_TABLES), name="tabletop_one_to_twenty_tables"
            ),
        ]

    def __str__(self) -> str:
        return _("Table %(number)d") % {"number": self.number}


class SignOn(models.Model):
    """A car whose driver is here, and its table. `serial`: the number of the link to its pad. `by_link`: a phone has
    signed on with the link on the wall. `asked`: it took the name of a member with an account, and was not signed in as
    them; `sure_by`: who has confirmed that it is them, in words. `contested_at`: when somebody else said that the name
    is theirs, None when that is decided.
    """

    evening = models.ForeignKey(Evening, on_delete=models.CASCADE, related_name="sign_ons")
    entry = models.OneToOneField(Entry, on_delete=models.CASCADE, related_name="sign_on")
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="sign_ons")
    serial = models.PositiveSmallIntegerField(default=0)
    by_link = models.BooleanField(default=False)
    asked = models.BooleanField(default=False, db_default=False)
    sure_by = models.CharField(_("confirmed by"), max_length=90, blank=True, default="", db_default="")
    contested_at = models.DateTimeField(_("contested"), null=True, blank=True)
    at = models.DateTimeField(_("signed on"), default=clock.now)

    class Meta:
        verbose_name = _("sign-on")
        verbose_name_plural = _("sign-ons")
        ordering = ["evening", "at", "pk"]

    def __str__(self) -> str:
        return str(self.entry)

    @property
    def waits(self) -> bool:
        """Whether nobody has confirmed yet that the phone is that of the member whose name it took."""
        return self.asked and not self.sure_by


class Score(models.Model):
    """What somebody has entered on a pad for a car on a stage. Rows are never changed but for `standing`.

    `key`: made by the phone, so that the same entry sent twice is one row. `numbers`: what was counted, by the names of
    the game's pad. `typed`: whether the result was typed instead of counted. `seen`: the score that the phone showed
    when somebody wrote this one. `written_by`: whose pad it was, in words; `person`: the organiser who wrote it, if
    one did. `tapped_at`: by the clock of the phone, never after `at`.
    """

    class Standing(models.TextChoices):
        STANDS = "stands", _("counts")
        REPLACED = "replaced", _("replaced by a later entry")
        DOUBLE = "double", _("the same as what counts")
        CONFLICT = "conflict", _("differs from what counts: an organiser decides")
        DROPPED = "dropped", _("does not count: decided by an organiser")

    special_stage = models.ForeignKey(SpecialStage, on_delete=models.CASCADE, related_name="scores")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="scores")
    key = models.CharField(max_length=40)
    numbers: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(_("numbers"), default=dict)
    typed = models.BooleanField(_("typed"), default=False)
    measure = models.IntegerField(_("result"), null=True, blank=True)
    retired = models.BooleanField(_("retired"), default=False)
    reason = models.CharField(_("reason"), max_length=80, blank=True)
    seen = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    standing = models.CharField(_("standing"), max_length=10, choices=Standing.choices)
    written_by = models.CharField(_("written by"), max_length=90)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    tapped_at = models.DateTimeField(_("written"))
    at = models.DateTimeField(_("arrived"), default=clock.now)

    class Meta:
        verbose_name = _("score")
        verbose_name_plural = _("scores")
        ordering = ["special_stage", "at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["special_stage", "entry", "key"], name="tabletop_each_entry_once"),
            models.UniqueConstraint(
                fields=["special_stage", "entry"],
                condition=Q(standing="stands"),
                name="tabletop_one_score_stands",
            ),
            models.CheckConstraint(
                condition=Q(retired=True) | Q(measure__isnull=False), name="tabletop_a_result_unless_retired"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry}: {self.measure}"

    def same_as(self, other: Score) -> bool:
        """Whether both say the same of the car."""
        mine = (self.measure, self.retired, self.reason, self.numbers)
        return mine == (other.measure, other.retired, other.reason, other.numbers)


class Roll(models.Model):
    """What a phone has drawn for a car on a stage (services/rolling.py).

    `number`: counts the car's rolls on the stage, from 1. `thrown`: the names of what was thrown, in order. `shown`:
    the numbers that came, from 0. `salt`: what the phone has added to the draw.
    """

    key = models.CharField(max_length=24, unique=True, default=new_key, editable=False)
    special_stage = models.ForeignKey(SpecialStage, on_delete=models.CASCADE, related_name="rolls")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="rolls")
    number = models.PositiveSmallIntegerField(_("number"))
    asked = models.CharField(max_length=40)
    thrown: models.JSONField[list[str], list[str]] = models.JSONField(_("thrown"))
    shown: models.JSONField[list[int], list[int]] = models.JSONField(_("shown"))
    salt = models.CharField(_("salt"), max_length=64, blank=True)
    at = models.DateTimeField(_("rolled"), default=clock.now)

    class Meta:
        verbose_name = _("roll")
        verbose_name_plural = _("rolls")
        ordering = ["special_stage", "entry", "number"]
        constraints = [
            models.UniqueConstraint(fields=["special_stage", "entry", "number"], name="tabletop_rolls_are_numbered"),
            models.UniqueConstraint(fields=["special_stage", "entry", "asked"], name="tabletop_each_roll_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entry}: {self.number}"

    def words_of(self, place: int) -> str:
        """The words of the draw at this place, from 0 (docs/at-the-table.md)."""
        return f"roll {self.number} {place + 1} {self.thrown[place]}"


def details_of(score: Score) -> dict[str, Any]:
    """What a score says, for the log."""
    return {"measure": score.measure, "retired": score.retired, "written_by": score.written_by}
