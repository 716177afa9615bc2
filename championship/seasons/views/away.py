"""What people take away of a season: the page with everything, and the files. Everybody who may see the season may have
them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.accounts.name_comparison import comparable_name
from championship.clubs.visibility import allow_indexing_if_public, may_see
from championship.notices import calendar_feed
from championship.papers import big_files, grids, qr, waiting
from championship.papers.limits import over_limit, too_many_requests
from championship.platform.bounded_input import whole_number
from championship.platform.web import htmx
from championship.seasons import selectors
from championship.seasons.away import SHAPES, files, season_grids
from championship.seasons.away.calendar_dates import dates_of
from championship.seasons.models import Championship
from championship.seasons.scoring.season_writing import document_of
from championship.seasons.selectors import Line, Table
from championship.seasons.views.public import page_context

PREVIEW_FRESH = 300
"""The seconds for which a picture on another site may be cached without revalidation."""


@require_safe
def away(request: HttpRequest, key: str) -> HttpResponse:
    """Show everything that can be taken away: files, pictures, the frame for other sites, the calendar."""
    from championship.papers.fonts import not_drawn

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
        "not_drawn": not_drawn([*map(str, table.people.values()), *(each.rally.name for each in table.rounds)]),
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


def _file_view(kind: str) -> Callable[..., HttpResponse]:
    """Make the view of a file of the season. Of a big season a worker makes it, once for each state, and the page says
    so until it is ready.
    """

    @require_safe
    def answer(request: HttpRequest, key: str) -> HttpResponse:
        shown = selectors.championship_by_key(key, request.user)
        if files.is_big(shown):
            return _by_worker(request, shown, kind)
        return _made(request, shown, lambda table: _named(shown, kind, files.FILES[kind].make(table)), kind)

    return answer


season_xlsx = _file_view("season workbook")
tables_pdf = _file_view("season tables")
yearbook_pdf = _file_view(files.YEARBOOK)


def _by_worker(request: HttpRequest, shown: Championship, kind: str) -> HttpResponse:
    """The kept file, 304 when the client has it already, or the page that waits for it. While a worker makes it, the
    tables are not computed.
    """
    asked = files.request_of(shown, kind)
    found, tag = big_files.kept(asked, None), ""
    if found is None and not big_files.is_queued(asked):
        with timezone.override(UTC):  # as it is made: the same for all readers
            tag = files.tag_of(selectors.table(shown), kind)
        found = big_files.kept(asked, tag)
        if found is None and over_limit(request):
            return too_many_requests(request)
    if found is None:
        return waiting.page(
            request,
            of=shown.name,
            title=files.FILES[kind].title,
            back=reverse("seasons:away", args=[shown.key]),
            back_words=_("Take it with you"),
            failed=not big_files.enqueue(asked, tag),
        )
    etag = f'"{found.made_of}"'
    if htmx.details(request):
        return waiting.ready(request, etag)
    answer: HttpResponse | None = get_conditional_response(request, etag=etag)
    if answer is None:
        answer = _named(shown, kind, bytes(found.content or b""))
    return _revalidated(answer, etag)


def _named(shown: Championship, kind: str, content: bytes) -> HttpResponse:
    file = files.FILES[kind]
    return _file(content, file.content_type, f"{shown.name} {file.title}", file.ending)


@require_safe
def season_json(request: HttpRequest, key: str) -> HttpResponse:
    """The season as the document that `manage.py compute_season` reads (docs/seasons.md)."""
    shown = selectors.championship_by_key(key, request.user)
    return _made(request, shown, lambda table: _file(_document(table), "application/json", shown.name, "json"))


def _document(table: Table) -> bytes:
    names: dict[int, str] = {}
    taken: set[str] = set()
    for pk, person in sorted(table.people.items()):
        name, number = str(person), 2
        while comparable_name(name) in taken:  # the file is read by names, and refuses those that are nearly the same
            name, number = f"{person} ({number})", number + 1
        names[pk] = name
        taken.add(comparable_name(name))
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

    shown = selectors.championship_by_key(key, request.user)

    def drawn(table: Table) -> HttpResponse:
        from championship.seasons.away import table_picture

        title, lines, _teams = _asked(request, table)
        over, rounds = len(table.over), len(table.rounds)
        caption = f"{title} · " + _("after %(over)d of %(all)d") % {"over": over, "all": rounds}
        picture = table_picture.table_png(table.championship, caption, lines, shape)
        return _file(picture, "image/png", shown.name, "")

    with override(language):
        made = _made(request, shown, drawn)
    made["Cross-Origin-Resource-Policy"] = "cross-origin"  # forums and previews show it on other sites
    if asked == language and made.status_code in (200, 304) and may_see(shown.club, AnonymousUser()):
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
    return qr.answer(request, selectors.championship_by_key(key, request.user).get_absolute_url())


def _made(
    request: HttpRequest, shown: Championship, make: Callable[[Table], HttpResponse], what: str = ""
) -> HttpResponse:
    """A file of the season; 304 when the client has it already, 429 over the limit of papers. `what`: the kind of a
    file whose address does not change what it shows.
    """
    table = selectors.table(shown)
    etag = f'"{files.tag_of(table, what or request.get_full_path())}"'
    answer: HttpResponse | None = get_conditional_response(request, etag=etag)
    if answer is None:
        if over_limit(request):
            return too_many_requests(request)
        answer = make(table)
    return _revalidated(answer, etag)


def _revalidated(answer: HttpResponse, etag: str) -> HttpResponse:
    answer["ETag"] = etag
    patch_cache_control(answer, private=True, no_cache=True)
    patch_vary_headers(answer, ("Cookie", "Accept-Language"))
    return answer


def _file(content: bytes, content_type: str, name: str, ending: str) -> HttpResponse:
    headers = {}
    if ending:
        called = slugify(name, allow_unicode=True)[:80] or "season"
        headers["Content-Disposition"] = content_disposition_header(True, f"{called}.{ending}") or "attachment"
    return HttpResponse(content, content_type=content_type, headers=headers)
