"""The timekeeping settings of a rally, its pauses, and the automatic penalty for a missed deadline."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.deadlines.closing_times import after_outage, after_pause, closing_time
from championship.deadlines.counted_time import quiet_minutes
from championship.deadlines.customers import Outage
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.clock.policy import (
    LONGEST_BANK,
    LONGEST_PENALTY,
    LONGEST_TURN,
    MOST_QUIET,
    SETTINGS,
    minute_of_day,
    settings_of,
)
from championship.rallies.control.services.awaited_cards import follow_rally
from championship.rallies.desk.promises import Promised
from championship.rallies.desk.services.messaging import notify_entrants
from championship.rallies.followers import rally_followers
from championship.rallies.locks import locked_rally, locked_rally_for_organiser
from championship.rallies.models import Entry, Pause, Penalty, Rally, SpecialStage
from championship.rallies.text_checks import checked_line

MOST_MISSES = 50
LONGEST_HAND_BACK = 168
MOST_AT_A_TABLE = 20
CLOCK_REASON = "deadline missed"
"""The stored reason of an automatic penalty. Pages show it in the reader's language."""


def set_timekeeping(rally: Rally, given: Mapping[str, Any]) -> None:
    """Set the timekeeping of a rally, by fields of SETTINGS. Fields that are not given stay. The rally is not saved.

    Raises: Refused when a value is not valid; it names the field.
    Raises: ValueError when a field is not in SETTINGS.
    """
    unknown = set(given) - set(SETTINGS)
    if unknown:
        raise ValueError(f"no such settings: {sorted(unknown)}")
    wanted = {**settings_of(rally), **given}
    for field, choices, says in (
        ("pace", Rally.Pace, _("Choose hours for every turn, a bank, or a closing time.")),
        ("bank_per", Rally.BankPer, _("Choose whether the bank is for a stage or for the rally.")),
        ("holidays", Rally.Holidays, _("Choose whether the run waits or the codriver drives.")),
        ("after_miss", Rally.AfterMiss, _("Choose what the codriver drives after a missed deadline.")),
    ):
        if wanted[field] not in choices.values:
            raise Refused(says, field=field)
    if wanted["rounds_together"] and wanted["pace"] != Rally.Pace.TURN:
        raise Refused(_("Rounds together need hours for every turn."), field="rounds_together")
    _require(wanted, "bank_hours", 1, LONGEST_BANK, _("Give the bank between 1 and %(most)d hours."))
    _require(wanted, "increment_hours", 1, LONGEST_TURN, _("Every turn must add between 1 and %(most)d hours."))
    _require(wanted, "stage_hours", 1, LONGEST_BANK, _("Keep a stage open for 1 to %(most)d hours."))
    _require(wanted, "miss_penalty", 0, LONGEST_PENALTY, _("Give at most %(most)d; 0 for no penalty."))
    _require(
        wanted, "table_size", 0, MOST_AT_A_TABLE, _("Choose 1 to %(most)d cars; 0 for as many as the game allows.")
    )
    _require(wanted, "retire_after", 0, MOST_MISSES, _("Retire a car after 2 to %(most)d missed deadlines; 0: never."))
    _require(wanted, "hand_back_hours", 1, LONGEST_HAND_BACK, _("Give a driver 1 to %(most)d hours for that."))
    if wanted["retire_after"] == 1:
        raise Refused(
            _("A car cannot be retired at the first missed deadline: choose 2 or more, or 0 for never."),
            field="retire_after",
        )
    _require_quiet(wanted)
    for field in SETTINGS:
        setattr(rally, field, wanted[field])


def _require(wanted: Mapping[str, Any], field: str, least: int, most: int, says: str) -> None:
    if not least <= wanted[field] <= most:
        raise Refused(says % {"most": most}, field=field)


def refuse_bad_hours(turn_hours: int, reminder_hours: int) -> None:
    """Check the hours of a turn, and how many hours before its deadline the reminder comes.

    Raises: Refused with the field.
    """
    if not 1 <= turn_hours <= LONGEST_TURN:
        raise Refused(_("Give every turn between 1 and %(most)d hours.") % {"most": LONGEST_TURN}, field="turn_hours")
    if not 0 <= reminder_hours < turn_hours:
        says = _("The reminder must be fewer hours before the deadline than a turn has; 0 sends none.")
        raise Refused(says, field="reminder_hours")


