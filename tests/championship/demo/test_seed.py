"""The demo's data: what a visitor finds on the first day, made only once, by the services that people use."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import transaction
from django.test import Client, override_settings

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.demo.clubs import CHAMPIONSHIP, CLUB, PUBLIC_CLUB
from championship.demo.persons import CLASSES, CODRIVEN, DRIVER, GUEST, PERSONS, TEAMS
from championship.demo.recording import FOLDER, under_way
from championship.demo.services import seed
from championship.moments.models import Cheer, Comment
from championship.platform import clock
from championship.rallies.models import Entry, Penalty, Rally, StageTime
from championship.runs.models import Post, Run, Turn
from championship.runs.play import check_snapshot, drive_codrivers
from championship.runs.play.sealing import recorded_secrets
from championship.runs.watch.my_turns import waiting_for
from championship.runs.watch.proof import proof_of
from championship.seasons.models import Championship
from championship.seasons.selectors import table
from championship.stewards.models import Decision
from engine import registry

MOST_BYTES = 1_500_000
"""What the recording may take in the tree."""


@pytest.fixture(scope="module")
def first_day(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """A demo on its first day."""
    with django_db_blocker.unblock(), transaction.atomic():
        assert seed()
        yield
        transaction.set_rollback(True)


@pytest.fixture
def visitor(first_day: None) -> Iterator[User]:
    """The driver whom a visitor becomes. What a test changes is taken back."""
    with transaction.atomic():
        yield User.objects.get(email=DRIVER.email)
        transaction.set_rollback(True)


def test_the_season_is_three_rounds_old(visitor: User) -> None:
    season = Championship.objects.get(name=CHAMPIONSHIP)
    rounds = [each.rally for each in season.rounds.order_by("number")]

    assert [rally.status for rally in rounds] == ["finished"] * 3 + ["running"] + ["entries"] * 2
    found = table(season)
    drivers = {person.name for person in (DRIVER, *CODRIVEN)}
    assert {str(line.who) for line in found.drivers} == drivers
    assert len({line.total for line in found.drivers}) > 3
    assert all(found.classes[name] for name in CLASSES) and {str(line.who) for line in found.teams} == set(TEAMS)
    winners = {next(str(line.entry.driver) for line in found.results[each.pk].overall) for each in rounds[:3]}
    assert len(winners) > 1
    assert StageTime.objects.filter(special_stage__rally__round__championship=season, retired=True).exists()
    assert Comment.objects.filter(rally__in=rounds).count() > 6 and Cheer.objects.filter(rally__in=rounds).count() > 6
    assert Penalty.objects.filter(rally__in=rounds).count() == 2 and Decision.objects.count() == 1


def test_the_past_is_weeks_old_and_nothing_is_in_the_future(visitor: User) -> None:
    now = clock.now()
    past = list(Rally.objects.filter(club__name=CLUB, status=Rally.Status.FINISHED).order_by("started_at"))

    starts = [rally.started_at for rally in past]
    assert all(timedelta(days=7) <= later - earlier <= timedelta(days=21) for earlier, later in pairwise(starts))
    assert timedelta(days=5) < now - past[-1].finished_at < timedelta(days=21)
    for moments in (
        Post.objects.values_list("at", flat=True),
        Turn.objects.values_list("since", flat=True),
        Rally.objects.values_list("created_at", flat=True),
        Entry.objects.values_list("created_at", flat=True),
        Club.objects.values_list("created_at", flat=True),
        Comment.objects.values_list("at", flat=True),
    ):
        assert max(moments) <= now
    assert not Entry.objects.filter(created_at__gt=now - timedelta(days=1)).exists()


def test_three_turns_wait_for_the_visitor_and_for_nobody_else_there(visitor: User) -> None:
    waiting = [waits.turn for waits in waiting_for(visitor)]

    assert {turn.run.special_stage.rally.game for turn in waiting} == {"dirt", "formula_d", "dust"}
    for turn in waiting:
        rules, state = registry.get(turn.run.game), turn.run.state
        assert rules.to_play(state) == (turn.seat.name,)
        assert rules.turns_made(state, turn.seat.name) > 1
        assert turn.run.seats.filter(entry__driven_by="codriver").count() >= 3
        assert not drive_codrivers(run_id=turn.run.pk)
        assert turn.deadline > clock.now() + timedelta(hours=12)
        assert check_snapshot(run=turn.run)


def test_no_car_of_a_codriver_stands_at_its_start(visitor: User) -> None:
    run = Run.objects.get(special_stage__rally__name="Dust and Dials")

    spaces = [driver["space"] for driver in run.state["drivers"].values()]
    assert len(set(spaces)) > 1 or set(spaces) != {run.state["set"]["cockpit"]["centre"]}
    assert any(driver["traction"] or driver["keys"] or driver["speed"] for driver in run.state["drivers"].values())


def test_every_draw_of_the_past_can_be_proved(visitor: User) -> None:
    over = Run.objects.filter(status=Run.Status.FINISHED)

    assert over.count() == 11
    assert {proof_of(run).wrong for run in over} == {""}
    assert not {rally for run in over if (rally := run.special_stage.rally).paused_at}


def test_a_stranger_reads_the_public_club(client: Client, visitor: User) -> None:
    club = Club.objects.get(name=PUBLIC_CLUB)
    over, running = club.rallies.get(status="finished"), club.rallies.get(status="running")
    stage = Run.objects.get(special_stage__rally=running)

    assert GUEST.crew in client.get(f"{over.get_absolute_url()}podium/").content.decode()
    for address in (club.get_absolute_url(), running.get_absolute_url(), stage.get_absolute_url()):
        assert client.get(address).status_code == 200
    page = client.get("/demo/").content.decode()
    assert club.get_absolute_url() in page and over.name in page and "Sandstone Grand Prix" in page


def test_an_older_demo_stays_as_it_is(visitor: User) -> None:
    Rally.objects.filter(name="Sandstone Grand Prix").update(name="Renamed by a visitor")
    kinds = (User, Club, Rally, Entry, Championship, Post)
    before = [model.objects.count() for model in kinds]

    assert not seed()
    assert [model.objects.count() for model in kinds] == before
    assert User.objects.filter(email__endswith="@demo.example").count() == len(PERSONS)


@override_settings(DEMO=False)
def test_outside_the_demo_no_seal_has_a_secret_that_is_known() -> None:
    with pytest.raises(RuntimeError), recorded_secrets([b"known"]):
        pass


def test_the_recording_is_small_and_of_the_rules_of_today() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MOST_BYTES
    assert {"Sandstone Grand Prix", "Dust and Dials", "Rally 4: Heather Ridge", "Dune Road"} == under_way().keys()
    for name, recorded in under_way().items():
        assert recorded.version == registry.get(recorded.game).version, f"{name}: run `manage.py record_demo`"
