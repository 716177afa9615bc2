"""The page of a run's ledger: what each driver decided and what chance gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.rallies.results.measures import unit_name
from championship.runs import run_pages
from championship.runs.run_pages import RunPages
from championship.runs.watch import ledgers, selectors
from championship.runs.watch.ledgers import CarLedger, Told
from engine import registry

WIDTH, HEIGHT, MIDDLE = 360, 190, 10
BAR = 0.3
"""The width of a bar, as a part of the room of a turn."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A booking in words: the turn, the amount, what happened, the way that was better, and the moment in the
    replay.
    """

    turn: int
    amount: Decimal
    text: str
    better: str
    moment: int


@require_safe
def ledger(request: HttpRequest, key: str) -> HttpResponse:
    """Show the ledger of every car of a run that is over."""
    run = selectors.run_by_key(key, request.user)
    cars = ledgers.ledger_of(run, request.user)
    pages = run_pages.get(run.game)
    drivers = {car.seat.driver: str(car.seat.entry) for car in cars}
    measure = registry.get(run.game).measure
    context = {
        "run": run,
        "unit": unit_name(measure.unit),
        "fewest": measure.better == "fewest",
        "cars": [
            (car, chart(car), _sentences(car.decisions, pages, drivers), _sentences(car.draws, pages, drivers))
            for car in cars
        ],
        "crumbs": [*selectors.crumbs(run, linked=True), (_("Decisions and chance"), None)],
    }
    return render(request, "runs/ledger.html", context)


def _sentences(told: Sequence[Told], pages: RunPages, drivers: dict[str, str]) -> list[Sentence]:
    return [
        Sentence(each.turn, each.amount, pages.sentence(each.event, drivers).text, each.best, each.moment)
        for each in told
    ]


def chart(car: CarLedger) -> SafeString:
    """Return two bars for each turn as SVG: what the decisions gave up, and what chance gave or took. What makes the
    result worse points down. The page has the same numbers in a table.
    """
    most = max((abs(amount) for turn in car.turns for amount in (turn.driving, turn.chance)), default=Decimal(1)) or 1
    half, room = (HEIGHT - 34) / 2, (WIDTH - 2 * MIDDLE) / max(1, len(car.turns))
    middle, parts = MIDDLE + half, []
    for column, turn in enumerate(car.turns):
        left = MIDDLE + room * column
        for place, (name, amount) in enumerate((("driving", turn.driving), ("chance", turn.chance))):
            tall = float(abs(amount) / most) * half
            top = middle if amount > 0 else middle - tall
            x = left + room * (0.17 + place * (BAR + 0.06))
            parts.append(
                f'<rect class="{name}" x="{x:.1f}" y="{top:.1f}" width="{room * BAR:.1f}" height="{tall:.1f}"/>'
            )
        parts.append(f'<text x="{left + room / 2:.1f}" y="{HEIGHT - 6}">{turn.number}</text>')
    title = escape(_("Decisions and chance, turn by turn"))
    line = f'<path class="zero" d="M{MIDDLE} {middle:.1f}H{WIDTH - MIDDLE}"/>'
    return mark_safe(  # noqa: S308 - built from numbers and escaped text
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ledgerchart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{title}"><title>{title}</title>{"".join(parts)}{line}</svg>'
    )
