"""Pages of ledgers: of a run, of one turn, and of all cars of a special stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import floatformat
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship import catalogue
from championship.rallies import selectors as rallies
from championship.rallies.results.measures import unit_name
from championship.runs import run_pages
from championship.runs.booking_words import BOOKING_WORDS
from championship.runs.models import Run
from championship.runs.pages.ledger_charts import charted, expected_lines, turn_bars
from championship.runs.watch import history, selectors
from championship.runs.watch.luck import ledgers, stage_ledgers
from championship.runs.watch.luck.ledgers import Booked, CarLedger, Ledger, Told, TurnSums
from championship.runs.ways_on_map import WAYS_ON_MAP
from engine.contract.ledger import DRIVING, TRAFFIC

WIDE, NARROW = (1040, 380), (360, 300)
"""Width and height of the chart over the stage in CSS pixels, on a desktop and on a phone."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A booking in words: what happened, and the best way where a decision gave something up."""

    booked: Booked
    text: str
    better: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A car on the page of its run. `said`: what its ledger comes to, in words."""

    car: CarLedger
    said: str
    bars: str
    decisions: Sequence[Sentence]
    draws: Sequence[Sentence]


@require_safe
def ledger(request: HttpRequest, key: str) -> HttpResponse:
    """Show the ledger of every car of a run that is over, the reader's own first."""
    run = selectors.run_by_key(key, request.user)
    found = ledgers.ledger_of(run, request.user)
    named = [(car, car.costliest(found.worse, found.places), car.biggest()) for car in found.cars]
    told = ledgers.told(run, [each for _car, costly, drawn in named for each in (*costly, *drawn)]) if named else []
    sentences = iter(_sentences(run, told, {car.seat.name: str(car.seat.entry) for car in found.cars}))
    cars = [
        Shown(
            car,
            _said(found, car, costly),
            turn_bars(car),
            [next(sentences) for _each in costly],
            [next(sentences) for _each in drawn],
        )
        for car, costly, drawn in named
    ]
    cars.sort(key=lambda shown: not shown.car.mine)
    context = {
        **_context(run, found),
        "cars": cars,
        "wide": expected_lines(found, width=WIDE[0], height=WIDE[1]),
        "narrow": expected_lines(found, width=NARROW[0], height=NARROW[1]),
        "charted": len(charted(found)),
        "example": _example(found),
        "crumbs": [*selectors.crumbs(run, linked=True), (_("Decisions and chance"), None)],
    }
    return render(request, "runs/ledger.html", context)


def _said(found: Ledger, car: CarLedger, costly: Sequence[Booked]) -> str:
    """Return what a car had by chance and gave up by its decisions, with the turn of the costliest one."""

    def amount(value: Decimal) -> dict[str, str]:
        return {"amount": floatformat(abs(value), found.places), "unit": unit_name(found.unit)}

    if car.chance * found.worse > 0:
        chance = _("Chance took %(amount)s %(unit)s.") % amount(car.chance)
    elif car.chance:
        chance = _("Chance gave %(amount)s %(unit)s.") % amount(car.chance)
    else:
        chance = _("Chance changed nothing.")
    if not costly:
        return chance
    own = _("Decisions gave up %(amount)s %(unit)s, the costliest one in turn %(turn)d.")
    return f"{chance} {own % {**amount(car.driving), 'turn': costly[0].turn}}"


def _context(run: Run, found: Ledger) -> dict[str, Any]:
    return {
        "run": run,
        "ledger": found,
        "unit": unit_name(found.unit),
        "fewest": found.measure.better == "fewest",
    }


def _sentences(run: Run, told: Sequence[Told], drivers: dict[str, str]) -> list[Sentence]:
    words, pages = BOOKING_WORDS.of(run.game), run_pages.get(run.game)
    if words is None:
        return [
            Sentence(each.booked, pages.sentence(each.event, drivers).text if each.event else "", each.booked.better)
            for each in told
        ]
    return [
        Sentence(
            each.booked,
            words.told(run, each.booked, each.event, drivers) if each.event else "",
            words.better(run, each.booked) if each.booked.account == DRIVING else "",
        )
        for each in told
    ]


