"""Nobody waits for cars that the codriver drives, or for turns in which there is nothing to decide."""

import logging

import pytest
from django.urls import reverse

from championship.notices.models import Notice
from championship.rallies import services as rally_services
from championship.rallies.models import StageTime
from championship.runs.models import Run, Turn
from championship.runs.play import act_on_deadlines, drive_codrivers, rebuild
from engine import registry
from engine.dirt import legal_moves
from engine.dirt.course.compiled_stage import compiled
from tests.championship.rallies.factories import enter, make_rally, organiser_of
from tests.championship.runs.factories import careful_turn, desk_of, on_the_road, open_turn, play, put, send, with_luck


def hand_over(*entries):
    for entry in entries:
        rally_services.set_driven_by(by=entry.driver, entry=entry, driven_by="codriver")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_rally_of_codrivers_is_driven_to_its_end_automatically(caplog):
    rally = make_rally(stages=("4/1", "1/1"))
    hand_over(*enter(rally, "Ana", "Bo"))
    with caplog.at_level(logging.WARNING):
        rally_services.start_rally(by=organiser_of(rally), rally=rally)
    rally.refresh_from_db()
    assert rally.status == "finished"
    assert StageTime.objects.filter(measure__isnull=False).count() == 4
    assert not Turn.objects.filter(ended_at=None).exists()
    assert not Turn.objects.filter(missed=True).exists()
    assert not Notice.objects.filter(kind__startswith="turn").exists()
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING] == []
    for run in Run.objects.all():
        assert rebuild(run=run) == run.state


@pytest.mark.django_db(transaction=True)
def test_after_a_persons_turn_the_codriver_drives_at_once():
    run, (ana, bo) = on_the_road("Ana", "Bo")
    hand_over(bo)
    for _turn in range(3):
        assert open_turn(run).seat.entry == ana
        play(run, ana, **careful_turn(run))
    driven = run.turns.filter(seat__entry=bo)
    assert driven.exists()
    assert not driven.filter(ended_at=None).exists()
    assert set(run.posts.filter(turn__seat__entry=bo).values_list("by", flat=True)) == {None}


@pytest.mark.django_db(transaction=True)
def test_a_car_handed_over_in_the_middle_of_a_turn_is_driven_on_from_there():
    run, (ana,) = on_the_road("Ana", stages=("4/1",))
    play(run, ana, do="lay", plan=careful_turn(run)["plan"], roll="one by one")
    hand_over(ana)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert run.turns.first().posts.first().by == ana.driver
    assert run.posts.exclude(number=1).exclude(by=None).count() == 0
    assert rebuild(run=run) == run.state


@pytest.mark.django_db
def test_the_codriver_drives_a_limited_number_of_turns_and_returns_whether_more_wait():
    run, (ana,) = on_the_road("Ana", stages=("4/1",))
    hand_over(ana)
    assert drive_codrivers(run_id=run.pk, most=2) is True
    assert run.turns.filter(ended_at__isnull=False).count() == 2
    assert drive_codrivers(run_id=run.pk, most=60) is False
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert drive_codrivers(run_id=run.pk) is False


@pytest.mark.django_db
def test_the_codriver_does_not_make_the_turn_of_a_person():
    run, _drivers = on_the_road("Ana", "Bo")
    assert drive_codrivers(run_id=run.pk) is False
    run.refresh_from_db()
    assert run.version == 0


# Turns in which there is nothing to decide ------------------------------------------------------------


