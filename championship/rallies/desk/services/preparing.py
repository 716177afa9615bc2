"""Creating a rally from stage designs, changing its options before the start, and cancelling it. In a club's log, the
options of each game are in a group of their own, so that equal names do not mix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship import catalogue
from championship.accounts.models import User
from championship.audit import services as audit
from championship.audit.actions import Group
from championship.catalogue import value_words
from championship.clubs.models import Club, Role
from championship.clubs.services import refuse_if_closed, require_role
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.clock.evening_rules import EveningRules
from championship.rallies.clock.services.acting_dates import dates_for_log, set_dates
from championship.rallies.clock.services.evenings import put_evening_rules
from championship.rallies.clock.services.timekeeping import (
    refuse_bad_hours,
    set_timekeeping,
    timekeeping_for_log,
)
from championship.rallies.desk.game_choice import modes_of, why_not_in_convoy
from championship.rallies.desk.services.messaging import notify_entrants
from championship.rallies.desk.set_ups import require_set_ups
from championship.rallies.entries.services.queueing import capacity_for_log, move_up, set_capacity
from championship.rallies.followers import rally_followers
from championship.rallies.knockout.event import HEAT_MODES, event_for_log, event_of, set_event
from championship.rallies.knockout.plan import Knockout, plan_of
from championship.rallies.locks import locked_rally_for_organiser, require_open_entries
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results.measures import measure_of_game
from championship.rallies.text_checks import checked_line
from championship.stages.models import StageDesign
from engine import registry
from engine.contract import Courses, Game, OptionError, StageError, UnknownGame, offered

MAX_STAGES = 24
OPTIONS = "options"
"""The detail with the options in records without the name of the game."""
OPTIONS_OF = "options of "
"""What the name of the detail begins with; the name of the game follows."""


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
    event: Mapping[str, Any] | None = None,
    ledgers: bool = True,
    evening: EveningRules | None = None,
) -> Rally:
    """Create a rally of the club with open entries and one special stage for each design, in order.

    Only for organisers. `turn_hours`, `reminder_hours`: whole hours. `timekeeping`: other settings about time, by field
    (timekeeping.SETTINGS). `places`: as `queueing.set_capacity` takes them. `dates`: when entries close and when the
    rally starts automatically, as `acting_dates.set_dates` takes them. `event`: heats and a final, and what a missed
    stage costs, as `set_event` takes them. A plan with heats drives one course on all its stages when only one design
    is given. `ledgers`: whether it tells decisions from chance. `evening`: the rules of its evenings.

    Raises: Refused when a design is of another club or game, the game does not set it up with these options, or
    anything is not valid. Nothing is created then.
    """
    require_role(by, club, Role.ORGANISER)
    refuse_if_closed(Club.objects.select_for_update(no_key=True).get(pk=club.pk))  # the lock keeps the club open
    rules, words, measure = registry.get(game), catalogue.words_of(game), measure_of_game(game)
    if not designs:
        raise Refused(words.fill(_("Choose at least one [stage].")), field="designs")
    if len(designs) > MAX_STAGES:
        raise Refused(words.fill(_("At most %(n)d [stages].")) % {"n": MAX_STAGES}, field="designs")
    rally = Rally(club=club, game=game, ruleset_version=rules.version, unit=measure.unit, better=measure.better)
    rally.ledgers = ledgers
    _set_up(rally, rules, name, options, mode, turn_hours, reminder_hours, auto_start)
    set_timekeeping(rally, timekeeping or {})
    set_capacity(rally, places or {})
    set_dates(rally, dates or {})
    plan = plan_of((event or {}).get("knockout"))
    if plan is not None and len(designs) == 1:
        designs = [*designs] * plan.stages
    set_event(rally, event or {}, len(designs))
    put_evening_rules(rally, evening)
    rally.save()
    stages = [stage_from(rally, rules, number, design) for number, design in enumerate(designs, start=1)]
    require_set_ups(rally, stages, field="designs")
    SpecialStage.objects.bulk_create(stages)
    made = _made_for_log(rally, designs)
    audit.record(actor=by, action="rally created", subject=rally, club_id=club.pk, details=made)
    for follower in rally_followers:
        follower.rally_made(rally)
    return rally


def _made_for_log(rally: Rally, designs: Sequence[StageDesign]) -> dict[str, Any]:
    told = {"name": rally.name, "stages": [design.name for design in designs]}
    return told if rally.ledgers else told | {"ledgers": False}


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
    event: Mapping[str, Any] | None = None,
    evening: EveningRules | None = None,
) -> Rally:
    """Change name, options and deadlines of a rally, and `places` and `event` when given. Entries that wait move up
    when there is room. Only for organisers.

    Raises: Stale when the rally has started.
    Raises: Refused when anything is not valid, or the game does not set up a stage with these options.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    require_open_entries(rally)
    before = {"name": rally.name, **options_for_log(rally.game, rally.options), "mode": rally.mode}
    kept = _for_log(rally)
    rules = registry.get(rally.game)
    _set_up(rally, rules, name, options, mode, turn_hours, reminder_hours, auto_start)
    set_timekeeping(rally, timekeeping or {})
    if places is not None:
        set_capacity(rally, places)
    set_dates(rally, dates or {})
    wanted = event if event is not None else event_of(rally)
    set_event(rally, wanted, _fit_stages(rally, rules, plan_of(wanted.get("knockout"))))
    require_set_ups(rally, _stages_of(rally))
    rally.ruleset_version = rules.version
    if evening is not None and evening != rally.rules_of_evening:
        if rally.keeps_seconds:
            raise Refused(_("The evening is under way: its rules stay as everybody knows them."))
        put_evening_rules(rally, evening)
    rally.save()
    now = _for_log(rally)
    changed = {name: value for name, value in now.items() if kept[name] != value}
    audit.record(
        actor=by,
        action="rally options changed",
        subject=rally,
        club_id=rally.club_id,
        details={
            "before": before | {name: kept[name] for name in changed},
            "after": {"name": rally.name, **options_for_log(rally.game, rally.options), "mode": mode} | changed,
        },
    )
    move_up(rally, by=by)
    return rally


