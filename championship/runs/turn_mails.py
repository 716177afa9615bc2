"""What a notice about a turn tells, read when it is sent: the road, the place and the gap, what the others did, what
happens if nobody drives, and for mails a picture of the road around the car. All of it is what the driver may know.
"""

from __future__ import annotations

from django.core.cache import cache
from django.utils.translation import gettext as _

from championship.notices.details import Details, Picture
from championship.notices.models import Notice
from championship.rallies.models import Entry
from championship.rallies.results.measures import amount
from championship.runs.models import Turn
from championship.runs.road_views import Box, Road, window_around
from championship.runs.watch.at_a_glance import Facts, facts_of
from championship.runs.watch.next_miss import what_a_miss_does
from championship.stages.course_names import described

KEPT_SECONDS = 3600
"""For how long a picture is cached: a reminder, or another try, shows the same one."""
MOST_NAMED = 4
"""How many other cars the text of a picture names."""


def details_of(notice: Notice) -> Details:
    """Return what a notice about a turn tells; nothing where the turn is over, or is another driver's by now.

    Nine queries and the cache: the turn, what a miss does, and `facts_of`.
    """
    turns = Turn.objects.select_related("run__special_stage__rally", "seat__entry__driver")
    turn = turns.filter(pk=notice.context.get("turn"), ended_at=None).first()
    if turn is None or turn.seat.entry.driver_id != notice.recipient_id:
        return Details()
    stage = turn.run.special_stage
    road = described(stage.rally.game, stage.spec, stage.name)
    context: dict[str, object] = {"afterwards": afterwards(turn), "road": road}
    found = next(iter(facts_of([turn.seat_id], turn.seat.entry.driver)), None)
    if found is None:
        return Details(context)
    return Details({**context, "standing": found.standing, "told": found.told}, picture=_picture(found))


def afterwards(turn: Turn) -> str:
    """Return what happens if the driver lets the deadline of the turn pass. Two queries at most."""
    rally = turn.run.special_stage.rally
    if turn.stands_in:
        return _("Then your holiday begins, and the codriver drives this turn for you. It costs nothing.")
    done = what_a_miss_does(rally, turn)
    if done == Turn.Done.RETIRED:
        return _("After that your car is retired.")
    on = rally.after_miss == rally.AfterMiss.STAGE or rally.closes_for_all
    if done == Turn.Done.PENALISED:
        cost = {"cost": amount(rally.miss_penalty, rally.measure)}
        if on:
            return _("After that the codriver drives to the finish for you, and it costs %(cost)s.") % cost
        return _("After that the codriver drives this turn for you, and it costs %(cost)s.") % cost
    if on:
        return _("After that the codriver drives to the finish for you.")
    return _("After that the codriver drives this turn for you.")


def _picture(found: Facts) -> Picture | None:
    """Return the road around the car as a PNG; None when there is nothing to show."""
    box = None if found.road is None else window_around(found.road, found.seat.name)
    if box is None or found.road is None:
        return None
    from championship.papers import road_picture  # it takes 20 MB, which only processes that write mails need

    run = found.seat.run
    name = f"road-picture-{run.pk}-{run.version}-{found.seat.pk}"
    content: bytes | None = cache.get(name)
    if content is None:
        entries = _entries(found)
        marks = [
            road_picture.Mark(
                car.x, car.y, car.heading, entry.colour, str(entry.start_number), entry == found.seat.entry
            )
            for car in found.road.cars
            if (entry := entries.get(car.seat)) is not None
        ]
        shapes = found.road.shapes(box)
        labels = [(*shape.label_at, shape.label) for shape in shapes if shape.label]
        drawn = ((shape.outline, shape.fill, shape.border) for shape in shapes)
        content = road_picture.road_png(box, found.road.ground, drawn, marks, labels)
        cache.set(name, content, KEPT_SECONDS)
    return Picture(content, road_picture.WIDTH, road_picture.HEIGHT, _in_words(found, found.road, box))


def _entries(found: Facts) -> dict[str, Entry]:
    return {seat.name: seat.entry for seat in found.seats}


def _in_words(found: Facts, road: Road, box: Box) -> str:
    """Return the text of the picture for a reader who does not see it: whose cars are on it."""
    entries = _entries(found)
    near = [
        entries[car.seat].crew
        for car in road.cars
        if car.seat != found.seat.name
        and car.seat in entries
        and box[0] <= car.x <= box[0] + box[2]
        and box[1] <= car.y <= box[1] + box[3]
    ]
    if not near:
        return _("Map: the road around your car. No other car is near.")
    return _("Map: the road around your car. Near it: %(crews)s.") % {"crews": ", ".join(near[:MOST_NAMED])}
