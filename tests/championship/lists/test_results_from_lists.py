"""Results of rounds that were driven elsewhere: what is stored of them, and what the tables make of it."""

from datetime import date

import pytest

from championship.lists.models import Alias
from championship.platform.refusals import Refused, Stale
from championship.rallies.models import Entry, PublishedResult, Rally
from championship.rallies.results.selectors import results_of
from championship.seasons.selectors import table
from tests.championship.lists.lists import DAY, make_world, results, season_of, time
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db
ZOE, JOSE, ANNA, LUKASZ, ISIL = "Zoë Virtanen", "José García", "Anna Müller", "Łukasz Żak", "Işıl İnce"


@pytest.fixture
def world():
    return make_world()


def classification(name):
    return [
        (line.place, line.entry.driver.name, line.total_in_words)
        for line in results_of(Rally.objects.get(name=name)).overall
    ]


def test_times_keep_their_parts_of_a_second(world):
    stages = ("SS1", "SS2")
    found = season_of(
        results(
            "Foxwood",
            {"name": ZOE, "times": (time(205_400), time(754_500))},
            {"name": JOSE, "times": (time(206_000), time(760_100))},
            {"name": ISIL, "times": (time(220_000), None), "status": "retired", "retired_in": 2, "reason": "engine"},
            measure="times",
            day=DAY,
            stages=stages,
        )
    )
    world.take(world.bring(found))
    rally = Rally.objects.get(name="Foxwood")
    assert rally.unit == "tenths"
    assert classification("Foxwood") == [(1, ZOE, "15:59.9"), (2, JOSE, "16:06.1"), (None, ISIL, "–")]
    [_zoe, jose, isil] = results_of(rally).overall
    assert (jose.gap, [each.here for each in isil.remarks.retired]) == ("+0:06.2", ["retired: engine"])
    assert [(place, total) for place, _who, total in world.standing()] == [(1, 25), (2, 18), (3, 0)]
    client = signed_in(world.olga)
    for page in ("", "stages/1/", "podium/", "sheet/", "results.csv", "results.pdf"):
        assert client.get(f"/rallies/{rally.key}/{page}").status_code in (200, 202, 303), page


def test_points_as_published_stand_as_they_are(world):
    found = season_of(
        results("Foxwood", {"name": ZOE, "points_hundredths": 2900, "power_hundredths": 400, "place": 1},
                {"name": JOSE, "points_hundredths": 2350, "place": 2}, measure="points", day=DAY),
        results("Quarry", {"name": ANNA, "points_hundredths": 3000}, {"name": ZOE, "points_hundredths": 1800},
                {"name": JOSE, "points_hundredths": 0}, measure="points", year=2024),
        totals={ZOE: 4700, JOSE: 9900},
    )  # fmt: skip
    draft = world.bring(found)
    look = world.look(draft)
    assert not Rally.objects.exists()
    assert look.checks == ["José García: the list says 99 in all, the rounds give 23.5."]
    assert [(each.name, each.published, each.scheme) for each in look.standings][:2] == [(ZOE, 47, 43), (ANNA, 30, 25)]
    world.take(draft)
    assert [(who, float(total)) for _place, who, total in world.standing()] == [(ZOE, 47.0), (ANNA, 30.0), (JOSE, 23.5)]
    quarry = Rally.objects.get(name="Quarry")
    assert (quarry.day_known, quarry.started_at.year, quarry.round.planned_for) == ("year", 2024, None)
    assert classification("Quarry")[2][0] is None


def test_how_a_car_ended_is_told_apart_and_an_exclusion_is_never_dropped(world):
    world.season.drop = 1
    world.season.save()
    rows = [
        {"name": ZOE, "place": 1},
        {"name": JOSE, "status": "not_classified"},
        {"name": ANNA, "status": "excluded", "reason": "underweight"},
        {"name": LUKASZ, "status": "withdrawn"},
        {"name": ISIL, "status": "did_not_start"},
        {"name": "Ada Morris", "status": "did_not_qualify"},
    ]
    again = [{"name": ANNA, "place": 1}, {"name": ZOE, "place": 2}]
    draft = world.bring(season_of(results("Sand", *rows, day=DAY), results("Snow", *again, day=date(2025, 4, 1))))
    world.take(world.answer(draft, Ada_Morris="name"))
    lines = {line.entry.driver.name: line for line in results_of(Rally.objects.get(name="Sand")).overall}
    assert [lines[name].excluded for name in (ZOE, JOSE, ANNA)] == [False, False, True]
    assert [lines[name].unplaced for name in (JOSE, LUKASZ, ISIL)] == ["not classified", "withdrawn", "did not start"]
    drivers = table(world.season).drivers
    [anna] = [line.scores for line in drivers if line.who.name == ANNA]
    assert [(score.excluded, score.dropped) for score in anna] == [(True, False), (False, True)]
    assert {line.who.name for line in drivers} == {ZOE, JOSE, ANNA}


