"""What pages about runs depend on, read in one cheap query each, for pages that poll for changes."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.core import signing
from django.db.models import (
    BooleanField,
    Count,
    ExpressionWrapper,
    FilteredRelation,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
)
from django.db.models.functions import Cast, JSONObject
from django.http import HttpRequest

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.selectors import duties_of
from championship.platform.prepared_queries import BoundQuery, any_of, prepared, run_together
from championship.platform.web.request_values import RequestValue
from championship.rallies.models import Entry, SpecialStage
from championship.rallies.selectors import Viewer
from championship.runs.models import Run, Seat, Turn
from championship.runs.watch import selectors, watching
from championship.runs.watch.selectors import RunPage

SALT = "championship.turns"


def of_run(request: HttpRequest, key: str) -> list[Any] | None:
    """Return what the stage page of this run depends on. None when there is no such run, or when the reader may not
    watch it: then even a reader who still has an old tag must not learn whether the run has moved on. One query. Where
    draws are shared, three more and the reader's account; where something is hidden, four more and the account.
    """
    return of_rows(request, key, _moved_on(key=key))


def of_stage_page(request: HttpRequest, key: str) -> list[Any] | None:
    """Return the same as `of_run`; for a run that is over, with what `after` returns, because its page shows the stand
    of the stage and what comes next. Then there is one query more.
    """
    found = of_run(request, key)
    if found and found[0][1] == Run.Status.FINISHED:
        found.append(after(key))
    return found


def after(key: str) -> list[list[Any]]:
    """Return the status of each stage of the rally of this run, and how many of its runs are over. One query."""
    over = Count("runs", filter=Q(runs__status=Run.Status.FINISHED))
    stages = SpecialStage.objects.filter(rally=Subquery(Run.objects.filter(key=key).values("special_stage__rally")[:1]))
    return [list(row) for row in stages.annotate(over=over).order_by("number").values_list("status", "over")]


def of_rows(request: HttpRequest, key: str, rows: Sequence[tuple[Any, ...]]) -> list[Any] | None:
    """Return the same as `of_run` from the rows of its first query. No further query where nothing is
    shared or hidden.
    """
    found = [list(row[:-2]) for row in rows]
    if found and rows[0][-2] and not watching.may_watch(selectors.unchecked_run_by_key(key), request.user):
        return None
    if found and rows[0][-1]:
        return _as_seen(selectors.unchecked_run_by_key(key), request.user)
    return found or None


def run_query_with_wheels(key: str) -> BoundQuery[tuple[Any, ...]]:
    """Return the query of `of_run` with one more column at the end: who has the wheel of each car and since when, each
    as JSON text, for `wheels_visible_to`. It is one statement, since a second one would cost more than its data is
    worth.
    """
    return _moved_on_with_wheels.bind(key=key)


def wheels_visible_to(rows: Sequence[str], viewer: Viewer) -> list[list[Any]]:
    """Return who has the wheel of the cars of a run, and since when, as far as the viewer may know it. `rows`: the last
    column of `run_query_with_wheels`. No query.
    """
    seats = [json.loads(each) for each in rows]
    for seat in seats:
        secret, turn_only = seat.pop("secret"), seat["given"] == Seat.HandedOver.TURN
        if (secret or turn_only) and seat["driver"] != viewer.pk:
            seat["since"], seat["given"] = None, ""
    return [list(seat.values()) for seat in seats]


COLUMNS = (
    *("version", "status", "special_stage__rally__status", "special_stage__rally__paused_at"),
    *("waits__number", "waits__deadline"),
    *(ExpressionWrapper(Q(common__isnull=False), BooleanField()), "hidden"),
)


def _rows_of(key: Any) -> QuerySet[Run]:
    waits = FilteredRelation("turns", condition=Q(turns__ended_at=None))
    return Run.objects.filter(key=key).annotate(waits=waits).order_by("waits__number")


@prepared
def _moved_on(key: Any) -> QuerySet[Run, tuple[Any, ...]]:
    return _rows_of(key).values_list(*COLUMNS)


@prepared
def _moved_on_with_wheels(key: Any) -> QuerySet[Run, tuple[Any, ...]]:
    wheel = JSONObject(
        seat="name",
        since="codriver_since",
        given="handed_over",
        by="entry__driven_by",
        driver="entry__driver",
        secret=watching.missed_in_secret(),
    )
    seats = Seat.objects.filter(run=OuterRef("pk")).order_by("position").values(wheel=Cast(wheel, TextField()))
    return _rows_of(key).values_list(*COLUMNS, ArraySubquery(seats))


def _as_seen(run: Run, viewer: Viewer) -> list[Any]:
    """Return the same as `of_run` for a run in which something is hidden: other seats' hidden posts do
    not change it.
    """
    seat = watching.seat_of(run, viewer)
    return _version_rows(run, watching.post_count_for(run, seat), list(watching.turns_for(run, seat)))


def of_page(page: RunPage, follows: list[list[Any]] | None = None) -> list[Any]:
    """Return the same as `of_stage_page` for a stage page that has been read. `follows`: what `after` has returned;
    None where the page does not depend on it. No query.
    """
    rows = _version_rows(page.run, page.post_count, page.turns)
    return rows if follows is None else [*rows, follows]


def _version_rows(run: Run, post_count: int, turns: Sequence[Turn]) -> list[Any]:
    rally = run.special_stage.rally
    head = [post_count, run.status, rally.status, rally.paused_at]
    return [[*head, turn.number, turn.deadline] for turn in turns] or [[*head, None, None]]


@dataclass(frozen=True, slots=True)
class WaitingTurns:
    """The open turns of all runs in which a person drives. `waiting` counts those that wait for this driver."""

    turns: list[tuple[int, int, int, datetime]]
    waiting: int


def waiting_turns_of(driver_id: int) -> WaitingTurns:
    """Return what the page of a driver's turns depends on. One query with narrow rows: each is a few numbers."""
    return _waiting_turns(driver_id, _turns_of_their_runs(driver=driver_id))


