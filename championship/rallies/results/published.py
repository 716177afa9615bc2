"""What a list said of a car in a rally that was driven elsewhere: place, status, points and shared car, as published.

The classification of such a rally is the published one, even where the times give another.
"""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from championship.platform import clock


class PublishedResult(models.Model):
    """The published result of an entry.

    `place`: as published, several may have the same, and some may be missing. `status`: how the car ended, with a
    `reason` in the words of the list. `points`: points of the championship in hundredths, with all bonuses, of which
    `power` are for the power stage. `car`: entries of one rally with the same number shared a car.
    """

    class Status(models.TextChoices):
        CLASSIFIED = "classified", pgettext_lazy("result", "classified")
        RETIRED = "retired", pgettext_lazy("result", "retired")
        NOT_CLASSIFIED = "not_classified", pgettext_lazy("result", "not classified")
        EXCLUDED = "excluded", pgettext_lazy("result", "excluded")
        WITHDRAWN = "withdrawn", pgettext_lazy("result", "withdrawn")
        DID_NOT_START = "did_not_start", pgettext_lazy("result", "did not start")
        DID_NOT_QUALIFY = "did_not_qualify", pgettext_lazy("result", "did not qualify")

    entry = models.OneToOneField("rallies.Entry", on_delete=models.CASCADE, related_name="published")
    place = models.PositiveSmallIntegerField(_("place"), null=True, blank=True)
    status = models.CharField(_("status"), max_length=16, choices=Status.choices, default=Status.CLASSIFIED)
    reason = models.CharField(_("reason"), max_length=80, blank=True)
    points = models.IntegerField(_("points, in hundredths"), null=True, blank=True)
    power = models.IntegerField(_("points of the power stage, in hundredths"), null=True, blank=True)
    car = models.PositiveSmallIntegerField(_("shared car"), null=True, blank=True)
    at = models.DateTimeField(_("recorded"), default=clock.now, editable=False)

    class Meta:
        app_label = "rallies"
        verbose_name = _("published result")
        verbose_name_plural = _("published results")
        ordering = ["entry__rally", "place", "pk"]
        constraints = [
            models.CheckConstraint(condition=Q(place=None) | Q(place__gte=1), name="rallies_published_from_one"),
        ]

    def __str__(self) -> str:
        return self.in_words

    @property
    def drove(self) -> bool:
        """Whether the entry took part: it started, and was allowed to."""
        return self.status not in (
            self.Status.WITHDRAWN,
            self.Status.DID_NOT_START,
            self.Status.DID_NOT_QUALIFY,
        )

    @property
    def may_have_a_place(self) -> bool:
        """Whether an entry with this status can be classified."""
        return self.status in (self.Status.CLASSIFIED, self.Status.RETIRED)

    @property
    def in_words(self) -> str:
        """The status with its reason."""
        said = str(self.get_status_display())
        return f"{said}: {self.reason}" if self.reason else said
