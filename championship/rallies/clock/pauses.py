"""Pauses of a rally. Their time does not count for anybody."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from championship.deadlines.counted_time import PAUSE, Away
from championship.platform.prepared_queries import any_of, prepared


class Pause(models.Model):
    """A pause of a rally that has ended. The log says who paused it."""

    rally = models.ForeignKey("rallies.Rally", on_delete=models.CASCADE, related_name="pauses")
    began_at = models.DateTimeField(_("began"))
    ended_at = models.DateTimeField(_("ended"))
    reason = models.CharField(_("reason"), max_length=200)

    class Meta:
        app_label = "rallies"
        verbose_name = _("pause")
        verbose_name_plural = _("pauses")
        ordering = ["rally", "began_at"]
        constraints = [
            models.CheckConstraint(condition=Q(ended_at__gte=F("began_at")), name="rallies_pause_ends_after_its_start"),
        ]

    def __str__(self) -> str:
        return self.reason


def pauses_of_many(rallies: Iterable[int], since: datetime) -> dict[int, list[Away]]:
    """Pauses that had not ended at that moment, by the rally's id, as time that does not count: one query."""
    found: dict[int, list[Away]] = {}
    for rally, began, ended in _pauses(rallies=list(rallies), since=since):
        found.setdefault(rally, []).append(Away(began, ended, PAUSE))
    return found


@prepared
def _pauses(rallies: Any, since: Any) -> QuerySet[Pause, tuple[Any, ...]]:
    rows = Pause.objects.filter(rally__in=any_of(rallies), ended_at__gt=since).order_by("began_at")
    return rows.values_list("rally_id", "began_at", "ended_at")
