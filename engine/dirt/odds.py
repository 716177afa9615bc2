"""Exact odds of a plan: how a turn may end, with what chance, and what it costs on average. Nothing is drawn here.

Assumptions: a card's back is drawn from `decks`, by default the printed decks (`unseen_decks` leaves out the backs that
everyone has seen). The decks and the bag in the state are never read, because they would reveal cards of which only the
front was shown. Tokens come from the printed bag. A driver who loses control flat out lays the plan again as it was, up
to the loss, which is always legal (R6). A better re-lay may gain more road, take less damage, or lose control behind
the line. Faces that other drivers have rolled do not count, even when all drivers roll the same faces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from engine.contract import Event, Json, Orders, RuleError, State
from engine.dirt import turn as turns
from engine.dirt.course.compiled_stage import Space
from engine.dirt.facts import CRASH_COLOURS, facts
from engine.dirt.fold import DAMAGE, damage_of
from engine.dirt.moves import read_plan
from engine.dirt.plan import CarInPlan, Step, lay_out, next_step, start
from engine.dirt.prospect import prospects_for
from engine.dirt.rally import waiting_seconds, wheel_seconds
from engine.dirt.road import Road
from engine.dirt.roll_policy import Manner, manner_of
from engine.dirt.rolls import Turn, Walk, flat_out, helps, one_by_one
from engine.dirt.stage import phase, to_play
from engine.dirt.table import leads, road_for

Decks = Mapping[int, Mapping[str, int]]
LOSSES = frozenset(("M1", "M3", "R2"))


@dataclass(frozen=True, slots=True)
class End:
    """One way in which a turn may end: the number of moves, the space, and the gear of the last move (after a loss of
    control, the gear before the card is turned).

    `rule`: M1, M3 or R2 with control `lost`; E1 the time card, after all moves of the plan or when the driver has
    stopped; D7 a failed flying start; E4 the spare wheel; F1 the finish; M9, M10, E6 a turn without a move. `cards` are
    the expected seconds of its card. `onward` is the best chance to keep control from there to the finish, as
    prospect.py computes it: 0.0 in front of a wall and when control is lost, 1.0 at home.
    """

    moves: int
    space: str
    gear: int
    rule: str
    lost: bool
    finished: bool
    chance: float
    cards: float
    onward: float


@dataclass(frozen=True, slots=True)
class Odds:
    """The odds of a turn, from now on.

    `reached` and `kept` have a number for each move of the plan: the chance that the car makes this move, and that
    control is not lost on it or before. `warnings` has the chances of 0, 1, ... warnings at the end of the turn; the
    last number is for the limit or more (flat out all dice count). `cards`: expected seconds of cards. `earned` and
    `spent`: expected second tokens. `damage`: expected markers drawn, by kind. `crash`: chance of a crash card.
    `progress`: expected sections of road. `onward`: the chance to keep control in this turn and, driven carefully, to
    the finish. `cards_ahead`: expected seconds of cards for the losses of control that no careful driving avoids then.
    """

    ends: tuple[End, ...]
    reached: tuple[float, ...]
    kept: tuple[float, ...]
    warnings: tuple[float, ...]
    cards: float
    earned: int
    spent: float
    damage: Mapping[str, float]
    crash: float
    progress: float
    onward: float
    cards_ahead: float

    @property
    def lost(self) -> float:
        """The chance of a loss of control."""
        return sum((end.chance for end in self.ends if end.lost), 0.0)

    @property
    def seconds(self) -> float:
        """The expected seconds of the turn. Second tokens count as one second each, as at the finish (F2)."""
        return self.cards + self.spent - self.earned

    def plain(self) -> dict[str, Json]:
        """Return the odds as plain JSON."""
        words: dict[str, Json] = {name: getattr(self, name) for name in _names(Odds)}
        ends = [{name: getattr(end, name) for name in _names(End)} for end in self.ends]
        lists = {name: list(words[name]) for name in ("reached", "kept", "warnings")}
        sums = {"lost": self.lost, "seconds": self.seconds}
        return {**words, **lists, **sums, "ends": ends, "damage": dict(self.damage)}


@cache
def _names(kind: type[Odds | End]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def unseen_decks(state: State, events: Iterable[Event]) -> Decks:
    """Return the cards that may still be in each gear's deck, from public knowledge: all cards but the backs turned
    since the deck was last shuffled. A card of which only the front was shown may be any of the rest, so it does not
    change the shares.

    `events`: all events of the run, in order.
    """
    full = facts().decks
    left = {gear: dict(deck) for gear, deck in full.items()}
    drawn = dict.fromkeys(full, 0)
    lost = False
    for event in events:
        if event["kind"] == "card" and event["back"] is not None:
            gear = event["gear"]
            if drawn[gear] == sum(full[gear].values()):
                drawn[gear], left[gear] = 0, dict(full[gear])
            drawn[gear] += 1
            looked_at = event["side"] == "back" or (lost and not state["stage"]["last"])
            if looked_at and left[gear].get(event["back"]):
                left[gear][event["back"]] -= 1
        lost = event["kind"] == "loss"
    return {gear: full[gear] if drawn[gear] == sum(full[gear].values()) else deck for gear, deck in left.items()}


# The turn ------------------------------------------------------------------------------------------


def odds(state: State, driver: str, plan: str, *, orders: Orders, decks: Decks | None = None) -> Odds:
    """Return the odds of the rest of this driver's turn, as `TurnOdds.odds`. The module docstring explains `decks`."""
    return TurnOdds(state, driver, decks).odds(plan, orders)