def _example(found: Ledger) -> tuple[CarLedger, TurnSums] | None:
    """Return the turn that explains the page: of the viewer's own car, else of the first, the one in which decisions
    and chance changed most; one with both where there is one.
    """
    car = next((car for car in found.cars if car.mine), found.cars[0] if found.cars else None)
    if car is None or not car.turns:
        return None
    return car, max(
        car.turns, key=lambda turn: (bool(turn.driving and turn.chance), abs(turn.driving) + abs(turn.chance))
    )


@require_safe
def turn(request: HttpRequest, key: str, seat: str, number: int) -> HttpResponse:
    """Show one turn of a car, booking by booking, with the best way beside the chosen one on the map."""
    run = selectors.run_by_key(key, request.user)
    found = ledgers.ledger_of(run, request.user)
    car = next((car for car in found.cars if car.seat.name == seat), None)
    sums = next((each for each in car.turns if each.number == number), None) if car else None
    if car is None or sums is None:
        raise Http404
    own = [each for each in car.bookings if each.turn == number]
    drivers = {each.seat.name: str(each.seat.entry) for each in found.cars}
    numbers = [each.number for each in car.turns]
    place = numbers.index(number)
    context = {
        **_context(run, found),
        "car": car,
        "sums": sums,
        "bookings": _joined(_sentences(run, ledgers.told(run, own), drivers)),
        "ways": _ways(run, car, own, found.worse),
        "assets": catalogue.get(run.game).assets,
        "before": numbers[place - 1] if place else None,
        "after": numbers[place + 1] if place + 1 < len(numbers) else None,
        "crumbs": [
            *selectors.crumbs(run, linked=True),
            (_("Decisions and chance"), f"{run.get_absolute_url()}ledger/"),
            (_("Turn %(number)d") % {"number": number}, None),
        ],
    }
    return render(request, "runs/ledger_turn.html", context)


def _joined(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the bookings that changed something. What is left without words is told once, in one sum."""
    shown = [each for each in sentences if each.booked.amount or each.booked.account == DRIVING]
    plain = [each for each in shown if each.booked.account == TRAFFIC]
    rest = sum((each.booked.amount for each in plain), Decimal(0))
    found = [each for each in shown if each.booked.account != TRAFFIC]
    if plain:
        last = plain[-1].booked
        found.append(Sentence(Booked(last.turn, last.moment, TRAFFIC, rest, "values", {}), ""))
    return found


def _ways(run: Run, car: CarLedger, own: Sequence[Booked], worse: int) -> Any:
    """Return the chosen and the best way as pictures, of the costliest decision of a turn that is a way on the map,
    with the decision; None where there is none. One query, and one for each decision that is looked at.
    """
    drawer = WAYS_ON_MAP.of(run.game)
    costly = [each for each in own if each.account == DRIVING and each.amount]
    if drawer is None or not costly:
        return None
    past = history.history_of(run, None)
    for each in sorted(costly, key=lambda one: -one.amount * worse):
        pictures = drawer.ways(run, past.state_after(each.moment - 1), car.seat, each.facts)
        if pictures is not None:
            return {"own": pictures[0], "best": pictures[1], "decision": each}
    return None


@require_safe
def stage(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Show the ledgers of all cars of a special stage beside its results."""
    special_stage = rallies.stage_of(rallies.rally_by_key(key, request.user), number)
    found = stage_ledgers.stage_ledger(special_stage, request.user)
    context = {
        "stage": special_stage,
        "rally": special_stage.rally,
        "found": found,
        "unit": unit_name(found.unit),
        "fewest": found.measure.better == "fewest",
        "crumbs": [
            (special_stage.rally.title, special_stage.rally.get_absolute_url()),
            (special_stage.title, special_stage.get_absolute_url()),
            (_("Decisions and chance"), None),
        ],
    }
    return render(request, "runs/stage_ledger.html", context)
