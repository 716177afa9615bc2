"""A season driven on paper is imported: finished rounds, which count in tables and records."""

from datetime import UTC, datetime

import pytest

from championship.accounts.models import User
from championship.archive.csv_reading import BadList
from championship.archive.services import person_matching
from championship.archive.services.result_import import (
    delete_imported_round,
    import_results,
    preview_results,
)
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.models import Entry, Rally, StageTime
from championship.rallies.results.selectors import results_of
from championship.rallies.results.sheet import sheets_of
from championship.seasons import services as seasons
from championship.seasons.models import Registration
from championship.seasons.selectors import table
from championship.seasons.services import registering
from championship.stages.services import create_design, load_library
from championship.stewards import services as stewards
from engine import registry
from tests.championship.rallies.factories import retirement_second, started
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

LIST = """\
rally;date;stages;name;class;place;time 1;time 2
Rajd Wisły;2025-03-14;R1/1 R1/2;Ana;R5;1;3:25;4:01
Rajd Wisły;;;Bo;R2;3;3:31;ret
Rajd Wisły;14.03.2025;;Zed Nobody;R5;2.;210;241
Rallye Harz;11.04.2025;R1/3;bo;R2;;1:02:03;
Rallye Harz;;;Ana;R5;;ret 4000;
"""
# Bo's retirement costs, by rule E7, the slowest time and a minute; and for Wisły as below.


@pytest.fixture
def olga():
    load_library()
    return make_user("Olga")


@pytest.fixture
def club(olga):
    club = make_club(name="Wiking", owner=olga)
    for name in ("Ana", "Bo"):
        make_member(club, name=name)
    return club


@pytest.fixture
def season(olga, club):
    return seasons.create_championship(by=olga, club=club, name="2025", classes=["R5", "R2"], points=[10, 6, 4])


def import_list(by, season, text=LIST, *, names_only=True):
    return import_results(by=by, championship=season, text=text, names_only=names_only)


def errors_of(by, season, text, **how) -> list[str]:
    before = (Rally.objects.count(), User.objects.count(), Entry.objects.count())
    with pytest.raises(BadList) as refusal:
        import_list(by, season, text, **how)
    assert (Rally.objects.count(), User.objects.count(), Entry.objects.count()) == before
    return [str(problem) for problem in refusal.value.problems]


def standing(season) -> list[tuple[int, str, int]]:
    return [(line.place, str(line.who), line.total) for line in table(season).drivers]


def test_rounds_count_in_the_table_as_if_driven_here(olga, season):
    brought = import_list(olga, season)

    assert [(each.name, each.stages) for each in brought.rallies] == [("Rajd Wisły", 2), ("Rallye Harz", 1)]
    wisla, harz = Rally.objects.order_by("created_at")
    assert (wisla.status, wisla.finished_at) == ("finished", datetime(2025, 3, 14, 12, tzinfo=UTC))
    slowest = 241 + retirement_second()
    assert [(line.place, line.entry.crew, line.total, line.retired_on) for line in results_of(wisla).overall] == [
        (1, "Ana", 205 + 241, ()),
        (2, "Zed Nobody", 210 + 241, ()),
        (3, "Bo", 211 + slowest, (2,)),
    ]
    assert [(line.entry.crew, line.total) for line in results_of(harz).overall] == [("Bo", 3723), ("Ana", 4000)]
    assert standing(season) == [(1, "Ana", 16), (2, "Bo", 14), (3, "Zed Nobody", 6)]
    assert [line.total for line in table(season).classes["R2"]] == [20]
    assert {each.action for each in audit.of_club(season.club_id)} >= {"past rally recorded", "round added"}


def test_a_preview_shows_the_result_and_writes_nothing(olga, season):
    seen = preview_results(by=olga, championship=season, text=LIST, names_only=True)
    assert (seen.new, seen.names) == (2, ("Zed Nobody",))
    assert [line.entry.crew for line in seen.rallies[0].lines] == ["Ana", "Zed Nobody", "Bo"]
    assert not Rally.objects.exists()
    assert not User.objects.filter(is_active=False).exists()


def test_a_person_outside_the_club_is_one_guest_name_and_only_if_chosen(olga, season):
    (said,) = errors_of(olga, season, LIST, names_only=False)
    assert said.startswith("Line 4, name: Nobody in the club has this name. Correct it, or tick")
    import_list(olga, season)
    more = "rally;date;stages;name;class;time 1\nThird;2025-05-01;R2/1;zed nobody;R5;200\n"
    import_list(olga, season, more, names_only=False)
    zed = User.objects.get(name="Zed Nobody")
    assert (zed.entries.count(), zed.is_active, zed.takes_no_mail) == (2, False, True)
    assert not zed.has_usable_password()


