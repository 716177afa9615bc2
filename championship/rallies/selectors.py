"""The data of a rally's pages, each in a fixed number of queries. Results are in results/. Private courses: only a
club's members and a rally's drivers may get the whole course. Others see only what is in play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Case, Count, Max, Q, QuerySet, When
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.accounts.models import User
from championship.clubs import visibility
from championship.clubs.models import Club, Role
from championship.clubs.selectors import is_member, roles_of
from championship.rallies.control import career
from championship.rallies.control.awaited_drivers import missing_cards
from championship.rallies.entries.capacity import Capacity, capacity_of
from championship.rallies.entries.codrivers import may_drive
from championship.rallies.entries.registered_drivers import other_classes
from championship.rallies.models import CrewChange, Entry, Penalty, Rally, SpecialStage, StartPlace
from championship.rallies.results.selectors import COMPLETE, Results, results_of
from championship.stages.models import StageDesign
from championship.stages.private import is_private
from engine.contract import Decision, Luggage

OPEN = (SpecialStage.Status.RUNNING, SpecialStage.Status.TIME_CONTROL)
Viewer = User | AnonymousUser
MOST_LISTED = 60
"""The maximum number of rallies in the public list."""


@dataclass(frozen=True)
class RallyPage:
    """A rally as one viewer sees it. `stage` is the stage that the page shows, `start_list` is that stage's.

    `missing`: the entries whose card an open time control waits for. `mine`: the viewer's entry. `roles`: the viewer's
    roles in the club.
    """

    rally: Rally
    results: Results
    stage: SpecialStage
    start_list: Sequence[StartPlace]
    missing: Sequence[Entry] = ()
    mine: Entry | None = None
    roles: frozenset[str] = field(default_factory=frozenset)

    @property
    def organises(self) -> bool:
        return Role.ORGANISER in self.roles

    @property
    def may_enter_stewards_room(self) -> bool:
        """Whether the viewer may enter the stewards' room."""
        takes_part = self.mine is not None and self.mine.status == Entry.Status.CONFIRMED
        return bool(self.roles) or (takes_part and not self.rally.for_everybody)

    @property
    def may_penalise(self) -> bool:
        started = self.rally.status in (Rally.Status.RUNNING, Rally.Status.FINISHED)
        return started and bool(self.roles & {Role.ORGANISER, Role.STEWARD})

    @property
    def may_enter(self) -> bool:
        not_taking_part = self.mine is None or self.mine.status == Entry.Status.WITHDRAWN
        return not_taking_part and Role.DRIVER in self.roles and self.rally.status == Rally.Status.ENTRIES

    @property
    def every_stage(self) -> Sequence[SpecialStage]:
        """The stages of the rally, in order."""
        return self.results.stages

    @property
    def drives_runs(self) -> bool:
        """Whether any stage is driven here and not with the printed game, so that the codriver may drive."""
        return any(not stage.at_table for stage in self.every_stage)

    @property
    def my_codriver_may_drive(self) -> bool:
        """Whether the viewer may hand their car over."""
        return self.mine is not None and may_drive(self.mine, self.every_stage)

    @property
    def starts(self) -> bool:
        """Whether the viewer is on the start list."""
        return self.mine is not None and any(place.entry_id == self.mine.pk for place in self.start_list)

    @property
    def card_waits(self) -> bool:
        """Whether time control waits for the viewer's card."""
        return self.mine is not None and self.mine in self.missing

    @cached_property
    def capacity(self) -> Capacity:
        """How full the rally is."""
        return capacity_of(self.rally, self.results.all_entries)

    @property
    def my_wait(self) -> int:
        """The viewer's place on the waiting list, from 1; 0 when the viewer is not on it."""
        if self.mine is None or self.mine.status != Entry.Status.WAITING:
            return 0
        return next((rank for rank, entry in enumerate(self.capacity.waiting, 1) if entry == self.mine), 0)

    @cached_property
    def my_other_class(self) -> str:
        """Before the start: what to say when the viewer's entry is in another class than the viewer is registered in;
        else "". One query at most.
        """
        if self.mine is None or self.rally.status != Rally.Status.ENTRIES:
            return ""
        return other_classes(self.rally, [self.mine]).get(self.mine.pk, "")

    @property
    def starters(self) -> int:
        return len(self.start_list)

    @property
    def times_in(self) -> int:
        seen = sum(number == self.stage.number for number, _entry in self.results.driven)
        return seen + self.results.sealed.get(self.stage.number, 0)

    @property
    def results_sealed(self) -> bool:
        """Whether the viewer sees the times of the stage only when every car is in."""
        return self.stage.number in self.results.sealed

    @property
    def cards_in(self) -> int:
        """The number of time-control cards that are in, while time control is open."""
        return self.starters - len(self.missing)


