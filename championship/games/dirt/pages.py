"""The stage page of Rallyman: DIRT: the map with its cars, the dashboards, the panel of the driver whose turn it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from championship.games.dirt import maps, move_choices, panel, rolled
from championship.games.dirt.cars import cars_on_map, cars_shown
from championship.games.dirt.event_sentences import (
    ENDS,
    frame_at,
    log_words,
    most_telling,
    round_begun,
    round_of,
    sentence,
)
from championship.games.dirt.forms import OrdersForm, StandingForm
from championship.games.dirt.map_details import place, place_at, tiles
from championship.games.dirt.marks import Car, Step, Target, step_of
from championship.games.dirt.risk import PlanRisk
from championship.platform import clock
from championship.rallies.models import COLOURS
from championship.runs.pages.log import names_of, record_turns, run_turns
from championship.runs.run_pages import DraftShown, RecordShown, Shown, TurnLog
from championship.runs.watch.selectors import RunPage
from engine import record
from engine.dirt.game import game

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
    "panel": "dirt/panel.html",
    "road_order": "dirt/road_order.html",
    "cars": "dirt/cars.html",
    "drawn": "dirt/rolled_now.html",
    "drawn_before": "dirt/rolled_before.html",
    "around": "dirt/around.html",
    "keys": "dirt/keys.html",
}


def read_orders(data: QueryDict) -> dict[str, Any]:
    """Return the engine's orders from the turn form.

    Raises: Refused when a field is not valid; it names the field.
    """
    return OrdersForm(data).orders()


def brings_standing(data: QueryDict) -> bool:
    """Return whether a form contains standing orders. A form that lays dice says how they are rolled, but not when to
    stop.
    """
    return "stop_at" in data


def read_standing(data: QueryDict) -> dict[str, Any]:
    """Return the engine's standing orders from a form, without the plan.

    Raises: Refused when a field is not valid; it names the field.
    """
    return StandingForm(data).manner()


def standing_of(orders: Mapping[str, Any]) -> dict[str, Any]:
    """Return the standing orders in the orders of a post."""
    if orders.get("do") != "standing":
        return {}
    return {word: value for word, value in orders.items() if word not in ("do", "plan")}


def log(page: RunPage) -> list[TurnLog]:
    """Return the log of the posts of `page`."""
    return run_turns(page, log_words(names_of(page)))


def show(page: RunPage, draft: DraftShown) -> Shown:
    """Return the stage page. A draft that breaks a rule is shown up to the move before, with the rule."""
    rules = game()
    state = page.run.state
    view = rules.view(state, page.mine.name if page.mine else None)
    playing = rules.to_play(state)
    context: dict[str, Any] = {
        "cars": cars_shown(page, view, playing),
        "phase": view["phase"],
        "round": view["round"],
        "tiles": partial(tiles, page),
    }
    context |= panel.sent_ahead(page)
    context |= rolled.on_page(page, view, now=clock.now())
    problem, rule, plan = "", "", ""
    targets: list[Target] = []
    if page.my_turn is not None and page.mine is not None:
        own_panel = panel.panel_of(rules, state, page.mine.name, draft, panel.cards_seen(page.run))
        problem, rule, plan = own_panel.problem, own_panel.rule, own_panel.plan
        shown, targets = panel.show(own_panel)
        context |= shown
    elif (before := panel.before_the_turn(page, draft)) is not None:
        problem, rule, plan = before.problem, before.rule, before.plan
        shown, targets = panel.show_ahead(before)
        context |= shown
    drawn = maps.map_svg(
        page.run.stage,
        cars=cars_on_map(page, view, playing=playing),
        path=_path(page, view if page.my_turn or not plan else {**view, "turn": None}, plan, doomed=_doomed(context)),
        targets=targets,
        mud={int(tile): sum(thrown.values()) for tile, thrown in view["mud"].items()},
        title=page.run.special_stage.title,
    )
    return Shown(
        **TEMPLATES,
        ahead="dirt/ahead.html" if "ahead" in context else "",
        map=drawn,
        playing=[seat for seat in page.seats if seat.name in playing],
        context=context,
        problem=problem,
        rule=rule,
        hand_over=True,
    )


def record_shown(document: Mapping[str, Any]) -> RecordShown:
    """Return a record as it ends. Drivers are named by their numbers in the record."""
    rules, state = record.fold(document)
    drivers = {driver: _("No. %(number)s") % {"number": driver} for driver in state["drivers"]}
    cars = [
        Car(space=car["space"], colour=number % COLOURS, number=driver[:3], on_track=car["on_track"])
        for number, (driver, car) in enumerate(state["drivers"].items())
    ]
    result = rules.result(state)
    finishes = [(drivers[f.seat], f.measure, f.status == "retired") for f in result.seats] if result else []
    return RecordShown(
        map=maps.map_svg(state["stage"], cars=cars, title=_("How the stage ended")),
        finishes=sorted(finishes, key=lambda finish: (finish[1] is None, finish[1] or 0)),
        log=record_turns(document, log_words(drivers), ENDS),
    )


def _doomed(context: Mapping[str, Any]) -> bool:
    """Return whether the draft ends in a certain loss of control, or in front of a wall."""
    risk = context.get("risk")
    return isinstance(risk, PlanRisk) and risk.one.doomed


# The map -------------------------------------------------------------------------------------------


def _path(page: RunPage, view: Mapping[str, Any], plan: str, *, doomed: bool) -> list[Step]:
    """Return the plan on the map: the draft, or the rest of a turn that has begun. The car's position comes first.
    `doomed`: at its end control is lost for certain, there or behind it.
    """
    half = view["turn"]
    changeable = bool(plan) and (half is None or half["phase"] == "relay")
    if half is not None:
        moves, made, start = (plan or half["plan"]).split(), half["made"], half["space"]
        if half["phase"] != "relay":
            moves, start = moves[made:], view["drivers"][half["driver"]]["space"]
    elif plan and page.mine is not None:
        moves, start = plan.split(), view["drivers"][page.mine.name]["space"]
    else:
        return []
    steps = [Step(space=start)]
    for number, move in enumerate(moves, 1):
        step = step_of(move)
        if changeable:
            step = replace(step, number=number, href=move_choices.href_of(plan, change=str(number)))
        steps.append(step)
    if doomed:
        steps[-1] = replace(steps[-1], loses_control=True)
    return steps
