"""A turn, from the form to the podium: lock the run, ask the engine, write down turn and events, save the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.rallies.models import Entry
from championship.refusals import Forbidden, Refused, Stale
from championship.runs.models import Event, Place, Post, Run, Turn
from championship.runs.services.waiting import call_codriver, wait_for_next
from engine import chance, ruleset

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
    if place.driver not in ruleset.get(run.game).to_play(run.state):
        raise Forbidden(_("It is not your turn."), rule="O1")
    now = timezone.now()
    carry_out(run, place, orders, by=by, key=key, now=now)
    pass_forced_turns(run, now=now)
    call_codriver(run)
    return Posted(run, played=True)


def locked_run(run_id: int) -> Run:
    """The run row, locked until the transaction ends; everything about a run is written under this lock."""
    return Run.objects.select_for_update(of=("self",)).select_related("special_stage__rally").get(pk=run_id)


def carry_out(run: Run, place: Place, orders: Mapping[str, Any], *, by: User | None, key: str, now: datetime) -> None:
    """Let the engine play, append post and events, save state and version, open the next turn. The run row is locked.

    Raises Refused with the rule and the move that forbid it.
    """
    rules = ruleset.get(run.game)
    luck = luck_for(run)
    try:
        state, events = rules.play(run.state, place.driver, orders, luck)
    except ruleset.RuleError as error:
        raise Refused(error.words(_), field="plan", rule=error.rule, move=error.move) from None
    turn = Turn.objects.get(run=run, place=place, ended_at=None)
    post = Post.objects.create(run=run, number=run.version + 1, turn=turn, by=by, key=key, orders=dict(orders), at=now)
    Event.objects.bulk_create(
        Event(run=run, number=number, post=post, kind=event["kind"], data=event)
        for number, event in enumerate(events, run.events_told + 1)
    )
    run.state, run.version, run.drawn = state, run.version + 1, luck.drawn
    run.events_told += len(events)
    run.save(update_fields=["state", "version", "drawn", "events_told"])
    wait_for_next(run, now=now)


def luck_for(run: Run) -> chance.Seeded:
    """The chance of a run, from where its last post left it."""
    common = None if run.common is None else bytes(run.common)
    return chance.Seeded(bytes(run.secret), run.phrases, drawn=run.drawn, common=common)


def pass_forced_turns(run: Run, *, now: datetime) -> None:
    """Turns in which there is nothing to decide are made at once: nobody is waited for without need."""
    rules = ruleset.get(run.game)
    while run.status == Run.Status.RUNNING:
        forced = [driver for driver in rules.to_play(run.state) if rules.choices(run.state, driver, "").forced]
        if not forced:
            return
        place = run.places.get(driver=forced[0])
        carry_out(run, place, rules.autopilot(run.state, forced[0]), by=None, key="", now=now)


def drive_for(run: Run, turn: Turn, *, now: datetime) -> None:
    """The codriver makes this turn, or what is left of it. The run row is locked."""
    rules = ruleset.get(run.game)
    while rules.turns_made(run.state, turn.place.driver) == turn.made_before:
        orders = rules.autopilot(run.state, turn.place.driver)
        carry_out(run, turn.place, orders, by=None, key="", now=now)
    pass_forced_turns(run, now=now)
