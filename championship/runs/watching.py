"""The one door to what happens in a run: who may watch it at all, and which of its events a viewer may read.

Where runs share their draws, a draw that was seen is a draw foreseen. Every selector that hands out a run
takes the viewer and asks here; who may not watch gets `NotYet`, from a page that is looked at and from a post that is
refused alike.

An event may name its readers (`only`). All others neither read it nor learn that, when or how often something has
happened: they see no post of which they may read nothing, a turn that was ended by one still looks open to them, and
what they see is counted without the gaps. A seat always sees its own posts. Somebody who does not drive in the run has
no seat and sees what everybody may.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Exists, F, OuterRef, Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from championship import sealed
from championship.accounts.models import User
from championship.prepared_queries import Prepared, ask_together, prepared
from championship.rallies import selectors as rallies
from championship.rallies.models import SpecialStage
from championship.rallies.selectors import Viewer
from championship.refusals import NotYet
from championship.runs.models import Event, Post, Run, Seat, Turn
from engine import registry
from engine.contract import Sealing, StageResult, UnknownGame, offered

SeatName = str | None
"""A seat's name in the engine; None for somebody who does not drive in the run."""


def may_watch(run: Run, viewer: Viewer) -> bool:
    """Whether the viewer may see what is drawn in the run: two queries at most, none where draws are not shared.

    Who drives in it may, and who has come in from another run of the stage; all others when every run of it is over,
    and an open stage has closed.
    """
    if run.common is None or not is_driven(run.special_stage_id):
        return True
    own = _own_run(run.special_stage_id, viewer)
    return own is not None and (own.pk == run.pk or own.status == Run.Status.FINISHED)


def is_driven(special_stage_id: int) -> bool:
    """Whether somebody drives on the stage, or may still come onto it, as onto an open one: one query. What all its
    chance follows from is a secret then.
    """
    takes_more = Q(rally__for_everybody=True, status=SpecialStage.Status.RUNNING)
    driven = Exists(Run.objects.filter(special_stage=OuterRef("pk"), status=Run.Status.RUNNING))
    return SpecialStage.objects.filter(takes_more | Q(driven), pk=special_stage_id).exists()


def let_in(run: Run, viewer: Viewer) -> None:
    """Let the viewer of a run pass: who may see its rally, and may watch it. Two queries at most, two more where the
    club is for members only.

    Raises: Http404 for who may not see the rally; NotYet for who may not watch it yet, or has not signed in.
    """
    rallies.let_in(run.special_stage.rally, viewer)
    if not may_watch(run, viewer):
        raise not_yet(run.special_stage)


def may_watch_all(special_stage: SpecialStage, runs: Sequence[Run], viewer: Viewer) -> bool:
    """Whether the viewer may see what is drawn in each of a stage's `runs`: one query at most."""
    shared = any(run.common is not None for run in runs)
    takes_more = special_stage.rally.for_everybody and special_stage.status == SpecialStage.Status.RUNNING
    if not shared or not (takes_more or any(run.status == Run.Status.RUNNING for run in runs)):
        return True
    own = _own_run(special_stage.pk, viewer)
    return own is not None and own.status == Run.Status.FINISHED


def not_yet(special_stage: SpecialStage) -> NotYet:
    """The refusal of everything that shows what is drawn on a stage."""
    rally = special_stage.rally
    crumbs = [
        (rally.title, rally.get_absolute_url()),
        (special_stage.title, special_stage.get_absolute_url()),
        (_("Not yet"), None),
    ]
    return NotYet("runs/not_yet.html", {"stage": special_stage, "crumbs": crumbs})


# What a seat may read --------------------------------------------------------------------------------


def seat_of(run: Run, viewer: Viewer) -> SeatName:
    """The seat of a viewer in the run: one query, none where nothing is hidden from anybody."""
    if not run.hidden or not viewer.is_authenticated:
        return None
    return run.seats.filter(entry__driver=viewer.pk).values_list("driver", flat=True).first()


def may_hide(run: Run) -> bool:
    """Whether something is hidden in a run on the road, or may come to be: its game tells, not this moment, from which
    a driver would learn that somebody has sent something.
    """
    return run.status == Run.Status.RUNNING and (run.hidden or seals(run.game))


def seals(game: str) -> bool:
    """Whether runs of a game seal events at times; not where this installation does not know the game."""
    try:
        sealing = offered(registry.get(game), Sealing)
    except UnknownGame:
        return False
    return sealing is not None and sealing.seals


def own_sealed(person: User) -> QuerySet[Run]:
    """The runs on the road in which the person drives and something may come to be hidden (`may_hide`)."""
    sealing = [name for name in registry.names() if seals(name)]
    own = Run.objects.filter(status=Run.Status.RUNNING, seats__entry__driver=person)
    return own.filter(Q(hidden=True) | Q(game__in=sealing))


