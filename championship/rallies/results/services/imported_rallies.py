"""Import of rallies that a club drove on paper before it used this service. Their results count like all others. The
games check a rally that is imported from another site.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any

from django.db import transaction
from django.db.models import F, ProtectedError, QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.clubs.services.holidays import today_of
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.desk.services.preparing import MAX_STAGES, stage_from
from championship.rallies.entries.services.entering import HIGHEST_NUMBER
from championship.rallies.locks import locked_rally_for_organiser
from championship.rallies.models import (
    COLOURS,
    ON_PAPER,
    Entry,
    Penalty,
    PublishedResult,
    Rally,
    SpecialStage,
    StageTime,
)
from championship.rallies.results.measures import Measure, may_be_given, measure_of_game
from championship.rallies.results.services.recording_results import settled
from championship.rallies.text_checks import checked_line
from championship.stages.models import StageDesign
from engine import registry
from engine.contract import Career, Column, Courses, Game, GameError, OptionError, offered

MOST_COUNTED = 10_000
"""The most damage of one kind that the sheet shows."""


def invalid_column(game: str, options: Mapping[str, Any]) -> str:
    """The column that is not valid: "game" for an unknown game, "options" for an option with an invalid value, else "".

    Options that the game does not have any more are ignored.
    """
    try:
        rules = registry.get(game)
    except GameError:
        return "game"
    try:
        for option in rules.options:
            if option.name in options:
                option.clean(options[option.name])
    except OptionError:
        return "options"
    return ""


def read_stage(stage: SpecialStage) -> None:
    """Let the game parse a stage. A game may raise any exception when the stage is not valid."""
    read_course(stage.rally.game, stage.spec)


def read_course(game: str, spec: Any) -> None:
    """Let the game parse a course. A game may raise any exception when the course is not valid."""
    courses = offered(registry.get(game), Courses)
    if courses is not None:
        courses.read_course(spec)


def fits_luggage(game: str, luggage: Any) -> bool:
    """Whether the game can read this luggage of a car, and the rally sheet can show it."""
    career = offered(registry.get(game), Career)
    try:
        row = {} if career is None else career.sheet_row(luggage)
        return career is None or all(_fits_column(column, row[column.key]) for column in career.sheet_columns)
    except Exception:  # a game may raise anything for invalid data
        return False


def _fits_column(column: Column, value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST_COUNTED if column.part else isinstance(value, bool | int)


@dataclass(frozen=True, slots=True)
class Published:
    """What a list says of a driver in a rally, as `PublishedResult` keeps it. Points are in hundredths."""

    place: int | None = None
    status: str = PublishedResult.Status.CLASSIFIED
    reason: str = ""
    points: int | None = None
    power: int | None = None
    car: int | None = None


@dataclass(frozen=True, slots=True)
class ImportedDrive:
    """A driver's results in an imported rally: one for each stage, in order, in the game's unit, with penalties.

    `retired` holds the numbers (from 1) of stages that the driver did not finish, and `why` the reason in any words.
    The result of such a stage may be None: then the game settles it (E7), if it can. `published`: what the list says of
    the whole rally; then results may be missing. `team`: None where nobody has said it. `penalty`: what the list adds
    to the results of the stages.
    """

    driver: User
    crew: str
    results: Sequence[int | None]
    car_class: str = ""
    start_number: int | None = None
    retired: frozenset[int] = field(default_factory=frozenset)
    why: str = ""
    published: Published | None = None
    team: str | None = None
    penalty: int = 0


@transaction.atomic
def record_imported_rally(
    *, by: User, club: Club, name: str, game: str, designs: Sequence[StageDesign | str], driven_on: date | None,
    drives: Sequence[ImportedDrive], measure: Measure | None = None, retired_unplaced: bool = False,
    year: int | None = None,
) -> Rally:  # fmt: skip
    """Create a finished rally with these results, dated noon UTC of `driven_on`, or now when noon is still to come.
    Of some rallies only the year is known, or no date at all: `_dated`.

    Only for organisers. `driven_on` is a day in the organiser's time zone. `designs`: the stages driven; a string is
    the name of a course that has no design here. `measure`: the measure of the results, when it is not the game's own.
    The game settles the missing results of retired cars, but only of a rally that was driven in it: with its measure,
    on a course of its own. `retired_unplaced`: it does not settle any, so that a retired car without a result has no
    place. Drivers need not be members of the club.

    Raises: Refused when a value is not valid; it names the field (name, designs, driven_on or drives).
    """
    require_role(by, club, Role.ORGANISER)
    rules = registry.get(game)
    if not 1 <= len(designs) <= MAX_STAGES:
        raise Refused(_("A rally has 1 to %(n)d stages.") % {"n": MAX_STAGES}, field="designs")
    moment, known = _dated(by, club, driven_on, year)
    own = measure is None or measure == measure_of_game(game)
    settles = own and not retired_unplaced and any(isinstance(each, StageDesign) for each in designs)
    measure = measure or measure_of_game(game)
    _check(drives, len(designs), measure)
    rally = Rally.objects.create(
        club=club,
        game=game,
        ruleset_version=ON_PAPER,
        unit=measure.unit,
        better=measure.better,
        name=checked_line(name, longest=80, field="name"),
        options=rules.clean_options({}),
        status=Rally.Status.FINISHED,
        started_at=moment,
        finished_at=moment,
        day_known=known,
    )
    Rally.objects.filter(pk=rally.pk).update(created_at=moment)
    stages = [_stage(rally, rules, number, design) for number, design in enumerate(designs, start=1)]
    for stage in stages:
        stage.status, stage.opened_at, stage.closed_at = SpecialStage.Status.DONE, moment, moment
    SpecialStage.objects.bulk_create(stages)
    _enter(by, rally, stages, drives, settles=settles)
    audit.record(
        actor=by,
        action="past rally recorded",
        subject=rally,
        club_id=club.pk,
        details={"rally": rally.name, "stages": len(stages), "entries": [each.crew for each in drives]},
    )
    return rally


def published_penalties(rallies: Collection[Rally]) -> QuerySet[Penalty]:
    """Return the penalties of imported rallies that lists have said. They are as old as the rally, and those that
    officials give later are younger.
    """
    said = Penalty.objects.filter(rally__in=rallies, special_stage=None, missed_turn=None)
    return said.filter(at__lte=F("rally__finished_at"))


@transaction.atomic
def change_imported_rally(*, by: User, rally: Rally, drives: Sequence[ImportedDrive]) -> None:
    """Give these drivers of an imported rally new results; who did not drive in it yet is added, and the others stay.
    Results are in the rally's unit. Only for organisers.

    Raises: Refused when the rally was driven here, or when a value is not valid; it names the field (drives).
    """
    rally = locked_rally_for_organiser(by, rally.pk)
    if not rally.on_paper:
        raise Refused(_("This rally was driven here, so its results stay."))
    stages = list(rally.stages.order_by("number"))
    _check(drives, len(stages), rally.measure)
    changed = Entry.objects.filter(rally=rally, driver__in=[each.driver for each in drives])
    entries = {entry.driver_id: entry for entry in changed}
    StageTime.objects.filter(entry__in=changed).delete()
    PublishedResult.objects.filter(entry__in=changed).delete()
    changed_numbers = changed.values("pk")
    taken = set(rally.entries.exclude(pk__in=changed_numbers).values_list("start_number", flat=True))
    fresh = _entries(rally, drives, taken)
    kept = [entry for entry in fresh if entry.driver_id in entries]
    for entry in kept:
        entry.pk = entries[entry.driver_id].pk
    changed.update(start_number=None, status=Entry.Status.WITHDRAWN)  # the list may exchange numbers between cars
    fields = ["status", "start_number", "colour", "crew", "car_class", "team"]
    Entry.objects.bulk_update(kept, fields)
    Entry.objects.bulk_create([entry for entry in fresh if entry.pk is None])
    published_penalties([rally]).filter(entry__in=changed_numbers).delete()
    _record(by, rally, stages, dict(zip(fresh, drives, strict=True)), settles=False)
    crews = [each.crew for each in drives]
    details = {"rally": rally.name, "entries": crews}
    audit.record(actor=by, action="past rally changed", subject=rally, club_id=rally.club_id, details=details)


def _dated(by: User, club: Club, day: date | None, year: int | None) -> tuple[datetime, str]:
    """Return the moment that gives a rally its place among others, and what of its date is known. A rally without a
    date is as old as the club, so that it is never the latest one.

    Raises: Refused (field driven_on) when it is in the future.
    """
    now = clock.now()
    today = today_of(by, now)
    if (day is not None and day > today) or (year is not None and year > today.year):
        raise Refused(_("This day is in the future."), field="driven_on")
    if day is not None:
        return min(datetime.combine(day, time(12), UTC), now), Rally.DayKnown.DAY
    if year is not None:
        return min(datetime(year, 12, 31, 12, tzinfo=UTC), now), Rally.DayKnown.YEAR
    return min(club.created_at, now), Rally.DayKnown.NOTHING


@transaction.atomic
def remove_imported_rallies(*, by: User, rallies: Sequence[Rally]) -> None:
    """Delete imported rallies of a club. The log keeps the import and the removal. Only for organisers. About as many
    queries for many rallies as for one.

    Raises: Refused when one was driven here, or when officials have acted on it.
    """
    found = [locked_rally_for_organiser(by, rally.pk) for rally in sorted(rallies, key=lambda rally: rally.pk)]
    for rally in found:
        if not rally.on_paper:
            raise Refused(_("This rally was driven here, so its results stay."))
        audit.record(
            actor=by, action="past rally removed", subject=rally, club_id=rally.club_id, details={"rally": rally.name}
        )
    try:
        Rally.objects.filter(pk__in=[rally.pk for rally in found]).delete()
    except ProtectedError as error:
        raise Refused(_("Officials have taken decisions in this rally, so its results stay.")) from error


def _check(drives: Sequence[ImportedDrive], stages: int, measure: Measure) -> None:
    if not drives:
        raise Refused(_("Somebody must have driven."), field="drives")
    numbers = [each.start_number for each in drives if each.start_number is not None]
    if len({each.driver.pk for each in drives}) < len(drives) or len(set(numbers)) < len(numbers):
        raise Refused(_("Name each driver and each start number once."), field="drives")
    if len(drives) > HIGHEST_NUMBER or any(not 1 <= number <= HIGHEST_NUMBER for number in numbers):
        raise Refused(_("Start numbers go from 1 to 999."), field="drives")
    for each in drives:
        if each.penalty and not may_be_given(abs(each.penalty), measure):
            says = _("%(crew)s: no rally has such a penalty.") % {"crew": each.crew}
            raise Refused(says, field="drives")
        given = list(enumerate(each.results, start=1))
        missing = each.published is None and any(
            value is None and number not in each.retired for number, value in given
        )
        if len(given) != stages or missing:
            raise Refused(_("%(crew)s: give a result for every stage.") % {"crew": each.crew}, field="drives")
        if any(value is not None and not may_be_given(value, measure) for _number, value in given):
            raise Refused(_("%(crew)s: no stage has such a result.") % {"crew": each.crew}, field="drives")


def _enter(
    by: User, rally: Rally, stages: Sequence[SpecialStage], drives: Sequence[ImportedDrive], *, settles: bool
) -> None:
    entries = Entry.objects.bulk_create(_entries(rally, drives, set()))
    _record(by, rally, stages, dict(zip(entries, drives, strict=True)), settles=settles)


def _record(
    by: User, rally: Rally, stages: Sequence[SpecialStage], drives: Mapping[Entry, ImportedDrive], *, settles: bool
) -> None:
    """Store what the entries have done. `settles`: as for `_times`."""
    Penalty.objects.bulk_create(
        Penalty(
            rally=rally,
            entry=entry,
            amount=each.penalty,
            reason=_("Penalty, as published"),
            given_by=by,
            at=rally.finished_at or clock.now(),
        )
        for entry, each in drives.items()
        if each.penalty
    )
    StageTime.objects.bulk_create(
        [each for stage in stages for each in _times(stage, drives, settles=settles)], batch_size=2000
    )
    PublishedResult.objects.bulk_create(
        PublishedResult(entry=entry, **asdict(each.published)) for entry, each in drives.items() if each.published
    )


def _entries(rally: Rally, drives: Sequence[ImportedDrive], taken: Collection[int | None]) -> list[Entry]:
    """Confirmed entries in the order given, not saved yet. A drive without a start number, or with one of `taken`, gets
    the lowest free one.
    """
    used = {*taken, *(each.start_number for each in drives)}
    free = (number for number in range(1, HIGHEST_NUMBER + 1) if number not in used)
    entries = []
    for each in drives:
        number = each.start_number if each.start_number and each.start_number not in taken else next(free, None)
        if number is None:
            raise Refused(_("Start numbers go from 1 to 999."), field="drives")
        entries.append(
            Entry(
                rally=rally,
                driver=each.driver,
                status=Entry.Status.CONFIRMED,
                start_number=number,
                colour=(number - 1) % COLOURS,
                crew=checked_line(each.crew, longest=80, field="drives"),
                car_class=checked_line(each.car_class, longest=20, field="drives", needed=False),
                team=each.team,
            )
        )
    return entries


def _stage(rally: Rally, rules: Game, number: int, design: StageDesign | str) -> SpecialStage:
    if isinstance(design, StageDesign):
        return stage_from(rally, rules, number, design)
    name = checked_line(design, longest=80, field="designs")
    return SpecialStage(rally=rally, number=number, name=name, design=None, spec={})


def _times(stage: SpecialStage, drives: Mapping[Entry, ImportedDrive], *, settles: bool) -> list[StageTime]:
    """The stage's results. The cars at the finish are unknown, so `car` is empty. `settles`: the game settles the
    missing results of retired cars. An entry of which something was published has only the results that the list gives.
    """
    times = [
        StageTime(
            special_stage=stage,
            entry=entry,
            measure=each.results[stage.number - 1],
            retired=stage.number in each.retired,
            reason=each.why[:80] if stage.number in each.retired else "",
            car={},
        )
        for entry, each in drives.items()
        if each.published is None or each.results[stage.number - 1] is not None or stage.number in each.retired
    ]
    for driven, found in zip(times, settled(stage.rally, times) if settles else (), strict=settles):
        if driven.measure is None:
            driven.measure, driven.rank = found.measure, list(found.rank)
    return times
