"""What a list of results would do to a season: new rounds, and rounds imported before that change. No writes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.formats import date_format, localize
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.accounts.models import User
from championship.accounts.name_comparison import NearNames, comparable_name, same_as
from championship.lists.drives import RETIRED, Drive, RoundDrives, drives_of
from championship.lists.found import FoundRound, FoundSeason
from championship.lists.plans import (
    CHANGED,
    LEFT_OUT,
    NEW,
    NOTHING,
    UNCHANGED,
    Plan,
    PlannedLine,
    PlannedRound,
    changes_between,
)
from championship.lists.services.people_plans import crew_of, shown
from championship.lists.services.resolving import Resolved
from championship.platform import clock
from championship.rallies.desk.game_choice import default_game
from championship.rallies.models import Entry, PublishedResult
from championship.rallies.results import measures
from championship.rallies.results.measures import Measure, measure_of_game
from championship.rallies.results.selectors import Results, results_of_rallies
from championship.rallies.services import ImportedDrive, published_penalties
from championship.seasons.models import Championship, Registration, Round
from championship.seasons.scoring import tables
from championship.seasons.scoring.values import as_number
from championship.seasons.selectors import table
from championship.stages.course_names import name_by_source
from championship.stages.models import StageDesign

MOST_STAGES, MOST_CARS = 24, 999
CHECKED_HERE = ("season total", "total")
"""What the reader tells about totals; the look tells it too, by names and with the points of the season."""
RETIRED_ON = re.compile(r"\D{1,30}?\d{1,2}(?:[ ]?[-–:,][ ]?(.*))?")
"""Where a car retired, and why, in a list that has no stages: "on stage 2: engine"."""
READY_MADE = re.compile(r"[Rr]?(\d+)/(\d+)")


@dataclass(frozen=True, slots=True)
class WantedRound:
    """What the import does with a round: the courses and the drives of a new one, or the drives that change. `round`:
    the round that is there already.
    """

    found: FoundRound
    measure: Measure
    designs: tuple[StageDesign | str, ...]
    drives: tuple[ImportedDrive, ...]
    game: str
    round: Round | None = None


@dataclass(frozen=True)
class _Season:
    """What is there already: rounds by comparable name with their results, registrations by driver, courses by name,
    penalties of lists by entry, and what the scheme gives, in hundredths of a point, by rally and driver.
    """

    championship: Championship
    rounds: Mapping[str, Round]
    results: Mapping[int, Results]
    registered: Mapping[int, Registration]
    courses: Mapping[str, StageDesign]
    penalties: Mapping[int, int]
    given: Mapping[tuple[int, int], int]


def plan_results(now: Resolved, championship: Championship) -> Plan:
    """Return what a list of results would do to a season. At most twelve queries."""
    assert isinstance(now.found, FoundSeason)
    season, after = _season(championship, now.found), championship.rounds.count()
    rounds = tuple(_round(now, season, each, now.found) for each in _once(now.found.rounds, after))
    told = [note.says for note in now.found.notes if note.kind != "ask" and note.about not in CHECKED_HERE]
    told += _unknown_classes(championship, now.found)
    names = tuple(sorted({person.name for person in now.new_names.values()}))
    told += _alike(names)
    return Plan(_heads(), rounds=rounds, told=tuple(told), new_names=names)


def _alike(names: Sequence[str]) -> list[str]:
    """Return a remark for each new name that is nearly an earlier one of the list."""
    seen, told = NearNames(), []
    for name in names:
        near = seen.nearest(name)
        if near:
            told.append(
                _("%(name)s and %(near)s are nearly the same name. Is this one person?") % {"name": name, "near": near}
            )
        seen.add(name)
    return told


def _heads() -> tuple[str, ...]:
    return _("Place"), _("Result"), _("Points"), _("Status")


def _season(championship: Championship, found: FoundSeason) -> _Season:
    wanted = {comparable_name(each.name) for each in found.rounds}
    rounds = {
        comparable_name(each.rally.name): each
        for each in championship.rounds.select_related("rally")
        if comparable_name(each.rally.name) in wanted
    }
    on_paper = [each.rally for each in rounds.values() if each.rally.on_paper]
    registered = {each.driver_id: each for each in championship.registrations.select_related("team")}
    said = {each.entry_id: each.amount for each in published_penalties(on_paper)} if on_paper else {}
    own = StageDesign.objects.filter(club=championship.club)
    courses: dict[str, StageDesign] = {}
    if any(each.stages for each in found.rounds):
        for design in (StageDesign.objects.filter(club=None) | own).order_by("-club", "pk"):
            courses[comparable_name(design.name)] = design
            if design.club_id is None and design.source:
                courses[design.source] = courses[comparable_name(name_by_source(design.source))] = design
    results = results_of_rallies(on_paper) if on_paper else {}
    given = _given(championship) if _adds_points(found, rounds, results) else {}
    return _Season(championship, rounds, results, registered, courses, said, given)


def _adds_points(found: FoundSeason, rounds: Mapping[str, Round], results: Mapping[int, Results]) -> bool:
    """Whether the list has points for a round that is here with cars to which the scheme gives theirs."""
    for each in found.rounds:
        there = rounds.get(comparable_name(each.name))
        before = results.get(there.rally_id) if there is not None else None
        if before is not None and any(result.points_hundredths is not None for result in each.results):
            said = before.published
            if any(pk not in said or said[pk].points is None for pk in before.entries):
                return True
    return False


def _given(championship: Championship) -> dict[tuple[int, int], int]:
    """Return what the table gives, in hundredths of a point, by rally and driver."""
    shown = table(championship)
    rallies = {each.number: each.rally_id for each in shown.rounds}
    return {
        (rallies[number], int(line.subject)): score.points
        for line in tables.drivers(shown.season)
        for number, score in line.scores.items()
        if number in rallies
    }


def _once(rounds: Sequence[FoundRound], after: int) -> list[FoundRound]:
    """Return the rounds, those of the same name told apart by a number. A round without a name is called by its number
    behind the `after` rounds of the season.
    """
    seen: dict[str, int] = {}
    found = []
    for number, each in enumerate(rounds, start=after + 1):
        name = shown(each.name, 70) or _("Round %(n)d") % {"n": number}
        called = comparable_name(name)
        seen[called] = seen.get(called, 0) + 1
        name = name if seen[called] == 1 else f"{name} ({seen[called]})"
        found.append(each if name == each.name else replace(each, name=name))
    return found


def _unknown_classes(championship: Championship, found: FoundSeason) -> list[str]:
    classes = {
        result.person.car_class
        for each in found.rounds
        for result in each.results
        if result.person.car_class and same_as(result.person.car_class, championship.classes) is None
    }
    if not championship.classes or not classes:
        return []
    return [_("Classes that the season does not have; they have no table: %s") % ", ".join(sorted(classes))]


def _round(now: Resolved, season: _Season, each: FoundRound, found: FoundSeason) -> PlannedRound:
    there = season.rounds.get(comparable_name(each.name))
    scored = bool(now.draft.answers.get("scored"))
    # A round that is here with places only, from an earlier list, gets the sums of its points.
    made = drives_of(each, scored=scored, by_stage=there is None or measures.is_points(there.rally.measure))
    says = _why_not(each, made, there)
    if says:
        out = [PlannedLine(result.person.line, result.person.name, LEFT_OUT, why=says) for result in each.results]
        return PlannedRound(each.name, _when(each), LEFT_OUT, tuple(out), (says,))
    told = [*made.told, *([_("The places are made from the points.")] if made.made_places else [])]
    told += _ahead_of_finishers(made)
    before = season.results.get(there.rally_id) if there is not None else None
    designs, game = _courses(season, made) if there is None else ((), "")
    measure = _unit(made, game) if there is None else there.rally.measure
    lines, drives = _lines(now, season, made, found, before)
    wanted = WantedRound(each, measure, designs, tuple(drives), game, there)
    states = {line.state for line in lines}
    state = CHANGED if states & {NEW, CHANGED} else UNCHANGED
    if there is None:
        state = NEW if drives else LEFT_OUT
    if before is not None:
        told += _not_in_the_list(before, made, now)
    return PlannedRound(each.name, _when(each), state, tuple(lines), tuple(told), wanted if drives else None)


def _why_not(each: FoundRound, made: RoundDrives, there: Round | None) -> str:
    """Return why a round cannot be imported; "" when it can."""
    today = clock.now().date()
    if there is not None and not there.rally.on_paper:
        return _("A round of this name was driven here, so its results stay.")
    if (each.day is not None and each.day > today) or (each.year is not None and each.year > today.year):
        return _("This day is in the future.")
    if len(made.stages) > MOST_STAGES:
        return _("A rally has at most %(n)d stages.") % {"n": MOST_STAGES}
    if len(each.results) > MOST_CARS:
        return _("A rally has at most %(n)d cars.") % {"n": MOST_CARS}
    if there is not None and measures.is_time(made.measure) and not measures.is_time(there.rally.measure):
        return _("This round is here in other units: remove it, then import it again.")
    if there is not None and _says_less(there.rally.measure, made):
        return ""  # the stages keep their times or points
    if there is not None and there.rally.measure != made.measure and made.measure.unit != "seconds":
        finer = measures.parts_of(made.measure) > measures.parts_of(there.rally.measure)
        if measures.is_points(made.measure) and finer:
            return _("The list has finer points than this round has here: remove it, then import it again.")
        if finer or not measures.same_kind(made.measure, there.rally.measure):
            return _("The list has finer times than this round has here: remove it, then import it again.")
    return ""


def _says_less(there: Measure, made: RoundDrives) -> bool:
    """Whether a list gives places or points to a round that has times, or points of its stages."""
    return made.measure == measures.PLACES and (measures.is_time(there) or measures.is_points(there))


def _unit(made: RoundDrives, game: str) -> Measure:
    """Return the unit of a new round: that of the game on its own courses, where the times are whole seconds."""
    return measure_of_game(game) if game and made.measure.unit == measure_of_game(game).unit else made.measure


def _courses(season: _Season, made: RoundDrives) -> tuple[tuple[StageDesign | str, ...], str]:
    """Return the stages of a new round with the courses that are known by their names, if all are and of one game."""
    known = [season.courses.get(comparable_name(name)) or season.courses.get(_source(name)) for name in made.stages]
    games = {each.game for each in known if each is not None}
    if all(each is not None for each in known) and len(games) == 1:
        return tuple(each for each in known if each is not None), games.pop()
    named = [shown(name, 80) or str(number) for number, name in enumerate(made.stages, start=1)]
    return tuple(named), default_game()


def _source(name: str) -> str:
    found = READY_MADE.fullmatch(name)
    return f"{found.group(1)}/{found.group(2)}" if found else ""


def _when(each: FoundRound) -> str:
    if each.day is not None:
        return date_format(each.day, "DATE_FORMAT")
    return str(each.year) if each.year is not None else ""


# Lines of a round ----------------------------------------------------------------------------------


def _lines(
    now: Resolved, season: _Season, made: RoundDrives, found: FoundSeason, before: Results | None
) -> tuple[list[PlannedLine], list[ImportedDrive]]:
    lines: list[PlannedLine] = []
    drives: list[ImportedDrive] = []
    seen: dict[int, int] = {}  # by the identity of the person, because new names have no id yet
    numbers: set[int] = set()
    entries = {entry.driver_id: entry for entry in before.entries.values()} if before is not None else {}
    ranks = _ranks(made)
    has_places = any(each.found.place is not None for each in made.drives)
    for each in made.drives:
        person = each.found.person
        driver = now.person(person)
        if driver is None:
            lines.append(PlannedLine(person.line, person.name, LEFT_OUT, why=_("left out, as you said")))
            continue
        if id(driver) in seen:
            says = _("%(name)s is in line %(line)d already.") % {"name": driver, "line": seen[id(driver)]}
            lines.append(PlannedLine(person.line, driver.name, LEFT_OUT, why=says))
            continue
        seen[id(driver)] = person.line
        entry = entries.get(driver.pk) if driver.pk else None
        drive = _drive(season, each, made, found, driver, entry, before)
        if drive.start_number in numbers:
            drive = replace(drive, start_number=None)
        numbers |= {drive.start_number} - {None}  # type: ignore[arg-type]  # None is taken out
        line = _line(season, each, drive, made.measure, entry, before)
        if line.state == CHANGED and not has_places:
            line = _without_place(line)
        if line.state == NEW and not line.facts[0] and id(each) in ranks:
            line = replace(line, facts=(str(ranks[id(each)]), *line.facts[1:]))
        lines.append(line)
        if line.state != UNCHANGED:
            drives.append(drive)
    return lines, drives


def _ranks(made: RoundDrives) -> dict[int, int]:
    """Return the places that follow from the results, by the identity of the drive, where the list has none."""
    may = [each for each in made.drives if each.published.status in ("classified", RETIRED)]
    if made.measure.unit == "places" or any(each.published.place is not None for each in may):
        return {}
    sums = {
        id(each): measures.worse(made.measure) * sum(value or 0 for value in each.results) + each.penalty
        for each in may
        if all(value is not None for value in each.results)
    }
    return {one: 1 + sum(other < total for other in sums.values()) for one, total in sums.items()}


def _drive(
    season: _Season, each: Drive, made: RoundDrives, found: FoundSeason, driver: User, entry: Entry | None,
    before: Results | None,
) -> ImportedDrive:  # fmt: skip
    """Return the drive of a line. What the list does not name is what it was, else what the registration says."""
    person, named = each.found.person, found.named
    registered = season.registered.get(driver.pk) if driver.pk else None
    car_class = entry.car_class if entry else registered.car_class if registered else ""
    if "car_class" in named and (person.car_class or entry):
        car_class = same_as(person.car_class, season.championship.classes) or shown(person.car_class, 20)
    crew = crew_of(person) or (entry.crew if entry else registered.crew if registered else driver.name)
    team = entry.team if entry else None
    if "team" in named:
        team = shown(person.team, 60)
        if entry is not None and entry.team is None and team in ("", _team_now(entry, registered)):
            team = None  # nobody has said another one than the registration
    number = person.number if person.number else entry.start_number if entry else None
    drive = ImportedDrive(
        driver=driver,
        crew=crew,
        results=each.results,
        car_class=car_class,
        start_number=number,
        retired=each.retired,
        why=shown(each.found.reason, 80),
        published=each.published,
        team=team,
        penalty=each.penalty,
    )
    return drive if before is None else _with_what_was(season, drive, made, entry, before)


def _team_now(entry: Entry, registered: Registration | None) -> str:
    """Return the team for which a car drives: its own, else that of the registration."""
    if entry.team is not None:
        return entry.team
    return registered.team.name if registered is not None and registered.team is not None else ""


def _with_what_was(
    season: _Season, drive: ImportedDrive, made: RoundDrives, entry: Entry | None, before: Results
) -> ImportedDrive:
    """Return the drive of a round that is there already: what no line of the list says of the round stays as it was."""
    results = _in_unit(drive.results, made.measure, before.measure)
    [penalty] = _in_unit([drive.penalty], made.measure, before.measure)
    if entry is not None and all(each.found.penalty is None for each in made.drives):
        penalty = season.penalties.get(entry.pk, 0)
    retired, said = drive.retired, drive.published
    finer = _says_less(before.measure, made)
    if entry is not None and finer:
        stages = {stage.number: before.driven.get((stage.number, entry.pk)) for stage in before.stages}
        results = tuple(one.result if one else None for one in stages.values())
        retired = frozenset(number for number, one in stages.items() if one is not None and one.retired)
    elif finer:
        results, retired = (None,) * len(before.stages), frozenset()
    was = before.published.get(entry.pk) if entry is not None else None
    if entry is not None and was is not None and said is not None:
        where = RETIRED_ON.fullmatch(said.reason)
        if where and was.reason == (where.group(1) or ""):
            said = replace(said, reason=was.reason)  # the stage is known already
        found = [each.found for each in made.drives]
        if all(each.points_hundredths is None for each in found):
            said = replace(said, points=was.points, power=was.power)
        elif was.points is None and said.points == season.given.get((before.rally.pk, entry.driver_id), 0):
            said = replace(said, points=None, power=None)  # the scheme gives them already
        if all(each.place is None for each in found) and (was.place is not None or made.made_places):
            said = replace(said, place=was.place)
            results = (was.place,) if before.measure.unit == "places" else results
        if said.status == was.status and not any(each.reason for each in found):
            said = replace(said, reason=was.reason)
        if all(each.status == "classified" for each in found) and said.place is None:
            said = replace(said, status=was.status, reason=was.reason)
    return replace(drive, results=results, retired=retired, published=said, penalty=penalty or 0)


def _in_unit(results: Sequence[int | None], unit: Measure, wanted: Measure) -> tuple[int | None, ...]:
    if unit.unit == wanted.unit or not measures.same_kind(unit, wanted):
        return tuple(results)
    to, of = measures.parts_of(wanted), measures.parts_of(unit)
    return tuple(None if value is None else value * to // of for value in results)


def _line(
    season: _Season, each: Drive, drive: ImportedDrive, measure: Measure, entry: Entry | None,
    before: Results | None,
) -> PlannedLine:  # fmt: skip
    person = each.found.person
    unit = measure if before is None else before.measure
    after = _facts(drive.results, drive.retired, drive.published, unit, drive.penalty)
    if entry is None or before is None:
        return PlannedLine(person.line, drive.driver.name, NEW, after, why=" ".join(each.told))
    stages = range(1, len(before.stages) + 1)
    driven = [before.driven.get((number, entry.pk)) for number in stages]
    said: PublishedResult | None = before.published.get(entry.pk)
    place = next((line.place for line in before.overall if line.entry.pk == entry.pk), None)
    was = _facts(
        [one.result if one else None for one in driven],
        frozenset(number for number, one in zip(stages, driven, strict=True) if one is not None and one.retired),
        said,
        unit,
        season.penalties.get(entry.pk, 0),
    )
    points = was[2]
    if not points and after[2]:  # published points take the place of those that the scheme gives
        given = season.given.get((before.rally.pk, entry.driver_id))
        points = "" if given is None else _("%(points)s by the scheme") % {"points": localize(as_number(given))}
    was = ("" if place is None else str(place), was[1], points, was[3])
    if len(driven) != len(drive.results):
        says = _("This round has another number of stages here: remove it, then import it again.")
        return PlannedLine(person.line, drive.driver.name, LEFT_OUT, after, why=says)
    labels = (*_heads(), _("Crew"), _("Car class"), _("Number"), _("Team"))
    registered = season.registered.get(entry.driver_id)
    now_in = drive.team if drive.team is not None else _team_now(entry, registered)
    values = (*after, drive.crew, drive.car_class, drive.start_number, now_in)
    old = (*was, entry.crew, entry.car_class, entry.start_number, _team_now(entry, registered))
    changes = changes_between(list(zip(labels, old, strict=True)), values)
    state = CHANGED if changes else UNCHANGED
    return PlannedLine(person.line, drive.driver.name, state, after, changes, " ".join(each.told))


def _without_place(line: PlannedLine) -> PlannedLine:
    """Return the line of a list without places: a place that follows from the results is no change."""
    changes = tuple(each for each in line.changes if each.label != _heads()[0] or each.after != NOTHING)
    return replace(line, changes=changes, state=CHANGED if changes else UNCHANGED)


def _facts(
    results: Sequence[int | None], retired: frozenset[int], said: object, unit: Measure, penalty: int
) -> tuple[str, str, str, str]:
    """Return place, result, points and status in words. `said`: what was published."""
    place, points, status = (getattr(said, name, None) for name in ("place", "points", "status"))
    reason = getattr(said, "reason", "")
    shown = "" if unit.unit == "places" else " · ".join(
        "–" if value is None else measures.result(value, unit) for value in results
    )  # fmt: skip
    if penalty:
        shown = f"{shown} {measures.sign(penalty, unit)} {measures.total(abs(penalty), unit)}"
    if (len(results) > 1 or penalty) and all(value is not None for value in results):
        together = measures.with_added(sum(value or 0 for value in results), penalty, unit)
        shown = f"{shown} = {measures.total(together, unit)}"
    if unit.unit == "places" and place is None:
        place = results[0] if results else None
    told = ""
    if status is not None and status != "classified":
        told = str(PublishedResult.Status(status).label)
        stage = min(retired) if retired and len(results) > 1 and status == RETIRED else None
        told = _("%(status)s, stage %(n)d") % {"status": told, "n": stage} if stage else told
        told = f"{told}: {reason}" if reason else told
    return (
        "" if place is None else str(place),
        shown if shown.strip("–· ") else "",
        "" if points is None else localize(as_number(points)),
        told,
    )


def _ahead_of_finishers(made: RoundDrives) -> list[str]:
    """Return a remark for each retired car that the list places ahead of a finisher."""
    finished = [each.published.place for each in made.drives if each.found.status == "classified"]
    last = max((place for place in finished if place is not None), default=0)
    return [
        _("%(name)s retired, but is in place %(place)d, ahead of cars that finished.")
        % {"name": each.found.person.name, "place": each.published.place}
        for each in made.drives
        if each.found.status == RETIRED and each.published.place is not None and each.published.place < last
    ]


def _not_in_the_list(before: Results, made: RoundDrives, now: Resolved) -> list[str]:
    here = {driver.pk for each in made.drives if (driver := now.person(each.found.person)) is not None}
    n = sum(entry.driver_id not in here for entry in before.entries.values())
    if not n:
        return []
    says = ngettext("%(n)d car of this round is not in the list: it stays.",
                    "%(n)d cars of this round are not in the list: they stay.", n)  # fmt: skip
    return [says % {"n": n}]
