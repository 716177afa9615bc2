"""What pages about runs depend on, told in one light query each, for pages that ask what is new."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core import signing
from django.db.models import FilteredRelation, Q
from django.http import HttpRequest

from championship.accounts.models import User
from championship.rallies.models import Entry
from championship.runs.models import Run, Turn
from championship.runs.selectors import RunPage

SALT = "championship.turns"


def of_run(request: HttpRequest, key: str) -> list[Any] | None:
    """What the stage page of this run depends on; None when there is no such run. One query."""
    rows = (
        Run.objects.filter(key=key)
        .annotate(waits=FilteredRelation("turns", condition=Q(turns__ended_at=None)))
        .order_by("waits__number")
        .values_list(
            *("version", "status", "special_stage__rally__status", "special_stage__rally__paused_at"),
            *("waits__number", "waits__deadline"),
        )
    )
    return [list(row) for row in rows] or None


def of_page(page: RunPage) -> list[Any]:
    """The same of a stage page as it was read, without a query."""
    run = page.run
    rally = run.special_stage.rally
    head = [run.version, run.status, rally.status, rally.paused_at]
    return [[*head, turn.number, turn.deadline] for turn in page.turns] or [[*head, None, None]]


@dataclass(frozen=True, slots=True)
class Desk:
    """The open turns of all runs that somebody drives in; `waiting` counts those that wait for this driver."""

    turns: list[tuple[int, int, int, datetime]]
    waiting: int


def desk_of(driver_id: int) -> Desk:
    """What a driver's desk depends on: one query, no row of which is wider than a few numbers."""
    rows = (
        Turn.objects.filter(
            ended_at=None,
            run__status=Run.Status.RUNNING,
            run__special_stage__rally__practice=False,
            run__places__entry__driver=driver_id,
        )
        .order_by("run", "number")
        .values_list(
            *("run", "run__version", "number", "deadline"),
            *("place__entry__driver", "place__entry__driven_by", "place__codriver_since"),
        )
    )
    turns, waiting = [], 0
    for run, version, number, deadline, driver, driven_by, codriver in rows:
        turns.append((run, version, number, deadline))
        waiting += driver == driver_id and driven_by == Entry.DrivenBy.PERSON and codriver is None
    return Desk(turns, waiting)


def of_desk(desk: Desk) -> Any:
    """What the page of a desk depends on."""
    return [desk.waiting, desk.turns]


def name_of(user: User) -> str:
    """What a page calls its reader by, so that asking what is new needs neither session nor account."""
    return signing.Signer(salt=SALT).sign(str(user.pk))


def desk_called(name: str) -> Desk | None:
    """The desk of the reader so called; None for a name that was not given here."""
    try:
        return desk_of(int(signing.Signer(salt=SALT).unsign(name)))
    except signing.BadSignature:
        return None


def of_turns(request: HttpRequest, name: str) -> Any:
    """What the badge depends on, and the page of my turns; None for a name that was not given here. One query."""
    desk = desk_called(name)
    return None if desk is None else of_desk(desk)


def of_my_turns(request: HttpRequest) -> Any:
    """What the page of my turns depends on, where the page says whose it is."""
    name = request.GET.get("of", "")
    return of_turns(request, name) if name else None