def test_every_bad_line_is_named_and_nothing_is_brought(olga, club, season, at):
    at("2026-11-30T23:59")  # the day before that of "Five"
    make_member(club, name="Ana")
    text = """\
rally;date;stages;email;name;class;number;place;time 1;time 2
One;2025-02-30;R1/1;;Bo;R5;;;3:25;
Two;2025-03-01;R9/9;;Bo;R5;;;3:25;
Three;2025-03-01;R1/1 R1/2;;Bo;R5;7;;3:75;4:00
Three;2025-03-02;R1/1;;Olga;R9;7;;4;x
Four;2025-03-01;R1/1;;Ana;R5;;;200;
Four;;;who@example.org;;R5;;;200;
Four;;;;Bo;R5;;;200;300
Four;;;;bo;R5;;;;
Five;2026-12-01;R1/1;;Bo;R5;;;200;
Six;2025-03-01;;;Bo;R5;;;200;
"""
    said = [each.split(":")[0] for each in errors_of(olga, season, text)]
    assert said == [
        "Line 2, date",
        "Line 3, stages",
        "Line 4, time 1",
        "Line 5, date", "Line 5, stages", "Line 5, start number", "Line 5, time 2", "Line 5, car class",
        "Line 6, name",
        "Line 7, e-mail address",
        "Line 8, time 2",
        "Line 9, time 1", "Line 9",
        "Line 10, date",
        "Line 11, stages",
    ], said  # fmt: skip


def test_today_is_the_organisers_today_and_no_result_is_of_a_moment_to_come(olga, season, at):
    """10:30 in UTC: on Kiritimati the new year has begun."""
    now = at("2026-12-31T10:30")
    text = LIST.replace("2025-03-14", "2027-01-01").replace("14.03.2025", "1.1.2027")
    assert errors_of(olga, season, text) == ["Line 2, date: This day is in the future."]
    olga.time_zone = "Pacific/Kiritimati"
    olga.save()
    import_list(olga, season, text)
    assert Rally.objects.get(name="Rajd Wisły").finished_at == now


def test_places_that_do_not_follow_from_the_times_are_named(olga, season):
    wrong = LIST.replace("Ana;R5;1;3:25", "Ana;R5;2;3:25")
    assert errors_of(olga, season, wrong) == ["Line 2, place: According to the results, this is place 1."]


def test_the_same_list_twice_is_refused(olga, season):
    import_list(olga, season)
    said = errors_of(olga, season, LIST)
    assert said[0] == "Line 2, rally: There is a round of that name already."
    assert season.rounds.count() == 2


def test_headings_of_a_german_list_own_stages_and_a_whole_ready_made_rally(olga, club, season):
    spec = registry.get("dirt").library()["4/1"]
    create_design(by=olga, club=club, name="Hinter der Mühle", game="dirt", spec=spec)
    text = "Rallye\tDatum\tPrüfungen\tFahrer\tKlasse\tZeit 1\tZeit 2\tZeit 3\tZeit 4\n"
    text += "Harz\t1.5.2025\tR1 | hinter der mühle\tAna\tR5\t100\t101\t102\tausf.\n"
    import_list(olga, season, text)
    rally = Rally.objects.get()
    assert [stage.name for stage in rally.stages.order_by("number")] == ["", "", "", "Hinter der Mühle"]
    assert StageTime.objects.filter(retired=True).count() == 1


def test_pages_of_a_rally_on_paper_show_what_is_known(olga, club, season, client):
    import_list(olga, season)
    rally = Rally.objects.get(name="Rajd Wisły")
    owner = signed_in(olga)
    for page, reader in {**dict.fromkeys(("", "stages/1/", "sheet/", "podium/"), client), "stewards/": owner}.items():
        answer = reader.get(f"/rallies/{rally.key}/{page}")
        assert answer.status_code == 200, page
        assert "Driven on paper" in answer.text, page
    (sheet,) = sheets_of(results_of(rally))
    cars = [cell for row in sheet.rows if row.kind in ("counts", "tick") for cell in row.cells]
    assert {(cell.text, cell.yes) for cell in cars} == {("", None)}, "nobody knows the damage: the boxes stay empty"
    assert owner.get(f"/rallies/{rally.key}/desk/").status_code == 200
    for name in ("Ana", "Zed Nobody"):
        record = owner.get(f"/clubs/wiking/drivers/{User.objects.get(name=name).pk}/")
        assert record.status_code == 200
        assert "Rajd Wisły" in record.text
    assert client.get(season.get_absolute_url()).status_code == 200


