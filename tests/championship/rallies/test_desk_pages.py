"""The organiser's desk over HTTP, with good input and bad."""

import re

import pytest
from django.test import Client

from championship.audit.models import Record
from championship.clubs.models import Role
from championship.rallies import services
from championship.rallies.desk.forms import SettingsForm
from championship.rallies.models import Entry, Penalty, Rally
from championship.rallies.services import enter_rally
from championship.stages.services import create_design
from tests.championship.rallies.factories import (
    designs,
    drive,
    enter,
    hand_in,
    make_rally,
    organiser_of,
    stage_of,
    started,
)
from tests.factories import make_club, make_member, make_user, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_listens")]


def settings_typed(**changed: str) -> dict[str, str]:
    """A settings form as a browser sends it: every option at its default."""
    typed = {"name": "Rajd Wisły", "mode": "convoy", "turn_hours": "24", "reminder_hours": "4", "auto_start": "on"}
    for name, field in SettingsForm(game="dirt").fields.items():
        if name.startswith("option_") and field.initial is not False:
            typed[name] = "on" if field.initial is True else str(field.initial)
    return typed | changed


@pytest.fixture
def olga():
    return make_user("Olga Organiser")


@pytest.fixture
def club(olga):
    designs()
    return make_club(owner=olga)


def test_an_organiser_opens_rally_one_of_the_library(olga, club):
    client, address = signed_in(olga), f"/clubs/{club.slug}/rallies/new/"
    page = client.get(address).content.decode()
    assert page.count('name="route"') == 7
    response = client.post(address, settings_typed(route="1", option_sisu="rally"))
    rally = Rally.objects.get()
    assert response.url == f"/rallies/{rally.key}/desk/"
    assert [stage.design.source for stage in rally.stages.all()] == ["1/1", "1/2", "1/3"]
    assert rally.options["sisu"] == "rally"
    assert rally.options["flying_start"] is True


def test_an_organiser_chooses_from_the_start_whether_decisions_are_told_from_chance(olga, club):
    client, address = signed_in(olga), f"/clubs/{club.slug}/rallies/new/"
    assert re.search(r'<input type="checkbox" name="ledgers"[^>]* checked', client.get(address).content.decode())
    client.post(address, settings_typed(route="1", name="Told", ledgers="on"))
    client.post(address, settings_typed(route="1", name="Not told"))
    assert dict(Rally.objects.values_list("name", "ledgers")) == {"Told": True, "Not told": False}
    made = {record.details["name"]: record.details for record in Record.objects.filter(action="rally created")}
    assert made["Not told"]["ledgers"] is False and "ledgers" not in made["Told"]


def test_an_organiser_chooses_stages_of_club_and_library_in_order(olga, club):
    own = create_design(by=olga, club=club, name="Monte Prado", game="dirt", spec=designs("1/2")[0].spec)
    ready = designs("6/1")[0]
    typed = settings_typed(route="own", stage_1=str(ready.pk), stage_3=str(own.pk))
    signed_in(olga).post(f"/clubs/{club.slug}/rallies/new/", typed)
    assert [stage.design for stage in Rally.objects.get().stages.all()] == [ready, own]


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "x" * 500},
        {"name": "two\nlines"},
        {"name": "nul\x00l"},
        {"route": ""},
        {"route": "7"},
        {"route": "own"},
        {"route": "own", "stage_1": "0"},
        {"route": "own", "stage_1": "nonsense"},
        {"route": "1", "stage_1": "LIBRARY"},
        {"mode": "backwards"},
        {"turn_hours": "0"},
        {"turn_hours": "a day"},
        {"turn_hours": "99999999999999999999"},
        {"reminder_hours": "24"},
        {"reminder_hours": "-1"},
        {"option_sisu": "always"},
        {"option_time_card_1": "fast"},
        {"option_time_card_1": "-4"},
        {"option_time_card_1": ""},
    ],
)
def test_nonsense_makes_no_rally_and_is_explained_at_its_field(olga, club, wrong):
    library = str(designs("1/1")[0].pk)
    typed = settings_typed(**{"route": "1", "mode": "open road", **wrong})
    typed = {name: library if text == "LIBRARY" else text for name, text in typed.items()}
    response = signed_in(olga).post(f"/clubs/{club.slug}/rallies/new/", typed)
    page = response.content.decode()
    assert response.status_code == 422
    assert 'class="errors"' in page
    if "name" not in wrong:
        assert "Rajd Wisły" in page
    assert not Rally.objects.exists()


