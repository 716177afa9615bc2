"""All that the page of my turns reads about a driver, in one trip to the database: what waits, what is under way, the
driver's rallies, what the clock did, the practice stage, and what other apps show there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.notices.calendar_feed import Date
from championship.platform.beside import Beside
from championship.platform.prepared_queries import BoundQuery, prepared, run_together
from championship.rallies.control.awaited_drivers import cards_waiting_for
from championship.rallies.control.control_cards import AwaitedCard
from championship.rallies.entries.driver_changes import REPLACED
from championship.rallies.knockout.reached import reached
from championship.rallies.models import CrewChange, Entry, Rally, StartPlace
from championship.runs.models import Practice, Run, Seat, SentAhead, Turn
from championship.runs.watch import page_versions, selectors, watching
from championship.runs.watch.selectors import StageUnderWay, WaitingItem
from championship.runs.watch.waiting_turns import subject_of

LARGE = ("state", "stage", "entrants", "options", "phrases")
"""Columns of a run that the page does not show."""
MOST_BY_CLOCK = 10
BESIDE = Beside()
"""What other apps show on the page: queries by the id of the reader, `reader`, and the time, `now`."""
FROM_RUN = tuple(f"run__{name}" for name in LARGE)


@dataclass(frozen=True, slots=True)
class MyTurns:
    """`waiting`: turns and cards, earliest deadline first. `under_way`: running runs in which nothing waits for the
    driver. `reached`: places in semi-finals and finals that are not over. `by_clock`: turns that the clock made in the
    driver's name, newest first. `beside`: the rows of other apps, by name.
    """

    waiting: list[WaitingItem]
    under_way: list[StageUnderWay]
    entries: list[Entry]
    reached: list[StartPlace]
    by_clock: list[Turn]
    practice: Practice | None
    beside: Mapping[str, list[Any]]

    @property
    def cars(self) -> int:
        """How many cars wait for their driver."""
        return sum(each.turn is not None for each in self.waiting)


def my_turns(user: User, *, now: datetime, clock_since: datetime, request: SignedInRequest | None = None) -> MyTurns:
    """Return what the page shows; `by_clock` goes back to `clock_since`. One trip to the database, and another one if
    something is hidden in a run in which nothing waits for the driver. With the `request` of the page the same trip
    reads, first of all, the version of the page (`page_versions.waiting_turns_of_reader`).
    """
    before = page_versions.queries_of_reader(user) if request is not None else ()
    answers = run_together(*before, *_queries(user, clock_since), *BESIDE.bound(reader=user.pk, now=now))
    if request is not None:
        page_versions.put_reader(request, *answers[: len(before)])
    turns, cards, seats, open_turns, ahead, entries, places, by_clock, practice, *beside = answers[len(before) :]
    at_the_wheel = {turn.run_id for turn in turns}
    return MyTurns(
        waiting=in_order(turns, cards),
        under_way=_under_way([seat for seat in seats if seat.run_id not in at_the_wheel], open_turns, ahead),
        entries=entries,
        reached=places,
        by_clock=by_clock,
        practice=next(iter(practice), None),
        beside=BESIDE.by_name(beside),
    )


def _queries(user: User, clock_since: datetime) -> Sequence[BoundQuery[Any]]:
    return (
        _turns.bind(driver=user.pk),
        _cards.bind(driver=user.pk),
        _seats.bind(driver=user.pk),
        _open_turns.bind(driver=user.pk),
        _orders_ahead.bind(driver=user.pk),
        _entries.bind(driver=user.pk),
        _reached.bind(driver=user.pk),
        _by_clock.bind(driver=user.pk, since=clock_since),
        _practice.bind(person=user.pk),
    )


def waiting_for(user: User) -> list[WaitingItem]:
    """Return everything that waits for this driver, earliest deadline first. One trip to the database."""
    turns, cards = run_together(_turns.bind(driver=user.pk), _cards.bind(driver=user.pk))
    return in_order(turns, cards)


def next_waiting(user: User, run: Run) -> WaitingItem | None:
    """Return what waits for this driver elsewhere and closes first; None for nothing. One trip to the database."""
    return next((each for each in waiting_for(user) if each.turn is None or each.turn.run_id != run.pk), None)


def in_order(turns: Iterable[Turn], cards: Iterable[AwaitedCard]) -> list[WaitingItem]:
    """Return turns and cards that wait for a driver, earliest deadline first."""
    waiting = [WaitingItem(turn.run.special_stage, turn.since, turn.deadline, turn=turn) for turn in turns]
    waiting += [WaitingItem(card.special_stage, card.since, card.deadline, turn=None) for card in cards]
    return sorted(waiting, key=lambda waits: waits.deadline)


def _under_way(seats: list[Seat], open_turns: Iterable[Turn], ahead: Iterable[SentAhead]) -> list[StageUnderWay]:
    """Return these seats with the turns that look open to their driver, and the orders ahead that wait."""
    turns: dict[int, list[Turn]] = defaultdict(list)
    for turn in open_turns:
        turns[turn.run_id].append(turn)
    hidden = [seat for seat in seats if seat.run.hidden]
    for seat, (seen, _count) in zip(hidden, watching.turns_and_posts_seen(hidden), strict=True):
        turns[seat.run_id] = seen
    plans: dict[int, list[SentAhead]] = defaultdict(list)
    for sent in ahead:
        plans[sent.seat_id].append(sent)
    return [StageUnderWay(seat, tuple(turns[seat.run_id]), tuple(plans[seat.pk])) for seat in seats]


@prepared
def _turns(driver: Any) -> QuerySet[Turn]:
    return selectors.turns_waiting_for(driver).defer(*FROM_RUN, "run__special_stage__spec")


@prepared
def _cards(driver: Any) -> QuerySet[AwaitedCard]:
    return cards_waiting_for(driver).defer("special_stage__spec")


@prepared
def _seats(driver: Any) -> QuerySet[Seat]:
    seats = Seat.objects.filter(run__status=Run.Status.RUNNING, entry__driver=driver, entry__rally__practice=False)
    found = seats.select_related("run__special_stage__rally__club", "entry").order_by("-run__opened_at")
    return found.defer(*FROM_RUN, "run__special_stage__spec")


@prepared
def _open_turns(driver: Any) -> QuerySet[Turn]:
    """The turns that somebody has to make in the running runs in which the driver drives."""
    turns = Turn.objects.filter(ended_at=None, to_come=False, run__status=Run.Status.RUNNING)
    own = Seat.objects.filter(run=OuterRef("run"), entry__driver=driver)
    return turns.filter(Exists(own)).select_related("seat__entry").order_by("number")


@prepared
def _orders_ahead(driver: Any) -> QuerySet[SentAhead]:
    waiting = SentAhead.objects.filter(state=SentAhead.State.WAITING, seat__entry__driver=driver)
    return waiting.filter(seat__run__status=Run.Status.RUNNING).order_by("pk")


@prepared
def _entries(driver: Any) -> QuerySet[Entry]:
    """The driver's entries in rallies that are not over, newest first."""
    return (
        Entry.objects.filter(driver=driver, status__in=Entry.Status.entered(), rally__practice=False)
        .exclude(rally__status__in=[Rally.Status.FINISHED, Rally.Status.CANCELLED])
        .select_related("rally__club")
        .order_by("-rally__created_at")
    )


