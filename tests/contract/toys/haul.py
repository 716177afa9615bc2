"""Haul: Dash with a car that gets tired, so that drivers decide something between two stages. A toy game with a career.

C1: a car brings its tiredness from stage to stage; each stage adds one. C2: between two stages a driver may rest, which
takes all of it away and costs points. C3: the car with the fewest points starts first. The other rules are those of
Dash.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from engine.contract import Column, Decision, Json, RuleError, StageResult, State
from tests.contract.toys.dash import Dash

REST, COST = "rest", 2


class Haul(Dash):
    """The game. A state keeps the tiredness of each car as it was at the start."""

    name = "haul"
    title = "Haul"
    sheet_columns = (Column("tired", "Tired", group="Tired", part="T"),)

    def setup(self, course: Json, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json]) -> State:
        tired = {str(entrant["id"]): entrant["luggage"]["tired"] for entrant in entrants if "luggage" in entrant}
        return {**super().setup(course, entrants, options), "tired": tired}

    def result(self, state: State) -> StageResult | None:
        found = super().result(state)
        if found is None:
            return None
        return StageResult(
            tuple(replace(one, luggage={"tired": 1 + state["tired"].get(one.seat, 0)}) for one in found.seats)
        )

    def new_luggage(self, options: Mapping[str, Json]) -> dict[str, Any]:
        return {"tired": 0}

    def in_rally(self, course: Json, *, last: bool) -> Json:
        return course

    def has_service(self, course: Json) -> bool:
        return False

    def after_stage(
        self, luggage: dict[str, Any], *, service: bool, retired: bool, options: Mapping[str, Json]
    ) -> dict[str, Any]:
        return luggage

    def decisions(
        self, luggage: dict[str, Any], *, service: bool, options: Mapping[str, Json], last_stage: bool
    ) -> tuple[Decision, ...]:
        if last_stage or not luggage["tired"]:
            return ()
        return (Decision(REST, "bool", "Rest", help="It takes 100 %% away, for %(worth)d points.", worth=COST),)

    def decide(
        self,
        luggage: dict[str, Any],
        decision: Mapping[str, Json],
        *,
        service: bool,
        options: Mapping[str, Json],
        last_stage: bool,
    ) -> tuple[dict[str, Any], int]:
        rests = decision.get(REST, False)
        if type(rests) is not bool:
            raise RuleError("C2", "rest, or do not")
        return ({"tired": 0}, COST) if rests else (luggage, 0)

    def starting_order(self, totals: Mapping[str, int], last: Mapping[str, int], lots: Sequence[str]) -> list[str]:
        return sorted(lots, key=lambda seat: totals.get(seat, 0))

    def sheet_row(self, luggage: dict[str, Any]) -> dict[str, Json]:
        return dict(luggage)


@cache
def game() -> Haul:
    """Return the game."""
    return Haul()
