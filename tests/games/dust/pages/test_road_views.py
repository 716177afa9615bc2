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
