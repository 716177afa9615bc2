"""The story of a stage: sentences told from its events, in the reader's language.

The story is computed from the events that everybody may read, so nothing that is sealed or hidden can show in it. It
spans all runs of a stage: on the open road each car has a run of its own. What it needs of a run is kept until the run
changes, as splits are (gaps.py). Nothing of it is stored: an older database, or one restored from an archive, has its
stories at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db.models import Max, QuerySet
from django.urls import reverse

from championship import catalogue
from championship.platform.memory import Memory
from championship.platform.prepared_queries import any_of, prepared, run_together
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.rallies.results.measures import measure_of_game
from championship.rallies.selectors import Viewer
from championship.runs.models import Event, Run, Seat
from championship.runs.watch import gaps, watching
from championship.runs.watch.story.beats import NEWS, TURNING, CarKey, Happened, Scene, ToldRun
from championship.runs.watch.story.plot import plotted
from championship.runs.watch.story.run_marks import RunMarks, marks_of
from championship.runs.watch.story.wording import Worder, gap_told
from engine import registry

KEPT_SECONDS = 24 * 3600
"""For how many seconds the marks of runs are cached."""
FEW = 6
"""With fewer sentences than these, a story also tells its colour."""
BIG = ("state", "stage", "entrants", "options")
"""Columns of runs that are read only where a run is computed."""


@dataclass(frozen=True, slots=True)
class Told:
    """One sentence of a story, in the language that was active. `weight`: 1 colour, 2 news, 3 a turning point. `entry`:
    whom it is about, None for nobody. `moment`: the event's number in the replay, 0 where there is no link to it.
    `number`: the event's number in the run.
    """

    text: str
    kind: str
    weight: int
    run: Run
    entry: Entry | None
    at: datetime
    moment: int
    number: int

    @property
    def turning(self) -> bool:
        """Whether it is a turning point."""
        return self.weight >= TURNING

    def is_at(self, run: int, event: int, kind: str) -> bool:
        """Return whether it is a sentence of that kind after that event of that run."""
        return (self.run.pk, self.number, self.kind) == (run, event, kind)

    @property
    def replay(self) -> str:
        """The address of the replay at this moment, "" for none."""
        return f"{reverse('runs:replay', args=[self.run.key])}?at={self.moment}" if self.moment else ""


@dataclass(frozen=True, slots=True)
class Since:
    """What others did since a driver's last own turn, the newest first, and what it means for the driver: "You are 12 s
    behind Ada.", "" where that is not known.
    """

    told: list[Told] = field(default_factory=list)
    gap: str = ""

    @property
    def text(self) -> str:
        """All of it as one paragraph, "" for nothing."""
        return " ".join([*(one.text for one in self.told), *([self.gap] if self.gap else [])])


def of_stage(special_stage: SpecialStage, viewer: Viewer) -> list[Told]:
    """Return the whole story of a stage, the oldest sentence first. Four queries at most, one more where draws are
    shared, and the cache.

    Raises: NotYet when the viewer may not watch each of the runs yet.
    """
    (stage,) = _read([special_stage])
    if not watching.may_watch_all(special_stage, stage.runs, viewer):
        raise watching.not_yet(special_stage)
    return stage.told()


def of_stages(special_stages: Iterable[SpecialStage], viewer: Viewer) -> dict[int, list[Told]]:
    """Return the whole stories of several stages by stage, an empty one where the viewer may not watch each run. The
    same queries as `latest`.
    """
    found = {stage.special_stage.pk: stage for stage in _read(list(special_stages))}
    return {
        pk: stage.told() if watching.may_watch_all(stage.special_stage, stage.runs, viewer) else []
        for pk, stage in found.items()
    }


def of_run(run: Run, viewer: Viewer) -> list[Told]:
    """Return the story that the page of a run shows, the oldest sentence first: that of all cars which the viewer may
    watch. The same queries as `of_stage`, two more where draws are shared.

    Raises: NotYet when the viewer may not watch the run yet.
    """
    watching.require_may_watch(run, viewer)
    (stage,) = _read([run.special_stage])
    if watching.may_watch_all(run.special_stage, stage.runs, viewer):
        alone = len(stage.cars_of(run.pk)) == 1
        return [one for one in stage.told() if alone or one.run.pk == run.pk]
    return stage.only(run.pk).told()


def main_points(told: Sequence[Told]) -> list[Told]:
    """Return the sentences of a story that are worth reading later: without colour, unless there is little else."""
    news = [one for one in told if one.weight >= NEWS]
    return news if len(news) >= FEW else list(told)


def latest(
    special_stages: Iterable[SpecialStage], viewer: Viewer, most: int = 5, *, runs: Sequence[Run] | None = None
) -> list[Told]:
    """Return the newest sentences of several stages, the newest first, without stages that the viewer may not watch in
    whole. Four queries at most for any number of stages, one more for each whose draws are shared, and the cache; two
    fewer with `runs`: all runs of these stages, where the page has read them with their seats and entries.
    """
    found = list[tuple[datetime, int, int, Told]]()
    for stage in _read(list(special_stages), runs):
        if watching.may_watch_all(stage.special_stage, stage.runs, viewer):
            news = enumerate(one for one in stage.told() if one.weight >= NEWS)
            found += [(one.at, stage.special_stage.pk, place, one) for place, one in news]
    return [entry[-1] for entry in sorted(found, key=lambda entry: entry[:-1], reverse=True)[:most]]


def headlines_of(rallies: Sequence[Rally]) -> dict[int, str]:
    """Return one sentence about each rally, by its id, for pictures and papers: the last turning point of its newest
    stage that is over, if possible neither a win nor a retirement; "" for none. Five queries at most for any number of
    rallies, and the cache.
    """
    told = [rally for rally in rallies if not (rally.practice or rally.for_everybody)]
    done = SpecialStage.objects.filter(rally__in=told, status=SpecialStage.Status.DONE)
    newest = done.select_related("rally").order_by("rally_id", "-number").distinct("rally_id")
    stages = list(newest) if told else []
    stories = of_stages(stages, AnonymousUser()) if stages else {}
    found = {rally.pk: "" for rally in rallies}
    for stage in stages:
        turning = [one for one in stories.get(stage.pk, ()) if one.turning]
        before = [one for one in turning if not one.kind.startswith(("won", "out"))]
        found[stage.rally_id] = next((one.text for one in reversed(before or turning)), "")
    return found


def since(seats: Sequence[Seat], viewer: Viewer, most: int = 2) -> dict[int, Since]:
    """Return what is worth telling about others since each seat's last own turn, by the seat's primary key. The seats
    have their runs, stages and rallies. Two trips to the database at most for any number of seats, one more for each
    stage whose draws are shared, and the cache.
    """
    special_stages = {seat.run.special_stage_id: seat.run.special_stage for seat in seats}
    known = {"stages": list(special_stages)}
    newest, runs, all_seats = run_together(
        _newest.bind(seats=[seat.pk for seat in seats]), _runs.bind(**known), _seats.bind(**known)
    )
    last = {seat: (number, at) for seat, number, at in newest}
    read = _read(list(special_stages.values()), watching.with_seats(runs, all_seats))
    stages = {stage.special_stage.pk: stage for stage in read}
    found = {}
    for seat in seats:
        stage = stages.get(seat.run.special_stage_id)
        if stage is None:
            found[seat.pk] = Since()
            continue
        if not watching.may_watch_all(stage.special_stage, stage.runs, viewer):
            stage = stage.only(seat.run_id)
        number, at = last.get(seat.pk, (0, None))
        new = [one for one in stage.told() if _is_news(one, seat, number, at)]
        worth = [one for one in new if one.weight >= NEWS] or new
        found[seat.pk] = Since(worth[::-1][:most], stage.gap_of(seat))
    return found


def _is_news(one: Told, seat: Seat, number: int, at: datetime | None) -> bool:
    """Return whether a sentence is about another car and is newer than the seat's last event."""
    if one.entry is None or one.entry.pk == seat.entry_id:
        return False
    if one.run.pk == seat.run_id:
        return one.number > number
    return at is None or one.at > at


