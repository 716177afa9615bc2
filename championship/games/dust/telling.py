"""What the stages of this game tell, when a round closes: who leads in speed, who drives best, damage and wrecks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from championship.runs.watch.story.beats import COLOUR, NEWS, TURNING, Beat, ToldRun
from engine.dust.run_events import CLOSED, RESIGNED
from engine.dust.state import OUT

MUCH = 6
"""The fewest speed points of a round that are worth telling."""
HEAVY = 2
"""From this number of damage tokens in a round on, the damage is news."""

tells = ("lead", "finish", "out")
phrases: Mapping[str, Sequence[str]] = {
    "pace": (
        gettext_noop("%(driver)s leads first: %(points)s more than %(rival)s %(where)s."),
        gettext_noop("%(driver)s sets the pace %(where)s, %(points)s before %(rival)s."),
        gettext_noop("The first leader is %(driver)s, %(points)s ahead of %(rival)s %(where)s."),
    ),
    "lead": (
        gettext_noop("%(driver)s takes the lead from %(rival)s %(where)s, by %(points)s."),
        gettext_noop("A new leader %(where)s: %(driver)s, %(points)s ahead of %(rival)s."),
        gettext_noop("%(rival)s loses the lead %(where)s; %(driver)s has %(points)s more."),
        gettext_noop("%(driver)s goes to the front %(where)s: %(points)s more than %(rival)s."),
        gettext_noop("The order turns %(where)s: %(driver)s before %(rival)s by %(points)s."),
    ),
    "lead_gone": (
        gettext_noop("With %(rival)s out, %(driver)s leads %(where)s."),
        gettext_noop("%(driver)s inherits the lead from %(rival)s %(where)s."),
    ),
    "level": (
        gettext_noop("%(driver)s and %(rival)s are level at the top %(where)s."),
        gettext_noop("%(rival)s draws level with %(driver)s %(where)s."),
        gettext_noop("Nothing between %(driver)s and %(rival)s %(where)s."),
    ),
    "best_round": (
        gettext_noop("Nobody is faster than %(driver)s %(in_round)s: %(points)s."),
        gettext_noop("%(driver)s drives the best round: %(points)s %(in_round)s."),
        gettext_noop("A strong round by %(driver)s: %(points)s %(in_round)s."),
        gettext_noop("%(points)s for %(driver)s %(in_round)s: the others look at the dust."),
        gettext_noop("%(driver)s flies %(in_round)s: %(points)s."),
    ),
    "damage": (
        gettext_noop("%(driver)s damages the car %(in_round)s."),
        gettext_noop("Something breaks on the car of %(driver)s %(in_round)s."),
        gettext_noop("A hit %(in_round)s: the car of %(driver)s takes damage."),
        gettext_noop("%(driver)s pays for the risk with damage %(in_round)s."),
    ),
    "heavy_damage": (
        gettext_noop("Heavy damage for %(driver)s %(in_round)s: %(tokens)s."),
        gettext_noop("%(driver)s hits hard %(in_round)s: %(tokens)s."),
        gettext_noop("The car of %(driver)s suffers %(in_round)s: %(tokens)s."),
    ),
    "crowd": (
        gettext_noop("The crowd is for %(driver)s %(where)s."),
        gettext_noop("%(driver)s wins over the crowd %(where)s."),
        gettext_noop("Everybody cheers for %(driver)s %(where)s: the popularity die changes hands."),
    ),
    "wrecked": (
        gettext_noop("%(driver)s wrecks the car %(in_round)s: out."),
        gettext_noop("The car of %(driver)s is a wreck: the stage ends %(in_round)s."),
        gettext_noop("One hit too many %(in_round)s: %(driver)s is out."),
    ),
    "gave_up": (
        gettext_noop("%(driver)s gives up %(in_round)s."),
        gettext_noop("%(driver)s leaves the race %(in_round)s."),
        gettext_noop("The stage ends %(in_round)s for %(driver)s: given up."),
    ),
}


def beats(run: ToldRun) -> Iterable[Beat]:
    """Return the beats of a run. They all come when a round closes: before that its steps are sealed."""
    return _Rounds(run).beats()


class _Rounds:
    """The cars as the events so far show them, and as they were when the last round closed."""

    def __init__(self, run: ToldRun) -> None:
        self.run = run
        self.now = {seat: dict(run.setup["drivers"][seat]) for seat in run.setup["order"]}
        self.before = {seat: dict(car) for seat, car in self.now.items()}
        self.leader = ""
        self.level: tuple[str, str] | None = None
        self.holder: str | None = None
        self.resigned: set[str] = set()

    def beats(self) -> Iterator[Beat]:
        for happened in self.run.happened:
            event = happened.event
            if event["kind"] == RESIGNED:
                self.resigned.add(event["seat"])
            if "set" in event and event.get("seat") in self.now:
                self.now[event["seat"]].update(event["set"])
            for seat, changed in event.get("drivers", {}).items():
                self.now[seat].update(changed)
            if event["kind"] == CLOSED:
                yield from self._closed(event, event["round"], happened.number)
                self.before = {seat: dict(car) for seat, car in self.now.items()}

    def _closed(self, event: Mapping[str, Any], number: int, at: int) -> Iterator[Beat]:
        yield from self._hurt(number, at)
        yield from self._fast(number, at)
        yield from self._lead(number, at)
        holder = event.get("table", {}).get("holder", self.holder)
        if holder != self.holder and holder in self.now and self.holder is not None:
            yield Beat("crowd", holder, at, COLOUR, {"where": number})
        self.holder = holder

    def _hurt(self, number: int, at: int) -> Iterator[Beat]:
        for seat, car in self.now.items():
            before = self.before[seat]
            if car["phase"] == OUT and before["phase"] != OUT:
                kind = "gave_up" if seat in self.resigned else "wrecked"
                yield Beat(kind, seat, at, TURNING, {"in_round": number})
                continue
            tokens = car["flipped"] - before["flipped"]
            if tokens >= HEAVY:
                yield Beat("heavy_damage", seat, at, NEWS, {"in_round": number, "tokens": tokens})
            elif tokens > 0:
                yield Beat("damage", seat, at, COLOUR, {"in_round": number})

    def _fast(self, number: int, at: int) -> Iterator[Beat]:
        """One car was much faster than all others in this round."""
        still = [seat for seat, car in self.now.items() if car["phase"] != OUT]
        gains = sorted(((self.now[seat]["speed"] - self.before[seat]["speed"], seat) for seat in still), reverse=True)
        if len(gains) < 2:
            return
        (most, seat), (next_most, _other) = gains[:2]
        if most >= MUCH and 2 * most >= 3 * next_most:
            yield Beat("best_round", seat, at, NEWS, {"in_round": number, "points": most})

    def _lead(self, number: int, at: int) -> Iterator[Beat]:
        still = [(car["speed"], seat) for seat, car in self.now.items() if car["phase"] != OUT]
        if len(still) < 2:
            return
        (most, first), (second_most, second) = sorted(still, key=lambda one: (-one[0], one[1]))[:2]
        if most == second_most:
            pair = first, second
            if self.leader in pair and self.level != pair:
                other = second if self.leader == first else first
                yield Beat("level", self.leader, at, NEWS, {"where": number, "rival": other})
            self.level = pair
            return
        self.level = None
        if first == self.leader:
            return
        old, self.leader = self.leader, first
        if not old:
            yield Beat("pace", first, at, NEWS, {"where": number, "rival": second, "points": most - second_most})
        elif self.now[old]["phase"] == OUT:
            yield Beat("lead_gone", first, at, TURNING, {"where": number, "rival": old})
        else:
            gap = most - self.now[old]["speed"]
            yield Beat("lead", first, at, TURNING, {"where": number, "rival": old, "points": gap})


def fact(course: Any, name: str, value: Any) -> str | None:
    """Return a fact in words."""
    if name == "where":
        return _("after round %(number)d") % {"number": value}
    if name == "in_round":
        return _("in round %(number)d") % {"number": value}
    if name == "points":
        return ngettext("%(number)d speed point", "%(number)d speed points", value) % {"number": value}
    if name == "tokens":
        return ngettext("%(number)d damage token", "%(number)d damage tokens", value) % {"number": value}
    return None
