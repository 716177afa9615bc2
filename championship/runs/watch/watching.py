"""The only way to read what happens in a run. This module decides who may watch a run at all, and which of its events a
viewer may read.

Where runs share their random draws, a driver who sees a draw in one run knows it in advance in another. So every
selector that returns a run takes the viewer and checks here. A viewer who may not watch gets `NotYet`, both for a page
and for a refused post.

An event may name its readers (`only`). All other viewers neither read it nor learn that something happened, when, or
how often: they do not see a post when they may not read any of its events, a turn that such an event ended still looks
open to them, and the numbers that they see have no gaps. A seat always sees its own posts. A viewer who does not drive
in the run has no seat and sees what everybody may see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.platform import sealed
from championship.platform.prepared_queries import BoundQuery, Prepared, prepared, run_together
from championship.platform.refusals import NotYet
from championship.rallies import selectors as rallies
from championship.rallies.models import SpecialStage
from championship.rallies.selectors import Viewer
from championship.runs.models import Event, Post, Run, Seat, Turn
from engine import registry
from engine.contract import Sealing, StageResult, UnknownGame, offered

SeatName = str | None
"""A seat's name in the engine; None for a viewer who does not drive in the run."""


def may_watch(run: Run, viewer: Viewer) -> bool:
    """Return whether the viewer may see the random draws of the run. Two queries at most, none where draws are not
    shared.

    Drivers of the run may watch it. So may drivers who have finished another run of the same stage. Everybody else may
    when every run of the stage is over and, on an open stage, when the stage has closed.
    """
    if run.common is None or not is_still_driven(run.special_stage_id):
        return True
    own = _own_run(run.special_stage_id, viewer)
    return own is not None and (own.pk == run.pk or own.status == Run.Status.FINISHED)


def is_still_driven(special_stage_id: int) -> bool:
    """Return whether somebody drives on the stage or may still enter it, as on an open stage. One query. As long as
    this is so, the secrets from which all draws of the stage follow must not be shown.

    Nobody drives on an open stage that has closed, not even in a run that could not be ended then.
    """
    takes_more = Q(rally__for_everybody=True, status=SpecialStage.Status.RUNNING)
    driven = Exists(Run.objects.filter(special_stage=OuterRef("pk"), status=Run.Status.RUNNING))
    found = SpecialStage.objects.filter(takes_more | Q(driven, rally__for_everybody=False), pk=special_stage_id)
    return found.exists()


def require_may_watch(run: Run, viewer: Viewer) -> None:
    """Authorise the viewer of a run: the viewer must be allowed to see its rally and to watch the run. Two queries at
    most, two more where the club is for members only.

    Raises: Http404 when the viewer may not see the rally.
    Raises: NotYet when the viewer may not watch the run yet, or has not signed in.
    """
    rallies.require_may_see(run.special_stage.rally, viewer)
    if not may_watch(run, viewer):
        raise not_yet(run.special_stage)


def may_watch_all(special_stage: SpecialStage, runs: Sequence[Run], viewer: Viewer) -> bool:
    """Return whether the viewer may see the random draws of all these `runs` of a stage. One query at most."""
    shared = any(run.common is not None for run in runs)
    if special_stage.rally.for_everybody:
        driven = special_stage.status == SpecialStage.Status.RUNNING
    else:
        driven = any(run.status == Run.Status.RUNNING for run in runs)
    if not shared or not driven:
        return True
    own = _own_run(special_stage.pk, viewer)
    return own is not None and own.status == Run.Status.FINISHED


def not_yet(special_stage: SpecialStage) -> NotYet:
    """Return the refusal for every page that shows random draws of a stage."""
    rally = special_stage.rally
    crumbs = [
        (rally.title, rally.get_absolute_url()),
        (special_stage.title, special_stage.get_absolute_url()),
        (_("Not yet"), None),
    ]
    return NotYet("runs/not_yet.html", {"stage": special_stage, "crumbs": crumbs})


# What a seat may read --------------------------------------------------------------------------------


def seat_of(run: Run, viewer: Viewer) -> SeatName:
    """Return the viewer's seat in the run. One query, none where no event is hidden."""
    if not run.hidden or not viewer.is_authenticated:
        return None
    return run.seats.filter(entry__driver=viewer.pk).values_list("name", flat=True).first()


def may_hide(run: Run) -> bool:
    """Return whether something is hidden in a running run, or may be hidden later. For a running run the answer depends
    on the game, not on the moment: otherwise a driver would learn from it that somebody has sent orders.
    """
    return run.status == Run.Status.RUNNING and (run.hidden or game_hides_events(run.game))


def game_hides_events(game: str) -> bool:
    """Return whether runs of a game hide events at times. False where this installation does not know the game."""
    try:
        sealing = offered(registry.get(game), Sealing)
    except UnknownGame:
        return False
    return sealing is not None and sealing.seals


