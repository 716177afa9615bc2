"""Weather (W): before qualifying, before the race, at the end of a round."""

from __future__ import annotations

from engine.formula_d.facts import facts
from engine.formula_d.table import Table


def _result(table: Table) -> tuple[int, str]:
    """Return a d20 and its result in the weather table of the track (F7)."""
    die = table.dice.black("weather")
    return die, table.track.weather[die - 1]


def before_qualifying(table: Table) -> None:
    """Roll the weather of qualifying: rain, or else good (W2)."""
    die, result = _result(table)
    state = "rain" if result == "rain" else "good"
    table.add_race_event("weather", when="qualifying", die=die, state=state)


def before_the_race(table: Table) -> None:
    """Roll the weather of the race (W3)."""
    die, result = _result(table)
    table.add_race_event("weather", when="race", die=die, state=facts().weather.table[result])


def at_the_end_of_a_round(table: Table) -> None:
    """Roll a weather die for each gear die that strained engines in the round, until the weather is final (W4, W5)."""
    race = table.race
    for _ in range(race["strained"]):
        if race["weather"] is None or race["weather"] in facts().weather.final:
            return
        die, result = _result(table)
        table.add_race_event("weather", when="round", die=die, state=moved(race["weather"], result))


def moved(state: str, result: str) -> str:
    """Return the weather one state nearer to good or rain (W4). It never returns to changeable."""
    rules = facts().weather
    way = {"good": -1, "rain": 1}.get(result, 0)
    place = rules.states.index(state) + way
    if way and rules.states[place] == rules.first:
        place += way
    return rules.states[place]