class TurnOdds:
    """Computes the odds of one driver's turn at one moment, for any number of plans and orders. The common beginning of
    plans is laid out once.

    Raises: RuleError when it is another driver's turn.
    """

    def __init__(self, state: State, driver: str, decks: Decks | None = None) -> None:
        if to_play(state) != (driver,):
            raise RuleError("O1", "it is another driver's turn")
        self.state, self.driver, self.decks = state, driver, decks
        self.road = road_for(state, driver)
        self._me = state["drivers"][driver]
        self._plans: dict[str, tuple[Step, ...]] = {}

    def odds(self, plan: str, orders: Orders) -> Odds:
        """Return the odds of a plan. `orders` are the fields of roll_policy.Manner as plain JSON.

        Before the turn, `plan` is the plan to evaluate. A turn that is half made already has a plan: then `plan` is
        read only in the phase "relay", as the re-lay ("": the plan as it was, up to the loss).

        Raises: RuleError when the plan cannot be laid, or not rolled with these orders.
        Raises: GameError when the orders cannot be read.
        """
        state, driver, road = self.state, self.driver, self.road
        manner, half = manner_of(orders), state["turn"]
        if manner.sisu if half is None else half.get("ready"):
            manner = replace(manner, sisu=True, sisu_from=0)  # a token that is ready is played in any gear
        if half is None:
            if not plan.split():
                return _standing(state, driver)
            turn = self._laid(plan, manner)
            walk = flat_out(turn, manner) if manner.roll == turns.FLAT_OUT else one_by_one(turn, manner)
        else:
            turn = _half_made(state, driver, road)
            if plan.split() and phase(state) == "relay":
                turn, walk = _relaid(state, driver, road, turn, plan)
            else:
                walk = _rest_of_turn(state, turn, manner)
        return _odds_of_walk(state, driver, road, turn, walk, manner, self.decks)

    def _laid(self, plan: str, manner: Manner) -> Turn:
        """Return a turn that begins with this plan.

        Raises: RuleError when the plan cannot be laid, or not rolled in this manner.
        """
        me = self._me
        fault = None if me["on_track"] else turns.forced_to_stand(self.state, self.driver)
        if fault is not None and fault.rule == "E6":
            raise RuleError(fault.rule, fault.message)
        if manner.sisu and not me["sisu"]:
            raise RuleError("R7", "there is no SISU token left")
        steps = self._steps(" ".join(plan.split()))
        manner.check(len(steps))
        leading = leads(self.state, self.driver)
        return Turn(
            steps=steps,
            dice=tuple([tuple(turns.dice_of(step.move.die, leads=leading)) for step in steps]),
            token=me["sisu"],
            tokens=me["tokens"],
            wheel=bool(me["spare"] and damage_of(me)[self.state["options"]["spare_repairs"]]),
        )

    def _steps(self, plan: str) -> tuple[Step, ...]:
        """Return the steps of a plan. Caches them and those of the plan without its last move.

        Raises: RuleError with the number of the illegal move.
        """
        found = self._plans.get(plan)
        if found is None:
            moves, before = read_plan(plan), plan.rpartition(" ")[0]
            at = start(self.road, self.road.track.index[self._me["space"]], self._me["gear"], damage_of(self._me))
            laid = self._plans.get(before)
            if laid is None:
                laid = self._plans[before] = lay_out(self.road, at, moves[:-1])
            found = self._plans[plan] = (*laid, next_step(self.road, at, laid, moves[-1]))
        return found