# Reading ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Stage:
    """A stage with its runs, their seats and their marks, ready to be told."""

    special_stage: SpecialStage
    runs: list[Run]
    marks: list[RunMarks]
    course: Any

    def cars_of(self, run_id: int) -> list[Seat]:
        return next((list(run.seats.all()) for run in self.runs if run.pk == run_id), [])

    def only(self, run_id: int) -> _Stage:
        """Return the stage with one of its runs."""
        runs = [run for run in self.runs if run.pk == run_id]
        return _Stage(self.special_stage, runs, [one for one in self.marks if one.key == run_id], self.course)

    @property
    def seats(self) -> dict[CarKey, Seat]:
        return {(run.pk, seat.name): seat for run in self.runs for seat in run.seats.all()}

    def told(self) -> list[Told]:
        """Return the story, the oldest sentence first. No query."""
        if not self.runs:
            return []
        game, seats = self.runs[0].game, self.seats
        runs = {run.pk: run for run in self.runs}
        names = {car: seat.entry.crew for car, seat in seats.items()}
        measure = measure_of_game(game)
        seed = f"{self.special_stage.rally.key} {self.special_stage.number}"
        worder = Worder(game, self.course, names, measure, seed)
        found = []
        for scene in plotted(self.marks, measure):
            text = worder.sentence(scene)
            if text is not None:
                found.append(_told(scene, text, runs[scene.run], seats))
        return found

    def gap_of(self, seat: Seat) -> str:
        """Return the seat's gap at the last border that it has passed, in words. No query."""
        names = {car: one.entry.crew for car, one in self.seats.items()}
        return gap_told((seat.run_id, seat.name), self.marks, names, measure_of_game(seat.run.game))


