"""Who is likely to win, for spectators: never for those who drive in the rally as long as the stage is under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from championship.platform.prepared_queries import BoundQuery, prepared
from championship.platform.refusals import Forbidden
from championship.rallies.models import Entry, SpecialStage
from championship.rallies.selectors import Viewer
from championship.runs.models import Forecast, Run
from championship.runs.watch import watching


@dataclass(frozen=True, slots=True)
class Chances:
    """The chances of one car to win, in thousandths: at each forecast, and at the last one."""

    entry: Entry
    curve: Sequence[int]
    stage: int
    rally: int


@dataclass(frozen=True, slots=True)
class StageForecast:
    """The forecasts of a stage: the cars, the most likely winner of the stage first. `at`, `simulations`: of the last
    one. `passed`: the stage has gone on since.
    """

    special_stage: SpecialStage
    cars: Sequence[Chances]
    at: datetime | None
    simulations: int
    error: int
    passed: bool

    @property
    def over(self) -> bool:
        """Whether the stage is over."""
        return self.special_stage.status != SpecialStage.Status.RUNNING


def may_have(special_stage: SpecialStage, runs: Sequence[Run]) -> bool:
    """Return whether a stage can have forecasts: nothing in it is sealed, and no draws are shared. No query."""
    rally = special_stage.rally
    if not rally.ledgers or rally.practice or rally.for_everybody or rally.knockout:
        return False
    if watching.game_hides_events(rally.game) or special_stage.status == SpecialStage.Status.PLANNED:
        return False
    return not any(run.common is not None or run.hidden for run in runs)


def is_there_for(special_stage: SpecialStage, viewer: Viewer) -> bool:
    """Return whether there is a forecast that the viewer may see. One query."""
    reader = viewer.pk if viewer.is_authenticated else 0
    return bool(_on_stage(rally=special_stage.rally.key, number=special_stage.number, reader=reader))


def on_stage(rally: str, number: int, reader: int) -> BoundQuery[tuple[Any, ...]]:
    """Return the query of `is_there_for`, which has a row where there is one, for a page that reads it with all else.
    `reader`: 0 for somebody who has not signed in.
    """
    return _on_stage.bind(rally=rally, number=number, reader=reader)


@prepared
def _on_stage(rally: Any, number: Any, reader: Any) -> QuerySet[Forecast, tuple[Any, ...]]:
    own = Entry.objects.filter(rally=OuterRef("special_stage__rally"), driver=reader, status=Entry.Status.CONFIRMED)
    found = Forecast.objects.filter(special_stage__rally__key=rally, special_stage__number=number)
    return found.exclude(Exists(own)).order_by("pk").values_list("pk")[:1]


def forecast_of(special_stage: SpecialStage, viewer: Viewer) -> StageForecast:
    """Return the forecasts of a stage. Four queries.

    Raises: Http404 when the stage can have none.
    Raises: Forbidden when the viewer drives in the rally and the stage is under way.
    """
    runs = list(special_stage.runs.defer("state"))
    if not may_have(special_stage, runs):
        raise Http404
    running = special_stage.status == SpecialStage.Status.RUNNING
    confirmed = special_stage.rally.entries.filter(status=Entry.Status.CONFIRMED).select_related("driver")
    entries = {str(entry.pk): entry for entry in confirmed}
    if running and viewer.is_authenticated and viewer.pk in {entry.driver_id for entry in entries.values()}:
        raise Forbidden(_("This is for spectators: who drives here sees it when the stage is over."))
    rows = list(Forecast.objects.filter(special_stage=special_stage).order_by("posts"))
    last = rows[-1] if rows else None
    cars = [
        Chances(entry, [row.stage.get(key, 0) for row in rows], last.stage.get(key, 0), last.rally.get(key, 0))
        for key, entry in entries.items()
        if last is not None and key in last.stage
    ]
    cars.sort(key=lambda car: (-car.stage, -car.rally, car.entry.start_number or 0))
    simulations = last.simulations if last else 0
    error = round(500 / simulations**0.5) if simulations else 0
    passed = running and last is not None and sum(run.version for run in runs) > last.posts
    return StageForecast(special_stage, cars, last.at if last else None, simulations, error, passed)
