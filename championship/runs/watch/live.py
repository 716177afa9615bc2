"""A stage on the road as spectators see it: its tables with who drives, who leads on the road, and what happened last.

Everybody sees the same here, a driver too: only what a spectator may know. Where the runs of a stage share their random
draws, spectators may not watch them yet, so nothing is told of any of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Subquery, When
from django.utils.translation import gettext

from championship import catalogue
from championship.catalogue.words import Words
from championship.platform.prepared_queries import BoundQuery, Prepared, any_of, prepared, run_together
from championship.rallies.models import Entry, SpecialStage, StageTime
from championship.rallies.results import measures
from championship.rallies.selectors import Viewer
from championship.runs.models import Event, Run, Seat, Turn
from championship.runs.watch import gaps, story, watching
from championship.runs.watch.gaps import CarGaps, Gaps
from championship.runs.watch.story import Told
from engine import registry

MOST_TOLD = 5
"""The sentences that are told of what happened last."""
SPECTATOR = AnonymousUser()

TopicsBeside = Callable[[Run, Viewer], Sequence[str]]
_topics_beside: list[TopicsBeside] = []


@dataclass(frozen=True, slots=True)
class LiveTable:
    """One run of the stage. `driving`: the cars that it waits for. `arrived`: how many cars have finished. `border`:
    how far its first car has come, in words; "" where nothing is known.
    """

    run: Run
    entries: tuple[Entry, ...]
    driving: tuple[Entry, ...]
    arrived: int
    border: str

    @property
    def over(self) -> bool:
        return self.run.status != Run.Status.RUNNING

    @property
    def cars(self) -> int:
        return len(self.entries)

    @property
    def shown(self) -> tuple[Any, ...]:
        """All that a page shows of it."""
        crews = tuple((entry.crew, entry in self.driving) for entry in self.entries)
        return self.run.key, self.run.number, self.over, self.arrived, self.border, crews


@dataclass(frozen=True, slots=True)
class RoadLeader:
    """The best car on the road, and the next one that has been where the best was measured last. `where`, `measured`
    and `gap` are in words.
    """

    entry: Entry
    where: str
    measured: str
    second: Entry | None
    gap: str


@dataclass(frozen=True, slots=True)
class Live:
    """A stage on the road. `tables`: those on which something is driven first. `secret`: the runs may not be watched
    yet, so only the names of the drivers are told.
    """

    stage: SpecialStage
    tables: tuple[LiveTable, ...]
    leader: RoadLeader | None = None
    told: tuple[Told, ...] = ()
    secret: bool = False

    @property
    def arrived(self) -> int:
        """How many cars have finished the stage, as a spectator may know."""
        return sum(table.arrived for table in self.tables)

    @property
    def has_splits(self) -> bool:
        """Whether there is a page of splits and gaps."""
        return gaps.has_splits(self.stage.rally.game)


def sealing_games() -> tuple[str, ...]:
    """The installed games that hide events."""
    return tuple(name for name in registry.names() if watching.game_hides_events(name))


def version_query(rally_key: str) -> BoundQuery[tuple[Any, ...]]:
    """Return the query of everything on which the live part of a rally's page depends."""
    return _seen_of_runs(sealing_games()).bind(rally=rally_key)


@lru_cache(maxsize=8)
def _seen_of_runs(sealing: tuple[str, ...]) -> Prepared[tuple[Any, ...]]:
    """Return the query for the installed games. `sealing`: those that hide events."""
    return prepared(lambda rally: seen_by_spectators(rally, sealing))


def seen_by_spectators(rally: Any, sealing: Collection[str]) -> QuerySet[Run, tuple[Any, ...]]:
    """Return the runs on the road with a number that grows with everything that a spectator may read. For a game that
    hides events it is that of the newest readable event, always: a version that moved with hidden posts would tell of
    them. Runs that share their draws are left out.
    """
    readable = Event.objects.filter(watching.readable(None), run=OuterRef("pk")).order_by("-number").values("number")
    seen = Case(When(Q(hidden=True) | Q(game__in=sealing), then=Subquery(readable[:1])), default=F("version"))
    runs = Run.objects.filter(
        special_stage__rally__key=rally, special_stage__status=SpecialStage.Status.RUNNING, common=None
    )
    return runs.annotate(seen=seen).order_by("pk").values_list("pk", "status", "seen", "open_up_to")