@prepared
def _reached(driver: Any) -> QuerySet[StartPlace]:
    return reached(driver).defer("special_stage__spec")


@prepared
def _by_clock(driver: Any, since: Any) -> QuerySet[Turn]:
    """Turns that the clock made in a driver's name since a moment, newest first. Turns of an earlier driver of the same
    car are left out, and so are turns that the driver had handed over.
    """
    changes = CrewChange.objects.filter(REPLACED, entry=OuterRef("seat__entry"), driver=driver)
    return (
        Turn.objects.filter(
            ~Exists(changes.filter(at__gt=OuterRef("ended_at"))), seat__entry__driver=driver, ended_at__gte=since
        )
        .exclude(done__in=["", Turn.Done.HANDED_OVER])
        .select_related("seat__entry", "run__special_stage__rally")
        .defer(*FROM_RUN, "run__special_stage__spec")
        .order_by("-ended_at", "-pk")[:MOST_BY_CLOCK]
    )


@prepared
def _practice(person: Any) -> QuerySet[Practice]:
    return Practice.objects.filter(person=person, ended_at=None).select_related("rally").order_by("pk")


def calendar_dates(person: User) -> Iterator[Date]:
    """Yield everything that waits for the person, each at its deadline; the entry moves when the deadline does. One
    trip to the database.
    """
    for waits in waiting_for(person):
        about = {"rally": waits.stage.rally.name, "stage": waits.stage.called}
        if waits.turn is not None:
            uid, title = subject_of(waits.turn), _("%(rally)s, %(stage)s: your turn closes")
            path = waits.turn.run.get_absolute_url()
        else:
            uid = f"stage {waits.stage.pk} driver {person.pk}"
            path = reverse("rallies:time_control", args=[waits.stage.rally.key, waits.stage.number])
            title = _("%(rally)s, %(stage)s: time control closes")
        yield Date(uid=uid, ends=waits.deadline, since=waits.since, title=title % about, path=path)
