"""The list of reserves of a season with divisions, and the page on which a reserve answers an offer."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.services import require_role_to_read
from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refused, Stale
from championship.rallies.desk.forms import put_refusal
from championship.seasons.divisions import selectors
from championship.seasons.divisions import services as divisions
from championship.seasons.divisions.forms import ReserveForm
from championship.seasons.divisions.services import offers
from championship.seasons.divisions.services import reserves as services
from championship.seasons.models import Championship
from championship.seasons.views.divisions import shown_with_divisions
from championship.seasons.views.editing import FORM_METHODS
from championship.seasons.views.public import page_context


@login_required
@require_http_methods(FORM_METHODS)
def reserves(request: SignedInRequest, key: str) -> HttpResponse:
    """Show the reserves in order, with what is offered to them. Drivers join and leave; organisers do every step of the
    clock by hand. For members of the club.
    """
    shown = shown_with_divisions(request, key)
    require_role_to_read(request.user, shown.club)
    if request.method != "POST":
        return _page(request, shown)
    try:
        said, form = _done(request, shown)
    except (Refused, Stale) as refusal:
        messages.error(request, str(refusal.message))
        return _page(request, shown, status=refusal.status)
    if form is not None:
        return _page(request, shown, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    messages.success(request, said)
    return redirect("seasons:reserves", shown.key)


def _done(request: SignedInRequest, shown: Championship) -> tuple[str, ReserveForm | None]:
    """Do what was asked. Returns what to say, and the form when it has errors."""
    do, by = request.POST.get("do", ""), request.user
    if do in ("join", "add"):
        return _joined(request, shown, choose=do == "add")
    if do == "offer":
        made = offers.offer_now(by=by, championship=shown)
        return ngettext("%(n)d place is offered.", "%(n)d places are offered.", made) % {"n": made}, None
    if do in ("accept", "decline", "back"):
        offer = get_object_or_404(
            shown.place_offers.select_related("championship__club", "driver"), pk=_number(request, "offer")
        )
        if do == "back":
            offers.take_back(by=by, offer=offer)
            return _("The offer is taken back."), None
        offers.answer(offer=offer, accept=do == "accept", by=by)
        return (_("The place is taken.") if do == "accept" else _("The place is declined.")), None
    driver = by if do == "leave" and not request.POST.get("driver") else _listed(request, shown)
    if do in ("leave", "remove"):
        services.leave(by=by, championship=shown, driver=driver)
        return _("%(name)s is no longer a reserve.") % {"name": driver}, None
    if do in ("up", "down"):
        services.move(by=by, championship=shown, driver=driver, up=do == "up", position=_number(request, "position"))
        return _("The order is saved."), None
    raise Refused(_("There is no such act."))


def _number(request: HttpRequest, name: str) -> int:
    return whole_number(request.POST.get(name, "")) or 0


def _listed(request: HttpRequest, shown: Championship) -> User:
    return get_object_or_404(User, pk__in=shown.reserves.values("driver"), pk=_number(request, "driver"))


def _joined(request: SignedInRequest, shown: Championship, *, choose: bool) -> tuple[str, ReserveForm | None]:
    form = ReserveForm(request.POST, championship=shown, choose=choose, auto_id="add_%s" if choose else "id_%s")
    if not form.is_valid():
        return "", form
    said: dict[str, Any] = form.cleaned_data
    driver = said["driver"] if choose else request.user
    try:
        services.join(
            by=request.user,
            championship=shown,
            driver=driver,
            crew=said["crew"] or str(driver)[:80],
            division=said["division"],
        )
    except Refused as refusal:
        put_refusal(form, refusal)
        return "", form
    return _("%(name)s is on the list of reserves.") % {"name": driver}, None


def _page(
    request: SignedInRequest, shown: Championship, form: ReserveForm | None = None, status: int = HTTPStatus.OK
) -> HttpResponse:
    here = _("Reserves")
    context = page_context(request.user, shown, "reserves", here, here)
    listed, rules = selectors.reserves_of(shown), divisions.rules_of(shown)
    mine = next((each for each in listed if each.reserve.driver_id == request.user.pk), None)
    stands = shown.registrations.filter(driver=request.user, left_at=None, car_class__in=shown.divisions).exists()
    choose = form is not None and "driver" in form.fields
    own_form = own_add = None
    if context["drives"] and not stands and not shown.club.closed_at:
        begins = {"crew": request.user.name}
        if mine is not None:
            begins = {"crew": mine.reserve.crew, "division": mine.reserve.division}
        own_form = form if form and not choose else ReserveForm(None, championship=shown, choose=False, initial=begins)
    if context["organises"] and not shown.club.closed_at:
        own_add = form if form and choose else ReserveForm(None, championship=shown, choose=True, auto_id="add_%s")
    free = offers.free_places(shown, rules)
    context |= {
        "listed": listed,
        "mine": mine,
        "rules": rules,
        "free": [(name, count) for name, count in free.items() if count],
        "over": offers.is_over(shown),
        "runs": hasattr(shown, "clock") and shown.clock.running,
        "form": own_form,
        "add": own_add,
    }
    return render(request, "seasons/reserves.html", context, status=status)


@require_http_methods(FORM_METHODS)
def place_offer(request: HttpRequest, token: str) -> HttpResponse:
    """Ask a reserve whether they take the place, and take the answer. The link is signed: nobody has to sign in."""
    offer = offers.offer_of(token)
    status, refusal = HTTPStatus.OK, ""
    if request.method == "POST" and request.POST.get("take") in ("yes", "no"):
        try:
            offers.answer(offer=offer, accept=request.POST["take"] == "yes")
        except (Refused, Stale) as refused:
            refusal, status = str(refused.message), HTTPStatus(refused.status)
            offer.refresh_from_db(fields=["state"])
        else:
            return redirect("seasons:place_offer", token)
    context = {"offer": offer, "championship": offer.championship, "refusal": refusal}
    return render(request, "seasons/place_offer.html", context, status=status)
