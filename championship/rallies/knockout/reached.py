"""Which drivers have reached a semi-final or a final that is not over. Cars that are excluded have not."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from championship.rallies.models import Entry, Exclusion, Rally, SpecialStage, StartPlace

PRESENT = (SpecialStage.Status.PLANNED, SpecialStage.Status.RUNNING)


def reached(driver: Any = None, stage: Any = None) -> QuerySet[StartPlace]:
    """Return the places on start lists of semi-finals and finals to come or under way, with entry, stage and rally:
    those of a driver, or of a stage, where one is given. Without cars that the codriver drives, and without practice.
    """
    excluded = Exclusion.objects.filter(entry=OuterRef("entry"), lifted_at=None)
    found = StartPlace.objects.filter(
        ~Exists(excluded),
        entry__status=Entry.Status.CONFIRMED,
        entry__driven_by=Entry.DrivenBy.PERSON,
        special_stage__number__gt=1,
        special_stage__status__in=PRESENT,
        special_stage__rally__status=Rally.Status.RUNNING,
        special_stage__rally__practice=False,
    ).exclude(special_stage__rally__knockout={})
    found = found if driver is None else found.filter(entry__driver=driver)
    found = found if stage is None else found.filter(special_stage=stage)
    return found.select_related("entry__driver", "special_stage__rally__club").order_by("special_stage", "position")