def readable(seat: SeatName) -> Q:
    """Which events a seat may read now: those that were never hidden from it, those of phases that are closed, and all
    of a run that is over.
    """
    return sealed.readable(
        everybodys=Q(only=None),
        own=None if seat is None else Q(only__contains=[seat]),
        closed=Q(until=Event.Until.PHASE, number__lte=F("run__open_up_to")),
        over=~Q(run__status=Run.Status.RUNNING),
    )


def may_read(run: Run, seat: SeatName, *, number: int, only: Sequence[str] | None, until: str) -> bool:
    """Whether a seat may read an event of a run: the same of an event that has been read already."""
    over = run.status != Run.Status.RUNNING
    return sealed.may_read(seat, only, until, closed=number <= run.open_up_to, over=over)


def hides(run: Run) -> bool:
    """Whether an event of the run is hidden from anybody now: one query."""
    hidden = Event.objects.filter(run=run).exclude(only=None)
    return hidden.exclude(until=Event.Until.PHASE, number__lte=run.open_up_to).exists()


def events_for(run: Run, seat: SeatName) -> QuerySet[Event]:
    """The events of a run, as far as it was read, that a seat may read."""
    events = Event.objects.filter(run=run, number__lte=run.events_told)
    return events.filter(readable(seat)) if run.hidden else events


def posts_for(run: Run, seat: SeatName) -> QuerySet[Post]:
    """The posts of a run, as far as it was read, that a seat may know of; where something is hidden each with `veiled`:
    whether the seat may not read all of it before the phase closes, nor learn who has sent it.
    """
    posts = Post.objects.filter(run=run, number__lte=run.version)
    if not run.hidden:
        return posts
    told = Exists(Event.objects.filter(readable(seat), post=OuterRef("pk")))
    veiled = Exists(Event.objects.filter(~readable(seat), post=OuterRef("pk"), until=Event.Until.PHASE))
    return posts.annotate(veiled=veiled).filter(Q(told) if seat is None else Q(told) | Q(turn__seat__driver=seat))


def newest_posts(run: Run, seat: SeatName, most: int, *, skip: int = 0) -> list[Post]:
    """The newest posts that a seat may know of, `most` of them after `skip` that are newer still, each with its turn
    and the events that the seat may read: two queries.
    """
    if run.hidden:
        readable_ones = Prefetch("events", queryset=events_for(run, seat).order_by("number"))
        found = posts_for(run, seat).select_related("turn").prefetch_related(readable_ones).order_by("-number")
        return list(found[skip : skip + most])
    upto = run.version - skip
    posts, events = ask_together(
        posts_after.asked(run=run.pk, version=upto, before=upto - most),
        events_between.asked(run=run.pk, before=upto - most, upto=upto, told=run.events_told),
    )
    put_events(posts, events)
    return posts


OF_THE_CLOCK = tuple(
    f"turn__{name}"
    for name in (
        *("since", "deadline", "remind_at", "counted_from", "left_seconds", "terms", "reasons", "stands_in"),
        *("claimed_at", "reminded_of", "given", "nudged_at", "sent_in_time"),
    )
)
"""What the deadlines of turns that are over were reckoned from: no page tells it."""


@prepared
def posts_after(run: Any, version: Any, before: Any) -> QuerySet[Post]:
    """The posts of a run up to a version, of which nothing is hidden, the newest first: they are numbered without a
    gap; without their draws, which no page shows.
    """
    posts = Post.objects.filter(run=run, number__lte=version, number__gt=before).defer("draws", *OF_THE_CLOCK)
    return posts.select_related("turn").order_by("-number")


@prepared
def events_after(run: Any, before: Any, told: Any) -> QuerySet[Event]:
    """The events of a run, of which nothing is hidden, that came with posts after that one."""
    return Event.objects.filter(run=run, number__lte=told, post__number__gt=before).order_by("number")


@prepared
def events_between(run: Any, before: Any, upto: Any, told: Any) -> QuerySet[Event]:
    """The same as far as that post."""
    return events_after.queryset(run=run, before=before, told=told).filter(post__number__lte=upto)


def put_events(posts: Sequence[Post], events: Iterable[Event]) -> None:
    """Let posts have their events at hand, as `prefetch_related` does: `post.events.all()` is a list then."""
    events_of: dict[int, list[Event]] = {post.pk: [] for post in posts}
    for event in events:
        if event.post_id in events_of:
            events_of[event.post_id].append(event)
    for post in posts:
        post._prefetched_objects_cache = {"events": events_of[post.pk]}  # type: ignore[attr-defined]


def veil_senders(posts: Sequence[Post], seats: Sequence[Seat]) -> None:
    """Let posts that are veiled look as if the seat's own driver had sent them: that it was the codriver tells that a
    deadline was missed.
    """
    drivers = {seat.pk: seat.entry.driver_id for seat in seats}
    for post in posts:
        if getattr(post, "veiled", False) and post.turn is not None:
            post.by_id = drivers[post.turn.seat_id]


def told_for(run: Run, seat: SeatName) -> int:
    """How many posts a seat may know of. One query where something is hidden, none otherwise."""
    return posts_for(run, seat).count() if run.hidden else run.version


