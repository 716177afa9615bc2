"""Checks what rows of a restored club mean together: courses, runs and their events must be what pages can read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from django.db import models
from django.db.models import Exists, OuterRef

from championship.archive.reading import Damaged
from championship.clubs.models import Club
from championship.rallies.models import SpecialStage
from championship.rallies.results.import_checks import read_course, read_stage
from championship.runs.models import Run, Seal
from championship.runs.play.rebuilding import rebuild
from championship.runs.watch.proof import FORMATS
from championship.stages import stage_pages
from championship.stages.models import Rating, StageDesign

Found = TypeVar("Found", bound=models.Model)


def each(found: models.QuerySet[Found]) -> Iterator[Found]:
    """Yield the rows one by one, in order: each may be as large as a line of the archive."""
    for pk in list(found.order_by("pk").values_list("pk", flat=True)):
        yield found.get(pk=pk)


def check_designs(club: Club) -> None:
    """Check that its game can read every course in the club's library.

    Raises: Damaged when it cannot.
    """
    for design in each(StageDesign.objects.filter(club=club)):
        try:
            read_course(design.game, design.spec)
        except Exception as error:  # reading invalid data may raise anything
            raise Damaged(f"stages.stagedesign, {design.key}, spec") from error


def drop_unreadable_ratings(club: Club) -> None:
    """Delete ratings that their game cannot show: the library then offers to rate these courses again."""
    for rating in each(Rating.objects.filter(design__club=club).select_related("design")):
        result = rating.result or {}
        try:
            stage_pages.get(rating.design.game).rating(result)
            readable = type(result.get("runs")) is int
        except Exception:  # reading invalid data may raise anything
            readable = False
        if not readable:
            rating.delete()


def check_stages(club: Club) -> None:
    """Check that its game can read every stage.

    Raises: Damaged when it cannot.
    """
    for stage in each(SpecialStage.objects.filter(rally__club=club).select_related("rally")):
        if stage.design_id is None and stage.rally.on_paper and not stage.spec:
            continue  # on paper a course may be known by its name alone
        try:
            read_stage(stage)
        except Exception as error:  # reading invalid data may raise anything
            raise Damaged(f"rallies.specialstage, {stage.rally.key}, {stage.number}, spec") from error


def check_runs(club: Club) -> None:
    """Check that the events of every run give its stored state, that its seats are those of the state, and that a
    record of it can be written.

    Raises: Damaged when they do not.
    """
    sealed = Exists(Seal.objects.filter(special_stage=OuterRef("special_stage")))
    runs: models.QuerySet[Any] = Run.objects.filter(special_stage__rally__club=club).annotate(sealed=sealed)
    for run in each(runs):
        if run.record_format not in FORMATS or (run.record_format > 1 and not run.sealed):
            raise Damaged(f"runs.run, {run.key}, record_format")
        try:
            agrees = rebuild(run=run) == run.state
            seats = sorted(str(entrant["id"]) for entrant in run.entrants)
        except Exception as error:  # folding invalid events may raise anything
            raise Damaged(f"runs.run, {run.key}") from error
        if not agrees:
            raise Damaged(f"runs.run, {run.key}")
        if sorted(run.seats.values_list("driver", flat=True)) != seats:
            raise Damaged(f"runs.seat, {run.key}, driver")
