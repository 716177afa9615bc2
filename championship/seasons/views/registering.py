"""Registrations for a season: drivers register themselves, organisers register anybody, and enter them
all in a round.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.clubs.services import require_role, require_role_to_read
from championship.platform.refusals import Refused, Stale
from championship.rallies.desk.forms import put_refusal
from championship.seasons import selectors
from championship.seasons.forms import AnyRegistrationForm, RegistrationForm
from championship.seasons.models import Championship, Registration
from championship.seasons.services import registering
from championship.seasons.views.editing import FORM_METHODS, organised
from championship.seasons.views.public import crumbs, page_context


@login_required
@require_http_methods(FORM_METHODS)
def registrations(request: SignedInRequest, key: str) -> HttpResponse:
    """List everybody registered, with the form of the driver's own registration. For members of the club."""
    shown = selectors.championship_by_key(key, request.user)
    require_role_to_read(request.user, shown.club)
    here = _("Registrations")
    context = page_context(request.user, shown, "registrations", here, here)
    registered = shown.registrations.filter(left_at=None).select_related("driver", "team")
    found = list(registered.annotate(nominated=Count("nominations")) if shown.nominates else registered)
    mine = next((each for each in found if each.driver_id == request.user.pk), None)
    begun = registering.has_begun(shown)
    form = None
    if context["drives"]:
        posted = request.POST if request.method == "POST" else None
        chooses = context["organises"] or not begun
        words = {"initial": {"crew": request.user.name}} if mine is None else {}
        form = RegistrationForm(posted, championship=shown, registration=mine, team=chooses, **words)
        if posted is not None and form.is_valid() and _save_registration(request, request.user, shown, form, mine):
            return redirect("seasons:registrations", key)
    elif request.method == "POST":
        raise Refused(_("%(name)s is not a driver of this club.") % {"name": request.user})
    context |= {"registrations": found, "mine": mine, "form": form, "begun": begun}
    return render(request, "seasons/registrations.html", context, status=422 if form and form.errors else 200)


def _save_registration(
    request: HttpRequest, by: User, shown: Championship, form: RegistrationForm, before: Registration | None
) -> bool:
    """Write the registration, and return whether it was written. A refusal is added to the form."""
    said: dict[str, Any] = dict(form.cleaned_data)
    if before is not None:
        kept = {name: getattr(before, name) for name in ("driver", "car_class", "start_number", "team")}
        said = {**kept, **said}
    try:
        registration = registering.register(by=by, championship=shown, **{"driver": by, **said})
    except (Refused, Stale) as refusal:
        put_refusal(form, refusal)
        return False
    messages.success(request, _("The registration is saved."))
    for entry in [] if shown.divisions else selectors.entries_in_other_classes(registration):
        says = _("The entry for %(rally)s stays in class %(class)s, and counts for that class.")
        messages.warning(request, says % {"rally": entry.rally, "class": entry.car_class or "–"})
    return True


@login_required
@require_http_methods(FORM_METHODS)
def new(request: HttpRequest, key: str) -> HttpResponse:
    """Register a driver, as an organiser."""
    by, shown = organised(request, key)
    return _registration_page(request, by, shown, None)


@login_required
@require_http_methods(FORM_METHODS)
def change(request: HttpRequest, key: str, pk: int) -> HttpResponse:
    """Change a registration, as an organiser."""
    by, shown = organised(request, key)
    registration = get_object_or_404(shown.registrations.filter(left_at=None).select_related("driver", "team"), pk=pk)
    return _registration_page(request, by, shown, registration)


def _registration_page(
    request: HttpRequest, by: User, shown: Championship, before: Registration | None
) -> HttpResponse:
    posted = request.POST if request.method == "POST" else None
    form = AnyRegistrationForm(posted, championship=shown, registration=before)
    if posted is not None and form.is_valid() and _save_registration(request, by, shown, form, before):
        return redirect("seasons:registrations", shown.key)
    title = str(before.driver) if before else _("Register a driver")
    context = {
        "title": title,
        "club": shown.club,
        "submit": _("Save"),
        "form": form,
        "crumbs": crumbs(shown.club, (shown.name, shown.get_absolute_url()), (title, None)),
    }
    return render(request, "seasons/form.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def withdraw(request: SignedInRequest, key: str, pk: int) -> HttpResponse:
    """Withdraw a registration, as its driver or as an organiser. Does nothing when it was withdrawn already."""
    shown = selectors.championship_by_key(key, request.user)
    require_role(request.user, shown.club)
    registration = shown.registrations.select_related("driver", "championship__club").filter(pk=pk).first()
    if registration is not None:
        registering.withdraw_registration(by=request.user, registration=registration)
        messages.success(request, _("The registration is withdrawn; results stay."))
    return redirect("seasons:registrations", key)


@login_required
@require_POST
def enter(request: HttpRequest, key: str, number: int) -> HttpResponse:
    """Enter everybody registered in a round."""
    by, shown = organised(request, key)
    each = get_object_or_404(shown.rounds.select_related("rally", "championship__club"), number=number)
    entries = registering.enter_registered(by=by, round=each)
    said = ngettext("%(n)d driver is entered.", "%(n)d drivers are entered.", len(entries)) % {"n": len(entries)}
    messages.success(request, said)
    return redirect("rallies:desk", each.rally.key)
