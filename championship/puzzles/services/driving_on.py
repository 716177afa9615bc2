"""Drive on from a turn of a finished run, against the codriver: begin, play, and what was driven so far.

It is practice: it counts for nothing, draws from a secret of its own, and changes nothing of the run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.puzzles.models import DriveOn
from championship.puzzles.positions import position_before
from championship.puzzles.selectors import may_drive_on
from championship.rallies.results import measures
from championship.runs.models import Run
from championship.runs.watch import watching
from championship.runs.watch.scenes import Driven, Opening, ScenePost
from engine import registry
from engine.chance import SeededChance

MOST_AN_HOUR = 20
"""How many drives on a person may begin in an hour."""
MOST_POSTS = 600
"""How many posts a drive on takes, those of the codriver included. No stage needs a third of them."""
MOST_BY_OTHERS = 60
"""How many posts of other seats may follow one of the driver's."""
KEPT = timedelta(days=30)
"""After this time a drive on is deleted when its driver begins another one."""


@transaction.atomic
def begin(*, by: User, run: Run, event: int) -> DriveOn:
    """Begin to drive on from the last turn of a run with at most so many events before it, in the seat that is to play.

    Raises: Http404 when the person may not, or nobody is to play there.
    Raises: Refused when MOST_AN_HOUR have been begun within the hour.
    """
    may_drive_on(run, by)
    now = clock.now()
    User.objects.select_for_update().get(pk=by.pk)
    _forget_old(by, now)
    if DriveOn.objects.filter(person=by, begun_at__gt=now - timedelta(hours=1)).count() >= MOST_AN_HOUR:
        raise Refused(_("You have begun many drives within an hour. Finish one, or come back a little later."))
    position = position_before(run, event)
    return DriveOn.objects.create(
        person=by, run=run, event=position.event, seat=position.seat, state=position.state, begun_at=now
    )


def _forget_old(by: User, now: datetime) -> None:
    DriveOn.objects.filter(person=by, begun_at__lt=now - KEPT).delete()


def driven(drive: DriveOn) -> Driven:
    """Return what was driven so far."""
    run, rules = drive.run, registry.get(drive.run.game)
    seats = tuple(str(entrant["id"]) for entrant in run.entrants)
    state, posts = drive.state, list[ScenePost]()
    for post in drive.posts:
        before = state
        for event in post["events"]:
            state = rules.apply(state, event)
        posts.append(ScenePost(post["seat"], post["orders"], before, tuple(post["events"])))
    return Driven(Opening(run.stage, run.options, drive.state, drive.seat, seats), state, tuple(posts))


def is_over(drive: DriveOn, now: Driven) -> bool:
    """Return whether nobody is to play any more, or the drive has become too long."""
    return not registry.get(drive.run.game).to_play(now.state) or len(drive.posts) >= MOST_POSTS


def results(drive: DriveOn, now: Driven) -> tuple[str, str] | None:
    """Return the result of the car at the end of a drive on, and that in the run; None where one has none."""
    rules, measure, found = registry.get(drive.run.game), measures.measure_of_game(drive.run.game), list[str]()
    for ended in (rules.result(now.state), watching.result_of(drive.run)):
        if ended is None:
            return None
        car = next(each for each in ended.seats if each.seat == drive.seat)
        found.append(_("retired") if car.measure is None else measures.result(car.measure, measure))
    return found[0], found[1]


@transaction.atomic
def play(*, by: User, drive: DriveOn, orders: Mapping[str, Any], key: str) -> DriveOn:
    """Play orders, and let the codriver play the other cars until the driver is to decide. The same key again changes
    nothing.

    Raises: RuleError when the orders are illegal. Then nothing is changed.
    """
    locked = DriveOn.objects.select_for_update(of=("self",)).select_related("run").get(pk=drive.pk, person=by)
    now = driven(locked)
    if locked.last_key == key or is_over(locked, now):
        return locked
    rules, state = registry.get(locked.run.game), now.state
    state = _played(locked, state, locked.seat, orders)
    for _post in range(MOST_BY_OTHERS):
        playing = rules.to_play(state)
        if not playing or len(locked.posts) >= MOST_POSTS:
            break
        seat = locked.seat if locked.seat in playing else playing[0]
        if seat == locked.seat and not rules.choices(state, seat).forced:
            break
        state = _played(locked, state, seat, rules.autopilot(state, seat))
    locked.last_key = key
    locked.save(update_fields=["posts", "last_key"])
    return locked


def _played(drive: DriveOn, state: Any, seat: str, orders: Mapping[str, Any]) -> Any:
    """Return the state after orders; the post is added to the drive. Each post draws from a secret of its own."""
    rules = registry.get(drive.run.game)
    secret = hashlib.sha256(bytes(drive.secret) + str(len(drive.posts)).encode()).digest()
    state, events = rules.play(state, seat, orders, SeededChance(secret))
    drive.posts.append({"seat": seat, "orders": dict(orders), "events": [dict(one) for one in events]})
    return state
