"""Views for missed deadlines: the list for organisers and stewards, and taking the wheel back."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from championship.accounts.requests import SignedInRequest
from championship.clubs.models import Role
from championship.clubs.services import require_role_to_read
from championship.platform.refusals import Refusal
from championship.rallies import selectors as rallies
from championship.rallies.public_views import crumbs, page_context
from championship.runs import play as services
from championship.runs.pages.stage_page import refused_page
from championship.runs.watch import selectors

MISSES_ON_A_PAGE = 50


@login_required
@require_safe
def misses(request: SignedInRequest, key: str) -> HttpResponse:
    """List who missed a deadline of a rally, when, and what the clock did; for its organisers and stewards."""
    rally = rallies.rally_by_key(key, request.user)
    roles = require_role_to_read(request.user, rally.club, Role.ORGANISER, Role.STEWARD)
    page = rallies.rally_page(rally, request.user, roles=roles)
    context = {
        **page_context(page, "misses"),
        "crumbs": crumbs(page, _("Missed deadlines")),
        "page_obj": Paginator(selectors.misses_of(rally), MISSES_ON_A_PAGE).get_page(request.GET.get("page")),
        "counted": selectors.misses_by_entry(rally),
    }
    return render(request, "runs/misses.html", context)


@login_required
@require_POST
def take_wheel(request: SignedInRequest, key: str) -> HttpResponse:
    """Give the wheel back to the driver."""
    found = selectors.run_by_key(key, request.user)
    try:
        services.take_wheel(by=request.user, run=found)
    except Refusal as refusal:
        return refused_page(request, found, refusal)
    messages.success(request, _("You have the wheel again."))
    return redirect(f"{found.get_absolute_url()}#panel")