def _told(scene: Scene, text: str, run: Run, seats: Mapping[CarKey, Seat]) -> Told:
    seat = seats.get(tuple(scene.beat.facts.get("who", scene.car)))
    hides = run.hidden and run.status == Run.Status.RUNNING  # then every reader has other numbers
    return Told(
        text=text,
        kind=scene.beat.kind,
        weight=scene.beat.weight,
        run=run,
        entry=seat.entry if seat else None,
        at=scene.at,
        moment=0 if hides else scene.beat.number,
        number=scene.beat.number,
    )


def _read(special_stages: Sequence[SpecialStage], read: Sequence[Run] | None = None) -> list[_Stage]:
    """Return these stages, once each, without those of games that are not installed. Four queries at most. `read`:
    their runs, where they have been read.
    """
    known = {stage.pk: stage for stage in special_stages if stage.rally.game in catalogue.names()}
    runs: dict[int, list[Run]] = defaultdict(list)
    for run in _runs_of(known) if read is None else read:
        if run.special_stage_id in known:
            run.special_stage = known[run.special_stage_id]
            runs[run.special_stage_id].append(run)
    courses, marks = _marks(known, runs)
    return [
        _Stage(known[stage], runs[stage], [marks[stage][run.pk][1] for run in runs[stage]], courses.get(stage))
        for stage in known
    ]


def _runs_of(special_stages: Collection[int]) -> Iterable[Run]:
    """Return the runs of stages with their seats, entries and drivers. One trip to the database."""
    stages = list(special_stages)
    runs, seats = run_together(_runs.bind(stages=stages), _seats.bind(stages=stages)) if stages else ([], [])
    return watching.with_seats(runs, seats)


@prepared
def _newest(seats: Any) -> QuerySet[Event, tuple[Any, ...]]:
    """The number and the time of the last event of each of these seats."""
    driven = Event.objects.filter(post__turn__seat__in=any_of(seats)).order_by()
    seen = driven.values("post__turn__seat").annotate(last=Max("number"), last_at=Max("post__at"))
    return seen.values_list("post__turn__seat", "last", "last_at")


@prepared
def _runs(stages: Any) -> QuerySet[Run]:
    return Run.objects.filter(special_stage__in=any_of(stages)).defer(*BIG).order_by("number")


@prepared
def _seats(stages: Any) -> QuerySet[Seat]:
    seats = Seat.objects.filter(run__special_stage__in=any_of(stages))
    return seats.select_related("entry__driver").order_by("position")


Kept = dict[int, tuple[str, RunMarks]]
"""The marks of a stage's runs, each with what it was computed from."""
MARKS: Memory[tuple[Any, RunMarks]] = Memory(1000)
"""The course and the marks of runs, by the key of the run and what they were computed from."""


