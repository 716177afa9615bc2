"""A list of registrations changes what it names and nothing else; the preview and the log show old and new values."""

import pytest

from championship.accounts.services import closing
from championship.archive.csv_reading import BadList
from championship.archive.services.registration_import import (
    import_registrations,
    plan_registrations,
)
from championship.audit import services as audit
from championship.audit.models import Record
from championship.seasons import services as seasons
from championship.seasons.models import Registration
from championship.seasons.services import registering
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga")


@pytest.fixture
def club(olga):
    return make_club(owner=olga)


@pytest.fixture
def zoe(club):
    return make_member(club, name="Zoë Virtanen")


@pytest.fixture
def season(olga, club, zoe):
    season = seasons.create_championship(by=olga, club=club, name="Season", classes=["RC1", "RC2"])
    (red,) = registering.name_teams(by=olga, championship=season, names=["Wiking Rot"])
    registering.register(
        by=olga, championship=season, driver=zoe, crew="Zoë / Jo", car_class="RC2", start_number=1, team=red
    )
    return season


def values(season) -> dict[str, object]:
    return registering.logged_values(season.registrations.select_related("team").get())


def changes(plan) -> list[tuple[str, str, str]]:
    return [(str(each.label), each.before, each.after) for line in plan.lines for each in line.changes]


def test_a_column_that_is_not_in_the_list_changes_nothing(olga, season):
    text = "Name;Klasse\nZoë Virtanen;rc1\n"
    plan = plan_registrations(by=olga, championship=season, text=text)
    assert changes(plan) == [("car class", "RC2", "RC1")]
    assert plan.counts == {"new": 0, "changed": 1, "unchanged": 0}

    import_registrations(by=olga, championship=season, text=text)

    assert values(season) == {"crew": "Zoë / Jo", "car_class": "RC1", "start_number": 1, "team": "Wiking Rot"}


def test_an_empty_cell_removes_a_value_only_where_the_preview_shows_it(olga, season):
    text = "name;crew;class;number;team\nZoë Virtanen;;RC2;;\n"
    plan = plan_registrations(by=olga, championship=season, text=text)
    assert changes(plan) == [("start number", "1", "–"), ("team", "Wiking Rot", "–")]
    import_registrations(by=olga, championship=season, text=text)
    assert values(season) == {"crew": "Zoë / Jo", "car_class": "RC2", "start_number": None, "team": ""}


def test_the_log_keeps_old_and_new_values(olga, club, season, zoe):
    import_registrations(by=olga, championship=season, text="name;number;team\nZoë Virtanen;7;New\n")
    act = audit.of_club(club.pk)[0]
    assert act.action == "registration changed"
    assert act.details["before"] == {"start_number": 1, "team": "Wiking Rot"}
    assert act.details["after"] == {"start_number": 7, "team": "New"}
    assert act.details["driver"] == "Zoë Virtanen"
    page = signed_in(olga).get(f"/clubs/{club.slug}/log/")
    assert "changed a registration for the season" in page.text and "Wiking Rot" in page.text


def test_a_line_that_changes_nothing_writes_nothing(olga, club, season):
    text = "name;class\nZoë Virtanen;RC2\n"
    plan = plan_registrations(by=olga, championship=season, text=text)
    assert (plan.new, plan.counts["unchanged"]) == (0, 1)
    before = Record.objects.count()
    import_registrations(by=olga, championship=season, text=text)
    assert Record.objects.count() == before


def test_a_new_driver_needs_a_class_although_the_list_has_no_such_column(olga, club, season):
    make_member(club, name="Bo")
    with pytest.raises(BadList) as refusal:
        plan_registrations(by=olga, championship=season, text="name;number\nZoë Virtanen;2\nBo;3\n")
    assert [str(each).split(":")[0] for each in refusal.value.problems] == ["Line 3, car class"]


def test_the_page_shows_old_and_new_of_each_cell(olga, club, season):
    bo = make_member(club, name="Bo")
    registering.register(by=olga, championship=season, driver=bo, crew="Bo", car_class="RC1")
    make_member(club, name="Cem")
    text = "name;class;team\nZoë Virtanen;RC1;\nBo;RC1;\nCem;RC1;\n"
    page = signed_in(olga).post(f"/championships/{season.key}/registrations/list/", {"do": "look", "text": text})
    assert "car class: <del>RC2</del> → <ins>RC1</ins>" in page.text
    assert "team: <del>Wiking Rot</del> → <ins>–</ins>" in page.text
    assert "New: 1. Changed: 1. Unchanged: 1." in page.text
    assert "Register 2 drivers" in page.text


def test_a_team_is_recognised_in_another_form(olga, season, club):
    make_member(club, name="Bo")
    text = "name;class;team\nBo;RC1;WIKING\u00a0ROT\n"
    import_registrations(by=olga, championship=season, text=text)
    assert season.teams.count() == 1
    assert Registration.objects.get(driver__name="Bo").team == season.teams.get()


@pytest.mark.parametrize("written", ["Zoe Virtanen", "Virtanen Zoë", "ZOE VIRTANEN", "Zoë Virtannen"])
def test_a_name_that_is_nearly_a_members_gets_the_right_advice(olga, season, written):
    with pytest.raises(BadList) as refusal:
        plan_registrations(by=olga, championship=season, text=f"name;class\n{written};RC1\n")
    (said,) = map(str, refusal.value.problems)
    assert said == "Line 2, name: Nobody in the club has this name. Do you mean Zoë Virtanen? Then write it so."


@pytest.mark.parametrize("written", ["Zoe\u0308 Virtanen", "VIRTANEN, Zoë", "zoë\u00a0 virtanen"])
def test_a_member_is_recognised_in_another_form(olga, season, written):
    plan = plan_registrations(by=olga, championship=season, text=f'name;class\n"{written}";RC1\n')
    assert plan.lines[0].driver.name == "Zoë Virtanen"


def test_a_driver_without_classes_to_choose_keeps_the_class(olga, season, zoe):
    season.classes = []
    season.save()
    page = signed_in(zoe).post(f"/championships/{season.key}/registrations/", {"crew": "Zoë / Al", "team": ""})
    assert page.status_code == 302
    assert values(season)["car_class"] == "RC2"


def test_a_closed_account_leaves_no_crew_name_in_the_values_of_the_log(olga, season, zoe):
    registering.register(by=olga, championship=season, driver=zoe, crew="Zoë Virtanen", car_class="RC2")
    closing.close(person=zoe)
    act = Record.objects.get(action="registration changed")
    assert "Zoë Virtanen" not in str(act.details)
