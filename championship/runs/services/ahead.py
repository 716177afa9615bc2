"""Plans sent ahead: kept until the turn comes, then driven at once, unless what they meet has changed."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, override

from championship import clock
from championship.accounts.models import User
from championship.notices import services as notices
from championship.notices.models import Notice
from championship.refusals import Forbidden, Stale
from championship.runs.models import Draft, Place, Run, SentAhead, Turn
from championship.runs.services.drafting import refusal_of, take_seat
from championship.runs.services.posting import carry_out, drop_draft, locked_run
from championship.runs.services.waiting import subject_of, tell
from engine import ruleset
from engine.ruleset import RuleError

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 500
"""Turns that may follow one post; more than any stage has while nobody decides anything."""
OUT = gettext_noop("this car drives no more on this stage")
CODRIVER = gettext_noop("the codriver drives the car")
OLDER = gettext_noop("the rules have changed since the plan was sent")


@transaction.atomic
def send_ahead(*, by: User, run: Run, plan: str, orders: dict[str, Any], version: int) -> SentAhead:
    """Keep a plan, with standing orders that leave nothing to decide, to be driven when the turn comes. One that was
    sent before is withdrawn.

    `version` is the one of the run that the driver saw. Raises Stale when the run has moved on since, above all when
    the turn has come; Refused with rule and move for what cannot be laid or rolled so; Forbidden for who does not
    drive. Whatever is raised, nothing has changed.
    """
    seat = take_seat(by=by, run=run, version=version)
    run, rules = seat.run, ruleset.get(seat.run.game)
    if seat.place.driver in rules.to_play(run.state):
        raise Stale(_("Your turn has come: there is nothing to send ahead, roll it."))
    if version != run.version:
        raise Stale(_("The stage has moved on since you saw it. Look at it again, then send your plan ahead."))
    plan = " ".join(plan.split())
    try:
        outlook = rules.outlook(seat.state, seat.place.driver, {**orders, "plan": plan})
    except RuleError as error:
        raise refusal_of(error) from None
    now = clock.now()
    take_off(seat.place, now=now)
    drop_draft(run, seat.place)
    return SentAhead.objects.create(
        place=seat.place, person=by, plan=plan, orders=orders, outlook=outlook, version=run.version, sent_at=now
    )


@transaction.atomic
def withdraw(*, by: User, run: Run) -> SentAhead:
    """Take the plan back; it is the driver's draft again. Raises Stale when none waits: it may have been driven at
    this moment.
    """
    run = locked_run(run.pk)
    place = run.places.select_related("entry").filter(entry__driver=by).first()
    if place is None:
        raise Forbidden(_("You do not drive in this run."), rule="O1")
    plan = SentAhead.objects.filter(place=place, person=by).last()
    if plan is None or plan.state != SentAhead.State.WAITING:
        driven = plan is not None and plan.state == SentAhead.State.DRIVEN
        raise Stale(_("Your plan has been driven already.") if driven else _("No plan of yours waits for its turn."))
    now = clock.now()
    _settle(plan, SentAhead.State.WITHDRAWN, now=now)
    _back_to_draft(run, place, plan, now=now)
    return plan


# Driving them -------------------------------------------------------------------------------------


def drive_on(run: Run, *, now: datetime) -> None:
    """Make the turns that wait for nobody: those in which there is nothing to decide, and those whose plan was sent
    ahead. The run row is locked.
    """
    rules = ruleset.get(run.game)
    found = SentAhead.objects.filter(place__run=run, state=SentAhead.State.WAITING)
    plans = {plan.place.driver: plan for plan in found.select_related("place__entry__driver")}
    for _turn in range(MOST_AT_ONCE):
        if run.status != Run.Status.RUNNING or not _go_on(run, rules, plans, now=now):
            break
    for driver, plan in plans.items():
        try:
            rules.ahead(run.state, driver)
        except RuleError:
            if driver not in rules.to_play(run.state):
                _settle(plan, SentAhead.State.NOT_DRIVEN, now=now, why=RuleError("O1", OUT))


def _go_on(run: Run, rules: ruleset.Ruleset, plans: dict[str, SentAhead], *, now: datetime) -> bool:
    """Make one turn that waits for nobody; whether there was one."""
    for driver in rules.to_play(run.state):
        choices = rules.choices(run.state, driver, "")
        if choices.phase != "plan":
            continue
        plan = plans.pop(driver, None)
        if plan is not None and _drive(run, rules, plan, now=now, waits=choices.forced is None):
            return True
        if choices.forced:
            carry_out(run, run.places.get(driver=driver), rules.autopilot(run.state, driver), by=None, key="", now=now)
            return True
    return False


def _drive(run: Run, rules: ruleset.Ruleset, plan: SentAhead, *, now: datetime, waits: bool) -> bool:
    """Drive a plan whose turn has come; False when it is not driven after all. `waits`: the driver can do better."""
    place = plan.place
    if place.played:
        _not_driven(run, plan, RuleError("O1", CODRIVER), now=now, waits=False)
        return False
    orders = {**plan.orders, "plan": plan.plan}
    changed = _what_changed(run, rules, plan, orders)
    if changed is not None:
        _not_driven(run, plan, changed, now=now, waits=waits)
        return False
    plan.turn = Turn.objects.get(run=run, place=place, ended_at=None)
    try:
        with transaction.atomic():
            carry_out(run, place, {"do": "standing", **orders}, by=place.entry.driver, key="", now=now)
    except Exception:  # whatever it is, the post or sweep that opened the turn is another's and must not fail by it
        logger.exception("plan %s was to be driven and could not be", plan.pk)
        run.refresh_from_db()
        _not_driven(run, plan, RuleError("O1", OLDER), now=now, waits=waits)
        return False
    drop_draft(run, place)
    _settle(plan, SentAhead.State.DRIVEN, now=now)
    return True


def _what_changed(run: Run, rules: ruleset.Ruleset, plan: SentAhead, orders: dict[str, Any]) -> RuleError | None:
    """Why a plan is not to be driven now. Whatever is wrong with it: the post that opened the turn was another's."""
    try:
        return rules.changed(plan.outlook, rules.outlook(run.state, plan.place.driver, orders))
    except RuleError as error:
        return error
    except (KeyError, TypeError, ValueError, AttributeError):
        return RuleError("O1", OLDER)


