"""Who may post a turn, and when. A refused post changes nothing."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from championship.platform.refusals import Stale
from championship.rallies import services as rally_services
from championship.runs.models import Post, Run
from championship.runs.play import play_turn
from championship.runs.run_pages import DraftShown
from championship.runs.run_pages import get as pages_of
from championship.runs.watch.selectors import run_by_key, run_page
from tests.championship.rallies.factories import organiser_of
from tests.championship.runs.factories import (
    alert_on,
    all_but_the_first_are_home,
    all_of,
    careful_turn,
    desk_of,
    form_of,
    on_the_road,
    play,
    post,
    send,
)
from tests.factories import make_member, make_user, signed_in

pytestmark = pytest.mark.django_db

LEGAL = {"do": "lay", "plan": "1:1.2.l 2:1.3.l", "roll": "one by one"}
TOO_FAST = {"do": "lay", "plan": "1:1.2.l 3:1.3.l", "roll": "one by one"}


def test_a_plan_that_breaks_a_rule_is_shown_again_with_the_rule_and_the_move():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    before = all_of(run)
    answer = post(desk_of(ana), run, **TOO_FAST)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert alert_on(answer).startswith("D4 Move 2: ")
    assert 'value="1:1.2.l 3:1.3.l"' in page, "what was typed is in the form still"
    assert form_of(answer)["version"] == "0", "and the legal part of it may be rolled"
    assert all_of(run) == before


def test_a_plan_in_the_address_that_breaks_a_rule_is_explained_too():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    page = desk_of(ana).get(run.get_absolute_url(), {"plan": TOO_FAST["plan"]})
    assert page.status_code == 422
    assert alert_on(page).startswith("D4 Move 2: ")


def test_a_car_that_cannot_stay_needs_a_plan_with_moves():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    before = all_of(run)
    answer = post(desk_of(ana), run, do="lay", plan="", roll="one by one")
    assert answer.status_code == 422
    assert alert_on(answer).startswith("D9 ")
    assert all_of(run) == before


def test_a_step_that_the_turn_does_not_take_now_is_refused():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    before = all_of(run)
    answer = post(desk_of(ana), run, do="roll")
    assert answer.status_code == 422
    assert "lay" in alert_on(answer)
    assert all_of(run) == before


def test_a_post_from_an_old_page_gets_the_current_page():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, **LEGAL)
    before = all_of(run)
    answer = post(desk_of(ana), run, version=0, **LEGAL)
    assert answer.status_code == 409
    assert "has changed meanwhile" in alert_on(answer)
    assert form_of(answer)["version"] == "1"
    assert 'value="roll"' in answer.content.decode(), "the page shows the step that comes now"
    assert all_of(run) == before


def test_a_post_with_a_future_version_is_refused_too():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    assert post(desk_of(ana), run, version=7, **LEGAL).status_code == 409


def test_a_driver_cannot_make_the_turn_of_another():
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    before = all_of(run)
    answer = post(desk_of(bo), run, **LEGAL)
    assert answer.status_code == 403
    assert alert_on(answer) == "O1 It is not your turn."
    assert all_of(run) == before


def test_the_organiser_and_other_members_do_not_drive():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    before = all_of(run)
    rally = ana.rally
    for user in (organiser_of(rally), make_member(rally.club, name="Zoe"), make_user("Nobody")):
        answer = post(signed_in(user), run, **LEGAL)
        assert answer.status_code == 403
        assert alert_on(answer) == "O1 You do not drive in this run."
    assert all_of(run) == before


def test_a_driver_of_the_other_run_of_the_stage_does_not_drive_here():
    run, _six = on_the_road("A", "B", "C", "D", "E", "F", "G")
    other = Run.objects.get(special_stage=run.special_stage, number=2)
    (seventh,) = [seat.entry for seat in other.seats.select_related("entry__driver")]
    assert post(desk_of(seventh), run, **LEGAL).status_code == 403
    assert post(desk_of(seventh), other, **LEGAL).status_code == 302


def test_a_visitor_comes_back_to_the_stage_after_signing_in():
    run, _drivers = on_the_road("Ana")
    before = all_of(run)
    answer = post(Client(), run, **LEGAL)
    assert answer.status_code == 302
    assert answer["Location"] == f"{reverse('account_login')}?next={run.get_absolute_url()}"
    assert all_of(run) == before


@pytest.mark.parametrize("path", ["/runs/nobody/", "/runs/nobody/log/", "/runs/nobody/turn/", "/runs/%00/"])
def test_an_unknown_run_is_not_found(path):
    ana = signed_in(make_user("Ana"))
    assert ana.get(path).status_code == 404
    if "turn" in path:
        assert ana.post(path, LEGAL).status_code == 404
        assert Client().post(path, LEGAL).status_code == 404


def test_the_address_of_a_refused_form_leads_to_the_stage():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    answer = desk_of(ana).get(f"/runs/{run.key}/turn/", {"plan": "1:1.2.l"}, follow=True)
    assert answer.redirect_chain == [(f"{run.get_absolute_url()}?plan=1%3A1.2.l", 302)]
    assert answer.status_code == 200
    assert desk_of(ana).put(f"/runs/{run.key}/turn/").status_code == 405


def test_the_same_post_twice_plays_once_and_gets_the_same_response():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    first = post(desk, run, version=0, key="once", **LEGAL)
    after = all_of(run)
    second = post(desk, run, version=0, key="once", **LEGAL)
    assert (first.status_code, first["Location"]) == (second.status_code, second["Location"])
    assert first.status_code == 302
    assert all_of(run) == after
    assert Post.objects.filter(run=run).count() == 1


def test_the_same_post_is_recognised_after_others_have_played():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    orders = careful_turn(run)
    assert play_turn(by=ana.driver, run=run, orders=orders, version=0, key="once").played
    run.refresh_from_db()
    again = play_turn(by=ana.driver, run=run, orders=orders, version=0, key="once")
    assert not again.played
    assert again.run.version == run.version


def test_other_orders_under_the_same_key_are_not_taken_for_the_first():
    """The driver goes back in the browser and presses another button of the form that was already sent."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    assert post(desk, run, key="once", **LEGAL).status_code == 302
    before = all_of(run)
    for version in (0, 1):
        answer = post(desk, run, version=version, key="once", do="roll")
        assert answer.status_code == 409
    assert all_of(run) == before


