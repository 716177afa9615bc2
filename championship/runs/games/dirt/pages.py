"""The stage page of Rallyman: DIRT: the map with its cars, the dashboards, the panel of the driver whose turn it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from championship.rallies.models import COLOURS
from championship.runs.games import Draft, Line, Looked, Shown
from championship.runs.games.dirt import log as logs
from championship.runs.games.dirt.forms import OrdersForm
from championship.runs.games.dirt.wording import (
    DAMAGE,
    LOSSES,
    NOTES,
    DieShown,
    die_shown,
    space_words,
)
from championship.runs.models import Place
from championship.runs.selectors import RunPage
from championship.stages import games as maps
from championship.stages.games import Car, Step, Target
from engine import record, ruleset
from engine.ruleset import Choice, Choices, RuleError

TEMPLATES = {
    "panel": "runs/games/dirt/panel.html",
    "road_order": "runs/games/dirt/road_order.html",
    "cars": "runs/games/dirt/cars.html",
}


@dataclass(frozen=True, slots=True)
class CarShown:
    """A car of the run: where it is, its dashboard, its time so far (seconds of its cards), as the engine's
    view tells.
    """

    place: Place
    gear: int
    where: str
    seconds: int
    tokens: int
    damage: list[tuple[str, str]]
    spare: bool
    sisu: bool
    sisu_driven: bool
    status: str
    stage_time: int | None
    leads: bool
    plays: bool


@dataclass(frozen=True, slots=True)
class MoveShown:
    """A legal move on a page: the dice it takes, where it ends, what it brings, the address of the plan with it."""

    dice: list[DieShown]
    gear: int
    where: str
    notes: list[str]
    loses: str
    href: str


@dataclass(frozen=True, slots=True)
class LaidShown:
    """A move of the plan as laid, with the faces of its dice once rolled."""

    dice: list[DieShown]
    where: str
    done: bool
    now: bool


def read_orders(data: QueryDict) -> dict[str, Any]:
    """The engine's orders from the turn form. Raises Refused with the field that makes no sense."""
    return OrdersForm(data).orders()


def log(page: RunPage) -> list[Line]:
    """The log of the posts that `page` holds."""
    return logs.lines(page)


def show(page: RunPage, draft: Draft) -> Shown:
    """The stage page; a draft that breaks a rule is shown up to the move before, with the rule."""
    rules = ruleset.get(page.run.game)
    state = page.run.state
    view = rules.view(state, page.mine.driver if page.mine else None)
    playing = rules.to_play(state)
    context: dict[str, Any] = {
        "cars": _cars(page, view, playing),
        "phase": view["phase"],
        "round": view["round"],
    }
    problem, rule, plan = "", "", ""
    targets: list[Target] = []
    if page.my_turn is not None and page.mine is not None:
        choices, plan, problem, rule = _choices(page, draft)
        panel, targets = _panel(page, choices, plan, draft.at)
        context |= panel
        context["typed"] = draft.plan
    context["map"] = maps.get(page.run.game).map_svg(
        page.run.stage,
        cars=_cars_on_map(page, view),
        path=_path(page, view, plan),
        targets=targets,
        mud={int(tile): sum(thrown.values()) for tile, thrown in view["mud"].items()},
        title=page.run.special_stage.title,
    )
    return Shown(
        panel=TEMPLATES["panel"],
        road_order=TEMPLATES["road_order"],
        cars=TEMPLATES["cars"],
        log=logs.lines(page),
        context=context,
        problem=problem,
        rule=rule,
    )


def look(document: Mapping[str, Any]) -> Looked:
    """A record as it ends. Drivers are called by the numbers that the record gives them."""
    rules, state = record.fold(document)
    drivers = {driver: _("No. %(number)s") % {"number": driver} for driver in state["drivers"]}
    cars = [
        Car(space=car["space"], colour=place % COLOURS, number=driver[:3], on_track=car["on_track"])
        for place, (driver, car) in enumerate(state["drivers"].items())
    ]
    told = (logs.line(turn["events"], drivers, who=drivers[turn["driver"]]) for turn in document["turns"])
    result = rules.result(state)
    finishes = [(drivers[f.driver], f.seconds, f.retired) for f in result.finishes] if result else []
    return Looked(
        map=maps.get(rules.name).map_svg(state["stage"], cars=cars, title=_("How the stage ended")),
        finishes=sorted(finishes, key=lambda finish: (finish[1] is None, finish[1] or 0)),
        log=[line for line in told if line],
    )


