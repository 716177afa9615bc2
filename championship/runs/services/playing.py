"""A turn, from the form to the podium, by its driver or by the codriver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship import clock
from championship.accounts.models import User
from championship.rallies.models import Entry
from championship.refusals import Forbidden, Stale
from championship.runs.models import Run, Turn
from championship.runs.services.ahead import drive_on
from championship.runs.services.posting import carry_out, drop_draft, locked_run
from championship.runs.services.waiting import call_codriver
from engine import ruleset

KEY_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of a post: the run after it, and whether it was played now (False: it had been, this is its
    answer).
    """

    run: Run
    played: bool


@transaction.atomic
def play_turn(*, by: User, run: Run, orders: Mapping[str, Any], version: int, key: str) -> Posted:
    """Carry out a driver's orders, one step of a turn or all of it.

    `version` is the one of the run that the driver saw; `key` names this post, so that the same one sent
    twice plays once. Raises Forbidden for anyone but the driver whose turn it is (O1), Stale when the run
    has moved on or the key came with other orders, Refused with rule and move when the rules forbid it.
    Whatever is raised, nothing has changed.
    """
    key = key[:KEY_LENGTH]
    run = locked_run(run.pk)
    place = run.places.select_related("entry").filter(entry__driver=by).first()
    if place is None:
        raise Forbidden(_("You do not drive in this run."), rule="O1")
    sent_before = run.posts.filter(by=by, key=key).first() if key else None
    if sent_before and sent_before.orders == dict(orders):
        return Posted(run, played=False)
    if sent_before or version != run.version:
        raise Stale(_("The stage has moved on since you saw it. Here it is as it stands now; look again."))
    if run.status != Run.Status.RUNNING:
        raise Stale(_("This stage is over."))
    if place.entry.driven_by != Entry.DrivenBy.PERSON:
        raise Forbidden(_("The codriver drives your car. Ask the organiser to hand it back to you."))
    if place.played:
        raise Forbidden(_("The codriver has the wheel. Take it back first, on the page of the stage."))
    if place.driver not in ruleset.get(run.game).to_play(run.state):
        raise Forbidden(_("It is not your turn."), rule="O1")
    now = clock.now()
    carry_out(run, place, orders, by=by, key=key, now=now)
    drop_draft(run, place, keep_orders=orders.get("do") != "standing")
    drive_on(run, now=now)
    call_codriver(run, now=now)
    return Posted(run, played=True)


def drive_for(run: Run, turn: Turn, *, now: datetime) -> None:
    """The codriver makes this turn, or what is left of it. The run row is locked."""
    rules = ruleset.get(run.game)
    while rules.turns_made(run.state, turn.place.driver) == turn.made_before:
        orders = rules.autopilot(run.state, turn.place.driver)
        carry_out(run, turn.place, orders, by=None, key="", now=now)
    drop_draft(run, turn.place, keep_orders=True)
    drive_on(run, now=now)
