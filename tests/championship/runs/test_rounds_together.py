"""Rounds together: one deadline for all cars of a round, orders carried out in road order (T1 to T4)."""

from datetime import timedelta

import pytest

from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies import services as rally_services
from championship.rallies.models import Rally
from championship.runs.models import Run, SentAhead, Turn
from championship.runs.play import act_on_deadlines, drive_codrivers, nudge, rebuild
from championship.runs.watch.page_versions import waiting_turns_of
from championship.runs.watch.selectors import turns_waiting_for
from engine import registry
from tests.championship.rallies.factories import make_rally, organiser_of
from tests.championship.runs.factories import ahead, desk_of, on_the_road, play
from tests.factories import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at")]

HOUR = timedelta(hours=1)
TOGETHER = {"rounds_together": True}


def open_turns(run):
    """The open turns by the car's place in the starting order."""
    return {turn.seat.position: turn for turn in run.turns.filter(ended_at=None).select_related("seat__entry")}


def all_started(*names, **how):
    """A run in whose next round every car drives; its entries in starting order."""
    run, entries = on_the_road(*names, timekeeping={**TOGETHER, **how})
    for started in range(1, len(entries)):
        assert len(open_turns(run)) == started, "who has not started yet is not asked for orders"
        for entry in entries[:started]:
            whole_turn(run, entry)
    Notice.objects.all().delete()
    return run, entries


def whole_turn(run, entry):
    """The driver makes a careful turn, step by step."""
    run.refresh_from_db()
    rules, seat = registry.get(run.game), str(entry.start_number)
    made = rules.turns_made(run.state, seat)
    while run.status == Run.Status.RUNNING and rules.turns_made(run.state, seat) == made:
        play(run, entry, **rules.autopilot(run.state, seat))


def test_all_cars_of_a_round_have_one_deadline_and_the_next_round_another(at):
    run, (ana, bo, cy) = all_started("Ana", "Bo", "Cy")
    first = open_turns(run)
    assert {name: turn.to_come for name, turn in first.items()} == {1: False, 2: True, 3: True}
    assert len({turn.deadline for turn in first.values()}) == 1
    assert [list(turns_waiting_for(entry.driver)) for entry in (ana, bo, cy)] == [[one] for one in first.values()]
    assert "A round has begun" in desk_of(bo).get(run.get_absolute_url()).content.decode()

    at(clock.now() + 5 * HOUR)
    assert waiting_turns_of(cy.driver_id).waiting == 1
    ahead(run, cy)
    assert not turns_waiting_for(cy.driver), "orders are in"
    assert waiting_turns_of(cy.driver_id).waiting == 0
    assert "are in" in desk_of(cy).get(run.get_absolute_url()).content.decode()
    board = signed_in(organiser_of(ana.rally)).get(f"/rallies/{ana.rally.key}/desk/runs/").content.decode()
    assert "orders sent" in board
    assert "orders to come" in board
    whole_turn(run, ana)
    assert {name: turn.to_come for name, turn in open_turns(run).items()} == {2: False, 3: True}
    at(clock.now() + 5 * HOUR)
    whole_turn(run, bo)

    second = open_turns(run)
    assert SentAhead.objects.get(seat__entry=cy).state == SentAhead.State.DRIVEN
    assert len(second) == 3, "a round begins when the last car has driven"
    assert {turn.since for turn in second.values()} == {clock.now()}
    assert run.turns.filter(ended_at=None, to_come=False).count() == 1
    assert rebuild(run=run) == run.state


def test_at_the_deadline_the_whole_round_is_driven_in_road_order(at):
    run, entries = all_started("Ana", "Bo", "Cy", miss_penalty=10)
    ahead(run, entries[2])
    of_the_round = [turn.pk for turn in open_turns(run).values()]
    at(open_turns(run)[1].deadline)
    assert act_on_deadlines(now=clock.now()) == 1, "only who is to play is due"
    while drive_codrivers(run_id=run.pk):
        pass
    made = run.turns.filter(pk__in=of_the_round).order_by("posts__number").values_list("seat__position", "missed")
    assert list(dict.fromkeys(made)) == [(1, True), (2, True), (3, False)]
    assert {turn.since for turn in open_turns(run).values()} == {clock.now()}
    assert act_on_deadlines(now=clock.now()) == 0


def test_orders_that_a_car_ahead_made_impossible_cost_nothing_at_the_deadline(at):
    run, (ana, bo) = all_started("Ana", "Bo", miss_penalty=10)
    plan = ahead(run, bo)
    SentAhead.objects.filter(pk=plan.pk).update(outlook={**plan.outlook, "car": {}})
    whole_turn(run, ana)
    turn = open_turns(run)[2]
    assert (turn.to_come, turn.sent_in_time) == (False, True)
    assert list(turns_waiting_for(bo.driver)) == [turn], "there is time to send others"
    at(clock.now() + HOUR)
    nudge(by=organiser_of(ana.rally), turn=turn)
    rally_services.pause_rally(by=organiser_of(ana.rally), rally=ana.rally, reason="Storm")
    at(clock.now() + HOUR)
    rally_services.resume_rally(by=organiser_of(ana.rally), rally=ana.rally)
    at(turn.deadline)
    assert act_on_deadlines(now=clock.now()) == 0, "the pause is given back"
    turn.refresh_from_db()
    at(turn.deadline)
    assert act_on_deadlines(now=clock.now()) == 1
    turn.refresh_from_db()
    assert (turn.missed, turn.done, turn.owed) == (False, Turn.Done.STOOD_IN, None)


def test_rounds_together_are_only_for_convoys_with_hours_for_every_turn():
    rally = make_rally(timekeeping=TOGETHER)
    assert rally.together
    assert "Rounds together" in signed_in(organiser_of(rally)).get(rally.get_absolute_url()).content.decode()
    assert not Rally(game=rally.game, mode=Rally.Mode.OPEN_ROAD, rounds_together=True).together
    with pytest.raises(Refused) as refused:
        rally_services.change_timekeeping(
            by=organiser_of(rally), rally=rally, turn_hours=24, reminder_hours=4, settings={**TOGETHER, "pace": "bank"}
        )
    assert refused.value.field == "rounds_together"
