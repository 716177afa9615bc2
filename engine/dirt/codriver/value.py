"""The worth of each place on a stage: the expected rest of the stage, computed from the finish backwards.

This is dynamic programming over the compiled stage. It fills two tables, space by space from the far end: the worth at
the start of a turn (by space, gear and whether a SISU token is left), and the worth in the middle of a turn (also by
dice left and warnings shown). The driver in these tables is alone, decides about each move just before it, and can
always pay for securing at a fixed price. search.py and decisions.py decide with the actual dice, tokens and cars.

A `Worth` is not seconds but `sign * exp(risk * seconds)`; smaller is better. Chances weigh a worth like seconds, a sure
delay multiplies it, and `risk` says how much a spread of times is disliked (codrivers.toml).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import exp, log
from typing import Any, NamedTuple

from engine.contract import GameError
from engine.dirt.course.compiled_stage import Track
from engine.dirt.facts import CRASH_COLOURS, codrivers, facts
from engine.dirt.moves import COAST, GEAR, Die
from engine.dirt.plan import CarInPlan, open_destinations
from engine.dirt.road import Destination, Road

Worth = float
Key = tuple[int, int, int, int, int]
"""A car in the middle of a turn: space, gear, gear dice laid, coast dice and brakes left."""
Levels = tuple[float, ...]
"""Worth by what the turn has shown: CALM, ONE or TWO warnings; TWO with one die or with more dice secured; the same
three numbers of warnings with a SISU token in hand (SISU...); SAFE when the token is in use."""
CALM, ONE, TWO, SECURED, SECURED_MORE, SISU, SISU_ONE, SISU_TWO, SAFE = LEVELS = range(9)
NEVER = float("inf")
DATUM = "datum"
"""The risk-neutral driver of ledgers, and the weights of the codriver that plays best."""
NAMES = tuple(name for name in codrivers() if name not in ("outlook", DATUM))
"""The codrivers to choose."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """A codriver's preferences: its numbers in codrivers.toml, where they are explained."""

    name: str
    risk: float
    risk_sections: float
    fear_seconds: float
    token_seconds: float
    token_fade: float
    flat_out_chance: float
    earned: float
    most_moves: int = 0


@cache
def preferences(name: str) -> Preferences:
    """Return the preferences of a codriver.

    Raises: GameError when there is no codriver with this name.
    """
    if name not in (*NAMES, DATUM):
        raise GameError("there is no codriver %(name).40r; there are: %(names)s", name=name, names=", ".join(NAMES))
    numbers: Mapping[str, Any] = codrivers()[name]
    return Preferences(name=name, **numbers)


@dataclass(frozen=True, slots=True)
class Wheel:
    """The spare wheel in sight (E4): the seconds of its card, and the dice of the repaired car in a turn."""

    seconds: int
    gears: int
    coasts: int


@dataclass(frozen=True, slots=True)
class Outlook:
    """The inputs of the worth of a place besides the road: `cards` in seconds by gear (0: a loss of control), the SISU
    card, the dice at the start of a turn, the warning faces of a coast die; whether damage and a SISU token are taken
    to another stage; the options flying start and redline; the spare wheel, where the car may take it (E4).
    """

    cards: tuple[int, ...]
    sisu_card: int
    gears: int
    coasts: int
    brakes: int
    coast_warnings: int
    damage_carried: bool
    sisu_carried: bool
    flying_start: bool
    redline: bool
    wheel: Wheel | None = None


class Option(NamedTuple):
    """One move, as the tables need it: the chances of none, one and more warnings, the number of dice, the space where
    it ends and the gear, the car after it (None: the turn ends there), and the factor of the delay by a token drawn
    there (`toll`). `risky`: a warning there is a loss of control. `flying`: a warning there is a failed flying start.
    """

    chances: tuple[float, float, float]
    dice: int
    end: int
    gear: int
    after: Key | None
    toll: float
    risky: bool
    flying: bool