# The cars ------------------------------------------------------------------------------------------


def _cars(page: RunPage, view: Mapping[str, Any], playing: Sequence[str]) -> list[CarShown]:
    """All cars: who plays now, who plays after, then the others in starting order, those out last."""
    queue = list(view["queue"])

    def rank(place: Place) -> tuple[int, int]:
        driver = view["drivers"][place.driver]
        if place.driver in queue:
            return 0, queue.index(place.driver)
        return (2 if driver["finished"] or driver["retired"] else 1), place.position

    return [_car(place, view, playing) for place in sorted(page.places, key=rank)]


def _car(place: Place, view: Mapping[str, Any], playing: Sequence[str]) -> CarShown:
    driver = view["drivers"][place.driver]
    damage = view["damage"][place.driver]
    status = (
        _("finished")
        if driver["finished"]
        else _("retired")
        if driver["retired"]
        else _("waiting to start")
        if not driver["started"]
        else ""
        if driver["on_track"]
        else _("beside the track")
    )
    return CarShown(
        place=place,
        gear=driver["gear"],
        where=space_words(driver["space"]),
        seconds=sum(driver["cards"]),
        tokens=driver["tokens"],
        damage=[(kind, str(DAMAGE[kind])) for kind, count in damage.items() for _n in range(count)],
        spare=driver["spare"],
        sisu=driver["sisu"],
        sisu_driven=view["options"]["sisu"] != "none",
        status=status,
        stage_time=driver["stage_time"],
        leads=view["leader"] == place.driver and not any(d["finished"] for d in view["drivers"].values()),
        plays=place.driver in playing,
    )


def _cars_on_map(page: RunPage, view: Mapping[str, Any]) -> list[Car]:
    cars = []
    for place in page.places:
        driver = view["drivers"][place.driver]
        if driver["finished"] or driver["retired"]:
            continue
        cars.append(
            Car(
                space=driver["space"],
                colour=place.entry.colour,
                number=place.driver,
                label=_("%(entry)s, gear %(gear)d, %(where)s")
                % {"entry": place.entry, "gear": driver["gear"], "where": space_words(driver["space"])},
                on_track=driver["on_track"],
                mine=page.mine == place,
            )
        )
    return cars


def _path(page: RunPage, view: Mapping[str, Any], plan: str) -> list[Step]:
    """The plan on the map: the draft, or what is laid of a turn that has begun; where the car stands first."""
    half = view["turn"]
    if half is not None:
        moves, made, start = (plan or half["plan"]).split(), half["made"], half["space"]
        if half["phase"] != "relay":
            moves, start = moves[made:], view["drivers"][half["driver"]]["space"]
    elif plan and page.mine is not None:
        moves, start = plan.split(), view["drivers"][page.mine.driver]["space"]
    else:
        return []
    steps = [Step(space=start)]
    for move in moves:
        die, _colon, space = move.partition(":")
        steps.append(Step(space=space.split("^")[-1], label=die.replace("c", "→").replace("x", "R")))
    return steps


# The panel -----------------------------------------------------------------------------------------


def _choices(page: RunPage, draft: Draft) -> tuple[Choices, str, str, str]:
    """What may be laid behind the draft, or behind the part of it that is legal; what is wrong with the rest,
    and the rule.
    """
    rules = ruleset.get(page.run.game)
    assert page.mine is not None
    plan = " ".join(draft.plan.split())
    try:
        choices = rules.choices(page.run.state, page.mine.driver, plan)
        return choices, plan if choices.phase in ("plan", "relay") else "", "", ""
    except RuleError as error:
        legal = " ".join(plan.split()[: (error.move or 1) - 1])
        said = error.words(_)
        problem = _("Move %(move)d: %(said)s") % {"move": error.move, "said": said} if error.move else said
        return rules.choices(page.run.state, page.mine.driver, legal), legal, problem, error.rule