@transaction.atomic
def set_ledgers(*, by: User, rally: Rally, shown: bool) -> Rally:
    """Choose whether the rally tells decisions from chance: on pages, papers and to programs. Before the start, while
    it is under way and afterwards. The same choice again changes nothing. Only for organisers.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    if rally.ledgers != shown:
        rally.ledgers = shown
        rally.save(update_fields=["ledgers"])
        details = {"ledgers": shown}
        audit.record(actor=by, action="rally options changed", subject=rally, club_id=rally.club_id, details=details)
    return rally


@transaction.atomic
def cancel_rally(*, by: User, rally: Rally, reason: str) -> Rally:
    """Cancel a rally before its end and notify its entrants of the reason. Recorded results stay.

    Only for organisers. Cancelling a cancelled rally changes nothing. While the rally is under way, the app of runs
    calls this with the rally's runs locked (runs.services.call_off).

    Raises: Stale when the rally is over.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    if rally.status == Rally.Status.CANCELLED:
        return rally
    if rally.status == Rally.Status.FINISHED:
        raise Stale(str(rally.words.ended))
    cancel_for(by, rally, reason)
    return rally


def cancel_for(by: User, rally: Rally, reason: str) -> None:
    """Do the same for a rally that is locked and not over, without a check of roles.

    Raises: Refused (field reason) when the reason is not valid.
    """
    rally.cancel_reason = checked_line(reason, longest=200, field="reason")
    rally.status, rally.finished_at = Rally.Status.CANCELLED, clock.now()
    rally.paused_at, rally.pause_reason = None, ""
    rally.save(update_fields=["status", "finished_at", "cancel_reason", "paused_at", "pause_reason"])
    rally.stages.filter(status__in=[SpecialStage.Status.RUNNING, SpecialStage.Status.TIME_CONTROL]).update(
        status=SpecialStage.Status.CANCELLED
    )
    details = {"rally": rally.name, "reason": rally.cancel_reason}
    audit.record(actor=by, action="rally cancelled", subject=rally, club_id=rally.club_id, details=details)
    notify_entrants(
        rally, "rally cancelled", f"rally {rally.pk}", {"reason": rally.cancel_reason}, statuses=Entry.Status.entered()
    )


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
    refuse_bad_hours(turn_hours, reminder_hours)
    try:
        rally.options = rules.clean_options(options)
    except OptionError as error:
        raise Refused(error.words(_), field=f"option_{error.option}") from error
    for driven_as in {mode, *_own_modes(rally)}:
        apart = why_not_in_convoy(rules, driven_as, rally.options)
        if apart is not None:
            raise Refused(apart.words(_), field=f"option_{apart.option}")
    rally.name, rally.mode, rally.auto_start = name, mode, auto_start
    rally.turn_hours, rally.reminder_hours = turn_hours, reminder_hours


def _fit_stages(rally: Rally, rules: Game, plan: Knockout | None) -> int:
    """Fit the stages to a plan of heats and a final, where one course is driven each time: stages are added, or those
    that a plan has added are removed. Returns how many there are.
    """
    stages = list(rally.stages.select_related("design").order_by("number"))
    design, had = stages[0].design, rally.heats
    wanted = plan.stages if plan else 1 if had else len(stages)
    one_course = len({stage.design_id for stage in stages}) == 1 and (had or len(stages) == 1)
    if design is None or not one_course or len(stages) == wanted:
        return len(stages)
    rally.stages.filter(number__gt=wanted).delete()
    added = range(len(stages) + 1, wanted + 1)
    SpecialStage.objects.bulk_create([stage_from(rally, rules, number, design) for number in added])
    return wanted