def version_for(run: Run, seat: SeatName) -> int:
    """A seat's version of the run: how many posts count for what it does next. One query where something is hidden,
    none otherwise.

    Every post counts that the seat has sent, and every post of which nothing is hidden from it until the phase closes.
    So what others do in a phase that all play at once leaves the version as it is, even where the game openly says who
    has played; when the phase closes all of it counts.
    """
    return _counting(run, seat).count() if run.hidden else run.version


def moved_since(run: Run, seat: str, version: int) -> bool:
    """Whether a seat has posted since it saw that version of the run: one query."""
    if not run.hidden:
        return run.posts.filter(number__gt=version, turn__seat__driver=seat).exists()
    own = list(_counting(run, seat).order_by("number").values_list("turn__seat__driver", flat=True))[version:]
    return seat in own


def _counting(run: Run, seat: SeatName) -> QuerySet[Post]:
    hidden = Q(Exists(Event.objects.filter(~readable(seat), post=OuterRef("pk"), until=Event.Until.PHASE)))
    posts = Post.objects.filter(run=run, number__lte=run.version)
    return posts.filter(~hidden if seat is None else ~hidden | Q(turn__seat__driver=seat))


def turns_for(run: Run, seat: SeatName) -> QuerySet[Turn]:
    """The turns of a run that look open to a seat, by number: a turn that was ended by what the seat may not read until
    the phase closes looks open still, and what has followed it for that car has not begun.
    """
    if not run.hidden:
        return run.turns.filter(ended_at=None).order_by("number")
    return looking_open(run.turns.all(), seat).order_by("number")


def open_turns(run: Run, seat: SeatName) -> list[Turn]:
    """The same as a list, for the page of a run: one query."""
    return list(turns_for(run, seat)) if run.hidden else open_turns_of(run=run.pk)


@prepared
def open_turns_of(run: Any) -> QuerySet[Turn]:
    return Turn.objects.filter(run=run, ended_at=None).order_by("number")


def looking_open(turns: QuerySet[Turn], seat: SeatName) -> QuerySet[Turn]:
    """Of turns those that look open to a seat, as `turns_for` has it."""
    unread = Event.objects.filter(~readable(seat), until=Event.Until.PHASE)
    if seat is not None:
        unread = unread.exclude(post__turn__seat__driver=seat)
    earlier = unread.filter(post__turn__seat=OuterRef("seat"), post__turn__number__lt=OuterRef("number"))
    shown = turns.filter(Q(ended_at=None) | Exists(unread.filter(post__turn=OuterRef("pk"))))
    return shown.exclude(Exists(earlier))


def told_to_all() -> Q:
    """Of turns those of which everybody may know that they were made, as far as the phase goes."""
    return ~Q(Exists(Event.objects.filter(~readable(None), post__turn=OuterRef("pk"), until=Event.Until.PHASE)))


def misses_unknown(run: Run) -> QuerySet[Turn]:
    """The turns of a run, with the posts that are written, whose missed deadline only their own seat may know of."""
    return _misses_unknown().filter(run=run)


def _misses_unknown() -> QuerySet[Turn]:
    unread = Event.objects.filter(~readable(None), until=Event.Until.PHASE, post__turn=OuterRef("pk"))
    return Turn.objects.filter(Exists(unread), missed=True)


def seats_for(run: Run, viewer: Viewer, seats: Prepared[Seat]) -> list[Seat]:
    """The `seats` of a run, as the viewer may know them: that the codriver has the wheel since a deadline that was
    missed in secret is told to its driver alone. One query.
    """
    known: list[Seat]
    if run.hidden:
        known = list(seats.queryset(run=run.pk).annotate(missed_in_secret=missed_in_secret()))
    else:
        known = seats(run=run.pk)
    for seat in known:
        seat.run = run
        if run.hidden and seat.missed_in_secret and seat.entry.driver_id != viewer.pk:  # type: ignore[attr-defined]
            seat.codriver_since = None
    return known


def missed_in_secret() -> Exists:
    """Of seats whether a deadline was missed of which only their own seat may know: `codriver_since` is no news for
    others then.
    """
    return Exists(_misses_unknown().filter(seat=OuterRef("pk")))


def view_of(run: Run, seat: SeatName) -> dict[str, Any]:
    """The state of a run as its game shows it to a seat."""
    return registry.get(run.game).view(run.state, seat)


def result_of(run: Run) -> StageResult | None:
    """How a run ended that is over."""
    return registry.get(run.game).result(run.state) if run.status == Run.Status.FINISHED else None


def to_play(run: Run) -> tuple[str, ...]:
    """The seats that the run waits for; not for pages, which ask `turns_for`."""
    return tuple(registry.get(run.game).to_play(run.state))


def _own_run(special_stage_id: int, viewer: Viewer) -> Run | None:
    """The run in which the viewer drives the stage."""
    if not viewer.is_authenticated:
        return None
    own = Seat.objects.filter(special_stage=special_stage_id, entry__driver=viewer.pk).select_related("run").first()
    return None if own is None else own.run