def _waiting_turns(driver_id: int, rows: Sequence[tuple[Any, ...]]) -> WaitingTurns:
    turns, waiting, hidden = [], 0, set[int]()
    for run, version, number, deadline, driver, driven_by, codriver, to_come, sent, hides in rows:
        own = driver == driver_id and driven_by == Entry.DrivenBy.PERSON and codriver is None
        waiting += own and not (to_come and sent)
        if hides:
            hidden.add(run)
        else:
            turns.append((run, version, number, deadline))
    return WaitingTurns(turns + _hidden_turns(hidden, driver_id), waiting)


_WAITING_TURNS: RequestValue[WaitingTurns] = RequestValue("waiting_turns")
_HAS_DUTIES: RequestValue[bool] = RequestValue("has_duties")


def waiting_turns_of_reader(request: SignedInRequest) -> WaitingTurns:
    """Return the same for the reader of a page, read once for each request, together with the reader's duties."""
    found = _WAITING_TURNS.of(request)
    return put_reader(request, *run_together(*queries_of_reader(request.user))) if found is None else found


def queries_of_reader(reader: User) -> tuple[BoundQuery[tuple[Any, ...]], BoundQuery[tuple[Any, ...]]]:
    """Return the queries of `waiting_turns_of_reader`, for a page that reads them with all else, before it."""
    return _turns_of_their_runs.bind(driver=reader.pk), duties_of.bind(person=reader.pk)


def put_reader(request: SignedInRequest, turns: Sequence[Any], duties: Sequence[Any]) -> WaitingTurns:
    """Keep the rows of these queries for the request, and return the waiting turns."""
    found = _waiting_turns(request.user.pk, turns)
    _WAITING_TURNS.put(request, found)
    _HAS_DUTIES.put(request, bool(duties))
    return found


def reader_has_duties(request: SignedInRequest) -> bool:
    """Return whether the reader organises a club, or is a steward of one. No query but that of the waiting turns."""
    waiting_turns_of_reader(request)
    return bool(_HAS_DUTIES.of(request))


@prepared
def _turns_of_their_runs(driver: Any) -> QuerySet[Turn, tuple[Any, ...]]:
    return (
        Turn.objects.filter(
            ended_at=None,
            run__status=Run.Status.RUNNING,
            run__special_stage__rally__practice=False,
            run__seats__entry__driver=driver,
        )
        .annotate(sent=selectors.with_orders_ahead())
        .order_by("run", "number")
        .values_list(
            *("run", "run__version", "number", "deadline", "seat__entry__driver", "seat__entry__driven_by"),
            *("seat__codriver_since", "to_come", "sent", "run__hidden"),
        )
    )


def _hidden_turns(run_ids: Collection[int], driver_id: int) -> list[tuple[int, int, int, datetime]]:
    """Return the turns of runs in which something is hidden, as the driver sees them. Two trips to the database; none
    without such runs.
    """
    if not run_ids:
        return []
    seats = _seats_in(runs=list(run_ids), driver=driver_id)
    return [
        (seat.run_id, count, turn.number, turn.deadline)
        for seat, (turns, count) in zip(seats, watching.turns_and_posts_seen(seats), strict=True)
        for turn in turns
    ]


@prepared
def _seats_in(runs: Any, driver: Any) -> QuerySet[Seat]:
    seats = Seat.objects.filter(run__in=any_of(runs), entry__driver=driver).select_related("run").order_by("run")
    return seats.defer("run__state", "run__stage", "run__entrants", "run__options", "run__phrases")


def tag_of_waiting_turns(waiting_turns: WaitingTurns) -> Any:
    """Return the version of the page of a driver's turns."""
    return [waiting_turns.waiting, waiting_turns.turns]


def signed_name_of(user: User) -> str:
    """Return the signed name of a reader, so that polling for changes needs neither session nor account."""
    return signing.Signer(salt=SALT).sign(str(user.pk))


def waiting_turns_by_signed_name(name: str) -> WaitingTurns | None:
    """Return the waiting turns of the reader with that signed name; None for an invalid name."""
    reader = reader_by_signed_name(name)
    return None if reader is None else waiting_turns_of(reader)


def reader_by_signed_name(name: str) -> int | None:
    """Return the primary key of the reader with that signed name; None for an invalid name. No query."""
    try:
        return int(signing.Signer(salt=SALT).unsign(name))
    except signing.BadSignature:
        return None


def tag_of_badge(waiting_turns: WaitingTurns) -> Any:
    """Return the version of the badge: it shows a number, and stays as it is while others drive."""
    return ["badge", waiting_turns.waiting]


def of_badge(request: HttpRequest, name: str) -> Any:
    """Return what the badge depends on; None for an invalid name. One query."""
    waiting_turns = waiting_turns_by_signed_name(name)
    return None if waiting_turns is None else tag_of_badge(waiting_turns)


def of_my_turns(request: HttpRequest) -> Any:
    """Return what the page of my turns depends on, where the request has the reader's signed name."""
    waiting_turns = waiting_turns_by_signed_name(request.GET.get("of", ""))
    return None if waiting_turns is None else tag_of_waiting_turns(waiting_turns)
