"""Reads the cells of a list of results: times, points, places, retirements, days."""

from __future__ import annotations

import re
from datetime import date

from django.utils.translation import gettext as _

from championship.rallies.results.measures import Measure, may_be_given, unit_name

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
