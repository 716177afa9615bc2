"""Two people at once in a season of divisions: one act counts, and the other is told."""

import pytest

from championship.platform.refusals import Stale
from championship.seasons.divisions.services import offers, reserves
from championship.seasons.models import Championship, PlaceOffer
from tests.championship.runs.threads import at_once
from tests.championship.seasons.division_scenes import World, leave

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_organisers_make_the_next_season_once():
    world = World()
    world.round([0, 1, 2, 3, 4, 5])
    one, other = at_once(world.renew, lambda: world.renew(name="Another"))
    assert one == other and Championship.objects.filter(club=world.club).count() == 2


def test_two_organisers_who_move_others_at_once_do_not_mix():
    world = World()
    answers = at_once(lambda: world.put({0: "B", 3: "A"}), lambda: world.put({1: "B", 4: "A"}))
    assert sorted(type(each).__name__ for each in answers) == ["Stale", "int"]
    assert sorted(world.stand().values()) == ["A", "A", "A", "B", "B", "B"]


def test_a_place_is_offered_once_and_answered_once():
    world = World()
    driver = world.drivers[6]
    reserves.join(by=driver, championship=world.season, driver=driver, crew="R")
    leave(world, 0)
    made = at_once(
        lambda: offers.offer_now(by=world.olga, championship=world.season),
        lambda: offers.offer_now(by=world.olga, championship=world.season),
    )
    assert sorted(made) == [0, 1]
    offer = PlaceOffer.objects.get()
    answers = at_once(
        lambda: offers.answer(offer=offer, accept=True), lambda: offers.answer(offer=offer, accept=False, by=world.olga)
    )
    assert sum(isinstance(each, Stale) for each in answers) == 1
    assert (world.stand().get("07") == "A") == (PlaceOffer.objects.get().state == "accepted")
