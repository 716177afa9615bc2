"""Points of single stages, as some leagues publish them: kept for each stage, counted in the season by their sum."""

import pytest

from championship.archive.services.restoring import restore_club
from championship.lists.models import ListImport
from championship.rallies.models import PublishedResult, Rally, StageTime
from championship.rallies.results.selectors import results_of
from tests.championship.archive.scenes import archived, emptied
from tests.championship.lists.lists import MEMBERS, make_world
from tests.championship.lists.steps import Steps
from tests.factories import signed_in

pytestmark = pytest.mark.django_db
ZOE, JOSE, ANNA, _LUKASZ, _ISIL = MEMBERS
TABLE = (
    "Rally Foxwood;1.3.2025;;;;;\nPos;Driver;SS1;SS2;SS3;PS;Total\n"
    f"1;{ZOE};10;8;10;5;33\n2;{JOSE};8;10;6;4;28\n3;{ANNA};6;6;DNF;;12\n"
)


@pytest.fixture
def world():
    return make_world()


@pytest.fixture
def steps(world):
    return Steps(signed_in(world.olga))


def page_of(world):
    return f"/lists/championships/{world.season.key}/results/"


def points_by_stage(rally):
    driven = StageTime.objects.filter(special_stage__rally=rally).order_by("special_stage__number")
    by_driver = {}
    for each in driven.select_related("entry__driver"):
        by_driver.setdefault(each.entry.driver.name, []).append(each.measure)
    return by_driver


def test_the_rally_keeps_the_points_of_each_stage_and_the_season_their_sum(world, steps):
    made = steps.bring(page_of(world), TABLE)
    looked = steps.look(made)
    assert [line.facts[1] for line in looked.context["plan"].rounds[0].lines][:2] == [
        "10 points · 8 points · 10 points = 28 points",
        "8 points · 10 points · 6 points = 24 points",
    ]
    steps.take(made)
    rally = Rally.objects.get()
    assert (rally.name, rally.unit, rally.better) == ("Rally Foxwood", "points", "most")
    assert [stage.name for stage in rally.stages.order_by("number")] == ["SS1", "SS2", "SS3"]
    assert points_by_stage(rally)[ZOE] == [10, 8, 10]
    assert [(line.place, str(line.entry.driver)) for line in results_of(rally).overall[:2]] == [(1, ZOE), (2, JOSE)]
    anna = PublishedResult.objects.get(entry__driver__name=ANNA)
    assert (anna.status, anna.points) == ("retired", 1200)
    assert [(who, total) for _place, who, total in world.standing()] == [(ZOE, 33), (JOSE, 28), (ANNA, 12)]
    page = steps.client.get(f"/rallies/{rally.key}/").text
    assert "SS2" in page and "28" in page


def test_the_same_table_changes_nothing_and_a_corrected_one_says_what(world, steps):
    steps.take(steps.bring(page_of(world), TABLE))
    again = steps.look(steps.bring(page_of(world), TABLE)).context["plan"].rounds[0]
    assert {line.state for line in again.lines} == {"unchanged"}
    corrected = TABLE.replace(f"{JOSE};8;10;6;4;28", f"{JOSE};8;10;7;4;29")
    made = steps.bring(page_of(world), corrected)
    lines = {line.who: line for line in steps.look(made).context["plan"].rounds[0].lines}
    told = [(each.label, each.before, each.after) for each in lines[JOSE].changes]
    assert told == [
        ("Result", "8 points · 10 points · 6 points = 24 points", "8 points · 10 points · 7 points = 25 points"),
        ("Points", "28", "29"),
    ]
    steps.take(made)
    assert points_by_stage(Rally.objects.get())[JOSE] == [8, 10, 7]


def test_a_table_of_sums_leaves_the_points_of_the_stages(world, steps):
    steps.take(steps.bring(page_of(world), TABLE))
    sums = f"Rally Foxwood;1.3.2025;\nPos;Driver;Points\n1;{ZOE};34\n2;{JOSE};28\n"
    made = steps.bring(page_of(world), sums)
    lines = {line.who: line for line in steps.look(made).context["plan"].rounds[0].lines}
    assert lines[JOSE].state == "unchanged"
    assert [(each.label, each.after) for each in lines[ZOE].changes] == [("Points", "34")]
    steps.take(made)
    assert points_by_stage(Rally.objects.get())[ZOE] == [10, 8, 10]


def test_halves_stay_with_their_stages(world, steps):
    made = steps.bring(page_of(world), f"Foxwood;1.3.2025;;\nPos;Driver;SS1;SS2\n1;{ZOE};10;8,5\n2;{JOSE};8;10\n")
    lines = {line.who: line for line in steps.look(made).context["plan"].rounds[0].lines}
    assert lines[ZOE].facts[1] == "10 points · 8.5 points = 18.5 points"
    steps.take(made)
    rally = Rally.objects.get()
    assert (rally.unit, rally.better, rally.stages.count()) == ("half_points", "most", 2)
    assert points_by_stage(rally) == {ZOE: [20, 17], JOSE: [16, 20]}
    assert [(line.figure, line.gap) for line in results_of(rally).overall] == [("18.5", ""), ("18", "−0.5 points")]
    assert [(who, float(total)) for _place, who, total in world.standing()] == [(ZOE, 18.5), (JOSE, 18.0)]
    again = steps.bring(page_of(world), steps.client.get(f"/rallies/{rally.key}/results.csv").getvalue(), "results.csv")
    assert {line.state for line in steps.look(again).context["plan"].all_lines} == {"unchanged"}
    finer = f"Foxwood;1.3.2025;;\nPos;Driver;SS1;SS2\n1;{ZOE};10;8,33\n2;{JOSE};8;10\n"
    [round] = steps.look(steps.bring(page_of(world), finer)).context["plan"].rounds
    assert "finer points" in round.told[0]


def test_the_results_come_in_again_unchanged(world, steps):
    steps.take(steps.bring(page_of(world), TABLE))
    rally = Rally.objects.get()
    for kind in ("csv", "xlsx"):
        written = steps.client.get(f"/rallies/{rally.key}/results.{kind}").getvalue()
        made = steps.bring(page_of(world), written, f"results.{kind}")
        [round] = steps.look(made).context["plan"].rounds
        assert [(line.who, line.changes) for line in round.lines if line.state != "unchanged"] == []


def test_an_archive_and_an_undone_import(world, steps):
    steps.take(steps.bring(page_of(world), TABLE))
    for person in world.people.values():
        person.email = f"driver{person.pk}@example.org"
        person.save(update_fields=["email"])
    file = archived(world.club)
    done = ListImport.objects.get()
    assert steps.client.post(f"/lists/{done.key}/undo/").status_code == 302
    assert not Rally.objects.exists()
    emptied()
    restore_club(by=None, owner=None, file=file)
    assert points_by_stage(Rally.objects.get())[ZOE] == [10, 8, 10]