def own_runs_that_may_hide(person: User) -> QuerySet[Run]:
    """Return the running runs in which the person drives and something is or may be hidden (`may_hide`)."""
    sealing = [name for name in registry.names() if game_hides_events(name)]
    own = Run.objects.filter(status=Run.Status.RUNNING, seats__entry__driver=person)
    return own.filter(Q(hidden=True) | Q(game__in=sealing))


def readable(seat: SeatName) -> Q:
    """Return the condition for events that a seat may read now: events that were never hidden from it, hidden events of
    closed phases, and all events of a run that is over.
    """
    return _readable(None if seat is None else [seat])


def _readable(readers: Any) -> Q:
    """Return the condition for events that these seats may read now; None for nobody in particular."""
    return sealed.readable(
        everybodys=Q(only=None),
        own=None if readers is None else Q(only__contains=readers),
        closed=Q(until=Event.Until.PHASE, number__lte=F("run__open_up_to")),
        over=~Q(run__status=Run.Status.RUNNING),
    )


def may_read(run: Run, seat: SeatName, *, number: int, only: Sequence[str] | None, until: str) -> bool:
    """Return whether a seat may read an event of a run. The same rule as `readable`, for an event that was already read
    from the database.
    """
    over = run.status != Run.Status.RUNNING
    return sealed.may_read(seat, only, until, closed=number <= run.open_up_to, over=over)


def has_hidden_events(run: Run) -> bool:
    """Return whether an event of the run is hidden from anybody now. One query."""
    hidden = Event.objects.filter(run=run).exclude(only=None)
    return hidden.exclude(until=Event.Until.PHASE, number__lte=run.open_up_to).exists()


def events_for(run: Run, seat: SeatName) -> QuerySet[Event]:
    """Return the events that a seat may read, up to the state in which `run` was read."""
    events = Event.objects.filter(run=run, number__lte=run.events_told)
    return events.filter(readable(seat)) if run.hidden else events


def posts_for(run: Run, seat: SeatName) -> QuerySet[Post]:
    """Return the posts that a seat may know of, up to the state in which `run` was read. Where something is hidden,
    each has `veiled`: whether some of its events are hidden from the seat until the phase closes, so that the seat must
    not learn who sent it.
    """
    posts = Post.objects.filter(run=run, number__lte=run.version)
    if not run.hidden:
        return posts
    told = Exists(Event.objects.filter(readable(seat), post=OuterRef("pk")))
    veiled = Exists(Event.objects.filter(~readable(seat), post=OuterRef("pk"), until=Event.Until.PHASE))
    return posts.annotate(veiled=veiled).filter(Q(told) if seat is None else Q(told) | Q(turn__seat__name=seat))


def newest_posts(run: Run, seat: SeatName, most: int, *, skip: int = 0) -> list[Post]:
    """Return the newest posts that a seat may know of: `most` of them after skipping the newest `skip`. Each has its
    turn and the events that the seat may read. Two queries.
    """
    if run.hidden:
        readable_ones = Prefetch("events", queryset=events_for(run, seat).order_by("number"))
        found = posts_for(run, seat).select_related("turn").prefetch_related(readable_ones).order_by("-number")
        return list(found[skip : skip + most])
    upto = run.version - skip
    posts, events = run_together(
        posts_after.bind(run=run.pk, version=upto, before=upto - most),
        events_between.bind(run=run.pk, before=upto - most, upto=upto, up_to_event=run.events_told),
    )
    put_events(posts, events)
    return posts


DEADLINE_COLUMNS = tuple(
    f"turn__{name}"
    for name in (
        *("since", "deadline", "remind_at", "counted_from", "left_seconds", "terms", "reasons", "stands_in"),
        *("claimed_at", "reminded_of", "given", "nudged_at", "sent_in_time"),
    )
)
"""The columns of a turn from which its deadline is computed. No page shows them for a turn that is over."""


@prepared
def posts_after(run: Any, version: Any, before: Any) -> QuerySet[Post]:
    """Return the posts of a run up to a version, newest first, for a run in which nothing is hidden: there post numbers
    have no gaps. The draws are not read, since no page shows them.
    """
    posts = Post.objects.filter(run=run, number__lte=version, number__gt=before).defer("draws", *DEADLINE_COLUMNS)
    return posts.select_related("turn").order_by("-number")


@prepared
def events_after(run: Any, before: Any, up_to_event: Any) -> QuerySet[Event]:
    """Return the events of posts after post number `before`, for a run in which nothing is hidden."""
    return Event.objects.filter(run=run, number__lte=up_to_event, post__number__gt=before).order_by("number")


