"""What the stages of this game tell: control lost and kept, luck against the odds, and how cars retire."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from championship.games.dirt.pace_words import HAIRPINS
from championship.games.dirt.words import percent
from championship.runs.watch.story.beats import COLOUR, NEWS, TURNING, Beat, ToldRun
from championship.runs.watch.story.wording import seconds
from engine.dirt.course.compiled_stage import Space, compiled
from engine.dirt.facts import faces, facts
from engine.dirt.rally import RETIREMENTS

FAST = 4
"""From this gear on, a loss of control turns a stage, and a jump is worth telling."""
UNLIKELY = 0.35
"""Dice that hold although their chance is at most this are told."""

tells = ("out",)
phrases: Mapping[str, Sequence[str]] = {
    "spin": (
        gettext_noop("%(driver)s spins %(where)s: %(seconds)s."),
        gettext_noop("Once round %(where)s: %(driver)s loses %(seconds)s."),
        gettext_noop("The car of %(driver)s turns %(where)s and costs %(seconds)s."),
        gettext_noop("Too much %(where)s: %(driver)s spins and starts again from gear 0."),
        gettext_noop("A spin %(where)s takes %(seconds)s from %(driver)s."),
        gettext_noop("%(driver)s loses the rear %(where)s, and %(seconds)s with it."),
    ),
    "crash": (
        gettext_noop(
            "%(driver)s crashes %(where)s in gear %(gear)s: %(seconds)s, and the car stands beside the track."
        ),
        gettext_noop("Off the road %(where)s: %(driver)s crashes in gear %(gear)s, %(seconds)s gone."),
        gettext_noop("A crash %(where)s: %(driver)s was in gear %(gear)s and pays %(seconds)s."),
        gettext_noop("Gear %(gear)s was too much %(where)s: %(driver)s leaves the track for %(seconds)s."),
        gettext_noop("%(driver)s goes off %(where)s, in gear %(gear)s. %(seconds)s to get going again."),
        gettext_noop("The road ends %(where)s for a while: %(driver)s crashes and loses %(seconds)s."),
    ),
    "escape": (
        gettext_noop("%(driver)s loses control %(where)s, and gets away with it: only %(seconds)s."),
        gettext_noop("A scare for %(driver)s %(where)s: the car slides, but keeps its gear."),
        gettext_noop("%(driver)s catches the car %(where)s at the last moment."),
    ),
    "saved": (
        gettext_noop("SISU! %(driver)s should have lost the car %(where)s, and does not."),
        gettext_noop("%(driver)s plays the SISU token %(where)s: control is kept."),
        gettext_noop("Only the SISU token keeps %(driver)s on the road %(where)s."),
    ),
    "odds": (
        gettext_noop("Against the odds: the dice of %(driver)s hold %(where)s, with a chance of %(chance)s."),
        gettext_noop("A chance of %(chance)s was enough: %(driver)s keeps control %(where)s."),
        gettext_noop("%(driver)s risks everything and comes through %(where)s. The chance was %(chance)s."),
        gettext_noop("Nerves of steel %(where)s: %(driver)s rolls on at %(chance)s, and it holds."),
    ),
    "jump": (
        gettext_noop("%(driver)s flies %(where)s in gear %(gear)s."),
        gettext_noop("A great jump %(where)s: %(driver)s lands in gear %(gear)s."),
        gettext_noop("All wheels in the air %(where)s: %(driver)s in gear %(gear)s."),
    ),
    "wheel": (
        gettext_noop("%(driver)s stops for the spare wheel %(where)s: %(seconds)s."),
        gettext_noop("Jack and spanner %(where)s: the spare wheel costs %(driver)s %(seconds)s."),
        gettext_noop("%(driver)s changes a wheel %(where)s and loses %(seconds)s."),
    ),
    "blocked": (
        gettext_noop("%(driver)s waits behind the cars ahead %(where)s."),
        gettext_noop("No way past the cars ahead %(where)s: %(driver)s has to wait."),
        gettext_noop("Traffic %(where)s holds up %(driver)s."),
    ),
    "out_wrecked": (
        gettext_noop("The last gear die of %(driver)s is gone %(where)s: retired."),
        gettext_noop("%(driver)s has bent the car too often. It is over %(where)s."),
        gettext_noop("The car of %(driver)s is a wreck: out %(where)s."),
        gettext_noop("Nothing turns any more: %(driver)s parks the car %(where)s."),
    ),
    "out_stuck": (
        gettext_noop("%(driver)s is stuck %(where)s and retires."),
        gettext_noop("There is no way on for %(driver)s %(where)s: retired."),
        gettext_noop("The stage ends %(where)s for %(driver)s: the car is stuck."),
    ),
    "out_gave_up": (
        gettext_noop("%(driver)s gives up %(where)s."),
        gettext_noop("%(driver)s drives no further: the stage is given up %(where)s."),
        gettext_noop("The car of %(driver)s stays %(where)s: given up."),
    ),
}


@dataclass(slots=True)
class _Car:
    """A car as events show it: where it is, where it last lost control, and its turn: the dice rolled, whether its
    control was lost, what it risked.
    """

    space: str = "grid"
    plan: Sequence[str] = ()
    lost_at: str = ""
    dice: list[str] = field(default_factory=list)
    lost: bool = False
    helped: bool = False


def beats(run: ToldRun) -> Iterable[Beat]:
    """Return the beats of a run."""
    cars = {seat: _Car(space=car["space"]) for seat, car in run.setup["drivers"].items()}
    for happened in run.happened:
        event = happened.event
        car = cars.get(event.get("driver", ""))
        if car is not None:
            yield from _beats_of(event, event["driver"], car, happened.number)


def _beats_of(event: Mapping[str, Any], seat: str, car: _Car, number: int) -> Iterator[Beat]:
    kind = event["kind"]
    if kind == "turn":
        car.plan, car.dice, car.lost, car.helped, car.lost_at = event["plan"].split(), [], False, False, ""
    elif kind == "roll":
        car.dice += event["dice"]
    elif kind == "roll all":
        car.dice = [die for move in event["dice"] for die in move]
    elif kind == "phase" and event["phase"] in ("lost", "relay"):
        car.lost, car.lost_at = True, _next_space(car)
    elif kind == "sisu":
        if car.lost:
            yield Beat("saved", seat, number, NEWS, {"where": car.lost_at or car.space})
        car.helped = True
    elif kind == "relay":
        car.plan = event["plan"].split()
    elif kind == "loss":
        car.lost, car.lost_at = True, event["space"]
    elif kind == "card" and event["side"] == "back":
        yield _lost(event, seat, car, number)
    elif kind == "move":
        car.space, car.plan = event["space"], car.plan[1:]
        if "^" in event["plan"] and event["gear"] >= FAST:
            yield Beat("jump", seat, number, COLOUR, {"where": _bump(event["plan"]), "gear": event["gear"]})
    elif kind == "wait" and event["rule"] == "M9":
        yield Beat("blocked", seat, number, COLOUR, {"where": car.space})
    elif kind == "spare":
        yield Beat("wheel", seat, number, NEWS, {"where": car.space, "seconds": event["seconds"]})
    elif kind == "retire":
        yield Beat(f"out_{RETIREMENTS[event['rule']]}", seat, number, TURNING, {"where": car.lost_at or car.space})
    elif kind == "end of turn" and car.dice and not (car.lost or car.helped):
        chance = _chance_to_hold(car.dice)
        if chance <= UNLIKELY:
            yield Beat("odds", seat, number, TURNING, {"where": car.space, "chance": round(100 * chance)})


def _lost(event: Mapping[str, Any], seat: str, car: _Car, number: int) -> Beat:
    """Return the beat of a card that was turned because control was lost."""
    told = {"where": car.lost_at or car.space, "seconds": event["seconds"], "gear": event["gear"]}
    if event["back"] == "sisu":
        return Beat("escape", seat, number, NEWS, told)
    fast = event["gear"] >= FAST
    if event["back"] == "spin":
        return Beat("spin", seat, number, NEWS if fast else COLOUR, told)
    return Beat("crash", seat, number, TURNING if fast else NEWS, told)


def _next_space(car: _Car) -> str:
    """Return the space to which the next move of the plan leads, else that of the car."""
    return car.plan[0].partition(":")[2].rpartition("^")[2] if car.plan else car.space


def _bump(plan: str) -> str:
    """Return the space from which a move jumps: "4:3.1.l^3.3.l" jumps from 3.1.l."""
    return plan.partition(":")[2].partition("^")[0]


def _chance_to_hold(dice: Sequence[str]) -> float:
    """Return the chance that these dice show fewer warnings than lose control (R2)."""
    known = facts()
    shares = [1.0]
    for die in dice:
        warns = known.warnings[die] / known.faces
        shares = [
            (shares[count] * (1 - warns) if count < len(shares) else 0.0)
            + (shares[count - 1] * warns if count else 0.0)
            for count in range(len(shares) + 1)
        ]
    return sum(shares[: known.warning_limit])


def fact(course: Any, name: str, value: Any) -> str | None:
    """Return a fact in words."""
    if name == "where":
        return _where(course, value)
    if name == "border":
        return _("at the end of tile %(tile)d") % {"tile": value + 1}
    if name == "section":
        return _("on tile %(tile)d") % {"tile": value + 1}
    if name == "seconds":
        return seconds(value)
    return percent(value / 100) if name == "chance" else None


def _where(course: Any, name: str) -> str:
    """Return a place of a stage within a sentence: "in the hairpin of tile 4"."""
    track = compiled(course)
    space = track.spaces[track.index[name]] if name in track.index else None
    if space is None or name == "grid":
        return _("on the grid")
    return _spot(course, space) % {"tile": space.tile}


def _spot(course: Any, space: Space) -> str:
    if space.jump is not None:
        return _("at the jump of tile %(tile)d")
    if space.water:
        return _("at the ford of tile %(tile)d")
    if space.kind in ("inner", "outer"):
        shape = faces()[course["tiles"][space.tile - 1]["tile"]].shape
        return _("in the hairpin of tile %(tile)d") if shape in HAIRPINS else _("in the bend of tile %(tile)d")
    if space.kind == "single":
        return _("in the narrows of tile %(tile)d")
    if space.kind == "shortcut":
        return _("on the shortcut of tile %(tile)d")
    return _("on tile %(tile)d")
