"""What people take away of a season: the page with everything, and the files. Everybody who may see the season may have
them.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.clubs.visibility import allow_indexing_if_public, may_see
from championship.notices import calendar_feed
from championship.papers import grids
from championship.papers.limits import over_limit, too_many_requests
from championship.platform.bounded_input import whole_number
from championship.seasons import selectors
from championship.seasons.away import SHAPES, season_grids
from championship.seasons.away.calendar_dates import dates_of
from championship.seasons.scoring.season_writing import document_of
from championship.seasons.selectors import Line, Table
from championship.seasons.views.public import page_context

FORM = 1
"""The version of the layout. Increase it when files look different for the same season."""
PREVIEW_FRESH = 300
"""The seconds for which a picture on another site may be cached without revalidation."""


@require_safe
def away(request: HttpRequest, key: str) -> HttpResponse:
    """Show everything that can be taken away: files, pictures, the frame for other sites, the calendar."""
    from championship.papers.fonts import missing_in

    shown = selectors.championship_by_key(key, request.user)
    allow_indexing_if_public(request, shown.club)
    table = selectors.table(shown)
    here = _("Take it with you")
    context = {
        **page_context(request.user, shown, "away", here, here),
        "table": table,
        "tables": [*_tables(table)],
        "site": f"{request.scheme}://{request.get_host()}",
        "open_to_all": may_see(shown.club, AnonymousUser()),
        "shapes": SHAPES,
        "missing": missing_in([*map(str, table.people.values()), *(each.rally.name for each in table.rounds)]),
    }
    return render(request, "seasons/away.html", context)


def _tables(table: Table) -> list[tuple[str, str]]:
    """The tables with a line, each with its name and what an address asks for it with."""
    found = [(_("Drivers"), "")]
    found += [
        (_("Class %(name)s") % {"name": name}, f"class={number}")
        for number, (name, lines) in enumerate(table.classes.items(), 1)
        if lines
    ]
    return [*found, *([(_("Teams"), "teams")] if table.teams else [])]


# Files --------------------------------------------------------------------------------------------


@require_safe
def standings_csv(request: HttpRequest, key: str) -> HttpResponse:
    """The drivers' table as CSV; that of a class with `?class=1`, that of the teams with `?teams`, the calendar with
    `?calendar`. `?delimiter=` names one of grids.DELIMITERS.
    """
    shown = selectors.championship_by_key(key, request.user)
    table = selectors.table(shown)
    if "calendar" in request.GET:
        grid = season_grids.calendar_grid(table)
    else:
        title, lines, teams = _asked(request, table)
        words = season_grids.for_people(teams=teams)
        grid = season_grids.standings_grid(title, lines, table.rounds, words)
    delimiter = grids.delimiter_of(request.GET.get("delimiter", ""), get_language() or "en")
    text = grids.csv_text(grid, delimiter)
    return _file(text.encode(), "text/csv; charset=utf-8", f"{shown.name} {grid.name}", "csv")


def _asked(request: HttpRequest, table: Table) -> tuple[str, Sequence[Line], bool]:
    """The table that the address asks for: its name, its lines, and whether they are teams.

    Raises: Http404 for a class that is not there.
    """
    if "teams" in request.GET:
        return _("Teams"), table.teams, True
    if "class" not in request.GET:
        return _("Drivers"), table.drivers, False
    number = whole_number(request.GET["class"], digits=3)
    classes = table.championship.classes
    if number is None or not 1 <= number <= len(classes):
        raise Http404
    name = classes[number - 1]
    return _("Class %(name)s") % {"name": name}, table.in_class(name), False


@require_safe
def season_xlsx(request: HttpRequest, key: str) -> HttpResponse:
    """Every table and the calendar as one workbook."""
    return _made(request, key, _workbook, grids.WORKBOOK, "xlsx")


def _workbook(table: Table) -> bytes:
    return grids.workbook([*season_grids.tables_of_season(table), season_grids.calendar_grid(table)])


@require_safe
def tables_pdf(request: HttpRequest, key: str) -> HttpResponse:
    """Every table and the calendar as PDF."""
    from championship.seasons.away import season_pdf

    return _made(request, key, season_pdf.tables_pdf, "application/pdf", "pdf")


@require_safe
def yearbook_pdf(request: HttpRequest, key: str) -> HttpResponse:
    """The whole season as a book, PDF."""
    from championship.seasons.away import season_pdf

    return _made(request, key, season_pdf.yearbook_pdf, "application/pdf", "pdf", _("Yearbook"))


@require_safe
def season_json(request: HttpRequest, key: str) -> HttpResponse:
    """The season as the document that `manage.py compute_season` reads (docs/seasons.md)."""
    return _made(request, key, _document, "application/json", "json")


def _document(table: Table) -> bytes:
    names: dict[int, str] = {}
    taken: set[str] = set()
    for pk, person in sorted(table.people.items()):
        name, number = str(person), 2
        while name in taken:
            name, number = f"{person} ({number})", number + 1
        names[pk] = name
        taken.add(name)
    teams = {str(team.pk): team.name for team in table.team_list}
    document = document_of(table.season, driver=lambda pk: names.get(int(pk), pk), team=lambda pk: teams.get(pk, pk))
    return json.dumps(document, ensure_ascii=False, indent=1).encode()


@require_safe
def standings_png(request: HttpRequest, key: str) -> HttpResponse:
    """A table as a picture. `?shape=` names one of SHAPES, `?lang=` a language; `?class=` and `?teams` as
    for the CSV.
    """
    asked = request.GET.get("lang", "")
    language = asked if asked in dict(settings.LANGUAGES) else get_language() or "en"
    shape = SHAPES.get(request.GET.get("shape", ""), SHAPES["wide"])

    def drawn(table: Table) -> bytes:
        from championship.seasons.away import table_picture

        title, lines, _teams = _asked(request, table)
        over, rounds = len(table.over), len(table.rounds)
        caption = f"{title} · " + _("after %(over)d of %(all)d") % {"over": over, "all": rounds}
        season = table.championship
        return table_picture.table_png(season.club.name, season.name, caption, lines, shape)

    with override(language):
        made = _made(request, key, drawn, "image/png", "")
    made["Cross-Origin-Resource-Policy"] = "cross-origin"  # forums and previews show it on other sites
    if asked == language and made.status_code in (200, 304):
        shown = selectors.championship_by_key(key, request.user)
        if may_see(shown.club, AnonymousUser()):
            made.headers.pop("Cache-Control", None)
            patch_cache_control(made, public=True, max_age=PREVIEW_FRESH)
    return made


@require_safe
def calendar(request: HttpRequest, key: str) -> HttpResponse:
    """The rounds with their days, for any calendar program."""
    shown = selectors.championship_by_key(key, request.user)
    return calendar_feed.answer(request, calendar_feed.calendar_of(shown.name, dates_of(shown)))


@require_safe
def qr_svg(request: HttpRequest, key: str) -> HttpResponse:
    """The address of the season's page as a QR code."""
    import qrcode
    import qrcode.image.svg

    shown = selectors.championship_by_key(key, request.user)
    code = qrcode.make(
        request.build_absolute_uri(shown.get_absolute_url()), image_factory=qrcode.image.svg.SvgPathFillImage, border=3
    )
    written = io.BytesIO()
    code.save(written)
    return _file(written.getvalue(), "image/svg+xml", f"{shown.name} QR", "svg")


