"""A season of a club: rallies as rounds under one points scheme. Standings are computed, never stored."""

from __future__ import annotations

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from championship.keys import new_key


class Championship(models.Model):
    """A season with a points scheme: `points` for the first place, the second, and so on."""

    key = models.CharField(max_length=24, unique=True, default=new_key, editable=False)
    club = models.ForeignKey("clubs.Club", on_delete=models.PROTECT, related_name="championships")
    name = models.CharField(_("name"), max_length=80)
    points = models.JSONField(_("points"))
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("championship")
        verbose_name_plural = _("championships")
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(points=[]), name="seasons_points_for_some_place"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("seasons:championship", args=[self.key])


class Round(models.Model):
    """A rally's place in a championship."""

    championship = models.ForeignKey(Championship, on_delete=models.CASCADE, related_name="rounds")
    rally = models.OneToOneField("rallies.Rally", on_delete=models.PROTECT, related_name="round")
    number = models.PositiveSmallIntegerField(_("number"), validators=[MinValueValidator(1)])

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
