"""Who is likely to win the rallies and seasons that have moved on, computed by a worker from what everybody may see.

Only stages that are over for all go in, as a spectator sees them. So nothing sealed does, and no state of a run. A
sweep begins no forecast after SECONDS, and one forecast simulates for EACH of the processor at most, and no longer than
PATIENCE on the clock. One worker at a time computes a forecast (failures/services/claims.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from championship.failures.services import Attempts, claims
from championship.platform import clock
from championship.rallies.models import Rally
from championship.rallies.results.driven import COMPLETE
from championship.rallies.results.selectors import Results, results_of_rallies
from championship.seasons import selectors
from championship.seasons.chances.models import TitleForecast
from championship.seasons.chances.places_model import RallySoFar, Strength, rally_chances, so_far, strengths
from championship.seasons.chances.simulating import Left, season_chances
from championship.seasons.models import Championship, Round
from championship.seasons.scoring.values import Result
from championship.seasons.season_tables import Table

RALLY, SEASON = "forecast of a rally", "forecast of a season"
SIMULATIONS = 1000
FEWEST = 50
"""A forecast of a season with fewer simulations is not stored, and the season is put off."""
SECONDS, EACH, PATIENCE = 30.0, 8.0, 20.0
RALLIES_READ = 30
"""From how many finished rallies of the club, the newest, strengths are estimated."""


def forecast_titles() -> int:
    """Compute the forecasts of the rallies and seasons that have moved on. One that fails is put off alone. Returns how
    many were stored.
    """
    begun, done = time.monotonic(), 0
    due: list[tuple[str, QuerySet[Any], Callable[[Any], bool]]] = [
        (RALLY, rallies_to_forecast(), forecast_rally),
        (SEASON, seasons_to_forecast(), forecast_season),
    ]
    for kind, wanted, work in due:
        tries = Attempts(kind, now=clock.now())
        for one in wanted.exclude(pk__in=claims.taken(kind)):
            if time.monotonic() - begun > SECONDS:
                return done
            still = wanted.filter(pk=one.pk).exists
            alone = partial(claims.alone, kind, one.pk, partial(work, one), wanted=still)
            done += bool(tries.attempt(one.pk, alone))
    return done


def rallies_to_forecast() -> QuerySet[Rally]:
    """Return the rallies under way that may have a forecast and have none since their last stage."""
    known = TitleForecast.objects.filter(rally=OuterRef("pk")).order_by("-done").values("done")
    found = Rally.objects.filter(may_have(""), status=Rally.Status.RUNNING)
    found = found.annotate(done=Count("stages", filter=Q(stages__status__in=COMPLETE)), last=Subquery(known[:1]))
    return found.filter(Q(last=None) | Q(done__gt=F("last"))).select_related("club").order_by("pk")


def seasons_to_forecast() -> QuerySet[Championship]:
    """Return the seasons with a round that is left, and no forecast since the last stage of any."""
    known = TitleForecast.objects.filter(championship=OuterRef("pk")).order_by("-done").values("done")
    left = Round.objects.filter(
        championship=OuterRef("pk"), rally__status__in=(Rally.Status.ENTRIES, Rally.Status.RUNNING)
    )
    hidden = Round.objects.filter(~may_have("rally__"), championship=OuterRef("pk"))
    found = Championship.objects.annotate(
        done=Count("rounds__rally__stages", filter=Q(rounds__rally__stages__status__in=COMPLETE)),
        last=Subquery(known[:1]),
    )
    found = found.filter(Q(last=None) | Q(done__gt=F("last")), Exists(left), ~Exists(hidden), done__gt=0)
    return found.select_related("club").order_by("pk")


def may_have(path: str) -> Q:
    """Select the rallies that may have a forecast: those that have one for each stage, and are driven here."""
    return Q(**{
        f"{path}ledgers": True,
        f"{path}practice": False,
        f"{path}for_everybody": False,
        f"{path}knockout": {},
    })  # fmt: skip


def forecast_rally(rally: Rally) -> bool:
    """Compute and store the forecast of a rally under way."""
    results = results_of_rallies([rally])[rally.pk]
    known = strengths_of(rally)
    here = _so_far(results)
    seed = f"rally {rally.pk} {results.complete}"
    chances = rally_chances(here, known, seed=seed, simulations=SIMULATIONS)
    done = sum(stage.status in COMPLETE for stage in results.stages)
    _new, stored = TitleForecast.objects.get_or_create(
        rally=rally, done=done, defaults={"at": clock.now(), "simulations": SIMULATIONS, "chances": chances}
    )
    return stored


def forecast_season(season: Championship) -> bool:
    """Compute and store the forecast of a season.

    Raises: TooSlow when too little can be simulated in the time.
    """
    table = selectors.table(season)
    under_way = [each.rally for each in table.rounds if each.rally.status == Rally.Status.RUNNING]
    results = results_of_rallies(under_way) if under_way else {}
    left = [_left(table, each, results.get(each.rally_id)) for each in table.rounds if _is_left(each)]
    known = _strengths_by_game({each.rally.game: each.rally for each in table.rounds}.values())
    games = {each.number: each.rally.game for each in table.rounds}
    begun, used = time.monotonic(), time.thread_time()
    done = sum(
        Rally.objects.filter(pk__in=[each.rally_id for each in table.rounds])
        .annotate(n=Count("stages", filter=Q(stages__status__in=COMPLETE)))
        .values_list("n", flat=True)
    )
    chances, simulations = season_chances(
        table.season,
        [each(known=known[games[each.keywords["number"]]]) for each in left],
        seed=f"season {season.pk} {done}",
        most=SIMULATIONS,
        goes_on=lambda: time.thread_time() - used < EACH and time.monotonic() - begun < PATIENCE,
    )
    if simulations < FEWEST:
        raise claims.TooSlow(f"{simulations} simulations of at least {FEWEST} in {time.monotonic() - begun:.0f} s")
    _new, stored = TitleForecast.objects.get_or_create(
        championship=season,
        done=done,
        defaults={"at": clock.now(), "simulations": simulations, "chances": chances},
    )
    return stored


# What is known ------------------------------------------------------------------------------------


def strengths_of(rally: Rally) -> dict[str, Strength]:
    """Return the strengths of drivers from the places on the stages of their club in the game of this rally, those of
    this rally included.
    """
    before = Rally.objects.filter(club=rally.club_id, game=rally.game, status=Rally.Status.FINISHED, practice=False)
    read = [*before.order_by("-finished_at", "-pk")[:RALLIES_READ], rally]
    found = results_of_rallies(read)
    return strengths([order for each in found.values() for order in _orders(each)])


def _strengths_by_game(rallies: Iterable[Rally]) -> dict[str, Mapping[str, Strength]]:
    return {rally.game: strengths_of(rally) for rally in rallies}


def _orders(results: Results) -> list[list[list[str]]]:
    """Return who was on each place of each stage that is over and counts. Cars without a place are last."""
    found = []
    for stage in results.stages:
        if stage.status not in COMPLETE or stage.number in results.struck:
            continue
        levels: dict[int, list[str]] = {}
        for line in results.stage_lines(stage.number):
            place = len(results.entries) + 1 if line.place is None else line.place
            levels.setdefault(place, []).append(str(line.entry.driver_id))
        if levels:
            found.append([levels[place] for place in sorted(levels)])
    return found


def _so_far(results: Results) -> RallySoFar:
    """Return a rally as the model sees it: the cars that are still in."""
    sign = 1 if results.measure.better == "fewest" else -1
    driver = {pk: str(entry.driver_id) for pk, entry in results.entries.items() if pk not in results.excluded}
    over = [stage.number for stage in results.stages if stage.status in COMPLETE and stage.number not in results.struck]
    left = [stage for stage in results.stages if stage.status not in COMPLETE and stage.struck_at is None]
    stages = [results.stage_totals(number=number) for number in over]
    totals = results.totals(through=max(over)) if over else dict.fromkeys(driver, 0)
    return so_far(
        {driver[pk]: sign * total for pk, total in totals.items() if pk in driver},
        [{str(pk): float(total) for pk, total in each.items()} for each in stages],
        sum(stage.status != stage.Status.CANCELLED for stage in left),
    )


def _is_left(each: Round) -> bool:
    return each.rally.status in (Rally.Status.ENTRIES, Rally.Status.RUNNING)


def _left(table: Table, each: Round, results: Results | None) -> partial[Left]:
    """Return a round that is left, without the strengths. Before its start it is open who comes: everybody who drives
    for the season, as often as so far.
    """
    if results is not None:
        rally = _so_far(results)
        comes = dict.fromkeys(rally.behind, 1.0)
    else:
        comes = _attendance(table)
        rally = RallySoFar(dict.fromkeys(comes, 0.0), max(1, each.rally.stages.count()))
    power = bool(table.season.scheme.power) and each.power_stage is None
    return partial(Left, number=each.number, rally=rally, comes=comes, power=power, who=_who(table, each, rally.behind))


def _attendance(table: Table) -> dict[str, float]:
    """Return how likely each driver of the season is to drive a round: as often as so far, with one round more."""
    over = [{one.driver for one in each.results} for each in table.season.rounds if each.over]
    drivers = {driver for each in over for driver in each} | {str(pk) for pk in table.active}
    gone = {str(pk) for pk, member in table.members.items() if member.left_at is not None}
    return {driver: (sum(driver in each for each in over) + 1) / (len(over) + 1) for driver in sorted(drivers - gone)}


def _who(table: Table, each: Round, drivers: Collection[str]) -> dict[str, Result]:
    """Return what a result of each driver in a round begins with."""
    found = {}
    last = {one.driver: one for before in table.season.rounds for one in before.results}
    for place, driver in enumerate(drivers):
        member, known = table.members.get(int(driver)), last.get(driver)
        team = str(member.team_id or "") if member else known.team if known else ""
        car_class = member.car_class if member else known.car_class if known else ""
        guest = table.championship.registered_only and member is None
        nominated = (int(driver), each.pk) in table.nominated
        found[driver] = Result(driver, -1 - place, team=team, car_class=car_class, guest=guest, nominated=nominated)
    return found
