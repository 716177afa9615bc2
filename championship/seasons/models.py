"""Models of a club's season: rallies as rounds under one points scheme. Standings are computed, never stored."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q, Value
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from championship.platform import clock
from championship.platform.keys import new_key
from championship.seasons.chances.models import TitleForecast as TitleForecast
from championship.seasons.clock.models import CheckIn as CheckIn
from championship.seasons.clock.models import RoundAct as RoundAct
from championship.seasons.clock.models import SeasonClock as SeasonClock
from championship.seasons.divisions.models import DivisionRules as DivisionRules
from championship.seasons.divisions.models import PlaceOffer as PlaceOffer
from championship.seasons.divisions.models import Renewal as Renewal
from championship.seasons.divisions.models import Reserve as Reserve
from championship.seasons.schemes import Scheme


class Championship(models.Model):
    """A season with a points scheme (schemes.Scheme): `points` for the first place, the second, and so on; `further`
    has what the other columns cannot say.

    `classes` are the car classes, each with its own table. `rally_settings` are the initial settings of its new rallies
    (rally_defaults.py). `version` counts the changes, so that a form made from an older version can be recognised.
    """

    key = models.CharField(max_length=24, unique=True, default=new_key, editable=False)
    club = models.ForeignKey("clubs.Club", on_delete=models.PROTECT, related_name="championships")
    name = models.CharField(_("name"), max_length=80)
    points = models.JSONField(_("points"))
    power = models.JSONField(_("points of the power stage"), default=list)
    class_points = models.JSONField(_("points in a class"), default=list)
    team_counts = models.PositiveSmallIntegerField(_("drivers who score for a team"), default=2)
    drop = models.PositiveSmallIntegerField(_("rounds dropped"), default=0)
    tie_breaks = models.JSONField(_("tie-breaks"), default=list)
    without_codrivers = models.BooleanField(_("cars of the codriver do not score"), default=False, db_default=False)
    registered_only = models.BooleanField(_("only registered drivers score"), default=False, db_default=False)
    further = models.JSONField(_("more of the scheme"), default=dict, db_default=Value({}, models.JSONField()))
    classes = models.JSONField(_("car classes"), default=list)
    rally_settings = models.JSONField(_("settings of its rallies"), default=dict)
    version = models.PositiveIntegerField(_("version"), default=0, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("championship")
        verbose_name_plural = _("championships")
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(points=[]), name="seasons_points_for_some_place"),
            models.CheckConstraint(condition=Q(team_counts__gte=1), name="seasons_somebody_scores_for_a_team"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("seasons:championship", args=[self.key])

    @property
    def scheme(self) -> Scheme:
        """The points scheme."""
        return Scheme.read({each.name: getattr(self, each.name) for each in fields(Scheme)})

    @property
    def divisions(self) -> tuple[str, ...]:
        """The names of its divisions, the highest first: its classes, where the scheme says that they are divisions."""
        return tuple(self.classes) if "divisions" in self.further else ()

    @property
    def nominates(self) -> int:
        """How many rounds a driver nominates; 0 where all rounds count."""
        return int(self.further.get("nominated", 0))

    @property
    def drops_worst(self) -> int:
        """How many of a driver's worst rounds are dropped; 0 where the scheme says it in another way."""
        return 0 if {"worst", "best", "parts"} & self.further.get("drops", {}).keys() else self.drop

    @property
    def shares_cars(self) -> bool:
        """Whether drivers may share a car: the scheme says what each of them gets."""
        return "shared" in self.further