def test_a_key_that_is_too_long_to_store_is_recognised_the_second_time():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    orders, key = careful_turn(run), "k" * 60
    play_turn(by=ana.driver, run=run, orders=orders, version=0, key=key)
    assert not play_turn(by=ana.driver, run=run, orders=orders, version=0, key=key).played


def test_the_same_key_from_two_people_names_two_posts():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    play_turn(by=ana.driver, run=run, orders=careful_turn(run), version=0, key="mine")
    run.refresh_from_db()
    version = run.version
    run, driver = Run.objects.get(), bo.driver
    while run.state["queue"][0] != str(bo.start_number):
        play(run, ana, **careful_turn(run))
        version = run.version
    assert play_turn(by=driver, run=run, orders=careful_turn(run), version=version, key="mine").played
    assert Post.objects.filter(key="mine").count() == 2


def test_while_the_codriver_drives_the_driver_only_watches():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    rally_services.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver")
    before = all_of(run)
    answer = post(desk_of(ana), run, **LEGAL)
    assert answer.status_code == 403
    assert "codriver" in alert_on(answer)
    panel = answer.content.decode().split('id="panel"')[1].split("road-order")[0]
    forms = re.findall(r'<form[^>]* action="([^"]+)"', panel)
    assert [address.rstrip("/").rpartition("/")[2] for address in forms] == ["driven-by"], "the wheel may be taken back"
    assert panel.count("<form") == 1
    assert all_of(run) == before


def test_a_stage_that_is_over_takes_no_posts():
    run, (ana,) = on_the_road("Ana")
    move = all_but_the_first_are_home(run)
    play(run, ana, do="standing", plan=move)
    assert run.status == Run.Status.FINISHED
    before = all_of(run)
    answer = post(desk_of(ana), run, **LEGAL)
    assert answer.status_code == 409
    assert alert_on(answer) == "The stage is over."
    assert all_of(run) == before


def test_a_page_that_is_read_while_a_move_is_made_is_consistent():
    """Bo's page reads the run, Ana's turn is played, then Bo's page reads whose turn it is."""
    run, (ana, bo) = on_the_road("Ana", "Bo")
    read_before = run_by_key(run.key, bo.driver)
    while run.state["queue"][0] != str(bo.start_number):
        play(run, ana, **careful_turn(run))
    page = run_page(read_before, bo.driver)
    assert page.my_turn is None
    assert pages_of("dirt").show(page, DraftShown()).problem == ""
    assert run_page(run_by_key(run.key, bo.driver), bo.driver).my_turn is not None


def test_a_whole_turn_by_the_forms_closes_it_and_opens_the_next():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    assert send(desk_of(ana), run, do="lay", plan="1:1.2.l", roll="one by one").status_code == 302
    assert send(desk_of(ana), run, do="roll").status_code == 302
    run.refresh_from_db()
    first, second = run.turns.order_by("number")
    assert (first.number, first.seat.entry, first.missed) == (1, ana, False)
    assert first.ended_at is not None
    assert second.ended_at is None
    with pytest.raises(Stale):
        play_turn(by=ana.driver, run=run, orders={"do": "roll"}, version=1, key="late")
