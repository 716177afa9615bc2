"""The plot of a stage: the beats of all its runs in the order in which they happened, and those that follow from the
marks of all cars: who leads, who is close, who drives the best section, who finishes, who wins.

A border counts when every car that still drives has crossed it. So it does not matter who comes to it first: the same
measures give the same story, in whatever order the cars drive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from championship.rallies.results.measures import Measure, key_of, worse
from championship.runs.watch.story.beats import NEWS, TURNING, Beat, CarKey, Facts, Scene
from championship.runs.watch.story.run_marks import Final, Mark, RunMarks

BEST_SECTION = 8
"""A section is told when its best car wins there, on all others, an eighth of the leader's measure or more."""
CLOSE = 60
"""Two cars are close when the gap is at most a part of this size of the leader's measure: a sixtieth."""
FIELD = 3
"""The fewest cars with which a best section is worth telling."""


def plotted(runs: Iterable[RunMarks], measure: Measure) -> list[Scene]:
    """Return the beats of a stage, the oldest first."""
    ordered = sorted(runs, key=attrgetter("number"))
    scenes = [
        (scene.at, run.number, scene.beat.number, 0, place, scene)
        for run in ordered
        for place, scene in enumerate(Scene(run.key, run.times[beat.number], beat) for beat in run.beats)
    ]
    numbers = {run.key: run.number for run in ordered}
    for place, scene in enumerate(_Plot(ordered, measure).scenes()):
        scenes.append((scene.at, numbers[scene.run], scene.beat.number, 1, place, scene))
    return _without_doubles([entry[-1] for entry in sorted(scenes, key=lambda entry: entry[:-1])])


def _without_doubles(scenes: Sequence[Scene]) -> list[Scene]:
    """Leave out the finish of the winner where the stage is over with it: both sentences would say the same."""
    last = scenes[-1] if scenes else None
    if last is None or not last.beat.kind.startswith("won"):
        return list(scenes)
    return [one for one in scenes if (one.at, one.car, one.beat.kind) != (last.at, _winner(last), "best_in")]


def _winner(scene: Scene) -> CarKey:
    return tuple(scene.beat.facts.get("who", scene.car))


@dataclass(slots=True)
class _Car:
    """What is known of a car so far: its measures by border, how far it has come, and whether it is out or has
    finished.
    """

    measures: dict[int, int] = field(default_factory=dict)
    reached: int = -1
    out: bool = False
    finished: bool = False


@dataclass(frozen=True, slots=True)
class _Here:
    """The moment at which something follows from the marks."""

    run: int
    number: int
    at: datetime

    def scene(self, kind: str, car: CarKey, weight: int, **facts: object) -> Scene:
        """Return a beat about a car at this moment. A car of another run is the fact `who`."""
        told: Facts = facts if car[0] == self.run else {**facts, "who": car}
        return Scene(self.run, self.at, Beat(kind, car[1], self.number, weight, told))


