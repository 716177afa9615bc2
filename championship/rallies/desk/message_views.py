"""The page on which organisers write to all entrants of a rally."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Role
from championship.clubs.services import require_role_to_read
from championship.platform.refusals import Refused, Stale
from championship.rallies import selectors, services
from championship.rallies.desk.forms import put_refusal
from championship.rallies.entries.entry_forms import MessageForm
from championship.rallies.public_views import crumbs, page_context


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def message(request: SignedInRequest, key: str) -> HttpResponse:
    """Send a message to every confirmed entrant; the page also shows earlier messages."""
    rally = selectors.rally_by_key(key, request.user)
    roles = require_role_to_read(request.user, rally.club, Role.ORGANISER)
    form = MessageForm(request.POST if request.method == "POST" else None, club=rally.club)
    status: int = HTTPStatus.OK
    if request.method == "POST" and form.is_valid():
        try:
            sent = services.write_to_entrants(by=request.user, rally=rally, text=form.cleaned_data["text"])
        except (Refused, Stale) as refusal:
            put_refusal(form, refusal)
            status = refusal.status
        else:
            says = ngettext("The message goes to %(n)d entrant.", "The message goes to %(n)d entrants.", sent.told)
            messages.success(request, says % {"n": sent.told})
            return redirect("rallies:message", key)
    elif form.errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    page = selectors.rally_page(rally, request.user, roles=roles)
    context = {**page_context(page, "desk"), "crumbs": crumbs(page, _("Message to the entrants")), "form": form}
    return render(request, "rallies/message.html", context, status=status)
