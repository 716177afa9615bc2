"""Who is likely to win: a worker drives the stages that are under way on from their present states, many times.

Only what everybody may see goes in: a stage with something sealed, or with the same draws for all, has no forecast, and
neither drafts nor orders ahead are read. The simulations have a seed of their own, so they tell nothing of the draws to
come. Each stage gets a forecast once in EVERY, by one worker at a time. One that is too slow, as on a busy machine,
leaves the last one in its place, and the next try waits longer (failures/services/claims.py).
"""

from __future__ import annotations

import hashlib
import time
from datetime import timedelta
from functools import partial

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery, Sum

from championship.failures.services import Attempts, claims
from championship.failures.services.claims import TooSlow
from championship.platform import clock
from championship.rallies.models import SpecialStage
from championship.rallies.results.selectors import results_of
from championship.runs.models import Forecast, Run
from championship.runs.watch import watching
from engine import registry
from engine.contract import Career, offered
from engine.prediction import Stage, Tally, predicted

KIND = "forecast of a stage"
SIMULATIONS = 100
"""The most simulations of a forecast."""
FEWEST = 10
"""A forecast with fewer simulations is not stored, and the stage is put off."""
SECONDS = 20.0
"""A sweep begins no further forecast after this time, so that it ends before the limit of a task."""
EACH = 20.0
"""The most processor time of a forecast, but for the simulation under way: half for the stage, half for later ones."""
PATIENCE, LONGEST = 35.0, 45.0
"""The time on the clock after which a forecast begins no further simulation, and after which it is given up. The
processor is shared, so this may be much longer than its own time.
"""
EVERY = timedelta(minutes=5)
LONGEST_KEPT = 60
"""The most forecasts of a stage: of a longer one every other is dropped."""


def forecast_stages(most: int = SIMULATIONS) -> int:
    """Compute the forecasts of the stages that have moved on, the longest waiting first, each from at most `most`
    simulations. A stage that fails is put off alone, and so is one that is too slow. Returns how many were stored.
    """
    tries, begun, done = Attempts(KIND, now=clock.now()), time.monotonic(), 0
    for stage in stages_to_forecast().exclude(pk__in=claims.taken(KIND)):
        if time.monotonic() - begun > SECONDS:
            break
        done += bool(tries.attempt(stage.pk, partial(forecast, stage, most)))
    return done


def stages_to_forecast() -> QuerySet[SpecialStage]:
    """Return the stages under way that may have a forecast and have moved on since the last one, EVERY ago or more."""
    shared = Exists(Run.objects.filter(Q(common__isnull=False) | Q(hidden=True), special_stage=OuterRef("pk")))
    last = Forecast.objects.filter(special_stage=OuterRef("pk")).order_by("-posts")
    open_games = [name for name in registry.names() if not watching.game_hides_events(name)]
    return (
        SpecialStage.objects.filter(
            ~shared,
            status=SpecialStage.Status.RUNNING,
            rally__game__in=open_games,
            rally__ledgers=True,
            rally__practice=False,
            rally__for_everybody=False,
            rally__knockout={},
            struck_at=None,
        )
        .annotate(
            moved=Sum("runs__version"), last=Subquery(last.values("posts")[:1]), last_at=Subquery(last.values("at")[:1])
        )
        .filter(Q(last=None) | Q(moved__gt=F("last"), last_at__lte=clock.now() - EVERY), moved__gt=0)
        .select_related("rally__club")
        .order_by(F("last_at").asc(nulls_first=True), "pk")
    )


def forecast(stage: SpecialStage, most: int = SIMULATIONS) -> bool:
    """Compute and store the forecast of a stage. Returns False for a stage that may have none, needs none, or that
    another worker has; and when too little can be simulated in the time. Then the stage is put off.
    """
    wanted = stages_to_forecast().filter(pk=stage.pk)
    return bool(claims.alone(KIND, stage.pk, partial(_forecast, stage.pk, most), wanted=wanted.exists))


