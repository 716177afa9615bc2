"""What an imported rally was before another list changed it, so that the change can be undone."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from championship.accounts.models import User
from championship.platform import clock
from championship.rallies.locks import locked_rally_for_organiser
from championship.rallies.models import Entry, Penalty, PublishedResult, Rally, StageTime
from championship.rallies.results.services.imported_rallies import published_penalties

ENTRY = ("driver_id", "status", "start_number", "colour", "crew", "car_class", "team")
TIME = ("special_stage_id", "entry_id", "measure", "retired", "reason", "rank")
PENALTY = ("entry_id", "amount", "reason", "given_by_id")
PUBLISHED = ("entry_id", "place", "status", "reason", "points", "power", "car")


def snapshot_of(rally: Rally) -> dict[str, Any]:
    """Return the entries of an imported rally with their results, as JSON. Four queries."""
    times = StageTime.objects.filter(special_stage__rally=rally).order_by("pk")
    return {
        "entries": {str(each["pk"]): each for each in rally.entries.order_by("pk").values("pk", *ENTRY)},
        "times": list(times.values(*TIME)),
        "penalties": list(published_penalties([rally]).order_by("pk").values(*PENALTY)),
        "published": list(PublishedResult.objects.filter(entry__rally=rally).order_by("pk").values(*PUBLISHED)),
    }


@transaction.atomic
def restore_snapshot(*, by: User, rally: Rally, kept: dict[str, Any]) -> None:
    """Make an imported rally what it was. Entries that came later are deleted. An entry that was given to somebody else
    since stays theirs: no list changes whose an entry is. Only for organisers.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    StageTime.objects.filter(special_stage__rally=rally).delete()
    PublishedResult.objects.filter(entry__rally=rally).delete()
    published_penalties([rally]).delete()
    rally.entries.exclude(pk__in=kept["entries"]).delete()
    here = list(rally.entries.filter(pk__in=kept["entries"]))
    rally.entries.update(start_number=None, status=Entry.Status.WITHDRAWN)
    for entry in here:
        for name, value in kept["entries"][str(entry.pk)].items():
            if name not in ("pk", "driver_id"):
                setattr(entry, name, value)
    Entry.objects.bulk_update(here, ENTRY)
    known = {entry.pk for entry in here}
    StageTime.objects.bulk_create(
        (StageTime(car={}, **each) for each in kept["times"] if each["entry_id"] in known), batch_size=2000
    )
    penalties = [each for each in kept.get("penalties", ()) if each["entry_id"] in known]
    Penalty.objects.bulk_create(Penalty(rally=rally, at=rally.finished_at or clock.now(), **each) for each in penalties)
    PublishedResult.objects.bulk_create(
        PublishedResult(**each) for each in kept["published"] if each["entry_id"] in known
    )
