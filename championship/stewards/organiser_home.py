"""The home page of organisers and stewards: what is late, what waits for an answer, what comes next, in all their
clubs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Club, JoinRequest, Membership, Role
from championship.platform import clock
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime, StartPlace
from championship.rallies.selectors import OPEN
from championship.runs.models import Turn
from championship.runs.watch.selectors import awaited_turns
from championship.runs.watch.watching import own_runs_that_may_hide
from championship.stewards.models import Protest
from championship.stewards.selectors import waiting_for_judgement

SOON = timedelta(hours=12)
"""A turn with less time left than this is shown."""
MOST_SHOWN = 50
JUDGES = (Role.ORGANISER, Role.OWNER, Role.STEWARD)


@dataclass(frozen=True, slots=True)
class RallyAhead:
    """A rally under way, the stage that it is at, how many of the `starters` are in there, and its next act in words.
    `waits`: the act is an organiser's.
    """

    rally: Rally
    stage: SpecialStage | None
    times_in: int
    starters: int
    act: str
    waits: bool

    @property
    def on_the_road(self) -> bool:
        return self.stage is not None and self.stage.status == SpecialStage.Status.RUNNING


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything that one person has to handle, in all their clubs."""

    late: Sequence[Turn]
    requested: Sequence[Rally]
    controls: Sequence[SpecialStage]
    protests: Sequence[Protest]
    join_requests: Sequence[JoinRequest]
    reports: Sequence[Club]
    on_the_road: Sequence[RallyAhead]
    takes_entries: Sequence[Rally]

    @property
    def nothing(self) -> bool:
        """Whether nothing is late and nothing waits for an answer."""
        words = (self.late, self.requested, self.controls, self.protests, self.join_requests, self.reports)
        return not any(words) and not self.waiting

    @property
    def waiting(self) -> list[RallyAhead]:
        """The rallies that wait for an organiser: paused ones, and those whose next stage is not started."""
        return [each for each in self.on_the_road if each.waits]


def overview_of(person: User) -> Overview:
    """Return the overview of a person. Ten queries for any number of clubs, rallies and turns.

    Turns of runs in which something is hidden are left out, since others may not know whose turn it is there. Where the
    person drives in a run of a game that may hide something, its turns are always left out: otherwise a turn that
    disappears would show that somebody has moved.
    """
    now = clock.now()
    clubs = _clubs_of(person, Role.ORGANISER)
    rallies = Rally.objects.filter(club__in=clubs, practice=False).select_related("club")
    counted = rallies.annotate(
        confirmed=Count("entries", filter=Q(entries__status=Entry.Status.CONFIRMED)),
        requested=Count("entries", filter=Q(entries__status=Entry.Status.REQUESTED)),
    )
    taking = list(counted.filter(status=Rally.Status.ENTRIES).order_by("created_at", "pk")[:MOST_SHOWN])
    late = (
        awaited_turns()
        .filter(
            deadline__lt=now + SOON,
            run__hidden=False,
            run__special_stage__rally__club__in=clubs,
            run__special_stage__rally__paused_at=None,
        )
        .exclude(run__in=own_runs_that_may_hide(person))
    )
    late = late.select_related("seat__entry", "run__special_stage__rally__club")
    controls = SpecialStage.objects.filter(rally__in=rallies, status=SpecialStage.Status.TIME_CONTROL)
    judged = _clubs_of(person, *JUDGES)
    waiting = Club.objects.filter(pk__in=judged).annotate(
        open_reports=Count("reports", filter=Q(reports__settled_at=None))
    )
    asked = JoinRequest.objects.filter(club__in=clubs, accepted=None, person__closed_at=None)
    return Overview(
        late=list(late.order_by("deadline", "pk")[:MOST_SHOWN]),
        requested=[rally for rally in taking if rally.requested],
        controls=list(controls.select_related("rally__club").order_by("control_deadline")[:MOST_SHOWN]),
        protests=list(waiting_for_judgement(person)[:MOST_SHOWN]),
        join_requests=list(asked.select_related("club", "person")[:MOST_SHOWN]),
        reports=list(waiting.filter(open_reports__gt=0).order_by("name")),
        on_the_road=_ahead(list(rallies.filter(status=Rally.Status.RUNNING).order_by("started_at", "pk")[:MOST_SHOWN])),
        takes_entries=taking,
    )


def _ahead(rallies: Sequence[Rally]) -> list[RallyAhead]:
    """Return these rallies under way with their stages. One query, none without rallies."""
    if not rallies:
        return []
    starters = StartPlace.objects.filter(special_stage=OuterRef("pk")).order_by().values("special_stage")
    times = StageTime.objects.filter(special_stage=OuterRef("pk")).order_by().values("special_stage")
    to_come = SpecialStage.objects.filter(rally__in=rallies, status__in=[*OPEN, SpecialStage.Status.PLANNED]).order_by(
        "number"
    )
    stages: dict[int, SpecialStage] = {}
    for stage in to_come.defer("spec").annotate(
        starters=Coalesce(Subquery(starters.annotate(n=Count("pk")).values("n")), 0),
        times_in=Coalesce(Subquery(times.annotate(n=Count("pk")).values("n")), 0),
    ):
        stages.setdefault(stage.rally_id, stage)
    return [_rally_ahead(rally, stages.get(rally.pk)) for rally in rallies]


def _rally_ahead(rally: Rally, stage: Any) -> RallyAhead:
    act, waits = "", rally.paused_at is not None
    if waits:
        act = _("It is paused: let it go on.")
    elif stage is not None and stage.status == SpecialStage.Status.PLANNED:
        act, waits = str(rally.words.start) % {"number": stage.number}, True
    elif stage is not None and stage.status == SpecialStage.Status.TIME_CONTROL:
        act = _("Time control is open.")
    times_in, starters = (stage.times_in, stage.starters) if stage is not None else (0, 0)
    return RallyAhead(rally, stage, times_in, starters, act, waits)


def _clubs_of(person: User, *roles: str) -> list[int]:
    held = Membership.objects.filter(user=person, roles__overlap=[str(role) for role in roles])
    return list(held.values_list("club_id", flat=True))


@login_required
@require_safe
def overview(request: SignedInRequest) -> HttpResponse:
    """Show the page."""
    assert isinstance(request.user, User)
    context = {
        "shown": overview_of(request.user),
        "now": clock.now(),
        "crumbs": [(_("What waits for organisers"), None)],
    }
    return render(request, "stewards/organising.html", context)
