"""Who sits where when a stage with heats opens: the cars of one heat sit at one table."""

from __future__ import annotations

from django.db.models import Count

from championship.rallies.models import Entry, Rally, SpecialStage
from championship.tabletop.models import Evening, SignOn, Table


class TablesOfHeats:
    """Seats the cars of each heat at one table. It does nothing else that a follower of rallies may do."""

    def rally_made(self, rally: Rally) -> None:
        """Do nothing."""

    def stage_ready(self, special_stage: SpecialStage) -> None:
        """Seat the cars of the stage, where its rally has heats and an evening."""
        rally = special_stage.rally
        if rally.heats is None or not special_stage.at_table:
            return
        evening = Evening.objects.filter(rally=rally).first()
        if evening is not None:
            seat_in_heats(evening, special_stage)

    def entry_handed_over(self, entry: Entry, *, full_time: bool) -> None:
        """Do nothing."""

    def rally_timed(self, rally: Rally) -> None:
        """Do nothing."""


def seat_in_heats(evening: Evening, stage: SpecialStage) -> None:
    """Seat the cars of heat 1 at table 1, of heat 2 at table 2, and so on. With more heats than tables, a table has one
    after the other. The links of pads stay. The rally is locked. As many queries for many cars as for few.
    """
    tables = list(evening.tables.order_by("number"))
    places = list(stage.start_places.exclude(heat=None))
    known = {each.entry_id: each for each in SignOn.objects.filter(entry__in=[place.entry_id for place in places])}
    fresh = []
    for place in places:
        table = table_of_heat(tables, place.heat or 1)
        if place.entry_id in known:
            known[place.entry_id].table = table
        else:
            fresh.append(SignOn(evening=evening, entry_id=place.entry_id, table=table))
    SignOn.objects.bulk_update(known.values(), ["table"])
    SignOn.objects.bulk_create(fresh)


def table_of_heat(tables: list[Table], heat: int) -> Table:
    """The table at which the cars of the heat of that number sit."""
    return tables[(heat - 1) % len(tables)]


def table_for(evening: Evening, entry: Entry) -> Table:
    """The table of a car that comes now: that of its heat on the stage that is on the road, else the one with the
    fewest cars; of equal ones the first.
    """
    stage = evening.rally.stages.filter(status=SpecialStage.Status.RUNNING).first()
    place = stage.start_places.filter(entry=entry).exclude(heat=None).first() if stage is not None else None
    if place is not None:
        return table_of_heat(list(evening.tables.order_by("number")), place.heat or 1)
    return evening.tables.annotate(cars=Count("sign_ons")).order_by("cars", "number")[0]