def _panel(page: RunPage, choices: Choices, plan: str, at: str) -> tuple[dict[str, Any], list[Target]]:
    """The context of the panel, and the spaces of the map that may be chosen."""
    facts = dict(choices.facts)
    context: dict[str, Any] = {"orders": choices.orders, "facts": facts, "plan": plan}
    if choices.phase in ("plan", "relay"):
        moves = [_move_shown(move, plan) for move in choices.moves]
        near = [shown for move, shown in zip(choices.moves, moves, strict=True) if move.to == at]
        laid = _laid_draft(plan)
        context |= {
            "moves": near or moves,
            "looking_at": space_words(at) if near else "",
            "laid": laid,
            "back": _href(" ".join(plan.split()[:-1])) if plan else "",
            "clear": _href("") if plan else "",
            "tray": _tray(facts),
            "here": _href(plan),
        }
        if choices.phase == "relay":
            context["rolled"] = _rolled(facts)
            context["can_lay"] = _ends_in_loss(page, plan)
        return context, _targets(choices.moves, moves, plan)
    context["rolled"] = _rolled(facts)
    context["next_dice"] = [die_shown(die) for die in facts["dice"][facts["made"]]] if _open(facts) else []
    context["loses_words"] = str(LOSSES.get(facts["rule"] or "", ""))
    return context, []


def _open(facts: Mapping[str, Any]) -> bool:
    return facts["made"] < len(facts["dice"])


def _href(plan: str, **more: str) -> str:
    query = {"plan": plan, **more} if plan or more else {}
    return "?" + urlencode(query) + "#panel"


def _move_shown(move: Choice, plan: str) -> MoveShown:
    return MoveShown(
        dice=[die_shown(die) for die, _warnings in move.rolls],
        gear=move.gear,
        where=space_words(move.to),
        notes=[str(NOTES[note]) for note in move.notes],
        loses=str(LOSSES.get(move.loses or "", "")),
        href=_href(f"{plan} {move.text}".strip()),
    )


def _targets(moves: Sequence[Choice], shown: Sequence[MoveShown], plan: str) -> list[Target]:
    """One target a space: the move itself where only one leads there, else the choice among those that do."""
    targets = []
    for space in dict.fromkeys(move.to for move in moves):
        there = [(move, words) for move, words in zip(moves, shown, strict=True) if move.to == space]
        href = there[0][1].href if len(there) == 1 else _href(plan, at=space)
        chip = " ".join(dict.fromkeys(move.text.partition(":")[0].replace("c", "→") for move, _w in there))
        tag = chip if len(chip) <= 5 else "…"
        targets.append(
            Target(
                space=space,
                href=href,
                label=f"{tag} " + _("to %(space)s") % {"space": space_words(space)},
                chip=tag,
                loses_control=all(move.loses for move, _w in there),
            )
        )
    return targets


def _laid_draft(plan: str) -> list[LaidShown]:
    laid = []
    for move in plan.split():
        die, _colon, space = move.partition(":")
        gear = die.rstrip("b")
        dice = [{"c": "coast", "x": "brake"}.get(gear, gear), *["brake"] * die.count("b")]
        laid.append(LaidShown([die_shown(d) for d in dice], space_words(space.split("^")[-1]), done=False, now=False))
    return laid


def _rolled(facts: Mapping[str, Any]) -> list[LaidShown]:
    """The moves of a turn that has begun, with the faces that came up."""
    moves = facts["plan"].split()
    shown = []
    for number, (move, dice) in enumerate(zip(moves, facts["dice"], strict=True)):
        faces = facts["faces"][number] if number < len(facts["faces"]) else None
        space = move.partition(":")[2].split("^")[-1]
        shown.append(
            LaidShown(
                dice=[
                    die_shown(die, "unrolled" if faces is None else "warning" if faces[place] else "clear")
                    for place, die in enumerate(dice)
                ],
                where=space_words(space),
                done=number < facts["made"],
                now=number == facts["made"],
            )
        )
    return shown


def _tray(facts: Mapping[str, Any]) -> list[DieShown]:
    """The dice that are left to lay."""
    coast = "leader" if facts["leads"] else "coast"
    return [
        *(die_shown(str(gear)) for gear in facts["gear_dice"]),
        *(die_shown(coast) for _n in range(facts["coasts_left"])),
        *(die_shown("brake") for _n in range(facts["brakes_left"])),
    ]


def _ends_in_loss(page: RunPage, plan: str) -> bool:
    """R6: whether a re-lay may be handed in as it stands."""
    *before, last = plan.split() or [""]
    if not last or page.mine is None:
        return False
    choices = ruleset.get(page.run.game).choices(page.run.state, page.mine.driver, " ".join(before))
    return any(move.text == last and move.loses for move in choices.moves)
