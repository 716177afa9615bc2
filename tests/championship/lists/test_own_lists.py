"""What this service writes comes in again: a table of results changes nothing where it was made."""

import pytest

from championship.rallies.models import Rally
from championship.rallies.results.selectors import results_of
from championship.seasons import services as seasons
from tests.championship.lists.lists import DAY, MEMBERS, make_world, results, season_of, time
from tests.championship.lists.steps import Steps
from tests.factories import signed_in

pytestmark = pytest.mark.django_db
ZOE, JOSE, ANNA, _LUKASZ, _ISIL = MEMBERS


@pytest.fixture
def world():
    return make_world()


def test_results_with_parts_of_a_second_come_in_again_as_they_are(world):
    rows = (
        {"name": ZOE, "times": (time(205_400), time(754_500)), "number": 4, "car_class": "RC2"},
        {"name": JOSE, "times": (time(206_000), time(760_100))},
        {"name": ANNA, "times": (time(220_000), None), "status": "retired", "retired_in": 2, "reason": "engine"},
    )
    round = results("Foxwood", *rows, measure="times", day=DAY, stages=("SS1", "SS2"))
    world.take(world.bring(season_of(round, named=("number", "car_class"))))
    rally = Rally.objects.get()
    steps = Steps(signed_in(world.olga))
    written = steps.client.get(f"/rallies/{rally.key}/results.csv").content
    assert b",205.4," in written
    made = steps.bring(f"/lists/championships/{world.season.key}/results/", written, "results.csv")
    [foxwood] = steps.look(made).context["plan"].rounds
    assert [(line.state, line.changes) for line in foxwood.lines[:2]] == [("unchanged", ())] * 2
    other = seasons.create_championship(by=world.olga, club=world.club, name="Other", points=[10, 6])
    steps.all_of(f"/lists/championships/{other.key}/results/", written, "results.csv")
    again = Rally.objects.exclude(pk=rally.pk).get()
    told = [[(line.place, line.total_in_words) for line in results_of(one).overall[:2]] for one in (rally, again)]
    assert told[0] == told[1] == [(1, "15:59.9"), (2, "16:06.1")]


def test_points_that_follow_places_leave_the_places(world):
    world.take(world.bring(season_of(results("Sand", {"name": ZOE, "place": 2}, {"name": JOSE, "place": 1}))))
    rows = ({"name": ZOE, "points_hundredths": 2500}, {"name": JOSE, "points_hundredths": 2000})
    draft = world.bring(season_of(results("Sand", *rows, measure="points")))
    [sand] = world.look(draft).plan.rounds
    assert [[(each.label, each.after) for each in line.changes] for line in sand.lines] == [
        [("Points", "25")],
        [("Points", "20")],
    ]
    world.take(draft)
    assert [(line.place, line.entry.driver.name) for line in results_of(Rally.objects.get()).overall] == [
        (1, JOSE),
        (2, ZOE),
    ]
    assert [(who, total) for _place, who, total in world.standing()] == [(ZOE, 25), (JOSE, 20)]