@dataclass(frozen=True, slots=True)
class NextStep:
    """The next step of an organiser: a sentence, the desk's action with the label of its button, and its stage."""

    says: str
    action: str | None = None
    button: str = ""
    stage: int | None = None


def rally_by_key(key: str, viewer: Viewer) -> Rally:
    """The rally of that key, with its club, for a viewer who may see it: one query, and two more at most when the club
    is for members only.

    Raises: Http404 when there is no such rally, or when the viewer may not see it.
    Raises: NotYet when the viewer may not see it and has not signed in.
    """
    rally = unchecked_rally_by_key(key)
    require_may_see(rally, viewer)
    return rally


def unchecked_rally_by_key(key: str) -> Rally:
    """The rally of that key, with its club, without a check of the viewer: one query.

    Raises: Http404 when there is no such rally.
    """
    return get_object_or_404(Rally.objects.select_related("club"), key=key)


def require_may_see(rally: Rally, viewer: Viewer) -> None:
    """Check that the viewer may see the rally: they may see its club (clubs/visibility.py) or have a confirmed entry.

    What a guest drives is for that guest only: one query more for a practice rally.

    Raises: Http404 when the viewer may not see it.
    Raises: NotYet when the viewer may not see it and has not signed in.
    """
    if rally.practice and rally.entries.filter(driver__is_guest=True).exclude(driver=viewer.pk).exists():
        raise Http404
    if not visibility.may_see(rally.club, viewer) and not _has_entry(rally, viewer):
        raise visibility.access_error(viewer)


def require_may_enter_stewards_room(rally: Rally, viewer: Viewer) -> None:
    """Check that the viewer may enter the stewards' room: a member of the club, or a driver with a confirmed entry. Two
    queries at most.

    Raises: Http404 when the viewer may not enter it.
    Raises: NotYet when the viewer may not enter it and has not signed in.
    """
    if not is_member(viewer, rally.club) and not _has_entry(rally, viewer):
        raise visibility.access_error(viewer)


def _has_entry(rally: Rally, viewer: Viewer) -> bool:
    """Whether the viewer has a confirmed entry. Other entries give no access."""
    taking_part = Entry.objects.filter(rally=rally, driver=viewer.pk, status=Entry.Status.CONFIRMED)
    return viewer.is_authenticated and taking_part.exists()


def refuse_unknown_stage(key: str, number: int) -> None:
    """Check that the rally has this stage.

    Raises: Http404 when it has none of that number.
    """
    if not SpecialStage.objects.filter(rally__key=key, number=number).exists():
        raise Http404


def rallies_of_club(club: Club) -> QuerySet[Rally]:
    """The club's rallies: those under way, then those that take entries, then the rest; the newest of each group first.
    Annotated with `stage_count` and the numbers of `confirmed` and `requested` entries.
    """
    present = Case(When(status=Rally.Status.RUNNING, then=0), When(status=Rally.Status.ENTRIES, then=1), default=2)
    return club.rallies.order_by(present, "-created_at", "-pk").annotate(
        stage_count=Count("stages", distinct=True),
        confirmed=Count("entries", filter=Q(entries__status=Entry.Status.CONFIRMED), distinct=True),
        requested=Count("entries", filter=Q(entries__status=Entry.Status.REQUESTED), distinct=True),
    )


def rallies_taking_entries() -> QuerySet[Rally]:
    """The MOST_LISTED newest rallies of public clubs that take entries, with their clubs and `confirmed`: one query."""
    taking = _of_public_clubs(Rally.Status.ENTRIES).filter(entries_closed=False)
    counted = Count("entries", filter=Q(entries__status=Entry.Status.CONFIRMED), distinct=True)
    return taking.annotate(confirmed=counted).order_by("-created_at", "-pk")[:MOST_LISTED]


def rallies_under_way() -> QuerySet[Rally]:
    """The MOST_LISTED rallies of public clubs that started last and are under way, with their clubs and the number of
    the stage that is `open_now`: one query.
    """
    on_road = Max("stages__number", filter=Q(stages__status__in=OPEN))
    return (
        _of_public_clubs(Rally.Status.RUNNING).annotate(open_now=on_road).order_by("-started_at", "-pk")[:MOST_LISTED]
    )


