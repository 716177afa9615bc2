"""Names and days of rounds, and what can be said only of a whole round: times from gaps, sums of stages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from django.utils.translation import gettext as _

from championship.lists.found import FoundRound, FoundTime, Measure
from championship.lists.reading.cells import is_nothing
from championship.lists.reading.dates import FoundDay, cut_day, month_comes_first, of_year, read_day
from championship.lists.reading.noting import Notes
from championship.lists.reading.results import Raw, Results
from championship.lists.reading.times import in_words
from championship.lists.reading.words import folded

_ON_STAGE = re.compile(r"\D{1,30}?(\d{1,2})(?:[ ]?[-–:,][ ]?(.*))?")
"""Where a car retired: "on stage 2: engine", "SS4"."""
_YEAR = re.compile(r"(?<!\d)(19[5-9]\d|20\d\d)(?!\d)")


@dataclass(slots=True)
class RawRound:
    """A round while it is read. `dated`: its date as written, with the line it stands in."""

    name: str
    dated: str = ""
    line: int | None = None
    stages: tuple[str, ...] = ()
    usual: Measure = "places"
    raws: list[Raw] = field(default_factory=list)


def named_by(titles: Sequence[str]) -> tuple[str, str]:
    """Return the name and the date of a round from the titles above its table: the last of each."""
    name = dated = ""
    for title in titles:
        rest, day = cut_day(title)
        if read_day(title):
            rest, day = "", title
        dated = day or dated
        name = rest.strip(" -–—|·*_~") or name
    return name[:80], dated


def year_in(titles: Iterable[str]) -> int | None:
    """Return the last year that the titles name, None when they name none."""
    years = [int(found) for title in titles for found in _YEAR.findall(title)]
    return years[-1] if years else None


class Days:
    """Decides the dates of all rounds of a list together: which number is the month, and the year that is missing."""

    def __init__(self, notes: Notes, answers: Mapping[str, str], year: int | None, heading: str) -> None:
        self._notes, self._answers, self._year, self._heading = notes, answers, year, heading

    def of(self, rounds: Sequence[RawRound]) -> list[tuple[date | None, int | None]]:
        """Return the day and the year of each round."""
        read = [read_day(each.dated) if each.dated and not is_nothing(each.dated) else None for each in rounds]
        first = month_comes_first(each for each in read if each)
        if first is None:
            first = self._asked(rounds, read)
        found: list[tuple[date | None, int | None]] = []
        for each, day in zip(rounds, read, strict=True):
            if day is None:
                if each.dated and not is_nothing(each.dated):
                    says = _("This is no date. Write 2026-02-14, 14.2.2026, or only the year.")
                    self._notes.add("fault", "date", says, line=each.line, column=self._heading, cell=each.dated)
                found.append((None, self._year))
                continue
            whole = of_year(day, self._year)
            chosen = whole.other if first and whole.other else whole.day
            found.append((chosen, chosen.year if chosen else whole.year or self._year))
        return found

    def _asked(self, rounds: Sequence[RawRound], read: Sequence[FoundDay | None]) -> bool:
        for each, day in zip(rounds, read, strict=True):
            if day and day.other:
                says = _("Is the day or the month written first?")
                choices = (("day", _("the day: 3/4 is 3 April")), ("month", _("the month: 3/4 is 4 March")))
                self._notes.ask("dates", says, choices, line=each.line, column=self._heading, cell=each.dated)
        return self._answers.get("dates") == "month"


def settle_gaps(rounds: Sequence[RawRound], notes: Notes, answers: Mapping[str, str]) -> None:
    """Make times of gaps: each is behind the first of its round, or behind the one before."""
    rising = all(_rises(each) for each in rounds)
    answer = answers.get("gaps")
    if not rising:
        line = next(each.raws[0].line for each in rounds if not _rises(each))
        choices = (("previous", _("the one before")), ("leader", _("the first")))
        notes.ask("gaps", _("To whom are the gaps?"), choices, line=line)
    previous = (answer or ("leader" if rising else "previous")) == "previous"
    for each in rounds:
        _gaps_of(each, previous=previous)


def _rises(each: RawRound) -> bool:
    gaps = [raw.gap.thousandths for raw in each.raws if raw.gap and not raw.total and not raw.ended]
    return gaps == sorted(gaps)


def _gaps_of(each: RawRound, *, previous: bool) -> None:
    base = next((raw.total for raw in each.raws if raw.total), None)
    last = base
    for raw in each.raws:
        if raw.gap and raw.total is None and base and last:
            start = last if previous else base
            raw.total = FoundTime(
                start.thousandths + raw.gap.thousandths, raw.gap.written, max(start.decimals, raw.gap.decimals)
            )
        if raw.total and not raw.ended:
            last = raw.total
    for stage in range(max((len(raw.times) for raw in each.raws), default=0)):
        first = next((time for raw in each.raws if stage < len(raw.times) and (time := raw.times[stage])), None)
        for raw in each.raws:
            behind = raw.behind.get(stage)
            if behind and first:
                raw.times[stage] = FoundTime(
                    first.thousandths + behind.thousandths, behind.written, max(first.decimals, behind.decimals)
                )


def _has_penalty(raw: Raw) -> bool:
    return raw.penalty is not None and raw.penalty.thousandths != 0 and any(raw.times)


def settle_penalties(rounds: Sequence[RawRound], notes: Notes, answers: Mapping[str, str], heading: str) -> None:
    """Decide whether penalties come on top of the times of the stages. The totals say it; where they do not, it is
    asked. A penalty that the times contain is dropped.
    """
    with_stages = [raw for each in rounds if each.stages for raw in each.raws if _has_penalty(raw)]
    if not with_stages:
        return
    sums = [(raw, sum(time.thousandths for time in raw.times if time)) for raw in with_stages if all(raw.times)]
    told = [(raw.total.thousandths - together, raw.penalty.thousandths)
            for raw, together in sums if raw.total and raw.penalty]  # fmt: skip
    on_top = sum(abs(rest - penalty) < 1000 for rest, penalty in told)
    inside = sum(abs(rest) < 1000 <= abs(rest - penalty) for rest, penalty in told)
    added = ("added", _("They come on top of the times of the stages."))
    included = ("included", _("The times of the stages include them."))
    choices = (included, added) if inside > on_top else (added, included)
    if not told or not (on_top or inside):
        says = _("There are penalties in a column of their own. What about them?")
        notes.ask("penalty", says, choices, line=with_stages[0].line, column=heading)
    if answers.get("penalty", choices[0][0]) == "included":
        for raw in with_stages:
            raw.penalty = None


def check_totals(each: RawRound, notes: Notes, heading: str) -> None:
    """Tell where a total is not the sum of the stages, with or without the penalty."""
    for raw in each.raws:
        times = [time for time in raw.times if time]
        if not raw.total or not times or len(times) < len(each.stages) or raw.ended:
            continue
        together = sum(time.thousandths for time in times)
        penalty = raw.penalty.thousandths if raw.penalty else 0
        finest = max(time.decimals for time in times)
        slack = 0 if raw.total.decimals >= finest else 10 ** (3 - raw.total.decimals) - 1
        if min(abs(raw.total.thousandths - together), abs(raw.total.thousandths - together - penalty)) > slack:
            says = _("The total is not the sum of the stages. The list is taken as it is.")
            cell = f"{raw.total.written} / {in_words(together, finest)}"
            notes.add("told", "total", says, line=raw.line, column=heading, cell=cell)


def used_stages(each: RawRound, heads: Sequence[str]) -> None:
    """Cut off the stages behind the last one that anybody has a time for or retired in, and name the others."""
    last = max(
        (number for raw in each.raws for number, time in enumerate(raw.times, 1) if time or raw.behind.get(number - 1)),
        default=0,
    )
    last = max([last, *(raw.retired_in or 0 for raw in each.raws)])
    named = each.stages
    last = min(last, max(len(named), len(heads)))
    each.stages = tuple(named[at] if at < len(named) else heads[at] for at in range(last))
    for raw in each.raws:
        raw.times = raw.times[:last]
        _stop_on_a_stage(raw, each.stages)


def _stop_on_a_stage(raw: Raw, stages: Sequence[str]) -> None:
    """Note the stage that the words of a retirement name."""
    if raw.ended is None or raw.ended.status != "retired" or raw.retired_in is not None:
        return
    said = folded(raw.ended.reason)
    numbered = _ON_STAGE.fullmatch(raw.ended.reason)
    named = [number for number, stage in enumerate(stages, 1) if folded(stage) and said.endswith(folded(stage))]
    raw.retired_in = named[0] if named else None
    if numbered and 1 <= int(numbered.group(1)) <= len(stages):
        raw.retired_in = int(numbered.group(1))
        raw.ended = replace(raw.ended, reason=(numbered.group(2) or "").strip())


def keep_stage_points(each: RawRound, heads: Sequence[str], notes: Notes, *, own: bool = False) -> None:
    """Keep the points of the stages, unless the stages have times: then only their sum counts. Stages behind the last
    one with points are cut off. `own`: results that this service wrote.
    """
    for raw in each.raws if heads else ():
        _stop_on_a_stage(raw, heads)
    given = [(number, points) for raw in each.raws for number, points in enumerate(raw.stage_points, 1)]
    scored = [(number, points) for number, points in given if points is not None]
    if not scored:
        return
    kept = not each.stages
    last = max([*(number for number, _points in scored), *(raw.retired_in or 0 for raw in each.raws)])
    for raw in each.raws:
        raw.stage_points = raw.stage_points[:last] if kept else []
    if kept:
        each.stages = tuple(heads[:last])
        says = _("The rally keeps the points of each stage. The season counts their sum, and those of the power stage.")
    else:
        says = _("The points of the stages are added up: the season keeps their sum, and those of the power stage.")
    if not own:
        notes.add("told", "stage points", says)


def stage_names(cell: str) -> tuple[str, ...]:
    """Return the stages in a cell: separated by | or ;, else by blanks."""
    parts = re.split(r"[|;]", cell) if re.search(r"[|;]", cell) else cell.split()
    return tuple(" ".join(part.split())[:80] for part in parts if part.strip())[:60]


def measure_of(each: RawRound) -> Measure:
    """Return what decides the round: published points, else times, else places."""
    if any(raw.points for raw in each.raws):
        return "points"
    if any(raw.total or any(raw.times) for raw in each.raws):
        return "times"
    return "places" if any(raw.place for raw in each.raws) else each.usual


def finished_rounds(rounds: Sequence[RawRound], days: Days, results: Results) -> tuple[FoundRound, ...]:
    """Return the rounds; a line with a fault is left out."""
    found = []
    for each, (day, year) in zip(rounds, days.of(rounds), strict=True):
        found.append(
            FoundRound(
                name=each.name,
                measure=measure_of(each),
                day=day,
                year=year,
                stages=each.stages,
                results=tuple(results.finished(raw) for raw in each.raws if not raw.faulty),
            )
        )
    return tuple(found)


def days_elsewhere(pairs: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return the dates by the folded names of rounds, from lines of another sheet that hold a name and a date."""
    found: dict[str, str] = {}
    for cells in pairs:
        filled = [cell for cell in cells if cell]
        dated = [cell for cell in filled if read_day(cell) and not cell.isdigit()]
        texts = [cell for cell in filled if any(letter.isalpha() for letter in cell) and not read_day(cell)]
        if len(dated) == 1 and texts:
            for text in texts:
                found.setdefault(folded(text), dated[0])
    return found
