"""Pages for everyone with the link: the drivers' table, classes, teams, and how the season developed. For members of
the club: one driver's record in the club, and a comparison of two; others get 404.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Club, Role
from championship.clubs.selectors import club_for_member, roles_of
from championship.clubs.visibility import allow_indexing_if_public, page_of_club
from championship.platform.bounded_input import whole_number
from championship.platform.web.previews import Shared
from championship.rallies.models import Entry, Rally
from championship.runs.watch.luck.driver_averages import averages, own_drives
from championship.runs.watch.luck.ledgers import tells
from championship.seasons import progress_chart, records, selectors
from championship.seasons.chances import selectors as chances
from championship.seasons.front import TOP, SeasonFront, lead_in_words
from championship.seasons.models import Championship
from championship.seasons.progress_chart import NARROW, WIDE
from championship.seasons.selectors import Table
from championship.seasons.table_changes import changed_by_last_round

Crumbs = list[tuple[str, str | None]]


def crumbs(club: Club, *rest: tuple[str, str | None], member: bool = True) -> Crumbs:
    """Return the breadcrumbs of a page; the club is a link for those who may open its page."""
    return [(club.name, page_of_club(club, member=member)), *rest]


def page_context(
    viewer: User | AnonymousUser, shown: Championship, tab: str, here: str | None = None, title: str = ""
) -> dict[str, Any]:
    """Return the context that every page of a championship needs. `here`: the page's name in the breadcrumbs."""
    roles = roles_of(viewer, shown.club)
    trail: Crumbs = [(shown.name, shown.get_absolute_url() if here else None)]
    return {
        "championship": shown,
        "club": shown.club,
        "tab": tab,
        "title": title,
        "member": bool(roles),
        "drives": Role.DRIVER in roles,
        "organises": Role.ORGANISER in roles,
        "crumbs": crumbs(shown.club, *trail, *([(here, None)] if here else []), member=bool(roles)),
    }


def entered_in(rally: Rally | None, viewer: User | AnonymousUser) -> bool:
    """Whether the viewer has an entry in the next rally. One query at most."""
    if rally is None or not viewer.is_authenticated:
        return False
    return rally.entries.filter(driver=viewer.pk, status__in=Entry.Status.entered()).exists()


def shared(request: HttpRequest, table: Table) -> Shared:
    """The preview of a season's pages. The address of its picture changes with every round, because sites that show
    previews cache pictures for a long time.
    """
    season, over = table.championship, len(table.over)
    query = f"?shape=wide&lang={get_language() or 'en'}&after={over}"
    return Shared(
        title=season.name,
        text=lead_in_words(table.drivers) or season.club.name,
        address=request.build_absolute_uri(season.get_absolute_url()),
        picture=request.build_absolute_uri(reverse("seasons:standings_png", args=[season.key]) + query),
    )


@require_safe
def championship(request: HttpRequest, key: str) -> HttpResponse:
    """Show who leads, the next round and the last podium; the drivers' table with the rounds as columns, the first ten
    and the reader's own line unless the whole is asked for (?all); and the calendar.
    """
    shown = selectors.championship_by_key(key, request.user)
    allow_indexing_if_public(request, shown.club)
    table = selectors.table(shown)
    front = SeasonFront(table)
    next_round = front.next_round
    whole = "all" in request.GET
    context = {
        **page_context(request.user, shown, "drivers"),
        "table": table,
        "front": front,
        "shared": shared(request, table),
        "lines": table.drivers if whole else front.top(request.user.pk),
        "shortened": not whole and len(table.drivers) > TOP,
        "entered": entered_in(next_round.rally if next_round else None, request.user),
        "last": changed_by_last_round(table, table.drivers, lambda earlier: earlier.drivers),
    }
    return render(request, "seasons/championship.html", context)