def test_duplicate_dice_in_a_convoy_are_refused_beside_the_option_and_kept(olga, club):
    client, address = signed_in(olga), f"/clubs/{club.slug}/rallies/new/"
    typed = settings_typed(route="1", option_dice="duplicate")
    refused = client.post(address, typed)
    page = " ".join(refused.content.decode().split())
    assert refused.status_code == 422
    assert "duplicate dice need every car alone" in page
    assert '<option value="duplicate" selected>' in page
    assert not Rally.objects.exists()
    assert client.post(address, typed | {"mode": "open road"}).status_code == 302
    options = f"/rallies/{Rally.objects.get().key}/desk/options/"
    assert client.post(options, settings_typed(option_dice="duplicate")).status_code == 422
    assert Rally.objects.get().mode == "open road"


def test_another_clubs_stage_cannot_be_chosen(olga, club):
    rita = make_user("Rita")
    theirs = create_design(
        by=rita, club=make_club(owner=rita, name="Rivals"), name="Theirs", game="dirt", spec=designs("1/2")[0].spec
    )
    client = signed_in(olga)
    assert "Theirs" not in client.get(f"/clubs/{club.slug}/rallies/new/").content.decode()
    typed = settings_typed(route="own", stage_1=str(theirs.pk))
    assert client.post(f"/clubs/{club.slug}/rallies/new/", typed).status_code == 422


def test_the_desk_says_what_is_next_from_the_first_entry_to_the_podium():
    rally = make_rally(stages=("1/1", "1/3"), auto_start=False)
    client, desk = signed_in(organiser_of(rally)), f"/rallies/{rally.key}/desk/"

    def says(text: str) -> None:
        assert text in client.get(desk).content.decode()

    def press(act: str, **typed: int) -> None:
        response = client.post(f"{desk}{act}/", typed)
        assert (response.status_code, response.url) == (302, desk)

    says("Send your drivers the link")
    drivers = [make_member(rally.club, name=name) for name in ("Ana", "Bo")]
    entries = [enter_rally(by=driver, rally=rally, crew=driver.name) for driver in drivers]
    says("2 entries to confirm")
    press("confirm-all")
    says("2 entries are confirmed; draw the start list")
    press("draw")
    says("Start stage 1")
    press("start")
    says("Stage 1 is on the road: 0 of 2 cars are in")
    drive(rally, 1, {entries[0]: 200})
    says("Stage 1 is on the road: 1 of 2 cars is in")
    assert "1 of 2 cars is in." in client.get(f"/rallies/{rally.key}/").content.decode()
    drive(rally, 1, {entries[1]: 210})
    hand_in(rally, 1, Entry.objects.get(pk=entries[0].pk))
    says("1 of 2 time-control cards is in")
    assert "1 of 2 time-control cards is in, until" in client.get(f"/rallies/{rally.key}/").content.decode()
    press("close-time-control", stage=1)
    says("Start stage 2")
    press("next-stage", stage=2)
    drive(rally, 2, {entries[0]: 200, entries[1]: 210})
    says("The rally is over")


def test_a_button_pressed_on_a_stale_desk_is_409_with_the_fresh_desk():
    rally, entries = started("Ana", "Bo")
    client = signed_in(organiser_of(rally))
    for act in ("start", "draw", "confirm-all"):
        response = client.post(f"/rallies/{rally.key}/desk/{act}/")
        assert response.status_code == 409
        assert "has started already" in response.content.decode()
        assert "Stage 1 is on the road" in response.content.decode()
    drive(rally, 1, dict.fromkeys(entries, 200))
    services.close_time_control(by=organiser_of(rally), special_stage=stage_of(rally, 1))
    assert client.post(f"/rallies/{rally.key}/desk/close-time-control/", {"stage": 1}).status_code == 409


