"""Orders ahead over HTTP: for one turn, until changed, withdrawn, and not driven when the weather changes."""

from __future__ import annotations

import pytest

from championship.notices.models import Notice
from championship.runs.models import Run, SentAhead, Turn
from championship.runs.play import advancing, drive_codrivers, play_turn
from championship.runs.play.turn_deadlines import Turns
from championship.runs.watch import watching
from engine import chance
from engine.formula_d.game import game
from tests.factories import signed_in
from tests.games.formula_d.pages.tables import best_of, form_on, on_the_grid, page_of, playing, send

pytestmark = pytest.mark.django_db


def whole_turn(run) -> None:
    """Let the entry that has the turn drive it as the codriver would."""
    entry = playing(run)
    seat = str(entry.start_number)
    before = game().turns_made(run.state, seat)
    while game().turns_made(run.state, seat) == before:
        assert send(entry, run, **best_of(run)).status_code == 302
        run.refresh_from_db()


def give(entry, run, **fields: str):
    """Send the form for orders ahead."""
    page = page_of(entry, run)
    sent = {**form_on(page, "orders"), "do": "send", "way": "", "pit": "", "until": "turn", "salt": "5a" * 8, **fields}
    return signed_in(entry.driver).post(f"/runs/{run.key}/ahead/", sent)


def the_other(run, entries):
    return next(entry for entry in entries if entry != playing(run))


def test_orders_for_one_turn_are_driven_when_it_comes() -> None:
    run, entries = on_the_grid("Ana", "Bo", start_roll=False)
    waiting = the_other(run, entries)
    assert give(waiting, run, gear="1", way="save").status_code == 302
    page = page_of(waiting, run)
    assert "gear 1, save the tyres, for one turn" in page
    assert "As the cars stood: gear 1, 0 % to overshoot, 0 % to go out." in page

    whole_turn(run)

    assert SentAhead.objects.get().state == SentAhead.State.DRIVEN
    assert Turn.objects.filter(run=run, seat__entry=waiting).exclude(ended_at=None).count() == 1


@pytest.mark.parametrize("tyres", [True, False])
def test_tyres_in_the_box_are_asked_where_the_race_has_a_choice_of_tyres(tyres: bool) -> None:
    run, entries = on_the_grid("Ana", "Bo", start_roll=False)
    run.state["options"]["tyres"] = tyres
    run.save()
    shown = [page_of(entry, run) for entry in entries]
    assert ["Tyres in the box" in page for page in shown] == [tyres] * 2, "on the own turn and before it"


def test_lasting_orders_are_driven_turn_after_turn_until_withdrawn() -> None:
    run, entries = on_the_grid("Ana", "Bo", start_roll=False)
    waiting = the_other(run, entries)
    assert give(waiting, run, until="told").status_code == 302
    for _turn in range(3):
        assert playing(run) != waiting
        whole_turn(run)
    states = list(SentAhead.objects.order_by("pk").values_list("state", flat=True))
    assert states[:-1] and set(states[:-1]) == {SentAhead.State.DRIVEN}
    assert states[-1] == SentAhead.State.WAITING
    assert SentAhead.objects.values_list("seat__entry", flat=True).distinct().count() == 1

    answer = signed_in(waiting.driver).post(f"/runs/{run.key}/ahead/", {"do": "withdraw", "version": str(run.version)})
    assert answer.status_code == 302
    assert not SentAhead.objects.filter(state=SentAhead.State.WAITING).exists()


def resigns(run, entry) -> None:
    """Let a driver resign."""
    seat = str(entry.start_number)
    run.refresh_from_db()
    orders = game().resign(run.state, seat)
    play_turn(by=entry.driver, run=run, orders=orders, version=watching.version_for(run, seat), key=f"out {seat}")


def driven_plans() -> int:
    return SentAhead.objects.filter(state=SentAhead.State.DRIVEN).count()


def test_one_post_drives_a_few_plans_and_a_worker_the_rest(monkeypatch, django_capture_on_commit_callbacks) -> None:
    """Standing orders drive two cars, and there is no other: without a limit, one post would drive the whole race."""
    monkeypatch.setattr(advancing, "MAX_ORDERS_PER_TASK", 3)
    run, entries = on_the_grid("Ana", "Bo", "Cy", track="monza", start_roll=False)
    secret = bytes(chance.SECRET_BYTES)
    Run.objects.filter(pk=run.pk).update(record_format=1, secret=secret, commitment=chance.commitment(secret))
    first = playing(run)
    others = [entry for entry in entries if entry != first]
    for entry in others:
        assert give(entry, run, until="told", way="save").status_code == 302
    Notice.objects.all().delete()
    with django_capture_on_commit_callbacks() as afterwards:
        resigns(run, first)

    assert driven_plans() == 3
    assert afterwards, "a worker is asked to go on"
    assert SentAhead.objects.filter(state=SentAhead.State.WAITING).count() == 2
    assert not Notice.objects.filter(kind="turn waits").exists(), "nobody is waited for"
    left = Turn.objects.get(run=run, ended_at=None)
    assert Turns().due(left.since).get() == left, "a sweep finds it where the message is lost"
    assert drive_codrivers(run_id=run.pk, most=1)
    assert driven_plans() == 6

    mover = playing(run)
    seat = str(mover.start_number)
    SentAhead.objects.filter(seat__entry=mover, state=SentAhead.State.WAITING).update(orders={"way": "save"})
    resigns(run, mover)
    assert SentAhead.objects.filter(seat__name=seat).latest("pk").state == SentAhead.State.WITHDRAWN
    assert driven_plans() == 9


@pytest.mark.parametrize(
    ("fields", "rule"),
    [({"gear": "5"}, "G2"), ({"way": "sideways"}, ""), ({"gear": "x"}, ""), ({"until": "doomsday"}, "")],
)
def test_orders_that_cannot_be_carried_out_are_refused_and_kept(fields, rule) -> None:
    run, entries = on_the_grid("Ana", "Bo", start_roll=False)
    answer = give(the_other(run, entries), run, brakes="2", **fields)
    text = answer.content.decode()

    assert answer.status_code == 422
    assert rule == "" or f"<strong>{rule}</strong>" in text
    assert '<option value="2" selected>2</option>' in text
    assert not SentAhead.objects.exists()


def test_a_whole_turn_is_driven_at_once_in_ones_own_turn() -> None:
    run, _entries = on_the_grid("Ana", "Bo", start_roll=False)
    entry = playing(run)
    form = form_on(page_of(entry, run), "orders")
    answer = signed_in(entry.driver).post(f"/runs/{run.key}/turn/", {**form, "do": "standing", "way": "attack"})

    assert answer.status_code == 302
    assert Turn.objects.filter(run=run, seat__entry=entry).exclude(ended_at=None).count() == 1


def test_a_plan_of_spaces_is_not_sent_ahead() -> None:
    run, entries = on_the_grid("Ana", "Bo", start_roll=False)
    assert give(the_other(run, entries), run, plan="S1.1.1").status_code == 404
    assert signed_in(the_other(run, entries).driver).post(
        f"/runs/{run.key}/draft/", {"version": "0", "plan": "S1.1.1"}
    ).status_code in (404, 409)
