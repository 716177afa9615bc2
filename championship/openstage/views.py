"""Pages of open stages: this week's, a past week's, the archive, and starting to drive."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from championship.accounts import guests
from championship.accounts.requests import is_signed_in
from championship.openstage import selectors, services
from championship.openstage.models import Week
from championship.openstage.opening_times import next_opening
from championship.platform import clock
from championship.platform.refusals import Refusal, Refused, Stale
from championship.runs.play import OtherUnderWay
from championship.stages import stage_pages


@require_safe
def now(request: HttpRequest) -> HttpResponse:
    """Show this week's stage; where none is open, show when the next one opens."""
    week = selectors.current_week(now=clock.now())
    return _none_open(request) if week is None else _page(request, week)


@require_safe
def week(request: HttpRequest, name: str) -> HttpResponse:
    """Show the stage of a week."""
    return _page(request, selectors.week_named(name))


@require_safe
def weeks(request: HttpRequest) -> HttpResponse:
    """List the weeks that are over, with the winner of each."""
    page = selectors.past_weeks(number=request.GET.get("page", "1"))
    crumbs = [(_("Open stage"), reverse("openstage:now")), (_("All weeks"), None)]
    context = {"weeks": selectors.with_winners(page), "page_obj": page, "crumbs": crumbs}
    return render(request, "openstage/weeks.html", context)


@require_POST
def drive(request: HttpRequest) -> HttpResponse:
    """Start the person's run, or go back to it. A visitor drives out of competition, as a guest. Where that would end
    another stage of the guest, it asks first, unless `anew` says so.
    """
    week = selectors.current_week(now=clock.now())
    try:
        if is_signed_in(request) and not request.user.is_guest:
            return redirect(services.drive(by=request.user))
        if week is None:  # no guest is made for nothing
            return redirect("openstage:now")
        restart = request.POST.get("anew") == "yes"
        return redirect(services.drive_out_of_competition(by=guests.guest_for(request), restart=restart))
    except (Refused, Stale) as refusal:
        answer = _none_open(request, refusal) if week is None else _page(request, week, refusal)
        return guests.with_wait(answer, refusal)


def _page(request: HttpRequest, week: Week, refusal: Refusal | None = None) -> HttpResponse:
    page = selectors.week_page(week, request.user, number=request.GET.get("page", "1"))
    driver = request.user if is_signed_in(request) else guests.guest_of(request)
    context: dict[str, Any] = {
        "week": week,
        "page": page,
        "rally": week.rally,
        "stage": page.stage,
        "summary": stage_pages.get(week.rally.game).summary(page.stage.spec),
        "lines": page.lines,
        "guest_drive": None if driver is None else selectors.guest_drive(page, driver),
        "instead_of": refusal.current if isinstance(refusal, OtherUnderWay) else None,
        "refusal": refusal,
        "crumbs": [(_("Open stage"), reverse("openstage:now")), (str(week), None)],
    }
    return render(request, "openstage/week.html", context, status=refusal.status if refusal else None)


def _none_open(request: HttpRequest, refusal: Refusal | None = None) -> HttpResponse:
    context = {"refusal": refusal, "opening": next_opening(now=clock.now()), "crumbs": [(_("Open stage"), None)]}
    return render(request, "openstage/none_open.html", context, status=refusal.status if refusal else None)
