"""Models of divisions. `seasons.models` imports them."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from championship.platform import clock

LONGEST_ANSWER = 24 * 14
LONGEST_WAIT = 90
MOST_PLACES = 200


class DivisionRules(models.Model):
    """How the divisions of a season are kept beside what its scheme says (names, how many go up and down).

    `places`: how many drivers each division takes, 0 for any number. `answer_hours`: how long a reserve has to answer
    an offer. `renews_days`: so many days after the last round the season's clock makes the next season; None: only an
    organiser does.
    """

    class Lists(models.TextChoices):
        MIXED = "mixed", _("all divisions together")
        HIGHEST_FIRST = "first", _("by division, the highest first")
        HIGHEST_LAST = "last", _("by division, the highest last")
        SPLIT = "split", _("by division, and each division at tables of its own")

    championship = models.OneToOneField("seasons.Championship", on_delete=models.CASCADE, related_name="division_rules")
    places = models.PositiveSmallIntegerField(
        _("places in each division"), default=0, validators=[MaxValueValidator(MOST_PLACES)]
    )
    start_lists = models.CharField(_("start lists"), max_length=8, choices=Lists.choices, default=Lists.MIXED)
    answer_hours = models.PositiveSmallIntegerField(
        _("hours to answer an offer"), default=48, validators=[MaxValueValidator(LONGEST_ANSWER)]
    )
    renews_days = models.PositiveSmallIntegerField(
        _("days after the last round"), null=True, blank=True, validators=[MaxValueValidator(LONGEST_WAIT)]
    )

    class Meta:
        verbose_name = _("rules of divisions")
        verbose_name_plural = _("rules of divisions")
        constraints = [
            models.CheckConstraint(
                condition=Q(places__lte=MOST_PLACES, answer_hours__gte=1, answer_hours__lte=LONGEST_ANSWER)
                & (Q(renews_days__isnull=True) | Q(renews_days__lte=LONGEST_WAIT)),
                name="seasons_divisions_within_bounds",
            ),
        ]

    def __str__(self) -> str:
        return str(self.championship)


class Renewal(models.Model):
    """That a season was followed by the next one, with its drivers in their new divisions. `by`: None for the clock."""

    championship = models.OneToOneField("seasons.Championship", on_delete=models.CASCADE, related_name="renewal")
    made = models.OneToOneField("seasons.Championship", on_delete=models.CASCADE, related_name="renewed_from")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    at = models.DateTimeField(_("made"), default=clock.now)

    class Meta:
        verbose_name = _("next season")
        verbose_name_plural = _("next seasons")
        constraints = [
            models.CheckConstraint(condition=~Q(made=models.F("championship")), name="seasons_next_season_is_another"),
        ]

    def __str__(self) -> str:
        return f"{self.championship} → {self.made}"


class Reserve(models.Model):
    """A driver on the list of reserves of a season, in the order of `position`. `division`: the only one that the
    driver wants; "" for any.
    """

    championship = models.ForeignKey("seasons.Championship", on_delete=models.CASCADE, related_name="reserves")
    driver = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    crew = models.CharField(_("crew"), max_length=80)
    division = models.CharField(_("division"), max_length=20, blank=True)
    position = models.PositiveIntegerField(_("position"))
    created_at = models.DateTimeField(_("on the list since"), default=clock.now)

    class Meta:
        verbose_name = _("reserve")
        verbose_name_plural = _("reserves")
        ordering = ["championship", "position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["championship", "driver"], name="seasons_reserve_once"),
        ]

    def __str__(self) -> str:
        return self.crew


class PlaceOffer(models.Model):
    """A free place in a division that was offered to a reserve, until `answer_by`. `by`: None for the clock."""

    class State(models.TextChoices):
        OPEN = "open", _("waits for an answer")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")
        LAPSED = "lapsed", _("not answered in time")
        TAKEN_BACK = "back", _("taken back")

    championship = models.ForeignKey("seasons.Championship", on_delete=models.CASCADE, related_name="place_offers")
    driver = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    division = models.CharField(_("division"), max_length=20)
    state = models.CharField(_("state"), max_length=8, choices=State.choices, default=State.OPEN)
    offered_at = models.DateTimeField(_("offered"), default=clock.now)
    answer_by = models.DateTimeField(_("answer by"))
    answered_at = models.DateTimeField(_("answered"), null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        verbose_name = _("offer of a place")
        verbose_name_plural = _("offers of places")
        ordering = ["championship", "-offered_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["championship", "driver"], condition=Q(state="open"), name="seasons_one_open_offer"
            ),
            models.CheckConstraint(
                condition=Q(state="open", answered_at__isnull=True) | (~Q(state="open") & Q(answered_at__isnull=False)),
                name="seasons_offer_answered_at_a_moment",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.driver}: {self.division}"