def _made(
    request: HttpRequest, key: str, make: Callable[[Table], bytes], content_type: str, ending: str, about: str = ""
) -> HttpResponse:
    """A file of the season; 304 when the client has it already, 429 over the limit of papers. `ending`: "" for a
    picture, which pages show.
    """
    shown = selectors.championship_by_key(key, request.user)
    table = selectors.table(shown)
    etag = _tag(request, table)
    answer: HttpResponse | None = get_conditional_response(request, etag=etag)
    if answer is None:
        if over_limit(request):
            return too_many_requests(request)
        answer = _file(make(table), content_type, f"{shown.name} {about}", ending)
    answer["ETag"] = etag
    patch_cache_control(answer, private=True, no_cache=True)
    patch_vary_headers(answer, ("Cookie", "Accept-Language"))
    return answer


def _tag(request: HttpRequest, table: Table) -> str:
    """What a file is made of: everything that its tables say, in this language and for this address."""
    season = table.championship
    shown: list[Any] = [FORM, get_language(), request.get_full_path(), season.name, season.club.name]
    shown += [(grid.name, grid.heads, grid.rows) for grid in season_grids.tables_of_season(table)]
    shown.append(season_grids.calendar_grid(table).rows)
    return '"' + hashlib.sha256(repr(shown).encode()).hexdigest()[:32] + '"'


def _file(content: bytes, content_type: str, name: str, ending: str) -> HttpResponse:
    headers = {}
    if ending:
        called = slugify(name, allow_unicode=True)[:80] or "season"
        headers["Content-Disposition"] = content_disposition_header(True, f"{called}.{ending}") or "attachment"
    return HttpResponse(content, content_type=content_type, headers=headers)
