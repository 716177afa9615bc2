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
from championship.accounts.name_comparison import NearNames, comparable_name, same_as, written_forms
from championship.archive import csv_reading
from championship.archive.csv_reading import (
    CAR_CLASS,
    DATE,
    MOST_STAGES,
    NAME,
    PLACE,
    RALLY,
    RESULTS,
    STAGES,
    TIMES,
    BadList,
    Line,
    Problem,
)
from championship.archive.driver_matching import Members, start_numbers
from championship.archive.result_cells import RETIRED, read_day, read_result, result_hint, warnings_of
from championship.clubs.models import Club, Role
from championship.clubs.services import require_role
from championship.lists.services.people import make_name_only, names_of
from championship.platform.refusals import Refused, Stale
from championship.rallies.desk.game_choice import default_game
from championship.rallies.models import Rally
from championship.rallies.results.classification import Line as Classified
from championship.rallies.results.measures import PLACES, POINTS, SECONDS, Measure, measure_of_game
from championship.rallies.results.selectors import results_of
from championship.rallies.services import ImportedDrive, record_imported_rally, remove_imported_rally
from championship.seasons.models import Championship, Round
from championship.seasons.services import add_round, renumber_rounds
from championship.stages.models import StageDesign

NEEDED = [["rally"], ["date"], ["email", "name"]]
NEEDED_FOR_KNOWN_COURSES = [["stages"], ["time 1"]]
"""Columns that are also needed unless other_courses is set."""
MEASURES = {"seconds": SECONDS, "points": POINTS, "places": PLACES}
READY_MADE = re.compile(r"[Rr]?(\d+)(?:/(\d+))?")
SOURCE = re.compile(r"\d+/\d+")


