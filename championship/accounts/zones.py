"""The time zones that people may choose from, and the best guess before they have chosen."""

from datetime import UTC, date, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

AREAS = (
    *("Europe", "Africa", "America", "Antarctica", "Arctic"),
    *("Asia", "Atlantic", "Australia", "Indian", "Pacific"),
)
"""The areas of the zone database that hold places; Europe first, since most clubs are there."""

HOME_OF_LANGUAGE = {"pl": "Europe/Warsaw", "de": "Europe/Berlin"}


@cache
def names() -> tuple[str, ...]:
    """All zones that people may choose, UTC first, then by area."""
    places = sorted(name for name in available_timezones() if name.split("/")[0] in AREAS and "/" in name)
    return ("UTC", *sorted(places, key=lambda name: AREAS.index(name.split("/")[0])))


def grouped() -> list[tuple[str, list[tuple[str, str]]] | tuple[str, str]]:
    """The zones as choices of a select: UTC, then one group for each area."""
    choices: list[tuple[str, list[tuple[str, str]]] | tuple[str, str]] = [("UTC", "UTC")]
    for area in AREAS:
        inside = [name for name in names() if name.startswith(f"{area}/")]
        choices.append((area, [(name, name.split("/", 1)[1].replace("_", " ")) for name in inside]))
    return choices


def guess(language: str) -> str:
    """The default zone for somebody who reads `language`; UTC when nothing is known."""
    return HOME_OF_LANGUAGE.get(language.split("-")[0], "UTC")


def zone(name: str) -> ZoneInfo:
    """The zone of that name; UTC for a name that is not in this machine's zone database."""
    return ZoneInfo(name if name in names() else "UTC")


def midnight(day: date, zone_name: str) -> datetime:
    """When a day begins in a zone, in UTC. Where a clock change skips midnight, it is the moment of the change."""
    return datetime(day.year, day.month, day.day, tzinfo=zone(zone_name)).astimezone(UTC)
