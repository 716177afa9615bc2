"""The stage page of Formula D: the circuit with its cars, the dashboards, the panel of the driver whose turn it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from championship.games.formula_d import log as logs
from championship.games.formula_d.cars import cars_on_map, cars_shown, newest_rolls
from championship.games.formula_d.drawing import Car, Scene, circuit_svg, overlay_svg, space_at
from championship.games.formula_d.event_sentences import most_telling, round_begun, round_of, sentence
from championship.games.formula_d.forms import OrdersForm, StandingForm
from championship.games.formula_d.map_details import place_shown
from championship.games.formula_d.panel import Panel, ahead_of, panel_of, sent_ahead
from championship.games.formula_d.words import weather_words
from championship.rallies.models import COLOURS
from championship.runs.pages.log import names_of, record_turns, run_turns
from championship.runs.run_pages import (
    DraftShown,
    PlaceShown,
    RecordShown,
    ReplayFrame,
    Shown,
    TurnLog,
)
from championship.runs.watch.selectors import RunPage
from engine import record
from engine.formula_d.game import game
from engine.formula_d.race import GARAGE, QUALIFYING, wet

__all__ = [
    "brings_standing",
    "frame_at",
    "log",
    "most_telling",
    "place",
    "place_at",
    "read_orders",
    "read_standing",
    "record_shown",
    "round_begun",
    "round_of",
    "sentence",
    "show",
    "standing_of",
]

TEMPLATES = {
    "panel": "formula_d/panel.html",
    "road_order": "formula_d/order.html",
    "cars": "formula_d/cars.html",
    "keys": "formula_d/keys.html",
    "with_results": "formula_d/teams.html",
    "at_finish": "formula_d/finish.html",
}


def read_orders(data: QueryDict) -> dict[str, Any]:
    """Return the engine's orders from the turn form.

    Raises: Refused when a field is not valid.
    """
    return OrdersForm(data).orders()


def brings_standing(data: QueryDict) -> bool:
    """Return whether a form contains orders ahead: no other form has a way of driving."""
    return "way" in data


def read_standing(data: QueryDict) -> dict[str, Any]:
    """Return orders ahead from a form.

    Raises: Refused when a field is not valid.
    """
    return StandingForm(data).manner()


def standing_of(orders: Mapping[str, Any]) -> dict[str, Any]:
    """Return the orders ahead in the orders of a post."""
    if orders.get("do") != "standing":
        return {}
    return {word: value for word, value in orders.items() if word != "do"}


def log(page: RunPage) -> list[TurnLog]:
    """Return the log of the posts of `page`."""
    return run_turns(page, logs.words(names_of(page)))


def show(page: RunPage, draft: DraftShown) -> Shown:
    """Return the stage page. A path that breaks a rule is ignored, and the rule is shown."""
    rules, state = game(), page.run.state
    view = rules.view(state, page.seat)
    playing = rules.to_play(state)
    context = race_context(page, view, playing)
    context |= sent_ahead(page) | {"newest_rolls": newest_rolls(page)}
    panel: Panel | None = None
    if page.my_turn is not None and page.mine is not None:
        panel = panel_of(rules, state, page.mine.name, draft)
        context |= panel.context
    elif (ahead := ahead_of(page, draft)) is not None:
        context |= ahead
    scene = Scene(
        cars=cars_on_map(page, view, playing),
        debris=view["markers"],
        wet=wet(dict(view)),
        **(panel.scene if panel else {}),
    )
    return Shown(
        **TEMPLATES,
        ahead="formula_d/ahead.html" if "standing" in context and panel is None else "",
        map=circuit_svg(page.run.stage, scene, title=page.run.special_stage.title),
        playing=[seat for seat in page.seats if seat.name in playing],
        context=context,
        problem=panel.problem if panel else "",
        rule=panel.rule if panel else "",
        hand_over=True,
    )


def race_context(page: RunPage, view: Mapping[str, Any], playing: Sequence[str]) -> dict[str, Any]:
    """Return the context beside the circuit: all cars, the lap and the round, the weather, the scores of teams."""
    stages = {GARAGE: _("garage"), QUALIFYING: _("qualifying")}
    return {
        "cars": cars_shown(page, view, playing),
        "stage_of_race": stages.get(view["stage"], ""),
        "round": view["round"],
        "laps": view["options"]["laps"],
        "weather": weather_words(view),
        "wet": wet(dict(view)),
        "teams": sorted(view["teams"].items(), key=lambda team: -team[1]),
        "basic": view["options"]["rules"] == "basic",
    }


def frame_at(
    page: RunPage, state: Mapping[str, Any], acting: str | None, turn: Sequence[Mapping[str, Any]], *, overlay: bool
) -> ReplayFrame:
    """Return the race in an earlier state: the cars, and the path that was driven so far in this turn."""
    rules = game()
    view = rules.view(dict(state), None)
    playing = rules.to_play(dict(state))
    scene = Scene(
        cars=cars_on_map(page, view, playing, acting or ""),
        driven=[event["space"] for event in turn if event["kind"] == "step" and event["seat"] == acting],
        debris=view["markers"],
        wet=wet(dict(view)),
    )
    picture = (
        overlay_svg(page.run.stage, scene, ident="replay", swap=True)
        if overlay
        else circuit_svg(page.run.stage, scene, title=page.run.special_stage.title, ident="replay")
    )
    rolled = next((event for event in reversed(turn) if event["kind"] == "roll"), None)
    return ReplayFrame(picture, "formula_d/moment.html", {**race_context(page, view, playing), "rolled": rolled})


def place_at(page: RunPage, x: float, y: float) -> str:
    """Return the name of the space at a point of the circuit, "" for none."""
    return space_at(page.run.stage, x, y)


def place(page: RunPage, name: str) -> PlaceShown | None:
    """Return the details of a space; None when the track has no space of that name."""
    return place_shown(page, name)


def record_shown(document: Mapping[str, Any]) -> RecordShown:
    """Return a record as it ends. Drivers are named by their numbers in the record."""
    rules, state = record.fold(document)
    drivers = {seat: _("No. %(number)s") % {"number": seat} for seat in state["cars"]}
    cars = [
        Car(space=car["space"], colour=number % COLOURS, number=seat[:3])
        for number, (seat, car) in enumerate(state["cars"].items())
        if car["space"]
    ]
    result = rules.result(state)
    seats = sorted(result.seats, key=lambda one: (one.rank, -(one.measure or 0))) if result else []
    return RecordShown(
        map=circuit_svg(state["track"], Scene(cars=cars, debris=state["markers"]), title=_("How the race ended")),
        finishes=[(drivers[one.seat], one.measure, one.status == "retired") for one in seats],
        log=record_turns(document, logs.words(drivers), logs.ENDS),
    )