@prepared
def events_between(run: Any, before: Any, upto: Any, up_to_event: Any) -> QuerySet[Event]:
    """Return the same events as `events_after`, only up to post number `upto`."""
    return events_after.queryset(run=run, before=before, up_to_event=up_to_event).filter(post__number__lte=upto)


def put_events(posts: Sequence[Post], events: Iterable[Event]) -> None:
    """Attach events to their posts as `prefetch_related` does, so that `post.events.all()` needs no query."""
    events_of: dict[int, list[Event]] = {post.pk: [] for post in posts}
    for event in events:
        if event.post_id in events_of:
            events_of[event.post_id].append(event)
    for post in posts:
        # Django declares no way to set what `prefetch_related` has read.
        post._prefetched_objects_cache = {"events": events_of[post.pk]}  # type: ignore[attr-defined]


def with_seats(runs: Sequence[Run], seats: Iterable[Seat]) -> Sequence[Run]:
    """Attach seats to their runs as `prefetch_related` does, in the order given, and return the runs."""
    seats_of: dict[int, list[Seat]] = {run.pk: [] for run in runs}
    known = {run.pk: run for run in runs}
    for seat in seats:
        if seat.run_id in known:
            seat.run = known[seat.run_id]
            seats_of[seat.run_id].append(seat)
    for run in runs:
        run._prefetched_objects_cache = {"seats": seats_of[run.pk]}  # type: ignore[attr-defined]
    return runs


def veil_senders(posts: Sequence[Post], seats: Sequence[Seat]) -> None:
    """Make veiled posts look as if the seat's own driver had sent them. A post by the codriver would show that a
    deadline was missed.
    """
    drivers = {seat.pk: seat.entry.driver_id for seat in seats}
    for post in posts:
        if getattr(post, "veiled", False) and post.turn is not None:
            post.by_id = drivers[post.turn.seat_id]


def post_count_for(run: Run, seat: SeatName) -> int:
    """Return how many posts a seat may know of. One query where something is hidden, none otherwise."""
    return posts_for(run, seat).count() if run.hidden else run.version


def version_for(run: Run, seat: SeatName) -> int:
    """Return a seat's version of the run: the number of posts that matter for its next orders. One query where
    something is hidden, none otherwise.

    These are the posts that the seat has sent, and the posts without an event that is hidden from the seat until the
    phase closes. So posts of other seats in a phase in which all play at once do not change the version, even where the
    game shows openly who has played. All of them count when the phase closes.
    """
    return _counting(run, seat).count() if run.hidden else run.version


def moved_since(run: Run, seat: str, version: int) -> bool:
    """Return whether a seat has posted since that version of the run. One query."""
    if not run.hidden:
        return run.posts.filter(number__gt=version, turn__seat__name=seat).exists()
    own = list(_counting(run, seat).order_by("number").values_list("turn__seat__name", flat=True))[version:]
    return seat in own


def _counting(run: Run, seat: SeatName) -> QuerySet[Post]:
    hidden = Q(Exists(Event.objects.filter(~readable(seat), post=OuterRef("pk"), until=Event.Until.PHASE)))
    posts = Post.objects.filter(run=run, number__lte=run.version)
    return posts.filter(~hidden if seat is None else ~hidden | Q(turn__seat__name=seat))


def turns_for(run: Run, seat: SeatName) -> QuerySet[Turn]:
    """Return the turns of a run that look open to a seat, by number. If a turn was ended by events that the seat may
    not read until the phase closes, it still looks open, and the next turns of that car look as if they had not begun.
    """
    if not run.hidden:
        return run.turns.filter(ended_at=None).order_by("number")
    return looking_open(run.turns.all(), seat).order_by("number")


def open_turns(run: Run, seat: SeatName) -> list[Turn]:
    """Return the same turns as `turns_for` as a list, for the page of a run. One query."""
    return list(turns_for(run, seat)) if run.hidden else open_turns_of(run=run.pk)


@prepared
def open_turns_of(run: Any) -> QuerySet[Turn]:
    return Turn.objects.filter(run=run, ended_at=None).order_by("number")


def looking_open(turns: QuerySet[Turn], seat: SeatName) -> QuerySet[Turn]:
    """Return those of `turns` that look open to a seat, by the rule of `turns_for`."""
    return _looking_open(turns, seat, None if seat is None else [seat])


def turns_and_posts_seen(seats: Sequence[Seat]) -> list[tuple[list[Turn], int]]:
    """Return for each of these seats, whose runs hide something, the same turns as `turns_for`, with seat and entry,
    and the same number of posts as `post_count_for`. One trip to the database for any number of seats.
    """
    bound = list[BoundQuery[Any]]()
    for seat in seats:
        known = {"run": seat.run_id, "seat": seat.name, "readers": [seat.name]}
        bound += [_turns_seen.bind(**known), _posts_seen.bind(**known, version=seat.run.version)]
    rows = run_together(*bound) if bound else []
    return [(turns, counts[0][0] if counts else 0) for turns, counts in zip(rows[::2], rows[1::2], strict=True)]


