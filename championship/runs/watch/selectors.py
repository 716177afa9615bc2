"""Read functions for pages about runs. The docstrings state the number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.notices.models import Notice
from championship.platform.prepared_queries import BoundQuery, prepared, run_together
from championship.rallies.entries.driver_changes import REPLACED
from championship.rallies.models import CrewChange, Entry, Rally, SpecialStage
from championship.rallies.selectors import Viewer
from championship.runs.models import Draft, Post, Run, Seat, SentAhead, Turn
from championship.runs.watch import history, watching

LOG_POSTS = 24
"""How many posts the stage page shows."""
LOG_PAGE = 80
"""How many posts a page of the log shows. A rest of up to a quarter as many is added to the last page."""


@dataclass(frozen=True, slots=True)
class RunPage:
    """A run as one viewer sees it. `seats` are by position; `mine` is the viewer's own. `turns` are the open ones;
    `posts` come newest first. `draft` is the viewer's; `orders_ahead` are the viewer's newest. `version`
    is the viewer's version of the run, which every post must send back. `post_count` is how many posts the viewer may
    know of. `beside` are the rows of what else the page has asked for.
    """

    run: Run
    seats: list[Seat]
    mine: Seat | None
    turns: list[Turn]
    posts: list[Post]
    draft: Draft | None = None
    orders_ahead: SentAhead | None = None
    version: int = 0
    post_count: int = 0
    beside: list[list[Any]] | None = None

    @property
    def seat(self) -> watching.SeatName:
        """The viewer's seat in the engine."""
        return None if self.mine is None else self.mine.name

    @property
    def my_turn(self) -> Turn | None:
        """The turn that waits for the viewer; None while the codriver drives the car.

        The turns are read after the run: a post in between may have opened a turn that is not in the run's state.
        """
        if self.mine is None or self.mine.codriver_drives:
            return None
        if self.mine.name not in watching.to_play(self.run):
            return None
        return next((turn for turn in self.turns if turn.seat_id == self.mine.pk), None)


@dataclass(frozen=True, slots=True)
class WaitingItem:
    """Something that waits for a driver: a turn or, where `turn` is None, the time control after the stage."""

    stage: SpecialStage
    since: datetime
    deadline: datetime
    turn: Turn | None


@dataclass(frozen=True, slots=True)
class StageUnderWay:
    """A driver's seat in a running run, the turns that look open to the driver, and the driver's orders ahead that
    wait.
    """

    seat: Seat
    open_turns: tuple[Turn, ...]
    orders_ahead: tuple[SentAhead, ...]

    @property
    def own_turn(self) -> bool:
        """Whether a turn of the driver's own car is open: then the codriver drives it."""
        return any(turn.seat_id == self.seat.pk for turn in self.open_turns)

    @property
    def others(self) -> list[Turn]:
        """The open turns of other cars."""
        return [turn for turn in self.open_turns if turn.seat_id != self.seat.pk]

    @property
    def waited_for(self) -> str:
        """The crews of the other cars, separated by commas."""
        return ", ".join(turn.seat.entry.crew for turn in self.others)

    @property
    def waits_since(self) -> datetime:
        """When the longest of their turns began."""
        return min(turn.since for turn in self.others)


def run_by_key(key: str, viewer: Viewer) -> Run:
    """Return the run of that key with stage, rally and club. One query, two more where draws are shared. A reader needs
    nothing but the key.

    Raises: Http404 when there is none.
    Raises: NotYet when the viewer may not watch it yet.
    """
    run = unchecked_run_by_key(key)
    watching.require_may_watch(run, viewer)
    return run


def unchecked_run_by_key(key: str) -> Run:
    """Return the run of that key, for pages that show neither draws nor drafts. One query.

    Raises: Http404 when there is none.
    """
    return _run_or_404(_whole_run.first(key=key))


def run_to_post_to(key: str, viewer: Viewer) -> Run:
    """Return the run of that key for a post, without its large columns: the service reads it again under its lock. One
    query, two more where draws are shared.

    Raises: Http404 when there is none.
    Raises: NotYet when the viewer may not watch it yet.
    """
    run = _run_or_404(_run_without_state.first(key=key))
    watching.require_may_watch(run, viewer)
    return run


def _run_or_404(run: Run | None) -> Run:
    if run is None:
        raise Http404
    return run


@prepared
def _whole_run(key: Any) -> QuerySet[Run]:
    return Run.objects.filter(key=key).select_related("special_stage__rally__club").order_by()


@prepared
def _run_without_state(key: Any) -> QuerySet[Run]:
    return _whole_run.queryset(key=key).defer("state", "stage", "entrants", "options")


@prepared
def _newest_orders_ahead(run: Any, viewer: Any) -> QuerySet[SentAhead]:
    sent = SentAhead.objects.filter(seat__run=run, seat__entry__driver=viewer, person=viewer)
    return sent.order_by("-pk")[:1]


