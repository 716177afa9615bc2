"""Odds: before the roll, where the turn can end with each gear and at what cost; after the roll, every end.

Chances are exact: pairs of whole numbers, numerator and denominator. They assume the best path for each roll, which is
the one with the fewest turns in the mean (`neutral_manner`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from engine.contract import Json, RuleError
from engine.formula_d import turn
from engine.formula_d.choices import table_of
from engine.formula_d.codriver.decisions import End, ends_of, sort_key
from engine.formula_d.codriver.manner import neutral_manner
from engine.formula_d.codriver.turn_costs import TurnCosts, Wear
from engine.formula_d.facts import AREAS, TOTAL, facts
from engine.formula_d.movement.fan import Fan
from engine.formula_d.movement.path_price import LAP, MOVE, Budget, PathPrice
from engine.formula_d.movement.walk import Drive, PathPosition
from engine.formula_d.phases import phase_of
from engine.formula_d.race import GARAGE, Race, next_to_play, wet


class Played(NamedTuple):
    """The best path of a roll: its cost, end and price, and all spaces where the roll can end. `on` is None when there
    is no path and the car is out (M7).
    """

    cost: float
    on: PathPosition | None = None
    price: PathPrice = PathPrice()
    reach: frozenset[int] = frozenset()


def odds(race: Race, seat: str) -> dict[str, Json]:
    """Return the possible outcomes of a car's turn: for each gear before the roll, for each end after it.

    Raises: RuleError when it is not this car's turn or no roll is left.
    """
    due = phase_of(race)
    if due == GARAGE or next_to_play(race) != seat:
        raise RuleError("O1", "it is not this car's turn")
    table = table_of(race, seat)
    if due == turn.PIT:
        black = facts().black.faces
        return {"phase": due, "fast": pair(Fraction(facts().pit_fast, black))}
    costs = TurnCosts(table, neutral_manner())
    if due == turn.GEAR:
        return {"phase": due, **_start(costs), "gears": gears(costs)}
    return {"phase": due, "ends": after_the_roll(costs, due), "dice": bad_dice(costs)}


def pair(chance: Fraction) -> list[int]:
    """Return a chance as numerator and denominator."""
    return [chance.numerator, chance.denominator]


def bad_dice(costs: TurnCosts) -> dict[str, Json]:
    """Return how many faces of the d20 cost a WP, by the reason for the roll."""
    black, rain = facts().black, wet(costs.race)
    if costs.rules.basic:
        return {"faces": black.faces, "collision": black.collision_basic, "engine": black.engine_dry, "marker": 0}
    return {
        "faces": black.faces,
        "collision": black.collision_wet if rain else black.collision_dry,
        "engine": black.engine_wet if rain else black.engine_dry,
        "marker": black.marker_wet if rain else black.marker_dry,
    }


def _start(costs: TurnCosts) -> dict[str, Json]:
    """Return the chances of the start roll (Y4); nothing when the car does not roll it."""
    if costs.in_qualifying or not costs.race["options"]["start_roll"] or costs.car["started"]:
        return {}
    black = facts().black
    great = black.great_basic if costs.rules.basic else black.great_advanced
    return {
        "start": {
            "stalled": pair(Fraction(black.stall, black.faces)),
            "great": pair(Fraction(black.faces + 1 - great, black.faces)),
        }
    }


# Before the roll ---------------------------------------------------------------------------------


def gears(costs: TurnCosts) -> list[dict[str, Json]]:
    """Return the odds of each gear that may be chosen, the best gear first."""
    paid = {gear: found for gear in facts().gears if (found := costs.wp_after_gear(gear))}
    fan = costs.fan(paid)
    told = [_gear(costs, fan, gear, wp, areas) for gear, (wp, areas) in paid.items()]
    return sorted(told, key=lambda one: one["hundredths"])


def odds_of_gear(costs: TurnCosts, gear: int) -> dict[str, Json]:
    """Return the odds of one gear.

    Raises: RuleError when the gear cannot be chosen.
    """
    wp, areas = costs.checked_gear(gear)
    return _gear(costs, costs.fan([gear]), gear, wp, areas)


def _gear(costs: TurnCosts, fan: Fan, gear: int, wp: Wear, areas: Mapping[str, int]) -> dict[str, Json]:
    faces = facts().gears[gear]
    played = {face: play(costs, fan, gear, face, wp) for face in sorted(set(faces))}
    share, of = {face: faces.count(face) for face in played}, len(faces)
    cost = sum(float(Fraction(share[face], of)) * played[face].cost for face in played)
    cost = costs.manner.plus_turns(cost, 1.0 + costs.skip_price(areas, costs.car["wp"]) + costs.strain_price(gear))

    def chance(faces: Iterable[int]) -> list[int]:
        return pair(Fraction(sum([share[face] for face in faces]), of))

    ends = {face: one.on for face, one in played.items() if one.on is not None}
    strained = [face for face in played if facts().strain_shows.get(gear) == face and not costs.in_qualifying]
    return {
        "gear": gear,
        "price": dict(areas),
        "hundredths": round(100 * costs.manner.turns(cost)),
        "ends": _ends(costs, ends, share, of),
        "reach": _reach(costs, played, share, of),
        "stop": chance(face for face, on in ends.items() if costs.track.corner[on.space] and not on.over),
        "overshoot": chance(face for face, on in ends.items() if on.over),
        "spin": chance(face for face in ends if played[face].price.spin),
        "finish": chance(face for face, on in ends.items() if on.lap > costs.total),
        "pits": chance(face for face, on in ends.items() if costs.track.in_the_pits(on.space)),
        "no_path": chance(face for face in played if face not in ends),
        "out": pair(_mean((share[face], out_chance(costs, gear, face, played[face], wp)) for face in played) / of),
        "wear": _expected(costs, played, share, of, areas),
        "collision_dice": pair(
            Fraction(sum([share[face] * costs.rivals_near(on.space) for face, on in ends.items()]), of)
        ),
        "marker_dice": pair(Fraction(sum([share[face] * on.markers for face, on in ends.items()]), of)),
        "engine_dice": chance(strained),
    }


def play(costs: TurnCosts, fan: Fan, gear: int, count: int, wp: Wear) -> Played:
    """Return the best path of a roll."""
    best, reach = Played(costs.out_cost), set[int]()
    for nitro, bonus in costs.extras(gear):
        more, spent = nitro + bonus, costs.nitro_price(nitro)
        search = fan.search(count + more, Budget(LAP if costs.in_qualifying else MOVE, wp, costs.rate, more > 0))
        for on, price in fan.ends(search):
            reach.add(on.space)
            cost = costs.manner.plus_turns(costs.end(search.drive, on, price, gear, wp), spent)
            if best.on is None or sort_key(cost, on, price) < sort_key(best.cost, best.on, best.price):
                best = Played(cost, on, price)
    return best._replace(reach=frozenset(reach))


def _mean(weighed: Iterable[tuple[int, Fraction]]) -> Fraction:
    """Return the sum of chances, each multiplied by its number of times."""
    return sum((times * chance for times, chance in weighed if chance), Fraction(0))


def _ends(
    costs: TurnCosts, ends: Mapping[int, PathPosition], share: Mapping[int, int], of: int
) -> list[dict[str, Json]]:
    """Return where the turn ends by the best path of each face, the likeliest end first."""
    found: dict[int, int] = {}
    for face, on in ends.items():
        found[on.space] = found.get(on.space, 0) + share[face]
    names = costs.track.spaces
    return [
        {"to": names[space], "chance": pair(Fraction(found[space], of))}
        for space in sorted(found, key=lambda space: (-found[space], space))
    ]


def _reach(costs: TurnCosts, played: Mapping[int, Played], share: Mapping[int, int], of: int) -> dict[str, list[int]]:
    """Return for each space the chance that the roll allows the movement to end there, at any cost."""
    found: dict[int, int] = {}
    for face, one in played.items():
        for space in one.reach:
            found[space] = found.get(space, 0) + share[face]
    told = {times: pair(Fraction(times, of)) for times in set(found.values())}
    return {costs.track.spaces[space]: list(told[found[space]]) for space in sorted(found)}


def _expected(
    costs: TurnCosts, played: Mapping[int, Played], share: Mapping[int, int], of: int, areas: Mapping[str, int]
) -> dict[str, list[int]]:
    """Return the mean WP that the gear and the best path cost, by area; in qualifying, points."""
    found = {area: areas.get(area, 0) * of for area in ((TOTAL,) if costs.rules.basic else AREAS)}
    for face, one in played.items():
        for area, number in wear(costs, one.price).items():
            found[area] += share[face] * number
    return {area: pair(Fraction(number, of)) for area, number in found.items() if number}


def wear(costs: TurnCosts, price: PathPrice) -> dict[str, int]:
    """Return the WP of a price by area. A spin gives a tire WP back (C6). In qualifying the numbers are points."""
    if costs.rules.basic:
        return {TOTAL: price.overshoot + price.brakes}
    return {
        "tires": price.overshoot + price.tires - facts().after_spin * price.spin,
        "brakes": price.brakes + price.slip,
    }


# The dice to come --------------------------------------------------------------------------------


def out_chance(costs: TurnCosts, gear: int, face: int, one: Played, wp: Wear) -> Fraction:
    """Return the chance that the car is out at the end of the turn: by M7, marker, collision or engine dice."""
    if one.on is None:
        return Fraction(1)
    if costs.in_qualifying or one.on.lap > costs.total:
        return (
            Fraction(0)
            if costs.in_qualifying or costs.rules.basic
            else _lost(one.on.markers, _bad(costs, "marker"), wp["road"])
        )
    strained = facts().strain_shows.get(gear) == face and not costs.race["turn"]["pits"]
    return _out_by_dice(costs, gear, one.on, one.price, wp, strained=strained)


def _bad(costs: TurnCosts, what: str) -> Fraction:
    dice = bad_dice(costs)
    return Fraction(dice[what], dice["faces"])


def _out_by_dice(
    costs: TurnCosts, gear: int, on: PathPosition, price: PathPrice, wp: Wear, *, strained: bool
) -> Fraction:
    near = {*costs.track.beside[on.space], costs.track.ahead[on.space]} & set(costs.rivals)
    hits = [] if costs.track.in_the_pits(on.space) else [_hit(costs, costs.rivals[space]["wp"]) for space in near]
    engine = [_bad(costs, "engine")] if strained and gear >= facts().strain_gear else []
    if costs.rules.basic:
        return _any(hits + engine, wp[TOTAL] - price.overshoot - price.brakes)
    stays = (1 - _lost(on.markers, _bad(costs, "marker"), wp["road"])) * (1 - _any(hits, wp["body"]))
    return 1 - stays * (1 - _any(engine, wp["engine"]))


def _hit(costs: TurnCosts, rival: Wear) -> Fraction:
    """Return the chance to lose a WP to this rival. It is certain when the rival goes out by its own roll (K3)."""
    bad = _bad(costs, "collision")
    last = (rival[TOTAL] if costs.rules.basic else rival["body"]) == 1
    return bad + (1 - bad) * bad if last else bad


def _lost(dice: int, bad: Fraction, left: int) -> Fraction:
    return _any([bad] * dice, left)


def _any(chances: Iterable[Fraction], left: int) -> Fraction:
    """Return the chance that at least `left` of these independent events happen."""
    counts = [Fraction(1)] + [Fraction(0)] * left
    for chance in chances:
        for number in range(left, 0, -1):
            come = counts[number - 1] * chance
            counts[number] = counts[number] + come if number == left else counts[number] * (1 - chance) + come
        counts[0] *= 1 - chance
    return counts[left] if left > 0 else Fraction(1)


# After the roll ----------------------------------------------------------------------------------


def after_the_roll(costs: TurnCosts, due: str) -> list[dict[str, Json]]:
    """Return every end of the movement that is due, the best first, with its wear and the dice that follow it.

    There is one entry for each space, price and number of markers.
    """
    best: dict[Any, End] = {}
    for end in ends_of(costs, due):
        key = (end.on.space, end.price, end.on.markers, tuple(sorted(end.words)))
        if key not in best or end.sort_key() < best[key].sort_key():
            best[key] = end
    ends = sorted(best.values(), key=End.sort_key)
    return [_end(costs, end.search.drive, end.on, end.price, end.cost, end.orders(due)) for end in ends]


def _end(
    costs: TurnCosts, drive: Drive, on: PathPosition, price: PathPrice, cost: float, orders: dict[str, Json]
) -> dict[str, Json]:
    return {
        "to": costs.track.spaces[on.space],
        "orders": orders,
        "driven": on.driven,
        "wear": {area: number for area, number in wear(costs, price).items() if number},
        "overshoot": on.over,
        "spin": price.spin,
        "stop": bool(costs.track.corner[on.space] and not on.over and not costs.race["turn"]["over"]),
        "marker_dice": on.markers,
        "collision_dice": 0 if on.lap > costs.total else costs.rivals_near(on.space),
        "finish": on.lap > costs.total,
        "box": on.space == drive.box and on.driven > 0,
        "hundredths": round(100 * costs.manner.turns(cost)),
    }
