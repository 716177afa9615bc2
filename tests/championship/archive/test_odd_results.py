"""Past results that would make a wrong table: times of 0, retired cars with a time, names that are nearly known."""

import pytest

from championship.accounts.models import User
from championship.archive.csv_reading import BadList
from championship.archive.services.result_import import import_results, preview_results
from championship.platform.refusals import Refused
from championship.rallies.models import Rally, StageTime
from championship.seasons import services as seasons
from championship.seasons.selectors import table
from championship.stages.services import load_library
from championship.stewards import services as stewards
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

TIMES = {"names_only": True, "unit": "seconds", "other_courses": True}
RETIRED = """\
rally,date,name,stages,time 1,time 2
Zaton,2024-01-01,A A,x|y,3:25,3:30
Zaton,,B B,,3:20,ret 1:00
Zaton,,D D,,3:10,ret
"""


@pytest.fixture
def olga():
    load_library()
    return make_user("Olga")


@pytest.fixture
def season(olga):
    club = make_club(name="Wiking", owner=olga)
    return seasons.create_championship(by=olga, club=club, name="2024", points=[10, 6, 4], power=[])


def problems_of(act, **how) -> list[str]:
    with pytest.raises(BadList) as refusal:
        act(**how)
    return [str(problem) for problem in refusal.value.problems]


def standing(season) -> list[tuple[int, str, int]]:
    return [(line.place, str(line.who), line.total) for line in table(season).drivers]


@pytest.mark.parametrize("nothing", ["0", "0:00", "00:00", "0:00:00", "ret 0:00"])
def test_a_time_of_0_is_refused_with_what_to_write(olga, season, nothing):
    text = f"rally,date,name,time\nZaton,2024-01-01,Ana Adams,3:05\nZaton,,Bob Brown,{nothing}\n"
    (said,) = problems_of(preview_results, by=olga, championship=season, text=text, **TIMES)
    assert said == (
        "Line 3, time 1: 0 is not a time. Write “ret” for a retirement; remove the line if the car did not start."
    )
    assert not Rally.objects.exists()


def test_points_of_0_are_points(olga, season):
    text = "rally,date,name,points\nZaton,2024-01-01,Ana Adams,5\nZaton,,Bob Brown,0\n"
    import_results(by=olga, championship=season, text=text, **{**TIMES, "unit": "points"})
    assert [name for _place, name, _total in standing(season)] == ["Ana Adams", "Bob Brown"]


def test_stewards_cannot_set_a_time_of_0(olga, season):
    import_results(by=olga, championship=season, text=RETIRED, **TIMES)
    rally = Rally.objects.get()
    sten = make_member(season.club, name="Sten", roles=["steward"])
    decision = {
        "by": sten, "rally": rally, "kind": "stage time", "text": "The clock stood still.",
        "entry": rally.entries.get(crew="A A"), "special_stage": rally.stages.get(number=1),
    }  # fmt: skip
    with pytest.raises(Refused, match="0 is not a time") as refusal:
        stewards.decide(**decision, amount=0)
    assert refusal.value.field == "amount"
    stewards.decide(**decision, amount=1)


def test_a_retired_car_ahead_of_a_finisher_is_named_in_the_preview(olga, season):
    seen = preview_results(by=olga, championship=season, text=RETIRED, **TIMES)
    assert seen.warnings == [
        "Zaton: Stage 2: B B retired, but is in place 1, ahead of A A, who finished.",
        "Zaton: Final result: B B retired, but is in place 1, ahead of A A, who finished.",
    ]
    page = signed_in(olga).post(
        f"/championships/{season.key}/past/",
        {"do": "look", "text": RETIRED, "names_only": "on", "other_courses": "on", "unit": "seconds"},
    )
    assert "B B retired, but is in place 1, ahead of A A, who finished." in page.text


def test_retired_cars_are_not_classified_where_the_organiser_says_so(olga, season):
    seen = preview_results(by=olga, championship=season, text=RETIRED, retired_unplaced=True, **TIMES)
    assert seen.warnings == []
    import_results(by=olga, championship=season, text=RETIRED, retired_unplaced=True, **TIMES)
    assert [(line.place, line.entry.crew) for line in seen.rallies[0].lines] == [
        (1, "A A"),
        (None, "B B"),
        (None, "D D"),
    ]
    assert standing(season) == [(1, "A A", 10), (2, "B B", 0), (2, "D D", 0)]


