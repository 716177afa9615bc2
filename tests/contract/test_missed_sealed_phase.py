"""A deadline passes while a phase is sealed. Until the phase closes, nobody else learns of the miss, of its penalty, or
that the codriver plays for the seat. The game is Hush, with penalties and an organiser who drives.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.test import Client, RequestFactory

from championship.api.views.runs import run_validators
from championship.audit.models import Record
from championship.clubs.models import Role
from championship.platform import clock
from championship.rallies import page_versions as rally_news
from championship.rallies.models import Entry, Penalty
from championship.runs.models import Run, Seat, Turn
from championship.runs.play import act_on_deadlines, take_wheel
from championship.runs.play.revealing import reveal
from championship.runs.watch import page_versions, selectors
from championship.runs.watch.board import news_of_board
from tests.championship.runs.threads import at_once
from tests.contract.tables import on_the_road, page_of, send
from tests.contract.test_toys_in_the_service import CHANCING, looks
from tests.factories import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]

BID = {"do": "bid", "bid": 1}
RULES = {"miss_penalty": 2, "after_miss": "stage"}


def scene(**rules: Any) -> tuple[Run, Entry, Entry, Entry]:
    """A run of three drivers. Bo is also the organiser. Ana's deadline is now; the others have a day."""
    run, entries = on_the_road("hush", "Ana", "Bo", "Cem", timekeeping=RULES | rules)
    ana, bo, cem = sorted(entries, key=lambda entry: entry.crew)
    run.special_stage.rally.club.memberships.filter(user=bo.driver).update(roles=[Role.DRIVER, Role.ORGANISER])
    Turn.objects.filter(run=run, seat__entry=ana).update(deadline=clock.now(), remind_at=None, counted_from=None)
    return run, ana, bo, cem


def around(run: Run, client: Client) -> dict[str, str]:
    """Return all pages about a run, its rally and its club that the client may open, by address."""
    rally = run.special_stage.rally
    paths = {
        f"/rallies/{rally.key}/{path}"
        for path in ("sheet/", "stages/1/overall/", "results.csv", "misses/", "desk/", "desk/runs/", "desk/penalty/")
    } | {f"/clubs/{rally.club.slug}/log/"}
    found = {path: client.get(path) for path in paths}
    assert all(answer.status_code < 500 for answer in found.values())
    return looks(run, client) | {path: answer.content.decode() for path, answer in found.items()}


def news_for(run: Run, viewer: Any) -> dict[str, str]:
    """Return the values from which pages compute their entity tags when they poll for news."""
    request, rally = RequestFactory().get("/"), run.special_stage.rally
    request.user = viewer
    fresh = Run.objects.select_related("special_stage__rally").get(pk=run.pk)
    told = {
        "news of the run": page_versions.of_run(request, run.key),
        "news of the board": news_of_board(request, rally.key),
        "news of the rally": rally_news.of_rally(request, rally.key),
        "news of the run in the programmable door": run_validators(request, {"key": run.key}),
        "wheels": [(seat.name, seat.codriver_since) for seat in selectors.run_scene(fresh, viewer).seats],
    }
    return {name: repr(value) for name, value in told.items()}


