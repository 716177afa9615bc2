"""What all rallies of a season begin with: mode, deadlines, timekeeping, options of the game; kept as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from typing import Any

from championship.rallies.models import Rally
from championship.rallies.timekeeping import settings_of

Settings = Mapping[str, Any]
CLOCK = "%H:%M"
CLOCKS = ("quiet_from", "quiet_to")


def usual() -> dict[str, Any]:
    """The settings of a rally that nobody has changed, as plain JSON."""
    return to_json(of_rally(Rally()))


def of_rally(rally: Rally) -> dict[str, Any]:
    """A rally's settings as rallies.services.create_rally takes them, without name, stages and classes."""
    names = ("mode", "turn_hours", "reminder_hours", "auto_start")
    said = {name: getattr(rally, name) for name in names}
    places = {"entry_limit": rally.entry_limit}
    return {**said, "options": dict(rally.options), "timekeeping": settings_of(rally), "places": places}


def to_json(settings: Settings) -> dict[str, Any]:
    """Settings as they are kept: clock times written out."""
    timekeeping = dict(settings["timekeeping"])
    for name in CLOCKS:
        if isinstance(timekeeping.get(name), time):
            timekeeping[name] = timekeeping[name].strftime(CLOCK)
    return {**settings, "timekeeping": timekeeping}


def from_json(kept: Settings) -> dict[str, Any]:
    """Settings as create_rally takes them; what is not kept is as usual."""
    said = {**usual(), **kept}
    timekeeping = dict(said["timekeeping"])
    for name in CLOCKS:
        if timekeeping.get(name):
            hour, minute = str(timekeeping[name]).split(":")[:2]
            timekeeping[name] = time(int(hour), int(minute))
    return {**said, "timekeeping": timekeeping}


def as_initial(kept: Settings) -> dict[str, Any]:
    """Settings as the initial values of a rally's form."""
    said = from_json(kept)
    timekeeping, options, places = (said.pop(name) for name in ("timekeeping", "options", "places"))
    weekends_off = not timekeeping.pop("weekends_count", True)
    return {
        **said,
        **timekeeping,
        **places,
        "weekends_off": weekends_off,
        **{f"option_{name}": value for name, value in options.items()},
    }
