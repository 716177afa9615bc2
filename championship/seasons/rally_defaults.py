"""The initial settings of a season's rallies: mode, deadlines, timekeeping, options of the game; stored as plain JSON.

The options are those of one game, `game`, or of the first game where none is named. The penalty for a missed deadline
is in that game's unit. `penalties` has one for each other unit; where a unit has none, no penalty is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from typing import Any

from championship import catalogue
from championship.rallies.clock.policy import settings_of
from championship.rallies.clock.rounds_together import supports_rounds_together
from championship.rallies.desk.game_choice import default_game, default_options, proposed_options
from championship.rallies.models import Rally
from championship.rallies.results.measures import SECONDS, Measure, measure_of_game
from championship.seasons.models import Championship

Settings = Mapping[str, Any]
CLOCK = "%H:%M"
LEAGUE_TABLE = 3
"""Cars at a table of a weekly league; measured in tests/championship/runs/test_a_rally_in_four_weeks.py."""
CLOCKS = ("quiet_from", "quiet_to")


def default_settings() -> dict[str, Any]:
    """Return the default settings of a rally, as plain JSON."""
    return to_json(of_rally(Rally()))


def suggested_settings() -> dict[str, Any]:
    """Return the suggested settings of a new season. With them a rally of three stages fits between rounds four weeks
    apart: small tables, and one deadline for all cars of a round.
    """
    said = default_settings()
    if supports_rounds_together(default_game()):
        said["timekeeping"] = {**said["timekeeping"], "rounds_together": True, "table_size": LEAGUE_TABLE}
    return said


def with_rounds_together(kept: Settings) -> dict[str, Any]:
    """Return stored settings with rounds driven together."""
    said = {**default_settings(), **kept}
    return {**said, "timekeeping": {**said["timekeeping"], "rounds_together": True}}


def of_rally(rally: Rally) -> dict[str, Any]:
    """Return a rally's settings as rallies.services.create_rally takes them, without name, stages and classes."""
    names = ("mode", "turn_hours", "reminder_hours", "auto_start")
    said = {name: getattr(rally, name) for name in names}
    places = {"entry_limit": rally.entry_limit}
    return {**said, "options": dict(rally.options), "timekeeping": settings_of(rally), "places": places}


def to_json(settings: Settings) -> dict[str, Any]:
    """Return settings as they are stored: clock times as text."""
    timekeeping = dict(settings["timekeeping"])
    for name in CLOCKS:
        if isinstance(timekeeping.get(name), time):
            timekeeping[name] = timekeeping[name].strftime(CLOCK)
    return {**settings, "timekeeping": timekeeping}


def game_of(kept: Settings) -> str:
    """Return the game to which the stored options belong."""
    return str(kept.get("game") or default_game())


def game_of_season(championship: Championship) -> str:
    """Return the game whose words a season uses: the game of its settings where they name one, else that of its first
    round.
    """
    if championship.rally_settings.get("game"):
        return game_of(championship.rally_settings)
    driven = championship.rounds.order_by("number").values_list("rally__game", flat=True).first()
    return driven if driven in catalogue.names() else default_game()


def from_json(kept: Settings, game: str) -> dict[str, Any]:
    """Return settings as create_rally takes them for a rally of that game. Missing values are replaced by the defaults.
    Options that were never chosen for this game are those that the game proposes.
    """
    said = {**default_settings(), **kept}
    if game != game_of(kept) or not said["options"]:
        said["options"] = proposed_options(game) if game in catalogue.names() else {}
    if game != game_of(kept) and not supports_rounds_together(game):
        said["timekeeping"] = {**said["timekeeping"], "rounds_together": False, "table_size": 0}
    timekeeping = {**said["timekeeping"], "miss_penalty": penalty_in(unit_of(game), kept)}
    said.pop("game", None)
    said.pop("penalties", None)
    for name in CLOCKS:
        if timekeeping.get(name):
            hour, minute = str(timekeeping[name]).split(":")[:2]
            timekeeping[name] = time(int(hour), int(minute))
    return {**said, "timekeeping": timekeeping}


def penalty_field(measure: Measure) -> str:
    """Return the name of the form field for the penalty in another unit."""
    return f"miss_penalty_{measure.unit}"


def unit_of(game: str) -> str:
    """Return the unit of a game's results and penalties; seconds for a game that is not installed."""
    return measure_of_game(game).unit if game in catalogue.names() else SECONDS.unit


def penalty_in(unit: str, kept: Settings) -> int:
    """Return the penalty for a missed deadline in rallies with this unit; 0 where the season has none for the unit."""
    if unit == unit_of(game_of(kept)):
        return int(kept.get("timekeeping", {}).get("miss_penalty", 0))
    return int(kept.get("penalties", {}).get(unit, 0))


def units_besides(game: str) -> list[Measure]:
    """Return the measures of the installed games with another unit than this game's, one for each unit."""
    found: dict[str, Measure] = {}
    for name in catalogue.names():
        found.setdefault(unit_of(name), measure_of_game(name))
    return [measure for unit, measure in found.items() if unit != unit_of(game)]


def _unchosen_options(game: str) -> dict[str, Any]:
    """Return the options of a game as they are where a season has not chosen them: later options keep the old way."""
    return default_options(game) if game in catalogue.names() else {}


def as_initial(kept: Settings, game: str) -> dict[str, Any]:
    """Return settings as the initial values of the form of a rally of that game."""
    said = from_json(kept, game)
    timekeeping, options, places = (said.pop(name) for name in ("timekeeping", "options", "places"))
    weekends_off = not timekeeping.pop("weekends_count", True)
    return {
        **said,
        **timekeeping,
        **places,
        **{penalty_field(measure): penalty_in(measure.unit, kept) for measure in units_besides(game)},
        "weekends_off": weekends_off,
        **{f"option_{name}": value for name, value in {**_unchosen_options(game), **options}.items()},
    }
