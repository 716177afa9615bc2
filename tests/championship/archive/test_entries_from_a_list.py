"""Organisers import the drivers of a spreadsheet: checked first, then all of them or none."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from championship.archive.csv_reading import BadList
from championship.archive.services.entry_import import import_entries, plan_entries
from championship.archive.services.registration_import import (
    import_registrations,
    plan_registrations,
)
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.seasons import services as seasons
from championship.seasons.models import Registration
from championship.seasons.services import registering
from tests.championship.rallies.factories import make_rally
from tests.championship.runs.threads import at_once
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga():
    return make_user("Olga", email="olga@example.org")


@pytest.fixture
def club(olga):
    club = make_club(name="Wiking", owner=olga)
    for name in ("Ana", "Bo", "Cem"):
        make_member(club, user=make_user(name, email=f"{name.lower()}@example.org"))
    return club


@pytest.fixture
def rally(olga, club):
    return make_rally(by=olga, club=club)


@pytest.fixture
def season(olga, club):
    return seasons.create_championship(by=olga, club=club, name="Season", classes=["R5", "R2"])


def entered(rally) -> list[tuple[str, str, int | None, str]]:
    found = Entry.objects.filter(rally=rally).order_by("driver__name")
    return [(each.driver.name, each.crew, each.start_number, each.car_class) for each in found]


def test_drivers_are_entered_as_the_list_says(olga, rally):
    text = "e-mail;crew;class;number\nANA@example.org;Ana / Ann;R5;7\nbo@example.org;;R2;\n"
    plan = plan_entries(by=olga, rally=rally, text=text)
    assert ([line.crew for line in plan.lines], plan.new) == (["Ana / Ann", "Bo"], 2)
    assert not Entry.objects.exists(), "a look writes nothing"

    import_entries(by=olga, rally=rally, text=text)

    assert entered(rally) == [("Ana", "Ana / Ann", 7, "R5"), ("Bo", "Bo", 1, "R2")]
    assert set(Entry.objects.values_list("status", flat=True)) == {"confirmed"}
    assert audit.of_club(rally.club_id)[0].action == "entries confirmed"


def test_the_same_list_twice_changes_nothing(olga, rally):
    text = "name,crew,number\nAna,A,7\n bO ,B,8\n"
    import_entries(by=olga, rally=rally, text=text)
    before = entered(rally)
    plan = plan_entries(by=olga, rally=rally, text=text.replace("A,7", "Another crew,9"))
    assert plan.new == 0
    assert import_entries(by=olga, rally=rally, text=text) == []
    assert entered(rally) == before


def test_every_bad_line_is_named_and_nobody_is_entered(olga, club, rally):
    make_member(club, name="Ana")
    make_member(club, user=make_user("Gus", email="gus@example.org"), roles=[Role.GUEST])
    rallies.enter_for(by=olga, rally=rally, wanted=[rallies.EntryRequest(olga, "Olga", "", 5)])
    lines = [
        "email;name;number",
        "nobody@example.org;;",
        ";Ana;",
        ";Nemo;",
        ";;3",
        "gus@example.org;;",
        "bo@example.org;;5",
        "bo@example.org;;6",
        "cem@example.org;;0",
        "olga@example.org;;7",
        "ana@example.org;;7",
    ]
    with pytest.raises(BadList) as refusal:
        import_entries(by=olga, rally=rally, text="\n".join(lines))
    said = [str(problem) for problem in refusal.value.problems]
    expected = [
        "Line 2, e-mail address: Nobody in the club has this address",
        "Line 3, name: 2 members have this name",
        "Line 4, name: Nobody in the club has this name",
        "Line 5, e-mail address: Give the driver's address or name",
        "Line 6: Gus is not a driver of this club",
        "Line 7, start number: Start number 5 is taken",
        "Line 8: Bo is in line 7 already",
        "Line 9, start number: Start numbers go from 1 to 999",
        "Line 11, start number: Line 10 has this number already",
    ]
    assert len(said) == len(expected)
    assert all(each.startswith(start) for each, start in zip(said, expected, strict=True)), said
    assert Entry.objects.count() == 1


def test_who_may_and_when(olga, club, rally):
    ana = club.memberships.get(user__name="Ana").user
    for act in (plan_entries, import_entries):
        with pytest.raises(Forbidden):
            act(by=ana, rally=rally, text="name\nBo\n")
    import_entries(by=olga, rally=rally, text="name\nBo\n")
    rallies.start_rally(by=olga, rally=rally)
    rally.refresh_from_db()
    for act in (plan_entries, import_entries):
        with pytest.raises(Stale):
            act(by=olga, rally=rally, text="name\nAna\n")
    with pytest.raises(Forbidden):
        season = seasons.create_championship(by=olga, club=club, name="Season")
        import_registrations(by=ana, championship=season, text="name\nAna\n")


def test_a_season_is_registered_with_its_teams_and_numbers_may_go_round(olga, season):
    import_registrations(
        by=olga, championship=season, text="name,class,team,number\nAna,R5,North,1\nBo,R2,north,2\nCem,R5,,3\n"
    )
    assert [team.name for team in season.teams.all()] == ["North"]
    text = "name,class,team,number\nAna,R5,South,2\nBo,R2,North,1\n"
    plan = plan_registrations(by=olga, championship=season, text=text)
    assert plan.new_teams == ("South",)
    import_registrations(by=olga, championship=season, text=text)
    found = Registration.objects.order_by("driver__name").values_list("driver__name", "team__name", "start_number")
    assert list(found) == [("Ana", "South", 2), ("Bo", "North", 1), ("Cem", None, 3)]


def test_a_bad_line_of_a_season_leaves_all_as_it_was(olga, season):
    import_registrations(by=olga, championship=season, text="name,class,number\nAna,R5,1\n")
    with pytest.raises(BadList) as refusal:
        import_registrations(
            by=olga, championship=season, text="name,class,team,number\nBo,R9,New,2\nCem,R5,,1\nAna,R5,,9\n"
        )
    assert [str(each).split(":")[0] for each in refusal.value.problems] == ["Line 2, car class"]
    assert season.teams.count() == 0
    assert Registration.objects.get().start_number == 1


def test_two_organisers_with_the_same_list_enter_everybody_once(transactional_db, olga, club, rally):
    text = "name\nAna\nBo\nCem\n"
    act = lambda: import_entries(by=olga, rally=rally, text=text)  # noqa: E731
    answers = at_once(act, act)
    assert sorted(len(each) for each in answers) == [0, 3]
    assert Entry.objects.count() == 3


def test_by_the_page_a_look_first_then_taken_over(olga, rally):
    desk = signed_in(olga)
    path = f"/rallies/{rally.key}/entries/list/"
    assert path in desk.get(f"/rallies/{rally.key}/desk/").text
    assert desk.get(path).status_code == 200
    file = SimpleUploadedFile("drivers.csv", "\ufeffName;Phone\nAna;1\nBo;2\n".encode())
    look = desk.post(path, {"do": "look", "file": file})
    assert look.status_code == 200
    assert "Enter 2 drivers" in look.text
    assert "Ignored columns: Phone" in look.text
    assert "Name;Phone\r\nAna;1" in look.text or "Name;Phone\nAna;1" in look.text
    unseen = {"do": "take", "file": SimpleUploadedFile("drivers.csv", b"name\nCem\n"), "text": "name\nAna\n"}
    assert "Enter 1 driver" in desk.post(path, unseen).text
    assert not Entry.objects.exists()
    done = desk.post(path, {"do": "take", "text": "Name;Phone\nAna;1\nBo;2\n"}, follow=True)
    assert "2 drivers have been entered." in done.text
    assert Entry.objects.count() == 2


def test_what_is_refused_stays_in_the_form_and_names_its_lines(olga, rally):
    desk, path = signed_in(olga), f"/rallies/{rally.key}/entries/list/"
    text = "name,crew\nAna,A\nNobody <b>here</b>,B\n"
    for do in ("look", "take"):
        page = desk.post(path, {"do": do, "text": text})
        assert page.status_code == 422
        assert "Line 3, name: Nobody in the club has this name" in page.text
        assert "Nobody &lt;b&gt;here&lt;/b&gt;,B" in page.text
    page = desk.post(path, {"do": "take", "file": SimpleUploadedFile("a.csv", "name\nMüller\n".encode("cp1250"))})
    assert page.status_code == 422
    assert "not UTF-8" in page.text
    assert desk.post(path, {"do": "take", "file": SimpleUploadedFile("a.csv", b"n" * 10_000_000)}).status_code == 422
    assert desk.post(path, {"do": "take", "text": "name\nA\x00na\n"}).status_code == 422
    assert desk.post(path, {"do": "take"}).status_code == 422
    assert not Entry.objects.exists()


def test_doors(olga, club, rally, season, client):
    for path in (f"/rallies/{rally.key}/entries/list/", f"/championships/{season.key}/registrations/list/"):
        assert client.get(path).status_code == 302
        assert signed_in(make_user()).get(path).status_code == 404
        assert signed_in(club.memberships.get(user__name="Ana").user).get(path).status_code == 403
        assert signed_in(olga).get(path).status_code == 200


@pytest.mark.parametrize("drivers", [3, 30])
def test_a_look_takes_as_many_queries_for_few_as_for_many(
    olga, club, rally, season, drivers, django_assert_max_num_queries
):
    for number in range(drivers):
        make_member(club, name=f"Driver number {number}")
    text = "name,class\n" + "".join(f"Driver number {number},R5\n" for number in range(drivers))
    with django_assert_max_num_queries(4):
        plan_entries(by=olga, rally=rally, text=text)
    with django_assert_max_num_queries(5):
        plan_registrations(by=olga, championship=season, text=text)


def test_a_list_meets_what_happened_meanwhile(olga, season):
    registering.register(by=olga, championship=season, driver=olga, crew="Olga", car_class="R5", start_number=1)
    with pytest.raises(Refused):
        import_registrations(by=olga, championship=season, text="name,class,number\nAna,R5,1\n")
    assert Registration.objects.count() == 1