def runs_of_stage(rally: str, number: int, **_known: Any) -> BoundQuery[tuple[Any, ...]]:
    """Return the query of everything of the runs that the page of a stage shows: which there are, whether each is over,
    and its version as soon as a car of the stage has a result.
    """
    return _runs_of_stage.bind(rally=rally, number=number)


@prepared
def _runs_of_stage(rally: Any, number: Any) -> QuerySet[Run, tuple[Any, ...]]:
    timed = Exists(StageTime.objects.filter(special_stage=OuterRef("special_stage")))
    found = Run.objects.filter(special_stage__rally__key=rally, special_stage__number=number)
    moved = Case(When(timed, then=F("version")), default=0)
    return found.annotate(moved=moved).order_by("pk").values_list("pk", "status", "moved")


def register_topics(beside: TopicsBeside) -> None:
    """Register what returns the topics that a viewer hears of beside a run, whose page shows it too."""
    if beside not in _topics_beside:
        _topics_beside.append(beside)


def topics_for(run: Run, viewer: Viewer) -> list[str]:
    """Return the topics of the stream of a run's page: the run, and what upper apps show beside it."""
    return [f"run {run.key}", *(topic for beside in _topics_beside for topic in beside(run, viewer))]


def stream_versions(topics: Sequence[str]) -> dict[str, Any]:
    """Return the versions of the topics "run KEY" for the streams of open pages (`platform/web/live_streams.py`), as a
    spectator may know them: no post that is hidden moves them. One query. Runs that share their draws have none.
    """
    keys = [topic.removeprefix("run ") for topic in topics if topic.startswith("run ")]
    if not keys:
        return {}
    sealing = sealing_games()
    rows = _moves_of_runs(sealing)(keys=keys)
    return {f"run {row[0]}": row[1:] for row in rows}


@lru_cache(maxsize=8)
def _moves_of_runs(sealing: tuple[str, ...]) -> Prepared[tuple[Any, ...]]:
    return prepared(lambda keys: _moves(keys, sealing))


def _moves(keys: Any, sealing: Collection[str]) -> QuerySet[Run, tuple[Any, ...]]:
    """Return runs by key, each with what a spectator sees move. Where posts may be hidden, deadlines are left out: they
    end with a turn.
    """
    readable = Event.objects.filter(watching.readable(None), run=OuterRef("pk")).order_by("-number").values("number")
    hides = Q(hidden=True) | Q(game__in=sealing)
    open_turns = Turn.objects.filter(run=OuterRef("pk"), ended_at=None, to_come=False).order_by("number")
    seen = Case(When(hides, then=Subquery(readable[:1])), default=F("version"))
    due = Case(When(hides, then=None), default=ArraySubquery(open_turns.values("deadline")))
    rally = "special_stage__rally"
    rows = Run.objects.filter(key__in=any_of(keys, "text"), common=None).annotate(seen=seen, due=due).order_by("pk")
    return rows.values_list(
        "key", "seen", "status", "open_up_to", "due", f"{rally}__paused_at", f"{rally}__evening_since"
    )


