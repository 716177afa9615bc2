"""The organiser's board: every run of a stage, which turns wait, since when, until when, and which runs are stuck."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, Count, Exists, Max, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import JSONObject
from django.http import HttpRequest

from championship.accounts.models import User
from championship.clubs.models import Role
from championship.deadlines.health import PATIENCE
from championship.rallies.entries.driver_changes import CrewChange
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs.models import Post, Run, Seat, Turn
from championship.runs.watch import watching
from championship.runs.watch.deadline_health import lacks_open_turn
from championship.runs.watch.selectors import with_orders_ahead
from championship.runs.watch.waiting_turns import why_no_reminder

NEVER = Value(False, output_field=BooleanField())
"""The annotation of turns of which nothing is secret."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A turn that waits. `behind`: by how many turns it is behind the car of the stage that has made most; None where
    the viewer may not know that yet. `late`: its deadline has passed, or is within the rally's reminder time. `nudges`:
    whether its driver may be reminded. `orders_wait`: it waits for the cars ahead, with orders ahead of its driver.
    """

    turn: Turn
    behind: int | None
    late: bool
    nudges: bool
    orders_wait: bool
    changes: tuple[CrewChange, ...] = ()

    @property
    def entry(self) -> Entry:
        return self.turn.seat.entry

    @property
    def codriver_drives(self) -> bool:
        """Whether the codriver plays it."""
        return self.turn.seat.codriver_drives


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """A turn that looks open. `moved_at`: when its driver last moved in it. `orders_wait`: whether orders ahead of its
    driver wait. `missed_in_secret`: whether its car has missed a deadline of which only its driver may know.
    """

    turn: Turn
    moved_at: datetime | None
    orders_wait: bool
    missed_in_secret: bool


@dataclass(frozen=True, slots=True)
class BoardRun:
    """A run with its cars by position and its waiting turns. `stuck`: nothing will happen in it automatically, since a
    seat that is to play has no open turn, or the clock has not acted on a deadline.
    """

    run: Run
    seats: tuple[Seat, ...]
    waiting: tuple[Waiting, ...]
    stuck: bool

    @property
    def late(self) -> bool:
        return self.stuck or any(each.late for each in self.waiting)


@dataclass(frozen=True, slots=True)
class Board:
    """The runs of a stage: running ones, most urgent first, and those that are over."""

    on_the_road: tuple[BoardRun, ...]
    over: tuple[BoardRun, ...]

    @property
    def late(self) -> tuple[BoardRun, ...]:
        """The runs in which a turn is late, or nearly so, and those that are stuck."""
        return tuple(each for each in self.on_the_road if each.late)

    @property
    def may_be_reminded(self) -> tuple[Turn, ...]:
        """The turns that are late, or nearly so, and whose drivers may be reminded now."""
        return tuple(row.turn for each in self.on_the_road for row in each.waiting if row.late and row.nudges)


def board_of(
    rally: Rally,
    stage: SpecialStage,
    now: datetime,
    changes: Mapping[int, Sequence[CrewChange]] | None = None,
    *,
    viewer: User | None = None,
    sealed: bool = False,
) -> Board:
    """Return the board of one stage of a rally. Four queries for any number of runs. `changes`: changes of crews by
    entry. `sealed`: the viewer may not know yet how far other cars have come. A `viewer` who drives in a run in which
    something may be hidden sees its turns as a driver does: one more query.
    """
    runs = list(stage.runs.defer("stage", "entrants", "options").order_by("number"))
    seats: dict[int, list[Seat]] = defaultdict(list)
    for seat in Seat.objects.filter(special_stage=stage).select_related("entry__driver").order_by("position"):
        seats[seat.run_id].append(seat)
    turns: dict[int, list[OpenTurn]] = defaultdict(list)
    open_turns = Turn.objects.filter(run__special_stage=stage, ended_at=None, run__status=Run.Status.RUNNING)
    for row in _with_moves(open_turns):
        turns[row.turn.run_id].append(row)
    for run, name in _own_seats(runs, seats, viewer):
        seen = watching.looking_open(Turn.objects.filter(run=run), name)
        turns[run.pk] = _as_seen(run, seen, name)
        sealed = True
    most = None if sealed else _most_turns(stage)
    found, changed = [], changes or {}
    for run in runs:
        run.special_stage = stage
        waiting = tuple(_waiting(rally, row, most, now, changed) for row in turns[run.pk])
        stuck = _stuck(rally, run, [row.turn for row in waiting], now)
        found.append(BoardRun(run, tuple(seats[run.pk]), waiting, stuck))
    road = [each for each in found if each.run.status == Run.Status.RUNNING]
    road.sort(key=lambda each: (not each.stuck, min((w.turn.deadline for w in each.waiting), default=now)))
    return Board(tuple(road), tuple(each for each in found if each.run.status != Run.Status.RUNNING))


def _with_moves(
    turns: QuerySet[Turn], seat: watching.SeatName = None, *, missed_in_secret: Exists | Value = NEVER
) -> list[OpenTurn]:
    """Return open turns with what their drivers did last; for a `seat`, only its own turns have `moved_at`. One
    query.
    """
    own = Post.objects.filter(turn=OuterRef("pk"), by=OuterRef("seat__entry__driver"))
    own = own if seat is None else own.filter(turn__seat__name=seat)
    moved = Subquery(own.order_by().values("turn").annotate(last=Max("at")).values("last"))
    found = turns.annotate(moved_at=moved, orders_wait=with_orders_ahead(), missed_in_secret=missed_in_secret)
    return [
        OpenTurn(turn, turn.moved_at, turn.orders_wait, turn.missed_in_secret)
        for turn in found.select_related("seat__entry__driver").order_by("number")
    ]


def _as_seen(run: Run, turns: QuerySet[Turn], seat: str) -> list[OpenTurn]:
    """Return the turns of a run as a driver in it may know them. They do not show that the codriver has another car's
    wheel since a deadline that was missed in secret, or for one turn.
    """
    missed = Exists(watching.secret_misses(run).filter(seat=OuterRef("seat")))
    known = _with_moves(turns, seat, missed_in_secret=missed)
    for row in known:
        if row.turn.seat.name != seat:
            watching.hide_wheel(row.turn.seat, missed_in_secret=row.missed_in_secret)
    return known


def _own_seats(
    runs: Iterable[Run], seats: Mapping[int, Sequence[Seat]], viewer: User | None
) -> Iterator[tuple[Run, str]]:
    """Yield the viewer's runs in which something may be hidden, with the viewer's seat."""
    for run in runs:
        for seat in seats.get(run.pk, ()) if viewer is not None and watching.may_hide(run) else ():
            if viewer is not None and seat.entry.driver_id == viewer.pk:
                yield run, seat.name


def _most_turns(stage: SpecialStage) -> int:
    """Return the highest number of turns that a car of the stage has made. One query."""
    made = Turn.objects.filter(run__special_stage=stage).exclude(ended_at=None)
    last: int | None = made.aggregate(most=Max("made_before"))["most"]
    return 0 if last is None else last + 1


def _waiting(
    rally: Rally, row: OpenTurn, most: int | None, now: datetime, changes: Mapping[int, Sequence[CrewChange]]
) -> Waiting:
    turn = row.turn
    paused, codriver_drives = rally.paused_at is not None, turn.seat.codriver_drives
    sent = turn.to_come and row.orders_wait
    near = turn.deadline - now <= timedelta(hours=rally.reminder_hours)
    moved = max(turn.since, row.moved_at or turn.since)
    return Waiting(
        turn=turn,
        behind=None if most is None else max(0, most - turn.made_before),
        late=near and not paused and not codriver_drives and not sent,
        nudges=not why_no_reminder(turn, rally, now=now, moved=moved, orders_wait=sent),
        orders_wait=sent,
        changes=tuple(changes.get(turn.seat.entry_id, ())),
    )


def _stuck(rally: Rally, run: Run, turns: Iterable[Turn], now: datetime) -> bool:
    if run.status != Run.Status.RUNNING:
        return False
    waited = {turn.seat.name for turn in turns}
    unattended = rally.paused_at is None and any(turn.deadline <= now - PATIENCE for turn in turns)
    return unattended or lacks_open_turn(run, waited)


def replacement_drivers(rally: Rally) -> QuerySet[User]:
    """Return the drivers of the club who are not in the rally, by name. One query."""
    inside = rally.entries.filter(status__in=Entry.Status.entered())
    return (
        User.objects.filter(memberships__club=rally.club_id, memberships__roles__contains=[Role.DRIVER], is_active=True)
        .exclude(pk__in=inside.values("driver"))
        .order_by("name", "pk")
    )


def news_of_board(request: HttpRequest, key: str) -> Any:
    """Return everything that the board depends on: the status of rally and stages, every open turn, submitted cards.
    None when there is no such rally. One query; where something may be hidden, one more and the viewer's account. Turns
    of such a run in which the viewer drives are left out: the board must not change because of them.
    """
    turns = Turn.objects.filter(
        run__special_stage__rally=OuterRef("pk"), ended_at=None, run__status=Run.Status.RUNNING
    ).order_by("run", "number")
    seen = JSONObject(
        turn="pk",
        until="deadline",
        nudged="nudged_at",
        driver="seat__entry__driver",
        by="seat__entry__driven_by",
        wheel="seat__codriver_since",
        run="run",
        game="run__game",
        hidden="run__hidden",
    )
    stages = SpecialStage.objects.filter(rally=OuterRef("pk")).order_by("number")
    cards = stages.annotate(cards_in=Count("cards"))
    row = (
        Rally.objects.filter(key=key)
        .annotate(
            turns_now=ArraySubquery(turns.values(json=seen)),
            stages_now=ArraySubquery(cards.values(json=JSONObject(status="status", cards="cards_in"))),
        )
        .values("status", "paused_at", "turns_now", "stages_now")
        .first()
    )
    found: dict[str, Any] | None = None if row is None else dict(row)
    hidden = set[int]()
    if found:
        hides = {game: watching.game_hides_events(game) for game in {turn["game"] for turn in found["turns_now"]}}
        hidden = {turn["run"] for turn in found["turns_now"] if turn["hidden"] or hides[turn["game"]]}
    if found and hidden:
        own = set(Seat.objects.filter(run__in=hidden, entry__driver=request.user.pk).values_list("run", flat=True))
        found["turns_now"] = [turn for turn in found["turns_now"] if turn["run"] not in own]
    return found