class _Plot:
    """Goes through the marks of a stage once, in order."""

    def __init__(self, runs: Sequence[RunMarks], measure: Measure) -> None:
        self.runs = runs
        self.measure = measure
        self.tells = {run.key: set(run.tells) for run in runs}
        self.cars = {car: _Car() for run in runs for car in run.cars}
        self.borders = max((run.borders for run in runs), default=0)
        self.settled = 0
        self.leader: CarKey | None = None
        self.gap: tuple[CarKey, CarKey, int] | None = None
        self.best: tuple[CarKey, int] | None = None

    def scenes(self) -> Iterator[Scene]:
        """Yield the beats that follow from the marks."""
        marks = sorted((mark for run in self.runs for mark in run.marks), key=_order)
        for _moment, together in groupby(marks, key=attrgetter("moment")):
            here = list(together)
            for mark in here:
                self._take(mark)
            at = _Here(here[-1].car[0], here[-1].number, here[-1].at)
            while self.settled < self.borders and self._all_crossed(self.settled):
                yield from self._settled(self.settled, at)
                self.settled += 1
            for mark in here:
                yield from self._ended(mark)
        yield from self._over()

    def _take(self, mark: Mark) -> None:
        car = self.cars[mark.car]
        if mark.kind == "border":
            car.reached = max(car.reached, mark.border)
            if mark.measured is not None:
                car.measures[mark.border] = mark.measured
        elif mark.kind == "finish":
            car.finished, car.reached = True, self.borders
        else:
            car.out = True

    def _all_crossed(self, border: int) -> bool:
        driving = [car for car in self.cars.values() if not car.out]
        return len(driving) > 1 and all(car.reached >= border for car in driving)

    def _there(self, border: int) -> list[tuple[CarKey, int]]:
        """Return the cars that are still in, with their measures at a border, the best first."""
        found = [
            (key, car.measures[border]) for key, car in self.cars.items() if not car.out and border in car.measures
        ]
        return sorted(found, key=lambda one: (worse(self.measure) * one[1], one[0]))

    def _settled(self, border: int, here: _Here) -> Iterator[Scene]:
        there = self._there(border)
        if len(there) < 2 or "lead" in self.tells[here.run]:
            return
        (first, led), (second, behind) = there[:2]
        gap = abs(behind - led)
        changed = False
        if gap:
            old = self.leader
            if old is None:
                yield here.scene("pace", first, NEWS, border=border, gap=gap, rival=second)
            elif old != first:
                changed = True
                yield here.scene(
                    "lead", first, TURNING, border=border, gap=self._between(border, first, old), rival=old
                )
            self.leader = first
        if self.leader and not changed:
            yield from self._close(border, first, second, gap, led, here)
        yield from self._best_section(border, here, new_leader=first if changed else None)
        self.gap = (first, second, gap)

    def _between(self, border: int, car: CarKey, other: CarKey) -> int | None:
        """Return the gap between two cars at a border; None where the other is out or has no measure there."""
        rival = self.cars[other]
        if rival.out or border not in rival.measures:
            return None
        return abs(rival.measures[border] - self.cars[car].measures[border])

    def _close(self, border: int, first: CarKey, second: CarKey, gap: int, led: int, here: _Here) -> Iterator[Scene]:
        """Two cars have come close: they were not so at the border before."""
        if self.gap is None or gap * CLOSE > led:
            return
        before = self.gap[2]
        if before * CLOSE <= led or before <= 2 * gap:
            return
        kind = "close" if gap else "level"
        yield here.scene(kind, first, NEWS, border=border, gap=gap, rival=second)

    def _best_section(self, border: int, here: _Here, *, new_leader: CarKey | None) -> Iterator[Scene]:
        """One car was much better than all others between the border before and this one."""
        driven = [
            (car, abs(there - self.cars[car].measures[border - 1]) if border else abs(there))
            for car, there in self._there(border)
            if not border or border - 1 in self.cars[car].measures
        ]
        if len(driven) < FIELD:
            return
        driven.sort(key=lambda one: (worse(self.measure) * one[1], one[0]))
        (first, best), (_second, next_best) = driven[:2]
        gap = abs(next_best - best)
        led = self._there(border)[0][1]
        if gap * BEST_SECTION < max(led, 1) or first == new_leader or border == 0:
            return
        yield here.scene("split", first, NEWS, border=border, time=best, gap=gap)

    def _ended(self, mark: Mark) -> Iterator[Scene]:
        """A car has finished or is out."""
        here = _Here(mark.car[0], mark.number, mark.at)
        if mark.kind == "out" and "out" not in self.tells[mark.car[0]]:
            yield here.scene("out" if mark.why else "out_unknown", mark.car, TURNING, why=mark.why)
        if mark.kind != "finish" or mark.measured is None or "finish" in self.tells[mark.car[0]]:
            return
        best, time = self.best, mark.measured
        if best is None:
            self.best = mark.car, time
            if len(self.cars) > 1:
                yield here.scene("first_in", mark.car, NEWS, time=time)
            else:
                yield here.scene("alone", mark.car, TURNING, time=time)
            return
        gap = abs(time - best[1])
        if worse(self.measure) * (time - best[1]) < 0:
            self.best = mark.car, time
            yield here.scene("best_in", mark.car, TURNING, time=time, gap=gap, rival=best[0])
        elif gap:
            yield here.scene("finish", mark.car, NEWS, time=time, gap=gap, rival=best[0])
        else:
            yield here.scene("finish_level", mark.car, NEWS, time=time, rival=best[0])

    def _over(self) -> Iterator[Scene]:
        """The stage has been driven: who was best on the road."""
        if not self.runs or not all(run.over and run.last for run in self.runs):
            return
        newest = max(self.runs, key=lambda run: (run.last[1], run.number) if run.last else ())
        assert newest.last is not None
        here = _Here(newest.key, *newest.last)
        if any("won" in tells for tells in self.tells.values()):
            return
        finals = [final for run in self.runs for final in run.finals]
        placed = sorted((one for one in finals if one.finished and one.measured is not None), key=self._place)
        if len(self.cars) == 1:
            if placed and placed[0].measured is not None and self.best is None:
                yield here.scene("alone", placed[0].car, TURNING, time=placed[0].measured)
            return
        if not placed:
            yield here.scene("nobody", self.runs[0].cars[0], TURNING)
            return
        first = placed[0]
        assert first.measured is not None
        if len(placed) == 1:
            yield here.scene("only_one", first.car, TURNING, time=first.measured)
            return
        second = placed[1]
        assert second.measured is not None
        gap = abs(second.measured - first.measured)
        facts = {"time": first.measured, "rival": second.car}
        if self._place(first) == self._place(second):
            yield here.scene("tie", first.car, TURNING, **facts)
        elif not gap:
            yield here.scene("won_level", first.car, TURNING, **facts)
        elif gap * CLOSE <= first.measured and self.measure.unit != "places":
            yield here.scene("won_close", first.car, TURNING, **facts, gap=gap)
        elif self.measure.unit == "places":
            yield here.scene("won_place", first.car, TURNING, rival=second.car)
        else:
            yield here.scene("won", first.car, TURNING, **facts, gap=gap)

    def _place(self, final: Final) -> tuple[int, tuple[int, ...]]:
        assert final.measured is not None
        return key_of(final.measured, final.rank, self.measure)


def _order(mark: Mark) -> tuple[object, ...]:
    return *mark.moment, mark.car, mark.border, mark.kind
