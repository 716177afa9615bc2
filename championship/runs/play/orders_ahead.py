"""Orders ahead: kept until the turn comes, then played at once, unless the situation that they meet has changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.platform import clock
from championship.platform.refusals import Forbidden, Stale
from championship.runs.models import Run, Seat, SentAhead
from championship.runs.play.advancing_run import locked_run, seat_of
from championship.runs.play.sealing import checked_salt
from championship.runs.play.turn_drafts import open_draft, refusal_of
from championship.runs.play.writing import back_to_draft
from engine import registry
from engine.contract import OrdersAhead, RuleError, required


@transaction.atomic
def send_ahead(*, by: User, run: Run, plan: Any, orders: dict[str, Any], version: int, salt: str = "") -> SentAhead:
    """Keep a plan, with standing orders that leave no decision open, to be played when the turn comes. Orders ahead
    that were sent before are withdrawn.

    `version` is the version of the run that the driver saw. `salt` is what the driver's browser made for the coming
    draws. When an exception is raised, nothing has changed.

    Raises: Stale when the run has moved on since, above all when the turn has come.
    Raises: Refused with rule and move when the plan is not legal or cannot be played under these orders, or for an
    invalid salt.
    Raises: Forbidden when the sender does not drive in the run.
    """
    salt = checked_salt(salt)
    laying = open_draft(by=by, run=run, version=version)
    run, seat, rules = laying.run, laying.seat, registry.get(laying.run.game)
    sending = required(rules, OrdersAhead)
    if seat.name in rules.to_play(run.state):
        raise Stale(_("It is your turn already: play it instead of sending a plan ahead."))
    if version != laying.version:
        raise Stale(_("The situation has changed meanwhile. Look at it again, then send your plan ahead."))
    plan = laying.legal(plan).draft if not isinstance(plan, str) else " ".join(plan.split())
    try:
        outlook = sending.outlook(laying.state, seat.name, sending.joined(plan, orders))
    except RuleError as error:
        raise refusal_of(error) from None
    now = clock.now()
    withdraw_waiting_orders(seat, now=now)
    run.drafts.filter(person=by).delete()
    return SentAhead.objects.create(
        seat=seat,
        person=by,
        laid=plan,
        orders=orders,
        salt=salt,
        outlook=outlook,
        version=laying.version,
        sent_at=now,
    )


@transaction.atomic
def withdraw(*, by: User, run: Run) -> SentAhead:
    """Withdraw the waiting orders ahead. They become the driver's draft again.

    Raises: Forbidden when the person does not drive in the run.
    Raises: Stale when no orders wait: they may just have been played.
    """
    run = locked_run(run.pk)
    seat = seat_of(run, by)
    if seat is None:
        raise Forbidden(_("You do not drive in this run."), rule="O1", game=run.game)
    ahead = SentAhead.objects.filter(seat=seat, person=by).last()
    if ahead is None or ahead.state != SentAhead.State.WAITING:
        driven = ahead is not None and ahead.state == SentAhead.State.DRIVEN
        raise Stale(
            _("Your plan has been driven already.") if driven else _("You have no plan that waits for your turn.")
        )
    now = clock.now()
    ahead.seat, ahead.state, ahead.settled_at = seat, SentAhead.State.WITHDRAWN, now
    ahead.save(update_fields=["state", "settled_at"])
    back_to_draft(run, ahead, now=now)
    return ahead


def withdraw_waiting_orders(seat: Seat, *, now: datetime) -> None:
    """Withdraw the waiting orders ahead of a car that somebody else drives from now on: they are not played, and become
    nobody's draft. The run row must be locked.
    """
    waiting = SentAhead.objects.filter(seat=seat, state=SentAhead.State.WAITING)
    waiting.update(state=SentAhead.State.WITHDRAWN, settled_at=now)
