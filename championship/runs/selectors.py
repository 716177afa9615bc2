"""What pages about runs read, with as few queries as their docstrings say."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.notices.models import Notice
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs.models import Event, Place, Post, Run, Turn
from engine import ruleset

LOG_POSTS = 40
"""Posts that the stage page tells of; the log page tells all."""

Viewer = User | AnonymousUser


@dataclass(frozen=True, slots=True)
class RunPage:
    """A run as one viewer sees it: its places by position, the viewer's own, the open turns, the newest posts first."""

    run: Run
    places: list[Place]
    mine: Place | None
    turns: list[Turn]
    posts: list[Post]

    @property
    def my_turn(self) -> Turn | None:
        """The turn that waits for the viewer; None while the codriver drives the car.

        The turns were read after the run: a move in between may have opened one that its state knows nothing of.
        """
        if self.mine is None or self.mine.entry.driven_by != Entry.DrivenBy.PERSON:
            return None
        if self.mine.driver not in ruleset.get(self.run.game).to_play(self.run.state):
            return None
        return next((turn for turn in self.turns if turn.place_id == self.mine.pk), None)


def run_by_key(key: str) -> Run:
    """The run of that key with stage, rally and club, in one query; Http404. The key is all a reader needs."""
    return get_object_or_404(Run.objects.select_related("special_stage__rally__club"), key=key)


def run_page(run: Run, viewer: Viewer, *, posts: int | None = LOG_POSTS) -> RunPage:
    """What the stage page shows, in four queries. `posts`: how many of the newest, None for all."""
    places = list(run.places.select_related("entry__driver").order_by("position"))
    log = (
        run.posts.select_related("turn")
        .prefetch_related(Prefetch("events", queryset=Event.objects.order_by("number")))
        .order_by("-number")
    )
    mine = next((place for place in places if viewer.is_authenticated and place.entry.driver_id == viewer.pk), None)
    return RunPage(
        run=run,
        places=places,
        mine=mine,
        turns=list(run.turns.filter(ended_at=None).order_by("number")),
        posts=list(log if posts is None else log[:posts]),
    )


def turns_waiting_for(user: User) -> QuerySet[Turn]:
    """The turns that wait for this driver, the most pressing first, with run, stage, rally and entry: one query."""
    return (
        Turn.objects.filter(
            ended_at=None,
            run__status=Run.Status.RUNNING,
            place__entry__driver=user,
            place__entry__driven_by=Entry.DrivenBy.PERSON,
        )
        .select_related("run__special_stage__rally__club", "place__entry")
        .order_by("deadline", "pk")
    )


def stages_under_way(user: User) -> QuerySet[Place]:
    """The driver's places in runs that are on the road, whoever is to play: one query."""
    return (
        Place.objects.filter(run__status=Run.Status.RUNNING, entry__driver=user)
        .select_related("run__special_stage__rally__club", "entry")
        .order_by("-run__opened_at")
    )


def entries_of(user: User) -> QuerySet[Entry]:
    """The driver's entries in rallies that are not over, newest first: one query."""
    return (
        Entry.objects.filter(driver=user, status__in=[Entry.Status.REQUESTED, Entry.Status.CONFIRMED])
        .exclude(rally__status__in=[Rally.Status.FINISHED, Rally.Status.CANCELLED])
        .select_related("rally__club")
        .order_by("-rally__created_at")
    )


def time_controls_waiting_for(user: User) -> QuerySet[SpecialStage]:
    """Stages at whose time control this driver's card is missing: one query."""
    return (
        SpecialStage.objects.filter(
            status=SpecialStage.Status.TIME_CONTROL,
            start_places__entry__driver=user,
            start_places__entry__driven_by=Entry.DrivenBy.PERSON,
        )
        .exclude(cards__entry__driver=user)
        .select_related("rally__club")
        .order_by("control_deadline")
    )


def runs_of_stage(special_stage: SpecialStage) -> list[Run]:
    """The runs of a stage with their places and entries: two queries."""
    return list(special_stage.runs.prefetch_related("places__entry").order_by("number"))


def turn_still_waits(notice: Notice) -> bool:
    """Whether the turn that a notice is about is still open: nobody is reminded after moving."""
    return Turn.objects.filter(pk=notice.context.get("turn"), ended_at=None).exists()


def crumbs(run: Run, *, linked: bool = False) -> list[tuple[str, str | None]]:
    """The way to a run; `linked` when a page lies behind it."""
    stage = run.special_stage
    return [
        (stage.rally.name, stage.rally.get_absolute_url()),
        (stage.title, stage.get_absolute_url()),
        (_("Run %(number)d") % {"number": run.number}, run.get_absolute_url() if linked else None),
    ]


def may_say_phrase(special_stage: SpecialStage, viewer: Viewer) -> bool:
    """Whether the viewer drives in the rally and the stage is not open yet: one query at most."""
    if not viewer.is_authenticated or special_stage.status != SpecialStage.Status.PLANNED:
        return False
    entries = Entry.objects.filter(rally=special_stage.rally_id, driver=viewer, status=Entry.Status.CONFIRMED)
    return entries.exists()