def _standing(state: State, driver: str) -> Odds:
    """Return the odds of a turn with an empty plan (M9, M10, E6). Its only end is certain."""
    fault = turns.forced_to_stand(state, driver)
    if fault is None:
        raise RuleError("D9", "a driver who can move moves at least one space")
    me, options = state["drivers"][driver], state["options"]
    gear = me["gear"] if fault.rule == "M9" else 0
    seconds = options[f"time_card_{gear}" if gear else "loss_seconds"]
    if fault.rule == "E6":
        seconds = waiting_seconds(options)
    end = End(0, me["space"], gear, fault.rule, False, False, 1.0, float(seconds), onward=1.0)
    no_warning = (1.0, *[0.0] * facts().warning_limit)
    return Odds((end,), (), (), no_warning, end.cards, 0, 0.0, dict.fromkeys(DAMAGE, 0.0), 0.0, 0.0, 1.0, 0.0)


def _at_start(half: Mapping[str, Any], road: Road) -> CarInPlan:
    """Return the car at the start of a half-made turn."""
    return start(road, road.track.index[half["space"]], half["gear"], half["damage"])


def _half_made(state: State, driver: str, road: Road) -> Turn:
    """Return the turn that is half made."""
    me, half, leading = state["drivers"][driver], state["turn"], leads(state, driver)
    steps = lay_out(road, _at_start(half, road), read_plan(half["plan"]))
    return Turn(
        steps=steps,
        dice=tuple(tuple(turns.dice_of(step.move.die, leads=leading)) for step in steps),
        made=half["made"],
        warnings=min(half["warnings"], facts().warning_limit),
        secured=half["secured"],
        sisu_in_use=half["sisu"],
        token=me["sisu"],
        tokens=me["tokens"],
        wheel=bool(me["spare"] and half["damage"][state["options"]["spare_repairs"]]),
    )


def _rest_of_turn(state: State, turn: Turn, manner: Manner) -> Walk:
    """Return the chances of a half-made turn from its present phase on."""
    now, half = phase(state), state["turn"]
    if now == "rolling":
        return one_by_one(turn, manner)
    if now == "lost" and half["roll"] == turns.ONE_BY_ONE and manner.saves(turn.steps[turn.made - 1].after.gear):
        return one_by_one(replace(turn, sisu_in_use=True), manner)
    walk = Walk()
    walk.warnings[turn.warnings] = 1.0
    if now == "spare":
        walk.end(turn.made, "E1", 1.0)
    elif half["roll"] == turns.ONE_BY_ONE:
        walk.end(turn.made, half["rule"], 1.0)
    else:
        made, rule = turns.early_end(turn.steps, half["faces"], sisu=turn.sisu_in_use)
        assert rule is not None
        saved = helps(turn, manner, turn.steps[made - 1], rule)
        walk.end(len(turn.steps) if saved else made, "E1" if saved else rule, 1.0)
    return walk


def _relaid(state: State, driver: str, road: Road, turn: Turn, plan: str) -> tuple[Turn, Walk]:
    """R6: return the turn with its dice laid again, and its only end.

    Raises: RuleError when the re-lay is illegal, the same as when it is played.
    """
    half = state["turn"]
    steps = lay_out(road, _at_start(half, road), read_plan(plan))
    if steps[0].flying != turn.steps[0].flying:
        raise RuleError("D7", "a flying start is neither made nor dropped when the dice are laid again", move=1)
    faces = turns.relaid_faces(turn.steps, half["faces"], steps, sisu=turn.sisu_in_use)
    made, rule = turns.early_end(steps, faces, sisu=turn.sisu_in_use)
    assert rule is not None
    walk = Walk()
    walk.warnings[turn.warnings] = 1.0
    walk.end(made, rule, 1.0)
    return replace(turn, steps=steps), walk


# The result ----------------------------------------------------------------------------------------