def _require_quiet(wanted: dict[str, Any]) -> None:
    start, end = wanted["quiet_from"], wanted["quiet_to"]
    if (start is None) != (end is None):
        missing = "quiet_from" if start is None else "quiet_to"
        raise Refused(_("Set when quiet hours begin and when they end, or leave both empty."), field=missing)
    if start is None or end is None:
        return
    quiet = (minute_of_day(start), minute_of_day(end))
    if not quiet_minutes(quiet):
        raise Refused(
            _("Quiet hours cannot begin and end at the same time; leave both empty for none."), field="quiet_to"
        )
    if quiet_minutes(quiet) > MOST_QUIET:
        hours = {"hours": MOST_QUIET // 60}
        raise Refused(_("Leave time to drive: at most %(hours)d quiet hours a day.") % hours, field="quiet_to")


@transaction.atomic
def change_timekeeping(
    *, by: User, rally: Rally, turn_hours: int, reminder_hours: int, settings: Mapping[str, Any]
) -> Rally:
    """Change the timekeeping of a rally, also while it is under way. Open turns are updated after the commit.

    Only for organisers. Time that was counted stays counted. Every driver keeps at least the smaller of the time that
    they had left and the time of a whole new turn.

    Raises: Refused when a value is not valid; it names the field.
    Raises: Stale when the rally is over.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    if rally.status in (Rally.Status.FINISHED, Rally.Status.CANCELLED):
        raise Stale(str(rally.words.ended))
    refuse_bad_hours(turn_hours, reminder_hours)
    before = timekeeping_for_log(rally)
    closed_by, asked_by = (rally.pace, rally.stage_hours), _hours_at_control(rally)
    set_timekeeping(rally, settings)
    rally.turn_hours, rally.reminder_hours = turn_hours, reminder_hours
    rally.save()
    if closed_by != (rally.pace, rally.stage_hours):
        _set_closing(rally)
    follow_rally(rally, sooner=asked_by != _hours_at_control(rally))
    after = timekeeping_for_log(rally)
    if before != after:
        changed = {name: value for name, value in after.items() if before[name] != value}
        audit.record(
            actor=by,
            action="timekeeping changed",
            subject=rally,
            club_id=rally.club_id,
            details={"before": {name: before[name] for name in changed}, "after": changed},
        )
        for follower in rally_followers:
            follower.rally_timed(rally)
    return rally


def timekeeping_for_log(rally: Rally) -> dict[str, Any]:
    """The timekeeping settings as JSON values for the log."""
    said = {
        name: value if isinstance(value, bool | int) else str(value or "") for name, value in settings_of(rally).items()
    }
    return {"hours": rally.turn_hours, "reminder": rally.reminder_hours, **said}


def after_change_of_pace(rally: Rally) -> None:
    """Set the closing time of the stage on the road, and update open cards, and after the commit open turns. The rally
    is locked.
    """
    _set_closing(rally)
    follow_rally(rally, sooner=True)
    for follower in rally_followers:
        follower.rally_timed(rally)


def _set_closing(rally: Rally) -> None:
    """Set the closing time of the stage on the road: at least a day from now, or None when the pace has none."""
    stage = rally.stages.filter(status=SpecialStage.Status.RUNNING).first()
    if stage is not None:
        stage.closes_at = closing_of(rally, stage, no_sooner_than=clock.now() + timedelta(days=1))
        stage.save(update_fields=["closes_at"])


def closing_of(rally: Rally, stage: SpecialStage, *, no_sooner_than: datetime | None = None) -> datetime | None:
    """When an open stage closes; None when the rally's stages have no closing time."""
    if not rally.closes_for_all or stage.opened_at is None:
        return None
    return closing_time(stage.opened_at, hours=rally.stage_hours, no_sooner_than=no_sooner_than)


def _hours_at_control(rally: Rally) -> tuple[object, ...]:
    """The settings that determine the time at a time control."""
    return rally.card_seconds, rally.counting_in("UTC"), rally.holidays, rally.pace_now


def affected_closings(outage: Outage) -> QuerySet[SpecialStage]:
    """The open stages with a closing time that an outage affects."""
    stages = SpecialStage.objects.filter(
        status=SpecialStage.Status.RUNNING, rally__pace=Rally.Pace.CLOSING, rally__practice=False
    )
    return outage.affected_closings(stages)


@transaction.atomic
def excuse_closing(rally_id: int, outage: Outage) -> int:
    """Move the closing time of the rally's open stage if an outage affected it. Open turns are updated after the
    commit. Returns the number of stages.
    """
    if not affected_closings(outage).filter(rally=rally_id).exists():
        return 0
    rally, moved = locked_rally(rally_id), 0
    for stage in affected_closings(outage).filter(rally=rally):
        assert stage.closes_at is not None  # the condition of `affected_closings`
        stage.closes_at = after_outage(stage.closes_at, opened=stage.opened_at, outage=outage)
        stage.save(update_fields=["closes_at"])
        moved += 1
    if moved:
        for follower in rally_followers:
            follower.rally_timed(rally)
    return moved


@transaction.atomic
def pause_rally(*, by: User, rally: Rally, reason: str) -> Rally:
    """Pause a rally under way and notify its entrants. Only for organisers.

    During a pause no time counts, and the sweep plays no turns and sends no reminders. People may still drive.

    Raises: Stale when the rally is paused already.
    Raises: Refused when the rally is not under way, or when the reason is not valid.
    """
    return _pause(locked_rally_for_organiser(by, rally.pk), by, reason)


@transaction.atomic
def pause_as_agreed(*, by: User, rally: Rally) -> Rally:
    """Pause a rally in an evening, as its drivers have agreed. `by`: the last who agreed.

    Raises: as `pause_rally`.
    """
    return _pause(locked_rally(rally.pk), by, _("The drivers asked for it."), agreed=True)


def _pause(rally: Rally, by: User, reason: str, *, agreed: bool = False) -> Rally:
    if rally.status != Rally.Status.RUNNING:
        raise Refused(str(rally.words.not_under_way))
    if rally.paused_at is not None:
        raise Stale(_("It is paused already."))
    rally.pause_reason = checked_line(reason, longest=200, field="reason")
    rally.paused_at = clock.now()
    rally.save(update_fields=["paused_at", "pause_reason"])
    details = {"rally": rally.name, "reason": rally.pause_reason, **({"agreed": True} if agreed else {})}
    audit.record(actor=by, action="rally paused", subject=rally, club_id=rally.club_id, details=details)
    _notify_of_pause(rally, "rally paused", rally.paused_at, rally.pause_reason)
    return rally


@transaction.atomic
def pause_after_restore(
    *, rally: Rally, last_post_at: datetime | None, promise: str, lost: list[str], sealed_again: list[Promised]
) -> Rally:
    """Pause a rally under way after the database was restored from a backup. Organisers have to resume it.

    Entrants are notified of what was lost. A rally that is paused already stays paused, and its entrants are notified
    too. The log names no author.

    last_post_at: the moment of the last post that is left, None for none. promise: the SHA-256 of the second seal.
    lost: stages that cannot get a new seal. sealed_again: the promises of stages that have not begun.
    """
    rally, now = locked_rally(rally.pk), clock.now()
    if rally.paused_at is None:
        rally.paused_at = now
        rally.pause_reason = _("The service was restored from a backup.")
        rally.save(update_fields=["paused_at", "pause_reason"])
    details = {"rally": rally.name, "last_post": last_post_at and last_post_at.isoformat(), "promise": promise}
    audit.record(
        actor=None,
        action="rally restored",
        subject=rally,
        club_id=rally.club_id,
        details={**details, "not_sealed": lost},
    )
    said = {"game": rally.game, "last_post_at": last_post_at, "promise": promise, "not_sealed": lost}
    key = f"rally {rally.pk} restored {now:%Y%m%dT%H%M%S%f}"
    notify_entrants(rally, "rally restored", key, {**said, "promises": sealed_again})
    return rally


@transaction.atomic
def resume_rally(*, by: User, rally: Rally) -> Rally:
    """End the pause of a rally and notify its entrants. Only for organisers.

    All deadlines and closing times move by the length of the pause.

    Raises: Stale when the rally is not paused.
    """
    return _resume(locked_rally_for_organiser(by, rally.pk), by)


@transaction.atomic
def resume_as_agreed(*, by: User | None, rally: Rally) -> Rally:
    """End a pause in an evening, as the drivers have agreed. `by`: the last who agreed; None for the clock, which ends
    it after the time that a pause of drivers has.

    Raises: Stale when the rally is not paused.
    """
    return _resume(locked_rally(rally.pk), by)


def _resume(rally: Rally, by: User | None) -> Rally:
    if rally.paused_at is None:
        raise Stale(_("It is not paused."))
    follow_rally(rally)  # applies changes made before the end of the pause, by the terms that held then
    began, now, reason = rally.paused_at, max(clock.now(), rally.paused_at), rally.pause_reason
    Pause.objects.create(rally=rally, began_at=began, ended_at=now, reason=reason)
    for stage in rally.stages.filter(status=SpecialStage.Status.RUNNING, closes_at__gt=began):
        assert stage.closes_at is not None
        stage.closes_at = after_pause(stage.closes_at, opened=stage.opened_at, began=began, ended=now)
        stage.save(update_fields=["closes_at"])
    rally.paused_at, rally.pause_reason = None, ""
    rally.save(update_fields=["paused_at", "pause_reason"])
    follow_rally(rally)
    details = {"rally": rally.name, "reason": reason}
    audit.record(actor=by, action="rally resumed", subject=rally, club_id=rally.club_id, details=details)
    _notify_of_pause(rally, "rally goes on", began, reason)
    for follower in rally_followers:
        follower.rally_timed(rally)
    return rally


def _notify_of_pause(rally: Rally, kind: str, began: datetime, reason: str) -> None:
    if rally.keeps_seconds:  # everybody sees it
        return
    notify_entrants(rally, kind, f"rally {rally.pk} pause {began:%Y%m%dT%H%M%S%f}", {"reason": reason})


@transaction.atomic
def penalise_miss(*, special_stage: SpecialStage, entry: Entry, amount: int, turn: int) -> Penalty:
    """Give the automatic penalty for a missed deadline, once for each turn. `turn`: the number of the turn."""
    rally = locked_rally(special_stage.rally_id)
    penalty, new = Penalty.objects.get_or_create(
        special_stage=special_stage,
        entry=entry,
        missed_turn=turn,
        defaults={"rally": rally, "amount": amount, "reason": CLOCK_REASON},
    )
    if new:
        audit.record(
            actor=None,
            action="penalty given",
            subject=entry,
            club_id=rally.club_id,
            details={
                "rally": rally.name,
                "entry": str(entry),
                "stage": special_stage.number,
                rally.unit: amount,
                "reason": CLOCK_REASON,
            },
        )
    return penalty
