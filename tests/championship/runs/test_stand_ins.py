"""The codriver that stands in for a driver: who chooses it, when it drives, and codrivers as opponents in practice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse

from championship.audit.models import Record
from championship.platform.refusals import Refused
from championship.rallies import services as rallies
from championship.rallies.entries import codrivers
from championship.rallies.models import Rally
from championship.runs.models import Practice, Turn
from championship.runs.play import act_on_deadlines, begin_practice, drive_codrivers, hand_over_wheel
from engine import registry
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.championship.runs.factories import on_the_road
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def address_of(entry: Any) -> str:
    return reverse("rallies:driven_by", args=[entry.rally.key, entry.pk])


def test_a_driver_chooses_the_stand_in_and_nothing_else_changes() -> None:
    [ana] = enter(make_rally(), "Ana")
    client, logged = signed_in(ana.driver), Record.objects.count()
    page = client.get(ana.rally.get_absolute_url()).content.decode()
    assert "Your stand-in: Steady hand" in page
    sent = {"driven_by": "person", "manner": "bold", "stand_in": "yes"}
    assert client.post(address_of(ana), sent).status_code == 302
    ana.refresh_from_db()
    assert (ana.driven_by, ana.manner, Record.objects.count()) == ("person", "bold", logged)
    page = client.get(ana.rally.get_absolute_url()).content.decode()
    assert "Your stand-in: Daredevil" in page and "The stand-in of Ana is chosen." in page
    assert client.post(address_of(ana), {**sent, "manner": "reckless"}).status_code == 422
    ana.refresh_from_db()
    assert ana.manner == "bold"


def test_only_the_driver_and_organisers_choose_it() -> None:
    ana, bo = enter(make_rally(), "Ana", "Bo")
    answer = signed_in(bo.driver).post(address_of(ana), {"driven_by": "person", "manner": "bold", "stand_in": "yes"})
    ana.refresh_from_db()
    assert (answer.status_code, ana.manner) == (403, "")


def test_the_log_names_an_organiser_who_chooses_the_stand_in_of_another() -> None:
    [ana] = enter(make_rally(), "Ana")
    desk = signed_in(organiser_of(ana.rally))
    for _twice in range(2):
        desk.post(address_of(ana), {"driven_by": "person", "manner": "bold", "stand_in": "yes", "from": "desk"})
    told = Record.objects.get(action="stand-in chosen")
    assert (told.actor, told.details["manner"]) == (organiser_of(ana.rally), "bold")


def test_a_stale_form_for_the_stand_in_does_not_take_the_car_back() -> None:
    [ana] = enter(make_rally(), "Ana")
    client = signed_in(ana.driver)
    client.post(address_of(ana), {"driven_by": "codriver", "manner": ""})
    answer = client.post(address_of(ana), {"driven_by": "person", "manner": "bold", "stand_in": "yes"})
    ana.refresh_from_db()
    assert (answer.status_code, ana.driven_by, ana.manner) == (409, "codriver", "")


def test_a_car_that_is_handed_over_and_given_back_keeps_its_stand_in() -> None:
    [ana] = enter(make_rally(), "Ana")
    driver, desk = ana.driver, organiser_of(ana.rally)
    rallies.set_driven_by(by=driver, entry=ana, driven_by="person", manner="bold")
    for who, driven_by, manner, stands_in in (
        (driver, "codriver", "", "bold"),
        (driver, "person", "", "bold"),
        (desk, "codriver", "club", "club"),  # a hand-over may name another one
        (desk, "person", "", "club"),
        (driver, "person", codrivers.usual("dirt"), codrivers.usual("dirt")),  # the usual one has a name as well
    ):
        rallies.set_driven_by(by=who, entry=ana, driven_by=driven_by, manner=manner)
        ana.refresh_from_db()
        assert (ana.driven_by, ana.manner) == (driven_by, stands_in)
    signed_in(driver).post(address_of(ana), {"driven_by": "codriver"})
    signed_in(driver).post(address_of(ana), {"driven_by": "person"})
    ana.refresh_from_db()
    assert (ana.driven_by, ana.manner) == ("person", codrivers.usual("dirt"))


@pytest.mark.parametrize("manner", ["", "bold"])
def test_the_stand_in_drives_when_a_deadline_is_missed(manner: str) -> None:
    run, (ana,) = on_the_road("Ana", stages=("4/1",))
    rules, seat = registry.get(run.game), str(ana.start_number)
    orders = {name: rules.autopilot(run.state, seat, name) for name in ("cautious", "bold")}
    assert orders["cautious"] != orders["bold"]
    rallies.set_driven_by(by=ana.driver, entry=ana, driven_by="person", manner=manner)
    turn = Turn.objects.get(run=run, ended_at=None)
    assert act_on_deadlines(now=turn.deadline + timedelta(minutes=1))
    turn.refresh_from_db()
    assert turn.missed, "it counts as missed, whoever drove"
    assert run.posts.filter(turn=turn).order_by("number")[0].orders == orders[manner or "cautious"]


def test_who_hands_the_wheel_over_without_a_word_has_the_stand_in() -> None:
    run, (ana,) = on_the_road("Ana", stages=("4/1",))
    rallies.set_driven_by(by=ana.driver, entry=ana, driven_by="person", manner="bold")
    orders = registry.get(run.game).autopilot(run.state, str(ana.start_number), "bold")
    hand_over_wheel(by=ana.driver, run=run, how_long="turn", turns_made=0)
    while drive_codrivers(run_id=run.pk):
        pass
    assert run.posts.filter(turn__isnull=False).order_by("number")[0].orders == orders


def test_the_next_rally_of_the_game_begins_with_the_last_stand_in() -> None:
    first = make_rally()
    [ana] = enter(first, "Ana")
    rallies.set_driven_by(by=ana.driver, entry=ana, driven_by="person", manner="club")
    second = Rally.objects.create(
        **{f.attname: getattr(first, f.attname) for f in Rally._meta.concrete_fields if f.attname not in ("id", "key")}
    )
    assert rallies.enter_rally(by=ana.driver, rally=second, crew="Ana").manner == "club"
    Rally.objects.filter(pk=first.pk).update(game="formula_d")
    assert codrivers.last_chosen(ana.driver, second) == ""


def test_the_weakest_comes_first_and_each_says_against_whom_it_wins() -> None:
    shown = codrivers.labelled("dirt")
    assert shown[0][1].startswith("Sunday driver: ") and "“Keen beginner”" in shown[0][1]
    assert ("club", "Club driver") in shown and len(shown) == len(registry.get("dirt").manners)
    assert codrivers.usual("dirt") == "cautious"


def test_practice_is_driven_against_the_codriver_that_one_chooses() -> None:
    ana = make_user("Ana")
    client = signed_in(ana)
    page = client.get("/practice/").content.decode()
    assert page.count('name="opponent"') == 3 and page.index("Sunday driver") < page.index("Club driver")
    sent = {"game": "dirt", "against": "yes", "opponent": "novice"}
    assert client.post("/practice/", sent).status_code == 302
    rally = Practice.objects.get(person=ana, ended_at=None).rally
    rival = rally.entries.exclude(driver=ana).get()
    assert (rival.driven_by, rival.manner, rival.crew) == ("codriver", "novice", "Sunday driver")
    assert client.post("/practice/", {**sent, "opponent": "reckless"}).status_code == 422
    assert Practice.objects.get(person=ana, ended_at=None).rally == rally, "nothing is ended"
    with pytest.raises(Refused):
        begin_practice(by=ana, game="dirt", opponent="reckless")