@contextmanager
def rolled_back() -> Iterator[None]:
    """Roll back everything that the block wrote."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def browser(entry: Entry | None) -> Client:
    return Client() if entry is None else signed_in(entry.driver)


def wheel_of(entry: Entry) -> Seat:
    return Seat.objects.get(entry=entry)


@pytest.mark.slow
@pytest.mark.parametrize("viewer", ["Bo", "Cem", None])
def test_a_miss_looks_like_a_move_as_long_as_the_phase_is_open(viewer: str | None, at: Any) -> None:
    """From the same table, Ana bids as the codriver would, or misses her deadline. The pages that another person sees
    are the same, letter by letter, and so are the entity tags with which pages poll.
    """
    at("2026-11-19T12:00")
    run, ana, bo, cem = scene()
    other = {"Bo": bo, "Cem": cem, None: None}[viewer]
    page, client, seen = page_of(ana, run), browser(other), []
    for moves in (lambda: send(ana, run, BID, page), lambda: act_on_deadlines(now=clock.now())):
        with rolled_back():
            moves()
            assert run.posts.count() == 1
            pages = {path: CHANCING.sub("", text) for path, text in around(run, client).items()}
            seen.append(pages | news_for(run, AnonymousUser() if other is None else other.driver))
    assert any("Ana" in text for text in seen[0].values())
    for path, text in seen[0].items():
        assert seen[1][path] == text, path


def test_when_the_phase_closes_the_penalty_is_given_and_all_know_of_it(at: Any) -> None:
    at("2026-11-19T12:00")
    run, ana, bo, cem = scene()
    act_on_deadlines(now=clock.now())
    turn = Turn.objects.get(run=run, missed=True)
    assert (turn.done, turn.owed) == ("penalised", 2)
    assert not Penalty.objects.exists()
    assert wheel_of(ana).codriver_since is not None
    send(bo, run, BID)
    assert not Penalty.objects.exists()
    send(cem, run, BID)
    penalty = Penalty.objects.get()
    assert (penalty.entry, penalty.amount, penalty.missed_turn, penalty.given_by) == (ana, 2, turn.number, None)
    turn.refresh_from_db()
    assert turn.owed is None
    assert Record.objects.filter(action="penalty given").count() == 1
    assert "Ana" in signed_in(bo.driver).get(f"/rallies/{run.special_stage.rally.key}/misses/").content.decode()


def test_a_miss_that_closes_the_phase_itself_is_known_at_once(at: Any) -> None:
    at("2026-11-19T12:00")
    run, ana, bo, cem = scene()
    send(bo, run, BID)
    send(cem, run, BID)
    act_on_deadlines(now=clock.now())
    assert Penalty.objects.get().entry == ana


def test_the_penalty_is_what_held_when_the_deadline_was_missed(at: Any) -> None:
    at("2026-11-19T12:00")
    run, _ana, bo, cem = scene()
    act_on_deadlines(now=clock.now())
    rally = run.special_stage.rally
    type(rally).objects.filter(pk=rally.pk).update(miss_penalty=9)
    for entry in (bo, cem):
        send(entry, run, BID)
    assert Penalty.objects.get().amount == 2, "as the driver was told"


@pytest.mark.slow
@pytest.mark.parametrize("viewer", ["Bo", None])
def test_a_wheel_taken_back_in_secret_is_in_the_log_when_the_phase_has_closed(viewer: str | None, at: Any) -> None:
    at("2026-11-19T12:00")
    run, ana, bo, cem = scene()
    act_on_deadlines(now=clock.now())
    client = browser(bo if viewer else None)
    before = {path: CHANCING.sub("", text) for path, text in around(run, client).items()}
    take_wheel(by=ana.driver, run=run)
    assert {path: CHANCING.sub("", text) for path, text in around(run, client).items()} == before
    taken = Record.objects.filter(action="wheel taken back")
    assert not taken.exists()
    for entry in (bo, cem):
        send(entry, run, BID)
    assert taken.get().actor == ana.driver
    assert wheel_of(ana).taken_back_at is None


@pytest.mark.django_db(transaction=True)
def test_when_two_close_the_phase_at_once_the_penalty_is_given_once() -> None:
    run, _ana, bo, cem = scene()
    act_on_deadlines(now=clock.now())
    pages = {entry: page_of(entry, run) for entry in (bo, cem)}
    answers = at_once(*[lambda entry=entry: send(entry, run, BID, pages[entry]) for entry in (bo, cem)])
    assert [answer.status_code for answer in answers] == [302, 302]
    assert Penalty.objects.count() == Record.objects.filter(action="penalty given").count() == 1


def test_no_pending_penalty_costs_no_query(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        reveal([])