def test_a_rally_without_entries_cannot_start():
    rally = make_rally()
    response = signed_in(organiser_of(rally)).post(f"/rallies/{rally.key}/desk/start/")
    assert response.status_code == 422
    assert "At least one confirmed entry is needed." in response.content.decode()
    rally.refresh_from_db()
    assert rally.status == Rally.Status.ENTRIES


@pytest.mark.parametrize("stage", ["", "x", "-1", "99", "9" * 40, "٣"])
def test_nonsense_for_a_stage_number_is_404_or_refused(stage):
    rally, _entries = started("Ana")
    client = signed_in(organiser_of(rally))
    assert client.post(f"/rallies/{rally.key}/desk/close-time-control/", {"stage": stage}).status_code in (404, 409)
    assert client.post(f"/rallies/{rally.key}/desk/next-stage/", {"stage": stage}).status_code == 409
    assert client.post(f"/rallies/{rally.key}/desk/no-such-act/").status_code == 404
    assert client.get(f"/rallies/{rally.key}/desk/start/").status_code == 405


def test_entries_are_confirmed_refused_and_handed_over_one_by_one():
    rally = make_rally()
    client = signed_in(organiser_of(rally))
    ana, bo = (enter_rally(by=make_member(rally.club, name=name), rally=rally, crew=name) for name in ("Ana", "Bo"))
    client.post(f"/rallies/{rally.key}/entries/{ana.pk}/confirm/", {"start_number": "7"})
    client.post(f"/rallies/{rally.key}/entries/{ana.pk}/driven-by/", {"driven_by": "codriver", "from": "desk"})
    client.post(f"/rallies/{rally.key}/entries/{bo.pk}/refuse/")
    ana.refresh_from_db()
    bo.refresh_from_db()
    assert (ana.status, ana.start_number, ana.driven_by) == ("confirmed", 7, "codriver")
    assert bo.status == "refused"


@pytest.mark.parametrize("number", ["1", "0", "1000", "seven", "9" * 30])
def test_a_wrong_start_number_is_422_beside_the_entry_and_kept(number):
    rally = make_rally()
    enter(rally, "Ana")
    bo = enter_rally(by=make_member(rally.club, name="Bo"), rally=rally, crew="Bo")
    client = signed_in(organiser_of(rally))
    response = client.post(f"/rallies/{rally.key}/entries/{bo.pk}/confirm/", {"start_number": number})
    page = response.content.decode()
    assert response.status_code == 422
    assert f'value="{number}"' in page
    assert 'class="errors"' in page
    bo.refresh_from_db()
    assert bo.status == "requested"


def test_options_are_changed_before_the_start_and_are_409_afterwards():
    rally = make_rally()
    client, address = signed_in(organiser_of(rally)), f"/rallies/{rally.key}/desk/options/"
    assert 'value="Rajd Wisły"' in client.get(address).content.decode()
    typed = settings_typed(name="Rajd Odry", turn_hours="48")
    typed.pop("option_checkpoints")
    assert client.post(address, typed).status_code == 302
    rally.refresh_from_db()
    assert (rally.name, rally.turn_hours, rally.options["checkpoints"]) == ("Rajd Odry", 48, False)
    refused = client.post(address, typed | {"turn_hours": "never", "name": "Kept"})
    assert refused.status_code == 422
    assert 'value="Kept"' in refused.content.decode()

    enter(rally, "Ana")
    services.start_rally(by=organiser_of(rally), rally=rally)
    late = client.post(address, typed | {"name": "Too late"})
    assert late.status_code == 409
    rally.refresh_from_db()
    assert rally.name == "Rajd Odry"


