"""Play a turn, for its driver or for the codriver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.platform import clock
from championship.platform.prepared_queries import prepared
from championship.platform.refusals import Forbidden, NotCarriedOut, Stale
from championship.rallies.entries.codrivers import manner_of
from championship.rallies.models import Entry
from championship.runs.models import Post, Run, Seat, Turn
from championship.runs.play.advancing import advance
from championship.runs.play.advancing_run import (
    AdvancingRun,
    assemble_run,
    first_seat_in,
    is_left_over,
    load_queries,
    locked_with,
    salt_with_second_seal,
    seat_by_driver,
)
from championship.runs.play.held_orders import hold, salt_of
from championship.runs.play.orders_ahead import withdraw_waiting_orders
from championship.runs.play.sealing import checked_salt
from championship.runs.watch import watching
from engine import registry
from engine.contract import OrdersAhead, offered

KEY_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Posted:
    """The result of a post: the run after it, and whether it was played now. `played` is False when the same post was
    played before.
    """

    run: Run
    played: bool


def play_turn(*, by: User, run: Run, orders: Mapping[str, Any], version: int, key: str, salt: str = "") -> Posted:
    """Carry out a driver's orders, one step of a turn or all of it.

    `version` is the seat's version of the run that the driver saw. Posts that the seat may not read do not change it.
    After any post that the seat may read, orders with the older version are refused as out of date. `key` names this
    post, so that the same post sent twice is played once. `salt` is what the driver's browser made for the draws of
    these orders. When an exception is raised, nothing has changed, except that `NotCarriedOut` leaves the seat held to
    its orders.

    Raises: Forbidden when it is not the turn of this driver (O1), or the codriver drives the car.
    Raises: Stale when the run has moved on, or the key came before with other orders or another salt.
    Raises: Refused with rule and move when the rules forbid the orders, or for an invalid salt. Nothing was drawn.
    Raises: Held when the seat is held to other orders.
    Raises: NotCarriedOut when an error stops the orders after a draw.
    """
    with transaction.atomic():  # the lock on the run is kept until the seat is held to orders that failed
        posted, failure = _play(by=by, run=run, orders=orders, version=version, key=key, salt=salt)
    if failure is not None:
        raise failure
    return posted


def _play(
    *, by: User, run: Run, orders: Mapping[str, Any], version: int, key: str, salt: str
) -> tuple[Posted, NotCarriedOut | None]:
    """Play as `play_turn`. An error after a draw is returned, so that the transaction commits what is written about
    it.
    """
    key, salt = key[:KEY_LENGTH], checked_salt(salt)
    run, (own, before, *of_moving) = locked_with(
        run.pk,
        seat_by_driver.bind(run=run.pk, driver=by.pk),
        _sent_before.bind(run=run.pk, by=by.pk, key=key),
        *load_queries([run.pk]),
    )
    seat = first_seat_in(run, own)
    if seat is None:
        raise Forbidden(_("You do not drive in this run."), rule="O1", game=run.game)
    sent_before = next(iter(before), None) if key else None
    if (
        sent_before
        and sent_before.orders == dict(orders)
        and sent_before.salt in (salt, salt_with_second_seal(run, salt))
    ):
        return Posted(run, played=False), None
    if sent_before or version != watching.version_for(run, seat.name):
        raise Stale(_("The situation has changed meanwhile. This page shows it as it is now; look again."))
    if run.status != Run.Status.RUNNING or is_left_over(run):
        raise Stale(str(run.special_stage.rally.words.over))
    if seat.entry.driven_by != Entry.DrivenBy.PERSON:
        raise Forbidden(_("The codriver drives your car. Ask the organiser to hand it back to you."))
    if seat.codriver_drives:
        raise Forbidden(_("The codriver has the wheel. Take it back first, on the page of the run."))
    if seat.name not in registry.get(run.game).to_play(run.state):
        raise Forbidden(_("It is not your turn."), rule="O1", game=run.game)
    salt = salt_of(seat, orders, salt)
    advancing, now = assemble_run(run, of_moving), clock.now()
    try:
        with transaction.atomic():
            _withdraw_unplayed_orders(advancing, seat.name, now)
            advancing.play(seat.name, orders, by=by, key=key, now=now, salt=salt)
            advancing.changes.handed_in.append((advancing.seats[seat.name], True))
            advance([advancing], now=now)
            _check_constraints()
    except Exception as error:
        if not advancing.asked:
            raise
        return Posted(run, played=False), hold(seat, orders, salt, error)
    return Posted(run, played=True), None


def _check_constraints() -> None:
    """Check the foreign keys of what was written now, in one trip. Otherwise they are checked at the commit, where a
    wait for a locked row would undo the post when nothing can be written about it any more.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")


@prepared
def _sent_before(run: Any, by: Any, key: Any) -> QuerySet[Post]:
    return Post.objects.filter(run=run, by=by, key=key).order_by()[:1]


def _withdraw_unplayed_orders(advancing: AdvancingRun, seat: str, now: datetime) -> None:
    """Withdraw orders ahead for this turn that a worker has not played yet: the driver now plays the turn directly.
    Orders that hold for later turns stay.
    """
    ahead, sending = advancing.orders_ahead.get(seat), offered(advancing.rules, OrdersAhead)
    if ahead is None or sending is None or sending.lasts(ahead.orders) or not sending.begins(advancing.run.state, seat):
        return
    withdraw_waiting_orders(advancing.seats[seat], now=now)
    del advancing.orders_ahead[seat]


def drive_for(advancing: AdvancingRun, turn: Turn, *, now: datetime) -> None:
    """Let the codriver play this turn, or the rest of it."""
    handed_over = turn.seat.handed_over
    seat, manner = turn.seat.name, manner_of(turn.seat.entry, advancing.run.game)
    while seat in advancing.rules.to_play(advancing.run.state) and (
        advancing.rules.turns_made(advancing.run.state, seat) == turn.made_before
    ):
        advancing.play(seat, advancing.rules.autopilot(advancing.run.state, seat, manner), now=now)
    if handed_over:
        turn.done = Turn.Done.GIVEN if turn.seat.by_organiser else Turn.Done.HANDED_OVER
        advancing.changes.clock_turns.append(turn)
        if handed_over == Seat.HandedOver.TURN and turn.seat.by_organiser:
            advancing.queue_notice(turn, "turn driven for you", done=Turn.Done.GIVEN, take_back_until=None)
    advancing.changes.handed_in.append((turn.seat, True))