def forced_dashboards(run, rule, ana, bo):
    """Dashboards of Ana's and Bo's cars with which Bo's next turn is empty by that rule. They are found by trying."""
    track = compiled(run.stage)
    spaces = list(track.spaces)
    parked = {"gear": 1, "on_track": True, "started": True}
    for behind in spaces:
        for ahead in (spaces[number] for number in track.ahead[track.index[behind.name]]):
            for gear in range(1, 7):
                car = {"space": behind.name, "gear": gear, "on_track": True, "started": True}
                if rule == "E6":
                    car |= {"space": ahead.name, "gear": 0, "on_track": False}
                drivers = run.state["drivers"] | {
                    ana: run.state["drivers"][ana] | parked | {"space": ahead.name},
                    bo: run.state["drivers"][bo] | car,
                }
                state = {**run.state, "drivers": drivers, "queue": [bo]}
                if legal_moves.choices(state, bo, "").forced == rule:
                    return parked | {"space": ahead.name}, car
    raise AssertionError(f"nowhere on this stage {rule}")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("rule", "seconds"), [("M9", 50), ("M10", 60), ("E6", 60)], ids=["blocked", "no way on", "place taken"]
)
@pytest.mark.parametrize("swept", [False, True], ids=["after a post", "after a sweep"])
def test_a_turn_with_nothing_to_decide_is_made_automatically(rule, seconds, swept):
    """Round 3: Ana is on the road, Cem starts, and Bo, who is next, can do nothing. The state is set without events."""
    run, (ana, bo, cem) = on_the_road("Ana", "Bo", "Cem", stages=("1/2",))
    names = [str(entry.start_number) for entry in (ana, bo, cem)]
    if rule == "M10":
        run.state["mud"] = {str(tile): {names[0]: 9} for tile in range(1, 11)}
        run.save(update_fields=["state"])
    first, second = forced_dashboards(run, rule, *names[:2])
    put(run, ana, **first)
    put(run, bo, **second)
    run.state.update(round=3, queue=[names[2], names[1]])
    run.save(update_fields=["state"])
    Turn.objects.update(seat=run.seats.get(entry=cem))

    if swept:
        assert act_on_deadlines(now=open_turn(run).deadline) == 1
    else:
        desk = desk_of(cem)
        assert send(desk, run, do="lay", plan="1:1.2.r", roll="one by one").status_code == 302
        with_luck(run, {"do": "roll"}, lambda state: state["turn"] is None)
        assert send(desk, run, do="roll").status_code == 302

    run.refresh_from_db()
    waited = run.events.get(kind="wait").data
    assert (waited["driver"], waited["rule"]) == (names[1], rule)
    turn = run.turns.get(number=2)
    assert turn.seat.entry == bo
    assert turn.ended_at is not None
    assert not turn.missed
    assert turn.posts.get().by is None
    assert sum(run.state["drivers"][names[1]]["cards"]) == seconds
    assert not Notice.objects.filter(kind="turn waits", recipient=bo.driver).exists(), "nobody hears of what is over"
    assert open_turn(run).number == 3
    assert desk_of(bo).get(run.get_absolute_url()).status_code == 200


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("manner", ["cautious", "bold"])
def test_the_codriver_drives_in_the_manner_that_was_chosen(manner):
    run, (ana,) = on_the_road("Ana", stages=("4/1",))
    rules, state = registry.get(run.game), run.state
    orders = {name: rules.autopilot(state, str(ana.start_number), name) for name in ("", "cautious", "bold")}
    assert orders["cautious"] != orders["bold"]
    rally_services.set_driven_by(by=ana.driver, entry=ana, driven_by="codriver", manner=manner)
    assert run.posts.order_by("number").filter(by=None, turn__isnull=False)[0].orders == orders[manner]


def test_an_unknown_manner_is_refused_and_a_known_one_is_offered_on_the_desk(db, client):
    rally = make_rally()
    [ana] = enter(rally, "Ana")
    organiser = organiser_of(rally)
    client.force_login(organiser)
    address = reverse("rallies:driven_by", args=[rally.key, ana.pk])
    answer = client.post(address, {"driven_by": "codriver", "manner": "reckless", "from": "desk"})
    ana.refresh_from_db()
    assert (answer.status_code, ana.driven_by) == (422, "person")
    assert client.post(address, {"driven_by": "codriver", "manner": "bold", "from": "desk"}).status_code == 302
    ana.refresh_from_db()
    assert (ana.driven_by, ana.manner) == ("codriver", "bold")
    assert client.post(address, {"driven_by": "person", "from": "desk"}).status_code == 302
    ana.refresh_from_db()
    assert (ana.driven_by, ana.manner) == ("person", "bold"), "the car that comes back keeps its stand-in"
    desk_page = client.get(reverse("rallies:desk", args=[rally.key])).content.decode()
    assert 'value="bold"' in desk_page