def _forecast(stage_id: int, most: int) -> bool:
    """Raises: TooSlow when too little can be simulated in the time."""
    stage = SpecialStage.objects.select_related("rally__club").get(pk=stage_id)
    rally, rules = stage.rally, registry.get(stage.rally.game)
    runs = list(stage.runs.prefetch_related("seats").order_by("number"))
    entries = {seat.name: seat.entry_id for run in runs for seat in run.seats.all()}
    before = _before(stage, entries)
    stages = [Stage(tables=[run.state for run in runs]), *_to_come(stage, runs)]
    seed = hashlib.sha256(f"forecast {stage.pk} {sum(run.version for run in runs)}".encode()).digest()
    watched = _Stopwatch(len(stages) - 1)
    here, after = predicted(
        *(rules, stages, before, rally.all_options),
        seed=seed,
        most=most,
        goes_on=watched.goes_on,
        watch=watched.give_up_late,
    )
    if here.runs < FEWEST:
        raise TooSlow(f"{here.runs} simulations of at least {FEWEST} in {watched.told}")
    Forecast.objects.get_or_create(
        special_stage=stage,
        posts=sum(run.version for run in runs),
        defaults={
            "at": clock.now(),
            "simulations": here.runs,
            "stage": _by_entry(here, entries),
            "rally": _by_entry(after, entries),
        },
    )
    _thin_out(stage)
    return True


class _Stopwatch:
    """The time of one forecast: that of the processor, and that on the clock. Half of it is for the stage, half is
    shared by the `later` ones.
    """

    def __init__(self, later: int) -> None:
        self.later, self.processor, self.clock = later, time.thread_time(), time.monotonic()

    def goes_on(self, stage: int, _done: int) -> bool:
        """Return whether a stage is simulated once more."""
        part = 0.5 + 0.5 * stage / self.later if self.later else 1.0
        used, passed = time.thread_time() - self.processor, time.monotonic() - self.clock
        return used < EACH * part and passed < PATIENCE * part

    def give_up_late(self) -> None:
        """Raises: TooSlow when the forecast has taken too long."""
        if time.monotonic() - self.clock > LONGEST:
            raise TooSlow(f"no end in {self.told}")

    @property
    def told(self) -> str:
        """The time so far, for the log."""
        used, passed = time.thread_time() - self.processor, time.monotonic() - self.clock
        return f"{passed:.0f} s, {used:.0f} s of the processor"


def _before(stage: SpecialStage, entries: dict[str, int]) -> dict[str, int]:
    """Return the totals of the stages before, by seat. A car without one counts as if it began here."""
    results = results_of(stage.rally)
    totals = results.totals(through=stage.number - 1) if stage.number > 1 else {}
    return {seat: totals[entry] for seat, entry in entries.items() if entry in totals}


def _to_come(stage: SpecialStage, runs: list[Run]) -> list[Stage]:
    """Return the stages that follow, as they are driven in this rally."""
    rally, rules = stage.rally, registry.get(stage.rally.game)
    career = offered(rules, Career)
    later = list(rally.stages.filter(number__gt=stage.number, struck_at=None).order_by("number"))
    size = max(len(run.entrants) for run in runs)
    return [
        Stage(
            course=each.spec if career is None else career.in_rally(each.spec, last=each is later[-1]),
            table_size=size,
        )
        for each in later
    ]


def _by_entry(tally: Tally, entries: dict[str, int]) -> dict[str, int]:
    return {str(entries[seat]): chance for seat, chance in tally.per_mille().items() if seat in entries}


def _thin_out(stage: SpecialStage) -> None:
    """Drop every other forecast of a stage that has more than LONGEST_KEPT of them, but not the last."""
    kept = list(Forecast.objects.filter(special_stage=stage).order_by("posts").values_list("pk", flat=True))
    if len(kept) > LONGEST_KEPT:
        Forecast.objects.filter(pk__in=kept[1:-1:2]).delete()