def _stages_of(rally: Rally) -> list[SpecialStage]:
    """Its stages in order, each with this rally, whose changes are not saved yet."""
    stages = list(rally.stages.order_by("number"))
    for stage in stages:
        stage.rally = rally
    return stages


def _for_log(rally: Rally) -> dict[str, Any]:
    rules = {"evening": str(rally.rules_of_evening.plain())} if rally.evening_rules else {}
    return timekeeping_for_log(rally) | capacity_for_log(rally) | dates_for_log(rally) | event_for_log(rally) | rules


def _own_modes(rally: Rally) -> list[str]:
    """The modes of stages that are not driven as the rally. One query; none for a new rally."""
    return list(rally.stages.exclude(mode="").values_list("mode", flat=True)) if rally.pk else []


@transaction.atomic
def choose_stage_modes(*, by: User, rally: Rally, modes: Mapping[int, str]) -> list[SpecialStage]:
    """Choose how stages are driven, by their numbers; "" for as the rally is. Stages that have opened stay as they are.
    Only for organisers. Returns the stages that have changed.

    Raises: Refused with the field, `mode_<number>`, for a mode that the game or the rally's options do not allow.
    Raises: Stale for a stage that has opened.
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    rules = registry.get(rally.game)
    changed = []
    for stage in rally.stages.order_by("number"):
        mode = modes.get(stage.number, stage.mode)
        if mode == stage.mode:
            continue
        field = f"mode_{stage.number}"
        if stage.status != SpecialStage.Status.PLANNED or rally.status in (
            Rally.Status.FINISHED,
            Rally.Status.CANCELLED,
        ):
            raise Stale(_("It has started already."), field=field)
        if mode and mode not in dict(modes_of(rules)):
            raise Refused(_("Choose a way to drive that this game knows."), field=field)
        if mode and mode not in HEAT_MODES and rally.heats is not None:
            raise Refused(_("With heats, all cars of a table drive together. Choose that."), field=field)
        apart = why_not_in_convoy(rules, mode, rally.options) if mode else None
        if apart is not None:
            raise Refused(apart.words(_), field=field)
        stage.mode = mode
        stage.save(update_fields=["mode"])
        changed.append(stage)
    if changed:
        modes_now = {str(stage.number): stage.mode or rally.mode for stage in changed}
        audit.record(
            actor=by,
            action="stage modes chosen",
            subject=rally,
            club_id=rally.club_id,
            details={"rally": rally.name, "modes": [f"{number}: {mode}" for number, mode in modes_now.items()]},
        )
    return changed


def stage_from(rally: Rally, rules: Game, number: int, design: StageDesign) -> SpecialStage:
    """An unsaved special stage of the rally with that number and the design's course.

    Raises: Refused when the design is from another club or game, or when the rules do not accept it.
    """
    if design.game != rally.game or design.club_id not in (None, rally.club_id):
        raise Refused(_("Stage %(n)d does not belong to this club.") % {"n": number}, field="designs")
    try:
        courses = offered(rules, Courses)
        spec = design.spec if courses is None else courses.read_course(design.spec)
    except StageError as error:
        message = _("Stage %(n)d cannot be driven: %(why)s") % {"n": number, "why": error.words(_)}
        raise Refused(message, field="designs", rule=error.rule, game=rally.game) from error
    return SpecialStage(
        rally=rally, number=number, name=design.name if design.club_id else "", design=design, spec=spec
    )


def options_for_log(game: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The detail of the log that says which options a rally of the game has."""
    return {f"{OPTIONS_OF}{game}": dict(options)}


def options_in_log(detail: str) -> Group | None:
    """The texts for the options in a detail of that name. None for other details, and for a game that is not installed.

    Where the game is not known, each option has the text of the first game that has it.
    """
    if detail == OPTIONS:
        games = registry.names()
    elif detail.startswith(OPTIONS_OF):
        games = (detail.removeprefix(OPTIONS_OF),)
    else:
        return None
    labels, values = dict[str, str](), dict[str, dict[str, str]]()
    try:
        for game in games:
            for option in registry.get(game).options:
                if option.name not in labels:
                    labels[option.name] = _(option.label)
                    values[option.name] = {choice: value_words(game, choice) for choice in option.choices if choice}
    except UnknownGame:
        return None
    return Group(_("options"), labels, values)
