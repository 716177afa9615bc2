"""Cards that time control waits for, and their deadlines.

The deadlines follow changes of pace, pauses and holidays, as the deadlines of turns do. Time control is a customer of
the sweep. Code that moves a deadline locks the rally first, then the rows.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse

from championship.accounts.models import User
from championship.deadlines.customers import Outage
from championship.deadlines.lifecycle import (
    TIMING_FIELDS,
    begin,
    close_together,
    excuse,
    facts_of,
    follow,
    leave,
    take_over,
)
from championship.notices import services as notices
from championship.notices.services import Letter
from championship.platform import clock
from championship.rallies.control.awaited_drivers import missing_cards
from championship.rallies.control.control_cards import AwaitedCard
from championship.rallies.locks import locked_rally
from championship.rallies.models import Entry, Rally, SpecialStage

logger = logging.getLogger(__name__)

WAITS, CLOSES_SOON = "time control waits", "time control closes soon"


def await_cards(stage: SpecialStage, entries: Iterable[Entry], *, now: datetime) -> None:
    """Open time control and wait for the cards of these entries.

    Each driver has the hours of a turn that count for them, and is notified. Time control closes for all of them at the
    latest of their deadlines. The stage is not saved.
    """
    rows = [AwaitedCard(special_stage=stage, entry=entry) for entry in entries]
    facts = facts_of({row.person.pk for row in rows}, now, {})
    for row in rows:
        begin(row, now=now, facts=facts)
    stage.control_opened_at, stage.control_deadline = now, close_together(rows, facts=facts)
    AwaitedCard.objects.bulk_create(rows)
    if not stage.rally.keeps_seconds:
        notices.enqueue_many([_letter(row, WAITS) for row in rows])


def restore_awaited_cards(stage: SpecialStage) -> None:
    """Create the rows of missing cards for a restored stage whose time control is open.

    The rows have the deadline that the stage contains. The first `follow` of a row sets its terms.
    """
    since = stage.control_opened_at or stage.opened_at or deadline_of(stage)
    missing = list(missing_cards(stage))
    AwaitedCard.objects.bulk_create(
        AwaitedCard(
            special_stage=stage,
            entry=entry,
            since=min(since, deadline_of(stage)),
            counted_from=min(since, deadline_of(stage)),
            deadline=deadline_of(stage),
            remind_at=since,
        )
        for entry in missing
    )


def end_wait(stage: SpecialStage, entry: Entry, *, now: datetime) -> None:
    """End the wait for the entry's card and drop its notices and reminders that are not sent yet."""
    for row in open_rows(stage).filter(entry=entry):
        row.ended_at = now
        row.save(update_fields=["ended_at"])
    notices.drop(kind=WAITS, subject_key=_subject(stage, entry.driver))
    notices.drop(kind=CLOSES_SOON, subject_key=_reminder_subject(stage, entry.driver))


def open_rows(stage: SpecialStage) -> QuerySet[AwaitedCard]:
    """The open rows of the stage, locked."""
    rows = AwaitedCard.objects.filter(special_stage=stage, ended_at=None).select_for_update(of=("self",))
    return rows.select_related("special_stage__rally", "entry__driver").order_by("pk")


def follow_rally(rally: Rally, *, sooner: bool = False) -> int:
    """Update the deadlines of the rally's open time control after a change of pace, pauses, holidays or reminders.

    The rally is locked. Time control closes later when a card needs it. It closes before its present deadline only when
    `sooner` is true. Returns the number of rows that changed.
    """
    stage = rally.stages.filter(status=SpecialStage.Status.TIME_CONTROL).first()
    if stage is None:
        return 0
    stage.rally = rally
    return follow_stage(stage, now=clock.now(), sooner=sooner)


def follow_stage(stage: SpecialStage, *, now: datetime, sooner: bool = False) -> int:
    """Do the same for one stage whose time control is open."""
    rows = _locked_rows(stage)
    moved = sum(follow(row, now=now) for row in rows)
    if moved:
        _close_together(stage, rows, sooner=sooner)
    return moved


def follow_person(*, person_id: int) -> int:
    """Update the time controls that wait for a person's card, after a change of the person's time zone, holidays or
    reminders. They may close later, never earlier. Called after the commit of the change. Returns the number of rows
    that changed.
    """
    return follow_each(AwaitedCard.objects.filter(entry__driver=person_id))


