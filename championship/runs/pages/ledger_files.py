"""The ledgers of a special stage as files: CSV, a workbook with every booking, and PDF. In the active language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.papers import grids, occasions
from championship.papers.grids import Cell, Grid
from championship.papers.limits import over_limit, too_many_requests
from championship.rallies import selectors as rallies
from championship.rallies.results.measures import unit_name
from championship.runs.watch.luck import ledgers, stage_ledgers
from championship.runs.watch.luck.stage_ledgers import StageLedger

Made = Callable[[HttpRequest, StageLedger], tuple[bytes, str, str]]
"""What makes a file: its content, its content type, its ending."""


def cars_grid(found: StageLedger) -> Grid:
    """The cars of a stage, a line each: the accounts, the result, and the result with even luck."""
    heads = (
        *(_("Place"), _("Number"), str(found.stage.rally.words.crew), _("Driver"), _("Unit")),
        *(_("Expected at the start"), _("Decisions"), _("Chance"), _("All else"), _("Result"), _("With even luck")),
        *(_("Place by decisions"), _("Place with even luck")),
    )
    unit = unit_name(found.unit)
    rows: list[tuple[Cell, ...]] = [
        (
            car.line.place if car.line else None,
            car.entry.start_number,
            car.entry.crew,
            str(car.entry.driver),
            unit,
            *(car.start, car.driving, car.chance, car.traffic, car.result, car.even),
            *(car.best_driven, car.with_even_luck),
        )
        for car in found.cars
    ]
    return Grid(_("Decisions and chance"), heads, tuple(rows))


def bookings_grid(found: StageLedger) -> Grid:
    """Every booking of a stage. One query."""
    heads = (
        _("Number"),
        str(found.stage.rally.words.crew),
        _("Turn"),
        _("Event"),
        _("Account"),
        _("Kind"),
        _("Amount"),
    )
    return Grid(_("Bookings"), heads, tuple(_bookings(found)))


def _bookings(found: StageLedger) -> Iterator[tuple[Cell, ...]]:
    named = {"driving": _("Decisions"), "chance": _("Chance"), "traffic": _("All else")}
    for row in ledgers.bookings_of(found.stage):
        entry = row.seat.entry
        for turn, event, account, amount, kind, _facts in row.bookings:
            yield entry.start_number, entry.crew, turn, event + 1, named[account], kind, ledgers.units(amount)


def ledger_pdf(found: StageLedger) -> bytes:
    """The cars of a stage as a table on paper."""
    from championship.papers.pdf_pages import Column, Paper, Plate, Row  # 20 MB that most processes never need

    rally = found.stage.rally
    made: datetime = rally.finished_at or rally.started_at or rally.created_at
    paper = Paper(
        title=rally.name,
        about=f"{_('Decisions and chance')} · {rally.club.name}",
        occasion=occasions.in_words(rally),
        author=rally.club.name,
        at=made,
        across=True,
    )
    paper.heading(found.stage.title)
    columns = [
        Column(_("Pos."), 9, "R"),
        Column(_("No."), 12),
        Column(str(rally.words.crew), 60, lines=2),
        *(Column(head, 24, "R") for head in (_("Expected at the start"), _("Decisions"), _("Chance"), _("All else"))),
        *(Column(head, 24, "R") for head in (_("Result"), _("With even luck"))),
    ]
    paper.put_table(
        columns,
        (
            Row(
                (
                    str(car.line.place if car.line and car.line.place else "–"),
                    Plate(car.entry.start_number, car.entry.colour),
                    car.entry.crew,
                    *(f"{amount:.2f}" for amount in (car.start, car.driving, car.chance, car.traffic)),
                    *(f"{amount:.2f}" for amount in (car.result, car.even)),
                ),
                pale=not car.finished,
            )
            for car in found.cars
        ),
    )
    says = _("In %(unit)s. The result is what was expected at the start plus decisions, chance and all else, exactly.")
    paper.say(says % {"unit": unit_name(found.unit)})
    return bytes(paper.output())


def _file(request: HttpRequest, key: str, number: int, made: Made) -> HttpResponse:
    special_stage = rallies.stage_of(rallies.rally_by_key(key, request.user), number)
    found = stage_ledgers.stage_ledger(special_stage, request.user)
    if over_limit(request):
        return too_many_requests(request)
    content, kind, ending = made(request, found)
    answer = HttpResponse(content, content_type=kind)
    name = f"{slugify(special_stage.rally.name) or 'rally'}-{number}-ledger.{ending}"
    answer["Content-Disposition"] = content_disposition_header(ending != "pdf", name) or "inline"
    return answer


@require_safe
def stage_csv(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Return the cars of a stage as CSV. `?delimiter=` names one of grids.DELIMITERS."""
    return _file(request, key, number, _csv)


def _csv(request: HttpRequest, found: StageLedger) -> tuple[bytes, str, str]:
    delimiter = grids.delimiter_of(request.GET.get("delimiter", ""), get_language() or "en")
    return grids.csv_text(cars_grid(found), delimiter).encode(), "text/csv; charset=utf-8", "csv"


@require_safe
def stage_xlsx(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Return the cars of a stage, and every booking, as a workbook."""
    return _file(request, key, number, _workbook)


def _workbook(request: HttpRequest, found: StageLedger) -> tuple[bytes, str, str]:
    return grids.workbook([cars_grid(found), bookings_grid(found)]), grids.WORKBOOK, "xlsx"


@require_safe
def stage_pdf(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Return the cars of a stage as PDF."""
    return _file(request, key, number, lambda _request, found: (ledger_pdf(found), "application/pdf", "pdf"))
