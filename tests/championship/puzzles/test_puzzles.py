"""The puzzle of the day: found in finished runs of open clubs, one a day, judged by value, without an account too."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.test import Client

from championship.clubs.models import Club
from championship.failures.models import Failure
from championship.platform import clock
from championship.puzzles import positions, services
from championship.puzzles.models import Answer, Puzzle, Searched, Solver
from championship.rallies.models import Rally
from championship.runs.models import Run
from engine.dirt.game import game as dirt
from tests.championship.runs.factories import driven
from tests.factories import make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """A finished run of an open club. A smaller gap than usual makes a puzzle, so that one stage has some."""
    monkeypatch.setattr(dirt(), "puzzle_scale", replace(dirt().puzzle_scale, share=10))
    found, _entries = driven("Zerlinde", "Quirin")
    Club.objects.filter(pk=found.special_stage.rally.club_id).update(visibility=Club.Visibility.PUBLIC)
    return found


@pytest.fixture
def puzzle(run: Run) -> Puzzle:
    """The puzzle of today."""
    services.look_for_puzzles(now=clock.now())
    return Puzzle.objects.get(day=services.today())


def sent(puzzle: Puzzle, way: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"version": 0, "key": "k", **way["orders"], **more}


def answered(client: Client, puzzle: Puzzle, way: dict[str, Any]) -> str:
    page = client.post(f"{puzzle.get_absolute_url()}turn/", sent(puzzle, way), follow=True)
    assert page.status_code == 200
    return page.content.decode()


def test_a_day_has_one_puzzle_however_often_the_task_runs(run: Run) -> None:
    now = clock.now()
    assert services.look_for_puzzles(now=now) == 1
    chosen = Puzzle.objects.get(day=now.astimezone(UTC).date())
    assert services.look_for_puzzles(now=now) == 0
    assert list(Puzzle.objects.values_list("pk", "day")) == [(chosen.pk, chosen.day)]
    assert services.search(run=run, now=now) == 0, "a second worker stores nothing"


def test_a_day_begins_at_midnight_utc(at: Any) -> None:
    at(datetime(2026, 11, 28, 23, 59, tzinfo=UTC))
    assert services.today() == date(2026, 11, 28)
    at(datetime(2026, 11, 29, 0, 0, tzinfo=UTC))
    assert services.today() == date(2026, 11, 29)


def test_a_run_that_fails_stops_no_other(run: Run) -> None:
    bad, _entries = driven("Cy", "Dee")
    Club.objects.filter(pk=bad.special_stage.rally.club_id).update(visibility=Club.Visibility.PUBLIC)
    Run.objects.filter(pk=bad.pk).update(stage={"broken": True})
    services.look_for_puzzles(now=clock.now())
    assert Failure.objects.filter(kind="puzzles of a run", unit=str(bad.pk)).exists()
    assert Puzzle.objects.filter(run=run).exists() and not Searched.objects.filter(run=bad).exists()


@pytest.mark.parametrize("visibility", [Club.Visibility.LINK, Club.Visibility.MEMBERS])
def test_the_visibility_of_the_club_decides(puzzle: Puzzle, visibility: str) -> None:
    assert Client().get(puzzle.get_absolute_url()).status_code == 200
    Club.objects.filter(pk=puzzle.run.special_stage.rally.club_id).update(visibility=visibility)
    assert Client().get(puzzle.get_absolute_url()).status_code == 404
    assert Client().get(f"{puzzle.get_absolute_url()}at/", {"x": 1, "y": 1}).status_code == 404
    assert "/puzzles/2" not in Client().get("/puzzles/all/").content.decode()
    Puzzle.objects.all().delete()
    Searched.objects.all().delete()
    assert services.look_for_puzzles(now=clock.now()) == 0


def test_somebody_without_an_account_answers_and_nothing_is_stored(puzzle: Puzzle) -> None:
    page = Client().get("/puzzles/", follow=True).content.decode()
    assert "Which way is the fastest?" in page and "Zerlinde" not in page and "Quirin" not in page
    assert 'class="answers-compared"' not in page, "the answer is not shown before the question"
    assert "Solved." in answered(Client(), puzzle, puzzle.best)
    missed = answered(Client(), puzzle, puzzle.obvious)
    assert "Not the fastest." in missed and "against the best way" in missed
    assert not Answer.objects.exists()
    puzzle.refresh_from_db()
    assert (puzzle.tried, puzzle.rating) == (0, 1500)


def test_the_first_answer_of_a_person_counts_and_moves_both_ratings(puzzle: Puzzle) -> None:
    person = make_user("Sol Solver")
    browser = signed_in(person)
    answered(browser, puzzle, puzzle.obvious)
    answered(browser, puzzle, puzzle.best)
    own = Answer.objects.get()
    assert not own.solved and own.loss >= puzzle.gap
    puzzle.refresh_from_db()
    solver = Solver.objects.get(person=person)
    assert (puzzle.tried, puzzle.solved) == (1, 0) and puzzle.rating > 1500 > solver.rating
    assert "Your rating" not in answered(browser, puzzle, puzzle.best), "hidden unless it is wanted"
    browser.post("/puzzles/rating/", {"shown": "yes"})
    assert f"Your rating: {round(solver.rating)}" in answered(browser, puzzle, puzzle.best)


def test_who_wants_to_see_the_best_way_has_missed_it_and_cannot_solve_it_afterwards(puzzle: Puzzle) -> None:
    client, address = signed_in(make_user("Ana")), puzzle.get_absolute_url()
    seen = client.post(f"{address}turn/", {"show_best": "yes"}, follow=True)
    for page in (seen, client.get(seen.redirect_chain[-1][0].replace("#panel", "&show=mine"))):
        assert "This is the best way." in page.text and 'class="answers-compared"' in page.text
        assert "Yours" not in page.text, "there is no own way to look at"
    stored = Answer.objects.get()
    assert not stored.solved and stored.loss > 0
    assert "It counts as missed." not in client.get(address).text
    answered(client, puzzle, puzzle.best)
    assert not Answer.objects.get().solved
    assert "This is the best way." in Client().post(f"{address}turn/", {"show_best": "yes"}, follow=True).text
    assert Answer.objects.count() == 1


def test_a_vote_counts_once_and_can_be_taken_back(puzzle: Puzzle) -> None:
    browser = signed_in(make_user())
    address = f"{puzzle.get_absolute_url()}vote/"
    assert browser.post(address, {"vote": "1"}).status_code == 422, "answer first"
    answered(browser, puzzle, puzzle.best)
    for vote, likes in (("1", 1), ("1", 1), ("-1", -1), ("0", 0)):
        assert browser.post(address, {"vote": vote}).status_code == 302
        puzzle.refresh_from_db()
        assert puzzle.likes == likes
    assert browser.post(address, {"vote": "many"}).status_code == 422
    assert Client().post(address, {"vote": "1"}).status_code == 302


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"do": "lay", "plan": "9:9.9.z", "roll": "flat out"},
        {"do": "lay", "plan": "", "roll": "flat out"},
        {"do": "retire", "sure": "yes"},
        {"do": "lay", "plan": "x" * 5000, "roll": "flat out"},
        {"do": "roll"},
    ],
)
def test_hostile_answers_are_refused(puzzle: Puzzle, fields: dict[str, str]) -> None:
    page = Client().post(f"{puzzle.get_absolute_url()}turn/", {"version": 0, "key": "k", **fields})
    assert page.status_code == 422 and 'role="alert"' in page.content.decode()


def test_worthless_addresses(puzzle: Puzzle) -> None:
    own = puzzle.get_absolute_url()
    assert (
        "answers-compared" not in Client().get(own, {"answer": "forged"}).content.decode().split("stage-side")[1][:400]
    )
    tomorrow = services.today() + timedelta(days=1)
    for address in (f"/puzzles/{tomorrow}/", "/puzzles/2026-02-31/", "/puzzles/1999-01-01/"):
        assert Client().get(address).status_code == 404
    assert Client().get(f"{own}at/", {"x": "nan", "y": "1"}).status_code == 404
    assert Client().get(f"{own}turn/").status_code == 302


def test_the_archive_lists_a_day_in_as_many_queries_as_many(puzzle: Puzzle, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(2):
        Client().get("/puzzles/all/")
    for days in range(1, 4):
        event = puzzle.event + 1000 + days
        puzzle.pk, puzzle.event, puzzle.day = None, event, services.today() - timedelta(days=days)
        puzzle.save(force_insert=True)
    with django_assert_num_queries(2):
        page = Client().get("/puzzles/all/").content.decode()
    assert page.count('<li><a href="/puzzles/2') == page.count("<span>Rallyman: DIRT</span>") == 4


def test_the_front_page_and_my_turns_lead_to_the_puzzle(puzzle: Puzzle) -> None:
    for browser, address in ((Client(), "/"), (signed_in(make_user()), "/turns/")):
        assert f'href="{puzzle.get_absolute_url()}"' in browser.get(address).content.decode()


def test_what_is_prepared_makes_an_answer_no_other(puzzle: Puzzle) -> None:
    game = positions.required_puzzles(puzzle.run.game)
    for way in (puzzle.best, puzzle.second, puzzle.obvious):
        plain = game.weighed(puzzle.state, puzzle.seat, way["orders"])
        assert plain == game.weighed(puzzle.state, puzzle.seat, way["orders"], puzzle.prepared)
        assert plain.value == way["value"]


def test_a_rally_without_ledgers_gives_no_puzzle_and_shows_none(run: Run) -> None:
    rallies = Rally.objects.filter(pk=run.special_stage.rally_id)
    rallies.update(ledgers=False)
    assert services.look_for_puzzles(now=clock.now()) == 0
    assert not Searched.objects.exists(), "switched on again it is searched"
    rallies.update(ledgers=True)
    assert services.look_for_puzzles(now=clock.now()) == 1
    puzzle = Puzzle.objects.get()
    rallies.update(ledgers=False)
    assert Client().get(puzzle.get_absolute_url()).status_code == 404
    assert puzzle.get_absolute_url() not in Client().get("/puzzles/all/").content.decode()


def test_puzzles_that_nobody_may_see_any_more_keep_no_others_from_being_found(run: Run) -> None:
    closed, _entries = driven("Cy", "Dee")
    ways: dict[str, Any] = {"best": {}, "second": {}, "obvious": {}, "ways": 9, "gap": 1}
    Puzzle.objects.bulk_create(
        Puzzle(run=closed, event=number, seat="1", version="1", state={}, found_at=clock.now(), **ways)
        for number in range(services.ENOUGH)
    )
    assert services.look_for_puzzles(now=clock.now()) == 1
    assert Puzzle.objects.get(day=services.today()).run == run


def test_the_day_gets_its_puzzle_also_when_the_time_of_the_task_is_over(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.search(run=run, now=clock.now())
    slow, _entries = driven("Cy", "Dee")
    Club.objects.filter(pk=slow.special_stage.rally.club_id).update(visibility=Club.Visibility.PUBLIC)

    def time_is_over(_run: Run) -> None:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(positions, "positions", time_is_over)
    with pytest.raises(SoftTimeLimitExceeded):
        services.look_for_puzzles(now=clock.now())
    assert Puzzle.objects.get(day=services.today()).run == run


def test_a_puzzle_from_before_an_upgrade_is_judged_by_the_values_of_today(puzzle: Puzzle) -> None:
    way = {**puzzle.best, "value": puzzle.best["value"] - 1000}
    Puzzle.objects.filter(pk=puzzle.pk).update(version="0", best=way, prepared={"of": "another form"})
    assert "Solved." in answered(Client(), puzzle, puzzle.best)
    told = answered(Client(), puzzle, puzzle.obvious)
    assert "Not the fastest." in told and "+1" not in told.split('class="lost-figure"')[1].split("</p>")[0]
