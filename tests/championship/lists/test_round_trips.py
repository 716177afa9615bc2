"""Every table that can be taken away and has an import comes in again unchanged: in each language, with each delimiter,
as CSV, as a workbook and as JSON.
"""

from dataclasses import replace

import pytest

from championship.lists.reading import read
from championship.rallies.models import Rally
from championship.rallies.results.selectors import results_of
from championship.seasons.services import create_championship
from tests.championship.lists.lists import DAY, MEMBERS, make_world, results, season_of, time
from tests.championship.lists.steps import Steps
from tests.factories import signed_in

pytestmark = pytest.mark.django_db
ZOE, JOSE, ANNA, LUKASZ, _ISIL = MEMBERS
LANGUAGES = ("en", "de", "pl")
DELIMITERS = ("", "?delimiter=comma", "?delimiter=semicolon", "?delimiter=tab")
TIMES = (
    {"name": ZOE, "times": (time(205_400), time(754_500)), "number": 4, "car_class": "RC2", "team": "Wiking Rot"},
    {"name": JOSE, "times": (time(206_000), time(760_100)), "number": 7, "points_hundredths": None},
    {"name": ANNA, "times": (time(220_000), None), "status": "retired", "retired_in": 2, "reason": "engine"},
)
PLACES = ({"name": JOSE, "place": 1}, {"name": ZOE, "place": 2}, {"name": LUKASZ, "status": "retired", "reason": "ice"})
POINTS = (
    {"name": ZOE, "points_hundredths": 2850, "place": 1},
    {"name": ANNA, "points_hundredths": 1500, "place": 2},
    {"name": JOSE, "points_hundredths": 0, "status": "excluded"},
)
STAGE_POINTS = (
    {"name": ANNA, "stage_points": (1000, 800), "points_hundredths": 1800, "place": 1},
    {"name": ZOE, "stage_points": (600, None), "points_hundredths": 600, "status": "retired", "retired_in": 2},
)
ROUNDS = {
    "times": {"rows": TIMES, "measure": "times", "stages": ("SS1", "SS2"), "named": ("number", "car_class", "team")},
    "places": {"rows": PLACES, "measure": "places", "named": ()},
    "points": {"rows": POINTS, "measure": "points", "named": ()},
    "points of stages": {"rows": STAGE_POINTS, "measure": "points", "stages": ("SS1", "SS2"), "named": ()},
}


def imported(*kinds):
    """Return a world whose season has a round of each kind, and the steps of its organiser."""
    world = make_world()
    named = {name for kind in kinds for name in ROUNDS[kind]["named"]}
    rounds = [
        results(f"Rally of {kind}", *ROUNDS[kind]["rows"], measure=ROUNDS[kind]["measure"], day=DAY,
                stages=ROUNDS[kind].get("stages", ()))
        for kind in kinds
    ]  # fmt: skip
    world.take(world.bring(season_of(*rounds, named=tuple(named))))
    return world, Steps(signed_in(world.olga))


def driven(rally):
    """Return place, results of the stages, points and status of each driver."""
    results = results_of(rally)
    return {
        str(line.entry.driver): (
            line.place,
            line.total,
            [one.result if (one := results.driven.get((stage.number, line.entry.pk))) else None
             for stage in results.stages],
            *((said.points, said.status) if (said := line.published) else ()),
        )
        for line in results.overall
    }  # fmt: skip


def changes(steps, page, written, name):
    """Return what a file would change, line by line; nothing is imported."""
    made = steps.bring(page, written, name)
    plan = steps.look(made).context["plan"]
    assert [*plan.rounds] or [*plan.lines]
    return [(line.who, line.state, line.changes, line.why) for line in plan.all_lines if line.state != "unchanged"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ROUNDS)
def test_results_of_a_rally_change_nothing(kind, language):
    world, steps = imported(kind)
    rally = Rally.objects.get()
    page = f"/lists/championships/{world.season.key}/results/"
    paths = [f"results.csv{delimiter}" for delimiter in DELIMITERS] + ["results.xlsx"]
    for path in paths:
        answer = steps.client.get(f"/rallies/{rally.key}/{path}", headers={"Accept-Language": language})
        assert answer.status_code == 200
        assert changes(steps, page, answer.getvalue(), path.partition("?")[0]) == [], path


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_season_changes_nothing(language):
    world, steps = imported("times", "places", "points", "points of stages")
    page = f"/lists/championships/{world.season.key}/results/"
    paths = [f"standings.csv{delimiter}" for delimiter in DELIMITERS] + ["season.xlsx"]
    for path in paths:
        answer = steps.client.get(f"/championships/{world.season.key}/{path}", headers={"Accept-Language": language})
        assert answer.status_code == 200
        assert changes(steps, page, answer.getvalue(), path.partition("?")[0]) == [], path


def test_points_that_differ_from_the_scheme_are_said_as_a_change():
    world, steps = imported("places")
    steps_of_page = f"/lists/championships/{world.season.key}/results/"
    table = f"Driver;Rally of places;Total\n{JOSE};26,5;26,5\n{ZOE};18;18\n{LUKASZ};DNF;0\n"
    made = steps.bring(steps_of_page, table)
    [round] = steps.look(made).context["plan"].rounds
    told = {line.who: [(each.label, each.before, each.after) for each in line.changes] for line in round.lines}
    assert told == {JOSE: [("Points", "25 by the scheme", "26.5")], ZOE: [], LUKASZ: []}
    steps.take(made)
    assert [(who, float(total)) for _place, who, total in world.standing()] == [(JOSE, 26.5), (ZOE, 18), (LUKASZ, 0)]


@pytest.mark.parametrize("kind", ROUNDS)
def test_results_come_into_another_season_as_they_are(kind):
    world, steps = imported(kind)
    rally = Rally.objects.get()
    table = world.standing()
    written = steps.client.get(f"/rallies/{rally.key}/results.csv").getvalue()
    other = create_championship(by=world.olga, club=world.club, name="Other", points=[25, 18, 15, 12])
    steps.all_of(f"/lists/championships/{other.key}/results/", written, "results.csv")
    again = Rally.objects.exclude(pk=rally.pk).get()
    assert (again.unit, again.better, again.stages.count()) == (rally.unit, rally.better, rally.stages.count())
    assert driven(again) == driven(rally)
    world = replace(world, season=other)
    assert world.standing() == table


@pytest.mark.parametrize("language", LANGUAGES)
def test_entries_of_a_rally_change_nothing(language):
    _world, steps = imported("times")
    rally = Rally.objects.get()
    answer = steps.client.get(f"/rallies/{rally.key}/desk/entries.csv", headers={"Accept-Language": language})
    assert answer.status_code == 200
    found = read(answer.getvalue(), results=False).found
    people = {person.name: (person.number, person.car_class) for person in found.persons}
    assert people[ZOE] == (4, "RC2")
    assert "team" not in found.named, "what the table does not name stays as it is"
    assert set(people) == {ZOE, JOSE, ANNA}