def _name(special_stage_id: int) -> str:
    return f"story-{special_stage_id}"


def _marks(
    stages: Mapping[int, SpecialStage], runs: Mapping[int, Sequence[Run]]
) -> tuple[dict[int, Any], dict[int, Kept]]:
    """Return courses and marks by stage: from the memory of this process, from the shared cache where the process knows
    nothing of a run, else computed in one trip to the database. Only a process that knew nothing writes to that cache.
    """
    courses, marks = dict[int, Any](), {stage: Kept() for stage in stages}
    driven = [(stage, run) for stage in stages for run in runs[stage]]
    for stage, run in driven:
        if (known := MARKS.get(run.key, _basis(run))) is not None:
            courses[stage], marks[stage][run.pk] = known[0], (_basis(run), known[1])
    begun = {stage for stage, run in driven if run.pk not in marks[stage] and not MARKS.knows(run.key)}
    cached = cache.get_many(map(_name, begun)) if begun else {}
    for stage, run in driven:
        course, kept = cached.get(_name(stage), (None, {}))
        if run.pk not in marks[stage] and kept.get(run.pk, ("",))[0] == _basis(run):
            courses[stage], marks[stage][run.pk] = course, kept[run.pk]
    stale = {run.pk: run for stage, run in driven if run.pk not in marks[stage]}
    for told in _told_runs(list(stale.values())):
        run = stale[told.key]
        courses.setdefault(run.special_stage_id, told.course)
        gaps.remember(run, told.setup, [dict(one.event) for one in told.happened])
        marks[run.special_stage_id][run.pk] = _basis(run), marks_of(told)
    fresh = begun.intersection(run.special_stage_id for run in stale.values())
    if fresh:
        cache.set_many({_name(stage): (courses[stage], marks[stage]) for stage in fresh}, KEPT_SECONDS)
    for stage, run in driven:
        basis, known_marks = marks[stage][run.pk]
        MARKS.put(run.key, basis, (courses[stage], known_marks))
    return courses, marks


def _basis(run: Run) -> str:
    """What the marks of a run were computed from. A club that is deleted and restored has its runs' keys again, but not
    their primary keys, and marks hold these.
    """
    return f"{run.pk} {run.version} {run.status}"


def _told_runs(runs: Sequence[Run]) -> list[ToldRun]:
    """Return runs with the events that everybody may read. One trip to the database, none without runs."""
    if not runs:
        return []
    upto = {run.pk: run.events_told for run in runs}
    happened: dict[int, list[Happened]] = defaultdict(list)
    known = {"runs": list(upto)}
    rows, whole, over = run_together(_readable_events.bind(**known), _setups.bind(**known), _ends.bind(**known))
    ends = dict(over)
    for pk, number, data, post, at in rows:
        if number <= upto[pk]:
            happened[pk].append(Happened(number, post, at, data))
    found = []
    for run in whole:
        rules = registry.get(run.game)
        result = rules.result(ends[run.pk]) if run.pk in ends else None
        found.append(
            ToldRun(
                key=run.pk,
                number=run.number,
                game=run.game,
                course=run.stage,
                seats=[str(one["id"]) for one in run.entrants],
                setup=rules.setup(run.stage, run.entrants, run.options),
                happened=happened[run.pk],
                over=result is not None,
                results=result.seats if result else (),
            )
        )
    return found


@prepared
def _readable_events(runs: Any) -> QuerySet[Event, tuple[Any, ...]]:
    readable = Event.objects.filter(watching.readable(None), run__in=any_of(runs)).order_by("run", "number")
    return readable.values_list("run_id", "number", "data", "post__number", "post__at")


@prepared
def _setups(runs: Any) -> QuerySet[Run]:
    return Run.objects.filter(pk__in=any_of(runs)).only("number", "game", "stage", "entrants", "options").order_by("pk")


@prepared
def _ends(runs: Any) -> QuerySet[Run, tuple[Any, ...]]:
    """The last states of those that are over."""
    over = Run.objects.filter(pk__in=any_of(runs), status=Run.Status.FINISHED)
    return over.order_by("pk").values_list("pk", "state")
