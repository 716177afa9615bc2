"""Before the start: a rally is made from stage designs, its options are set, or it is called off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship import clock
from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Club, Role
from championship.clubs.services import refuse_if_closed, require_role
from championship.rallies.alone import modes_of, why_not_in_convoy
from championship.rallies.measures import measure_of_game
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.services.acting_dates import set_dates, told_dates
from championship.rallies.services.locks import organised, require_open_entries
from championship.rallies.services.messaging import tell_entrants
from championship.rallies.services.queueing import move_up, set_places, told_places
from championship.rallies.services.text_checks import checked_line
from championship.rallies.services.timekeeping import in_log, set_timekeeping
from championship.rallies.signals import rally_made
from championship.refusals import Refused, Stale
from championship.stages.models import StageDesign
from engine import registry
from engine.contract import Courses, Game, OptionError, StageError, offered

MAX_STAGES = 24


@transaction.atomic
def create_rally(
    *,
    by: User,
    club: Club,
    name: str,
    game: str,
    designs: Sequence[StageDesign],
    options: Mapping[str, Any],
    mode: str,
    turn_hours: int,
    reminder_hours: int,
    auto_start: bool = True,
    timekeeping: Mapping[str, Any] | None = None,
    places: Mapping[str, Any] | None = None,
    dates: Mapping[str, datetime | None] | None = None,
) -> Rally:
    """A new rally of the club with open entries, one special stage per design, in order.

    Only organisers. turn_hours and reminder_hours are whole hours; `timekeeping`: what else is said about time, by
    field (timekeeping.SETTINGS); `places`: how many cars it takes and in which classes, as queueing.set_places takes
    it; `dates`: when entries close and when it starts by itself, as acting_dates.set_dates takes them.

    Refused for a design of another club or game, one the rules do not accept, wrong options or deadlines; nothing is
    made then.
    """
    require_role(by, club, Role.ORGANISER)
    refuse_if_closed(Club.objects.select_for_update(no_key=True).get(pk=club.pk))  # nobody closes it meanwhile
    rules = registry.get(game)
    if not designs:
        raise Refused(_("Choose at least one stage."), field="designs")
    if len(designs) > MAX_STAGES:
        raise Refused(_("A rally has at most %(n)d stages.") % {"n": MAX_STAGES}, field="designs")
    measure = measure_of_game(game)
    rally = Rally(club=club, game=game, ruleset_version=rules.version, unit=measure.unit, better=measure.better)
    _set_up(rally, rules, name, options, mode, turn_hours, reminder_hours, auto_start)
    set_timekeeping(rally, timekeeping or {})
    set_places(rally, places or {})
    set_dates(rally, dates or {})
    rally.save()
    SpecialStage.objects.bulk_create(
        [stage_from(rally, rules, number, design) for number, design in enumerate(designs, start=1)]
    )
    audit.record(
        actor=by,
        action="rally created",
        subject=rally,
        club_id=club.pk,
        details={"name": rally.name, "stages": [design.name for design in designs]},
    )
    rally_made.send(sender=Rally, rally=rally)
    return rally


@transaction.atomic
def change_options(
    *,
    by: User,
    rally: Rally,
    name: str,
    options: Mapping[str, Any],
    mode: str,
    turn_hours: int,
    reminder_hours: int,
    auto_start: bool,
    timekeeping: Mapping[str, Any] | None = None,
    places: Mapping[str, Any] | None = None,
    dates: Mapping[str, datetime | None] | None = None,
) -> Rally:
    """Change name, options and deadlines, and `places` where they are given: entries that wait move up where there is
    room. Only organisers, only before the start (Stale afterwards).
    """
    rally = organised(by, rally.pk)
    require_open_entries(rally)
    before = {"name": rally.name, "options": rally.options, "mode": rally.mode}
    kept = in_log(rally) | told_places(rally) | told_dates(rally)
    rules = registry.get(rally.game)
    _set_up(rally, rules, name, options, mode, turn_hours, reminder_hours, auto_start)
    set_timekeeping(rally, timekeeping or {})
    if places is not None:
        set_places(rally, places)
    set_dates(rally, dates or {})
    rally.ruleset_version = rules.version
    rally.save()
    now = in_log(rally) | told_places(rally) | told_dates(rally)
    changed = {name: value for name, value in now.items() if kept[name] != value}
    audit.record(
        actor=by,
        action="rally options changed",
        subject=rally,
        club_id=rally.club_id,
        details={
            "before": before | {name: kept[name] for name in changed},
            "after": {"name": rally.name, "options": rally.options, "mode": mode} | changed,
        },
    )
    move_up(rally, by=by)
    return rally


@transaction.atomic
def cancel_rally(*, by: User, rally: Rally, reason: str) -> Rally:
    """The rally is not driven, or not to its end: its entrants are told, with the reason. Times that are in stay.

    Only organisers; Stale when it is over. Cancelling twice is cancelling once. While the rally is under way the app
    of runs calls this with its runs locked (runs.services.call_off).
    """
    rally = organised(by, rally.pk)
    if rally.status == Rally.Status.CANCELLED:
        return rally
    if rally.status == Rally.Status.FINISHED:
        raise Stale(str(rally.words.ended))
    cancel_for(by, rally, reason)
    return rally


def cancel_for(by: User, rally: Rally, reason: str) -> None:
    """The same for a rally that is locked and not over, without a look at roles; Refused (field reason)."""
    rally.cancel_reason = checked_line(reason, longest=200, field="reason")
    rally.status, rally.finished_at = Rally.Status.CANCELLED, clock.now()
    rally.paused_at, rally.pause_reason = None, ""
    rally.save(update_fields=["status", "finished_at", "cancel_reason", "paused_at", "pause_reason"])
    rally.stages.filter(status__in=[SpecialStage.Status.RUNNING, SpecialStage.Status.TIME_CONTROL]).update(
        status=SpecialStage.Status.CANCELLED
    )
    details = {"rally": rally.name, "reason": rally.cancel_reason}
    audit.record(actor=by, action="rally cancelled", subject=rally, club_id=rally.club_id, details=details)
    entered = [Entry.Status.REQUESTED, Entry.Status.WAITING, Entry.Status.CONFIRMED]
    tell_entrants(rally, "rally cancelled", f"rally {rally.pk}", {"reason": rally.cancel_reason}, statuses=entered)


def _set_up(
    rally: Rally,
    rules: Game,
    name: str,
    options: Mapping[str, Any],
    mode: str,
    turn_hours: int,
    reminder_hours: int,
    auto_start: bool,
) -> None:
    name = checked_line(name, longest=80, field="name")
    if mode not in dict(modes_of(rules)):
        raise Refused(_("Choose a way to drive that this game knows."), field="mode")
    if not 1 <= turn_hours <= 720:
        raise Refused(_("Give every turn between 1 and 720 hours."), field="turn_hours")
    if not 0 <= reminder_hours < turn_hours:
        raise Refused(
            _("Remind fewer hours before the deadline than a turn has; 0 reminds nobody."), field="reminder_hours"
        )
    try:
        rally.options = rules.clean_options(options)
    except OptionError as error:
        raise Refused(error.words(_), field=f"option_{error.option}") from error
    apart = why_not_in_convoy(rules, mode, rally.options)
    if apart is not None:
        raise Refused(apart.words(_), field=f"option_{apart.option}")
    rally.name, rally.mode, rally.auto_start = name, mode, auto_start
    rally.turn_hours, rally.reminder_hours = turn_hours, reminder_hours


def stage_from(rally: Rally, rules: Game, number: int, design: StageDesign) -> SpecialStage:
    """A rally's stage of that number as the design lays it; Refused where the club or the rules do not have it."""
    if design.game != rally.game or design.club_id not in (None, rally.club_id):
        raise Refused(_("Stage %(n)d is not one of this club's.") % {"n": number}, field="designs")
    try:
        courses = offered(rules, Courses)
        spec = design.spec if courses is None else courses.read_course(design.spec)
    except StageError as error:
        message = _("Stage %(n)d cannot be driven: %(why)s") % {"n": number, "why": error.words(_)}
        raise Refused(message, field="designs", rule=error.rule) from error
    return SpecialStage(
        rally=rally, number=number, name=design.name if design.club_id else "", design=design, spec=spec
    )