def _of_public_clubs(status: Rally.Status) -> QuerySet[Rally]:
    found = Rally.objects.filter(status=status, practice=False, for_everybody=False)
    return found.filter(club__visibility="public", club__closed_at=None).select_related("club")


def rally_page(
    rally: Rally, viewer: Viewer, *, number: int | None = None, roles: frozenset[str] | None = None
) -> RallyPage:
    """The data that the rally's pages share, in seven queries at most, and one more at an open time control.

    number: the stage that the page shows; None for the current one. roles: the viewer's roles in the club, if they are
    known already.

    Raises: Http404 when the rally has no such stage.
    """
    results = results_of(rally, viewer.pk)
    stage = stage_in(results.stages, number)
    at_control = stage.status == SpecialStage.Status.TIME_CONTROL
    missing = set(missing_cards(stage).values_list("pk", flat=True)) if at_control else set()
    return RallyPage(
        rally=rally,
        results=results,
        stage=stage,
        start_list=start_list(stage, results),
        missing=[entry for entry in results.entries.values() if entry.pk in missing],
        mine=next((entry for entry in active_first(results.all_entries) if entry.driver_id == viewer.pk), None),
        roles=roles_of(viewer, rally.club) if roles is None else roles,
    )


def active_first(entries: Sequence[Entry]) -> list[Entry]:
    """The entries, with refused and withdrawn ones last. A person may have one of those and another entry."""
    not_taking_part = (Entry.Status.REFUSED, Entry.Status.WITHDRAWN)
    return sorted(entries, key=lambda entry: entry.status in not_taking_part)


def current_stage(stages: Sequence[SpecialStage]) -> SpecialStage:
    """Of the stages of a rally the one under way, else the one on which the rally was cancelled, else the next planned
    one, else the last.
    """
    by_status = {stage.status: stage for stage in reversed(stages)}
    for status in (*OPEN, SpecialStage.Status.CANCELLED, SpecialStage.Status.PLANNED):
        if status in by_status:
            return by_status[status]
    return stages[-1]


def stage_in(stages: Sequence[SpecialStage], number: int | None) -> SpecialStage:
    """The stage of that number; the current one for None.

    Raises: Http404 when there is no such stage.
    """
    if number is None:
        return current_stage(stages)
    if not 1 <= number <= len(stages):
        raise Http404
    return stages[number - 1]


def start_list(stage: SpecialStage, results: Results) -> list[StartPlace]:
    """The stage's start list in order, with the entries of the results; empty when there is no start list yet."""
    places = [place for place in stage.start_places.order_by("position") if place.entry_id in results.entries]
    for place in places:
        place.entry = results.entries[place.entry_id]
    return places


def stage_of(rally: Rally, number: int) -> SpecialStage:
    """The special stage of that number.

    Raises: Http404 when there is no such stage.
    """
    return get_object_or_404(rally.stages, number=number)


def in_desk_order(entries: Sequence[Entry]) -> list[Entry]:
    """The entries in the desk's order: requested ones by time of the request, confirmed ones by start number, waiting
    ones, then the rest.
    """
    order = {Entry.Status.REQUESTED: 0, Entry.Status.CONFIRMED: 1, Entry.Status.WAITING: 2}
    return sorted(
        entries, key=lambda entry: (order.get(Entry.Status(entry.status), 3), entry.start_number or 0, entry.asked_at)
    )


def next_step(page: RallyPage) -> NextStep:
    """The one thing that the rally waits for, in words for an organiser. `page` shows the current stage."""
    rally, stage = page.rally, page.stage
    if rally.status == Rally.Status.CANCELLED:
        return NextStep(str(rally.words.cancelled))
    if rally.status == Rally.Status.FINISHED:
        return NextStep(str(rally.words.podium_stands))
    if rally.status == Rally.Status.ENTRIES:
        return _step_to_start(page)
    if stage.status == SpecialStage.Status.RUNNING:
        counted = {"times": page.times_in, "starters": page.starters, "stage": stage.called}
        says = ngettext(
            "%(stage)s is on the road: %(times)d of %(starters)d cars is in.",
            "%(stage)s is on the road: %(times)d of %(starters)d cars are in.",
            page.times_in,
        )
        return NextStep(says % counted)
    if stage.status == SpecialStage.Status.TIME_CONTROL:
        counted = {"cards": page.cards_in, "starters": page.starters}
        says = ngettext(
            "%(cards)d of %(starters)d time-control cards is in.",
            "%(cards)d of %(starters)d time-control cards are in.",
            page.cards_in,
        )
        return NextStep(says % counted, "close-time-control", _("Close time control"), stage.number)
    says, button = _("%(stage)s: the start list is set."), str(rally.words.start) % {"number": stage.number}
    return NextStep(says % {"stage": stage.called}, "next-stage", button, stage.number)


