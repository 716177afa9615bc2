"""Reads the cells of a list of results: times, points, places, retirements, days. Finds retired cars that the results
place ahead of cars that finished: exports often give the time at which a car stopped as its result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from django.utils.translation import gettext as _

from championship.rallies.results.classification import Line
from championship.rallies.results.measures import Measure, may_be_given, unit_name
from championship.rallies.results.selectors import Results

TIME = re.compile(r"(?:(?:(\d{1,2}):)?(\d{1,3}):(\d{2})|(\d{1,6}))")
WHOLE = re.compile(r"([-−]?\d{1,6})\.?")
RETIRED = re.compile(r"(?:ret(?:ired)?|dnf|wyc(?:ofanie)?|ausf(?:all)?)\.?[ ]*(.*)", re.IGNORECASE)
DAYS = (
    (re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})"), (1, 2, 3)),
    (re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})"), (3, 2, 1)),
)


def read_result(cell: str, measure: Measure) -> int | None:
    """Return a result: a time from 1:02:03, 3:25 or 205, points from 38, a place from 3 or "3."; None for anything
    else, also for a time of 0.
    """
    value = _seconds(cell) if measure.unit == "seconds" else _whole(cell)
    return value if value is not None and may_be_given(value, measure) else None


def result_hint(cell: str, measure: Measure) -> str:
    """Return the message that explains how to write the result that this cell does not hold."""
    if measure.unit == "seconds" and _seconds(cell) == 0:
        return _("0 is not a time. Write “ret” for a retirement; remove the line if the car did not start.")
    if measure.unit == "seconds":
        return _("Write a time as 3:25 or 205 (seconds), “ret” for a retirement.")
    if measure.unit == "points":
        return _("Write points as a whole number, “ret” for a retirement.")
    if measure.unit == "places":
        return _("Write a place as a whole number from 1, “ret” for a retirement.")
    unit = {"unit": unit_name(measure.unit)}
    return _("Write the result as a whole number (%(unit)s), “ret” for a retirement.") % unit


def read_day(cell: str) -> date | None:
    """Return a day from 2025-03-14, 14.03.2025 or 14/03/2025; None for anything else."""
    for pattern, order in DAYS:
        found = pattern.fullmatch(cell)
        if found:
            try:
                return date(*(int(found.group(index)) for index in order))
            except ValueError:
                return None
    return None


def _whole(cell: str) -> int | None:
    found = WHOLE.fullmatch(cell)
    return None if found is None else int(found.group(1).replace("−", "-"))


def _seconds(cell: str) -> int | None:
    """Return a time in seconds from 1:02:03, 3:25 or 205; None for anything else."""
    found = TIME.fullmatch(cell)
    if found is None:
        return None
    hours, minutes, rest, whole = found.groups()
    if whole is not None:
        return int(whole)
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(rest) if int(rest) < 60 else None


def warnings_of(results: Results) -> list[str]:
    """Return one sentence for each car that retired from a stage and is ahead of a finisher there, and for each retired
    car that is ahead of a finisher in the final classification of a rally with several stages.
    """
    found = []
    for stage in results.stages:
        says = _("%(stage)s: %(crew)s retired, but is in place %(place)d, ahead of %(other)s, who finished.")
        for line, behind in _ahead(results.stage_lines(stage.number)):
            found.append(says % {"stage": results.rally.stage_called(stage.number), **_words(line, behind)})
    if len(results.stages) > 1:
        says = _("Final result: %(crew)s retired, but is in place %(place)d, ahead of %(other)s, who finished.")
        found += [says % _words(line, behind) for line, behind in _ahead(results.overall)]
    return found


def _ahead(lines: Sequence[Line]) -> list[tuple[Line, Line]]:
    """Return each retired car that is ahead of a finisher, with the best such finisher. The lines are in order."""
    placed = [line for line in lines if line.place is not None]
    found = []
    for line in placed:
        behind = next((each for each in placed if not each.retired_on and (each.place or 0) > (line.place or 0)), None)
        if line.retired_on and behind is not None:
            found.append((line, behind))
    return found


def _words(line: Line, behind: Line) -> dict[str, object]:
    return {"crew": line.entry.crew, "place": line.place or 0, "other": behind.entry.crew}
