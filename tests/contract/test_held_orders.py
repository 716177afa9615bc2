"""A game that refuses, or fails, after a draw: the service answers with an error, shows it to operators, and holds the
seat to its orders, so that nobody draws twice.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from championship import catalogue
from championship.catalogue import Game
from championship.health import metrics
from championship.platform import clock
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.runs.models import Post, Run, Turn
from championship.runs.play import act_on_deadlines, send_ahead
from championship.runs.play.advancing_run import draw_source_for
from championship.stages.models import StageDesign
from championship.stages.services import load_library
from engine.contract import Chance, Event, Orders, State
from engine.dirt.game import Dirt
from tests.championship.api.factories import program_of
from tests.championship.platform.test_database_timeouts import held as locked
from tests.championship.rallies.factories import enter, organiser_of
from tests.championship.runs.factories import open_turn
from tests.contract.tables import make_rally, page_of, send
from tests.contract.toys.fussy import HIGH, Fussy
from tests.factories import make_club, make_user

pytestmark = pytest.mark.django_db

ROLL = {"do": "roll"}
PICKY = {"do": "roll", "over": 4}


@pytest.fixture
def fussy(toys: None) -> Iterator[Fussy]:
    """The game, installed as by GAME_APPS."""
    game = Fussy()
    catalogue.register(Game("fussy", engine=game, title="Fussy"))
    load_library()
    yield game


def at_the_table() -> tuple[Run, Entry]:
    """Return a run of the game that has just started, and the entry that is to play."""
    rally = make_rally("fussy")
    enter(rally, "Ana", "Bo")
    rallies.start_rally(by=organiser_of(rally), rally=rally)
    run = Run.objects.get(special_stage__rally=rally)
    return run, run.seats.select_related("entry__driver").get(name=run.state["next"]).entry


def face_of(run: Run, salt: str) -> int:
    """Return the face that the next roll shows with that salt."""
    seat = run.state["next"]
    return 1 + draw_source_for(run, salt).number(f"{seat} turn 1 roll 1", 6)


def salt_for(run: Run, faces: range) -> str:
    return next(salt for salt in map(str, range(1000)) if face_of(run, salt) in faces)


LOW, LUCKY = range(1, HIGH), range(HIGH, 7)


def post(run: Run, entry: Entry, orders: dict[str, Any], salt: str, **headers: str) -> Any:
    program = program_of(entry.driver, "play")
    return program.post(f"runs/{run.key}/turns", {"orders": orders, "version": run.version, "salt": salt}, **headers)


def test_a_refusal_after_a_draw_is_an_error_that_is_logged_and_shown_to_operators(
    fussy: Fussy, caplog: pytest.LogCaptureFixture
) -> None:
    run, ana = at_the_table()
    answer = post(run, ana, PICKY, salt_for(run, LOW))
    assert answer.status_code == 500, answer.content
    told = answer.json()
    assert told["type"].endswith("/api/problems/not-carried-out/")
    assert "operators have been notified" in told["detail"] and "rule" not in told
    assert "the face is not high enough" not in answer.content.decode()
    [record] = [one for one in caplog.records if one.name.startswith("championship.runs")]
    assert record.levelno == logging.ERROR and record.exc_info
    run.refresh_from_db()
    assert run.version == 1 and not Post.objects.filter(run=run, by=ana.driver).exists()
    assert "\nparc_ferme_held_orders 1\n" in metrics.text(clock.now())[0]
    said = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("clock", "--check", stdout=said)
    assert f"{run.key} {ana.start_number}" in said.getvalue()


@pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "one"}])
def test_the_seat_is_held_to_its_orders_and_their_salt(fussy: Fussy, headers: dict[str, str]) -> None:
    run, ana = at_the_table()
    first = salt_for(run, LOW)
    assert post(run, ana, PICKY, first, **headers).status_code == 500
    for salt in (first, salt_for(run, LUCKY), ""):
        again = post(run, ana, PICKY, salt, **headers)
        assert again.status_code in (500, 422), "the same orders have the same salt, so the same face"
        assert again.status_code == 500 or again.json()["type"].endswith("/key-reused/")
    other = post(run, ana, ROLL, salt_for(run, LUCKY))
    assert other.status_code == 409 and other.json()["type"].endswith("/api/problems/held/")
    assert '"over": 4' in other.json()["detail"], "it names the orders that are accepted"
    run.refresh_from_db()
    assert run.version == 1 and Turn.objects.filter(ended_at=None).get().missed is False


def test_once_the_fault_is_mended_the_orders_are_carried_out_with_the_first_salt(fussy: Fussy) -> None:
    run, ana = at_the_table()
    first, lucky = salt_for(run, LOW), salt_for(run, LUCKY)
    face = face_of(run, first)
    fussy.broken = True
    assert post(run, ana, ROLL, first, Idempotency_Key="one").status_code == 500
    fussy.broken = False
    answer = post(run, ana, ROLL, lucky, Idempotency_Key="two")
    assert answer.status_code == 200, answer.content
    played = Post.objects.get(run=run, by=ana.driver)
    assert played.salt == first and played.events.get().data["face"] == face
    seat = run.seats.get(entry=ana)
    assert seat.held is None
    assert "\nparc_ferme_held_orders 0\n" in metrics.text(clock.now())[0]


def test_the_page_says_what_happened_and_its_form_has_the_salt(fussy: Fussy) -> None:
    run, ana = at_the_table()
    first = salt_for(run, LOW)
    fussy.broken = True
    answer = send(ana, run, ROLL, salt=first)
    page = answer.content.decode()
    assert answer.status_code == 500 and "Nothing was played, and the operators have been notified." in page
    assert f'name="salt" value="{first}"' in page
    assert f'name="salt" value="{first}"' not in Client().get(run.get_absolute_url()).content.decode()
    assert send(ana, run, {"do": "roll", "zzz": 1}).status_code == 409
    fussy.broken = False
    assert send(ana, run, ROLL, page_of(ana, run)).status_code == 302
    assert Post.objects.get(run=run, by=ana.driver).salt == first


def test_the_codriver_plays_on_with_the_same_salt_and_the_run_goes_on(fussy: Fussy, at: Any) -> None:
    """A driver who lets the deadline pass draws nothing new either."""
    run, ana = at_the_table()
    first = salt_for(run, range(2, 4))
    face = face_of(run, first)
    assert post(run, ana, PICKY, first).status_code == 500
    at(open_turn(run).deadline + timedelta(minutes=1))
    act_on_deadlines(now=clock.now())
    played = Post.objects.filter(run=run, turn__seat__entry=ana).order_by("number")[0]
    assert (played.by, played.salt, played.orders) == (None, first, ROLL)
    assert played.events.get().data["face"] == face
    assert run.seats.get(entry=ana).held is None


def test_the_codriver_plays_without_that_salt_where_the_game_cannot_go_on_with_it(
    fussy: Fussy, at: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The fault must not stop the run for all others."""
    run, ana = at_the_table()
    first = salt_for(run, LOW)
    fussy.broken = True
    assert post(run, ana, ROLL, first).status_code == 500
    at(open_turn(run).deadline + timedelta(minutes=1))
    fussy.broken = face_of(run, "") >= HIGH  # a face that the broken rules can read, or a repair
    act_on_deadlines(now=clock.now())
    played = Post.objects.filter(run=run, turn__seat__entry=ana).order_by("number")[0]
    assert played.by is None and played.salt == ("" if fussy.broken else first)