def _step_to_start(page: RallyPage) -> NextStep:
    requested = sum(entry.status == Entry.Status.REQUESTED for entry in page.results.all_entries)
    confirmed = len(page.results.entries)
    if requested:
        says = ngettext("%(n)d entry to confirm.", "%(n)d entries to confirm.", requested) % {"n": requested}
        return NextStep(says, "confirm-all", ngettext("Confirm it", "Confirm all", requested))
    if not confirmed:
        return NextStep(_("No entries yet. Send your drivers the link."))
    if not page.start_list:
        says = ngettext(
            "%(n)d entry is confirmed; draw the start list.",
            "%(n)d entries are confirmed; draw the start list.",
            confirmed,
        )
        return NextStep(says % {"n": confirmed}, "draw", _("Draw the start list"))
    return NextStep(
        _("The start list is set; the road is clear."), "start", str(page.rally.words.start) % {"number": 1}
    )


@dataclass(frozen=True, slots=True)
class ReadyMadeRally:
    """A ready-made rally: its number and its stage designs in order."""

    number: int
    designs: Sequence[StageDesign]


def ready_made_rallies(game: str) -> list[ReadyMadeRally]:
    """The ready-made rallies of a game, by number. A design's source is "rally/stage"."""
    rallies: dict[int, list[StageDesign]] = {}
    for design in StageDesign.objects.filter(club=None, game=game, source__regex=r"^\d+/\d+$"):
        rallies.setdefault(int(design.source.split("/")[0]), []).append(design)
    return [
        ReadyMadeRally(number, sorted(designs, key=lambda design: int(design.source.split("/")[1])))
        for number, designs in sorted(rallies.items())
    ]


def designs_for(club: Club, game: str) -> QuerySet[StageDesign]:
    """The stage designs that a rally of the club may use: the club's own, then the ready-made ones."""
    return StageDesign.objects.filter(Q(club=club) | Q(club=None), game=game).order_by("club", "source", "name", "pk")


def car_at_control(page: RallyPage) -> Luggage | None:
    """The viewer's car at the time control after the page's stage, before a card; None where there is none. One
    query at most.
    """
    rally, stage = page.rally, page.stage
    time = stage.times.filter(entry=page.mine).first() if stage.status in COMPLETE else None
    return None if time is None else career.after_stage(rally, stage, time.car, retired=time.retired)


def decisions_about(page: RallyPage, car: Luggage | None) -> tuple[Decision, ...]:
    """The decisions about a car that `car_at_control` returned; empty for none. No query."""
    return career.decisions(page.rally, page.stage, car, last=page.stage.number == len(page.results.stages))


def decisions_of(page: RallyPage) -> tuple[Decision, ...]:
    """The viewer's decisions at the time control after the page's stage, open or closed; empty before it. One query at
    most.
    """
    return decisions_about(page, car_at_control(page))


def penalties_of(rally: Rally) -> QuerySet[Penalty]:
    """The rally's penalties and bonuses, oldest first."""
    return rally.penalties.select_related(
        "entry", "special_stage__rally", "given_by", "withdrawal__by", "decision__rally"
    )


def cars_of(rally: Rally, person: User) -> set[int]:
    """The ids of entries that the person drives in the rally, or drove before somebody else took over: two queries."""
    drives = rally.entries.filter(driver=person).values_list("pk", flat=True)
    drove = CrewChange.objects.filter(entry__rally=rally, before=person).values_list("entry_id", flat=True)
    return {*drives, *drove}


def may_have_course(rally: Rally, course: Any, person: User | AnonymousUser) -> bool:
    """Whether the person may get the whole course: two queries at most for a private one, else none."""
    if not is_private(rally.game, course):
        return True
    return is_member(person, rally.club) or (
        person.is_authenticated and rally.entries.filter(driver_id=person.pk, status=Entry.Status.CONFIRMED).exists()
    )


def course_for(rally: Rally, course: Any, person: User | AnonymousUser) -> Any:
    """The course when the person may get it, else {}."""
    return course if may_have_course(rally, course, person) else {}