def test_places_of_a_part_of_the_field_and_shared_ones_hold(world):
    rows = [
        {"name": ZOE, "place": 1},
        {"name": JOSE, "place": 3},
        {"name": ANNA, "place": 3},
        {"name": ISIL, "place": 7},
    ]
    world.take(world.bring(season_of(results("Sand", *rows))))
    assert [place for place, _who, _total in classification("Sand")] == [1, 3, 3, 7]
    assert [(who, total) for _place, who, total in world.standing()] == [(ZOE, 25), (ANNA, 15), (JOSE, 15), (ISIL, 0)]


def test_two_people_who_share_a_car_share_its_points(world):
    rows = [
        {"name": ZOE, "place": 1},
        {"name": JOSE, "place": 2, "number": 5, "shared": True},
        {"name": ANNA, "place": 2, "number": 5, "shared": True},
        {"name": ISIL, "place": 3},
    ]
    world.take(world.bring(season_of(results("Sand", *rows))))
    assert {who: total for _place, who, total in world.standing()} == {ZOE: 25, JOSE: 9, ANNA: 9, ISIL: 15}


def test_a_second_list_changes_only_what_it_names_and_shows_the_old_and_the_new(world):
    first = {"name": ZOE, "place": 1, "points_hundredths": 2900, "number": 4, "car_class": "RC2"}
    world.take(
        world.bring(season_of(results("Sand", first, {"name": JOSE, "place": 2}), named=("number", "car_class")))
    )
    draft = world.bring(season_of(results("Sand", {"name": ZOE, "place": 2}, {"name": ANNA, "place": 1})))
    look = world.look(draft)
    [sand] = look.plan.rounds
    assert [line.state for line in sand.lines] == ["changed", "new"]
    assert [(each.label, each.before, each.after) for each in sand.lines[0].changes] == [("Place", "1", "2")]
    assert sand.told == ("1 car of this round is not in the list: it stays.",)
    world.take(draft)
    zoe = Entry.objects.get(driver__name=ZOE, rally__name="Sand")
    assert (zoe.start_number, zoe.car_class, zoe.published.place, zoe.published.points) == (4, "RC2", 2, 2900)
    assert Entry.objects.filter(rally__name="Sand").count() == 3
    same = world.bring(season_of(results("Sand", {"name": ZOE, "place": 2})))
    assert world.look(same).plan.counts["unchanged"] == 1
    with pytest.raises(Refused, match="changes nothing"):
        world.take(same)


def test_names_are_asked_about_once_kept_and_remembered(world):
    rows = [{"name": "Zoe Virtanenn", "place": 1}, {"name": "Zdeněk Dvořák", "place": 2}, {"name": "Olaf", "place": 3}]
    draft = world.bring(season_of(results("Sand", *rows)))
    with pytest.raises(Refused, match="who is who"):
        world.take(draft)
    draft = world.answer(draft, Olaf="out")
    done = world.take(draft)
    assert done.counts == {"new": 2, "changed": 0, "unchanged": 0, "left out": 1}
    assert [(entry.driver.name, entry.driver.is_active) for entry in Entry.objects.order_by("start_number")] == [
        (ZOE, True),
        ("Zdeněk Dvořák", False),
    ]
    later = world.bring(season_of(results("Snow", *rows[:2])))
    world.take(later)
    assert Alias.objects.get(person__name=ZOE).form == "zoe virtanenn"
    assert Entry.objects.filter(driver__name="Zdeněk Dvořák").values("driver").distinct().count() == 1


def test_a_draft_that_has_changed_or_is_imported_is_not_imported(world):
    draft = world.bring(season_of(results("Sand", {"name": "Zdeněk", "place": 1})))
    old = world.bring(season_of(results("Sand", {"name": ZOE, "place": 1})))
    with pytest.raises(Stale):
        world.answer(draft)
    world.take(old)
    with pytest.raises(Stale):
        world.take(old)


def test_a_round_that_was_driven_here_or_lies_ahead_is_left_out(world):
    found = season_of(results("Sand", {"name": ZOE, "place": 1}, day=date(2090, 1, 1)))
    look = world.look(world.bring(found))
    assert [line.why for line in look.plan.all_lines] == ["This day is in the future."]
    assert not look.plan.does_something


def test_another_clubs_organiser_finds_no_draft(world):
    draft = world.bring(season_of(results("Sand", {"name": ZOE, "place": 1})))
    for step in ("people", "look", "done"):
        assert signed_in(make_user()).get(f"/lists/{draft.key}/{step}/").status_code == 404
        assert signed_in(world.people[ZOE]).get(f"/lists/{draft.key}/{step}/").status_code == 403
    assert PublishedResult.objects.count() == 0
