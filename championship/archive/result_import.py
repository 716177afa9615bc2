"""Imports a season that was played on paper from a list: a line for each driver and rally, with the result on every
stage.

A preview does the whole import and rolls it back, so it shows exactly what the import would write.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.archive import csv_reading, person_matching
from championship.archive.csv_columns import CAR_CLASS, DATE, MOST_STAGES, NAME, PLACE, RALLY, RESULTS, STAGES, TIMES
from championship.archive.csv_reading import BadList, Line, Problem
from championship.archive.driver_matching import Members, start_numbers
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.rallies.classification import Line as Classified
from championship.rallies.game_choice import default_game
from championship.rallies.measures import PLACES, POINTS, SECONDS, Measure, fits_a_stage, measure_of_game
from championship.rallies.models import Rally
from championship.rallies.results import results_of
from championship.rallies.services import ImportedDrive, record_imported_rally, remove_imported_rally
from championship.refusals import Refused, Stale
from championship.seasons.models import Championship, Round
from championship.seasons.round_numbers import renumber_rounds
from championship.seasons.services import add_round
from championship.stages.models import StageDesign

NEEDED = [["rally"], ["date"], ["email", "name"]]
NEEDED_FOR_KNOWN_COURSES = [["stages"], ["time 1"]]
"""Columns that are also needed unless other_courses is set."""
MEASURES = {"seconds": SECONDS, "points": POINTS, "places": PLACES}
TIME = re.compile(r"(?:(?:(\d{1,2}):)?(\d{1,3}):(\d{2})|(\d{1,6}))")
WHOLE = re.compile(r"([-−]?\d{1,6})\.?")
RETIRED = re.compile(r"(?:ret(?:ired)?|dnf|wyc(?:ofanie)?|ausf(?:all)?)\.?[ ]*(.*)", re.IGNORECASE)
READY_MADE = re.compile(r"[Rr]?(\d+)(?:/(\d+))?")
SOURCE = re.compile(r"\d+/\d+")
DAYS = (
    (re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})"), (1, 2, 3)),
    (re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})"), (3, 2, 1)),
)


@dataclass(frozen=True, slots=True)
class ImportedRally:
    """An imported rally with its overall classification."""

    name: str
    driven_on: date
    stages: int
    lines: tuple[Classified, ...]


@dataclass(frozen=True, slots=True)
class ImportedSeason:
    """What a list imports: its rallies, new names of people without an account, and headings that no column uses."""

    rallies: tuple[ImportedRally, ...]
    names: tuple[str, ...]
    unused: tuple[str, ...]

    @property
    def new(self) -> int:
        """How many rallies are imported."""
        return len(self.rallies)


def preview_results(
    *,
    by: User,
    championship: Championship,
    text: str,
    names_only: bool,
    power_stage: bool = False,
    unit: str = "",
    other_courses: bool = False,
) -> ImportedSeason:
    """Return what import_results would do. The transaction is rolled back."""
    with transaction.atomic():
        found = import_results(
            by=by,
            championship=championship,
            text=text,
            names_only=names_only,
            power_stage=power_stage,
            unit=unit,
            other_courses=other_courses,
        )
        transaction.set_rollback(True)
    return found


@transaction.atomic
def import_results(
    *,
    by: User,
    championship: Championship,
    text: str,
    names_only: bool,
    power_stage: bool = False,
    unit: str = "",
    other_courses: bool = False,
) -> ImportedSeason:
    """Import the rallies of the list as finished rounds of the championship, in the order of the list, before the
    future rounds. Only organisers.

    unit: the unit of the results, "seconds", "points" or "places", when it is not that of the game; "" for that of the
    game. other_courses: unknown courses are imported as names, and a rally without courses as one stage. power_stage:
    whether the last stage of each rally gives power stage points. names_only: people who are not in the club are
    imported as names, which can be given to a member later; otherwise they are refused.

    Raises: BadList when a line cannot be imported; it names all such lines, and nothing is imported.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = Championship.objects.select_for_update(of=("self",)).select_related("club").get(pk=championship.pk)
    needed = NEEDED + ([["time 1", "place"]] if other_courses else NEEDED_FOR_KNOWN_COURSES)
    importing = _Import(by, championship, names_only, power_stage, unit, other_courses)
    return importing.all_of(csv_reading.read(text, RESULTS, needed=needed))


