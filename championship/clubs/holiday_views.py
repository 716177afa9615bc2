"""Pages about holidays: the person's own in a club, what the club allows, and an overview of all their clubs."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from championship.accounts.requests import SignedInRequest
from championship.clubs import selectors
from championship.clubs.forms import AllowanceForm, HolidayForm
from championship.clubs.models import Holiday, Membership
from championship.clubs.services import holidays
from championship.clubs.views import MANAGERS, about, crumbs
from championship.platform import clock
from championship.platform.refusals import Refused, Stale


@login_required
@require_safe
def mine(request: SignedInRequest) -> HttpResponse:
    """The person's holidays in all their clubs."""
    context = {"clubs": selectors.holidays_by_club(request.user, clock.now()), "now": clock.now()}
    return render(request, "clubs/my_holidays.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def club(request: SignedInRequest, slug: str) -> HttpResponse:
    """The person's holidays in a club: days taken, days left, and a form to take some. Owners and organisers also see
    the allowance and the members who are away.
    """
    me = selectors.membership_of(user=request.user, slug=slug)
    today = holidays.today_of(request.user, clock.now())
    form = HolidayForm(request.POST if request.method == "POST" else None, initial={"first_day": today})
    if request.method == "POST" and form.is_valid():
        try:
            holidays.take_holiday(by=request.user, club=me.club, **form.cleaned_data)
        except (Refused, Stale) as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            messages.success(request, _("Your holiday is saved."))
            return redirect("clubs:holidays", slug=slug)
    return _page(request, me, form, AllowanceForm(initial={"days": me.club.holiday_days}))


@login_required
@require_POST
def allowance(request: SignedInRequest, slug: str) -> HttpResponse:
    """Set how many days a year the club allows."""
    me = selectors.membership_of(user=request.user, slug=slug)
    form = AllowanceForm(request.POST)
    if form.is_valid():
        try:
            holidays.set_allowance(by=request.user, club=me.club, days=form.cleaned_data["days"])
        except (Refused, Stale) as refusal:
            form.add_error(refusal.field, str(refusal))
        else:
            messages.success(request, _("The allowance is saved."))
            return redirect("clubs:holidays", slug=slug)
    return _page(request, me, HolidayForm(), form)


@login_required
@require_POST
def end(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Give back the rest of a holiday."""
    me = selectors.membership_of(user=request.user, slug=slug)
    holiday = get_object_or_404(Holiday.objects.select_related("club"), pk=pk, club=me.club, person=request.user)
    holidays.end_holiday(by=request.user, holiday=holiday)
    messages.success(request, _("You can take the rest of the holiday again later."))
    return redirect("clubs:holidays", slug=slug)


def _page(request: HttpRequest, me: Membership, form: HolidayForm, allowance_form: AllowanceForm) -> HttpResponse:
    now = clock.now()
    shown = about(me)
    taken = holidays.holidays_of(me.user, me.club)
    used = holidays.days_by_year(taken)
    year = holidays.today_of(me.user, now).year
    context = {
        **shown,
        "crumbs": crumbs(me.club, _("Holidays")),
        "form": form,
        "allowance_form": allowance_form,
        "holidays": [holiday for holiday in taken if holiday.ends_at > now],
        "years": [(each, used[each], max(0, me.club.holiday_days - used[each])) for each in (year, year + 1)],
        "away": selectors.current_and_coming_holidays(me.club, now) if not set(MANAGERS).isdisjoint(me.roles) else [],
        "now": now,
    }
    wrong = form.errors or allowance_form.errors
    status = HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK
    return render(request, "clubs/holidays.html", context, status=status)
