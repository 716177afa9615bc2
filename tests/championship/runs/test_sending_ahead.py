"""Sending a plan before the turn comes, replacing and withdrawing it, and what is refused."""

import pytest
from django.test import Client

from championship.platform.refusals import Stale
from championship.rallies import services as rally_services
from championship.runs.models import Draft, SentAhead
from championship.runs.play import withdraw
from tests.championship.runs.factories import (
    SENT_ORDERS,
    SHORT,
    ahead,
    alert_on,
    all_of,
    careful_turn,
    desk_of,
    lay_draft,
    on_the_road,
    only_plan,
    open_turn,
    play,
    post_ahead,
)
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def test_a_plan_is_laid_on_the_desk_before_the_turn_and_sent_from_there():
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    desk = desk_of(bo)
    assert "Lay your next plan now" in desk.get(run.get_absolute_url()).content.decode()
    assert lay_draft(desk, run, move="1:1.2.r").status_code == 302
    page = desk.get(run.get_absolute_url())
    assert page.context["plan"] == "1:1.2.r"
    assert f'action="/runs/{run.key}/ahead/"' in page.content.decode()
    assert f"/runs/{run.key}/turn/" not in page.content.decode(), "there is no turn to make"
    assert post_ahead(desk, run, plan="1:1.2.r").status_code == 302
    page = desk.get(run.get_absolute_url()).content.decode()
    assert "It is driven as soon as your turn comes, unless" in page
    assert "one by one, stop at 2 warnings" in page
    assert not Draft.objects.exists()


def test_of_two_plans_the_later_one_counts():
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    ahead(run, bo, "1:1.2.l")
    ahead(run, bo, "1:1.2.r")
    assert list(SentAhead.objects.values_list("laid", "state")) == [
        ("1:1.2.l", "withdrawn"),
        ("1:1.2.r", "waiting"),
    ]


def test_a_withdrawn_plan_is_a_draft_again_and_is_not_driven():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    ahead(run, bo)
    assert post_ahead(desk_of(bo), run, do="withdraw").status_code == 302
    assert only_plan(bo).state == SentAhead.State.WITHDRAWN
    draft = Draft.objects.get()
    assert (draft.laid, draft.orders) == (SHORT, SENT_ORDERS)
    while open_turn(run).seat.entry == ana:
        play(run, ana, **careful_turn(run))
    assert open_turn(run).seat.entry == bo
    answer = post_ahead(desk_of(bo), run, do="withdraw")
    assert answer.status_code == 409
    assert "You have no plan that waits" in alert_on(answer)


def test_a_plan_that_was_driven_cannot_be_withdrawn():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    ahead(run, bo)
    while only_plan(bo).state == SentAhead.State.WAITING:
        play(run, ana, **careful_turn(run))
    with pytest.raises(Stale, match="driven already"):
        withdraw(by=bo.driver, run=run)


def test_a_driver_who_is_to_play_cannot_send_a_plan_ahead():
    run, (ana, _bo) = on_the_road("Ana", "Bo")
    lay_draft(desk_of(ana), run, plan=SHORT)
    before = all_of(run)
    answer = post_ahead(desk_of(ana), run)
    assert answer.status_code == 409
    assert "It is your turn already" in alert_on(answer)
    assert answer.context["plan"] == SHORT, "it is on the desk, to be rolled"
    assert all_of(run) == before
    assert not SentAhead.objects.exists()


def test_an_old_page_cannot_send_a_plan():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    play(run, ana, do="lay", plan="1:1.2.l 2:1.3.l", roll="one by one")
    answer = post_ahead(desk_of(bo), run, version=0, stop_at="1", sisu_from="4")
    assert answer.status_code == 409
    assert "The situation has changed" in alert_on(answer)
    assert answer.context["plan"] == SHORT, "the plan is on the desk still"
    assert answer.context["meant"] == ["one by one", "stop at 1 warning", "SISU in gear 4 or more"]
    assert not SentAhead.objects.exists()


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"plan": ""}, "D9"),
        ({"plan": "1:1.2.r 3:1.3.r"}, "D4 Move 2"),
        ({"plan": "nonsense"}, "D3 Move 1"),
        ({"plan": "1:1.2.r " * 80}, ""),
        ({"roll": "flat out"}, "R6"),
        ({"roll": "both"}, ""),
        ({"stop_at": "99"}, ""),
        ({"do": "burn"}, ""),
        ({"version": "x"}, ""),
    ],
)
def test_a_plan_that_could_not_be_driven_is_refused_and_changes_nothing(fields, rule):
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    ahead(run, bo, "1:1.2.l")
    before = all_of(run)
    answer = post_ahead(desk_of(bo), run, **fields)
    assert answer.status_code == 422
    assert alert_on(answer).startswith(rule)
    assert all_of(run) == before
    assert [plan.laid for plan in SentAhead.objects.filter(state="waiting")] == ["1:1.2.l"]


def test_flat_out_may_be_sent_where_the_loss_stays_as_it_was_laid():
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    assert post_ahead(desk_of(bo), run, roll="flat out", as_laid="on").status_code == 302
    assert only_plan(bo).orders == {"roll": "flat out", "as_laid": True}


def test_only_drivers_send():
    run, (_ana, bo) = on_the_road("Ana", "Bo")
    assert post_ahead(signed_in(make_user("Stranger")), run).status_code == 403
    assert post_ahead(signed_in(make_user("Stranger")), run, do="withdraw").status_code == 403
    assert post_ahead(Client(), run).status_code == 302
    assert desk_of(bo).get(f"/runs/{run.key}/ahead/")["Location"] == run.get_absolute_url()
    rally_services.set_driven_by(by=bo.driver, entry=bo, driven_by="codriver")
    assert post_ahead(desk_of(bo), run).status_code == 403
    assert not SentAhead.objects.exists()


def test_nobody_else_sees_the_plan():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    ahead(run, bo)
    for looker in (desk_of(ana), Client()):
        page = looker.get(run.get_absolute_url()).content.decode()
        assert "Your plan sent ahead" not in page
        assert SHORT not in page