@lru_cache(maxsize=24)
def value_of(track: Track, limits: tuple[int | None, ...], outlook: Outlook, name: str) -> Value:
    """Return the tables of one codriver for a road without other cars. They are filled on demand."""
    return Value(Road(track, limits, {}, outlook.flying_start, outlook.redline), outlook, preferences(name))


class Value:
    """The worth of places on one road for one codriver. `plans` is the search's cache of choices on the empty road."""

    def __init__(self, road: Road, outlook: Outlook, preferences: Preferences) -> None:
        self.road = road
        self.outlook = outlook
        self.preferences = preferences
        self.sign = 1.0 if preferences.risk > 0 else -1.0
        self.last = max(space.section for space in road.track.spaces if not space.behind_finish)
        self.risk = self._risk()
        self.cards = tuple(self.delay(seconds) for seconds in outlook.cards)
        self.same = self._same_places()
        self.tolls = tuple(self._toll(space.index) for space in road.track.spaces)
        self.starts: dict[tuple[int, int], tuple[Worth, Worth]] = {}
        self.losses: dict[tuple[int, int], tuple[Worth, Worth]] = {}
        self.levels: dict[Key, Levels] = {}
        self.plans: dict[Any, Any] = {}
        self.ends: dict[tuple[Destination, ...], tuple[tuple[int, float, bool, bool], ...]] = {}
        self.repaired = self._repaired()
        self.securing = tuple(self.delay(number * preferences.token_seconds) for number in (1, 2, 3))

    def _risk(self) -> float:
        """Return the codriver's risk for a stage of this length. It is lower when a card costs more seconds than
        `dearest_card`, because codrivers were not tuned for such cards.
        """
        dearest, length = codrivers()["outlook"]["dearest_card"], self.preferences.risk_sections
        here = self.preferences.risk * min(1.0, dearest / max(self.outlook.cards))
        return here * length / (self.last + 1) if length else here

    def _repaired(self) -> Value | None:
        """Return the worths for the car when it has used its spare wheel; None when it has none to use (E4)."""
        wheel = self.outlook.wheel
        if wheel is None:
            return None
        outlook = replace(self.outlook, wheel=None, gears=wheel.gears, coasts=wheel.coasts)
        return value_of(self.road.track, self.road.limits, outlook, self.preferences.name)

    def _same_places(self) -> tuple[int, ...]:
        """Return for each space the first space with the same road ahead. Both lanes of most rows are one place."""
        first: dict[object, int] = {}
        track = self.road.track
        return tuple(
            first.setdefault((track.ahead[space.index], space.behind_finish, space.hazard), space.index)
            for space in track.spaces
        )

    # Seconds and worth -------------------------------------------------------------------------------

    def delay(self, seconds: float) -> float:
        """Return the factor by which a sure delay of `seconds` multiplies a worth."""
        return exp(self.risk * seconds)

    def seconds(self, worth: Worth) -> float:
        """Return the sure seconds that have this worth."""
        return log(worth * self.sign) / self.risk

    def left(self, space: int) -> int:
        """Return the number of sections of road ahead."""
        return max(0, self.last - self.road.track.spaces[space].section)

    def token_worth(self, tokens: int, space: int) -> float:
        """Return the factor by which second tokens in hand multiply a worth. Each token is a second at the finish.
        Before it, a token is worth more, and the first ones most, because they can pay for securing (R3).
        """
        preferences, fade = self.preferences, self.preferences.token_fade
        use = min(1.0, self.left(space) / codrivers()["outlook"]["token_sections"])
        more = (preferences.token_seconds - 1) * use * (1 - fade**tokens) / (1 - fade)
        return self.delay(-tokens - more - preferences.earned * self.left(space))

    def home(self, gear: int, *, has_sisu: bool) -> Worth:
        """Return the worth of finishing in that gear: its card, and the value of a SISU token for the next stage."""
        kept = codrivers()["outlook"]["sisu_seconds"] if has_sisu and self.outlook.sisu_carried else 0.0
        return self.sign * self.cards[gear] * self.delay(-kept)

    # Looking up worths -------------------------------------------------------------------------------

    def start(self, space: int, gear: int, *, has_sisu: bool) -> Worth:
        """Return the worth of the rest of the stage at the start of a turn. `has_sisu`: with a SISU token."""
        place = self.same[space]
        if (place, gear) not in self.starts:
            self._fill(place, gear)
        return self.starts[place, gear][has_sisu]

    def stop(self, space: int, gear: int, *, has_sisu: bool) -> Worth:
        """Return the worth of the rest of the stage when the turn ends here, with its time card or the spare wheel."""
        kept = self.cards[gear] * self.start(space, gear, has_sisu=has_sisu)
        return kept if self.repaired is None or gear > 1 else min(kept, self.with_wheel(space, has_sisu=has_sisu))

    def with_wheel(self, space: int, *, has_sisu: bool) -> Worth:
        """Return the worth of the rest of the stage when the turn ends here in gear 1 with the spare wheel (E4)."""
        wheel = self.outlook.wheel
        if wheel is None or self.repaired is None:
            return NEVER
        return self.delay(wheel.seconds) * self.repaired.start(space, 0, has_sisu=has_sisu)

    def loss(self, space: int, gear: int, *, has_sisu: bool) -> Worth:
        """Return the worth of the rest of the stage when control is lost here, with its card (E2, E3)."""
        place = self.same[space]
        if (place, gear) not in self.losses:
            self._fill(place, gear)
            self._fill(place, 0)
            self._loss_of_control(place, gear)
        return self.losses[place, gear][has_sisu]

    def middle(self, at: CarInPlan) -> Levels:
        """Return the worth of the rest of the stage in the middle of a turn, by what its dice have shown."""
        key = (self.same[at.space], at.gear, at.used, at.coasts, at.brakes)
        if key not in self.levels:
            self._fill(key[0], at.gear)
            self._fill_from([key])
        return self.levels[key]

    # Filling the tables ------------------------------------------------------------------------------

    def _fill(self, place: int, gear: int) -> None:
        if (place, gear) not in self.starts:
            self._fill_from([self._fresh(place, gear)])

    def _fresh(self, place: int, gear: int) -> Key:
        return place, gear, 0, self.outlook.coasts, self.outlook.brakes

    def _fill_from(self, keys: list[Key]) -> None:
        """Fill both tables for these cars and all cars that can follow from them, the far end of the road first."""
        found = self._ahead_of(keys)
        spaces = self.road.track.spaces
        for place in sorted(found, key=lambda place: (-spaces[place].distance, place)):
            cars = found[place]
            fresh = sorted(filter(self._is_fresh, cars))
            for key in fresh:
                self._start_of_turn(key, cars.pop(key))
            for key, options in cars.items():
                self._middle_of_turn(key, options)

    def _is_fresh(self, key: Key) -> bool:
        return key[2] == 0 and key[3] == self.outlook.coasts and key[4] == self.outlook.brakes

    def _ahead_of(self, keys: list[Key]) -> dict[int, dict[Key, tuple[Option, ...]]]:
        """Return all cars that can follow from these and are not in the tables yet, each with its moves, by space."""
        found: dict[int, dict[Key, tuple[Option, ...]]] = {}
        seen: set[Key] = set()
        waiting = list(keys)
        while waiting:
            key = waiting.pop()
            if key in seen or key in self.levels or (key[:2] in self.starts and self._is_fresh(key)):
                continue
            seen.add(key)
            options = found.setdefault(key[0], {})[key] = tuple(self._options(key))
            following = {self._fresh(key[0], key[1])}
            for option in options:
                if option.end >= 0:
                    following.add(self._fresh(option.end, 0))
                    following.add(self._fresh(option.end, option.gear))
                if option.after is not None:
                    following.add(option.after)
            waiting.extend(following - seen)
        return found

    def _options(self, key: Key) -> Iterator[Option]:
        space, gear, used, coasts, brakes = key
        at = CarInPlan(space, gear, used, self.outlook.gears - used.bit_count(), coasts, brakes)
        for die, driven, destinations in open_destinations(self.road, at):
            odds, dice = chances(die, self.outlook.coast_warnings)
            laid = (
                (used | 1 << driven, coasts, brakes - die.brakes)
                if die.kind == GEAR
                else ((used, coasts - 1, brakes) if die.kind == COAST else (used, coasts, brakes - 1))
            )
            flying = gear == 0 and driven > 1
            for end, toll, over, risky in self._ends(destinations):
                yield Option(odds, dice, end, driven, None if over else (end, driven, *laid), toll, risky, flying)

    def _ends(self, destinations: tuple[Destination, ...]) -> tuple[tuple[int, float, bool, bool], ...]:
        """Return the distinct ends: the place (-1: over the line), the toll there, whether the turn ends, whether a
        warning there is a loss of control.
        """
        known = self.ends.get(destinations)
        if known is None:
            known = self.ends[destinations] = tuple(
                dict.fromkeys(
                    (
                        -1 if destination.finished else self.same[destination.end],
                        self.tolls[destination.end],
                        destination.finished or destination.loss is not None,
                        destination.risky,
                    )
                    for destination in destinations
                )
            )
        return known

    def _start_of_turn(self, key: Key, options: tuple[Option, ...]) -> None:
        """Store the worth at the start of a turn: of the best first move, or of a turn without a move (M10)."""
        place, gear = key[:2]
        if options:
            best = self._best([NEVER] * len(LEVELS), options)
            self.starts[place, gear] = best[CALM], min(best[CALM], best[SISU])
        elif gear:
            self._fill(place, 0)
            plain, with_sisu = self.starts[place, 0]
            self.starts[place, gear] = self.cards[0] * plain, self.cards[0] * with_sisu
        else:
            retired = self.sign * self.delay(codrivers()["outlook"]["retirement_seconds"])
            self.starts[place, gear] = retired, retired

    def _middle_of_turn(self, key: Key, options: tuple[Option, ...]) -> None:
        """Store the worth in the middle of a turn: of stopping here, or of the best next move."""
        place, gear = key[:2]
        plain, with_sisu = (self.cards[gear] * worth for worth in self.starts[place, gear])
        if gear == 1 and self.repaired is not None:
            plain = min(plain, self.with_wheel(place, has_sisu=False))
            with_sisu = min(with_sisu, self.with_wheel(place, has_sisu=True))
        self.levels[key] = self._best([plain] * SISU + [with_sisu] * (SAFE - SISU) + [plain], options)

    def _best(self, levels: list[float], options: tuple[Option, ...]) -> Levels:
        """Return for each level the best of the given worth and the worths of all moves."""
        return tuple(map(min, zip(levels, *map(self._move, options), strict=True)))

    def _move(self, option: Option) -> Levels:
        """Return the worth of one move, rolled or secured, for each level."""
        if option.end < 0:
            plain, with_sisu = self.home(option.gear, has_sisu=False), self.home(option.gear, has_sisu=True)
            return (plain,) * SISU + (with_sisu,) * (SAFE - SISU) + (plain,)
        lost, lost_with_sisu = self._loss_of_control(option.end, option.gear)
        toll = option.toll
        if option.after is None:
            return (lost * toll,) * SISU + (lost_with_sisu * toll,) * (SAFE - SISU) + (lost * toll,)
        calm, one, two, more, most, with_sisu, sisu_one, sisu_two, safe = self.levels[option.after]
        saved = lost_with_sisu if lost_with_sisu < safe else safe
        clear, warned, warned_twice = option.chances
        warning = warned + warned_twice
        if option.risky or option.flying:
            if option.flying:
                lost, stopped = (self.cards[option.gear] * worth for worth in self.starts[option.end, option.gear])
                saved = min(stopped, safe)
            bad, good = warning * lost, warning * saved
            levels = [clear * here + bad for here in (calm, one, two, more, most)]
            levels += [clear * here + good for here in (with_sisu, sisu_one, sisu_two)]
        else:
            bad, good = warning * lost, warning * saved
            levels = [
                clear * calm + warned * one + warned_twice * two,
                clear * one + warned * two + warned_twice * lost,
                clear * two + bad,
                clear * more + bad,
                clear * most + bad,
                clear * with_sisu + warned * sisu_one + warned_twice * sisu_two,
                clear * sisu_one + warned * sisu_two + warned_twice * saved,
                clear * sisu_two + good,
            ]
            first, second, third = self.securing
            if option.dice == 1:
                secured = (more * first, most * second, most * third)
            else:
                secured = (most * first * second, most * second * third, most * third * third)
            for level, worth in zip((TWO, SECURED, SECURED_MORE), secured, strict=True):
                if worth < levels[level]:
                    levels[level] = worth
        levels.append(safe)
        return tuple(level * toll for level in levels) if toll != 1 else tuple(levels)

    def _loss_of_control(self, place: int, gear: int) -> tuple[Worth, Worth]:
        """E2, E3: return the worth of a loss of control, without and with a SISU token: the mean over that deck."""
        if (place, gear) in self.losses:
            return self.losses[place, gear]
        deck = facts().decks[gear]
        fear = self.delay(self.preferences.fear_seconds)
        stays, stands = self.starts[place, gear], self.starts[place, 0]
        worth = [0.0, 0.0]
        for back, cards in deck.items():
            share = cards / sum(deck.values())
            delay = fear * (self.delay(self.outlook.sisu_card) if back == "sisu" else self.cards[0])
            if back.startswith("crash"):
                delay *= self._crash(back, place)
            for with_sisu, rest in enumerate(stays if back == "sisu" else stands):
                worth[with_sisu] += share * delay * rest
        self.losses[place, gear] = worth[0], worth[1]
        return self.losses[place, gear]

    def _crash(self, back: str, place: int) -> float:
        """Return the factor of the delay by the damage of a crash there."""
        tokens = int(back.split()[1].split("/")[CRASH_COLOURS.index(self.road.track.spaces[place].hazard)])
        return self.delay(tokens * self.token_seconds(0, place))

    def _toll(self, space: int) -> float:
        """M5: return the factor of the delay by the token that is drawn on a space of a shortcut."""
        if self.road.track.spaces[space].kind != "shortcut":
            return 1.0
        return self.delay(self.token_seconds(1, space))

    def token_seconds(self, side: int, space: int) -> float:
        """Return the expected seconds that a token from a full bag, its `side` up, costs on the road that is left."""
        bag = facts().bag
        shows = [(token.split("/")[side], count) for token, count in bag.items()]
        return sum(count * self.marker_seconds(kind, space) for kind, count in shows) / sum(bag.values())

    def marker_seconds(self, kind: str, space: int) -> float:
        """Return the seconds that a damage marker of that kind costs on the road left. Other tokens cost none."""
        outlook = codrivers()["outlook"]
        sections = self.left(space) + (outlook["next_stage_sections"] if self.outlook.damage_carried else 0)
        return outlook.get(f"damage_{kind}", 0.0) * sections


@cache
def chances(die: Die, coast_warnings: int) -> tuple[tuple[float, float, float], int]:
    """D1: return the chances that the dice of a move show no, one, or more warnings, and the number of dice."""
    known = facts()
    if die.kind == GEAR:
        faces = [known.warnings[str(die.gear)]] + [known.warnings["brake"]] * die.brakes
    else:
        faces = [coast_warnings if die.kind == COAST else known.warnings["brake"]]
    none, one = 1.0, 0.0
    for warnings in faces:
        chance = warnings / known.faces
        none, one = none * (1 - chance), one * (1 - chance) + none * chance
    return (none, one, 1 - none - one), len(faces)
