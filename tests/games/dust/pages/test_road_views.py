"""The position track on cards and in mails: it shows nothing of a round that is sealed."""

from __future__ import annotations

import pytest

from championship.runs.models import Run
from championship.runs.road_views import window_around
from championship.runs.watch import watching
from championship.runs.watch.at_a_glance import facts_of
from tests.games.dust.pages.scenes import by_codriver, on_the_road

pytestmark = pytest.mark.django_db


def told(run, entry):
    """What the card of my turns and the mail tell this driver."""
    seat = run.seats.get(entry=entry)
    [facts] = facts_of([seat.pk], entry.driver)
    return facts.standing, facts.told, facts.road.cars, window_around(facts.road, seat.name)


def test_what_others_have_sent_in_a_sealed_round_is_not_shown():
    run, (ana, bo, cy) = on_the_road("Ana", "Bo", "Cy")
    for entry in (ana, bo, cy):
        by_codriver(entry, Run.objects.get(pk=run.pk))  # each chooses a character
    before = told(run, ana)
    assert len(before[2]) == 3, "all cars are on the track"
    while str(bo.start_number) in watching.to_play(Run.objects.get(pk=run.pk)):
        by_codriver(bo, Run.objects.get(pk=run.pk))
    assert Run.objects.get(pk=run.pk).hidden
    assert told(run, ana) == before


def test_every_row_of_the_track_fills_the_picture():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    by_codriver(ana, Run.objects.get(pk=run.pk))
    seat = run.seats.get(entry=ana)
    [facts] = facts_of([seat.pk], ana.driver)
    box = window_around(facts.road, seat.name)
    ends = {}
    for shape in facts.road.shapes(box):
        ends.setdefault(shape.label[0], []).extend(x for x, _y in shape.outline)
    assert len(ends) == 2, "both rows are drawn (M1)"
    assert len({(min(row), max(row)) for row in ends.values()}) == 1, "both begin and end at the same edges"
    assert all(min(row) >= box[0] and max(row) <= box[0] + box[2] for row in ends.values()), "no space is cut"