@require_safe
def class_table(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Show the table of the championship's class of that number, from 1."""
    shown = selectors.championship_by_key(key, request.user)
    allow_indexing_if_public(request, shown.club)
    if not 1 <= number <= len(shown.classes):
        raise Http404
    name = shown.classes[number - 1]
    table = selectors.table(shown)
    lines = table.in_class(name)
    here = _("Class %(name)s") % {"name": name}
    context = {
        **page_context(request.user, shown, f"class {number}", here, here),
        "table": table,
        "lines": lines,
        "last": changed_by_last_round(table, lines, lambda earlier: earlier.in_class(name)),
        "points": shown.class_points or shown.points,
        "class_number": number,
    }
    return render(request, "seasons/table.html", context)


@require_safe
def team_table(request: HttpRequest, key: str) -> HttpResponse:
    """Show the teams' table."""
    shown = selectors.championship_by_key(key, request.user)
    allow_indexing_if_public(request, shown.club)
    table = selectors.table(shown)
    here = _("Teams")
    context = {
        **page_context(request.user, shown, "teams", here, here),
        "table": table,
        "lines": table.teams,
        "last": changed_by_last_round(table, table.teams, lambda earlier: earlier.teams),
        "teams": True,
    }
    return render(request, "seasons/table.html", context)


@require_safe
def season_progress(request: HttpRequest, key: str) -> HttpResponse:
    """Show points after each round as a chart and as numbers: of the leading drivers or the chosen ones, and of the
    viewer.
    """
    shown = selectors.championship_by_key(key, request.user)
    allow_indexing_if_public(request, shown.club)
    chosen = {pk for pk in map(whole_number, request.GET.getlist("driver")) if pk is not None}
    table = selectors.table(shown)
    found = progress_chart.progress_of(table, chosen=chosen, viewer=request.user.pk)
    here = _("Progress")
    context = {
        **page_context(request.user, shown, "progress", here, _("How the season went")),
        "progress": found,
        "tells_ledgers": any(tells(each.rally) for each in table.rounds),
        "forecast": chances.is_there_for(shown, request.user),
        "wide": progress_chart.progress_chart(found, size=WIDE, ident="wide") if found.curves else "",
        "narrow": progress_chart.progress_chart(found, size=NARROW, ident="narrow") if found.curves else "",
    }
    return render(request, "seasons/progress.html", context)


@require_safe
def decisions(request: HttpRequest, key: str) -> HttpResponse:
    """Show what the drivers' decisions gave up and what chance gave them on average, with the standard errors. 404
    where no rally of the season shows its ledgers.
    """
    shown = selectors.championship_by_key(key, request.user)
    allow_indexing_if_public(request, shown.club)
    if not selectors.tells_ledgers(shown):
        raise Http404
    here = _("Decisions and chance")
    found = averages(own_drives().filter(seat__special_stage__rally__round__championship=shown))
    context = {**page_context(request.user, shown, "decisions", here, here), "games": found}
    return render(request, "seasons/decisions.html", context)


@login_required
@require_safe
def driver(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Show a driver's record in the club."""
    club = club_for_member(user=request.user, slug=slug)
    shown = records.driver_of(club, pk)
    context = {
        "club": club,
        "record": records.record_of(club, shown),
        "others": records.drivers_of(club).exclude(pk=shown.pk),
        "crumbs": crumbs(club, (_("Members"), reverse("clubs:members", args=[slug])), (str(shown), None)),
    }
    return render(request, "seasons/driver.html", context)


@login_required
@require_safe
def head_to_head(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Compare two drivers in the rallies that both drove. Without a second one, the page offers a choice."""
    club = club_for_member(user=request.user, slug=slug)
    first, asked = records.driver_of(club, pk), request.GET.get("driver", "")
    number = whole_number(asked)
    second = None if number is None else records.driver_of(club, number)
    address = reverse("seasons:driver", args=[slug, pk])
    context = {
        "club": club,
        "first": first,
        "second": second,
        "duel": records.head_to_head(club, first, second) if second and second != first else None,
        "others": records.drivers_of(club).exclude(pk=first.pk),
        "crumbs": crumbs(club, (str(first), address), (_("Head-to-head"), None)),
    }
    return render(request, "seasons/head_to_head.html", context)
