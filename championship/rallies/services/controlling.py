"""Time control between two stages (F3, F4): sealed cards, opened when the last one is in or the clock closes it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from championship import clock
from championship.accounts.models import User
from championship.audit import services as audit
from championship.notices import services as notices
from championship.notices.selectors import reminder_leads
from championship.rallies import announcements
from championship.rallies.models import ControlSweep, Entry, Rally, SpecialStage, StartPlace, TimeControlCard
from championship.rallies.pace import reminder_at
from championship.rallies.services.locks import locked_rally, organised, rules_of
from championship.rallies.services.starting import list_by_time, open_stage
from championship.rallies.services.timekeeping import control_deadline
from championship.rallies.waiting import missing_cards
from championship.refusals import Forbidden, Refused, Stale
from engine import ruleset as rulesets

logger = logging.getLogger(__name__)

NOTHING_TAKEN: Mapping[str, Any] = {}
CONTROLS = "time controls"
"""The sweep's row."""
OUTAGE = timedelta(minutes=10)
"""So long without a sweep, and the clock stood still: whose control's deadline passed meanwhile has not missed it."""
GRACE = timedelta(hours=1)
"""What such drivers have left at least."""


def open_time_control(rally: Rally, stage: SpecialStage) -> None:
    """All times are in. Drivers with something to decide have turn_hours for it, each by the hours that count for
    them; without any it closes at once.
    """
    entries, terms = list(_starters(rally, stage)), _terms(rally, stage)
    asked = [entry for entry in entries if _is_asked(rally, entry, terms)]
    TimeControlCard.objects.bulk_create(_card(rally, stage, entry, terms) for entry in entries if entry not in asked)
    if not asked:
        _close(rally, stage)
        return
    stage.status = SpecialStage.Status.TIME_CONTROL
    stage.control_opened_at = clock.now()
    stage.control_deadline = control_deadline(rally, [entry.driver for entry in asked], stage.control_opened_at)
    stage.save(update_fields=["status", "control_opened_at", "control_deadline"])
    for entry in asked:
        _tell_driver("time control waits", rally, stage, entry)


@transaction.atomic
def submit_time_control(*, by: User, special_stage: SpecialStage, decision: Mapping[str, Any]) -> TimeControlCard:
    """The driver's sealed card: what the ruleset's `decisions` ask, by name. The last card in opens them all.

    Forbidden for who does not drive this stage, Stale when time control is closed or another card of this driver
    is in (the same card again gets the first answer), Refused with the rule for what the rules do not allow.
    """
    rally = locked_rally(special_stage.rally_id)
    stage = rally.stages.get(pk=special_stage.pk)
    entry = _starters(rally, stage).filter(driver=by).first()
    if entry is None:
        raise Forbidden(_("You do not drive this stage."))
    card = stage.cards.filter(entry=entry).first()
    if card is not None:
        if card.by_id == by.pk and card.decision == dict(decision):
            return card
        raise Stale(_("Your card is in and sealed."))
    if stage.status != SpecialStage.Status.TIME_CONTROL:
        raise Stale(_("Time control is not open."))
    card = _hand_in(rally, stage, entry, decision, by=by)
    _close_when_all_in(rally, stage)
    return card


@transaction.atomic
def close_time_control(*, by: User, special_stage: SpecialStage) -> SpecialStage:
    """An organiser waits no longer: who has no card in takes nothing. Stale when time control is not open."""
    rally = organised(by, special_stage.rally_id)
    stage = rally.stages.get(pk=special_stage.pk)
    if stage.status != SpecialStage.Status.TIME_CONTROL:
        raise Stale(_("Time control is not open."))
    _close_without_missing(rally, stage, by)
    return stage


def close_overdue_time_controls(*, now: datetime) -> int:
    """Time controls past their deadline closed, each in a transaction of its own; how many. For beat.

    A rally that somebody else holds is left to them or to the next minute, and what is due is looked at
    again under the lock: every stage closes once.
    """
    overdue = SpecialStage.objects.filter(
        status=SpecialStage.Status.TIME_CONTROL, control_deadline__lte=now, rally__paused_at=None
    )
    closed = 0
    for stage_id, rally_id in overdue.order_by("control_deadline").values_list("pk", "rally_id"):
        try:
            with transaction.atomic():
                rally = Rally.objects.select_for_update(skip_locked=True).filter(pk=rally_id).first()
                stage = overdue.all().filter(pk=stage_id).first() if rally else None
                if rally and stage:
                    stage.rally = rally
                    _close_without_missing(rally, stage, None)
                    closed += 1
        except Exception:
            logger.exception("time control of special stage %s could not be closed", stage_id)
    return closed


