"""A turn, from the form to the podium, by its driver or by the codriver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship import clock
from championship.accounts.models import User
from championship.prepared_queries import prepared
from championship.rallies.codrivers import manner_of
from championship.rallies.models import Entry
from championship.refusals import Forbidden, Stale
from championship.runs import watching
from championship.runs.models import Post, Run, Turn
from championship.runs.services.advancing import advance
from championship.runs.services.moving_run import (
    Moving,
    asked_of_moving,
    in_run,
    locked_with,
    mixed,
    moving_one,
    seat_by_driver,
)
from championship.runs.services.orders_ahead import take_off
from championship.runs.services.seals import checked_salt
from engine import registry
from engine.contract import OrdersAhead, offered

KEY_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of a post: the run after it, and whether it was played now (False: it had been, this is its
    answer).
    """

    run: Run
    played: bool


@transaction.atomic
def play_turn(*, by: User, run: Run, orders: Mapping[str, Any], version: int, key: str, salt: str = "") -> Posted:
    """Carry out a driver's orders, one step of a turn or all of it.

    `version` is the seat's own of the run that the driver saw: what others have done that the seat may not read leaves
    it as it is, and whatever the seat may read makes the post out of date. `key` names this post, so that the same one
    sent twice plays once. `salt`: what the driver's browser made for the draws of these orders. Whatever is raised,
    nothing has changed.

    Raises: Forbidden for anyone but the driver whose turn it is (O1), Stale when the run has moved on or the key came
    with other orders or another salt, Refused with rule and move when the rules forbid it, or for a salt that is none.
    """
    key, salt = key[:KEY_LENGTH], checked_salt(salt)
    run, (own, before, *of_moving) = locked_with(
        run.pk,
        seat_by_driver.asked(run=run.pk, driver=by.pk),
        _sent_before.asked(run=run.pk, by=by.pk, key=key),
        *asked_of_moving([run.pk]),
    )
    seat = in_run(run, own)
    if seat is None:
        raise Forbidden(_("You do not drive in this run."), rule="O1")
    sent_before = next(iter(before), None) if key else None
    if sent_before and sent_before.orders == dict(orders) and sent_before.salt in (salt, mixed(run, salt)):
        return Posted(run, played=False)
    if sent_before or version != watching.version_for(run, seat.driver):
        raise Stale(_("Things have moved on since you saw it. Here it is as it stands now; look again."))
    if run.status != Run.Status.RUNNING:
        raise Stale(str(run.special_stage.rally.words.over))
    if seat.entry.driven_by != Entry.DrivenBy.PERSON:
        raise Forbidden(_("The codriver drives your car. Ask the organiser to hand it back to you."))
    if seat.played:
        raise Forbidden(_("The codriver has the wheel. Take it back first, where you drive."))
    if seat.driver not in registry.get(run.game).to_play(run.state):
        raise Forbidden(_("It is not your turn."), rule="O1")
    moved, now = moving_one(run, of_moving), clock.now()
    _drives_by_hand(moved, seat.driver, now)
    moved.play(seat.driver, orders, by=by, key=key, now=now, salt=salt)
    moved.handed_in.append((moved.seats[seat.driver], True))
    advance([moved], now=now)
    return Posted(run, played=True)


@prepared
def _sent_before(run: Any, by: Any, key: Any) -> QuerySet[Post]:
    return Post.objects.filter(run=run, by=by, key=key).order_by()[:1]


def _drives_by_hand(moved: Moving, seat: str, now: datetime) -> None:
    """A plan for this one turn that a worker has not come to yet is not wanted any more."""
    plan, sending = moved.plans.get(seat), offered(moved.rules, OrdersAhead)
    if plan is None or sending is None or sending.lasts(plan.orders) or not sending.begins(moved.run.state, seat):
        return
    take_off(moved.seats[seat], now=now)
    del moved.plans[seat]


def drive_for(moved: Moving, turn: Turn, *, now: datetime) -> None:
    """The codriver makes this turn, or what is left of it."""
    seat, manner = turn.seat.driver, manner_of(turn.seat.entry)
    while seat in moved.rules.to_play(moved.run.state) and (
        moved.rules.turns_made(moved.run.state, seat) == turn.made_before
    ):
        moved.play(seat, moved.rules.autopilot(moved.run.state, seat, manner), now=now)
    moved.handed_in.append((turn.seat, True))