@prepared
def _draft(run: Any, viewer: Any) -> QuerySet[Draft]:
    return Draft.objects.filter(run=run, person=viewer)


@prepared
def _cars(run: Any) -> QuerySet[Seat]:
    """The seats of a run with their entries and drivers, and when the car last got another driver."""
    taken_over = CrewChange.objects.filter(REPLACED, entry=OuterRef("entry")).order_by("-at").values("at")[:1]
    cars = Seat.objects.filter(run=run).annotate(taken_over=Subquery(taken_over))
    return cars.select_related("entry__driver").order_by("position")


def log_page(run: Run, viewer: Viewer, number: str) -> tuple[RunPage, Page[int]]:
    """Return page `number` of the log (the first page for an invalid number) and its place among all pages. Five
    queries, two more for a signed-in viewer, five more where something is hidden.

    Raises: NotYet when the viewer may not watch the run yet.
    """
    watching.require_may_watch(run, viewer)
    count = watching.post_count_for(run, watching.seat_of(run, viewer))
    here = Paginator(range(count), LOG_PAGE, orphans=LOG_PAGE // 4).get_page(number)
    return _page_of_posts(run, viewer, len(here), skip=max(here.start_index() - 1, 0)), here


def run_page(run: Run, viewer: Viewer, *, posts: int = LOG_POSTS, beside: Sequence[BoundQuery[Any]] = ()) -> RunPage:
    """Return what the stage page shows: one trip to the database, two queries more where draws are shared; where
    something is hidden, five queries, two more for a signed-in viewer, four more for what is hidden. `posts`: how many
    of the newest. `beside`: queries for the same trip; where something is hidden there is no such trip, and
    `RunPage.beside` is None.

    Raises: NotYet when the viewer may not watch the run yet.
    """
    watching.require_may_watch(run, viewer)
    return _page_of_posts(run, viewer, posts) if run.hidden else _open_page(run, viewer, posts, beside)


def _page_of_posts(run: Run, viewer: Viewer, posts: int, *, skip: int = 0) -> RunPage:
    seats = watching.seats_for(run, viewer, _cars)
    mine = next((seat for seat in seats if viewer.is_authenticated and seat.entry.driver_id == viewer.pk), None)
    name = mine.name if mine else None
    count = watching.post_count_for(run, name)
    newest = watching.newest_posts(run, name, posts, skip=skip)
    watching.veil_senders(newest, seats)
    return RunPage(
        run=run,
        seats=seats,
        mine=mine,
        version=watching.version_for(run, name),
        post_count=count,
        turns=watching.open_turns(run, name),
        posts=history.renumbered_posts(run, name, newest, count - skip),
        draft=_draft.first(run=run.pk, viewer=viewer.pk) if viewer.is_authenticated else None,
        orders_ahead=_newest_orders_ahead.first(run=run.pk, viewer=viewer.pk) if viewer.is_authenticated else None,
    )


def _open_page(run: Run, viewer: Viewer, posts: int, beside: Sequence[BoundQuery[Any]]) -> RunPage:
    """Return the page of a run in which nothing is hidden. One trip to the database."""
    reader = viewer.pk if viewer.is_authenticated else None
    before = run.version - posts
    of_reader = (_draft.bind(run=run.pk, viewer=reader), _newest_orders_ahead.bind(run=run.pk, viewer=reader))
    seats, turns, newest, events, *own = run_together(
        _cars.bind(run=run.pk),
        watching.open_turns_of.bind(run=run.pk),
        watching.posts_after.bind(run=run.pk, version=run.version, before=before),
        watching.events_after.bind(run=run.pk, before=before, up_to_event=run.events_told),
        *(of_reader if reader is not None else ()),
        *beside,
    )
    drafts, ahead = own[:2] if reader is not None else ([], [])
    for seat in seats:
        seat.run = run
        if seat.entry.driver_id != reader:
            watching.hide_wheel(seat, missed_in_secret=False)
    watching.put_events(newest, events)
    return RunPage(
        run=run,
        seats=seats,
        mine=next((seat for seat in seats if reader is not None and seat.entry.driver_id == reader), None),
        version=run.version,
        post_count=run.version,
        turns=turns,
        posts=newest,
        draft=next(iter(drafts), None),
        orders_ahead=next(iter(ahead), None),
        beside=own[len(own) - len(beside) :],
    )


def run_scene(run: Run, viewer: Viewer) -> RunPage:
    """Return the run with its seats and the viewer's own, without turns and log. One query, two more where draws are
    shared.

    Raises: NotYet when the viewer may not watch the run yet.
    """
    watching.require_may_watch(run, viewer)
    seats = watching.seats_for(run, viewer, _cars)
    mine = next((seat for seat in seats if viewer.is_authenticated and seat.entry.driver_id == viewer.pk), None)
    return RunPage(run=run, seats=seats, mine=mine, turns=[], posts=[])


def with_orders_ahead() -> Exists:
    """Return the annotation for turns whose drivers have orders ahead that wait."""
    return Exists(SentAhead.objects.filter(seat=OuterRef("seat"), state=SentAhead.State.WAITING))


def awaited_turns() -> QuerySet[Turn]:
    """Return the open turns that wait for their drivers. Not among them are turns that the codriver drives, and turns
    that wait for the cars ahead while orders ahead are sent. Practice is left out.
    """
    return Turn.objects.filter(
        ended_at=None,
        run__status=Run.Status.RUNNING,
        run__special_stage__rally__practice=False,
        seat__entry__driven_by=Entry.DrivenBy.PERSON,
        seat__codriver_since=None,
    ).exclude(with_orders_ahead(), to_come=True)


def turns_waiting_for(user: User) -> QuerySet[Turn]:
    """Return the turns that wait for this driver, earliest deadline first, with run, stage, rally and entry. One
    query.
    """
    return (
        awaited_turns()
        .filter(seat__entry__driver=user)
        .select_related("run__special_stage__rally__club", "seat__entry")
        .order_by("deadline", "pk")
    )


def runs_of_stage(special_stage: SpecialStage) -> list[Run]:
    """Return the runs of a stage with their seats and entries. Two queries."""
    return list(special_stage.runs.prefetch_related("seats__entry").order_by("number"))


def turns_by_clock(page: RunPage) -> list[Turn]:
    """Return the turns that the clock made for the viewer since the viewer drove last or took the car over, newest
    first. Turns that the viewer had handed over are left out. No query.
    """
    if page.mine is None:
        return []
    found: dict[int, Turn] = {}
    taken_over = getattr(page.mine, "taken_over", None)
    for post in page.posts:
        if post.turn is not None and post.turn.seat_id == page.mine.pk:
            if (post.by_id is not None and not post.turn.done) or (taken_over is not None and post.at < taken_over):
                break
            if post.turn.done and post.turn.done != Turn.Done.HANDED_OVER:
                found.setdefault(post.turn.pk, post.turn)
    return list(found.values())


def misses_of(rally: Rally) -> QuerySet[Turn]:
    """Return the missed deadlines of a rally, newest first, with entry, run and stage. One query a page."""
    return (
        Turn.objects.filter(watching.publicly_made(), run__special_stage__rally=rally, missed=True)
        .select_related("seat__entry", "run__special_stage")
        .order_by("-ended_at", "-pk")
    )


def misses_by_entry(rally: Rally) -> QuerySet[Entry]:
    """Return the entries that have missed a deadline, with `misses`, most first. One query."""
    missed = Turn.objects.filter(watching.publicly_made(), seat__entry=OuterRef("pk"), missed=True).order_by()
    counted = missed.values("seat__entry").annotate(n=Count("pk")).values("n")
    return (
        rally.entries.annotate(misses=Coalesce(Subquery(counted), 0))
        .filter(misses__gt=0)
        .order_by("-misses", "start_number")
    )


def turn_still_waits(notice: Notice) -> bool:
    """Return whether the turn of a notice is still open and the recipient still drives the car. A driver who has moved,
    or has been replaced, must not be reminded.
    """
    turns = Turn.objects.filter(pk=notice.context.get("turn"), ended_at=None)
    return turns.filter(seat__entry__driver=notice.recipient_id).exists()


def turn_not_begun(notice: Notice) -> bool:
    """Return whether a notice that a turn waits is still of use: the turn waits, and its driver has posted nothing
    since the notice was written.
    """
    posted = Post.objects.filter(turn=notice.context.get("turn"), by=notice.recipient_id, at__gte=notice.created_at)
    return turn_still_waits(notice) and not posted.exists()


def orders_ahead_notice_still_needed(notice: Notice) -> bool:
    """Return whether the notice "plan not driven" is still of use: it is while the turn waits, and where no turn had to
    wait.
    """
    return not notice.context.get("waits") or turn_still_waits(notice)


def crumbs(run: Run, *, linked: bool = False) -> list[tuple[str, str | None]]:
    """Return the breadcrumbs of a run; `linked` when the run is not the current page."""
    stage = run.special_stage
    if stage.rally.practice:  # the page of its rally shows nothing more
        own = (stage.title, run.get_absolute_url() if linked else None)
        return [(_("Practice"), reverse("runs:practice")), own]
    return [
        (stage.rally.title, stage.rally.get_absolute_url()),
        (stage.title, stage.get_absolute_url()),
        (_("Run %(number)d") % {"number": run.number}, run.get_absolute_url() if linked else None),
    ]


def may_set_phrase(special_stage: SpecialStage, viewer: Viewer) -> bool:
    """Return whether the viewer drives in the rally and the stage is not open yet. One query at most."""
    if not viewer.is_authenticated or special_stage.status != SpecialStage.Status.PLANNED:
        return False
    entries = Entry.objects.filter(rally=special_stage.rally_id, driver=viewer, status=Entry.Status.CONFIRMED)
    return entries.exists()
