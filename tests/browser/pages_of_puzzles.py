"""The pages of puzzles: of a day, of all days, and of own turns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from unittest.mock import patch

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.platform import clock
from championship.puzzles import positions, services
from championship.puzzles.models import Puzzle
from championship.puzzles.services import driving_on
from championship.runs.models import Run


def for_everybody(over: Run) -> list[tuple[Any, ...]]:
    """Return the addresses of a day's puzzle and of the archive. A turn of the finished run is the puzzle."""
    Club.objects.filter(pk=over.special_stage.rally.club_id).update(visibility=Club.Visibility.PUBLIC)
    game = positions.required_puzzles(over.game)
    any_gap = replace(game.puzzle_scale, share=0, least=0)
    with patch.object(game, "puzzle_scale", any_gap):
        services.search(run=over, now=clock.now())
    services.choose(day=services.today())
    return [("puzzles:archive",), *(("puzzles:puzzle", each.day) for each in Puzzle.objects.exclude(day=None)[:1])]


def of_driver(over: Run, driver: User) -> list[tuple[Any, ...]]:
    """Return the addresses of a driver's own turns."""
    seat = over.seats.get(entry__driver=driver).name
    event = positions.costly_turns(over, seat)[0][0]
    return [("puzzles:due",), ("puzzles:turns", over.key), ("puzzles:again", over.key, event)]


def addresses(over: Run, driver: User) -> list[tuple[Any, ...]]:
    """Return the addresses of all pages of puzzles, for a driver of the finished run."""
    drive = driving_on.begin(by=driver, run=over, event=0)
    return [*for_everybody(over), *of_driver(over, driver), ("puzzles:drive", drive.key)]
