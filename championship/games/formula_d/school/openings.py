"""The situations of the scenes: cars put on a circuit in the middle of a race, or on its grid, and dice that are laid.

The pupil is car 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from championship.runs.watch.scenes import Opening
from engine.formula_d.facts import facts
from engine.formula_d.game import game
from engine.formula_d.scenario import in_the_middle
from engine.formula_d.setup import setup

PUPIL = "1"
TRACK = "monza"
COURSE: Mapping[str, Any] = {"track": TRACK}


def shows(gear: int, spaces: int) -> int:
    """Return the draw by which a gear die shows so many spaces."""
    return facts().gears[gear].index(spaces)


def black(result: int) -> int:
    """Return the draw by which the d20 shows a result."""
    return result - 1


def on(
    *cars: Mapping[str, Any],
    draws: Sequence[int] = (),
    weather: str = "",
    markers: Sequence[str] = (),
    first: bool = True,
    begun: Sequence[Mapping[str, Any]] = (),
    **options: Any,
) -> partial[Opening]:
    """Return what makes an opening, new each time: cars as in a scenario file, the pupil's first.

    `weather`: the state of the weather. `markers`: spaces with a damage marker. `first`: whether only the pupil is left
    to play in this round. `options`: by default those that a new race proposes, without the start roll. `begun`: orders
    of the pupil before the scene, with the first of the `draws`.
    """
    return partial(_opened, cars, tuple(draws), weather, tuple(markers), first, tuple(begun), options)


def _opened(
    cars: Sequence[Mapping[str, Any]],
    draws: tuple[int, ...],
    weather: str,
    markers: tuple[str, ...],
    first: bool,
    begun: Sequence[Mapping[str, Any]],
    chosen: Mapping[str, Any],
) -> Opening:
    rules = game()
    proposed = {option.name: option.proposed for option in rules.options if option.proposed is not None}
    options = rules.clean_options({**proposed, "start_roll": False, **chosen})
    seats = tuple(str(number) for number in range(1, len(cars) + 1))
    named = [{"id": seat, **each} for seat, each in zip(seats, cars, strict=True)]
    race = setup(TRACK, named, options, grid="entry", asks=False)
    if weather:
        race["weather"] = race["weather_told"] = weather
    race["markers"] = list(markers)
    race = in_the_middle(race, named)
    if first:
        race["left"] = [PUPIL]
    state: dict[str, Any] = dict(race)
    for orders in begun:
        chance = _Laid(draws)
        state, _events = rules.play(state, PUPIL, orders, chance)
        draws = chance.left
    return Opening(COURSE, options, state, PUPIL, seats, draws)


class _Laid:
    """The laid draws, of which `left` are left."""

    def __init__(self, draws: tuple[int, ...]) -> None:
        self.left = draws

    def number(self, what: str, ends: int, *, by: str = "run") -> int:
        """Return the next laid number."""
        found, self.left = self.left[0], self.left[1:]
        return found % ends