@prepared
def _turns_seen(run: Any, seat: Any, readers: Any) -> QuerySet[Turn]:
    found = _looking_open(Turn.objects.filter(run=run), seat, readers)
    return found.select_related("seat__entry").order_by("number")


@prepared
def _posts_seen(run: Any, seat: Any, readers: Any, version: Any) -> QuerySet[Post, tuple[Any, ...]]:
    told = Exists(Event.objects.filter(_readable(readers), post=OuterRef("pk")))
    posts = Post.objects.filter(Q(told) | Q(turn__seat__name=seat), run=run, number__lte=version)
    return posts.order_by().values("run").annotate(posts=Count("pk")).values_list("posts")


def _looking_open(turns: QuerySet[Turn], seat: Any, readers: Any) -> QuerySet[Turn]:
    unread = Event.objects.filter(~_readable(readers), until=Event.Until.PHASE)
    if seat is not None:
        unread = unread.exclude(post__turn__seat__name=seat)
    earlier = unread.filter(post__turn__seat=OuterRef("seat"), post__turn__number__lt=OuterRef("number"))
    shown = turns.filter(Q(ended_at=None) | Exists(unread.filter(post__turn=OuterRef("pk"))))
    return shown.exclude(Exists(earlier))


def publicly_made() -> Q:
    """Return the condition for turns that everybody may know to be made, since no event of them is hidden until the
    phase closes.
    """
    return ~Q(Exists(Event.objects.filter(~readable(None), post__turn=OuterRef("pk"), until=Event.Until.PHASE)))


def secret_misses(run: Run) -> QuerySet[Turn]:
    """Return the turns of a run whose missed deadline only their own seat may know of. Its posts must be written
    before.
    """
    return _all_secret_misses().filter(run=run)


def _all_secret_misses() -> QuerySet[Turn]:
    unread = Event.objects.filter(~readable(None), until=Event.Until.PHASE, post__turn=OuterRef("pk"))
    return Turn.objects.filter(Exists(unread), missed=True)


def seats_for(run: Run, viewer: Viewer, seats: Prepared[Seat]) -> list[Seat]:
    """Return the `seats` of a run as the viewer may know them. One query. Only the driver learns that the codriver has
    the wheel after a deadline that was missed in secret, or for one turn.
    """
    known: list[Seat] = []
    missed: set[int] = set()
    if run.hidden:
        for seat in seats.queryset(run=run.pk).annotate(missed_in_secret=missed_in_secret()):
            known.append(seat)
            missed |= {seat.pk} if seat.missed_in_secret else set()
    else:
        known = seats(run=run.pk)
    for seat in known:
        seat.run = run
        if seat.entry.driver_id != viewer.pk:
            hide_wheel(seat, missed_in_secret=seat.pk in missed)
    return known


def hide_wheel(seat: Seat, *, missed_in_secret: bool) -> None:
    """Hide from others what only the driver of a seat may know: that the codriver has the wheel after a deadline that
    was missed in secret, or for one turn.
    """
    if missed_in_secret or seat.handed_over == Seat.HandedOver.TURN:
        seat.codriver_since, seat.handed_over = None, ""


def missed_in_secret() -> Exists:
    """Return the annotation for seats with a missed deadline of which only the seat itself may know. Their
    `codriver_since` must be hidden from others.
    """
    return Exists(_all_secret_misses().filter(seat=OuterRef("pk")))


def view_of(run: Run, seat: SeatName) -> dict[str, Any]:
    """Return the state of a run as its game shows it to a seat."""
    return registry.get(run.game).view(run.state, seat)


def result_of(run: Run) -> StageResult | None:
    """Return the result of a finished run, None for any other run."""
    return registry.get(run.game).result(run.state) if run.status == Run.Status.FINISHED else None


def turns_made(run: Run, seat: str) -> int:
    """How many turns a seat has made."""
    return registry.get(run.game).turns_made(run.state, seat)


def to_play(run: Run) -> tuple[str, ...]:
    """Return the seats that the run waits for, hidden or not. Pages must use `turns_for` instead."""
    return tuple(registry.get(run.game).to_play(run.state))


def _own_run(special_stage_id: int, viewer: Viewer) -> Run | None:
    """Return the run in which the viewer drives the stage, or None."""
    if not viewer.is_authenticated:
        return None
    own = Seat.objects.filter(special_stage=special_stage_id, entry__driver=viewer.pk).select_related("run").first()
    return None if own is None else own.run