def test_a_plain_retirement_is_settled_by_the_rules_of_a_game_only_on_a_course_of_the_game(olga, season):
    import_results(by=olga, championship=season, text=RETIRED, **TIMES)
    assert (3, "D D", 0) in standing(season), "no rule of a game gives a result to a rally that was none of it"

    known = RETIRED.replace("Zaton", "Known").replace("x|y", "R1/1 R1/2").replace("ret 1:00", "3:31")
    import_results(by=olga, championship=season, text=known, **{**TIMES, "unit": "", "other_courses": False})
    lines = preview_results(
        by=olga, championship=season, text=known.replace("Known", "Also known"), retired_unplaced=True,
        **{**TIMES, "unit": ""},
    ).rallies[0].lines  # fmt: skip
    assert [(line.place, line.entry.crew) for line in lines][-1] == (None, "D D")
    settled = StageTime.objects.get(entry__rally__name="Known", entry__crew="D D", special_stage__number=2)
    assert settled.measure is not None and settled.retired


def test_a_place_beside_a_retirement_without_a_place_is_refused_plainly(olga, season):
    text = "rally,date,name,place,time\nZaton,2024-01-01,Ana Adams,1,3:05\nZaton,,Bob Brown,2,ret\n"
    (said,) = problems_of(preview_results, by=olga, championship=season, text=text, **TIMES)
    assert said == "Line 3, place: According to the results, this car has no place: leave the place empty."


@pytest.mark.parametrize("written", ["Re\u0301mi Castel", "Castel, Rémi", "RÉMI\u00a0 CASTEL", "castel , Re\u0301mi"])
def test_a_member_is_recognised_however_the_list_writes_the_name(olga, season, written):
    remi = make_member(season.club, name="Rémi Castel")
    text = f'rally,date,name,place\nZaton,2024-01-01,"{written}",1\n'
    seen = preview_results(by=olga, championship=season, text=text, **{**TIMES, "unit": "places"})
    assert (seen.names, seen.alike) == ((), ())
    assert seen.rallies[0].lines[0].entry.driver == remi


def test_a_new_person_beside_somebody_of_nearly_the_same_name_is_pointed_out(olga, season):
    make_member(season.club, name="José García")
    text = "rally,date,name,place\nZaton,2024-01-01,Jose Garcia,1\nZaton,,Zed Nemo,2\nZaton,,Nemo Zed,3\n"
    how = {**TIMES, "unit": "places"}
    seen = preview_results(by=olga, championship=season, text=text, **how)
    assert seen.names == ("Jose Garcia", "Zed Nemo", "Nemo Zed")
    assert seen.alike == (("Jose Garcia", "José García"), ("Nemo Zed", "Zed Nemo"))
    sent = {"do": "look", "text": text, "names_only": "on", "other_courses": "on", "unit": "places"}
    page = signed_in(olga).post(f"/championships/{season.key}/past/", sent)
    assert "<li>Jose Garcia → José García</li>" in page.text
    said = problems_of(preview_results, by=olga, championship=season, text=text, **{**how, "names_only": False})
    assert said[0] == "Line 2, name: Nobody in the club has this name. Do you mean José García? Then write it so."


def test_one_name_in_two_forms_is_one_person_in_the_list_and_in_the_next_one(olga, season):
    text = "rally,date,name,place\nZaton,2024-01-01,Re\u0301mi Castel,1\nYpres,2024-02-01,Rémi Castel,1\n"
    import_results(by=olga, championship=season, text=text, **{**TIMES, "unit": "places"})
    more = "rally,date,name,place\nHarz,2024-03-01,RÉMI CASTEL,1\n"
    import_results(by=olga, championship=season, text=more, **{**TIMES, "unit": "places"})
    assert User.objects.get(is_active=False).name == "Rémi Castel"
    assert standing(season) == [(1, "Rémi Castel", 30)]


def test_a_class_is_recognised_in_other_letters(olga, season):
    season.classes = ["RC2"]
    season.save()
    text = "rally,date,name,class,place\nZaton,2024-01-01,Ana Adams,rc2,1\n"
    import_results(by=olga, championship=season, text=text, **{**TIMES, "unit": "places"})
    assert [line.total for line in table(season).classes["RC2"]] == [10]


def test_times_beside_places_are_ignored_and_the_preview_says_so(olga, season):
    text = (
        "rally,date,pos,driver,time\nZaton,2024-01-01,1,Ana Adams,35:02.1\nZaton,,2,Bob Brown,36:00\nZaton,,,Cy,ret\n"
    )
    seen = preview_results(by=olga, championship=season, text=text, **{**TIMES, "unit": "places"})
    assert [(line.place, line.entry.crew) for line in seen.rallies[0].lines] == [
        (1, "Ana Adams"),
        (2, "Bob Brown"),
        (None, "Cy"),
    ]
    assert seen.unused == ("time 1",)
