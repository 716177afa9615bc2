"""Whose names phones have taken: the buttons of marshals and organisers, and the page of the member themselves."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from championship.accounts.models import User
from championship.accounts.requests import SignedInRequest
from championship.platform.bounded_input import whole_number
from championship.rallies import selectors as rallies
from championship.tabletop.links import Pass
from championship.tabletop.models import SignOn
from championship.tabletop.services import names

MOST_TICKED = 200


def decide_names(by: Pass, sent: HttpRequest, person: User | None = None) -> str:
    """Do what a button about names says: `free`, the id of a car, or `entry`, those that are here. Returns what to
    tell.

    Raises: Refused or Stale.
    """
    freed = whole_number(sent.POST.get("free", ""), digits=9)
    if freed is not None:
        sign_on = names.free_name(by=by, entry_id=freed, person=person)
        return _("%(car)s can sign on again. The old link works no longer.") % {"car": sign_on.entry}
    here = [whole_number(each, digits=9) or 0 for each in sent.POST.getlist("entry")[:MOST_TICKED]]
    n = names.confirm_names(by=by, entry_ids=here, person=person)
    return ngettext("%(n)d name is confirmed.", "%(n)d names are confirmed.", n) % {"n": n}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_sign_on(request: SignedInRequest, key: str) -> HttpResponse:
    """Ask a member whether the phone that has signed on with their name is theirs."""
    rally = rallies.rally_by_key(key, request.user)
    if request.method == "POST" and request.POST.get("mine") in ("yes", "no"):
        mine = request.POST.get("mine") == "yes"
        names.answer_for_oneself(by=request.user, rally=rally, mine=mine)
        messages.success(request, _("Your name is confirmed.") if mine else _("That phone can write nothing any more."))
        return redirect("tabletop:my_sign_on", key)
    found = SignOn.objects.select_related("entry", "table").filter(evening__rally=rally, entry__driver=request.user)
    crumbs = [(rally.name, rally.get_absolute_url()), (_("Is it you at the table?"), None)]
    context = {"rally": rally, "sign_on": found.first(), "crumbs": crumbs}
    return render(request, "tabletop/my_sign_on.html", context)
