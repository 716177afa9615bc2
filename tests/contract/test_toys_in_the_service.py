"""Toys in the real service, from the rally to the podium, on the plain pages of the core."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from championship.rallies import services as rallies
from championship.rallies.models import Entry, Rally
from championship.runs.models import Run, Turn
from championship.runs.play import act_on_deadlines, drive_codrivers, rebuild
from engine import record, registry
from tests.championship.runs.factories import open_turn
from tests.championship.runs.threads import at_once
from tests.contract.tables import (
    crews,
    drive,
    hidden_on,
    next_run,
    on_the_road,
    page_of,
    send,
    sign_of,
    waited_for,
    ways_on,
)
from tests.factories import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]

GAMES = sorted({"dash", "haul", "hush", *registry.outside()})
"""The toys, and all games that a setting installs from outside the tree."""
each_game = pytest.mark.parametrize("game", GAMES)

SECRET_BID = {"do": "bid", "bid": 3}


# A rally, driven with the buttons ---------------------------------------------------------------------


@pytest.mark.slow
@each_game
def test_a_rally_is_driven_from_the_first_button_to_the_podium(game: str) -> None:
    first, entries = on_the_road(game, *crews(game, 3), stages=2)
    rally = first.special_stage.rally
    for number in (1, 2):
        run = next_run(rally, number)
        drive(run)
        assert rebuild(run=run) == run.state
    rally.refresh_from_db()
    assert rally.status == Rally.Status.FINISHED
    sign = sign_of(game)
    measures = {entry: [time.measure for time in entry.times.all()] for entry in entries}
    totals = {
        entry: sum(sign * (one or 0) for one in all_of) for entry, all_of in measures.items() if None not in all_of
    }
    podium = Client().get(f"/rallies/{rally.key}/podium/").content.decode()
    steps = podium[podium.index('class="podium"') :]
    best = min(totals.values())
    winners, others = (
        [steps.index(one.crew) for one, total in totals.items() if (total == best) is won] for won in (True, False)
    )
    assert all(first < other for first in winners for other in others)


def test_the_page_offers_what_the_rules_allow_and_takes_it() -> None:
    run, entries = on_the_road("dash", "Ana", "Bo")
    ana = next(waited_for(run))
    (bo,) = set(entries) - {ana}
    assert ways_on(page_of(ana, run)) == [{"do": "roll"}]
    assert ways_on(page_of(bo, run)) == ways_on(page_of(None, run)) == []
    for playing in waited_for(run):
        if run.state["seats"][str(playing.start_number)]["pot"]:
            break
        assert send(playing, run, {"do": "roll"}).status_code == 302
    assert {"do": "bank"} in ways_on(page_of(playing, run))


@pytest.mark.parametrize(
    "orders", ["", "[]", "nonsense", "{" * 5000, json.dumps({"do": "bank"}), json.dumps({"do": []})]
)
def test_orders_that_are_none_are_refused_and_change_nothing(orders: str) -> None:
    run, _entries = on_the_road("dash", "Ana", "Bo")
    ana = next(waited_for(run))
    fields = {**hidden_on(page_of(ana, run)), "orders": orders}
    answer = signed_in(ana.driver).post(f"/runs/{run.key}/turn/", fields)
    assert answer.status_code == 422
    assert not run.posts.exclude(turn=None).exists()


def test_nobody_resigns_by_one_press() -> None:
    run, _entries = on_the_road("dash", "Ana", "Bo")
    ana = next(waited_for(run))
    page = page_of(ana, run)
    assert send(ana, run, {"do": "resign"}, page, asks="sure").status_code == 422
    assert send(ana, run, {"do": "resign"}, page, asks="sure", sure="yes").status_code == 302
    run.refresh_from_db()
    assert run.state["seats"][str(ana.start_number)]["out"]


def test_events_before_the_first_turn_are_logged_and_verified() -> None:
    """The seat that opens is drawn. The draw is in the log, in the replay and in the record, whose proof holds."""
    run, _entries = on_the_road("dash", "Ana", "Bo")
    first = next(waited_for(run))
    opening = run.posts.get(turn=None)
    assert [event.data for event in opening.events.all()] == [{"kind": "opens", "seat": str(first.start_number)}]
    shown = looks(run, Client())
    assert "Opens." in shown["log/"] and "Opens." in shown["replay/?at=1"]
    drive(run)
    document = json.loads(Client().get(f"/runs/{run.key}/record.json").content)
    assert document["turns"][0]["draws"] and record.verify(document) is None


# Two people at once -----------------------------------------------------------------------------------


def test_a_sealed_post_makes_nobodys_page_stale() -> None:
    run, (ana, bo) = on_the_road("hush", "Ana", "Bo")
    pages = {entry: page_of(entry, run) for entry in (ana, bo)}
    assert all(len(ways_on(page)) == 4 for page in pages.values())
    for entry, page in pages.items():
        assert send(entry, run, SECRET_BID, page).status_code == 302
    run.refresh_from_db()
    assert run.state["round"] == 2
    assert send(ana, run, SECRET_BID, pages[ana]).status_code in (302, 409), "the same post is the same post"
    assert run.posts.count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_people_post_at_the_same_moment_and_both_are_played() -> None:
    run, (ana, bo) = on_the_road("hush", "Ana", "Bo")
    pages = {entry: page_of(entry, run) for entry in (ana, bo)}
    answers = at_once(*[lambda entry=entry: send(entry, run, SECRET_BID, pages[entry]) for entry in (ana, bo)])
    assert [answer.status_code for answer in answers] == [302, 302]
    run.refresh_from_db()
    assert (run.state["round"], run.posts.count()) == (2, 2)
    assert list(run.posts.order_by("number").values_list("number", flat=True)) == [1, 2]
    assert rebuild(run=run) == run.state


def test_a_stale_page_of_a_game_in_turns_is_refused_with_the_fresh_one() -> None:
    run, _entries = on_the_road("dash", "Ana", "Bo")
    ana = next(waited_for(run))
    page = page_of(ana, run)
    assert send(ana, run, {"do": "roll"}, page).status_code == 302
    answer = send(ana, run, {"do": "roll"}, page, key="another")
    assert answer.status_code == 409


# Nothing leaks ----------------------------------------------------------------------------------------


def looks(run: Run, client: Client) -> dict[str, str]:
    """Return all pages about a run that this client can open, by address."""
    paths = ["", "log/", "replay/?at=0", "replay/?at=1", "replay/?at=2", "replay/?at=99", "gaps/", "proof/", "changes/"]
    found = {path: client.get(f"/runs/{run.key}/{path}") for path in paths}
    found["record"] = client.get(f"/runs/{run.key}/record.json")
    found["mine"] = client.get("/turns/")
    stage = run.special_stage
    found["rally"] = client.get(stage.rally.get_absolute_url())
    found["stage"] = client.get(stage.get_absolute_url())
    assert all(answer.status_code < 500 for answer in found.values())
    return {path: answer.content.decode() for path, answer in found.items()}


CHANCING = re.compile(
    r'data-tag="[^"]*"|name="(?:csrfmiddlewaretoken|key)" value="[^"]*"|hx-headers=\'[^\']*\''
    r'|csp-nonce="[^"]*"|nonce="[^"]*"',
    re.ASCII,
)
"""Parts that differ between two requests for the same page."""


@pytest.mark.parametrize("viewer", ["Bo", pytest.param(None, marks=pytest.mark.slow)])
def test_secret_posts_are_shown_to_nobody_else(viewer: str | None, at: Any) -> None:
    """From the same table Ana posts in different ways. The pages that another person sees are the same, letter by
    letter.
    """
    at("2026-11-19T12:00")
    run, entries = on_the_road("hush", "Ana", "Bo", "Cem")
    ana = next(entry for entry in entries if entry.crew == "Ana")
    other = next((entry for entry in entries if entry.crew == viewer), None)
    page = page_of(ana, run)
    browser = Client() if other is None else signed_in(other.driver)
    seen = []
    for orders, more in (
        ({"do": "bid", "bid": 3}, {"salt": "1a"}),
        ({"do": "bid", "bid": 0}, {"salt": "2b"}),
        ({"do": "resign"}, {"asks": "sure", "sure": "yes"}),
    ):
        with transaction.atomic():
            assert send(ana, run, orders, page, **more).status_code == 302
            seen.append({path: CHANCING.sub("", text) for path, text in looks(run, browser).items()})
            transaction.set_rollback(True)
    for path, text in seen[0].items():
        assert [one[path] for one in seen[1:]] == [text, text], path


@pytest.mark.slow
def test_when_the_phase_has_closed_all_is_open() -> None:
    run, (ana, bo) = on_the_road("hush", "Ana", "Bo")
    send(ana, run, SECRET_BID)
    assert "bid 3" in looks(run, signed_in(ana.driver))["log/"].lower(), "the own bid is seen at once"
    send(bo, run, {"do": "bid", "bid": 0})
    assert "bid 3" in looks(run, Client())["log/"].lower()


# Deadlines and codrivers ------------------------------------------------------------------------------


@each_game
def test_a_deadline_that_passes_is_played_by_the_codriver(game: str) -> None:
    run, _entries = on_the_road(game, *crews(game, 2))
    waiting = list(Turn.objects.filter(run=run, ended_at=None).select_related("seat"))
    playing = registry.get(game).to_play(run.state)
    assert {turn.seat.name for turn in waiting} == set(playing), "each seat that is to play has its own deadline"
    act_on_deadlines(now=max(turn.deadline for turn in waiting) + timedelta(seconds=1))
    assert not Turn.objects.filter(pk__in=[turn.pk for turn in waiting], ended_at=None).exists()
    assert Turn.objects.filter(run=run, missed=True).count() == len(waiting)
    run.refresh_from_db()
    assert rebuild(run=run) == run.state


def test_of_two_one_has_posted_and_the_clock_plays_for_the_other() -> None:
    run, (ana, _bo) = on_the_road("hush", "Ana", "Bo")
    send(ana, run, SECRET_BID)
    late = open_turn(run)
    act_on_deadlines(now=late.deadline + timedelta(seconds=1))
    run.refresh_from_db()
    assert run.state["round"] == 2
    assert run.state["last"][str(ana.start_number)]["bid"] == 3


@each_game
def test_the_codriver_brings_everybody_home(game: str) -> None:
    run, entries = on_the_road(game, *crews(game, 2))
    for entry in entries:
        rallies.set_driven_by(by=entry.driver, entry=entry, driven_by=Entry.DrivenBy.CODRIVER)
    while drive_codrivers(run_id=run.pk):
        pass
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