def test_a_name_becomes_a_member_with_all_its_results(olga, club, season):
    import_list(olga, season)
    zed, new = User.objects.get(name="Zed Nobody"), make_member(club, name="Zoe")
    owner = signed_in(olga)
    path = "/clubs/wiking/names/"
    page = owner.post(path, {"person": zed.pk, "member": User.objects.get(name="Ana").pk})
    assert page.status_code == 422
    assert "Ana drove in Rajd Wisły as well" in page.text
    assert owner.post(path, {"person": zed.pk, "member": make_user().pk}).status_code == 422
    assert owner.post(path, {"person": olga.pk, "member": new.pk}).status_code == 404
    assert owner.post(path, {"person": "x", "member": new.pk}).status_code == 404

    assert owner.post(path, {"person": zed.pk, "member": new.pk}).status_code == 302

    assert standing(season) == [(1, "Ana", 16), (2, "Bo", 14), (3, "Zoe", 6)]
    assert list(zed.entries.all()) == []
    assert audit.of_club(club.pk)[0].action == "results given"
    with pytest.raises(Forbidden):
        person_matching.give_to_member(by=new, club=club, person=zed, member=new)


def test_a_member_has_class_and_team_of_their_name_too_unless_registered_already(olga, club, season):
    import_list(olga, season)
    zed, new = User.objects.get(name="Zed Nobody"), make_member(club, name="Zoe")
    (north,) = registering.name_teams(by=olga, championship=season, names=["North"])
    other = seasons.create_championship(by=olga, club=club, name="Other")
    for championship, team in ((season, north), (other, None)):  # as after a restore, of a person who had left
        Registration.objects.create(championship=championship, driver=zed, crew="Zed", car_class="R5", team=team)
    registering.register(by=olga, championship=other, driver=new, crew="Zoe")

    person_matching.give_to_member(by=olga, club=club, person=zed, member=new)

    assert new.registrations.get(championship=season).team == north
    assert new.registrations.get(championship=other).crew == "Zoe"
    assert zed.registrations.get().championship == other


def test_a_round_is_taken_out_again_unless_it_was_driven_here_or_judged(olga, club, season):
    import_list(olga, season)
    first, second = season.rounds.order_by("number")
    delete_imported_round(by=olga, round=first)
    assert [(each.number, each.rally.name) for each in season.rounds.all()] == [(1, "Rallye Harz")]
    with pytest.raises(Stale):
        delete_imported_round(by=olga, round=first)
    assert "past rally removed" in {each.action for each in audit.of_club(club.pk)}
    sten = make_member(club, name="Sten", roles=[Role.STEWARD])
    entry = second.rally.entries.first()
    stewards.decide(by=sten, rally=second.rally, kind="reprimand", text="Late.", entry=entry)
    with pytest.raises(Refused, match="Officials have taken decisions"):
        delete_imported_round(by=olga, round=season.rounds.get())
    driven, _entries = started("Cem", by=olga, club=club, stages=("1/3",))
    here = seasons.add_round(by=olga, championship=season, rally=driven)
    with pytest.raises(Refused, match="driven here"):
        delete_imported_round(by=olga, round=here)
    assert season.rounds.count() == 2


def test_by_the_page(olga, club, season, client):
    path = f"/championships/{season.key}/past/"
    assert client.get(path).status_code == 302
    assert signed_in(User.objects.get(name="Ana")).get(path).status_code == 403
    owner = signed_in(olga)
    assert path in owner.get(season.get_absolute_url()).text
    look = owner.post(path, {"do": "look", "text": LIST, "names_only": "on"})
    assert "Import 2 rallies" in look.text
    assert "Kept as names: Zed Nobody" in look.text
    refused = owner.post(path, {"do": "take", "text": LIST})
    assert (refused.status_code, Rally.objects.count()) == (422, 0)
    assert "Zed Nobody;R5" in refused.text
    done = owner.post(path, {"do": "take", "text": LIST, "names_only": "on"}, follow=True)
    assert "2 rounds are imported." in done.text
    assert "Remove Rajd Wisły" in owner.get(path).text
    wisla, harz = (each.rally.key for each in season.rounds.order_by("number"))
    assert signed_in(User.objects.get(name="Bo")).post(f"{path}{wisla}/remove/").status_code == 403
    assert "Rajd Wisły is removed." in owner.post(f"{path}{wisla}/remove/", follow=True).text
    assert owner.post(f"{path}{wisla}/remove/").status_code == 404, "pressed twice it takes nothing else out"
    assert [each.rally.key for each in season.rounds.all()] == [harz]


@pytest.mark.parametrize("drivers", [3, 30])
def test_pages_take_as_many_queries_for_few_as_for_many(olga, club, season, drivers, django_assert_max_num_queries):
    lines = "".join(f"Big;;;Nobody {number};R5;{200 + number}\n" for number in range(drivers))
    import_list(olga, season, "rally;date;stages;name;class;time 1\nBig;2025-03-14;R1/1;Ana;R5;190\n" + lines)
    owner = signed_in(olga)
    with django_assert_max_num_queries(12):
        assert owner.get("/clubs/wiking/names/").status_code == 200
    with django_assert_max_num_queries(12):
        assert owner.get(f"/championships/{season.key}/past/").status_code == 200