def of_stage(stage: SpecialStage) -> Live:
    """Return the live part of a stage for spectators. One trip to the database, one more where something may be hidden
    or draws are shared. After a turn two more, for the splits and the story of its run; in a process that begins also
    those to the caches of splits and of stories.
    """
    read, seats, turns = run_together(
        _runs.bind(stage=stage.pk), _seats.bind(stage=stage.pk), _open_turns.bind(stage=stage.pk)
    )
    for run in read:
        run.special_stage = stage
    watching.with_seats(read, seats)
    runs = [run for run in read if run.status != Run.Status.CANCELLED]
    if not watching.may_watch_all(stage, runs, SPECTATOR):
        return Live(stage, tuple(_table(run, (), ()) for run in runs), secret=True)
    known = bool(runs) and runs[0].game in catalogue.names()
    told = story.latest([stage], SPECTATOR, MOST_TOLD, runs=read) if known else ()
    timed = gaps.of_runs(stage, runs, SPECTATOR) if runs and gaps.has_splits(runs[0].game) else None
    driving, cars = _driving(runs, turns), defaultdict[int, list[CarGaps]](list)
    for car in timed.cars if timed else ():
        cars[car.run.pk].append(car)
    tables = sorted((_table(run, driving.get(run.pk, ()), cars[run.pk]) for run in runs), key=lambda table: table.over)
    return Live(
        stage=stage,
        tables=tuple(tables),
        leader=_leader(timed, stage.rally.words) if timed else None,
        told=tuple(told),
    )


@prepared
def _runs(stage: Any) -> QuerySet[Run]:
    return Run.objects.filter(special_stage=stage).defer(*story.BIG, "phrases").order_by("number")


@prepared
def _seats(stage: Any) -> QuerySet[Seat]:
    return Seat.objects.filter(run__special_stage=stage).select_related("entry").order_by("position")


@prepared
def _open_turns(stage: Any) -> QuerySet[Turn, tuple[Any, ...]]:
    """The run and the entry of each open turn."""
    turns = Turn.objects.filter(run__special_stage=stage, run__status=Run.Status.RUNNING, ended_at=None, to_come=False)
    return turns.order_by("number").values_list("run_id", "seat__entry_id")


def _driving(runs: Sequence[Run], turns: Sequence[tuple[int, int]]) -> Mapping[int, list[int]]:
    """Return the entries that each run waits for, by the run's id, as a spectator may know. `turns`: what is open. One
    query where something may be hidden, else none.
    """
    sealing = {game for game in {run.game for run in runs} if watching.game_hides_events(game)}
    hiding = [run.pk for run in runs if run.status == Run.Status.RUNNING and (run.hidden or run.game in sealing)]
    seen = [each for each in turns if each[0] not in hiding]
    if hiding:
        open_now = watching.looking_open(Turn.objects.filter(run__in=hiding), None).filter(to_come=False)
        seen += open_now.order_by("number").values_list("run_id", "seat__entry_id")
    found: dict[int, list[int]] = defaultdict(list)
    for run, entry in seen:
        found[run].append(entry)
    return found


def _table(run: Run, waits_for: Sequence[int], cars: Sequence[CarGaps]) -> LiveTable:
    """Return a run as a table. `waits_for`: the entries that drive now. `cars`: its cars with their times."""
    entries = tuple(seat.entry for seat in run.seats.all())
    over = run.status != Run.Status.RUNNING
    return LiveTable(
        run=run,
        entries=entries,
        driving=tuple(entry for entry in entries if entry.pk in waits_for),
        arrived=len(entries) if over else sum(car.finish is not None for car in cars),
        border=_place(max((len(car.passed) for car in cars), default=0), run.special_stage.rally.words),
    )


def _place(border: int, words: Words) -> str:
    """Return the name of a border, "" for 0."""
    return str(words.border) % {"number": border} if border else ""


def _leader(timed: Gaps, words: Words) -> RoadLeader | None:
    """Return the best car at the place to which the first car has come; None before any car has passed a border."""
    if not timed.cars or not (timed.cars[0].finish or timed.cars[0].passed):
        return None
    first, *others = timed.cars
    border = 0 if first.finish else len(first.passed)
    second = next((car for car in others if _at(car, border) is not None), None)
    at, behind = _at(first, border), _at(second, border) if second else None
    return RoadLeader(
        entry=first.seat.entry,
        where=_place(border, words) or gettext("Finish"),
        measured=measures.total(at.measured if at else None, timed.measure),
        second=second.seat.entry if second else None,
        gap=measures.gap(behind.gap, timed.measure) if behind else "",
    )


def _at(car: CarGaps, border: int) -> gaps.Time | None:
    """Return the time of a car at a border, or at the finish for 0."""
    return car.finish if not border else car.times[border - 1]
