"""What the races of this game tell: the start, the lead on the road, big rolls, spins, pit stops, and who is out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

from championship.games.formula_d.words import WEATHER, spaces_words
from championship.runs.watch.story.beats import COLOUR, NEWS, TURNING, Beat, ToldRun
from engine.formula_d.facts import facts

FAST = 5
"""From this gear on, the best roll of the die is worth telling."""
DEAR = 3
"""From this price on, an overshoot is worth telling."""
PODIUM = 3

tells = ("lead", "finish", "out", "won")
phrases: Mapping[str, Sequence[str]] = {
    "pole": (
        gettext_noop("%(driver)s starts from pole position, %(rival)s from second."),
        gettext_noop("The front row: %(driver)s and %(rival)s."),
        gettext_noop("First on the grid is %(driver)s, next to %(rival)s."),
    ),
    "great_start": (
        gettext_noop("A great start by %(driver)s!"),
        gettext_noop("%(driver)s gets away best of all."),
        gettext_noop("The lights go out, and %(driver)s is gone."),
    ),
    "stalled": (
        gettext_noop("%(driver)s stalls on the grid."),
        gettext_noop("The field leaves, the car of %(driver)s does not: stalled."),
        gettext_noop("The engine of %(driver)s dies at the start."),
    ),
    "lead": (
        gettext_noop("%(driver)s takes the lead from %(rival)s in round %(round)s."),
        gettext_noop("A new leader in round %(round)s: %(driver)s before %(rival)s."),
        gettext_noop("Round %(round)s: %(driver)s is past %(rival)s and leads."),
        gettext_noop("%(rival)s has to let %(driver)s go: new order at the front in round %(round)s."),
        gettext_noop("%(driver)s goes to the front in round %(round)s; %(rival)s follows."),
        gettext_noop("The lead changes hands in round %(round)s, from %(rival)s to %(driver)s."),
    ),
    "lead_gone": (
        gettext_noop("With %(rival)s out, %(driver)s leads in round %(round)s."),
        gettext_noop("%(driver)s inherits the lead from %(rival)s in round %(round)s."),
    ),
    "last_lap": (
        gettext_noop("%(driver)s begins the last lap first."),
        gettext_noop("One lap to go, and %(driver)s leads."),
        gettext_noop("The last lap: %(driver)s in front."),
    ),
    "big_roll": (
        gettext_noop("%(driver)s throws the best of the die %(where)s: %(spaces)s in gear %(gear)s."),
        gettext_noop("Flat out %(where)s: %(driver)s goes %(spaces)s in gear %(gear)s, more is not on the die."),
        gettext_noop("The die gives everything: %(spaces)s in gear %(gear)s for %(driver)s, %(where)s."),
        gettext_noop("%(driver)s flies %(where)s: gear %(gear)s, %(spaces)s."),
    ),
    "spin": (
        gettext_noop("%(driver)s spins %(where)s and goes on in first gear."),
        gettext_noop("Once round %(where)s: %(driver)s has to begin again in first gear."),
        gettext_noop("The tyres of %(driver)s give up %(where)s: a spin."),
        gettext_noop("%(driver)s turns %(where)s; the others drive by."),
    ),
    "overshoot": (
        gettext_noop("%(driver)s brakes too late %(where)s and overshoots by %(spaces)s."),
        gettext_noop("Too fast %(where)s: %(driver)s overshoots by %(spaces)s."),
        gettext_noop("Smoke from the tyres of %(driver)s %(where)s: %(spaces)s too far."),
        gettext_noop("%(driver)s runs wide %(where)s, by %(spaces)s."),
    ),
    "contact": (
        gettext_noop("%(driver)s and %(rival)s touch %(where)s."),
        gettext_noop("Contact %(where)s between %(driver)s and %(rival)s."),
        gettext_noop("It gets narrow %(where)s: %(driver)s feels the car of %(rival)s."),
        gettext_noop("Paint flies %(where)s: %(driver)s beside %(rival)s."),
    ),
    "slow_stop": (
        gettext_noop("A slow stop for %(driver)s."),
        gettext_noop("%(driver)s has to wait in the box."),
        gettext_noop("The mechanics of %(driver)s take their time."),
    ),
    "fast_stop": (
        gettext_noop("A fast stop: %(driver)s is out of the box again at once."),
        gettext_noop("The mechanics of %(driver)s are quick: in and out again."),
        gettext_noop("%(driver)s loses hardly anything in the box."),
    ),
    "weather": (
        gettext_noop("The weather turns: %(weather)s."),
        gettext_noop("New weather: %(weather)s."),
        gettext_noop("Now there is %(weather)s."),
    ),
    "out_collision": (
        gettext_noop("%(driver)s is out %(where)s: one collision too many."),
        gettext_noop("Too many dents: %(driver)s stops %(where)s."),
        gettext_noop("The body of the car is broken: %(driver)s is out %(where)s."),
    ),
    "out_engine": (
        gettext_noop("The engine of %(driver)s blows up %(where)s."),
        gettext_noop("Smoke %(where)s: %(driver)s is out with a broken engine."),
        gettext_noop("%(driver)s asked too much of the engine and stops %(where)s."),
    ),
    "out_road": (
        gettext_noop("Debris ends the race of %(driver)s %(where)s."),
        gettext_noop("%(driver)s skids on debris %(where)s and is out."),
        gettext_noop("The road %(where)s is too dirty for %(driver)s: out."),
    ),
    "out_corner": (
        gettext_noop("%(driver)s leaves the track %(where)s: out."),
        gettext_noop("Without its stops the corner is too much: %(driver)s is out %(where)s."),
        gettext_noop("%(driver)s flies off %(where)s, and the race is over."),
    ),
    "out_blocked": (
        gettext_noop("%(driver)s finds no way past the cars ahead %(where)s: out."),
        gettext_noop("No room %(where)s: the race of %(driver)s is over."),
    ),
    "out_resigned": (
        gettext_noop("%(driver)s gives up the race."),
        gettext_noop("%(driver)s stops and gets out."),
        gettext_noop("The race of %(driver)s ends by choice."),
    ),
    "first": (
        gettext_noop("%(driver)s crosses the line first!"),
        gettext_noop("The chequered flag falls for %(driver)s."),
        gettext_noop("Nobody is before %(driver)s at the line."),
    ),
    "hunted": (
        gettext_noop("%(driver)s is right behind %(rival)s at the line."),
        gettext_noop("What a finish: %(driver)s comes in just after %(rival)s, in the same round."),
        gettext_noop("%(rival)s has hardly crossed the line when %(driver)s does."),
    ),
    "podium": (
        gettext_noop("%(driver)s is number %(place)s at the line."),
        gettext_noop("Place %(place)s on the road goes to %(driver)s."),
        gettext_noop("%(driver)s comes in as number %(place)s."),
    ),
}


def beats(run: ToldRun) -> Iterable[Beat]:
    """Return the beats of a run."""
    return _Race(run).beats()


class _Race:
    """A race as its events show it so far: where cars are, who leads since when, who has finished."""

    def __init__(self, run: ToldRun) -> None:
        self.run = run
        self.spaces: dict[str, str] = {}
        self.round = 0
        self.leader = ""
        self.led = 0
        self.gone: set[str] = set()
        self.finished: dict[str, int] = {}
        self.laps: Counter[str] = Counter()
        self.last_lap = False
        self.rivals: dict[str, str] = {}
        self.racing = run.setup["stage"] == "race"
        self.weather = run.setup["weather"]

    def beats(self) -> Iterator[Beat]:
        for happened in self.run.happened:
            event, number = happened.event, happened.number
            told = _BEATS.get(event["kind"])
            if event["kind"] == "step":
                self.spaces[event["seat"]] = event["space"]
            elif told is not None:
                yield from told(self, event, number)

    def _at(self, event: Mapping[str, Any]) -> str:
        return self.spaces.get(event["seat"], "")

    def grid(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        self.racing = True
        first, *others = event["order"]
        self.laps.clear()
        self.leader = first
        if others:
            yield Beat("pole", first, number, NEWS, {"rival": others[0]})

    def start(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        if event["result"] == "stalled":
            yield Beat("stalled", event["seat"], number, NEWS)
        elif event["result"] == "great":
            yield Beat("great_start", event["seat"], number, COLOUR)

    def new_round(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        self.round = event["round"]
        first = event["order"][0] if event["order"] else ""
        if first in ("", self.leader):
            self.led += 1
            return
        old, led, self.leader, self.led = self.leader, self.led, first, 1
        if not old or old in self.finished or self.finished or self.round < 2:
            return
        facts_ = {"rival": old, "round": self.round - 1}
        if old in self.gone:
            yield Beat("lead_gone", first, number, TURNING, facts_)
        else:
            yield Beat("lead", first, number, TURNING if led > 1 else COLOUR, facts_)

    def lap(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        self.laps[event["seat"]] += 1
        laps = self.run.setup["options"]["laps"]
        if self.racing and laps > 1 and self.laps[event["seat"]] == laps and not self.last_lap:
            self.last_lap = True
            yield Beat("last_lap", event["seat"], number, NEWS)

    def roll(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        if event["gear"] >= FAST and event["spaces"] == max(facts().gears[event["gear"]]):
            told = {"where": self._at(event), "spaces": event["spaces"], "gear": event["gear"]}
            yield Beat("big_roll", event["seat"], number, NEWS if event["gear"] > FAST else COLOUR, told)

    def spin(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        weight = TURNING if event["seat"] == self.leader else NEWS
        yield Beat("spin", event["seat"], number, weight, {"where": self._at(event)})

    def overshoot(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        if event["price"] >= DEAR:
            yield Beat("overshoot", event["seat"], number, NEWS, {"where": self._at(event), "spaces": event["spaces"]})

    def collision(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        self.rivals[event["seat"]] = event["rival"]
        yield from ()

    def wear(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        rival = self.rivals.get(event["seat"])
        if event["why"] == "collision" and rival:
            yield Beat("contact", event["seat"], number, COLOUR, {"where": self._at(event), "rival": rival})

    def pit(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        if event["result"] in ("fast", "slow"):
            yield Beat(f"{event['result']}_stop", event["seat"], number, COLOUR)

    def weather_turns(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        turned = event["state"] != self.weather and self.weather
        self.weather = event["state"]
        if turned:
            yield Beat("weather", "", number, NEWS, {"weather": event["state"]})

    def out(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        self.gone.add(event["seat"])
        yield Beat(f"out_{event['why']}", event["seat"], number, TURNING, {"where": self._at(event)})

    def finish(self, event: Mapping[str, Any], number: int) -> Iterator[Beat]:
        seat, place = event["seat"], event["place"]
        winner = next(iter(self.finished), None)
        close = winner is not None and len(self.finished) == 1 and self.finished[winner] == self.round
        self.finished[seat] = self.round
        if place == 1:
            yield Beat("first", seat, number, TURNING)
        elif close:
            yield Beat("hunted", seat, number, TURNING, {"rival": winner})
        else:
            yield Beat("podium", seat, number, NEWS if place <= PODIUM else COLOUR, {"place": place})


_BEATS: Mapping[str, Any] = {
    "grid": _Race.grid,
    "start": _Race.start,
    "round": _Race.new_round,
    "lap": _Race.lap,
    "roll": _Race.roll,
    "spin": _Race.spin,
    "overshoot": _Race.overshoot,
    "collision": _Race.collision,
    "wear": _Race.wear,
    "pit": _Race.pit,
    "weather": _Race.weather_turns,
    "out": _Race.out,
    "finish": _Race.finish,
}


def fact(course: Any, name: str, value: Any) -> str | None:
    """Return a fact in words."""
    if name == "where":
        return _where(value)
    if name == "spaces":
        return spaces_words(value)
    return str(WEATHER[value]) if name == "weather" else None


def _where(space: str) -> str:
    """Return a place of a circuit within a sentence: "in corner 3"."""
    area = space.partition(".")[0]
    if area.startswith("C"):
        return _("in corner %(number)s") % {"number": area[1:]}
    if area.startswith("S"):
        return _("on straight %(number)s") % {"number": area[1:]}
    if area.startswith("P"):
        return _("in the pits")
    return pgettext("where in a race", "at the start")
