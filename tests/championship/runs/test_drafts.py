"""Drafts: stored and checked move by move, and shown on every device on which the driver continues."""

import json
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from championship.platform import clock
from championship.rallies import services as rally_services
from championship.runs.models import Draft, Run
from championship.runs.play import act_on_deadlines, add_move, keep_draft
from championship.runs.play.writing import save_draft
from tests.championship.runs.factories import (
    alert_on,
    all_but_the_first_are_home,
    all_of,
    careful_turn,
    desk_of,
    form_of,
    lay_draft,
    on_the_road,
    open_turn,
    play,
    post,
    put,
    with_luck,
)
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true", "HX-Target": "run"}


def shown_by(page):
    """The `Keeps-Rest` header that the page sends with every post. It names the state that the page shows."""
    return json.loads(re.search(r'id="run"[^>]* hx-headers=\'([^\']*)\'', page.content.decode())[1])["Keeps-Rest"]


def plan_on(page):
    """The plan that the page would roll, or to which it would append a move."""
    found = re.search(r'name="plan" value="([^"]*)"', page.content.decode().split('id="panel"')[1])
    assert found
    return found.group(1)


def typed_on(page):
    return re.search(r'id="typed" value="([^"]*)"', page.content.decode()).group(1)


def stored_drafts(run):
    return list(Draft.objects.filter(run=run).values_list("laid", flat=True))


# Laying -----------------------------------------------------------------------------------------------


def test_a_plan_begun_on_the_phone_is_finished_at_the_desk():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    phone, desk = desk_of(ana), desk_of(ana)
    assert lay_draft(phone, run, move="1:1.2.l").status_code == 302
    page = desk.get(run.get_absolute_url())
    assert plan_on(page) == "1:1.2.l"
    assert lay_draft(desk, run, move="2:1.3.l", plan=plan_on(page)).status_code == 302
    assert plan_on(phone.get(run.get_absolute_url())) == "1:1.2.l 2:1.3.l"
    assert stored_drafts(run) == ["1:1.2.l 2:1.3.l"]


