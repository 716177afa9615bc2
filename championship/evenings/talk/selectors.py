"""Every read of the talk beside a run, and who may read and say what there.

Drivers of the rally talk among themselves, and everybody who may see the run reads it. Spectators talk among
themselves: as long as the stage is under way no driver reads it, and nobody who has not signed in. Where the runs of a
stage share their random draws, nobody reads or says anything until the stage is over for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Q, QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from championship.clubs.models import Membership, Role
from championship.clubs.services.moderation import may_judge
from championship.evenings.models import Circle, Word
from championship.platform.refusals import NotYet
from championship.rallies.models import Entry, SpecialStage
from championship.rallies.selectors import Viewer
from championship.runs.models import Run
from championship.runs.watch import selectors as runs
from championship.runs.watch import watching

WRITERS = (Role.OWNER, Role.ORGANISER, Role.STEWARD, Role.DRIVER)
"""Roles of members who may talk as spectators; a guest of the club only reads."""
SHOWN = 100
"""The most words on a page: the newest."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a viewer may read and say beside a run. `reads`: circles. `says`: the own circle, "" where the viewer may
    say nothing. `sealed`: nobody may, because results are sealed. `over`: the stage is over.
    """

    reads: tuple[str, ...]
    says: str
    sealed: bool
    over: bool


@dataclass(frozen=True, slots=True)
class Talk:
    """The words that a viewer reads, newest first. `judges`: whether the viewer may hide words."""

    run: Run
    part: Part
    words: tuple[Word, ...]
    judges: bool


def part_of(run: Run, viewer: Viewer) -> Part:
    """Return what the viewer may read and say. The viewer may watch the run. Three queries at most."""
    stage, rally = run.special_stage, run.special_stage.rally
    over = stage.status not in (SpecialStage.Status.PLANNED, SpecialStage.Status.RUNNING)
    if run.common is not None and watching.is_still_driven(stage.pk):
        return Part((), "", sealed=True, over=over)
    drives = viewer.is_authenticated and Entry.objects.filter(rally=rally, driver=viewer.pk).exists()
    apart = not over and (drives or not viewer.is_authenticated)
    reads = (Circle.DRIVERS.value,) if apart else (Circle.DRIVERS.value, Circle.SPECTATORS.value)
    open_now = not over and run.status == Run.Status.RUNNING and rally.keeps_seconds
    if not open_now or not viewer.is_authenticated or viewer.is_bot or viewer.is_guest:
        return Part(reads, "", sealed=False, over=over)
    if drives:
        return Part(reads, Circle.DRIVERS.value, sealed=False, over=over)
    roles = [str(role) for role in WRITERS]
    member = Membership.objects.filter(club=rally.club_id, user=viewer.pk, roles__overlap=roles).exists()
    return Part(reads, Circle.SPECTATORS.value if member else "", sealed=False, over=over)


def talk_of(run: Run, viewer: Viewer) -> Talk:
    """Return the words beside a run for a viewer who may watch it. Five queries at most."""
    part = part_of(run, viewer)
    shown = _readable(part, viewer).filter(run=run).select_related("author").order_by("-pk")[:SHOWN]
    judges = viewer.is_authenticated and may_judge(viewer, run.special_stage.rally.club)
    return Talk(run, part, tuple(shown) if part.reads else (), judges)


def word_for(viewer: Viewer, pk: int) -> Word:
    """Return words that the viewer may read, with author, run and club.

    Raises: Http404 when there are none.
    Raises: NotYet when the viewer may not watch the run yet.
    """
    found = Word.objects.select_related("author", "run__special_stage__rally__club").filter(pk=pk)
    word = get_object_or_404(found)
    watching.require_may_watch(word.run, viewer)
    if not _readable(part_of(word.run, viewer), viewer).filter(pk=pk).exists():
        raise Http404
    return word


def _readable(part: Part, viewer: Viewer) -> QuerySet[Word]:
    return Word.objects.filter(Q(hidden_at=None) | Q(author=viewer.pk), circle__in=part.reads)


def of_talk(request: HttpRequest, key: str) -> Any:
    """What the talk beside a run depends on for a viewer; None where there is nothing to poll for."""
    try:
        run = runs.run_by_key(key, request.user)
    except (Http404, NotYet):
        return None
    part = part_of(run, request.user)
    return [part.reads, part.says, part.sealed, _moved([run.key], part.reads)]


def _moved(keys: Sequence[str], circles: Sequence[str]) -> list[Any]:
    words = Word.objects.filter(run__key__in=keys, circle__in=circles, run__common=None).order_by("run__key")
    moved = words.values_list("run__key").annotate(Count("pk"), Max("pk"), Max("hidden_at"))
    return [list(row) for row in moved]


def topic_of(run: Run, part: Part) -> str:
    """The topic of the stream that tells of new words: drivers hear nothing of what spectators say."""
    heard = "all" if Circle.SPECTATORS.value in part.reads else "drivers"
    return f"talk {heard} {run.key}"


def topics_beside(run: Run, viewer: Viewer) -> list[str]:
    """The topics of the page of a run beside that of the run, which tells of what drivers say: what spectators say, for
    those who read it.
    """
    part = part_of(run, viewer)
    return [topic_of(run, part)] if Circle.SPECTATORS.value in part.reads else []


def stream_versions(topics: Sequence[str]) -> dict[str, Any]:
    """The versions of the topics "talk drivers KEY" and "talk all KEY", and what drivers say for "run KEY". A query for
    each of the two, none without such a topic.
    """
    found = dict[str, Any]()
    drivers = (Circle.DRIVERS.value,)
    heard = {"run ": drivers, "talk drivers ": drivers, "talk all ": (*drivers, Circle.SPECTATORS.value)}
    for circles in dict.fromkeys(heard.values()):
        asked = {
            topic: topic.removeprefix(start)
            for start, of_start in heard.items()
            for topic in topics
            if of_start == circles and topic.startswith(start)
        }
        moved = {row[0]: row[1:] for row in _moved(sorted(set(asked.values())), circles)} if asked else {}
        found |= {topic: moved.get(key, []) for topic, key in asked.items()}
    return found
