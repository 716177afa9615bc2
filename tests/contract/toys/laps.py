"""Laps: Dash on courses. A toy game with a library of two courses, and courses that people supply as text.

L1: a course says how many rounds are played on it, from 1 to 9, and may have a name. The other rules are those of Dash.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from engine.contract import Json, StageError, State, Survey
from tests.contract.toys.dash import Dash

MOST_ROUNDS, LONGEST_NAME = 9, 40


class Laps(Dash):
    """The game. A course is {"name": ..., "rounds": ...}; the name may be missing."""

    name = "laps"
    title = "Laps"
    options = ()

    def library(self) -> Mapping[str, Json]:
        return {"club/kidney": {"name": "The Kidney", "rounds": 2}, "club/oval": {"rounds": 1}}

    def read_course(self, spec: Json) -> dict[str, Json]:
        wrong = _faults(spec)
        if wrong:
            raise wrong[0]
        read: dict[str, Json] = {key: spec[key] for key in ("name", "rounds") if key in spec}
        return read

    def write_course(self, course: Json) -> str:
        named = f'name = "{course["name"]}"\n' if "name" in course else ""
        return f"{named}rounds = {course['rounds']}\n"

    def survey(self, draft: Json) -> Survey:
        wrong = _faults(draft)
        return Survey(None, wrong=wrong) if wrong else Survey(self.read_course(draft), sections=1)

    def setup(self, course: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
        rounds = self.read_course(course)["rounds"]
        self.clean_options(options)
        return {**Dash().setup({}, entrants, {}), "rounds": rounds}


def _faults(spec: Json) -> tuple[StageError, ...]:
    """Return everything that is wrong with a course."""
    if not isinstance(spec, Mapping):
        return (StageError("a course is a table", rule="L1"),)
    found = [StageError("%(field)s: no such field", rule="L1", field=str(key)[:20]) for key in sorted(spec, key=str)]
    found = [error for error in found if error.values["field"] not in ("name", "rounds")]
    name, rounds = spec.get("name", "-"), spec.get("rounds")
    if not isinstance(name, str) or not name.isprintable() or '"' in name or "\\" in name or len(name) > LONGEST_NAME:
        found.append(StageError("name: at most %(most)d letters", rule="L1", most=LONGEST_NAME))
    if type(rounds) is not int or not 1 <= rounds <= MOST_ROUNDS:
        found.append(StageError("rounds: a number from 1 to %(most)d", rule="L1", most=MOST_ROUNDS))
    return tuple(found)


@cache
def game() -> Laps:
    """Return the game."""
    return Laps()