def remind_of_time_controls(*, now: datetime) -> int:
    """A reminder for every driver whose card is missing, as long before the deadline as they want it, or else the
    rally says, and not in their quiet hours; how many. Each deadline is told once. For beat.
    """
    waiting = SpecialStage.objects.filter(
        status=SpecialStage.Status.TIME_CONTROL, control_deadline__gt=now, rally__paused_at=None
    )
    return sum(_remind_of(stage_id, now) for stage_id in waiting.order_by("pk").values_list("pk", flat=True))


@transaction.atomic
def _remind_of(stage_id: int, now: datetime) -> int:
    """The reminders of one time control that are due: those of drivers whom another sweep has not just got."""
    stage = SpecialStage.objects.select_related("rally").get(pk=stage_id)
    if stage.status != SpecialStage.Status.TIME_CONTROL:
        return 0
    missing = missing_cards(stage).filter(driven_by=Entry.DrivenBy.PERSON)
    places = StartPlace.objects.filter(special_stage=stage, entry__in=missing).select_related("entry__driver")
    left = places.exclude(reminded_of=_deadline(stage)).select_for_update(of=("self",), skip_locked=True)
    waiting = list(left)
    leads = reminder_leads(place.entry.driver_id for place in waiting)
    due = [place for place in waiting if _reminds_now(stage, place.entry.driver, leads, now)]
    for place in due:
        _tell_driver("time control closes soon", stage.rally, stage, place.entry)
    StartPlace.objects.filter(pk__in=[place.pk for place in due]).update(reminded_of=_deadline(stage))
    return len(due)


def _reminds_now(stage: SpecialStage, driver: User, leads: Mapping[int, timedelta], now: datetime) -> bool:
    lead = leads.get(driver.pk, timedelta(hours=stage.rally.reminder_hours))
    since = stage.control_opened_at or stage.opened_at
    if not lead or since is None:
        return False
    moment = reminder_at(_deadline(stage), lead, since, stage.rally.counting_in(driver.time_zone))
    return moment is not None and moment <= now


@transaction.atomic
def excuse_time_controls(*, now: datetime) -> int:
    """Note that the clock goes, and give time back where it had stood still, as for turns; how many deadlines moved.

    After more than OUTAGE without a sweep, a deadline that passed since the last one, or does within GRACE, comes
    later by that time, and no sooner than GRACE from now.
    """
    swept, first = ControlSweep.objects.select_for_update().get_or_create(name=CONTROLS, defaults={"at": now})
    last, swept.at = swept.at, max(swept.at, now)
    swept.save(update_fields=["at"])
    if first or now - last <= OUTAGE:
        return 0
    asleep = SpecialStage.objects.filter(
        status=SpecialStage.Status.TIME_CONTROL, control_deadline__gt=last, control_deadline__lt=now + GRACE
    )
    moved = 0
    for stage_id, rally_id in asleep.order_by("rally").values_list("pk", "rally_id"):
        locked_rally(rally_id)
        stage = asleep.filter(pk=stage_id).first()
        if stage is not None:
            away = now - max(last, stage.control_opened_at or last)
            stage.control_deadline = max(_deadline(stage) + away, now + GRACE)
            stage.save(update_fields=["control_deadline"])
            moved += 1
    return moved


def follow_time_controls(*, person_id: int) -> int:
    """A person has other holidays or another zone: time controls that wait for their card close later where that asks
    for it, never sooner; how many deadlines moved. Called after the commit of the change.
    """
    waiting = SpecialStage.objects.filter(
        status=SpecialStage.Status.TIME_CONTROL,
        start_places__entry__driver=person_id,
        start_places__entry__driven_by=Entry.DrivenBy.PERSON,
    )
    return sum(_follow(stage_id, rally_id) for stage_id, rally_id in waiting.values_list("pk", "rally_id"))


@transaction.atomic
def _follow(stage_id: int, rally_id: int) -> int:
    rally = locked_rally(rally_id)
    stage = rally.stages.get(pk=stage_id)
    if stage.status != SpecialStage.Status.TIME_CONTROL or stage.control_opened_at is None:
        return 0
    missing = missing_cards(stage).filter(driven_by=Entry.DrivenBy.PERSON).select_related("driver")
    deadline = control_deadline(rally, [entry.driver for entry in missing], stage.control_opened_at)
    if deadline <= _deadline(stage):
        return 0
    stage.control_deadline = deadline
    stage.save(update_fields=["control_deadline"])
    return 1


def change_driver_at_control(rally: Rally, entry: Entry, before: User) -> None:
    """Where time control waits for the card of an entry that `before` drove, it waits for its driver of now, who is
    told and has the time that is theirs, nobody less. The rally is locked.
    """
    stage = rally.stages.filter(status=SpecialStage.Status.TIME_CONTROL).first()
    if stage is None or not missing_cards(stage).filter(pk=entry.pk).exists():
        return
    notices.drop(kind="time control waits", subject_key=_subject(stage, before))
    notices.drop(kind="time control closes soon", subject_key=_reminder_subject(stage, before))
    stage.control_deadline = max(_deadline(stage), control_deadline(rally, [entry.driver], clock.now()))
    stage.save(update_fields=["control_deadline"])
    stage.start_places.filter(entry=entry).update(reminded_of=None)
    _tell_driver("time control waits", rally, stage, entry)


