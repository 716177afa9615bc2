"""Own turns driven again: first the question, then the loss; what was missed comes back; nothing of the run changes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client

from championship.puzzles import positions, services
from championship.puzzles.models import TurnAgain
from championship.puzzles.services import turns_again
from championship.rallies.models import Rally
from championship.runs.models import KeptAccounts, KeptLedger, Run
from championship.runs.play import keep_missing_ledgers
from tests.championship.runs.factories import all_of, driven
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


def scene() -> tuple[Run, Client, str, list[int]]:
    """A finished run, the browser of its first driver, the seat, and the turns to drive again."""
    run, entries = driven("Ana", "Bo")
    seat = str(entries[0].start_number)
    return run, signed_in(entries[0].driver), seat, [event for event, _ in positions.costly_turns(run, seat)]


def test_the_costly_turns_are_asked_and_the_run_stays_as_it_is() -> None:
    run, browser, seat, events = scene()
    before = all_of(run)
    assert 1 <= len(events) <= positions.AGAIN
    assert f"/puzzles/mine/{run.key}/" in browser.get(run.get_absolute_url()).content.decode(), (
        "one tap from the result"
    )
    page = browser.get(f"/puzzles/mine/{run.key}/").content.decode()
    assert all(f"/puzzles/mine/{run.key}/{event}/" in page for event in events)
    for event in events:
        _state, question, _prepared = positions.question_at(run, event, seat)
        address = f"/puzzles/mine/{run.key}/{event}/"
        assert 'class="answers-compared"' not in browser.get(address).content.decode(), "the question first"
        orders = {"version": 0, "key": "k", **question.best.orders}
        told = browser.post(f"{address}turn/", orders, follow=True).content.decode()
        assert "Solved." in told and "Nothing given up" in told
    assert not TurnAgain.objects.exists(), "what is right at once does not come back"
    assert all_of(run) == before


def test_the_stored_ledger_is_read_where_there_is_one() -> None:
    run, browser, seat, events = scene()
    assert keep_missing_ledgers() == 1
    cache.clear()
    assert [event for event, _ in positions.costly_turns(run, seat)] == events, "stored and computed ones are the same"
    cache.clear()
    assert f"/puzzles/mine/{run.key}/" in browser.get(run.get_absolute_url()).text
    KeptAccounts.objects.filter(ledger__run=run).update(bookings=[])
    card = browser.get(run.get_absolute_url()).text
    assert "No decision of this stage gave anything up." in card and f"/puzzles/mine/{run.key}/" not in card
    assert positions.costly_turns(run, seat) == [], "what is stored counts"
    cache.clear()
    KeptLedger.objects.filter(run=run).update(version="0")
    assert [event for event, _ in positions.costly_turns(run, seat)] == events, "an old one does not count"


def test_a_missed_turn_comes_back_until_it_is_right_several_times() -> None:
    run, browser, seat, events = scene()
    person = run.seats.get(name=seat).entry.driver
    _state, question, _prepared = positions.question_at(run, events[0], seat)
    assert question.second is not None
    address = f"/puzzles/mine/{run.key}/{events[0]}/turn/"
    wrong, right = ({"version": 0, "key": "k", **way.orders} for way in (question.second, question.best))
    page = browser.post(address, wrong, follow=True).content.decode()
    assert "Not the fastest." in page
    own, today = TurnAgain.objects.get(), services.today()
    assert own.due == today + timedelta(days=1)
    browser.post(address, right)
    own.refresh_from_db()
    assert own.due == today + timedelta(days=1), "a try before its day proves nothing"
    TurnAgain.objects.update(due=today)
    assert "1 turn of yours comes back" in browser.get("/turns/").content.decode()
    assert f"/puzzles/mine/{run.key}/{events[0]}/" in browser.get("/puzzles/mine/").content.decode()
    for days in (3, 7, 21, 60):
        turns_again.driven_again(by=person, run=run, event=events[0], solved=True, day=today)
        own.refresh_from_db()
        assert own.due == today + timedelta(days=days)
        TurnAgain.objects.update(due=today)
    done = turns_again.driven_again(by=person, run=run, event=events[0], solved=True, day=today)
    assert done is not None and done.due is None


def test_who_wants_to_see_the_best_way_sees_it_and_the_turn_comes_back() -> None:
    run, browser, _seat, events = scene()
    address = f"/puzzles/mine/{run.key}/{events[0]}/"
    assert "It counts as missed." in browser.get(address).text
    page = browser.post(f"{address}turn/", {"show_best": "yes"}, follow=True).text
    assert "This is the best way." in page and "Yours" not in page and "The same as yours" not in page
    assert TurnAgain.objects.get().due == services.today() + timedelta(days=1)


def test_nobody_else_finds_them() -> None:
    run, browser, _seat, events = scene()
    for path in ("", f"{events[0]}/", f"{events[0]}/at/?x=1&y=1"):
        assert signed_in(make_user()).get(f"/puzzles/mine/{run.key}/{path}").status_code == 404
        assert Client().get(f"/puzzles/mine/{run.key}/{path}").status_code == 302
    assert browser.get(f"/puzzles/mine/{run.key}/99999/").status_code == 404
    Run.objects.filter(pk=run.pk).update(status=Run.Status.RUNNING, finished_at=None)
    assert browser.get(f"/puzzles/mine/{run.key}/").status_code == 404


def test_a_rally_without_ledgers_lets_no_turn_be_driven_again() -> None:
    run, browser, seat, events = scene()
    person = run.seats.get(name=seat).entry.driver
    turns_again.driven_again(by=person, run=run, event=events[0], solved=False, day=services.today())
    TurnAgain.objects.update(due=services.today())
    Rally.objects.filter(pk=run.special_stage.rally_id).update(ledgers=False)
    for path in ("", f"{events[0]}/", f"{events[0]}/turn/"):
        assert browser.get(f"/puzzles/mine/{run.key}/{path}").status_code == 404
    assert f"/puzzles/mine/{run.key}/" not in browser.get(run.get_absolute_url()).content.decode()
    assert f"/puzzles/mine/{run.key}/" not in browser.get("/puzzles/mine/").content.decode()