@transaction.atomic
def delete_imported_round(*, by: User, round: Round) -> None:
    """Delete an imported round with its rally; later rounds move up. Only organisers.

    Raises: Refused when the round was driven here, or when officials have dealt with it.
    Raises: Stale when the round was deleted already.
    """
    championship = Championship.objects.select_for_update(of=("self",)).get(pk=round.championship_id)
    require_role(by, championship.club, Role.ORGANISER)
    found = championship.rounds.select_related("rally").filter(pk=round.pk).first()
    if found is None:
        raise Stale(_("This round is removed already."))
    found.delete()
    remove_imported_rally(by=by, rally=found.rally)
    for after in championship.rounds.filter(number__gt=found.number).order_by("number"):
        after.number -= 1
        after.save(update_fields=["number"])


class _Import:
    """The import of one list into a championship."""

    def __init__(
        self, by: User, championship: Championship, names_only: bool, power_stage: bool, unit: str, other_courses: bool
    ) -> None:
        self.unit, self.other_courses = MEASURES.get(unit), other_courses
        self.by, self.championship, self.names_only, self.power_stage = by, championship, names_only, power_stage
        self.club: Club = championship.club
        self.members = Members(self.club)
        self.names = person_matching.names_only_of(self.club)
        self.new_names: list[str] = []
        self.rounds = {name.casefold() for name in championship.rounds.values_list("rally__name", flat=True)}
        self.problems: list[Problem] = []
        designs = StageDesign.objects.filter(club=None) | StageDesign.objects.filter(club=self.club)
        self.designs = list(designs.order_by("pk"))

    def all_of(self, read: csv_reading.List) -> ImportedSeason:
        """Import everything in the list.

        Raises: BadList when anything is wrong; it names all problems.
        """
        imported = [self._rally(lines) for lines in _by_rally(read.lines)]
        if self.problems:
            raise BadList(self.problems)
        return ImportedSeason(tuple(each for each in imported if each), tuple(self.new_names), read.unused)

    def _rally(self, lines: Sequence[Line]) -> ImportedRally | None:
        first, problems_before = lines[0], len(self.problems)
        if first["rally"].casefold() in self.rounds:
            self._wrong(first, RALLY, _("There is a round of that name already."))
        driven_on, designs = self._day(first), self._designs(first)
        differs = _("This differs from line %(line)d.") % {"line": first.number}
        for line in lines[1:]:
            if line["date"] and self._day(line) not in (None, driven_on):
                self._wrong(line, DATE, differs)
            if line["stages"] not in ("", first["stages"]):
                self._wrong(line, STAGES, differs)
        drives = self._drives(lines, designs)
        if len(self.problems) > problems_before or driven_on is None:
            return None
        try:
            rally = record_imported_rally(
                by=self.by, club=self.club, name=first["rally"], game=_game_of(designs), designs=designs,
                driven_on=driven_on, drives=drives, measure=self.unit,
            )  # fmt: skip
            power = None if self.power_stage else 0
            added = add_round(
                by=self.by, championship=self.championship, rally=rally, planned_for=driven_on, power_stage=power
            )
            renumber_rounds(self.championship, first=added)
        except Refused as refusal:
            self._wrong(first, {"driven_on": DATE, "designs": STAGES}.get(refusal.field or "", RALLY), str(refusal))
            return None
        return self._imported(rally, driven_on, lines)

    def _imported(self, rally: Rally, driven_on: date, lines: Sequence[Line]) -> ImportedRally:
        """Return the imported rally, and report places in the list that differ from those computed from its results."""
        results = results_of(rally)
        places = {line.entry.driver_id: line.place for line in results.overall}
        for line, entry in zip(lines, sorted(results.all_entries, key=lambda entry: entry.pk), strict=True):
            given = "" if RETIRED.fullmatch(line["place"]) else line["place"]
            if given and given.rstrip(".") != str(places[entry.driver_id]):
                says = _("According to the results, this is place %(place)d.") % {"place": places[entry.driver_id] or 0}
                self._wrong(line, PLACE, says)
        return ImportedRally(rally.name, driven_on, len(results.stages), tuple(results.overall))

    def _drives(self, lines: Sequence[Line], designs: Sequence[StageDesign | str]) -> list[ImportedDrive]:
        measure = self.unit or (measure_of_game(_game_of(designs)) if designs else SECONDS)
        given, wrong = start_numbers(lines)
        self.problems += wrong
        drives: list[ImportedDrive] = []
        seen: dict[int, int] = {}
        for line in lines:
            results, retired = self._results(line, len(designs), measure)
            driver = self._driver(line)
            classes = self.championship.classes
            if classes and line["class"] not in classes:
                says = _("Choose one of the classes: %(classes)s.") % {"classes": ", ".join(classes)}
                self._wrong(line, CAR_CLASS, says)
            if driver is None:
                continue
            if driver.pk in seen:
                says = _("%(name)s is in line %(line)d already.") % {"name": driver, "line": seen[driver.pk]}
                self._wrong(line, None, says)
            seen[driver.pk] = line.number
            drives.append(
                ImportedDrive(
                    driver=driver,
                    crew=line["crew"] or driver.name,
                    results=results,
                    car_class=line["class"],
                    start_number=given[line.number],
                    retired=retired,
                )
            )
        return drives

    def _driver(self, line: Line) -> User | None:
        """Return the member whom the line means, or a name without an account when those are allowed. Returns None, and
        adds a problem, when there is neither.
        """
        found = self.members.find(line)
        if isinstance(found, User):
            return found
        name = person_matching.comparable_name(line["name"])
        if line["email"] or not name or len(self.members.by_name.get(name, ())) > 1:
            self.problems.append(found)
            return None
        if name not in self.names and not self.names_only:
            says = _("Nobody in the club has this name. Correct it, or tick the box that keeps such people as names.")
            self._wrong(line, NAME, says)
            return None
        if name not in self.names:
            self.names[name] = person_matching.make_name_only(line["name"])
            self.new_names.append(line["name"])
        return self.names[name]

    def _results(self, line: Line, stages: int, measure: Measure) -> tuple[list[int | None], frozenset[int]]:
        results: list[int | None] = []
        retired = set()
        for number, column in enumerate(TIMES[:stages], start=1):
            cell = line[column.name]
            if not cell and stages == 1 and measure.unit == "places":
                cell = line["place"]
            out = RETIRED.fullmatch(cell)
            if out:
                retired.add(number)
                cell = out.group(1)
            result = None if out and not cell else _result(cell, measure)
            if result is None and not (out and not cell):
                self._wrong(line, column, _result_hint(measure))
            results.append(result)
        for column in TIMES[stages:]:
            if stages and line[column.name]:
                self._wrong(line, column, _("The rally has fewer stages than that."))
        return results, frozenset(retired)

    def _day(self, line: Line) -> date | None:
        for pattern, order in DAYS:
            found = pattern.fullmatch(line["date"])
            if found:
                try:
                    return date(*(int(found.group(index)) for index in order))
                except ValueError:
                    break
        self._wrong(line, DATE, _("Write the day as 2025-03-14 or 14.03.2025."))
        return None

    def _designs(self, line: Line) -> list[StageDesign | str]:
        """Return the courses that the cell names: "R1", "R1/1 R1/2", or names of the club's own or of ready-made
        courses, separated by "|". With other_courses, unknown names are returned as they are.
        """
        cell = line["stages"]
        by_name = sorted(self.designs, key=lambda design: design.club_id is not None)
        own = {design.name.casefold(): design for design in by_name}
        words = [cell] if cell.casefold() in own else cell.split("|") if "|" in cell else cell.split()
        if self.other_courses and "|" not in cell:
            known_here = cell and all(word.casefold() in own or self._ready_made(word) for word in words)
            words = words if known_here else [cell or line["rally"]]
        found: list[StageDesign | str] = []
        for word in (each.strip() for each in words):
            known: Sequence[StageDesign | str]
            known = [own[word.casefold()]] if word.casefold() in own else self._ready_made(word)
            if not known and self.other_courses:
                known = [word]
            if not known:
                says = _("There is no stage “%(word)s”: write R1 for all of rally 1, R1/2 for its second stage.")
                self._wrong(line, STAGES, says % {"word": word})
            found += known
        if not words:
            self._wrong(line, STAGES, _("Say which stages were driven."))
        if len(found) > MOST_STAGES:
            self._wrong(line, STAGES, _("A rally has at most %(n)d stages.") % {"n": MOST_STAGES})
        return found[:MOST_STAGES]

    def _ready_made(self, word: str) -> list[StageDesign]:
        said = READY_MADE.fullmatch(word)
        if said is None:
            return []
        rally, stage = said.groups()
        numbered = [design for design in self.designs if design.club_id is None and SOURCE.fullmatch(design.source)]
        wanted = [design for design in numbered if design.source.split("/")[0] == rally]
        wanted = [design for design in wanted if stage is None or design.source.split("/")[1] == stage]
        one_game = [design for design in wanted if design.game == wanted[0].game]
        return sorted(one_game, key=lambda design: int(design.source.split("/")[1]))

    def _wrong(self, line: Line, column: csv_reading.Column | None, message: str) -> None:
        self.problems.append(Problem(line.number, str(column.label) if column else "", message))