class SeasonDraft(models.Model):
    """A season that an organiser is preparing step by step, stored so that the work can be continued another day.

    `said` is a plan in the form of season_plans.py. `version` counts the saved changes. `made`: the season that was
    created from it.
    """

    key = models.CharField(max_length=24, unique=True, default=new_key, editable=False)
    club = models.ForeignKey("clubs.Club", on_delete=models.CASCADE, related_name="season_drafts")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="season_drafts")
    said: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("plan"), default=dict)
    version = models.PositiveIntegerField(_("version"), default=0)
    made = models.OneToOneField(
        Championship, on_delete=models.CASCADE, null=True, blank=True, related_name="drafted", verbose_name=_("made")
    )
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        verbose_name = _("draft of a season")
        verbose_name_plural = _("drafts of seasons")
        constraints = [
            models.UniqueConstraint(
                fields=["club", "by"], condition=Q(made__isnull=True), name="seasons_one_draft_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return str(self.said.get("name") or _("draft of a season"))

    def get_absolute_url(self) -> str:
        return reverse("seasons:draft_start", args=[self.key])


class Team(models.Model):
    """Drivers who score together in a championship."""

    championship = models.ForeignKey(Championship, on_delete=models.CASCADE, related_name="teams")
    name = models.CharField(_("name"), max_length=60)

    class Meta:
        verbose_name = _("team")
        verbose_name_plural = _("teams")
        ordering = ["championship", "name"]
        constraints = [
            models.UniqueConstraint(fields=["championship", "name"], name="seasons_team_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Registration(models.Model):
    """A driver in a championship: crew, class, team and, where one is kept for the season, start number. `left_at`:
    when the driver left the season; rounds that had begun by then still count.
    """

    championship = models.ForeignKey(Championship, on_delete=models.CASCADE, related_name="registrations")
    driver = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="registrations")
    crew = models.CharField(_("crew"), max_length=80)
    car_class = models.CharField(_("car class"), max_length=20, blank=True)
    start_number = models.PositiveSmallIntegerField(_("start number"), null=True, blank=True)
    team = models.ForeignKey(Team, on_delete=models.SET_NULL, null=True, blank=True, related_name="registrations")
    created_at = models.DateTimeField(_("registered"), auto_now_add=True)
    left_at = models.DateTimeField(_("left the season"), null=True, blank=True)

    class Meta:
        verbose_name = _("registration")
        verbose_name_plural = _("registrations")
        ordering = ["championship", F("start_number").asc(nulls_last=True), "created_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["championship", "driver"], name="seasons_driver_once"),
            models.UniqueConstraint(
                fields=["championship", "start_number"],
                condition=Q(start_number__isnull=False),
                name="seasons_start_number_once",
            ),
            models.CheckConstraint(
                condition=Q(start_number__isnull=True) | Q(start_number__gte=1, start_number__lte=999),
                name="seasons_start_numbers_1_to_999",
            ),
        ]

    def __str__(self) -> str:
        return self.crew


class Round(models.Model):
    """A rally as a round of a championship. `power_stage` is the number of its power stage: None for the last stage, 0
    for no power stage. `planned_for` is the day in the calendar. `clock_start`: the start that the season's clock has
    set last; dates that organisers set later stay until the calendar gives the round another start. `factor`
    multiplies its points, in hundredths. `points` are points for its places; empty for those of the scheme.
    `fastest_lap_by` and `pole_by`: the drivers who get these bonuses; None where the game says it, or nobody does.
    """

    championship = models.ForeignKey(Championship, on_delete=models.CASCADE, related_name="rounds")
    rally = models.OneToOneField("rallies.Rally", on_delete=models.PROTECT, related_name="round")
    number = models.PositiveSmallIntegerField(_("number"), validators=[MinValueValidator(1)])
    power_stage = models.PositiveSmallIntegerField(_("power stage"), null=True, blank=True)
    planned_for = models.DateField(_("day"), null=True, blank=True)
    clock_start = models.DateTimeField(_("start by the clock"), null=True, blank=True, editable=False)
    factor = models.PositiveIntegerField(_("factor, in hundredths"), default=100, db_default=100)
    points = models.JSONField(_("points"), default=list, db_default=Value([], models.JSONField()), blank=True)
    fastest_lap_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    pole_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name = _("round")
        verbose_name_plural = _("rounds")
        ordering = ["championship", "number"]
        constraints = [
            models.UniqueConstraint(fields=["championship", "number"], name="seasons_round_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="seasons_rounds_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.number}. {self.rally}"


class Transfer(models.Model):
    """That a driver came to a team, left it, or went from one to another. None: no team, or one that is removed."""

    championship = models.ForeignKey(Championship, on_delete=models.CASCADE, related_name="transfers")
    driver = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    before = models.ForeignKey(Team, on_delete=models.SET_NULL, null=True, blank=True, related_name="departures")
    after = models.ForeignKey(Team, on_delete=models.SET_NULL, null=True, blank=True, related_name="arrivals")
    at = models.DateTimeField(_("at"), default=clock.now)

    class Meta:
        verbose_name = _("transfer")
        verbose_name_plural = _("transfers")
        ordering = ["championship", "at", "pk"]

    def __str__(self) -> str:
        return f"{self.driver}: {self.before or '–'} → {self.after or '–'}"


class Nomination(models.Model):
    """A round that a driver has nominated: only such rounds count for the driver, where the scheme says so."""

    registration = models.ForeignKey(Registration, on_delete=models.CASCADE, related_name="nominations")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="nominations")

    class Meta:
        verbose_name = _("nominated round")
        verbose_name_plural = _("nominated rounds")
        constraints = [
            models.UniqueConstraint(fields=["registration", "round"], name="seasons_round_nominated_once"),
        ]

    def __str__(self) -> str:
        return f"{self.registration}: {self.round}"


class SharedDrive(models.Model):
    """A driver who shares the car of an entry in a round with the driver of the entry, and its points as the scheme
    says.
    """

    entry = models.ForeignKey("rallies.Entry", on_delete=models.CASCADE, related_name="shared_drives")
    driver = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name = _("shared car")
        verbose_name_plural = _("shared cars")
        constraints = [
            models.UniqueConstraint(fields=["entry", "driver"], name="seasons_car_shared_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entry}: {self.driver}"


class SeasonTemplate(models.Model):
    """A season that a club keeps as a template. `said`: a plan in the form of season_plans.py."""

    club = models.ForeignKey("clubs.Club", on_delete=models.CASCADE, related_name="season_templates")
    name = models.CharField(_("name"), max_length=80)
    said: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("plan"), default=dict)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(_("created"), default=clock.now)

    class Meta:
        verbose_name = _("template of a season")
        verbose_name_plural = _("templates of seasons")
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["club", "name"], name="seasons_template_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Adjustment(models.Model):
    """Points in hundredths that officials gave, or took (below 0), by hand: to a driver or to a team, with a reason and
    where it fits a round. `lifted_at`: when it was withdrawn; then it does not count.
    """

    championship = models.ForeignKey(Championship, on_delete=models.CASCADE, related_name="adjustments")
    driver = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="adjustments"
    )
    team = models.ForeignKey(Team, on_delete=models.CASCADE, null=True, blank=True, related_name="adjustments")
    round = models.ForeignKey(Round, on_delete=models.SET_NULL, null=True, blank=True, related_name="adjustments")
    points = models.IntegerField(_("points, in hundredths"))
    reason = models.CharField(_("reason"), max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(_("given"), default=clock.now)
    lifted_at = models.DateTimeField(_("withdrawn"), null=True, blank=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name = _("adjustment")
        verbose_name_plural = _("adjustments")
        ordering = ["championship", "at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(driver__isnull=False, team__isnull=True) | Q(driver__isnull=True, team__isnull=False),
                name="seasons_adjustment_of_driver_or_team",
            ),
            models.CheckConstraint(condition=~Q(points=0), name="seasons_adjustment_of_some_points"),
        ]

    def __str__(self) -> str:
        return self.reason
