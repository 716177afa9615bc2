"""Pages for everyone with the link: why a driver or a team has its points, and points by hand. Officials give and
withdraw points by hand here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.selectors import roles_of
from championship.clubs.visibility import allow_indexing_if_public
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.desk.forms import put_refusal
from championship.seasons import selectors
from championship.seasons.explanations import explained, last_round_told
from championship.seasons.forms import PointsByHandForm
from championship.seasons.impartial_points import OFFICIALS, teams_of
from championship.seasons.models import Championship
from championship.seasons.scoring.values import as_number
from championship.seasons.selectors import Line, Table
from championship.seasons.services import adjusting
from championship.seasons.team_history import TeamHistory, history_of
from championship.seasons.views.public import page_context


@require_safe
def driver(request: HttpRequest, key: str, pk: int) -> HttpResponse:
    """Show why a driver has these points in the drivers' table."""
    shown, table = _table(request, key)
    return _explained(request, shown, table, table.drivers, pk, tab="drivers", overall=True)


@require_safe
def in_class(request: HttpRequest, key: str, number: int, pk: int) -> HttpResponse:
    """Show why a driver has these points in the table of a class."""
    shown, table = _table(request, key)
    if not 1 <= number <= len(shown.classes):
        raise Http404
    name = shown.classes[number - 1]
    counted = table.stand is not None and table.stand.get(str(pk)) == name
    return _explained(
        request, shown, table, table.in_class(name), pk, tab=f"class {number}", overall=counted, car_class=name
    )


@require_safe
def team(request: HttpRequest, key: str, pk: int) -> HttpResponse:
    """Show the drivers of a team, its transfers, its cars in each round, and why it has these points."""
    shown, table = _table(request, key)
    found = next((each for each in table.team_list if each.pk == pk), None)
    if found is None:
        raise Http404
    history = history_of(table, found)
    if any(line.who.pk == pk for line in table.teams):
        return _explained(request, shown, table, table.teams, pk, tab="teams", overall=True, history=history)
    context = {**page_context(request.user, shown, "teams", found.name, found.name), "history": history}
    return render(request, "seasons/team.html", context)


def _table(request: HttpRequest, key: str) -> tuple[Championship, Table]:
    shown = selectors.championship_by_key(key, request.user)
    allow_indexing_if_public(request, shown.club)
    return shown, selectors.table(shown)


def _explained(
    request: HttpRequest,
    shown: Championship,
    table: Table,
    lines: Sequence[Line],
    pk: int,
    *,
    tab: str,
    overall: bool,
    car_class: str = "",
    history: TeamHistory | None = None,
) -> HttpResponse:
    found = explained(table, lines, pk, overall=overall, car_class=car_class)
    if found is None:
        raise Http404
    title = str(found.line.who)
    context = {
        **page_context(request.user, shown, tab, title, title),
        "found": found,
        "teams": tab == "teams",
        "history": history,
        "classified": tab.startswith("class"),
        "last_round": last_round_told(table, pk) if tab == "drivers" else None,
    }
    return render(request, "seasons/scores.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def by_hand(request: HttpRequest, key: str) -> HttpResponse:
    """List points given or taken by hand; officials give them here."""
    shown = selectors.championship_by_key(key, request.user)
    official = bool(roles_of(request.user, shown.club) & set(OFFICIALS)) and not shown.club.closed_at
    posted = request.POST if request.method == "POST" else None
    form = _form(shown, posted) if official else None
    status = 200
    if posted is not None:
        if form is None or not isinstance(request.user, User):
            raise Http404
        if form.is_valid() and _given(request, request.user, shown, form):
            return redirect("seasons:by_hand", key)
        status = 422
    here = _("Points by hand")
    given = list(
        shown.adjustments.select_related("driver", "team", "round__rally", "by", "lifted_by").order_by("-at", "-pk")
    )
    mine = teams_of(shown, request.user) if isinstance(request.user, User) else set()
    context = {
        **page_context(request.user, shown, "by hand", here, here),
        "given": [(each, as_number(each.points)) for each in given],
        "concerned": {each.pk for each in given if each.driver_id == request.user.pk or each.team_id in mine},
        "form": form,
        "official": official,
    }
    return render(request, "seasons/by_hand.html", context, status=status)


def _form(shown: Championship, posted: Any) -> PointsByHandForm:
    return PointsByHandForm(
        posted,
        drivers=selectors.people_of_season(shown),
        teams=list(shown.teams.all()),
        rounds=list(shown.rounds.select_related("rally").order_by("number")),
    )


def _given(request: HttpRequest, by: User, shown: Championship, form: PointsByHandForm) -> bool:
    version = whole_number(request.POST.get("version", ""), digits=8)
    try:
        adjusting.give_points(by=by, championship=shown, version=version, **form.given())
    except (Refused, Stale, Forbidden) as refusal:
        put_refusal(form, refusal)
        return False
    messages.success(request, _("The points are given; the tables have them now."))
    return True


@login_required
@require_POST
def withdraw(request: SignedInRequest, key: str, pk: int) -> HttpResponse:
    """Withdraw points that were given by hand. Does nothing when they were withdrawn already."""
    shown = selectors.championship_by_key(key, request.user)
    adjustment = get_object_or_404(shown.adjustments.select_related("championship__club", "driver", "team"), pk=pk)
    adjusting.withdraw_points(by=request.user, adjustment=adjustment)
    messages.success(request, _("The points are withdrawn; they stay on record."))
    return redirect(reverse("seasons:by_hand", args=[key]))