def test_a_page_that_keeps_its_rest_gets_only_the_panel_for_a_draft():
    """The title, the number of waiting turns and everything below the panel do not change while nobody has moved."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk, sent = desk_of(ana), {"version": run.version, "plan": "1:1.2.l"}
    address = f"{run.get_absolute_url()}draft/"
    keeping = {**HTMX, "Keeps-Rest": shown_by(desk.get(run.get_absolute_url()))}
    short = desk.post(address, sent, headers=keeping).content.decode()
    assert '<div id="rest" class="rest" hx-preserve="true"></div>' in short
    assert 'id="happened"' not in short
    assert "Parc Fermé</title>" not in short
    assert 'id="waiting"' not in short
    assert 'id="roll"' in short
    whole = desk.post(address, sent, headers=HTMX).content.decode()
    refused = desk.post(address, sent | {"version": 7}, headers=keeping).content.decode()
    older = desk.post(address, sent, headers=HTMX | {"Keeps-Rest": "true"}).content.decode()
    for page in (whole, refused, older):
        assert 'id="happened"' in page
        assert "Parc Fermé</title>" in page
        assert 'id="waiting"' in page
        assert "hx-preserve" not in page


def test_a_draft_laid_while_others_drove_gets_the_whole_page():
    """The draft is still valid after their moves, but the log, the title and whose turn it is have changed."""
    run, (ana, bo) = on_the_road("Ana", "Bo")
    desk, address = desk_of(bo), f"{run.get_absolute_url()}draft/"
    keeping = {**HTMX, "Keeps-Rest": shown_by(desk.get(run.get_absolute_url()))}
    sent = {"version": run.version, "plan": "1:1.2.r"}
    play(run, ana, do="standing", plan="1:1.2.l", roll="one by one")
    page = desk.post(address, sent, headers=keeping)
    assert page.status_code == 200
    assert "hx-preserve" not in page.content.decode()
    assert 'id="happened"' in page.content.decode()
    assert "<title>" in page.content.decode()
    assert shown_by(page) == shown_by(desk.get(run.get_absolute_url())) != keeping["Keeps-Rest"]


def test_dice_that_are_no_longer_new_stay_on_a_page_that_keeps_its_rest(at):
    run, (ana, bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="standing", plan="1:1.2.l 2:1.3.l", roll="flat out")
    run.refresh_from_db()
    desk, sent = desk_of(bo), {"version": run.version, "plan": "1:1.2.r"}
    page = desk.get(run.get_absolute_url())
    assert page.content.decode().count("data-rolled=") == 1
    at(clock.now() + timedelta(minutes=2))
    keeping = {**HTMX, "Keeps-Rest": shown_by(page)}
    short = desk.post(f"{run.get_absolute_url()}draft/", sent, headers=keeping).content.decode()
    assert "hx-preserve" in short
    assert short.count("data-rolled=") == 1


def test_saving_a_draft_whose_row_was_deleted_raises_an_error():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    draft = keep_draft(by=ana.driver, run=run, plan="1:1.2.l", version=run.version)
    Draft.objects.all().delete()
    with pytest.raises(Draft.DoesNotExist):
        save_draft(draft)


def test_a_move_is_appended_to_the_plan_on_the_page_or_else_to_the_draft():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    lay_draft(desk_of(ana), run, move="1:1.2.l")
    lay_draft(desk_of(ana), run, move="2:1.3.l")
    assert stored_drafts(run) == ["1:1.2.l 2:1.3.l"]
    lay_draft(desk_of(ana), run, move="1:1.2.r", plan="")
    assert stored_drafts(run) == ["1:1.2.r"]


def test_a_die_in_the_middle_is_changed_and_what_still_fits_behind_it_stays():
    run, (first, _second) = on_the_road("Ana", "Bo")
    put(run, first, space="1.3.l", gear=3, started=True)
    browser, address = signed_in(first.driver), run.get_absolute_url()
    laid = "2:2.1.o1 1:2.1.o2 c:3.1.l"

    page = browser.get(address, {"plan": laid, "change": "2"})

    assert plan_on(page) == laid
    offered = re.findall(r'<button name="move" value="([^"]+)"( aria-pressed="true")?', page.content.decode())
    assert ("1:2.1.o2", ' aria-pressed="true"') in offered and ("c:2.1.o2", "") in offered
    form = {"version": run.version, "plan": laid, "change": "2"}
    page = browser.post(f"{address}draft/", {**form, "move": "c:2.1.o2"}, follow=True)
    assert stored_drafts(run) == ["2:2.1.o1 c:2.1.o2 c:3.1.l"]
    assert "taken off" not in page.content.decode()

    form["plan"] = "2:2.1.o1 c:2.1.o2 1:3.1.l"
    page = browser.post(f"{address}draft/", {**form, "move": "1:2.1.o2"}, follow=True)
    assert stored_drafts(run) == ["2:2.1.o1 1:2.1.o2"], "gear die 1 is laid only once"
    assert "Move 3 and what came after it no longer fit, and are taken off: D2" in page.content.decode()

    for change, move in (("2", "6:2.1.o2"), ("9", "c:2.1.o2")):
        refused = browser.post(f"{address}draft/", {**form, "change": change, "move": move})
        assert refused.status_code == 422
    assert stored_drafts(run) == ["2:2.1.o1 1:2.1.o2"]
    assert browser.get(address, {"plan": laid, "change": "99x"}).status_code == 200


def test_taking_back_and_clearing():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    lay_draft(desk, run, plan="1:1.2.l 2:1.3.l")
    lay_draft(desk, run, do="undo")
    assert stored_drafts(run) == ["1:1.2.l"]
    lay_draft(desk, run, do="undo", plan="1:1.2.l 2:1.3.l c:2.1.o1")
    assert stored_drafts(run) == ["1:1.2.l 2:1.3.l"], "the page showed one move more than the draft: a shared plan"
    lay_draft(desk, run, do="clear")
    assert stored_drafts(run) == [""]
    lay_draft(desk, run, do="undo")
    assert stored_drafts(run) == [""]


def test_a_plan_in_the_address_is_shown_and_not_kept():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    lay_draft(desk_of(ana), run, move="1:1.2.l")
    page = desk_of(ana).get(run.get_absolute_url(), {"plan": "1:1.2.r"})
    assert plan_on(page) == "1:1.2.r"
    assert stored_drafts(run) == ["1:1.2.l"]


def test_one_request_lays_a_move_and_brings_the_page():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    answer = lay_draft(desk_of(ana), run, move="1:1.2.l", headers=HTMX)
    assert answer.status_code == 200
    assert plan_on(answer) == "1:1.2.l"
    assert answer["HX-Replace-Url"] == run.get_absolute_url()
    text = answer.content.decode()
    assert "<html" not in text
    assert 'id="waiting"' in text
    assert "<title>" in text
    assert 'id="run"' in text


def test_one_request_rolls_and_brings_the_page():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    lay_draft(desk_of(ana), run, move="1:1.2.l")
    fields = {"version": 0, "key": "tap", "do": "lay", "plan": "1:1.2.l", "roll": "one by one"}
    first, second = (desk_of(ana).post(f"/runs/{run.key}/turn/", fields, headers=HTMX) for _twice in range(2))
    for answer in (first, second):
        assert answer.status_code == 200
        assert 'value="roll"' in answer.content.decode()
        assert form_of(answer)["version"] == "1"
        assert answer["HX-Replace-Url"] == run.get_absolute_url()
    assert run.posts.count() == 1, "a double tap"
    assert "Nothing was played twice" in second.content.decode()
    assert "Nothing was played twice" not in first.content.decode()


def test_after_a_lost_connection_the_same_post_gets_the_current_page():
    """Without JavaScript: the response to the first post was lost, and the driver sends it again."""
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    fields = {"version": 1, "key": "lost", "do": "roll"}
    desk = desk_of(ana)
    desk.post(f"/runs/{run.key}/turn/", fields)
    answer = desk.post(f"/runs/{run.key}/turn/", fields, follow=True)
    assert "Nothing was played twice" in answer.content.decode()
    assert answer.context["facts"]["made"] == 1
    assert 'value="roll"' in answer.content.decode(), "on with the next die"
    assert run.events.filter(kind="roll").count() == 1


def test_coming_back_in_the_browser_brings_a_whole_page():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    page = desk_of(ana).get(run.get_absolute_url(), headers={**HTMX, "HX-History-Restore-Request": "true"})
    assert "<html" in page.content.decode()


# The stage moves on ------------------------------------------------------------------------------------


def test_a_move_that_no_longer_fits_is_named_and_the_draft_is_kept():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    lay_draft(desk_of(ana), run, plan="1:1.2.l 2:1.3.l c:2.1.o1")
    put(run, bo, space="1.3.l", gear=2, started=True)
    page = desk_of(ana).get(run.get_absolute_url())
    assert page.status_code == 200
    assert alert_on(page).startswith("M6 The stage has moved on: move 2 of your draft no longer fits.")
    assert plan_on(page) == "1:1.2.l"
    assert typed_on(page) == "1:1.2.l 2:1.3.l c:2.1.o1", "nothing is lost"
    assert stored_drafts(run) == ["1:1.2.l 2:1.3.l c:2.1.o1"]
    lay_draft(desk_of(ana), run, move="2:1.3.r")
    assert stored_drafts(run) == ["1:1.2.l 2:1.3.r"]


def test_the_draft_is_deleted_with_the_turn_it_was_for():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    lay_draft(desk_of(ana), run, plan="1:1.2.l")
    before = stored_drafts(run)
    assert post(desk_of(ana), run, do="lay", plan="1:1.2.l 3:1.3.l", roll="one by one").status_code == 422
    assert stored_drafts(run) == before
    play(run, ana, **careful_turn(run))
    assert stored_drafts(run) == []


def test_the_draft_is_deleted_too_when_the_clock_drives():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    lay_draft(desk_of(ana), run, plan="1:1.2.l")
    assert act_on_deadlines(now=open_turn(run).deadline) == 1
    assert stored_drafts(run) == []


def test_laying_for_a_turn_that_has_been_played_is_answered_with_the_fresh_page():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    answer = lay_draft(desk_of(ana), run, version=0, move="2:1.3.l", plan="1:1.2.l")
    assert answer.status_code == 409
    assert "has changed meanwhile" in alert_on(answer)
    assert 'value="roll"' in answer.content.decode()
    assert lay_draft(desk_of(ana), run, move="2:1.3.l").status_code == 409, "the dice are rolling"
    assert lay_draft(desk_of(ana), run, version=99, move="2:1.3.l").status_code == 409
    assert stored_drafts(run) == []


def test_dice_laid_again_are_a_draft_as_well():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    orders = {"do": "lay", "plan": "1:1.2.l 2:1.3.l c:2.1.o1 c:2.1.o2", "roll": "flat out"}
    with_luck(run, orders, lambda state: state["turn"] and state["turn"]["rule"] == "R2")
    play(run, ana, **orders)
    assert lay_draft(desk_of(ana), run, plan="1:1.2.r 2:1.3.l").status_code == 302
    assert plan_on_map(desk_of(ana).get(run.get_absolute_url())) == "1:1.2.r 2:1.3.l"
    answer = lay_draft(desk_of(ana), run, move="3:2.1.o1")
    assert answer.status_code == 422
    assert alert_on(answer).startswith("R6 Move 3: ")
    assert stored_drafts(run) == ["1:1.2.r 2:1.3.l"]


def plan_on_map(page):
    return page.context["plan"]


# Tampered, somebody else's, nonsense -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"move": "3:1.3.l"}, "D4 Move 2"),
        ({"move": "2:9.9.l"}, "T2 Move 2"),
        ({"move": "2:1.3.l", "plan": "1:1.2.l 6:1.3.l"}, "D4 Move 2"),
        ({"move": "gear 3"}, "D3 Move 2"),
        ({"plan": "2:1.2.l 2:1.3.l"}, "D2 Move 2"),
        ({"plan": "x:1.2.l"}, "D8 Move 1"),
        ({"move": "2:1.3.l " * 60}, ""),
        ({"plan": "%s {{ x }} \x00"}, ""),
        ({"do": "burn"}, ""),
        ({"move": ""}, ""),
        ({}, ""),
        ({"version": "x", "move": "2:1.3.l"}, ""),
        ({"version": "", "move": "2:1.3.l"}, ""),
    ],
)
def test_a_tampered_move_is_refused_and_the_draft_is_as_it_was(fields, rule):
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    lay_draft(desk_of(ana), run, move="1:1.2.l")
    before = all_of(run)
    answer = lay_draft(desk_of(ana), run, **fields)
    assert answer.status_code == 422
    assert alert_on(answer).startswith(rule)
    assert stored_drafts(run) == ["1:1.2.l"]
    assert all_of(run) == before


def test_only_the_driver_lays():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    stranger = signed_in(make_user("Stranger"))
    assert lay_draft(stranger, run, move="1:1.2.l").status_code == 403
    answer = lay_draft(Client(), run, move="1:1.2.l")
    assert answer["Location"] == f"{reverse('account_login')}?next={run.get_absolute_url()}"
    assert stranger.post("/runs/nobody/draft/", {"move": "1:1.2.l", "version": 0}).status_code == 404
    rally_services.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver")
    assert lay_draft(desk_of(ana), run, move="1:1.2.l").status_code == 403
    assert stored_drafts(run) == []


def test_nobody_sees_what_another_lays():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    lay_draft(desk_of(ana), run, plan="1:1.2.l 2:1.3.l")
    for looker in (desk_of(bo), Client()):
        assert "1:1.2.l 2:1.3.l" not in looker.get(run.get_absolute_url()).content.decode()


def test_a_stage_that_is_over_takes_no_drafts():
    run, (ana,) = on_the_road("Ana")
    play(run, ana, do="standing", plan=all_but_the_first_are_home(run))
    answer = lay_draft(desk_of(ana), run, move="1:1.2.l")
    assert answer.status_code == 409
    assert alert_on(answer) == "The stage is over."


def test_the_address_of_drafts_leads_to_the_stage():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    answer = desk_of(ana).get(f"/runs/{run.key}/draft/", {"plan": "1:1.2.l"})
    assert answer["Location"] == run.get_absolute_url()
    assert desk_of(ana).put(f"/runs/{run.key}/draft/").status_code == 405


# Two tabs ------------------------------------------------------------------------------------------------


def test_of_two_tabs_the_later_one_counts():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    for plan in ("1:1.2.l", "1:1.2.r"):
        assert keep_draft(by=ana.driver, run=run, plan=plan, version=0).laid == plan
    assert add_move(by=ana.driver, run=Run.objects.get(), move="2:1.3.r", version=0).laid == "1:1.2.r 2:1.3.r"
    assert Draft.objects.count() == 1


def test_a_draft_leads_to_a_place_by_name_or_point_and_what_makes_no_sense_changes_nothing():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    desk = desk_of(ana)
    fields = {"version": 0, "plan": ""}
    answer = desk.post(f"{run.get_absolute_url()}draft/", {**fields, "to": "2.1.o2"})
    assert answer.status_code == 302
    laid = Draft.objects.get().laid
    assert laid.split()[-1].endswith(":2.1.o2") and len(laid.split()) > 2
    htmx = {"HX-Request": "true", "HX-Target": "run"}
    for nowhere in ("zzz", "999999,999999", "-1,-1", "1.2.l", "0x1,2", "1e9,3"):
        post = {**fields, "plan": "1:1.2.l", "to": nowhere}
        assert desk.post(f"{run.get_absolute_url()}draft/", post, headers=htmx).status_code == 204, nowhere
        assert Draft.objects.get().laid == laid
    for nonsense in ("a" * 41, "\x00"):
        answer = desk.post(f"{run.get_absolute_url()}draft/", {**fields, "to": nonsense}, headers=htmx)
        assert answer.status_code == 422
        assert Draft.objects.get().laid == laid