def _game_of(designs: Sequence[StageDesign | str]) -> str:
    """Return the game of the first course known here; the default game when none is known."""
    return next((each.game for each in designs if isinstance(each, StageDesign)), default_game())


def _by_rally(lines: Sequence[Line]) -> list[list[Line]]:
    """Group the lines by rally, in the order in which rallies first appear."""
    nameless = [line for line in lines if not line["rally"]]
    if nameless:
        raise BadList([Problem(line.number, str(RALLY.label), _("Say which rally it was.")) for line in nameless])
    found: dict[str, list[Line]] = {}
    for line in lines:
        found.setdefault(line["rally"].casefold(), []).append(line)
    return list(found.values())


def _result_hint(measure: Measure) -> str:
    """Return the message that explains how to write a result."""
    if measure.unit == "seconds":
        return _("Write a time as 3:25 or 205 (seconds), “ret” for a retirement.")
    if measure.unit == "points":
        return _("Write points as a whole number, “ret” for a retirement.")
    return _("Write a place as a whole number from 1, “ret” for a retirement.")


def _result(cell: str, measure: Measure) -> int | None:
    """Return a result: a time from 1:02:03, 3:25 or 205, points from 38, a place from 3 or "3."; None for anything
    else.
    """
    if measure.unit == "seconds":
        return _seconds(cell)
    found = WHOLE.fullmatch(cell)
    value = None if found is None else int(found.group(1).replace("−", "-"))
    return value if value is not None and fits_a_stage(value, measure) else None


def _seconds(cell: str) -> int | None:
    """Return a time in seconds from 1:02:03, 3:25 or 205; None for anything else."""
    found = TIME.fullmatch(cell)
    if found is None:
        return None
    hours, minutes, rest, whole = found.groups()
    if whole is not None:
        return int(whole)
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(rest) if int(rest) < 60 else None