@pytest.mark.django_db(transaction=True)
def test_a_wait_for_the_database_after_a_draw_gives_no_second_chance(fussy: Fussy) -> None:
    """Somebody locks the row of the open turn, which the post needs when the die is rolled."""
    from django.db import connection

    run, ana = at_the_table()
    first, lucky = salt_for(run, LOW), salt_for(run, LUCKY)
    with locked("runs_turn", open_turn(run).pk):
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '200ms'")
        answer = post(run, ana, ROLL, first, Idempotency_Key="one")
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = 0")
    assert answer.status_code == 503 and answer["Retry-After"], answer.content
    run.refresh_from_db()
    assert run.version == 1
    assert post(run, ana, {"do": "resign"}, "").status_code == 409
    assert post(run, ana, ROLL, lucky, Idempotency_Key="two").status_code == 200
    assert Post.objects.get(run=run, by=ana.driver).salt == first


def test_a_refusal_before_the_draw_holds_nobody(fussy: Fussy) -> None:
    run, ana = at_the_table()
    assert post(run, ana, {"do": "bank"}, "").status_code == 422
    assert run.seats.get(entry=ana).held is None
    assert post(run, ana, ROLL, salt_for(run, LUCKY)).status_code == 200


class Muddy(Dirt):
    """A game with orders ahead, which stops with an error when they have drawn, while it is `broken`."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.broken = "muddy", True

    def play(self, state: State, seat: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        played = super().play(state, seat, orders, chance)
        if self.broken and orders.get("do") == "standing":
            raise ValueError("nobody has thought of this")
        return played


def test_orders_ahead_that_fail_after_a_draw_may_only_be_sent_again(toys: None) -> None:
    muddy = Muddy()
    catalogue.register(Game("muddy", engine=muddy, title="Muddy"))
    load_library()
    club = make_club(owner=make_user("Olga Organiser"))
    design = StageDesign.objects.filter(club=None, game="muddy").order_by("source")[0]
    terms = {"options": {}, "mode": "convoy", "turn_hours": 24, "reminder_hours": 4, "auto_start": True}
    olga = club.memberships.get().user
    rally = rallies.create_rally(by=olga, club=club, name="Mud", game="muddy", designs=[design], **terms)
    enter(rally, "Ana", "Bo")
    rallies.start_rally(by=olga, rally=rally)
    run = Run.objects.get(special_stage__rally=rally)
    ana, bo = (seat.entry for seat in run.seats.select_related("entry__driver").order_by("position"))
    plan = muddy.choices(muddy.ahead(run.state, str(bo.start_number)), str(bo.start_number)).ways[0].text
    send_ahead(by=bo.driver, run=run, plan=plan, orders={"roll": "one by one"}, version=run.version, salt="first")
    while muddy.to_play(run.state) == (str(ana.start_number),):
        orders = muddy.autopilot(run.state, str(ana.start_number))
        assert post(run, ana, orders, "").status_code == 200, "nobody else's orders stop this post"
        run.refresh_from_db()
    version, seat = run.version, run.seats.get(entry=bo)
    assert seat.held is not None and seat.held["salt"] == "first"
    assert run.drafts.get(person=bo.driver).laid == plan
    assert post(run, bo, {"do": "lay", "plan": plan, "roll": "flat out"}, "other").status_code == 409
    same = muddy.joined(plan, {"roll": "one by one"})
    assert post(run, bo, same, "other").status_code == 500
    muddy.broken = False
    assert post(run, bo, same, "other").status_code == 200
    played = Post.objects.filter(run=run, by=bo.driver).order_by("number")[0]
    assert (played.number, played.salt) == (version + 1, "first")
    assert run.seats.get(entry=bo).held is None
