"""Reads for the forms that hand a car to the codriver: on the pages of its driver, and on the organiser's desk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Exists, F, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Coalesce

from championship.platform.bounded_input import whole_number
from championship.platform.prepared_queries import BoundQuery, prepared
from championship.rallies.models import Entry, Rally
from championship.rallies.selectors import Viewer
from championship.runs.models import Run, Seat, Turn
from championship.runs.watch import watching

OPEN, MADE = "open", "made"


@dataclass(frozen=True, slots=True)
class SeatOnTheRoad:
    """The seat of a car in a running run, with run and stage. `is_its_turn`: whether it has an open turn."""

    seat: Seat
    is_its_turn: bool
    turns_made: int


def seat_on_the_road(entry: Entry) -> SeatOnTheRoad | None:
    """Return the seat of an entry in a running run. None when the car is not on the road. One query."""
    return seat_among(list(_with_turns().filter(entry=entry).order_by("pk")[:1]), entry)


def own_seats(rally: str, reader: int) -> BoundQuery[Seat]:
    """Return the query of a driver's seats that are on the road in the rally of that key, for `seat_among`."""
    return _own_seats.bind(rally=rally, reader=reader)


def seat_among(seats: Iterable[Seat], entry: Entry) -> SeatOnTheRoad | None:
    """Return the seat of an entry among those that `own_seats` has read. No query."""
    found = next((seat for seat in seats if seat.entry_id == entry.pk), None)
    return None if found is None else SeatOnTheRoad(found, found.is_its_turn, found.turns_made)  # type: ignore[attr-defined]


@prepared
def _own_seats(rally: Any, reader: Any) -> QuerySet[Seat]:
    return _with_turns().filter(entry__rally__key=rally, entry__driver=reader).order_by("pk")


def _with_turns() -> QuerySet[Seat]:
    """Return the seats on the road, with whether each has an open turn, and how many turns it has made."""
    last = Coalesce(Subquery(_newest_turn().values("made_before")[:1]), -1)
    turns_made = Case(When(is_its_turn=True, then=last), default=last + 1)
    return _seats_on_the_road().annotate(is_its_turn=_has_open_turn()).annotate(turns_made=turns_made)


@dataclass(frozen=True, slots=True)
class DeskSeat:
    """The seat of a car on the road, for the organiser's desk. `seen`: which turn of it is the newest, and whether that
    is open; it goes into the form instead of the number of turns, which some organisers may not know yet.
    `out_of_reach`: the viewer drives in the car's run, something may be hidden in it, and this is another car: nothing
    about its wheel may be shown.
    """

    seat: Seat
    my_turn: bool
    seen: str
    out_of_reach: bool

    @property
    def handed_over(self) -> str:
        """For how long the car is handed over, as far as the viewer may know."""
        return "" if self.out_of_reach or self.seat.codriver_since is None else self.seat.handed_over

    @property
    def may_be_handed_over(self) -> bool:
        """Whether the viewer may hand over a turn or the stage. The codriver keeps a car that it has since a missed
        deadline.
        """
        return not self.out_of_reach and (self.seat.codriver_since is None or bool(self.seat.handed_over))


def seats_for_desk(rally: Rally, viewer: Viewer) -> dict[int, DeskSeat]:
    """Return the seats of all cars of a rally that are on the road, by entry, for an organiser. One query."""
    own = Seat.objects.filter(run=OuterRef("run"), entry__driver=viewer.pk)
    seats = (
        _seats_on_the_road()
        .filter(special_stage__rally=rally)
        .annotate(is_its_turn=_has_open_turn())
        .annotate(newest_turn=Coalesce(Subquery(_newest_turn().values("pk")[:1]), 0))
        .annotate(person=F("entry__driver"), viewer_drives=Exists(own))
    )
    found = {}
    for seat in seats:
        others = seat.viewer_drives and seat.person != viewer.pk
        seen = f"{seat.newest_turn} {OPEN if seat.is_its_turn else MADE}"
        found[seat.entry_id] = DeskSeat(seat, seat.is_its_turn, seen, others and watching.may_hide(seat.run))
    return found


def turns_made_as_seen(entry: Entry, seen: str) -> int:
    """Return how many turns a car had made when the desk was shown: `seen` as in `DeskSeat`. -1 for anything else. At
    most one query.
    """
    number, _sep, state = seen.partition(" ")
    turn_id = whole_number(number, digits=18)
    if turn_id is None or state not in (OPEN, MADE):
        return -1
    if not turn_id:
        return 0
    turns = Turn.objects.filter(pk=turn_id, seat__entry=entry).values_list("made_before", flat=True)
    before = turns.first()
    return -1 if before is None else before + (state == MADE)


def _newest_turn() -> QuerySet[Turn]:
    return Turn.objects.filter(seat=OuterRef("pk")).order_by("-number")


def _has_open_turn() -> Exists:
    return Exists(Turn.objects.filter(seat=OuterRef("pk"), ended_at=None))


def _seats_on_the_road() -> QuerySet[Seat]:
    seats = Seat.objects.filter(run__status=Run.Status.RUNNING).select_related("run__special_stage__rally")
    return seats.defer("run__state", "run__stage", "run__entrants", "run__options", "run__special_stage__spec")
