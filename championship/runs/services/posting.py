"""Writing a run on, whoever drives: lock it, ask the engine, write down post and events, save the state."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.refusals import Refused
from championship.runs.models import Draft, Event, Place, Post, Run, Turn
from championship.runs.services.waiting import wait_for_next
from engine import chance, ruleset


def locked_run(run_id: int) -> Run:
    """The run row, locked until the transaction ends; everything about a run is written under this lock."""
    return Run.objects.select_for_update(of=("self",)).select_related("special_stage__rally").get(pk=run_id)


def play_on(
    run: Run, turn: Turn, orders: Mapping[str, Any], *, by: User | None, key: str, now: datetime
) -> tuple[Post, list[Event]]:
    """Let the engine play: the run moves on in memory, post and events are still to be written. The run row is locked.

    Raises Refused with the rule and the move that forbid it.
    """
    rules = ruleset.get(run.game)
    luck = luck_for(run)
    try:
        state, told = rules.play(run.state, turn.place.driver, orders, luck)
    except ruleset.RuleError as error:
        raise Refused(error.words(_), field="plan", rule=error.rule, move=error.move) from None
    post = Post(run=run, number=run.version + 1, turn=turn, by=by, key=key, orders=dict(orders), at=now)
    events = [
        Event(run=run, number=number, post=post, kind=event["kind"], data=event)
        for number, event in enumerate(told, run.events_told + 1)
    ]
    run.state, run.version, run.drawn = state, run.version + 1, luck.drawn
    run.events_told += len(events)
    return post, events


def carry_out(run: Run, place: Place, orders: Mapping[str, Any], *, by: User | None, key: str, now: datetime) -> None:
    """Let the engine play, append post and events, save state and version, open the next turn. The run row is locked.

    Raises Refused with the rule and the move that forbid it.
    """
    turn = Turn.objects.select_related("place").filter(run=run, place=place, ended_at=None).first()
    if turn is None:
        turn = Turn(run=run, place=place)  # the rules refuse who is not to play
    post, events = play_on(run, turn, orders, by=by, key=key, now=now)
    post.save(force_insert=True)
    Event.objects.bulk_create(events)
    run.save(update_fields=["state", "version", "drawn", "events_told"])
    wait_for_next(run, now=now)


def drop_draft(run: Run, place: Place, *, keep_orders: bool = False) -> None:
    """What was laid has been handed in, or another has driven: the draft was for what is over now. `keep_orders`: how
    the driver means to roll holds for the next turn as well.
    """
    drafts = Draft.objects.filter(run=run, person_id=place.entry.driver_id)
    if keep_orders:
        drafts.exclude(orders={}).update(plan="")
        drafts = drafts.filter(orders={})
    drafts.delete()


def luck_for(run: Run) -> chance.Seeded:
    """The chance of a run, from where its last post left it."""
    common = None if run.common is None else bytes(run.common)
    return chance.Seeded(bytes(run.secret), run.phrases, drawn=run.drawn, common=common)
