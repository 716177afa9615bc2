"""A season as the JSON that this service writes (docs/seasons.md), as a list: a line for each driver and round."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.utils.translation import gettext as _

from championship.lists.found import Note
from championship.lists.reading.bounds import Unreadable
from championship.seasons.scoring import document_nodes, season_file, tables
from championship.seasons.scoring.values import Points, Season, SeasonRound, as_number

HEADS = ("rally", "name", "crew", "class", "team", "place", "status", "points", "power stage")
WORDS = {"retired": "DNF", "did not start": "DNS", "excluded": "DSQ", "not classified": "NC"}


def is_season(data: Any) -> bool:
    """Whether JSON is a season as one document."""
    return isinstance(data, dict) and isinstance(data.get("scheme"), dict) and isinstance(data.get("rounds"), list)


def lines_of(data: Any) -> tuple[list[list[str]], tuple[Note, ...]]:
    """Return the lines of a season, its headings first, and what is to be told of it. The points are those that its
    scheme gives, so that every season that reads them has the same.

    Raises: Unreadable with the path of the first value that is wrong.
    """
    try:
        season = season_file.read(data)
    except document_nodes.SeasonFileError as error:
        raise Unreadable(
            _("This is a season as JSON, but it cannot be read: %(why)s") % {"why": str(error)[:200]}
        ) from error
    names = Counter[str]()
    lines = [list(HEADS)]
    scores = {line.subject: line.scores for line in tables.drivers(season)}
    for each in season.rounds:
        names[each.name] += 1
        name = each.name if names[each.name] == 1 else f"{each.name} ({names[each.name]})"
        if each.over:
            given = {who: found[each.number].points for who, found in scores.items() if each.number in found}
            power = {who: found[each.number].power for who, found in scores.items() if each.number in found}
            lines += _lines(each, name, given, power)
    if not any(line[-1] for line in lines[1:]):
        lines = [line[:-1] for line in lines]
    return lines, _told(season)


def _lines(each: SeasonRound, name: str, given: dict[str, Points], power: dict[str, Points]) -> list[list[str]]:
    together: dict[int, list[str]] = {}
    for result in each.results:
        together.setdefault(result.car, []).append(result.driver)
    places = {result.place for result in each.results}
    lines = []
    for result in each.results:
        drivers = together[result.car]
        plain = len(drivers) == 1 or (len(drivers) == 2 and result.place and result.place + 1 in places)
        lines.append(
            [
                name,
                result.driver,
                "" if plain else " & ".join(drivers),
                result.car_class,
                result.team,
                str(result.place or ""),
                WORDS.get(result.status or ("retired" if result.retired else ""), ""),
                str(as_number(given.get(result.driver, 0))),
                str(as_number(power[result.driver])) if power.get(result.driver) else "",
            ]
        )
    return lines


def _told(season: Season) -> tuple[Note, ...]:
    if not season.adjustments:
        return ()
    says = _("Points that officials gave or took in the season are not in the rounds: give them again.")
    return (Note((), "", says, "told", "adjustments"),)
