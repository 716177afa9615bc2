"""Changes of who drives an entry's car during a rally: the codriver, its driver again, or another member.

Rows are only added, never changed. In order, they say who drove which stages. An entry without rows was driven by its
driver.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _


class CrewChange(models.Model):
    """From `special_stage` on, `driver` drives the entry's car instead of `before`.

    In a hand-over one of them is None, which means the codriver. When both are people, `driver` has replaced `before`,
    even if the codriver was driving at that moment. `crew_before` and `crew` are the names on the start list. `reason`
    is an organiser's reason, empty when the driver handed the car over or took it back.
    """

    entry = models.ForeignKey("rallies.Entry", on_delete=models.PROTECT, related_name="crew_changes")
    special_stage = models.ForeignKey("rallies.SpecialStage", on_delete=models.PROTECT, related_name="+")
    before = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    driver = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    crew_before = models.CharField(_("crew before"), max_length=80)
    crew = models.CharField(_("crew"), max_length=80)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(_("when"))

    class Meta:
        app_label = "rallies"
        verbose_name = _("change of crew")
        verbose_name_plural = _("changes of crew")
        ordering = ["at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(before__isnull=False) | Q(driver__isnull=False), name="rallies_somebody_else_drives"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.crew_before}: {self.crew}"

    @property
    def from_the_start(self) -> bool:
        """Whether the codriver has driven the car since the start of the rally, so that nobody was interrupted."""
        return self.driver_id is None and self.at == self.special_stage.rally.started_at

    @property
    def in_words(self) -> str:
        """ "from stage 2 driven by Eva", in the reader's language, or "codriver" for a car that the computer has driven
        since the start. No query when `special_stage` and its rally are loaded.
        """
        if self.from_the_start:
            return gettext("codriver")
        words = self.special_stage.rally.words
        told = words.codriver_from if self.driver_id is None else words.driven_from
        return str(told) % {"number": self.special_stage.number, "crew": self.crew}


REPLACED = Q(before__isnull=False, driver__isnull=False)
"""Matches changes in which another member took over a car."""


def changes_of(rally_ids: Iterable[int]) -> dict[int, list[CrewChange]]:
    """The changes of crew in these rallies by entry id, in order, each with its stage and rally: one query.

    Of several changes before the same stage only the last one is returned, and none when the driver is the same as
    before them.
    """
    rows: dict[int, list[CrewChange]] = defaultdict(list)
    found = CrewChange.objects.filter(entry__rally__in=list(rally_ids)).select_related("special_stage__rally")
    for change in found.order_by("at", "pk"):
        rows[change.entry_id].append(change)
    return {entry_id: told for entry_id, changes in rows.items() if (told := _effective(changes))}


def _effective(changes: Sequence[CrewChange]) -> list[CrewChange]:
    told: list[CrewChange] = []
    driving = changes[0].before_id
    for here, change in enumerate(changes):
        last = here + 1 == len(changes) or changes[here + 1].special_stage_id != change.special_stage_id
        if last and change.driver_id != driving:
            told.append(change)
            driving = change.driver_id
    return told