@dataclass(frozen=True, slots=True)
class ImportedRally:
    """An imported rally with its overall classification. `warnings`: what is unusual in its results, in words."""

    name: str
    driven_on: date
    stages: int
    lines: tuple[Classified, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedSeason:
    """What a list imports: its rallies, new names of people without an account, and headings that no column uses.
    `alike`: those new names that are nearly the name of somebody who is known already, each with that name.
    """

    rallies: tuple[ImportedRally, ...]
    names: tuple[str, ...]
    unused: tuple[str, ...]
    alike: tuple[tuple[str, str], ...] = ()

    @property
    def warnings(self) -> list[str]:
        """The warnings of all rallies, each with the rally's name."""
        return [f"{rally.name}: {warning}" for rally in self.rallies for warning in rally.warnings]

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
    retired_unplaced: bool = False,
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
            retired_unplaced=retired_unplaced,
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
    retired_unplaced: bool = False,
) -> ImportedSeason:
    """Import the rallies of the list as finished rounds of the championship, in the order of the list, before the
    future rounds. Only organisers.

    unit: the unit of the results, "seconds", "points" or "places", when it is not that of the game; "" for that of the
    game. other_courses: unknown courses are imported as names, and a rally without courses as one stage. power_stage:
    whether the last stage of each rally gives power stage points. names_only: people who are not in the club are
    imported as names, which can be given to a member later; otherwise they are refused. retired_unplaced: a car that
    retired from a stage has no result there, whatever the list says, and so no place.

    Raises: BadList when a line cannot be imported; it names all such lines, and nothing is imported.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = Championship.objects.select_for_update(of=("self",)).select_related("club").get(pk=championship.pk)
    needed = NEEDED + ([["time 1", "place"]] if other_courses else NEEDED_FOR_KNOWN_COURSES)
    importing = _Import(by, championship, names_only, power_stage, unit, other_courses, retired_unplaced)
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
        self, by: User, championship: Championship, names_only: bool, power_stage: bool, unit: str,
        other_courses: bool, retired_unplaced: bool,
    ) -> None:  # fmt: skip
        self.retired_unplaced = retired_unplaced
        self.unit, self.other_courses = MEASURES.get(unit), other_courses
        self.by, self.championship, self.names_only, self.power_stage = by, championship, names_only, power_stage
        self.club: Club = championship.club
        self.members = Members(self.club)
        self.names = {comparable_name(each.name): each for each in names_of(self.club).order_by("-pk")}
        self.near = NearNames([*self.members.near.names, *(person.name for person in self.names.values())])
        self.new_names: list[str] = []
        self.ignored: dict[str, None] = {}
        self.alike: list[tuple[str, str]] = []
        self.rounds = {comparable_name(name) for name in championship.rounds.values_list("rally__name", flat=True)}
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
        return ImportedSeason(
            tuple(each for each in imported if each),
            tuple(self.new_names),
            (*read.unused, *self.ignored),
            tuple(self.alike),
        )

    def _rally(self, lines: Sequence[Line]) -> ImportedRally | None:
        first, problems_before = lines[0], len(self.problems)
        if comparable_name(first["rally"]) in self.rounds:
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
                driven_on=driven_on, drives=drives, measure=self.unit, retired_unplaced=self.retired_unplaced,
            )  # fmt: skip
            power = len(designs) if self.power_stage else 0
            added = add_round(
                by=self.by, championship=self.championship, rally=rally, planned_for=driven_on, power_stage=power
            )
            renumber_rounds(self.championship, first=[added])
        except (Refused, Stale) as refusal:
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
                if places[entry.driver_id] is None:
                    says = _("According to the results, this car has no place: leave the place empty.")
                self._wrong(line, PLACE, says)
        warnings = tuple(warnings_of(results))
        return ImportedRally(rally.name, driven_on, len(results.stages), tuple(results.overall), warnings)

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
            car_class = same_as(line["class"], classes) or line["class"]
            if classes and car_class not in classes:
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
                    car_class=car_class,
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
        forms = written_forms(line["name"])
        if line["email"] or not forms or len(self.members.called(line["name"])) > 1:
            self.problems.append(found)
            return None
        known = next((self.names[form] for form in forms if form in self.names), None)
        if known is not None:
            return known
        near = self.near.nearest(line["name"])
        if not self.names_only:
            says = _("Nobody in the club has this name. Correct it, or tick the box that keeps such people as names.")
            if near:
                says = _("Nobody in the club has this name. Do you mean %(name)s? Then write it so.") % {"name": near}
            self._wrong(line, NAME, says)
            return None
        if near:
            self.alike.append((line["name"], near))
        self.near.add(line["name"])
        self.names[forms[0]] = make_name_only(line["name"])
        self.new_names.append(line["name"])
        return self.names[forms[0]]

    def _results(self, line: Line, stages: int, measure: Measure) -> tuple[list[int | None], frozenset[int]]:
        results: list[int | None] = []
        retired = set()
        for number, column in enumerate(TIMES[:stages], start=1):
            cell = line[column.name]
            out = RETIRED.fullmatch(cell)
            if line["place"] and not out and stages == 1 and measure.unit == "places":
                if cell and read_result(cell, measure) is None:
                    self.ignored[str(column.label)] = None  # a list of places may hold the times too
                    cell = ""
                cell = cell or line["place"]
                out = RETIRED.fullmatch(cell)
            if out:
                retired.add(number)
                cell = out.group(1)
            result = None if out and not cell else read_result(cell, measure)
            if result is None and not (out and not cell):
                self._wrong(line, column, result_hint(cell, measure))
            results.append(None if out and self.retired_unplaced else result)
        for column in TIMES[stages:]:
            if stages and line[column.name]:
                self._wrong(line, column, _("The rally has fewer stages than that."))
        return results, frozenset(retired)

    def _day(self, line: Line) -> date | None:
        day = read_day(line["date"])
        if day is None:
            self._wrong(line, DATE, _("Write the day as 2025-03-14 or 14.03.2025."))
        return day

    def _designs(self, line: Line) -> list[StageDesign | str]:
        """Return the courses that the cell names: "R1", "R1/1 R1/2", or names of the club's own or of ready-made
        courses, separated by "|". With other_courses, unknown names are returned as they are.
        """
        cell = line["stages"]
        by_name = sorted(self.designs, key=lambda design: design.club_id is not None)
        own = {comparable_name(design.name): design for design in by_name}
        words = [cell] if comparable_name(cell) in own else cell.split("|") if "|" in cell else cell.split()
        if self.other_courses and "|" not in cell:
            known_here = cell and all(comparable_name(word) in own or self._ready_made(word) for word in words)
            words = words if known_here else [cell or line["rally"]]
        found: list[StageDesign | str] = []
        for word in (each.strip() for each in words):
            known: Sequence[StageDesign | str]
            called = comparable_name(word)
            known = [own[called]] if called in own else self._ready_made(word)
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
        found.setdefault(comparable_name(line["rally"]), []).append(line)
    return list(found.values())
