"""Weather (W): before qualifying, before the race, at the end of a round."""

from __future__ import annotations

from engine.formula_d.facts import facts
from engine.formula_d.table import Table


def _result(table: Table) -> tuple[int, str]:
    """F7: a d20 and what the weather table of the track gives for it."""
    die = table.dice.black("weather")
    return die, table.track.weather[die - 1]


def before_qualifying(table: Table) -> None:
    """W2: rain, or else dry."""
    die, result = _result(table)
    state = "rain" if result == "rain" else "good"
    table.tell_all("weather", when="qualifying", die=die, state=state)


def before_the_race(table: Table) -> None:
    """W3."""
    die, result = _result(table)
    table.tell_all("weather", when="race", die=die, state=facts().sky.table[result])


def at_the_end_of_a_round(table: Table) -> None:
    """W4, W5: a die for each gear die of the round that strained an engine, as long as the weather can change."""
    race = table.race
    for _ in range(race["strained"]):
        if race["weather"] is None or race["weather"] in facts().sky.final:
            return
        die, result = _result(table)
        table.tell_all("weather", when="round", die=die, state=moved(race["weather"], result))


def moved(state: str, result: str) -> str:
    """W4: one state towards good or rain. Once left, changeable is skipped."""
    sky = facts().sky
    way = {"good": -1, "rain": 1}.get(result, 0)
    place = sky.states.index(state) + way
    if way and sky.states[place] == sky.first:
        place += way
    return sky.states[place]