def _odds_of_walk(
    state: State, driver: str, road: Road, turn: Turn, walk: Walk, manner: Manner, decks: Decks | None
) -> Odds:
    """Return the odds of a walk: its ends with their cards, damage and road."""
    spaces, me = road.track.spaces, state["drivers"][driver]
    here = spaces[road.track.index[me["space"]]].distance
    backs = facts().decks if decks is None else decks
    prospects = prospects_for(state, driver, road)
    ends: list[End] = []
    crash = markers = progress = cards_ahead = 0.0
    for (moves, rule), chance in sorted(walk.ends.items()):
        after = turn.steps[moves - 1].after
        space = spaces[after.space]
        lost = rule in LOSSES
        if not lost:
            rule = _in_control(rule, after.gear, turn, manner, finished=after.finished)
        elif not after.finished or not state["stage"]["last"]:
            likely, drawn = _crash(backs[after.gear], space)
            crash, markers = crash + chance * likely, markers + chance * drawn
        cards = _card_seconds(state["options"], backs, after.gear, rule, open_road=lost and not after.finished)
        onward = 1.0
        if not after.finished:
            # E4: after the spare wheel card the next turn starts in gear 0.
            onward = 0.0 if lost else prospects.control(after.space, 0 if rule == "E4" else after.gear)
            loss = 0.0 if lost else _card_seconds(state["options"], backs, after.gear, "M1", open_road=True)
            cards_ahead += chance * (1.0 - onward) * loss
        ends.append(End(moves, space.name, after.gear, rule, lost, after.finished, chance, cards, onward))
        progress += chance * float(space.distance - here)
    moves_left = range(turn.made + 1, len(turn.steps) + 1)
    reached = {number: sum(end.chance for end in ends if end.moves >= number) for number in moves_left}
    shortcuts = sum(
        chance for number, chance in reached.items() if spaces[turn.steps[number - 1].after.space].kind == "shortcut"
    )
    done = (1.0,) * turn.made
    return Odds(
        ends=tuple(ends),
        reached=done + tuple(reached.values()),
        kept=tuple(
            sum(end.chance for end in ends if not (end.lost and end.moves <= number))
            for number in range(1, len(turn.steps) + 1)
        ),
        warnings=tuple(walk.warnings),
        cards=sum(end.chance * end.cards for end in ends),
        earned=walk.earned,
        spent=walk.spent,
        damage=_damage(markers, shortcuts),
        crash=crash,
        progress=progress,
        onward=sum(end.chance * end.onward for end in ends),
        cards_ahead=cards_ahead,
    )


def _in_control(rule: str, gear: int, turn: Turn, manner: Manner, *, finished: bool) -> str:
    """Return the rule of an end in control: over the line (F1), with the spare wheel (E4), or else `rule`."""
    if finished:
        return "F1"
    return "E4" if manner.spare and turn.wheel and gear == 1 else rule


def _card_seconds(options: Mapping[str, Any], backs: Decks, gear: int, rule: str, *, open_road: bool) -> float:
    """E1, E2, E4, F1: return the expected seconds of the card. `open_road`: control is lost before the line."""
    if open_road:
        calm = backs[gear].get("sisu", 0) / sum(backs[gear].values())
        return float(calm * options["sisu_seconds"] + (1 - calm) * options["loss_seconds"])
    return float(wheel_seconds(options) if rule == "E4" else options[f"time_card_{gear}"])


def _crash(deck: Mapping[str, int], space: Space) -> tuple[float, float]:
    """E3: return the chance of a crash card, and the expected number of tokens drawn, given the colour of the tile."""
    cards = sum(deck.values())
    crashes = {back: left for back, left in deck.items() if back.startswith("crash")}
    colour = CRASH_COLOURS.index(space.hazard)
    tokens = sum(left * int(back.removeprefix("crash ").split("/")[colour]) for back, left in crashes.items())
    return sum(crashes.values()) / cards, tokens / cards


def _damage(drawn: float, shortcuts: float) -> dict[str, float]:
    """E5, M5: return the expected markers by kind, given the expected tokens drawn damage side up and in shortcuts."""
    damaged, cut, supply = _bag()
    return {kind: (drawn * damaged[kind] + shortcuts * cut[kind]) / supply for kind in DAMAGE}


@cache
def _bag() -> tuple[Mapping[str, int], Mapping[str, int], int]:
    """Return the markers in the printed bag by kind, on the damage side and on the shortcut side, and the number of
    tokens in the bag.
    """
    bag = facts().bag
    sides = dict.fromkeys(DAMAGE, 0), dict.fromkeys(DAMAGE, 0)
    for token, times in bag.items():
        for side, shows in zip(sides, token.split("/"), strict=True):
            if shows in side:
                side[shows] += times
    return *sides, sum(bag.values())