def _not_driven(run: Run, plan: SentAhead, why: RuleError, *, now: datetime, waits: bool) -> None:
    """The plan is the driver's draft again, and the driver is told why; that the turn waits is told with it."""
    place = plan.place
    plan.turn = Turn.objects.filter(run=run, place=place, ended_at=None).select_related("place__entry__driver").first()
    _settle(plan, SentAhead.State.NOT_DRIVEN, now=now, why=why)
    _back_to_draft(run, place, plan, now=now)
    if plan.turn is None:
        return
    plan.turn.run = run
    with override(place.entry.driver.language or None):
        tell(plan.turn, "plan not driven", why=plan.why, rule=plan.rule, waits=waits)
    _say_it_once(subject_of(plan.turn, plan.turn.given))


def _say_it_once(subject_key: str) -> None:
    """That the turn waits is part of the word that the plan was not driven, for whom that word reaches as well."""
    found = Notice.objects.filter(subject_key=subject_key, kind__in=("turn waits", "plan not driven"))
    channels: dict[str, set[str]] = {"turn waits": set(), "plan not driven": set()}
    for kind, channel in found.values_list("kind", "channel"):
        channels[kind].add(channel)
    if channels["turn waits"] <= channels["plan not driven"]:
        notices.drop(kind="turn waits", subject_key=subject_key)


def take_off(place: Place, *, now: datetime) -> None:
    """Somebody else drives this car from now on: the plan that waits is not driven, and nobody else's draft. The run
    row is locked.
    """
    waiting = SentAhead.objects.filter(place=place, state=SentAhead.State.WAITING)
    waiting.update(state=SentAhead.State.WITHDRAWN, settled_at=now)


def _settle(plan: SentAhead, state: SentAhead.State, *, now: datetime, why: RuleError | None = None) -> None:
    """A plan waits no more."""
    plan.state, plan.settled_at = state, now
    if why is not None:
        plan.reason, plan.values, plan.rule, plan.move = why.template, why.values, why.rule, why.move
    plan.save()


def _back_to_draft(run: Run, place: Place, plan: SentAhead, *, now: datetime) -> None:
    """What was sent is laid on the desk again, unless the driver has laid something else there since."""
    kept = {"plan": plan.plan, "orders": plan.orders, "version": run.version, "updated_at": now}
    draft, fresh = Draft.objects.get_or_create(run=run, person_id=place.entry.driver_id, defaults=kept)
    if not fresh and not draft.plan:
        Draft.objects.filter(pk=draft.pk).update(**kept)