def follow_each(rows: QuerySet[AwaitedCard]) -> int:
    """Update the time controls of these rows, each in its own transaction. Returns the number of rows that changed."""
    waiting = rows.filter(ended_at=None, special_stage__status=SpecialStage.Status.TIME_CONTROL)
    rallies = waiting.order_by("special_stage__rally").values_list("special_stage__rally", flat=True).distinct()
    moved = 0
    for rally_id in list(rallies):
        try:
            with transaction.atomic():
                moved += follow_rally(locked_rally(rally_id))
        except Exception:  # the sweep updates it later, before it acts on the deadline
            logger.exception("rally %s could not follow a change", rally_id)
    return moved


def change_driver_at_control(rally: Rally, entry: Entry, before: User) -> None:
    """Move the wait for an entry's card from the old driver `before` to the new driver.

    The new driver is notified and has the full time from now, or what was left to somebody who has had this card
    before. Time control closes no earlier than before. Does nothing when time control does not wait for the entry. The
    rally is locked.
    """
    stage = rally.stages.filter(status=SpecialStage.Status.TIME_CONTROL).first()
    if stage is None:
        return
    stage.rally = rally
    rows = _locked_rows(stage)
    row = next((row for row in rows if row.entry_id == entry.pk), None)
    if row is None:
        return
    now, row.entry.driver = clock.now(), before
    leave(row, now=now)
    row.entry = entry
    notices.drop(kind=WAITS, subject_key=_subject(stage, before))
    notices.drop(kind=CLOSES_SOON, subject_key=_reminder_subject(stage, before))
    take_over(row, now=now)
    _close_together(stage, rows)
    notify_driver(row, WAITS)


def _locked_rows(stage: SpecialStage) -> list[AwaitedCard]:
    rows = list(open_rows(stage))
    for row in rows:
        row.special_stage = stage
    return rows


def _close_together(stage: SpecialStage, rows: Sequence[AwaitedCard], *, sooner: bool = False) -> None:
    """Save the updated rows, and the common deadline when it has changed."""
    deadline = close_together(rows, no_sooner_than=None if sooner else stage.control_deadline)
    AwaitedCard.objects.bulk_update(rows, TIMING_FIELDS)
    if deadline is not None and deadline != stage.control_deadline:
        stage.control_deadline = deadline
        stage.save(update_fields=["control_deadline"])


def excuse_stage(stage_id: int, outage: Outage) -> int:
    """Move the deadlines of one time control because of an outage. Returns the number of rows."""
    rally = locked_rally(SpecialStage.objects.values_list("rally_id", flat=True).get(pk=stage_id))
    stage = rally.stages.filter(pk=stage_id, status=SpecialStage.Status.TIME_CONTROL).first()
    if stage is None:
        return 0
    stage.rally = rally
    rows = _locked_rows(stage)
    for row in rows:
        excuse(row, outage)
    _close_together(stage, rows)
    return len(rows)


# Notices to drivers -----------------------------------------------------------------------------------


def deadline_of(stage: SpecialStage) -> datetime:
    """When the stage's open time control closes."""
    assert stage.control_deadline is not None  # a constraint of the table
    return stage.control_deadline


def _subject(stage: SpecialStage, driver: User) -> str:
    return f"stage {stage.pk} driver {driver.pk}"


def _reminder_subject(stage: SpecialStage, driver: User) -> str:
    """The key contains the deadline, so that every new deadline gets its own reminder."""
    return f"{_subject(stage, driver)} until {deadline_of(stage):%Y%m%dT%H%M%S}"


def notify_driver(row: AwaitedCard, kind: str) -> None:
    """Send the driver a notice about the card: once, or once for each deadline when it is a reminder."""
    if not row.policy.keeps_seconds:
        notices.enqueue_many([_letter(row, kind)])


def _letter(row: AwaitedCard, kind: str) -> Letter:
    stage, rally, driver = row.special_stage, row.special_stage.rally, row.person
    return Letter(
        recipient=driver,
        kind=kind,
        subject_key=_reminder_subject(stage, driver) if kind == CLOSES_SOON else _subject(stage, driver),
        context={
            "rally": rally.name,
            "game": rally.game,
            "stage": stage.number,
            "stage_id": stage.pk,
            "deadline": deadline_of(stage),
        },
        link=reverse("rallies:time_control", args=[rally.key, stage.number]),
        thread=f"rally {rally.key}",
    )
