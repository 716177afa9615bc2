"""Time control between two stages (F3, F4). Cards are sealed until the last one is in, or until time control closes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.control import career
from championship.rallies.control.awaited_drivers import may_hand_in, missing_cards
from championship.rallies.control.services.awaited_cards import (
    await_cards,
    deadline_of,
    end_wait,
    follow_stage,
)
from championship.rallies.desk import announcements, organiser_notices
from championship.rallies.desk.services.starting import open_special_stage, write_list_by_results
from championship.rallies.entries.impartiality import TIMEKEEPERS, require_impartial
from championship.rallies.knockout.services import call_off_rest, draw_field
from championship.rallies.locks import locked_rally, locked_rally_for_organiser
from championship.rallies.models import Entry, Rally, SpecialStage, TimeControlCard
from engine.contract import RuleError

NOTHING_TAKEN: Mapping[str, Any] = {}


def open_time_control(rally: Rally, stage: SpecialStage) -> None:
    """Open time control when all results of a stage are recorded.

    Drivers who have something to decide get `turn_hours`, counted in hours that count for them. When nobody has, time
    control closes at once.
    """
    entries, last = list(_starters(rally, stage)), _is_last(rally, stage)
    asked = [entry for entry in entries if _has_decisions(rally, stage, entry, last=last)]
    TimeControlCard.objects.bulk_create(
        _card(rally, stage, entry, last=last) for entry in entries if entry not in asked
    )
    if not asked:
        _close(rally, stage)
        return
    stage.status, stage.rally = SpecialStage.Status.TIME_CONTROL, rally
    await_cards(stage, asked, now=clock.now())
    stage.save(update_fields=["status", "control_opened_at", "control_deadline"])


@transaction.atomic
def submit_time_control(*, by: User, special_stage: SpecialStage, decision: Mapping[str, Any]) -> TimeControlCard:
    """Store the driver's sealed card. The last card opens all of them.

    `decision`: the values for the game's `decisions`, by name. The same card again returns the first one.

    Raises: Forbidden when `by` does not drive this stage.
    Raises: Stale when time control is closed, or when a different card of this driver is in.
    Raises: Refused when the rules do not allow the decision; it names the rule.
    """
    rally = locked_rally(special_stage.rally_id)
    stage = rally.stages.get(pk=special_stage.pk)
    entry = _starters(rally, stage).filter(driver=by).first()
    if entry is None:
        raise Forbidden(_("You do not drive here."))
    card = stage.cards.readable_by(by).filter(entry=entry).first()
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
    """Close time control for an organiser. Drivers without a card take nothing.

    Raises: Stale when time control is not open.
    Raises: Forbidden when `by` is not an organiser, or drives in the rally while the club has an organiser who does
    not.
    """
    rally = locked_rally_for_organiser(by, special_stage.rally_id)
    stage = rally.stages.get(pk=special_stage.pk)
    if stage.status != SpecialStage.Status.TIME_CONTROL:
        raise Stale(_("Time control is not open."))
    _close_with_missing_cards(rally, stage, by, author_drives=require_impartial(by, rally, TIMEKEEPERS))
    return stage


@transaction.atomic
def close_if_due(stage_id: int, rally_id: int, *, now: datetime) -> bool:
    """Close a time control if its deadline has passed. Returns whether it closed.

    Skips a rally that another transaction has locked; the next sweep retries it. The deadline is updated and checked
    again under the lock, so every stage closes once.
    """
    rally = Rally.objects.select_for_update(skip_locked=True).filter(pk=rally_id, paused_at=None).first()
    if rally is None:
        return False
    stage = rally.stages.filter(pk=stage_id, status=SpecialStage.Status.TIME_CONTROL).first()
    if stage is None:
        return False
    stage.rally = rally
    follow_stage(stage, now=now)
    if deadline_of(stage) > now:
        return False
    _close_with_missing_cards(rally, stage, None)
    return True


def codriver_hands_in(rally: Rally, stage: SpecialStage, entry: Entry) -> None:
    """Hand in a card that takes nothing, for an entry that the codriver drives now. The rally is locked."""
    if missing_cards(stage).filter(pk=entry.pk).exists():
        _hand_in(rally, stage, entry, NOTHING_TAKEN, by=None)
        _close_when_all_in(rally, stage)


def _starters(rally: Rally, stage: SpecialStage) -> QuerySet[Entry]:
    return rally.entries.filter(start_places__special_stage=stage).select_related("driver")


def _is_last(rally: Rally, stage: SpecialStage) -> bool:
    return not rally.stages.filter(number__gt=stage.number).exists()


def _has_decisions(rally: Rally, stage: SpecialStage, entry: Entry, *, last: bool) -> bool:
    """Whether the entry's driver has something to decide."""
    return bool(career.decisions(rally, stage, entry.car, last=last)) and may_hand_in(entry)


def _card(
    rally: Rally,
    stage: SpecialStage,
    entry: Entry,
    decision: Mapping[str, Any] = NOTHING_TAKEN,
    by: User | None = None,
    *,
    last: bool,
) -> TimeControlCard:
    try:
        car, amount = career.decide(rally, stage, entry.car, decision, last=last)
    except RuleError as error:
        raise Refused(error.words(_), rule=error.rule, game=rally.game) from error
    return TimeControlCard(
        special_stage=stage, entry=entry, decision=dict(decision), amount=amount, car_after=car, by=by
    )


def _hand_in(
    rally: Rally, stage: SpecialStage, entry: Entry, decision: Mapping[str, Any], *, by: User | None
) -> TimeControlCard:
    card = _card(rally, stage, entry, decision, by, last=_is_last(rally, stage))
    card.save()
    end_wait(stage, entry, now=clock.now())
    return card


def _close_when_all_in(rally: Rally, stage: SpecialStage) -> None:
    if not missing_cards(stage).exists():
        _close(rally, stage)


def _close_with_missing_cards(
    rally: Rally, stage: SpecialStage, by: User | None, *, author_drives: bool = False
) -> None:
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
            **({"author_drives": True} if author_drives else {}),
        },
    )
    _close(rally, stage)


def _close(rally: Rally, stage: SpecialStage) -> None:
    """Apply the cards to the cars and end the stage; then open the next stage, or end the rally."""
    cards = list(stage.cards.select_related("entry"))
    for card in cards:
        card.entry.car = card.car_after
    Entry.objects.bulk_update([card.entry for card in cards], ["car"])
    stage.status, stage.closed_at = SpecialStage.Status.DONE, clock.now()
    stage.save(update_fields=["status", "closed_at"])
    following = rally.stages.filter(number__gt=stage.number).order_by("number").first()
    if following is not None and rally.heats is not None and not draw_field(rally, following):
        call_off_rest(rally, following)
        following = None
    if following is None:
        rally.status, rally.finished_at = Rally.Status.FINISHED, clock.now()
        rally.save(update_fields=["status", "finished_at"])
        announcements.announce_rally_over(rally)
        organiser_notices.notify_rally_over(rally)
        return
    following.rally = rally
    if rally.heats is None:
        write_list_by_results(rally, following)
    if rally.auto_start:
        open_special_stage(following)