def codriver_hands_in(rally: Rally, stage: SpecialStage, entry: Entry) -> None:
    """The codriver's card, nothing taken, for an entry that was given to it meanwhile. The rally is locked."""
    if missing_cards(stage).filter(pk=entry.pk).exists():
        _hand_in(rally, stage, entry, NOTHING_TAKEN, by=None)
        _close_when_all_in(rally, stage)


def _starters(rally: Rally, stage: SpecialStage) -> QuerySet[Entry]:
    return rally.entries.filter(start_places__special_stage=stage).select_related("driver")


def _terms(rally: Rally, stage: SpecialStage) -> dict[str, Any]:
    """What the ruleset wants to know about the place where the car stands."""
    last = not rally.stages.filter(number__gt=stage.number).exists()
    return {"service": stage.service, "options": rally.options, "last_stage": last}


def _is_asked(rally: Rally, entry: Entry, terms: dict[str, Any]) -> bool:
    return entry.driven_by == Entry.DrivenBy.PERSON and bool(rules_of(rally).decisions(entry.car, **terms))


def _card(
    rally: Rally,
    stage: SpecialStage,
    entry: Entry,
    terms: dict[str, Any],
    decision: Mapping[str, Any] = NOTHING_TAKEN,
    by: User | None = None,
) -> TimeControlCard:
    try:
        car, seconds = rules_of(rally).decide(entry.car, decision, **terms)
    except rulesets.RuleError as error:
        raise Refused(error.words(_), rule=error.rule) from error
    return TimeControlCard(
        special_stage=stage, entry=entry, decision=dict(decision), seconds=seconds, car_after=car, by=by
    )


def _hand_in(
    rally: Rally, stage: SpecialStage, entry: Entry, decision: Mapping[str, Any], *, by: User | None
) -> TimeControlCard:
    card = _card(rally, stage, entry, _terms(rally, stage), decision, by)
    card.save()
    notices.drop(kind="time control waits", subject_key=_subject(stage, entry.driver))
    notices.drop(kind="time control closes soon", subject_key=_reminder_subject(stage, entry.driver))
    return card


def _close_when_all_in(rally: Rally, stage: SpecialStage) -> None:
    if not missing_cards(stage).exists():
        _close(rally, stage)


def _close_without_missing(rally: Rally, stage: SpecialStage, by: User | None) -> None:
    missing = list(missing_cards(stage).select_related("driver"))
    for entry in missing:
        _hand_in(rally, stage, entry, NOTHING_TAKEN, by=None)
    audit.record(
        actor=by,
        action="time control closed",
        subject=stage,
        club_id=rally.club_id,
        details={
            "rally": rally.name,
            "stage": stage.number,
            "without a card": [str(entry) for entry in missing],
        },
    )
    _close(rally, stage)


def _close(rally: Rally, stage: SpecialStage) -> None:
    """Cards are opened, cars are as their drivers decided; then the next stage, or the end of the rally."""
    cards = list(stage.cards.select_related("entry"))
    for card in cards:
        card.entry.car = card.car_after
    Entry.objects.bulk_update([card.entry for card in cards], ["car"])
    stage.status, stage.closed_at = SpecialStage.Status.DONE, clock.now()
    stage.save(update_fields=["status", "closed_at"])
    following = rally.stages.filter(number__gt=stage.number).order_by("number").first()
    if following is None:
        rally.status, rally.finished_at = Rally.Status.FINISHED, clock.now()
        rally.save(update_fields=["status", "finished_at"])
        announcements.rally_over(rally)
        return
    list_by_time(rally, following)
    if rally.auto_start:
        open_stage(following)


def _deadline(stage: SpecialStage) -> datetime:
    assert stage.control_deadline is not None  # a constraint of the table
    return stage.control_deadline


def _subject(stage: SpecialStage, driver: User) -> str:
    return f"stage {stage.pk} driver {driver.pk}"


def _reminder_subject(stage: SpecialStage, driver: User) -> str:
    """Each deadline has a reminder of its own."""
    return f"{_subject(stage, driver)} until {_deadline(stage):%Y%m%dT%H%M%S}"


def _tell_driver(kind: str, rally: Rally, stage: SpecialStage, entry: Entry) -> Any:
    reminds = kind == "time control closes soon"
    return notices.enqueue(
        recipient=entry.driver,
        kind=kind,
        subject_key=_reminder_subject(stage, entry.driver) if reminds else _subject(stage, entry.driver),
        context={
            "rally": rally.name,
            "stage": stage.number,
            "stage_id": stage.pk,
            "deadline": _deadline(stage),
        },
        link=reverse("rallies:time_control", args=[rally.key, stage.number]),
        thread=f"rally {rally.key}",
    )