def test_a_steward_gives_a_penalty_with_a_reason():
    rally, (ana, *_rest) = started("Ana", "Bo")
    steward = signed_in(make_member(rally.club, roles=[Role.STEWARD]))
    address = f"/rallies/{rally.key}/desk/penalty/"
    assert address in steward.get(f"/rallies/{rally.key}/").content.decode()
    assert address not in signed_in(ana.driver).get(f"/rallies/{rally.key}/").content.decode()
    typed = {"entry": str(ana.pk), "special_stage": "", "amount": "10", "reason": "Jump start"}
    assert steward.post(address, typed).status_code == 302
    for wrong in ({"entry": "0"}, {"amount": "0"}, {"amount": "x"}, {"reason": ""}, {"special_stage": "999"}):
        assert steward.post(address, typed | wrong).status_code == 422, wrong
    assert Penalty.objects.get().amount == 10


def test_drivers_get_403_strangers_404_and_visitors_the_sign_in_page():
    rally, (ana, bo) = started("Ana", "Bo")
    pages = ["desk/", "desk/options/", "desk/penalty/"]
    acts = [f"desk/{act}/" for act in ("confirm-all", "draw", "start", "next-stage", "close-time-control", "cancel")]
    acts += [f"entries/{ana.pk}/{act}/" for act in ("confirm", "refuse")]
    stranger = signed_in(make_user("Stranger"))
    for page in pages:
        assert signed_in(bo.driver).get(f"/rallies/{rally.key}/{page}").status_code == 403, page
        assert stranger.get(f"/rallies/{rally.key}/{page}").status_code == 404, page
        assert Client().get(f"/rallies/{rally.key}/{page}").status_code == 302, page
    for act in acts:
        assert signed_in(bo.driver).post(f"/rallies/{rally.key}/{act}").status_code == 403, act
        assert stranger.post(f"/rallies/{rally.key}/{act}").status_code == 404, act
        assert Client().post(f"/rallies/{rally.key}/{act}").status_code == 302, act
    assert stranger.get(f"/clubs/{rally.club.slug}/rallies/new/").status_code == 404
    assert signed_in(bo.driver).get(f"/clubs/{rally.club.slug}/rallies/new/").status_code == 403


def test_an_entry_of_another_rally_is_404_at_this_desk():
    mine, theirs = make_rally(), make_rally()
    (ana,) = enter(theirs, "Ana")
    client = signed_in(organiser_of(mine))
    for act in ("confirm", "refuse", "withdraw", "driven-by"):
        assert client.post(f"/rallies/{mine.key}/entries/{ana.pk}/{act}/").status_code == 404
        assert client.post(f"/rallies/{mine.key}/entries/{10**30}/{act}/").status_code == 404


def test_an_act_on_several_entries_leaves_out_alone_what_is_refused():
    rally = make_rally()
    olga = signed_in(organiser_of(rally))
    ana, bo, cem = (
        services.enter_rally(by=make_member(rally.club, name=name), rally=rally, crew=name) for name in "ABC"
    )
    act = f"/rallies/{rally.key}/desk/entries/"
    assert olga.post(act, {"do": "confirm", "entry": [ana.pk, bo.pk]}).status_code == 302
    services.withdraw_entry(by=bo.driver, entry=bo)
    answer = olga.post(act, {"do": "confirm", "entry": [bo.pk, cem.pk, "x", "9" * 30]})
    assert answer.status_code == 422
    assert "B has withdrawn." in answer.content.decode() and "Done for 1 entry." in answer.content.decode()
    assert [Entry.objects.get(pk=each.pk).status for each in (ana, bo, cem)] == ["confirmed", "withdrawn", "confirmed"]
    olga.post(act, {"do": "codriver", "entry": [ana.pk, cem.pk]})
    assert set(rally.entries.filter(driven_by="codriver")) == {ana, cem}
    for nothing in ({"do": "confirm"}, {"do": "fly", "entry": [ana.pk]}, {"entry": [ana.pk]}):
        assert olga.post(act, nothing).status_code == 422
    elsewhere = Entry.objects.get(pk=enter(make_rally(name="Elsewhere"), "D")[0].pk)
    assert olga.post(act, {"do": "refuse", "entry": [elsewhere.pk]}).status_code == 422
    elsewhere.refresh_from_db()
    assert elsewhere.status == "confirmed"
    assert signed_in(ana.driver).post(act, {"do": "refuse", "entry": [ana.pk]}).status_code == 403
